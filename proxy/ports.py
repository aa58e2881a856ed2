"""The ports that Viewgate listens on: their sockets and their certificates.

`viewgate check-config` and `viewgate doctor` check the ports by this module alone, because importing the server takes
two seconds.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from proxy.config import CONSOLE_PORT, Config, ConfigError, Listen

_log = logging.getLogger("viewgate")

CONSOLE_REMEDY = (
    "set another `port` in the table [console] of the settings file (option --config), or stop the process that "
    "listens there"
)


def bound(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """Return a socket that is bound to an address but not listening yet; the host `::` includes IPv4.

    With `shared`, other processes may bind sockets to the same port (SO_REUSEPORT).

    >>> with bound("127.0.0.1", 0) as place:
    ...     place.getsockname()[0]
    '127.0.0.1'
    """
    place = socket.socket(socket.AF_INET6 if is_ipv6(host) else socket.AF_INET)
    try:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if is_ipv6(host):
            place.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, host != "::")
        place.bind((host, port))
    except BaseException:
        place.close()
        raise
    return place


def is_ipv6(host: str) -> bool:
    """Return whether a host is an IPv6 address; False for an IPv4 address or a host name.

    >>> is_ipv6("::"), is_ipv6("gate.example.org")
    (True, False)
    """
    return ":" in host


@dataclass
class TlsSettings:
    """The server's TLS certificate, and whether TLS is required.

    With `required`, clients without TLS are refused. `expires` is the expiry of the certificate in seconds since 1970,
    None before a certificate is loaded.
    """

    context: ssl.SSLContext
    required: bool = False
    expires: float | None = None

    def load(self, certificate: Path, key: Path) -> None:
        """Load a certificate and its key, both PEM files, to be used for new connections.

        On failure, raise OSError or ValueError and keep the former certificate.
        """
        expires = _expires(certificate)
        with key.open("rb"):  # the OSError names the file, which that of load_cert_chain does not
            pass
        try:
            self.context.load_cert_chain(certificate, key)
        except ssl.SSLError as error:
            raise ValueError(
                f"{key} is not the private key of the certificate {certificate}, in PEM format ({error}); give the "
                "files of one certificate and of its key"
            ) from error
        self.expires = expires


def _expires(certificate: Path) -> float:
    from cryptography.x509 import load_pem_x509_certificates  # importing it takes 50 ms, and only TLS needs it

    try:
        first, *_ = load_pem_x509_certificates(certificate.read_bytes())
    except ValueError as error:
        raise ValueError(f"{certificate} is not a certificate in PEM format; give the file of a certificate") from error
    return first.not_valid_after_utc.timestamp()


@contextlib.contextmanager
def reserved(listen: Listen) -> Iterator[int]:
    """Yield the number of the server's port, which stays reserved for this process's workers during the `with` block.

    For the configured port 0, the operating system chooses a free port. Several processes can listen on the port.
    """
    with bound(listen.host, listen.port, shared=True) as place:
        yield place.getsockname()[1]


@contextlib.contextmanager
def console_place(settings: Config, *, shared: bool = False) -> Iterator[socket.socket | None]:
    """Yield a socket bound to the console's port; None if the console is off, or if its default port is taken.

    If the server listens on any free port (0), so does the console. With `shared`, other processes can listen on the
    same port. Raise ConfigError if a configured port is taken.
    """
    console, place = settings.console, None
    if console.enabled:
        default = CONSOLE_PORT if settings.server.port else 0
        port = default if console.port is None else console.port
        try:
            place = bound(console.host, port, shared=shared)
        except OSError as error:
            taken = f"cannot listen on port {port} of {console.host}: {error.strerror}"
            if console.port is not None:
                raise ConfigError(f"{taken}; {CONSOLE_REMEDY}") from error
            _log.warning("the console and the metrics are not available: Viewgate %s; %s", taken, CONSOLE_REMEDY)
    with contextlib.closing(place) if place is not None else contextlib.nullcontext() as found:
        yield found


def refuse_taken_port(listen: Listen) -> None:
    """Raise ConfigError if Viewgate cannot listen on one of the configured ports; called before Spark is started."""
    for port in (listen.port, *listen.ports.given.values()):
        try:
            bound(listen.host, port).close()
        except OSError as error:
            raise ConfigError(
                f"cannot listen on port {port} of {listen.host}: {error.strerror}; give another port with "
                f"{'--port' if port == listen.port else '[server.ports]'}, or stop the process that listens there"
            ) from error
