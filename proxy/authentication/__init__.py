"""Authentication of clients, and impersonation.

`directory` and `tokens` need packages that not everybody has, `kerberos` a library of the system: the composition root
imports them if they are set.
"""

from proxy.authentication.authentication import Authentication, Denied, Passwords, TicketLogin, Tickets, TokenKeys
from proxy.authentication.cookies import Cookies
from proxy.authentication.passwords import PasswordFile
from proxy.authentication.proxy_users import ProxyUsers

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
