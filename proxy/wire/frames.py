"""SASL frames: four bytes of length, big endian, then as many bytes."""

from __future__ import annotations

import struct

from proxy.wire.errors import WireError

_LENGTH = struct.Struct(">I")


def frame(payload: bytes) -> bytes:
    r"""One frame around a payload.

    >>> frame(b"ab")
    b'\x00\x00\x00\x02ab'
    """
    return _LENGTH.pack(len(payload)) + payload


def only_payload(data: bytes) -> bytes | None:
    r"""The payload of bytes that are one whole frame.

    >>> only_payload(b"\x00\x00\x00\x02ab"), only_payload(b"\x00\x00\x00\x02abc")
    (b'ab', None)
    """
    return data[_LENGTH.size :] if int.from_bytes(data[: _LENGTH.size], "big") + _LENGTH.size == len(data) else None


class FrameReader:
    r"""Cuts a stream of bytes into the payloads of its frames.

    >>> reader = FrameReader(limit=100)
    >>> reader.receive_data(b"\x00\x00\x00\x02abcd")
    >>> reader.next_event(), reader.next_event(), reader.buffered
    (b'ab', None, 2)
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer: bytes | bytearray = b""

    @property
    def buffered(self) -> int:
        """How many bytes wait for the rest of their frame."""
        return len(self._buffer)

    def receive_data(self, data: bytes) -> None:
        if not self._buffer:
            self._buffer = data  # most often one whole frame
        else:
            if isinstance(self._buffer, bytes):
                self._buffer = bytearray(self._buffer)
            self._buffer += data

    def next_event(self) -> bytes | None:
        """The payload of the next whole frame; None while more bytes are needed."""
        buffer = self._buffer
        there = len(buffer)
        if there < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(buffer)
        if length > self._limit:
            raise WireError(f"a frame of {length} bytes is over the limit of {self._limit} bytes")
        end = _LENGTH.size + length
        if there < end:
            return None
        if there == end and isinstance(buffer, bytes):
            self._buffer = b""
            return buffer[_LENGTH.size :]
        with memoryview(buffer) as view:
            payload = bytes(view[_LENGTH.size : end])
        self._buffer = rest = bytearray(buffer) if isinstance(buffer, bytes) else buffer
        del rest[:end]
        return payload
