"""Handles of sessions and operations, as they travel: a public id and a secret."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from uuid import UUID


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
        """A handle that nobody can guess; its id ends in the mark."""
        drawn = secrets.token_bytes(32)
        return cls(drawn[: 16 - len(mark)] + mark, drawn[16:])

    @property
    def mark(self) -> bytes:
        """Two bytes that tell who has made it, where there are several who make handles."""
        return self.guid[-2:]

    @property
    def id(self) -> str:
        """The public id as Spark prints it; any bytes that a client sent can be printed."""
        return str(UUID(bytes=self.guid)) if len(self.guid) == 16 else self.guid.hex()

    def opens(self, other: Handle) -> bool:
        """Whether a client that presents this handle may use what the other one names."""
        return self.guid == other.guid and hmac.compare_digest(self.secret, other.secret)
