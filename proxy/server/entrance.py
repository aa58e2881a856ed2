"""The objects that all client connections share: the Thrift service, the checker of logins, TLS settings and limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from proxy.authentication import Authentication, Cookies
from proxy.ports import TlsSettings
from proxy.service import Service
from proxy.wire import Bounds


@dataclass(frozen=True)
class Limits:
    """The limits for clients and for the shutdown; sizes are in bytes, times in seconds.

    - `message`: the size of a message
    - `string`: the size of a string in a message
    - `container`: the number of elements of a list, set or map in a message
    - `nesting`: the depth of nested values in a message; the protocol's own messages nest 9 deep
    - `buffers`: the size of the incomplete messages of all clients together
    - `logins`: the number of connections without a login
    - `sessions`: the number of open sessions
    - `configuration`: the size of the message that opens a session
    - `handshake`: the time that a client has for its login
    - `grace`: when Viewgate stops, the time that statements may take to end, and clients to read their results
    - `close`: after `grace`, the time that Viewgate waits for clients to read their last replies
    - `retire`: the time that sessions of a replaced worker process may continue
    - `idle`: the time after which an unused session that was opened over HTTP is closed, because such a session does
      not end with a connection
    - `unseen`: the time without a status poll from the client after which Viewgate polls a statement itself, so that
      work after the statement, such as a refresh, does not wait for the client
    """

    message: int = 100 * 1024 * 1024
    string: int = 100 * 1024 * 1024
    container: int = 1_000_000
    nesting: int = 32
    buffers: int = 1024 * 1024 * 1024
    logins: int = 1000
    sessions: int = 20_000
    configuration: int = 64 * 1024
    handshake: float = 20.0
    grace: float = 3.0
    close: float = 2.0
    retire: float = 3600.0
    idle: float = 4 * 3600.0
    unseen: float = 1.0

    @property
    def bounds(self) -> Bounds:
        """The limits for the content of a message."""
        return Bounds(self.string, self.container, self.nesting)


class LoggingIn(Protocol):
    """A connection without a login."""

    @property
    def worker(self) -> object:
        """The call or login step that is being answered; None while Viewgate waits for the client."""
        ...

    def give_way(self) -> None:
        """Close the connection, because too many connections have no login."""
        ...


@dataclass
class Held:
    """The resources that all connections together use.

    `bytes` is the number of bytes buffered for incomplete messages. The keys of `logins` are the connections without a
    login, the oldest first; the values are None (the dict serves as an ordered set).
    """

    bytes: int = 0
    logins: dict[LoggingIn, None] = field(default_factory=dict)


@dataclass(frozen=True)
class Entrance:
    """The objects that all client connections share.

    `service` answers the Thrift calls, `authentication` checks the logins, and `cookies` spare HTTP clients further
    logins. `held` has the resources that all connections together use. Without `tls`, clients connect in clear text.
    """

    service: Service
    authentication: Authentication = field(default_factory=Authentication)
    tls: TlsSettings | None = None
    limits: Limits = Limits()
    cookies: Cookies = field(default_factory=Cookies)
    held: Held = field(default_factory=Held)
