"""Handles of sessions and operations, as they travel: a public id and a secret."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from uuid import UUID, uuid4


@dataclass(frozen=True, slots=True)
class Handle:
    """An id of 16 bytes that may be shown, and a secret of 16 bytes that may not.

    >>> Handle(b"1" * 16, b"2" * 16)
    Handle(guid=b'1111111111111111')
    """

    guid: bytes
    secret: bytes = field(repr=False)

    @classmethod
    def new(cls) -> Handle:
        """A handle that nobody can guess."""
        return cls(uuid4().bytes, secrets.token_bytes(16))

    @property
    def id(self) -> str:
        """The public id as Spark prints it; any bytes that a client sent can be printed."""
        return str(UUID(bytes=self.guid)) if len(self.guid) == 16 else self.guid.hex()

    def opens(self, other: Handle) -> bool:
        """Whether a client that presents this handle may use what the other one names."""
        return self.guid == other.guid and hmac.compare_digest(self.secret, other.secret)
