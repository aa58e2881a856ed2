"""The network edge on asyncio: listeners, and client connections in each transport.

`connection` moves bytes (TLS, back-pressure) and runs one call after the other, `conversations` implements logins and
calls in each transport, `shortcut` answers repeated calls without the event loop. `entrance` has logins, TLS and
limits; `server` starts, drains and stops it all.
"""

from proxy.server.conversations import Caller, Conversation
from proxy.server.entrance import Entrance, Limits, TlsSettings
from proxy.server.server import Server, bound, is_ipv6

__all__ = ["Caller", "Conversation", "Entrance", "Limits", "Server", "TlsSettings", "bound", "is_ipv6"]
