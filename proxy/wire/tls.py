"""Implements the server's side of TLS on bytes, because a connection's first bytes are read before TLS is detected."""

from __future__ import annotations

import contextlib
import ssl

from proxy.wire.message import WireError

TLS_ONLY = "this server requires TLS: connect with ssl=true"  # the refusal of a login without TLS
_CHUNK = 256 * 1024


class TlsServer:
    """The server's side of TLS on one connection.

    After every `receive_data`, the caller sends the bytes that `pending` returns.
    """

    def __init__(self, context: ssl.SSLContext) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._established = False
        self.ended = False  # whether the client has ended its output

    def receive_data(self, data: bytes) -> bytes:
        """Decrypt bytes received from the client; return the plain text, which is empty during the handshake.

        Raise WireError if TLS fails.
        """
        self._incoming.write(data)
        said = bytearray()
        try:
            if not self._established:
                self._tls.do_handshake()
                self._established = True
            while chunk := self._tls.read(_CHUNK):
                said += chunk
            self.ended = True
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            self.ended = True
        except ssl.SSLError as error:
            raise WireError(
                f"the TLS connection failed: {error.reason or error}; check that the client trusts "
                "Viewgate's certificate"
            ) from error
        return bytes(said)

    def send(self, data: bytes) -> bytes:
        """Encrypt data for the client; return the bytes to send."""
        self._tls.write(data)
        return self._outgoing.read()

    def end(self) -> bytes:
        """Return TLS's closing alert, by which the client distinguishes a regular end from a broken connection."""
        with contextlib.suppress(ssl.SSLError):
            self._tls.unwrap()
        return self._outgoing.read()

    def pending(self) -> bytes:
        """Return the bytes that TLS itself has to send: handshake messages, or the alert after a failed handshake."""
        return self._outgoing.read()
