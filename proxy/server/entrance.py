"""The shared context of all connections: the service, authentication, TLS and limits."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field

from proxy.authentication import Authentication, Cookies
from proxy.service import Service
from proxy.wire import Bounds


@dataclass(frozen=True)
class Limits:
    """Limits to a client: bytes of a message, and seconds for steps that ought to be quick.

    `string`, `container` and `nesting` bound what is in a message: the bytes of a string, the elements of a list, set
    or map, and how deep values are in one another; the service's own nest 9 deep.
    `buffers` is how many bytes of messages that are not whole yet all clients together may have sent.

    `grace` is how long running statements may go on when Viewgate stops, before they are stopped, too.
    `unseen` is how long nobody may ask how a statement is before we do: what follows it must not wait for that.
    `idle` is how long a session that was opened over HTTP, where no connection holds it, may go without a call.
    """

    message: int = 100 * 1024 * 1024
    string: int = 100 * 1024 * 1024
    container: int = 1_000_000
    nesting: int = 32
    buffers: int = 1024 * 1024 * 1024
    handshake: float = 20.0
    grace: float = 3.0
    close: float = 2.0
    idle: float = 4 * 3600.0
    unseen: float = 1.0

    @property
    def bounds(self) -> Bounds:
        """The limits to the content of a message."""
        return Bounds(self.string, self.container, self.nesting)


@dataclass
class Held:
    """The total of buffered bytes of incomplete messages, over all clients."""

    bytes: int = 0


@dataclass(frozen=True)
class TlsSettings:
    """The server's certificate; with `required`, no client gets in without TLS."""

    context: ssl.SSLContext
    required: bool = False


@dataclass(frozen=True)
class Entrance:
    """The context in which connections are accepted."""

    service: Service
    authentication: Authentication = field(default_factory=Authentication)
    tls: TlsSettings | None = None
    limits: Limits = Limits()
    cookies: Cookies = field(default_factory=Cookies)
    held: Held = field(default_factory=Held)
