"""ExecuteStatement: planned by `Answering`, run on the upstream or here, answered in the form that was asked for."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import replace
from functools import partial

from proxy.hs2 import OPERATION_HANDLE, SqlError, failure, succeeded, success
from proxy.hs2.generated import ttypes
from proxy.service.call import Call, with_handle
from proxy.service.forwarded import Forwarded, started
from proxy.service.local import LocalOperation
from proxy.service.operation import RunningOperation
from proxy.service.queued import Queued
from proxy.service.statement import Statement
from proxy.session import ClientSession, Forward, LiveUpstream, Local, OperationState, Plan, Trace
from proxy.wire import find

logger = logging.getLogger(__name__)

_HAS_RESULT_SET = (0, 2, 3)

# A started operation with the reply that announces it; or no operation, and the upstream's refusal.
Started = tuple[RunningOperation | None, bytes]


async def execute_statement(call: Call) -> bytes:
    """Start the statement, and wait for its end if the client does. A client that goes away takes it along."""
    session = call.session()
    statement = Statement.of(call)
    operation, reply = await _begin(call, session, statement)
    if operation is None:
        return reply
    call.service.sessions.add_operation(operation)
    if statement.run_async:
        return reply
    try:
        await operation.wait()
    except asyncio.CancelledError:
        call.service.spawn(_given_up(call, operation))
        raise
    return await _ended(call, operation, reply)


async def _begin(call: Call, session: ClientSession, statement: Statement) -> Started:
    """The started operation; one that waits for its turn where there is too much to do."""
    if not session.upstream.crowded:
        return await _started(call, session, statement)
    queued = Queued(session, partial(_started_in_turn, call, session, statement), statement.deadline)
    return queued, _announced(call, queued)


async def _started_in_turn(call: Call, session: ClientSession, statement: Statement) -> Started:
    """The same with the session held all the while: others wait for it, and planning may ask Spark several times."""
    await session.upstream.hold()
    try:
        return await _started(call, session, statement)
    finally:
        session.upstream.let_go()


async def _started(call: Call, session: ClientSession, statement: Statement) -> Started:
    """Plan the statement and start it when it is its turn; to be cancelled, it leaves nothing running."""
    plan = await _plan(call, session, statement.sql)
    if isinstance(plan, Local):
        return _start_here(call, session, plan, statement)
    try:
        upstream = await _turn(session)
    except BaseException:
        _not_started(plan)
        raise
    starting = asyncio.create_task(_start(call, session, upstream, plan, statement))
    try:
        # To be cut off between the upstream's start and our note of it would leave it running for good.
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        call.service.spawn(_abandon(starting))
        raise


async def _turn(session: ClientSession) -> LiveUpstream:
    """The upstream session, held, with a slot for a statement."""
    upstream = await session.upstream.hold()
    try:
        if not upstream.take_slot():
            await upstream.wait_for_slot(session.principal)
    except BaseException:
        session.upstream.let_go()
        raise
    return upstream


async def _plan(call: Call, session: ClientSession, sql: str) -> Plan:
    """The plan; a planner that breaks down costs the client a rewriting and not the answer."""
    try:
        return await call.service.answering.plan(session, sql)
    except SqlError:
        raise
    except RecursionError:  # its traceback is thousands of lines long and tells nothing more
        logger.warning("a statement of %d characters is nested too deeply and is forwarded as it is", len(sql))
        return Forward(leaves=Trace.DOUBTFUL)
    except Exception:
        logger.exception("a statement could not be planned and is forwarded as it is")
        return Forward(leaves=Trace.DOUBTFUL)


async def _start(
    call: Call, session: ClientSession, upstream: LiveUpstream, plan: Forward, statement: Statement
) -> Started:
    """Start the statement; the operation takes over the slot and the hold on the session."""
    try:
        plan, reply = await _start_there(upstream, plan, statement)
        remote = started(reply) if succeeded(reply) else None
    except BaseException:
        _not_started(plan, session, upstream)
        raise
    if remote is None:
        _not_started(plan, session, upstream)
        return None, reply
    operation = Forwarded(session, upstream, remote, 0, plan, statement, call.service.ahead)
    has_result_set = find(reply, _HAS_RESULT_SET)
    operation.has_result_set = has_result_set is None or reply[has_result_set.start] != 0
    if plan.brief and not statement.run_async:
        operation.advance(OperationState.FINISHED)
    return operation, with_handle(reply, OPERATION_HANDLE, operation.handle)


def _start_here(call: Call, session: ClientSession, plan: Local, statement: Statement) -> Started:
    timeout = None if statement.deadline is None else max(statement.deadline - asyncio.get_running_loop().time(), 0)
    operation = LocalOperation(session, plan, timeout)
    return operation, _announced(call, operation)


def _announced(call: Call, operation: RunningOperation) -> bytes:
    return call.reply(ttypes.TExecuteStatementResp(status=success(), operationHandle=operation.thrift_handle()))


async def _start_there(upstream: LiveUpstream, plan: Forward, statement: Statement) -> tuple[Forward, bytes]:
    """The upstream's reply, and the plan it is for: a rewriting that cannot even start gives way at once."""
    reply = await upstream.call(statement.outgoing(upstream.handle, plan.sql, brief=plan.brief))
    if succeeded(reply) or not plan.fallback or plan.sql is None or statement.expired:
        return plan, reply
    logger.warning("a rewritten statement was refused, its original is run")
    return replace(plan, sql=None, fallback=False), await upstream.call(statement.outgoing(upstream.handle, None))


def _not_started(plan: Forward, session: ClientSession | None = None, upstream: LiveUpstream | None = None) -> None:
    if plan.ended is not None:
        plan.ended(False)
    if session is not None and upstream is not None:
        upstream.give_slot_back()
        session.upstream.let_go()


async def _ended(call: Call, operation: RunningOperation, reply: bytes) -> bytes:
    """What a client that waited is told: the handle, or the error alone."""
    operation.told.set()
    if operation.state is not OperationState.ERROR:
        return reply
    error = operation.error or SqlError("The statement failed without a reason")
    await call.service.close_operation(operation)
    return call.reply(ttypes.TExecuteStatementResp(status=failure(error)))


async def _abandon(starting: asyncio.Task[Started]) -> None:
    with contextlib.suppress(SqlError):
        operation, _ = await starting
        if operation is not None:
            await operation.abandon()
            await operation.discard()


async def _given_up(call: Call, operation: RunningOperation) -> None:
    """End an operation of which no client has a handle."""
    await operation.abandon()
    await call.service.close_operation(operation)
