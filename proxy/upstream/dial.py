"""Opens network connections to an upstream server: name lookup, TCP, TLS.

Each error names the failed step and a remedy.
"""

from __future__ import annotations

import asyncio
import socket
import ssl

from proxy.hs2 import Unreachable
from proxy.upstream.terms import Timeouts, Tls, Upstream
from proxy.wire import Transport

# Keepalive options: the kernel probes a silent peer after one minute and gives up after two.
_KEEP_ALIVE = {"SO_KEEPALIVE": 1, "TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}

# Codes X509_V_ERR_… of OpenSSL: the certificate's date is invalid, its name or address differs, or its issuer is
# unknown.
_DATES = frozenset({9, 10})
_NAMES = frozenset({62, 64})
_ISSUERS = frozenset({2, 18, 19, 20, 21})


class NotLetIn(Unreachable):
    """The error of a connection attempt without a usable response.

    The server is down, is failing, or has no free thread.
    """


async def dial(upstream: Upstream, protocol: asyncio.Protocol, timeouts: Timeouts) -> asyncio.Transport:
    """Open a network connection to a server, with TLS if configured, and return the connection's transport.

    Raise NotLetIn if the server does not respond in time, or closes the connection during the TLS handshake. Raise
    Unreachable, the base class of NotLetIn, for any other failure. `protocol` gets the received bytes.
    """
    transport = await _connected(upstream, protocol, timeouts.connect)
    if upstream.link.tls is None:
        return transport
    try:
        return await _secured(upstream, upstream.link.tls, protocol, transport, timeouts.handshake)
    except BaseException:
        transport.abort()
        raise


async def _connected(upstream: Upstream, protocol: asyncio.Protocol, patience: float) -> asyncio.Transport:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(patience):
            transport, _ = await loop.create_connection(lambda: protocol, upstream.host, upstream.port)
    # the kernel of a busy server, whose accept queue is full, drops the connection attempt
    except TimeoutError as error:
        raise NotLetIn(
            f"{upstream.named} cannot be reached: no answer within {patience:g} s; check `host` and `port` of its "
            "[[upstream]], and firewalls"
        ) from error
    except (socket.gaierror, UnicodeError) as error:  # UnicodeError: a name that DNS cannot have, such as a..b
        advice = "check `host` of its [[upstream]], and the name service of this machine"
        why = error.strerror if isinstance(error, OSError) else error
        raise Unreachable(
            f"{upstream.named} cannot be reached: the name {upstream.host} has no address ({why}); {advice}"
        ) from error
    except ConnectionRefusedError as error:
        raise Unreachable(
            f"{upstream.named} cannot be reached: no process listens on this port; start the server, or check "
            "`port` of its [[upstream]]"
        ) from error
    except OSError as error:
        raise Unreachable(
            f"{upstream.named} cannot be reached: {error.strerror or error}; check `host` and `port` of its "
            "[[upstream]]"
        ) from error
    _keep_alive(transport.get_extra_info("socket"))
    return transport


async def _secured(
    upstream: Upstream, tls: Tls, protocol: asyncio.Protocol, transport: asyncio.Transport, patience: float
) -> asyncio.Transport:
    """Start TLS on a connection, check the server's certificate, and return the encrypted transport.

    Raise NotLetIn if the server does not complete the TLS handshake within `patience` seconds, or closes the
    connection. Raise Unreachable, the base class of NotLetIn, for any other failure. `protocol` gets the received
    bytes.
    """
    loop = asyncio.get_running_loop()
    name = tls.server_name or upstream.host
    try:
        async with asyncio.timeout(patience):
            secured = await loop.start_tls(transport, protocol, tls.context, server_hostname=name)
    except TimeoutError as error:
        raise NotLetIn(
            f"{upstream.named} accepts connections but does not complete a TLS handshake: either all threads of the "
            "server are busy (try again later), or its port does not use TLS (remove [upstream.tls])"
        ) from error
    except ssl.SSLError as error:
        raise Unreachable(f"the TLS handshake with {upstream.named} failed: {tls_failure(error)}") from error
    except OSError as error:
        raise NotLetIn(
            f"{upstream.named} closes connections in the TLS handshake: either its port does not use TLS (remove "
            "[upstream.tls]), or the server is failing (see the log of the server)"
        ) from error
    if secured is None:  # uvloop returns None if the connection was closed meanwhile
        raise NotLetIn(
            f"{upstream.named} closed the connection in the TLS handshake; try again later, or see the log of the "
            "server"
        )
    return secured


def certificate_expires(transport: asyncio.Transport) -> float | None:
    """Return the time at which the server's certificate expires, in seconds since 1970; None without TLS."""
    shown = transport.get_extra_info("peercert")
    return float(ssl.cert_time_to_seconds(shown["notAfter"])) if shown else None


def tls_failure(error: ssl.SSLError) -> str:
    """Return the message for a failed TLS handshake, with the reason and the remedy.

    >>> tls_failure(ssl.SSLError(1, "wrong version number"))
    'wrong version number. The port does not use TLS: remove [upstream.tls], or turn on TLS on the server'
    """
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"the server's certificate is not trusted: {error.verify_message.rstrip('.')}. {_remedy(error.verify_code)}"
        )
    reason = (getattr(error, "reason", None) or str(error.args[-1])).lower().replace("_", " ")
    if "alert" in reason and ("certificate" in reason or "unknown ca" in reason or "handshake failure" in reason):
        return (
            f"the server refuses the TLS handshake: {reason}. Set `certificate` and `key` of [upstream.tls] to "
            "a pair that the server trusts"
        )
    if "wrong version" in reason or "record layer" in reason:
        return f"{reason}. The port does not use TLS: remove [upstream.tls], or turn on TLS on the server"
    return f"{reason}. Check [upstream.tls], and the log of the server"


# The first two bytes of a server's answer in each transport, as far as they identify it.
_ANSWERS = {
    b"\x15\x03": Transport.TLS,
    b"\x16\x03": Transport.TLS,
    b"HT": Transport.HTTP,
    b"\x80\x01": Transport.NOSASL,
}
_STATUSES = frozenset({2, 3, 4, 5})  # of SASL messages, which continue with a length


def foreign(spoken: Transport, data: bytes) -> Transport | None:
    r"""Return the transport that a server's first bytes show, if that is not the configured transport `spoken`.

    Return None if the bytes (`data`) fit the configured transport, or show no transport.

    >>> foreign(Transport.SASL, b"\x15\x03\x03\x00\x02\x02"), foreign(Transport.HTTP, b"\x04\x00\x00\x00\x11Invalid")
    (<Transport.TLS: 'TLS'>, <Transport.SASL: 'SASL'>)
    >>> foreign(Transport.SASL, b"\x05\x00\x00\x00\x00")
    """
    answered = _ANSWERS.get(data[:2]) or (
        Transport.SASL if data[0] in _STATUSES and data[1:2] in (b"", b"\0") else None
    )
    return None if answered is spoken else answered


def _remedy(code: int) -> str:
    if code in _NAMES:
        return "Set `server_name` of [upstream.tls] to a name that the certificate has"
    if code in _DATES:
        return "Renew the certificate, or set the clock of this machine"
    if code in _ISSUERS:
        return "Give the certificate of its authority as `ca` of [upstream.tls]"
    return "See `ca` of [upstream.tls]"


def _keep_alive(connected: socket.socket) -> None:
    """Turn on TCP keepalive for a socket, and set the idle time, interval and count of probes if the system can."""
    for option, value in _KEEP_ALIVE.items():
        if hasattr(socket, option):
            level = socket.SOL_SOCKET if option.startswith("SO_") else socket.IPPROTO_TCP
            connected.setsockopt(level, getattr(socket, option), value)
