"""One call, as its handler sees it: the message, the peer that sent it, and what its handle stands for."""

from __future__ import annotations

from dataclasses import dataclass, field

from proxy.service.context import ServiceContext
from proxy.service.message import Message
from proxy.service.operations.operation import RunningOperation
from proxy.session import ClientSession, Foreseen


@dataclass(eq=False)
class Peer:
    """An authenticated client, and the sessions that end with its connection if they are tied to that.

    `acting_for` is the user for whom it wants to open sessions, if it named another one at login. `foreseen` holds the
    replies that are ready for the statement that it has last started, or last seen to have ended.
    """

    user: str
    address: str = ""
    acting_for: str = ""
    tied: bool = True
    sessions: list[ClientSession] = field(default_factory=list)
    foreseen: Foreseen | None = None

    def __str__(self) -> str:
        return f"{self.user}@{self.address}"


@dataclass(slots=True)
class Call(Message):
    """A call from a peer."""

    service: ServiceContext
    peer: Peer

    def session(self) -> ClientSession:
        """Return the session that the call names; raise SqlError if this peer's principal has not opened it."""
        return self.service.sessions.find(self.handle(), self.peer.user)

    def operation(self) -> RunningOperation:
        """Return the operation that the call names; raise SqlError if it is in no session of this peer's principal."""
        operation = self.service.sessions.find_operation(self.handle(), self.peer.user)
        assert isinstance(operation, RunningOperation)
        return operation
