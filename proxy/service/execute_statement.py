"""Answers ExecuteStatement: plans the statement, waits for a slot, starts the statement on the upstream, and replies.

    execute_statement ──▶ _launched ──▶ _attempt ──▶ _planned ──▶ _admitted ──▶ _Start.sent ──▶ RemoteOperation
                              │                         └─ Local ──▶ LocalOperation
                              └─▶ QueuedOperation: the same attempt, which continues

A slot is the permission to run a statement on an upstream server. If the client session has an open upstream session
and a slot is free, the statement starts as soon as it is planned. The call waits for up to half a second: for the
catalogs, which planning needs, and for a new upstream session. If the upstream is saturated, no slot is free, or the
half second is over, the client gets the handle of a queued operation, which it can cancel. The lease (the hold on the
upstream session, and the slot) belongs first to the attempt, then to the start, and finally to the operation.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import Any

from proxy.catalog import raise_told
from proxy.hs2 import Interrupted, SqlError, check, failure, read_reply, succeeded, success
from proxy.hs2.generated import ttypes
from proxy.service.call import Call, Statement
from proxy.service.operations.local import LocalOperation
from proxy.service.operations.queued import QueuedOperation
from proxy.service.operations.remote import RemoteOperation
from proxy.service.operations.run import Execution
from proxy.session import ClientSession, Forward, Lease, Local, Operation, OperationState, Plan
from proxy.statements import Replay, classify
from proxy.upstream import Announced
from proxy.wire import WireError

logger = logging.getLogger(__name__)

# The most seconds that the call waits for the catalogs and for a new upstream session; both usually take less.
_SOON = 0.5

# A started operation with the reply to its ExecuteStatement; or None with the upstream's refusal.
Started = tuple[Operation | None, bytes]


async def execute_statement(call: Call) -> bytes:
    """Start the statement of an ExecuteStatement call; return the reply: the operation handle, or the upstream's error.

    A synchronous call waits for the end of the statement; if its client leaves meanwhile, the statement is ended. Raise
    SqlError if Viewgate refuses the statement or cannot start the statement.
    """
    session = call.session()
    journal = call.service.journal
    traceparent = call.peer.traceparent or session.traceparent
    statement = Statement.of(call, partial(journal.receive, session, traceparent=traceparent))
    try:
        operation, reply = await _launched(call, session, statement)
        if operation is not None:
            await call.service.add_operation(operation)
    except SqlError as error:
        journal.refuse(statement.record, error)
        raise
    except asyncio.CancelledError:
        journal.refuse(statement.record, None, OperationState.CANCELED)
        raise
    if operation is None:
        journal.refuse(statement.record, _refusal(reply))
        return reply
    journal.begin(operation, statement.record)
    if statement.run_async:
        return reply
    await call.service.wait(operation)
    return await _ended(call, operation, reply)


def _refusal(reply: bytes) -> SqlError | None:
    """Return the error that the upstream's reply to ExecuteStatement reports; None if the reply reports none."""
    try:
        check(read_reply(reply, ttypes.TExecuteStatementResp).status)
    except SqlError as error:
        return error
    return None


async def _ended(call: Call, operation: Operation, reply: bytes) -> bytes:
    """Return the reply to a synchronous call whose statement has ended: the operation handle, or the statement's error.

    `reply` is the reply with the operation handle. Raise SqlError HY008 if the statement was stopped because its
    operation or its session was closed.
    """
    operation.told.set()
    if operation.state is OperationState.CANCELED and not call.service.sessions.uses(operation.handle):
        raise SqlError(
            "The statement was stopped, because its operation or its session was closed: run the statement again in an "
            "open session",
            "HY008",
        )
    if operation.state is not OperationState.ERROR:
        return reply
    error = operation.error or SqlError("The statement failed, and Spark gave no reason: see the log of Spark")
    # The upstream may take long to close the operation, and when Viewgate stops, the client's connection is closed
    # right after `told` is set.
    call.service.sessions.remove_operation(operation)
    call.service.spawn(operation.discard())
    return call.reply(ttypes.TExecuteStatementResp(status=failure(error)))


async def _launched(call: Call, session: ClientSession, statement: Statement) -> Started:
    """Start a statement; return its operation with the reply to the client.

    If the upstream refuses the statement, return None in place of the operation, with the upstream's reply. If the
    statement has to wait for a catalog, for an upstream session or for a slot (the permission to run), return a queued
    operation. The queued operation starts the statement later.
    """
    queued: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    # The task and the wait take 7 to 9 µs (20,000 in a row on uvloop) of the 5 ms of SELECT 1.
    attempt = asyncio.create_task(_attempt(call, session, statement, queued))
    if not session.upstream.saturated:
        events: set[asyncio.Future[Any]] = {attempt, queued}
        try:
            await asyncio.wait(events, timeout=_SOON, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            _undo(call, attempt)
            raise
        if attempt.done():
            return attempt.result()
    operation = QueuedOperation(session, attempt, partial(_undo, call, attempt), statement.deadline)
    return operation, _announced(call, operation)


def _undo(call: Call, attempt: asyncio.Task[Started]) -> None:
    """Cancel an attempt to start a statement; if the statement has started already, end the started operation."""
    attempt.cancel()
    attempt.add_done_callback(partial(_unwanted, call))


def _unwanted(call: Call, attempt: asyncio.Task[Started]) -> None:
    if attempt.cancelled() or attempt.exception() is not None:
        return
    operation, _ = attempt.result()
    if operation is not None:
        call.service.spawn(call.service.give_up(operation))


async def _attempt(call: Call, session: ClientSession, statement: Statement, queued: asyncio.Future[None]) -> Started:
    """Plan the statement and start it; return the operation and the reply to the client.

    If the upstream refuses the statement, the operation is None, and the reply has the error. `queued` is completed
    when the statement begins to wait for a slot (the permission to run). A cancellation at any time leaves nothing
    running.
    """
    try:
        with Lease(session) as lease:
            if session.upstream.attached or (session.upstream.saturated and not session.for_operators):
                await lease.hold()  # between the queries of the planning, the session could otherwise be parked
            began = monotonic()
            plan = await _planned(call, session, statement.sql)
            statement.record.planned(plan, monotonic() - began)
            if isinstance(plan, Local):
                return _answered_here(call, session, plan, statement)
            await _admitted(lease, plan, queued)
            return await _Start(call, session, lease.handed_over(), statement).sent(plan)
    except SqlError as error:
        raise_told(error, call.service.catalogs or ())


async def _planned(call: Call, session: ClientSession, sql: str) -> Plan:
    """Return the plan of a statement; raise SqlError if the statement is refused.

    If planning fails with any other error, return the plan to forward the statement unchanged.
    """
    try:
        return await call.service.answering.plan(session, sql)
    except SqlError:
        raise
    except RecursionError:  # its traceback has thousands of lines without further information
        logger.warning("statement nested too deeply characters=%d: the statement is forwarded unchanged", len(sql))
        return Forward(replay=Replay.DOUBTFUL)
    except Exception:
        logger.exception("statement not planned: the statement is forwarded unchanged")
        return Forward(replay=Replay.DOUBTFUL)


async def _admitted(lease: Lease, plan: Forward, queued: asyncio.Future[None]) -> None:
    """Take a slot (the permission to run on the upstream server) for the statement.

    If no slot is free, complete `queued` and wait for a slot. On an error or a cancellation, call `plan.not_started`.
    """
    try:
        if not await lease.admitted(waits=False):
            queued.set_result(None)
            await lease.admitted(waits=True)
    except BaseException:
        plan.not_started()
        raise


@dataclass(frozen=True, slots=True)
class _Start:
    """The start of one statement on the upstream.

    This object owns the lease (the hold on the upstream session, and the slot) until a started operation owns the
    lease.
    """

    call: Call
    session: ClientSession
    lease: Lease
    statement: Statement

    async def sent(self, plan: Forward) -> Started:
        """Send the statement to the upstream; return the started operation with the reply to the client.

        If the upstream refuses a rewritten statement, the client's original statement is sent. If the upstream refuses
        the original statement as well, return None in place of the operation, with the upstream's reply.
        """
        upstream, statement = self.lease.upstream, self.statement
        try:
            message = statement.outgoing(upstream.handle, plan.sql, brief=plan.brief)
            answered = upstream.call_or_late(message, partial(self._late, plan))
            operation = self._operation(plan)  # while the upstream works
            reply = await answered
            falls_back = plan.fallback and plan.sql is not None
            if falls_back and not succeeded(reply) and not statement.expired:
                logger.warning("rewriting refused: the original statement is run")
                statement.record.fell_back = True
                plan = replace(plan, sql=None, fallback=False)
                operation = self._operation(plan)
                message = statement.outgoing(upstream.handle, None)
                reply = await upstream.call_or_late(message, partial(self._late, plan))
        except asyncio.CancelledError:
            raise  # the late reply releases the lease
        except BaseException as error:
            self._failed(plan)
            if isinstance(error, Interrupted) and classify(statement.sql).may_write:
                raise error.uncertain() from error
            raise
        return self._begun(operation, plan, reply)

    def _operation(self, plan: Forward) -> RemoteOperation:
        service = self.call.service
        execution = Execution(self.session, self.lease, plan, self.statement, service.progress)
        operation = RemoteOperation(execution, service.prefetch)
        operation.foresee(service.sessions)
        return operation

    def _begun(self, operation: RemoteOperation, plan: Forward, reply: bytes) -> Started:
        """Return the started operation, and the upstream's reply with the handle of Viewgate's operation.

        `operation` was created while the upstream was starting the statement, and now gets the upstream's handle. If
        `reply` reports that the upstream has refused the statement, release the lease (upstream session and slot); then
        return None in place of the operation, with the reply.
        """
        try:
            announced = Announced.of(reply)
        except BaseException:
            self._failed(plan)
            raise
        if announced is None:
            self._failed(plan)
            error = _refusal(reply) if plan.reworded is not None else None
            if plan.reworded is not None and error is not None and (told := plan.reworded(error)) is not error:
                raise told
            return None, reply
        self.statement.record.begun(self.lease.upstream.server)
        self.call.peer.foreseen = operation.foreseen
        operation.runs_as(announced)
        operation.has_result_set = announced.has_result_set
        if plan.brief and not self.statement.run_async:
            operation.advance(OperationState.FINISHED)
        return operation, announced.under(operation.handle)

    def _failed(self, plan: Forward) -> None:
        """Record in the plan that no statement was started, and release the lease (upstream session and slot)."""
        plan.not_started()
        self.lease.release()

    def _late(self, plan: Forward, reply: bytes | None) -> None:
        """End a statement that the upstream has started after the client had left.

        `reply` is the late reply to ExecuteStatement; if an error arrived in its place, `reply` is None, and only the
        lease (upstream session and slot) is released.
        """
        if reply is None:
            self._failed(plan)
            return
        with contextlib.suppress(SqlError, WireError):
            operation, _ = self._begun(self._operation(plan), plan, reply)
            if operation is not None:
                self.call.service.spawn(self.call.service.give_up(operation))


def _answered_here(call: Call, session: ClientSession, plan: Local, statement: Statement) -> Started:
    timeout = None if statement.deadline is None else max(statement.deadline - asyncio.get_running_loop().time(), 0)
    statement.record.begun()
    operation = LocalOperation(session, plan, timeout)
    return operation, _announced(call, operation)


def _announced(call: Call, operation: Operation) -> bytes:
    return call.reply(ttypes.TExecuteStatementResp(status=success(), operationHandle=operation.thrift_handle()))
