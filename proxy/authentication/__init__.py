"""Authentication of clients, and impersonation.

`directory` and `tokens` need packages that not everybody has, `kerberos` a library of the system: the composition root
imports them if they are set.
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
