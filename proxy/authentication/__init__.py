"""Authentication of clients, and impersonation.

`directory` and `tokens` need packages that not everybody has, `kerberos` a library of the system: the composition root
imports them if they are set.
"""

from proxy.authentication.authentication import (
    Authentication,
    Denied,
    Passwords,
    ProxyUsers,
    TicketLogin,
    Tickets,
    TokenKeys,
)
from proxy.authentication.cookies import Cookies
from proxy.authentication.passwords import PasswordFile

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
