"""Describes the configured upstream servers: address, transport, login, limits and timeouts."""

from __future__ import annotations

import ssl
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from proxy.wire import BareClient, ClientTransport, FramedClient, HttpClient, SaslClient, SaslTickets, Transport

OWN = "viewgate"  # default user of Viewgate's own sessions
_REPLY_LIMIT = 1 << 31  # a reply is as long as the rows that a client asked for

# Calls for which Spark may have to work: to compute rows, or to query a metastore.
_WORKING = frozenset(
    {
        *(b"FetchResults", b"GetResultSetMetadata", b"GetCatalogs", b"GetSchemas", b"GetTables", b"GetColumns"),
        *(b"GetFunctions", b"GetPrimaryKeys", b"GetCrossReference"),
    }
)


@dataclass(frozen=True)
class Terms:
    """The weight of one upstream server in load balancing, and the limits of its sessions and running statements.

    Spark Thrift Server has 500 threads for connections, one for each connection, and 100 threads that run statements. A
    `draining` server keeps its sessions and gets no new sessions.
    """

    weight: float = 1.0
    sessions: int = 450
    statements: int = 100
    draining: bool = False


@dataclass(frozen=True)
class Tls:
    """The TLS settings for an upstream server.

    `context` has the trusted certificates and the client certificate; `server_name` is the name expected in the
    server's certificate, None for the name of the host.
    """

    context: ssl.SSLContext
    server_name: str | None = None


class Tickets(Protocol):
    """A supplier of Kerberos tokens for logins to upstream servers.

    `token`, and the function that `login` returns, may block, and raise SqlError on failure.
    """

    def login(self, host: str) -> Callable[[bytes], bytes]:
        """Return a function that performs the client's side of a GSSAPI login to the host.

        The function maps each token from the server (empty bytes at first) to the client's next token.
        """
        ...

    def token(self, host: str) -> bytes:
        """Return the Kerberos token for the Authorization header of one HTTP request to the host."""
        ...


@dataclass(frozen=True)
class Link:
    """The transport to an upstream server and the kind of login.

    - `path`, `headers`, `basic` (password login): apply to HTTP only
    - `tickets`: if given, Viewgate's own Kerberos principal logs in for all users
    - `impersonate`: if true, each session asks the server to act for the session's user (hive.server2.proxy.user)
    """

    transport: Transport = Transport.SASL
    tls: Tls | None = None
    path: str = "/cliservice"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    basic: bool = True
    tickets: Tickets | None = field(default=None, repr=False)
    impersonate: bool = False


@dataclass(frozen=True)
class Upstream:
    """A Spark Thrift Server: its address, its login, its limits and its transport.

    If `user` and `password` are None, each session logs in as its own user. `what` is the server's name in messages.
    """

    host: str
    port: int
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    what: str = field(default="Spark", compare=False)
    terms: Terms = field(default=Terms(), compare=False)
    link: Link = field(default=Link(), compare=False)  # new connections use a changed link

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    def client(self, user: str, password: str) -> ClientTransport:
        """Return a new codec for one connection; if the transport has a login, the codec logs in as `user`.

        The codec encodes messages to the bytes to send, and decodes received bytes to events.
        """
        link = self.link
        if link.transport is Transport.NOSASL:
            return BareClient(_REPLY_LIMIT)
        if link.transport is Transport.HTTP:
            tickets = link.tickets is not None
            login = {"Authorization": _basic(user, password)} if link.basic and not tickets else {}
            return HttpClient(str(self), link.path, {**login, **link.headers}, _REPLY_LIMIT, tickets=tickets)
        return FramedClient(SaslTickets() if link.tickets else SaslClient(user, password), _REPLY_LIMIT)

    def login(self) -> Callable[[bytes], bytes]:
        """Return a function that maps each Kerberos token from the server to the client's next token.

        The first token from the server is empty. The function may block. Raise ValueError if no tickets are configured.
        """
        tickets = self.link.tickets
        if tickets is None:
            raise ValueError(f"{self.named} has no Kerberos login: set [upstream.kerberos]")
        if self.link.transport is Transport.HTTP:
            return lambda _: tickets.token(self.host)
        return tickets.login(self.host)

    @property
    def named(self) -> str:
        """The name of the server in messages, followed by its address."""
        return f"{self.what} at {self}"

    def other_transport(self, answered: Transport) -> str:
        """Return the error message for a server that answers by another transport than the configured one.

        >>> print(Upstream("spark", 10000).other_transport(Transport.HTTP))
        Spark at spark:10000 answers by HTTP: set `transport` of its [[upstream]] to "http"
        """
        set_transport = f'set `transport` of its [[upstream]] to "{answered.value.lower()}"'
        remedy = "give [upstream.tls]" if answered is Transport.TLS else set_transport
        return f"{self.named} answers by {answered.value}: {remedy}"


def _basic(user: str, password: str) -> str:
    return f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"


@dataclass(frozen=True)
class Timeouts:
    """The timeouts for an upstream server, in seconds.

    - `connect`: for a TCP connection
    - `handshake`: for the TLS handshake, and then for the login
    - `open`: for OpenSession
    - `close`: for CloseSession
    - `work`: for calls for which Spark may have to compute rows or query a metastore
    - `call`: for all other calls
    - `health`: the interval between checks of a server
    - `park`: the idle time after which a client session is parked: its upstream session is closed

    The first four are needed because a Thrift Server without a free thread accepts a connection, and then closes it or
    does not respond.
    """

    connect: float = 5.0
    handshake: float = 10.0
    open: float = 60.0
    call: float = 60.0
    work: float = 3600.0
    close: float = 5.0
    health: float = 10.0
    park: float = 300.0

    def of(self, name: bytes) -> float:
        """Return the timeout for the call with this name, in seconds."""
        return self.work if name in _WORKING else self.call

    @property
    def shortest(self) -> float:
        """The shorter of the timeouts `call` and `work`, in seconds."""
        return min(self.call, self.work)
