"""Calls in, replies out: finds the handler, and turns what goes wrong into what the client can read."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from proxy.authentication import ProxyUsers
from proxy.catalog import Catalog
from proxy.hs2 import Interrupted, SqlError, encode_reply, failure
from proxy.journal import Journal
from proxy.service.ahead import Budget
from proxy.service.call import Call
from proxy.service.handlers import HANDLERS
from proxy.service.operation import RunningOperation
from proxy.service.peer import Peer
from proxy.session import Answering, ClientSession, Operation, Sessions, Worker, numbered
from proxy.upstream import Progress, Upstreams, unknown
from proxy.wire import CALL, Fault, Head, WireError, application_exception, read_head

T = TypeVar("T")
logger = logging.getLogger(__name__)

_NAME, _FETCH_RESULTS = 8, b"FetchResults"  # where a message has the name of its call
_SHUTTING_DOWN = Interrupted(
    "Viewgate is shutting down, and has stopped the statement.", "Run it again when Viewgate is back.", "57P01"
)


class Service:
    """TCLIService for all connections.

    `facts(user, configuration)` makes what `answering` keeps about a session when it is opened. `catalog` is what
    clients can browse besides Spark's own; `progress` tells how far a statement is. `mark` is what its handles end in,
    if that is to tell them from those of another service. `journal` gets the statements.
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
        self.ahead = Budget()
        self.answers: dict[bytes, Callable[[bytes], Awaitable[Any]]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    async def handle(self, peer: Peer, message: bytes) -> bytes:
        """The reply to a call; WireError if the message is no call at all."""
        reply = self.foreseen(peer, message)
        if reply is not None:
            return reply
        head = read_head(message)
        if head is None or head.type != CALL:
            raise WireError("a message is not a call")
        handler = HANDLERS.get(head.name)
        if handler is None:
            text = f"Invalid method name: '{head.name}'"
            return application_exception(head.name, head.seqid, Fault.UNKNOWN_METHOD, text)
        try:
            return await handler.run(Call(self, peer, head, message))
        except WireError as error:
            logger.info("%s: %s: %s", peer, head.name, error)
            return application_exception(head.name, head.seqid, Fault.PROTOCOL_ERROR, str(error))
        except SqlError as error:
            return self.refused(head, error)
        except Exception as error:
            logger.exception("%s: %s", peer, head.name)
            return self.refused(head, SqlError(f"Viewgate could not answer {head.name}: {error!r}", "XX000"))

    def foreseen(self, peer: Peer, message: bytes) -> bytes | None:
        """The reply to a call that its client was expected to make, if that is there already."""
        known = None if peer.foreseen is None else peer.foreseen.knows(message)
        if known is None:
            return None
        operation, answer = known
        try:
            reply = answer() if self.sessions.uses(operation) else None
            if reply is None:
                return None
            if message.startswith(_FETCH_RESULTS, _NAME):
                self.journal.fetched(operation, reply)
            return numbered(reply, message)
        except WireError:  # of Spark's: who handles the call like any other says so
            return None

    async def disconnected(self, peer: Peer) -> None:
        """Close the sessions that were opened on a connection."""
        sessions, peer.sessions = peer.sessions, []
        await asyncio.gather(*(self.close_session(session) for session in sessions))

    async def close_session(self, session: ClientSession) -> None:
        """Stop what a session runs and close it on both sides; never raises."""
        operations = list(session.operations.values())
        if self.sessions.remove(session):
            await asyncio.shield(self.spawn(self._end(session, operations)))

    async def _end(self, session: ClientSession, operations: Sequence[Operation]) -> None:
        """What must be done to the end, also if who has asked for it is gone: nobody can ask for it again."""
        try:
            await asyncio.gather(*(operation.abandon() for operation in operations))
        finally:
            for operation in operations:
                operation.release()
            await session.upstream.close()

    async def ask(self, question: bytes, patience: float, about: bytes = b"") -> dict[int, Any]:
        """Return what each worker answers to a question in so many seconds, by its number; there is this one alone."""
        return {1: await self.answers[question](about)}

    async def workers(self) -> Sequence[Worker | None]:
        """The processes that serve clients: this one."""
        return [self.worker]

    @property
    def worker(self) -> Worker:
        """The process as it is now."""
        return Worker(os.getpid(), len(self.sessions.all), self.sessions.running)

    async def rest(self) -> None:
        """Return when no operation runs."""
        await self.sessions.rest()

    async def stop_statements(self, patience: float) -> None:
        """End what still runs by an error, and return when the clients know of it, or patience is over."""
        running = [o for session in self.sessions.all for o in session.operations.values() if not o.done]
        await asyncio.gather(*(operation.abandon(_SHUTTING_DOWN) for operation in running))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await asyncio.gather(*(operation.told.wait() for operation in running))

    async def add_operation(self, operation: RunningOperation) -> None:
        """Give an operation to its session; it is ended, and this raises, where that was closed meanwhile."""
        try:
            self.sessions.add_operation(operation)
        except SqlError:
            await self.give_up(operation)
            raise

    async def wait(self, operation: RunningOperation) -> None:
        """Return when an operation has ended; a client that goes away meanwhile takes it along."""
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
        """Forget an operation that no client has a handle of."""
        self.sessions.remove_operation(operation)
        await operation.discard()

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Do something that goes on without the call it belongs to; `close` waits for it."""
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

    def refused(self, head: Head, error: SqlError) -> bytes:
        """The reply to a call that has failed."""
        failed = HANDLERS[head.name].failed
        if failed is None:
            return application_exception(head.name, head.seqid, Fault.INTERNAL_ERROR, error.message)
        return encode_reply(head.name, head.seqid, failed(failure(error)))
