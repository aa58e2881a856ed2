"""The shared context of all connections: the service, authentication, TLS and limits."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path

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
    `retire` is how long the sessions of a worker may go on that another has replaced.
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
    retire: float = 3600.0
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


@dataclass
class TlsSettings:
    """The server's certificate, when it `expires` (seconds since 1970); with `required`, nobody gets in without TLS."""

    context: ssl.SSLContext
    required: bool = False
    expires: float | None = None

    def load(self, certificate: Path, key: Path) -> None:
        """Show this certificate on new connections; raise OSError or ValueError, and go on with the one before."""
        expires = _expires(certificate)
        self.context.load_cert_chain(certificate, key)
        self.expires = expires


def _expires(certificate: Path) -> float:
    from cryptography.x509 import load_pem_x509_certificates  # which takes 50 ms, and is not needed without TLS

    first, *_ = load_pem_x509_certificates(certificate.read_bytes())
    return first.not_valid_after_utc.timestamp()


@dataclass(frozen=True)
class Entrance:
    """The context in which connections are accepted."""

    service: Service
    authentication: Authentication = field(default_factory=Authentication)
    tls: TlsSettings | None = None
    limits: Limits = Limits()
    cookies: Cookies = field(default_factory=Cookies)
    held: Held = field(default_factory=Held)
