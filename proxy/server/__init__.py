"""The asyncio edge: listeners, and connections in each transport.

`connection` moves bytes (TLS, back-pressure) and runs one call after the other, `conversations` knows what a login and
a call are in each transport, `shortcut` answers past the loop what a client repeats. `entrance` is who and how much may
come in, `server` starts, drains and stops it all.
"""

from proxy.server.conversations import Caller, Conversation
from proxy.server.entrance import Entrance, Limits, TlsSettings
from proxy.server.server import Server, bound, is_ipv6

__all__ = ["Caller", "Conversation", "Entrance", "Limits", "Server", "TlsSettings", "bound", "is_ipv6"]
