"""The two binary transports, as a server speaks them: SASL with its frames, and bare messages."""

from __future__ import annotations

from proxy.wire.extent import check_bounds, is_whole
from proxy.wire.frames import FrameReader, frame
from proxy.wire.layout import Bounds
from proxy.wire.reader import MessageReader
from proxy.wire.sasl import Credentials, Refused, SaslServer, Token

_STRANGER_LIMIT = 64 * 1024  # who has not logged in may not hold much


class SaslTransport:
    """A handshake, then frames; a message may take several of them.

    `next_event` gives credentials, tokens or a refusal first, and then messages. Say `accept`, `proceed` or `refuse` in
    between.
    """

    def __init__(self, limit: int, bounds: Bounds | None = None, *, tickets: bool = False) -> None:
        self._sasl: SaslServer | None = SaslServer(tickets=tickets)
        self._frames = FrameReader(limit)
        self._bounds = bounds or Bounds()
        self._pieces = MessageReader(limit, self._bounds)

    def receive_data(self, data: bytes) -> None:
        if self._sasl is None:
            self._frames.receive_data(data)
        else:
            self._sasl.receive_data(data)

    def next_event(self) -> Credentials | Token | Refused | bytes | None:
        """What came next; None while more bytes are needed."""
        if self._sasl is not None:
            return self._sasl.next_event()
        while True:
            if self._pieces.buffered and (message := self._pieces.next_event()) is not None:
                return message
            payload = self._frames.next_event()
            if payload is None:
                return None
            # Most frames are one message: those are known at once.
            if not self._pieces.buffered and is_whole(payload):
                check_bounds(payload, self._bounds)
                return payload
            self._pieces.receive_data(payload)

    @property
    def buffered(self) -> int:
        """How many bytes wait for the rest of their message."""
        return self._frames.buffered + self._pieces.buffered

    def accept(self) -> bytes:
        """The bytes that let the client in."""
        assert self._sasl is not None
        sasl, self._sasl = self._sasl, None
        self._frames.receive_data(sasl.rest())
        return sasl.accept()

    def proceed(self, token: bytes) -> bytes:
        """The bytes that ask the client for more."""
        assert self._sasl is not None
        return self._sasl.proceed(token)

    def refuse(self, reason: str) -> bytes:
        """The bytes that keep the client out."""
        assert self._sasl is not None
        return self._sasl.refuse(reason)

    def reply(self, message: bytes) -> bytes:
        """The bytes of a reply."""
        return frame(message)


class BareTransport:
    """Messages and nothing else (`auth=noSasl`); whoever sends them says in OpenSession who that is."""

    def __init__(self, limit: int, bounds: Bounds | None = None) -> None:
        self._limit = limit
        self._reader = MessageReader(min(limit, _STRANGER_LIMIT), bounds or Bounds())

    def receive_data(self, data: bytes) -> None:
        self._reader.receive_data(data)

    def next_event(self) -> bytes | None:
        """The next message; None while more bytes are needed."""
        return self._reader.next_event()

    @property
    def buffered(self) -> int:
        """How many bytes wait for the rest of their message."""
        return self._reader.buffered

    def accept(self) -> None:
        """Let the client send messages of any allowed size."""
        self._reader.limit = self._limit

    def reply(self, message: bytes) -> bytes:
        """The bytes of a reply."""
        return message
