"""Authenticates clients, and decides for which other users a client may act (impersonation).

The modules `directory` and `tokens` need optional packages, and `kerberos` needs a system library: these modules are
imported only if the settings use them.
"""

from proxy.authentication.authentication import (
    Authentication,
    Cookies,
    Denied,
    PasswordFile,
    Passwords,
    ProxyUsers,
    TicketLogin,
    Tickets,
    TokenKeys,
)

__all__ = [
    "Authentication",
    "Cookies",
    "Denied",
    "PasswordFile",
    "Passwords",
    "ProxyUsers",
    "TicketLogin",
    "Tickets",
    "TokenKeys",
]
