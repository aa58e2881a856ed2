"""ExecuteStatement: planned by `Answering`, run on the upstream or here, answered in the form that was asked for."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic

from proxy.hs2 import Interrupted, SqlError, check, failure, read_reply, succeeded, success
from proxy.hs2.generated import ttypes
from proxy.service.call import Call
from proxy.service.forwarded import Forwarded
from proxy.service.local import LocalOperation
from proxy.service.operation import RunningOperation
from proxy.service.queued import Queued
from proxy.service.statement import Statement
from proxy.session import ClientSession, Forward, LiveUpstream, Local, OperationState, Plan
from proxy.statements import Replay, classify
from proxy.upstream import Announced
from proxy.wire import WireError

logger = logging.getLogger(__name__)

_SOON = 0.5  # seconds in which a session is attached where nobody waits for one

# A started operation with the reply that announces it; or no operation, and the upstream's refusal.
Started = tuple[RunningOperation | None, bytes]


async def execute_statement(call: Call) -> bytes:
    """Start the statement, and wait for its end if the client does. A client that goes away takes it along."""
    session = call.session()
    statement = Statement.of(call, session)
    journal = call.service.journal
    try:
        operation, reply = await _begin(call, session, statement)
    except SqlError as error:
        journal.refuse(statement.record, error)
        raise
    if operation is None:
        journal.refuse(statement.record, _refusal(reply))
        return reply
    await call.service.add_operation(operation)
    journal.begin(operation, statement.record)
    if statement.run_async:
        return reply
    await call.service.wait(operation)
    return await _ended(call, operation, reply)


def _refusal(reply: bytes) -> SqlError | None:
    """The error in the upstream's reply to a statement that it has not begun."""
    try:
        check(read_reply(reply, ttypes.TExecuteStatementResp).status)
    except SqlError as error:
        return error
    return None


async def _begin(call: Call, session: ClientSession, statement: Statement) -> Started:
    """The started operation; one that waits for its turn where there is too much to do."""
    start = partial(_started_in_turn, call, session, statement)
    if session.upstream.attached and not session.upstream.crowded:
        started = await _started_at_once(call, session, statement)
        if started is not None:
            return started
    elif not session.upstream.crowded:
        starting = asyncio.create_task(_sure(_started(call, session, statement, waits=True)))
        try:
            await asyncio.wait({starting}, timeout=_SOON)
        except asyncio.CancelledError:
            _leave(call, starting)
            raise
        if starting.done():
            return starting.result()
        start = partial(_going_on, call, starting)
    queued = Queued(session, start, statement.deadline)
    return queued, _announced(call, queued)


async def _going_on(call: Call, starting: asyncio.Task[Started]) -> Started:
    """What is being started already; who is cancelled leaves nothing of it running."""
    try:
        return await starting
    except asyncio.CancelledError:
        _leave(call, starting)
        raise


def _leave(call: Call, starting: asyncio.Task[Started]) -> None:
    """Give up what nobody waits for any more, also if it has been started in this turn of the loop."""
    if starting.cancel() or starting.cancelled() or starting.exception() is not None:
        return
    operation, _ = starting.result()
    if operation is not None:
        call.service.spawn(call.service.give_up(operation))


async def _started_at_once(call: Call, session: ClientSession, statement: Statement) -> Started | None:
    """The started operation, if it need not wait; the session is held, lest it be given to others while we plan."""
    await session.upstream.hold()
    try:
        return await _started(call, session, statement, waits=False)
    finally:
        session.upstream.let_go()


async def _started_in_turn(call: Call, session: ClientSession, statement: Statement) -> Started:
    """The same when it is its turn: others wait for the session, and planning may ask Spark several times."""
    await session.upstream.hold()
    try:
        return await _sure(_started(call, session, statement, waits=True))
    finally:
        session.upstream.let_go()


async def _sure(starting: Awaitable[Started | None]) -> Started:
    """What is started by who waits for its turn."""
    started = await starting
    assert started is not None
    return started


async def _started(call: Call, session: ClientSession, statement: Statement, *, waits: bool) -> Started | None:
    """Plan the statement and start it, when it is its turn; None if it would have to wait for that, and does not.

    It can be cancelled at any time, and leaves nothing running then. Who comes again is planned again: meanwhile, what
    the plan depends on may have changed.
    """
    began = monotonic()
    plan = await _plan(call, session, statement.sql)
    statement.record.planned(plan, monotonic() - began)
    if isinstance(plan, Local):
        return _start_here(call, session, plan, statement)
    try:
        upstream = await _turn(session, waits=waits)
    except BaseException:
        _not_started(plan)
        raise
    if upstream is None:
        _not_started(plan)
        return None
    return await _start(_Start(call, session, upstream, statement), plan)


async def _turn(session: ClientSession, *, waits: bool) -> LiveUpstream | None:
    """The upstream session, held, with a slot for a statement; None if one would have to wait, and does not."""
    if not waits and session.upstream.crowded:  # since it was planned
        return None
    upstream = await session.upstream.hold()
    try:
        if waits:
            await upstream.wait_for_slot(session.principal)
            return upstream
    except BaseException:
        session.upstream.let_go()
        raise
    if upstream.take_slot():
        return upstream
    session.upstream.let_go()
    return None


async def _plan(call: Call, session: ClientSession, sql: str) -> Plan:
    """The plan; a planner that breaks down costs the client a rewriting and not the answer."""
    try:
        return await call.service.answering.plan(session, sql)
    except SqlError:
        raise
    except RecursionError:  # its traceback is thousands of lines long and tells nothing more
        logger.warning("a statement of %d characters is nested too deeply and is forwarded as it is", len(sql))
        return Forward(replay=Replay.DOUBTFUL)
    except Exception:
        logger.exception("a statement could not be planned and is forwarded as it is")
        return Forward(replay=Replay.DOUBTFUL)


@dataclass(frozen=True, slots=True)
class _Start:
    """A statement that is started on an upstream session, which is held, and for which a slot is taken."""

    call: Call
    session: ClientSession
    upstream: LiveUpstream
    statement: Statement

    def operation(self, plan: Forward) -> Forwarded:
        """What it is to be, for `begun`."""
        operation = Forwarded(self.session, self.upstream, plan, self.statement, self.call.service.ahead)
        operation.foresee(self.call.service.sessions)
        return operation

    def begun(self, operation: Forwarded, plan: Forward, reply: bytes) -> Started:
        """What has become of it; an operation takes over the slot and the hold on the session."""
        try:
            announced = Announced.of(reply)
        except BaseException:
            self.failed(plan)
            raise
        if announced is None:
            self.failed(plan)
            return None, reply
        self.call.peer.foreseen = operation.foreseen
        operation.runs_as(announced)
        self.statement.record.begun()
        operation.has_result_set = announced.has_result_set
        if plan.brief and not self.statement.run_async:
            operation.advance(OperationState.FINISHED)
        return operation, announced.under(operation.handle)

    def failed(self, plan: Forward) -> None:
        """Nothing was started."""
        _not_started(plan)
        self.upstream.give_slot_back()
        self.session.upstream.let_go()

    def late(self, plan: Forward, reply: bytes | None) -> None:
        """Nobody waits for it any more: what was started would run on for good."""
        if reply is None:
            self.failed(plan)
            return
        with contextlib.suppress(SqlError, WireError):
            operation, _ = self.begun(self.operation(plan), plan, reply)
            if operation is not None:
                self.call.service.spawn(self.call.service.give_up(operation))


async def _start(start: _Start, plan: Forward) -> Started:
    """Start the statement; a rewriting that cannot even start gives way at once."""
    upstream, statement = start.upstream, start.statement
    try:
        message = statement.outgoing(upstream.handle, plan.sql, brief=plan.brief)
        answered = upstream.call_or_late(message, partial(start.late, plan))
        operation = start.operation(plan)  # while the upstream works
        reply = await answered
        if not succeeded(reply) and plan.fallback and plan.sql is not None and not statement.expired:
            logger.warning("a rewritten statement was refused, its original is run")
            plan = replace(plan, sql=None, fallback=False)
            statement.record.fell_back = True
            operation = start.operation(plan)
            reply = await upstream.call_or_late(statement.outgoing(upstream.handle, None), partial(start.late, plan))
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        start.failed(plan)
        if isinstance(error, Interrupted) and classify(statement.sql).may_write:
            raise error.uncertain() from error
        raise
    return start.begun(operation, plan, reply)


def _start_here(call: Call, session: ClientSession, plan: Local, statement: Statement) -> Started:
    timeout = None if statement.deadline is None else max(statement.deadline - asyncio.get_running_loop().time(), 0)
    operation = LocalOperation(session, plan, timeout)
    statement.record.begun()
    return operation, _announced(call, operation)


def _announced(call: Call, operation: RunningOperation) -> bytes:
    return call.reply(ttypes.TExecuteStatementResp(status=success(), operationHandle=operation.thrift_handle()))


def _not_started(plan: Forward) -> None:
    if plan.ended is not None:
        plan.ended(False)


async def _ended(call: Call, operation: RunningOperation, reply: bytes) -> bytes:
    """What a client that waited is told: the handle, or the error alone."""
    operation.told.set()
    if operation.state is OperationState.CANCELED and not call.service.sessions.uses(operation):
        raise SqlError("The statement was closed meanwhile, or its session, and was stopped", "HY008")
    if operation.state is not OperationState.ERROR:
        return reply
    error = operation.error or SqlError("The statement failed without a reason")
    await call.service.close_operation(operation)
    return call.reply(ttypes.TExecuteStatementResp(status=failure(error)))
