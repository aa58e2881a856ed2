"""One call for its handler: the message, the peer that sent it, and the service that all calls share.

The context of a service is its sessions and upstreams, the answering of statements, and work that outlives a call.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from proxy.authentication import ProxyUsers
from proxy.catalog import Catalog
from proxy.hs2 import Interrupted, SqlError
from proxy.journal import Journal
from proxy.service.message import Message
from proxy.service.operations.operation import RunningOperation
from proxy.service.operations.prefetch import Budget
from proxy.session import Answering, ClientSession, Foreseen, Operation, Sessions, Worker
from proxy.upstream import Progress, Upstreams, unknown

T = TypeVar("T")

_SHUTTING_DOWN = Interrupted(
    "Viewgate is shutting down, and has stopped the statement.", "Run it again when Viewgate is back.", "57P01"
)


class ServiceContext:
    """The sessions of all connections, and the means of answering their calls.

    `facts(user, configuration)` makes what `answering` keeps about a session when it is opened. `catalog` is what
    clients can browse besides Spark's own; `progress` tells how far a statement is. Handles end in `mark`, if they must
    differ from those of another service. `journal` gets the statements.
    """

    mark = b""

    def __init__(
        self,
        upstreams: Upstreams,
        answering: Answering,
        facts: Callable[[str, Mapping[str, str]], Any],
        proxy_users: ProxyUsers | None = None,
        catalog: Catalog | None = None,
        progress: Progress = unknown,
        journal: Journal | None = None,
    ) -> None:
        self.upstreams = upstreams
        self.answering = answering
        self.facts = facts
        self.proxy_users = proxy_users or ProxyUsers()
        self.catalog = catalog
        self.progress = progress
        self.journal = journal or Journal()
        self.sessions = Sessions(self.journal.end, self.journal.close)
        self.prefetch = Budget()
        self.answers: dict[bytes, Callable[[bytes], Awaitable[Any]]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    async def close_session(self, session: ClientSession) -> None:
        """Stop the session's operations and close it on both sides; never raises."""
        operations = list(session.operations.values())
        if self.sessions.remove(session):
            await asyncio.shield(self.spawn(self._end(session, operations)))

    async def _end(self, session: ClientSession, operations: Sequence[Operation]) -> None:
        """Clean up, shielded from the cancellation of the call: nobody can ask for it again."""
        try:
            await asyncio.gather(*(operation.abandon() for operation in operations))
        finally:
            for operation in operations:
                operation.release()
            await session.upstream.close()

    async def ask(self, question: bytes, patience: float, about: bytes = b"") -> dict[int, Any]:
        """Return what each worker answers to a question in so many seconds, by its number; there is this one alone."""
        return {1: await self.answers[question](about)}

    async def workers(self) -> Mapping[int, Worker | None]:
        """Return the processes that serve clients by their numbers: this one."""
        return {1: self.worker}

    @property
    def worker(self) -> Worker:
        """The process as it is now."""
        return Worker(os.getpid(), len(self.sessions.all), self.sessions.running)

    async def rest(self) -> None:
        """Return when no operation runs."""
        await self.sessions.rest()

    async def stop_statements(self, patience: float) -> None:
        """End running statements by an error; return when their clients were told, or after so many seconds."""
        running = [o for session in self.sessions.all for o in session.operations.values() if not o.done]
        await asyncio.gather(*(operation.abandon(_SHUTTING_DOWN) for operation in running))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await asyncio.gather(*(operation.told.wait() for operation in running))

    async def add_operation(self, operation: RunningOperation) -> None:
        """Give an operation to its session; end the operation and raise SqlError if that was closed meanwhile."""
        try:
            self.sessions.add_operation(operation)
        except SqlError:
            await self.give_up(operation)
            raise

    async def wait(self, operation: RunningOperation) -> None:
        """Return when an operation has ended; end it if the waiting client goes away."""
        session = operation.session
        session.waited_for += 1
        try:
            await operation.wait()
        except asyncio.CancelledError:
            self.spawn(self.give_up(operation))
            raise
        finally:
            session.waited_for -= 1
            session.used_at = time.monotonic()

    async def give_up(self, operation: RunningOperation) -> None:
        """End an operation of which no client has a handle."""
        await operation.abandon()
        await self.close_operation(operation)

    async def close_operation(self, operation: RunningOperation) -> None:
        """Forget an ended operation of which no client has a handle."""
        self.sessions.remove_operation(operation)
        await operation.discard()

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start work that outlives the call; `close` waits for it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Close every session."""
        await asyncio.gather(*(self.close_session(session) for session in self.sessions.all))
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self.upstreams.parked()
        self.upstreams.close()


@dataclass(eq=False)
class Peer:
    """An authenticated client, and the sessions that end with its connection if they are tied to that.

    `acting_for` is the user for whom it wants to open sessions, if it named another one at login. `foreseen` holds the
    replies that are ready for the statement that it has last started, or last seen to have ended. `traceparent` is the
    trace context of its present call, where the transport carries one.
    """

    user: str
    address: str = ""
    acting_for: str = ""
    tied: bool = True
    sessions: list[ClientSession] = field(default_factory=list)
    foreseen: Foreseen | None = None
    traceparent: str = ""

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
