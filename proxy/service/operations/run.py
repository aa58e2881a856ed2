"""Runs a statement on the upstream, from its start to its end.

                       ┌─ the rewritten statement fails, the fallback is possible ─▶ the original statement starts ─┐
                       │                                                                                            │
    RUNNING ───────────┴◀───────────────────────────────────────────────────────────────────────────────────────────┘
       ├─ the statement finishes, a refresh follows ─▶ the post-commit refresh runs, the client sees RUNNING ─▶ FINISHED
       ├─ the statement ends in any other way ─▶ FINISHED, ERROR, CANCELED, TIMEDOUT
       ├─ the client cancels or closes the operation, or the session is closed ─▶ CANCELED
       └─ Viewgate shuts down ─▶ ERROR

The slot (the permission to run) is freed when the statement ends. The lease (the hold on the upstream session) is
released when no client can request more of the result.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import Any, TypeVar

from proxy.hs2 import Interrupted, InvalidStatement, SqlError, encode_reply, success
from proxy.hs2.generated import ttypes
from proxy.hs2.status import first_message
from proxy.pipeline import Begun
from proxy.service.call import Statement
from proxy.service.operations.fallback import NO_FALLBACK, Fallback
from proxy.service.operations.post_commit import PostCommit
from proxy.service.operations.running import Known, ProgressBar, StatusPolls, completed
from proxy.session import TERMINAL, ClientSession, Forward, Lease, Message, Operation, OperationState, repeatable
from proxy.statements import Replay, classify
from proxy.upstream import Announced, Progress, RemoteStatus, UpstreamOperation, started, unknown
from proxy.wire import with_seqid

T = TypeVar("T")
logger = logging.getLogger(__name__)

_CLOSED = encode_reply("CloseOperation", 0, ttypes.TCloseOperationResp(status=success()))
# This line must not have the word Viewgate, by which the journal finds the log line with the decision.
_UNDER_WAY = "Spark runs the statement as"
_FELL_BACK = "The rewritten statement failed; the statement was run as it was sent."


class Wish(IntEnum):
    """The client's wish for an operation: to run, to be cancelled, or to be closed; the value never decreases."""

    RUN = 0
    CANCEL = 1
    CLOSE = 2


@dataclass(frozen=True, slots=True)
class Execution:
    """The inputs of a RemoteRun: the client session, the lease, the plan, and the client's statement.

    A RemoteRun is an operation on the upstream. The lease holds the upstream session and the slot (the permission to
    run). `statement` is None for a metadata call. `progress` returns the stages of a statement's Spark jobs, given
    Spark's statement id; `kind` is Thrift's type of the operation.
    """

    session: ClientSession
    lease: Lease
    plan: Forward
    statement: Statement | None = None
    progress: Progress = unknown
    kind: int = 0


class RemoteRun(Operation):
    """An operation that runs on the upstream: its state, and how it ends.

    The client has a handle that Viewgate issued, and `remote` is the operation on the upstream, whose handle the client
    does not know. The object may be created before the upstream has started the operation: `runs_as` then sets
    `remote`. The subclass `remote.RemoteOperation` adds the result.

    If a rewritten statement fails before its first row, the original statement is started and `remote` is replaced,
    while the client still sees RUNNING (the fallback).

    An operation that has been added to a session owns its lease: the hold on the upstream session, and the slot.
    """

    def __init__(self, execution: Execution) -> None:
        plan, statement = execution.plan, execution.statement
        super().__init__(execution.session, execution.kind, plan.ended)
        for line in plan.log:
            self.log.add(line)
        self.upstream = execution.lease.upstream
        self.remote: UpstreamOperation
        self._lease = execution.lease
        self.sql = plan.sql or (statement.sql if statement else "")
        self._sent = statement.sql if statement else ""
        self._deadline = statement.deadline if statement else None
        self._replay = plan.replay
        self._reworded = plan.reworded
        self._wish = Wish.RUN
        self._runs_again = False  # the original runs, because the rows of the finished rewriting cannot be read
        self._starting = False  # the original starts: `remote` has failed, and `_run_original` follows the wish
        self._stopped_by: SqlError | None = None  # the reason why that original was stopped
        # whether an error of Viewgate's, or in its words, unknown to the upstream, has ended the operation
        self._ended_here = False
        self._began = asyncio.get_running_loop().time()
        self._polls_made: StatusPolls | None = None
        self._progress = execution.progress
        self._progress_bar: ProgressBar | None = None
        falls_back = statement is not None and plan.fallback and plan.sql is not None
        self.fallback = Fallback(statement, plan.fell_back) if falls_back else NO_FALLBACK
        self._after = plan.after
        self._post_commit: PostCommit | None = None
        self._refreshes: Begun | None = None

    @property
    def runs(self) -> bool:
        return super().runs or self._runs_again

    def runs_as(self, announced: Announced) -> None:
        """Set `remote` to the started operation (`announced`), whose handle the upstream has returned."""
        self.remote = UpstreamOperation(self.upstream, announced.handle, self.kind)

    # Its state

    @property
    def _polls(self) -> StatusPolls:
        """The object that coordinates the status polls of this operation, created at the first poll."""
        self._polls_made = self._polls_made or StatusPolls(self._began)
        return self._polls_made

    def advance(self, state: OperationState, error: SqlError | None = None) -> None:
        """Set the state; if the statement has ended, also free its slot and start its post-commit refresh.

        A slot is the permission to run a statement. A statement that has succeeded stays RUNNING until its post-commit
        refresh is over. `error` is the reason of the state ERROR, None in any other state.
        """
        if self.is_followed and state is not OperationState.FINISHED:
            return  # the statement has succeeded; a loss of the upstream now only concerns the reply to another call
        if state in TERMINAL and not self.done:
            self._statement_ended(state)
        if state in TERMINAL and self._after is not None:
            after, self._after = self._after, None
            self._refreshes = refreshes = Begun()
            work = partial(refreshes.followed, partial(after, self.log.add))
            self._post_commit = PostCommit(work, self._deadline, partial(self.advance, OperationState.FINISHED))
            if state is OperationState.FINISHED:
                return
        ends_well = state is OperationState.FINISHED and not self.done and self._wish is Wish.RUN
        super().advance(state, error)
        if ends_well:
            self.fallback.original_succeeded()
        if ends_well and self.has_result_set:
            self.result_ready()

    def result_ready(self) -> None:
        """Do nothing; a subclass may prefetch the result when the statement has ended successfully."""
        return

    def _statement_ended(self, state: OperationState) -> None:
        """Free the slot (the permission to run), and record the statement's session effect for a session replay.

        A statement that a session replay can repeat in a new upstream session is recorded after a success. If the
        effect cannot be replayed, the client session is pinned to its upstream session. `state` is the final state of
        the statement.
        """
        self._lease.free_slot()
        replay, self._replay = self._replay, Replay.NEEDLESS
        if replay is Replay.REPEAT and state is OperationState.FINISHED:
            self.session.upstream.keep(self.sql)
        elif replay is Replay.DOUBTFUL or (replay is not Replay.NEEDLESS and state is not OperationState.ERROR):
            self.session.upstream.pin()

    @property
    def is_followed(self) -> bool:
        """Whether the statement has finished on the upstream and its post-commit refresh is still running."""
        return self._post_commit is not None and not self.done

    async def look(self, unseen: float) -> None:
        if self.done or self._post_commit is not None or not self._polls.none_for(unseen):
            return
        remote = self.remote
        with self._polls.ours():
            try:
                await self._observe(remote, await self._polls.polled(remote.poll()))
            except SqlError as error:
                self.advance(OperationState.ERROR, self._told(error))

    async def wait(self) -> None:
        while not self.done:
            if self._post_commit is not None:
                await self._post_commit.wait()
                continue
            remote = self.remote
            try:
                await self._observe(remote, await self._polls.polled(remote.wait()))
            except SqlError as error:
                self.advance(OperationState.ERROR, self._told(error))

    async def status(self, call: Message) -> bytes:
        if await self._polls.shared():
            return await self._as_known(call)
        if self._post_commit is not None and not self.done:
            await self._post_commit.wait(self.held_s)
        if self._ended_here or self._post_commit is not None or self._has_written:
            return await self._as_known(call)
        remote = self.remote
        try:
            reply, status = await self.or_lost(self._polls.polled(remote.ask(call.addressed_to(remote.handle))))
        except SqlError:
            if not self._has_written:
                raise
            return await self.status(call)
        if status is None:
            return reply
        observed = await self._observe(remote, status)
        if not observed and not self.done:
            return await self.status(call)  # of the original statement, or of the refresh
        if not observed or self._ended_here:
            return call.reply(self.status_response())
        known = Known(self.session.protocol, self.has_result_set, self.started_ms, self.completed_ms)
        return completed(reply, known, await self._shown_progress(call))

    async def _observe(self, remote: UpstreamOperation, status: RemoteStatus) -> bool:
        """Process a status that the upstream has reported; return whether the client may see the status.

        `remote` is the operation on the upstream that has the status. If a rewritten statement has failed and the
        original statement may run in its place, start the original statement. The client must not see the status if the
        original statement has replaced the rewritten statement, or while the post-commit refresh is running.
        """
        await self.fallback.passed()
        if remote is not self.remote:
            return False
        failed = status.state is OperationState.ERROR and self.fallback.open
        if failed and (isinstance(status.error, InvalidStatement) or not self.writes):
            self.fallback.take(status.error, self._run_original)
            await self.fallback.passed()
            return False
        error = status.error
        if error is not None and self._reworded is not None and (told := self._reworded(error)) is not error:
            self._ended_here, error = True, told
        self.advance(status.state, error)
        return not self.is_followed

    async def _as_known(self, call: Message) -> bytes:
        response = self.status_response()
        response.progressUpdateResponse = await self._shown_progress(call)
        return call.reply(response)

    async def _shown_progress(self, call: Message) -> Any:
        """Return the progress of the statement, or of its post-commit refreshes, for the reply to a status poll.

        Return None if the client does not ask for the progress, if the progress is unknown, or if the operation has
        ended.
        """
        if self.done:
            return None
        bar = self._progress_bar = self._progress_bar or ProgressBar(self.started_ms)
        if self._refreshes is not None:
            return await bar.told(call, self._refreshes.stages)
        statement = self.remote.handle.id
        progress = await bar.told(call, lambda: self._progress(statement))
        # beeline draws no bar before it has printed a line
        if progress is not None and progress.rows and self.log.empty:
            self.log.add(f"{_UNDER_WAY} {statement}")
        return progress

    # Its writes

    @property
    def writes(self) -> bool:
        return bool(self._sent) and classify(self._sent).may_write

    @property
    def _has_written(self) -> bool:
        """Whether the operation is a write that has finished on the upstream."""
        return self.writes and (self.is_followed or self.state is OperationState.FINISHED)

    @property
    def without_rows(self) -> bool:
        """Whether the operation is a write that has finished: its result is empty, and need not be fetched."""
        writes = classify(self._sent).writes if self.state is OperationState.FINISHED else None
        return writes is not None and writes.certain

    def _told(self, error: SqlError) -> SqlError:
        """Return the error to report to the client.

        For a write that was interrupted, the error says that the write was executed, or that the write may have been
        executed. Any other error is returned unchanged.
        """
        if not isinstance(error, Interrupted) or not self.writes:
            return error
        return error.executed() if self._has_written else error.uncertain()

    async def relay(self, message: bytes) -> bytes:
        return await self.or_lost(self.upstream.call(message))

    async def or_lost(self, reply: Awaitable[T]) -> T:
        try:
            return await reply
        except SqlError as error:
            told = self._told(error)
            self.advance(OperationState.ERROR, told)
            raise told from error

    # Its end

    async def cancel(self, call: Message) -> bytes:
        self.wants(Wish.CANCEL)
        if self._post_commit is not None and not self.done:
            await self._post_commit.cancel()
            return call.reply(ttypes.TCancelOperationResp(status=success()))
        if self._starting:
            return call.reply(ttypes.TCancelOperationResp(status=success()))
        return await self.upstream.control(call.addressed_to(self.remote.handle))

    async def close(self, call: Message) -> bytes:
        """Close the operation and return the reply to CloseOperation without waiting for the upstream's reply."""
        self.wants(Wish.CLOSE)
        await self.abandon()
        self.session.habits.closing = repeatable(call.message)
        return with_seqid(self.forgotten(call.addressed_to(self.remote.handle)), call.head.seqid)

    async def discard(self) -> None:
        self.wants(Wish.CLOSE)
        try:
            await self._forget(self.remote)
        finally:
            self.release()

    async def abandon(self, error: SqlError | None = None) -> None:
        self.wants(Wish.CANCEL)
        if self.is_followed:
            self.advance(OperationState.FINISHED)
        if not self.done:
            self._ended_here = error is not None
            self.advance(OperationState.ERROR if error else OperationState.CANCELED, error and self._told(error))
        elif self._runs_again:
            self._stopped_by = error or self._stopped_by
        else:
            return
        if not self._starting:
            await self._stop(self.remote)

    def release(self) -> None:
        """Release the hold on the upstream session, because the operation no longer uses this session."""
        self.foreseen.forget()  # a queued operation may have been removed before it became this one
        self._lease.release()

    def wants(self, wish: Wish) -> None:
        self._wish = max(self._wish, wish)
        self.fallback.shut()

    def forgotten(self, message: bytes) -> bytes:
        (closing,) = self.upstream.send(message)
        closing.add_done_callback(self._closed)
        # PyHive sends its next statement at once, which must find the session idle and go to another server. The
        # upstream reads a later CloseSession after this CloseOperation.
        if self.upstream.draining:
            self.release()
        return _CLOSED

    def _closed(self, reply: asyncio.Future[bytes]) -> None:
        error = None if reply.cancelled() else reply.exception()
        if error is not None:
            self._is_left("closed", error)
        self.release()

    async def _forget(self, remote: UpstreamOperation) -> None:
        try:
            await remote.close()
        except SqlError as error:
            self._is_left("closed", error)

    async def _stop(self, remote: UpstreamOperation) -> None:
        try:
            await remote.cancel()
        except SqlError as error:
            self._is_left("cancelled", error)

    def _is_left(self, wanted: str, error: BaseException) -> None:
        """Log that the upstream could not close or cancel the operation, because of `error`.

        `wanted` is the word for the log line: closed or cancelled. The operation will end with its upstream session.
        Nothing is logged if that session is lost or released.
        """
        if self._lease.held and self.upstream.alive:
            logger.warning("operation not %s operation=%s error=%s", wanted, self.handle.id, error)

    # The client's own statement in place of the rewritten one

    async def _run_original(self, original: Statement) -> SqlError | None:
        """Start the original statement in place of the rewritten statement, which has failed.

        Return the error if the original statement cannot be started, else None.
        """
        failed = self.remote
        failure = self.fallback.failure
        state = failure.sql_state if failure is not None else None
        why = original.record.kept_message(first_message(str(failure)), state)
        logger.warning("rewriting failed error=%s: the original statement is run", why)
        original.record.fell_back = True
        self._starting = True
        try:
            self.runs_as(started(await self.upstream.call(original.outgoing(self.upstream.handle, None))))
        except SqlError as error:
            told = self._told(error)
            self.advance(OperationState.ERROR, told)
            return told
        finally:
            self._starting = False
        if self._wish is Wish.CLOSE:  # the client has closed the failed one meanwhile
            await self._forget(self.remote)
            return None
        self.log.add(_FELL_BACK)
        await self._forget(failed)
        if self._wish is Wish.CANCEL:
            await self._stop(self.remote)
        return None

    async def run_original_to_its_end(self, original: Statement) -> SqlError | None:
        """Run the original statement to its end, because the rows of the finished rewritten statement are unreadable.

        The original statement gets a new slot (the permission to run). Return the error of the original statement or of
        its start, or the error with which it was stopped. Return None if the statement succeeded, if the deadline has
        passed, or if the client has cancelled or closed the operation before the original statement was started.
        """
        self._runs_again = True
        self.told.clear()
        original.record.queued_again(self)
        try:
            return await self._original_in_a_slot(original)
        finally:
            self._runs_again = False
            self.told.set()
            original.record.ended_again(OperationState.FINISHED)  # the reply to the client's fetch may be an error

    async def _original_in_a_slot(self, original: Statement) -> SqlError | None:
        """Take a new slot (the permission to run) and run the original statement to its end.

        Return an error or None for the same reasons as `run_original_to_its_end`, which calls this method.
        """
        try:
            async with asyncio.timeout_at(original.deadline):
                await self._lease.wait_for_slot()
        except TimeoutError:
            return None
        try:
            if self._wish is not Wish.RUN:
                return self._stopped_by
            original.record.runs_again()
            error = await self._run_original(original) or await self._end_of_original()
            if error is None and self._stopped_by is None:
                self.fallback.original_succeeded()
            return self._stopped_by or error
        except SqlError as error:
            return self._stopped_by or error
        finally:
            self._lease.free_slot()

    async def _end_of_original(self) -> SqlError | None:
        """Wait until the original statement has ended; return its error, None if it succeeded.

        If the statement was cancelled, or the client has closed the operation, return the error of a cancelled
        statement.
        """
        if self._wish is not Wish.CLOSE:
            status = await self.remote.wait()
            if status.error is not None or status.state is OperationState.FINISHED:
                return status.error
        return SqlError("The statement was cancelled: run the statement again", "57014")
