"""Accepts client connections with asyncio: listeners, and the protocol of each transport.

`connection` reads and writes the bytes of a connection (TLS, back-pressure) and runs its calls one after the other.
`conversations` implements the logins and calls of each transport (SASL, HTTP, messages without SASL). `entrance` has
the logins, TLS settings and limits that all connections share. `server` starts and stops the listeners.
"""

from proxy.server.conversations import Caller, Conversation
from proxy.server.entrance import Entrance, Limits
from proxy.server.server import Server

__all__ = ["Caller", "Conversation", "Entrance", "Limits", "Server"]
