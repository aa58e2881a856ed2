"""Who is at the other end of a connection."""

from __future__ import annotations

from dataclasses import dataclass, field

from proxy.service.settled import Settled
from proxy.session import ClientSession


@dataclass(eq=False)
class Peer:
    """An authenticated client connection, and the sessions that were opened on it.

    `settled` is the last status it asked for, if that was a final one.
    """

    user: str
    address: str = ""
    sessions: list[ClientSession] = field(default_factory=list)
    settled: Settled | None = None

    def __str__(self) -> str:
        return f"{self.user}@{self.address}"
