"""ExecuteStatement: planned by `Answering`, run on the upstream or here, answered in the form that was asked for."""

from __future__ import annotations

import asyncio
import logging

from proxy.hs2 import SqlError, failure, success
from proxy.hs2.generated import ttypes
from proxy.service.call import Call, with_handle
from proxy.service.forwarded import Forwarded, started, succeeded
from proxy.service.local import LocalOperation
from proxy.service.operation import RunningOperation
from proxy.service.statement import Statement
from proxy.session import ClientSession, Forward, Local, OperationState, Plan
from proxy.wire import find

logger = logging.getLogger(__name__)

_OPERATION_HANDLE, _HAS_RESULT_SET = (0, 2, 1), (0, 2, 3)


async def execute_statement(call: Call) -> bytes:
    """Start the statement, and wait for its end if the client does."""
    session = call.session()
    statement = Statement.of(call, session.upstream.handle)
    plan = await _plan(call, session, statement.sql)
    if isinstance(plan, Local):
        operation: RunningOperation = _run_here(session, plan, statement)
        reply = call.reply(ttypes.TExecuteStatementResp(status=success(), operationHandle=operation.thrift_handle()))
    else:
        reply = await _start(session, plan, statement)
        if not succeeded(reply):
            return reply
        operation = forwarded = Forwarded(session, started(reply), 0, plan, statement)
        has_result_set = find(reply, _HAS_RESULT_SET)
        forwarded.has_result_set = has_result_set is None or reply[has_result_set.start] != 0
        reply = with_handle(reply, _OPERATION_HANDLE, operation.handle)
    call.service.sessions.add_operation(operation)
    return reply if statement.run_async else await _ended(call, operation, reply)


async def _plan(call: Call, session: ClientSession, sql: str) -> Plan:
    """The plan; a planner that breaks down costs the client a rewriting and not the answer."""
    try:
        return await call.service.answering.plan(session, sql)
    except SqlError:
        raise
    except Exception:
        logger.exception("a statement could not be planned and is forwarded as it is")
        return Forward()


def _run_here(session: ClientSession, plan: Local, statement: Statement) -> LocalOperation:
    timeout = statement.deadline and max(statement.deadline - asyncio.get_running_loop().time(), 0)
    return LocalOperation(session, plan, timeout)


async def _start(session: ClientSession, plan: Forward, statement: Statement) -> bytes:
    """Start it on the upstream. What fails even to start is ended, and may have its original tried at once."""
    try:
        reply = await session.upstream.call(statement.outgoing(plan.sql))
        if not succeeded(reply) and plan.fallback and plan.sql is not None and not statement.expired:
            reply = await session.upstream.call(statement.repeated())
    except BaseException:
        if plan.ended is not None:
            plan.ended(False)
        raise
    if not succeeded(reply) and plan.ended is not None:
        plan.ended(False)
    return reply


async def _ended(call: Call, operation: RunningOperation, reply: bytes) -> bytes:
    """Answer a client that waits: the handle, or the error alone. One that goes away takes its statement with it."""
    try:
        await operation.wait()
    except asyncio.CancelledError:
        call.service.spawn(operation.abandon())
        raise
    if operation.state is not OperationState.ERROR:
        return reply
    error = operation.error or SqlError("The statement failed without a reason")
    await call.service.close_operation(operation)
    return call.reply(ttypes.TExecuteStatementResp(status=failure(error)))
