"""Who is at the other end of a connection."""

from __future__ import annotations

from dataclasses import dataclass, field

from proxy.service.foreseen import Foreseen
from proxy.service.settled import Settled
from proxy.session import ClientSession


@dataclass(eq=False)
class Peer:
    """An authenticated client, and the sessions that end with its connection if they are tied to that.

    `acting_for` is whom it wants to open sessions for, if that is somebody else and said at login. `settled` is the
    last status it asked for, if that was a final one; `foreseen` what it will ask of its last statement.
    """

    user: str
    address: str = ""
    acting_for: str = ""
    tied: bool = True
    sessions: list[ClientSession] = field(default_factory=list)
    settled: Settled | None = None
    foreseen: Foreseen | None = None

    def __str__(self) -> str:
        return f"{self.user}@{self.address}"
