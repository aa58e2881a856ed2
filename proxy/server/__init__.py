"""Accepts client connections, on asyncio: listeners, and the protocol of each transport.

`connection` moves bytes (TLS, back-pressure) and runs the calls of a connection one after the other, and
`conversations` implements the logins and calls of each transport. `entrance` has the logins, TLS settings and limits
that all connections share; `server` starts, drains and stops the listeners.
"""

from proxy.server.conversations import Caller, Conversation
from proxy.server.entrance import Entrance, Limits
from proxy.server.server import Server

__all__ = ["Caller", "Conversation", "Entrance", "Limits", "Server"]
