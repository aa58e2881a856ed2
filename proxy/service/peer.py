"""Who is at the other end of a connection."""

from __future__ import annotations

from dataclasses import dataclass, field

from proxy.session import ClientSession, Foreseen


@dataclass(eq=False)
class Peer:
    """An authenticated client, and the sessions that end with its connection if they are tied to that.

    `acting_for` is whom it wants to open sessions for, if that is somebody else and said at login. `foreseen` is
    what it will ask of the statement that it has last started, or last seen to have ended.
    """

    user: str
    address: str = ""
    acting_for: str = ""
    tied: bool = True
    sessions: list[ClientSession] = field(default_factory=list)
    foreseen: Foreseen | None = None

    def __str__(self) -> str:
        return f"{self.user}@{self.address}"
