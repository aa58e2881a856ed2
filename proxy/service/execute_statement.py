"""ExecuteStatement: planned by `Answering`, run on the upstream or here, answered in the form that was asked for."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import replace

from proxy.hs2 import OPERATION_HANDLE, SqlError, failure, success
from proxy.hs2.generated import ttypes
from proxy.service.call import Call, with_handle
from proxy.service.forwarded import Forwarded, started, succeeded
from proxy.service.local import LocalOperation
from proxy.service.operation import RunningOperation
from proxy.service.statement import Statement
from proxy.session import ClientSession, Forward, Local, OperationState, Plan
from proxy.wire import find

logger = logging.getLogger(__name__)

_HAS_RESULT_SET = (0, 2, 3)

# A started operation with the reply that announces it; or no operation, and the upstream's refusal.
_Started = tuple[RunningOperation | None, bytes]


async def execute_statement(call: Call) -> bytes:
    """Start the statement, and wait for its end if the client does. A client that goes away takes it along."""
    session = call.session()
    statement = Statement.of(call, session.upstream.handle)
    plan = await _plan(call, session, statement.sql)
    starting = asyncio.create_task(_start(call, session, plan, statement))
    try:
        # To be cut off between the upstream's start and our note of it would leave it running for good.
        operation, reply = await asyncio.shield(starting)
        if operation is None or statement.run_async:
            return reply
        await operation.wait()
    except asyncio.CancelledError:
        call.service.spawn(_abandon(starting))
        raise
    return await _ended(call, operation, reply)


async def _plan(call: Call, session: ClientSession, sql: str) -> Plan:
    """The plan; a planner that breaks down costs the client a rewriting and not the answer."""
    try:
        return await call.service.answering.plan(session, sql)
    except SqlError:
        raise
    except RecursionError:  # its traceback is thousands of lines long and tells nothing more
        logger.warning("a statement of %d characters is nested too deeply and is forwarded as it is", len(sql))
        return Forward()
    except Exception:
        logger.exception("a statement could not be planned and is forwarded as it is")
        return Forward()


async def _start(call: Call, session: ClientSession, plan: Plan, statement: Statement) -> _Started:
    if isinstance(plan, Local):
        return _start_here(call, session, plan, statement)
    try:
        plan, reply = await _start_there(session, plan, statement)
    except BaseException:
        _not_started(plan)
        raise
    if not succeeded(reply):
        _not_started(plan)
        return None, reply
    operation = Forwarded(session, started(reply), 0, plan, statement)
    has_result_set = find(reply, _HAS_RESULT_SET)
    operation.has_result_set = has_result_set is None or reply[has_result_set.start] != 0
    call.service.sessions.add_operation(operation)
    return operation, with_handle(reply, OPERATION_HANDLE, operation.handle)


def _start_here(call: Call, session: ClientSession, plan: Local, statement: Statement) -> _Started:
    timeout = None if statement.deadline is None else max(statement.deadline - asyncio.get_running_loop().time(), 0)
    operation = LocalOperation(session, plan, timeout)
    call.service.sessions.add_operation(operation)
    response = ttypes.TExecuteStatementResp(status=success(), operationHandle=operation.thrift_handle())
    return operation, call.reply(response)


async def _start_there(session: ClientSession, plan: Forward, statement: Statement) -> tuple[Forward, bytes]:
    """The upstream's reply, and the plan it is for: a rewriting that cannot even start gives way at once."""
    reply = await session.upstream.call(statement.outgoing(plan.sql))
    if succeeded(reply) or not plan.fallback or plan.sql is None or statement.expired:
        return plan, reply
    logger.warning("a rewritten statement was refused, its original is run")
    return replace(plan, sql=None, fallback=False), await session.upstream.call(statement.repeated())


def _not_started(plan: Forward) -> None:
    if plan.ended is not None:
        plan.ended(False)


async def _ended(call: Call, operation: RunningOperation, reply: bytes) -> bytes:
    """What a client that waited is told: the handle, or the error alone."""
    operation.told.set()
    if operation.state is not OperationState.ERROR:
        return reply
    error = operation.error or SqlError("The statement failed without a reason")
    await call.service.close_operation(operation)
    return call.reply(ttypes.TExecuteStatementResp(status=failure(error)))


async def _abandon(starting: asyncio.Task[_Started]) -> None:
    with contextlib.suppress(SqlError):
        operation, _ = await starting
        if operation is not None:
            await operation.abandon()
