"""The asyncio edge: listeners, and connections in each transport.

`connection` moves bytes (TLS, back-pressure, one call after the other), `conversations` knows what a login and a call
are in each transport, `steps` runs a call without a task, `shortcut` answers past the loop what a client repeats.
`entrance` is who and how much may come in, `addresses` where, `server` starts, drains and stops it all.
"""

from proxy.server.addresses import bound, is_ipv6
from proxy.server.conversations import Caller, Conversation
from proxy.server.entrance import Entrance, Limits, TlsSettings
from proxy.server.server import Server

__all__ = ["Caller", "Conversation", "Entrance", "Limits", "Server", "TlsSettings", "bound", "is_ipv6"]
