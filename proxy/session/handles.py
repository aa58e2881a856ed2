"""Handles of sessions and operations, as they travel: a public id and a secret."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field

_PART = 16  # bytes of the id, and of the secret


@dataclass(frozen=True, slots=True)
class Handle:
    """An id of 16 bytes that may be shown, and a secret of 16 bytes that may not.

    >>> Handle(b"1" * 16, b"2" * 16)
    Handle(guid=b'1111111111111111')
    """

    guid: bytes
    secret: bytes = field(repr=False)

    @classmethod
    def new(cls, mark: bytes = b"") -> Handle:
        """Return a handle that cannot be guessed; its id ends in the mark."""
        drawn = secrets.token_bytes(2 * _PART)
        return cls(drawn[: _PART - len(mark)] + mark, drawn[_PART:])

    @classmethod
    def at(cls, message: bytes, guid: int, secret: int) -> Handle:
        """Return the handle in a message whose two parts begin there."""
        return cls(message[guid : guid + _PART], message[secret : secret + _PART])

    @property
    def mark(self) -> bytes:
        """Two bytes that identify the worker that made the handle."""
        return self.guid[-2:]

    @property
    def id(self) -> str:
        """The public id as Spark prints it; any bytes that a client sent can be printed."""
        digits = self.guid.hex()
        if len(self.guid) != _PART:
            return digits
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"

    def into(self, message: bytes, guid: int, secret: int) -> bytes:
        """Return the message with this handle in the place of the one whose two parts begin there."""
        parts = (message[:guid], self.guid, message[guid + _PART : secret], self.secret, message[secret + _PART :])
        return b"".join(parts)

    def opens(self, other: Handle) -> bool:
        """Return whether a client that presents this handle may use what the other one names."""
        return self.guid == other.guid and hmac.compare_digest(self.secret, other.secret)
