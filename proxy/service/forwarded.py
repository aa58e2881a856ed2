"""Operations that run on the upstream: messages are relayed, rows pass through as bytes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from proxy.hs2 import (
    Interrupted,
    SqlError,
    check,
    encode_reply,
    encode_rows,
    read_reply,
    succeeded,
    success,
    table_schema,
)
from proxy.hs2.generated import ttypes
from proxy.hs2.status import first_message
from proxy.pipeline import Begun
from proxy.service.ahead import Budget, ReadAhead
from proxy.service.call import REQUEST_HANDLE, with_handle
from proxy.service.completed import Known, completed
from proxy.service.early_schema import early_schema
from proxy.service.operation import NO_ROWS, RunningOperation
from proxy.service.progress import HowFar
from proxy.service.questions import Questions
from proxy.service.sequel import Sequel
from proxy.service.statement import Statement
from proxy.service.way_back import WayBack
from proxy.session import TERMINAL, ClientSession, Forward, LiveUpstream, OperationState, Sessions, repeatable
from proxy.statements import Replay, classify
from proxy.upstream import Announced, RemoteOperation, RemoteStatus, started
from proxy.wire import WireError, find, read_string, with_seqid

if TYPE_CHECKING:
    from proxy.service.call import Call

T = TypeVar("T")
logger = logging.getLogger(__name__)

_QUERY_ID = (0, 1)
_CLOSED = encode_reply("CloseOperation", 0, ttypes.TCloseOperationResp(status=success()))
_UNDER_WAY = "Viewgate: Spark runs the statement as"
_FELL_BACK = "The rewritten statement failed; the statement was run as it was sent."


class Forwarded(RunningOperation):
    """An operation of the upstream under a handle of ours.

    A rewritten statement that fails before its first row gives way to the client's own: `remote` is then
    another operation, and the client, who sees RUNNING meanwhile, cannot tell. It can be made before the upstream has
    started anything: `runs_as` then says what it is there.
    """

    def __init__(
        self,
        session: ClientSession,
        upstream: LiveUpstream,
        plan: Forward,
        statement: Statement | None = None,
        ahead: Budget | None = None,
        *,
        kind: int = 0,
    ) -> None:
        super().__init__(session, kind, plan.ended)
        for line in plan.log:
            self.log.add(line)
        self.upstream = upstream
        self.remote: RemoteOperation
        self._holds_upstream = True
        self._ahead = ReadAhead(upstream, ahead, session.habits) if ahead is not None else None
        self._holds_slot = statement is not None
        self._sql = plan.sql or (statement.sql if statement else "")
        self._sent = statement.sql if statement else ""
        self._constant = (upstream.handle, self._sql) if plan.constant else None
        self._replay = plan.replay
        self._questions = Questions()
        self._way_back = WayBack(statement if plan.fallback and plan.sql is not None else None)
        self._fell_back = plan.fell_back
        self._failure: SqlError | None = None  # of the rewritten statement, once its original has taken over
        self._cancelled = False
        self._ended_here = False
        self._closing = False
        self._how_far = HowFar(self.started_ms)
        self._refreshes = Begun()
        self._after = plan.after
        self._sequel: Sequel | None = None
        self._deadline = statement.deadline if statement else None

    def runs_as(self, announced: Announced) -> None:
        """Take note of what the upstream has started for it."""
        self.remote = RemoteOperation(self.upstream, announced.handle, self.kind)

    def advance(self, state: OperationState, error: SqlError | None = None) -> None:
        """What follows the statement begins at its end, and keeps a client waiting whose statement went well."""
        if self._in_sequel and state is not OperationState.FINISHED:
            return  # the statement has succeeded: what is lost with the upstream now is the reply to somebody else
        if state in TERMINAL and not self.done:
            self._leave_traces(state)
        if state in TERMINAL and self._after is not None:
            after, self._after = self._after, None
            work = partial(self._refreshes.followed, partial(after, self.log.add))
            self._sequel = Sequel(work, self._deadline, partial(self.advance, OperationState.FINISHED))
            if state is OperationState.FINISHED:
                return
        ends_well = state is OperationState.FINISHED and not self.done and not self._cancelled
        super().advance(state, error)
        if ends_well:
            self._report_failure()
        if ends_well and self.has_result_set and self._ahead is not None:
            self._ahead.begin(self.remote.handle, known=self._known_columns is not None)

    def _report_failure(self) -> None:
        """Report the failure of the rewritten statement, whose original has not failed."""
        if self._failure is not None and self._fell_back is not None:
            self._fell_back(self._failure)

    def _leave_traces(self, state: OperationState) -> None:
        """Make room for the next statement, and note what this one has left in the session."""
        if self._holds_slot:
            self._holds_slot = False
            self.upstream.give_slot_back()
        replay, self._replay = self._replay, Replay.NEEDLESS
        if replay is Replay.REPEAT and state is OperationState.FINISHED:
            self.session.upstream.keep(self._sql)
        elif replay is Replay.DOUBTFUL or (replay is not Replay.NEEDLESS and state is not OperationState.ERROR):
            self.session.upstream.pin()

    def release(self) -> None:
        """Use the upstream session no more."""
        self.foreseen.forget()  # also where a queued one was removed before it had become this
        if self._ahead is not None:
            self._ahead.drop()
        if self._holds_upstream:
            self._holds_upstream = False
            self.session.upstream.let_go()

    @property
    def _writes(self) -> bool:
        return bool(self._sent) and classify(self._sent).may_write

    @property
    def _without_rows(self) -> bool:
        """Whether it has written and has no rows, so that nothing of its result is lost with the upstream."""
        writes = classify(self._sent).writes if self.state is OperationState.FINISHED else None
        return writes is not None and writes.certain

    def _told(self, error: SqlError) -> SqlError:
        """Return the client's error: of a write that is cut off, that it may have been or has been executed."""
        if not isinstance(error, Interrupted) or not self._writes:
            return error
        return error.executed() if self._has_written else error.uncertain()

    @property
    def _has_written(self) -> bool:
        """Whether it is a write that the upstream has finished."""
        return self._writes and (self._in_sequel or self.state is OperationState.FINISHED)

    @property
    def _in_sequel(self) -> bool:
        """Whether the upstream has finished and the client waits for what follows."""
        return self._sequel is not None and not self.done

    async def look(self, unseen: float) -> None:
        if self.done or self._sequel is not None or not self._questions.none_for(unseen):
            return
        remote = self.remote
        with self._questions.ours():
            try:
                await self._observe(remote, await self._questions.asked(remote.poll()))
            except SqlError as error:
                self.advance(OperationState.ERROR, self._told(error))

    async def wait(self) -> None:
        while not self.done:
            if self._sequel is not None:
                await self._sequel.wait()
                continue
            remote = self.remote
            try:
                await self._observe(remote, await self._questions.asked(remote.wait()))
            except SqlError as error:
                self.advance(OperationState.ERROR, self._told(error))

    async def status(self, call: Call) -> bytes:
        if await self._questions.shared():
            return await self._as_known(call)
        if self._sequel is not None and not self.done:
            await self._sequel.wait(self.held_s)
        if self._ended_here or self._sequel is not None or self._has_written:
            return await self._as_known(call)
        remote = self.remote
        try:
            reply, status = await self._or_lost(self._questions.asked(remote.ask(call.addressed_to(remote.handle))))
        except SqlError:
            if not self._has_written:
                raise
            return await self.status(call)
        if status is None:
            return reply
        observed = await self._observe(remote, status)
        if not observed and not self.done:
            return await self.status(call)  # of what follows, for which the client is held in its turn
        if not observed or self._ended_here:
            return call.reply(self.status_response())
        progress = await self._progress(call)
        known = Known(self.session.protocol, self.has_result_set, self.started_ms, self.completed_ms)
        return completed(reply, known, progress)

    async def _as_known(self, call: Call) -> bytes:
        response = self.status_response()
        response.progressUpdateResponse = await self._progress(call)
        return call.reply(response)

    async def _progress(self, call: Call) -> Any:
        """How far the statement is, or what follows it, if the client asks for that."""
        if self.done:
            return None
        if self._in_sequel:
            return await self._how_far.told(call, self._refreshes.stages)
        statement = self.remote.handle.id
        progress = await self._how_far.told(call, lambda: call.service.progress(statement))
        if progress is not None and progress.rows and self.log.empty:  # beeline draws no bar before it has shown a line
            self.log.add(f"{_UNDER_WAY} {statement}")
        return progress

    def foresee(self, sessions: Sessions) -> None:
        """Make ready what the client will ask of it, if it asks as of the session's last result."""
        habits = self.session.habits
        for asked, answer in ((habits.columns, self.columns_now), (habits.rows, self.rows_now)):
            if asked is not None:
                self.foreseen.expect(with_handle(asked, REQUEST_HANDLE, self.handle), self, answer)
        if habits.closing is not None:
            closing = with_handle(habits.closing, REQUEST_HANDLE, self.handle)
            self.foreseen.expect(closing, self, partial(self.closed_now, closing, sessions))

    def columns_now(self) -> bytes | None:
        """The reply to GetResultSetMetadata, if the client asks as it did before and the reply is there."""
        if self.state is not OperationState.FINISHED:
            return None
        known = self._known_columns
        if known is not None or self._constant is not None or self._ahead is None:
            return known
        return self._ahead.columns_now()

    def rows_now(self) -> bytes | None:
        """The same of FetchResults."""
        if self.state is not OperationState.FINISHED or self._ahead is None:
            return None
        reply = self._ahead.rows_now()
        if reply is not None:
            self._way_back.shut()
        return reply

    def closed_now(self, call: bytes, sessions: Sessions) -> bytes | None:
        """The reply to that CloseOperation, and what it does, if nothing runs that has to be stopped first."""
        if not self.done:
            return None
        sessions.remove_operation(self)
        self._closing = True
        self._give_up()
        return self._forgotten(with_handle(call, REQUEST_HANDLE, self.remote.handle))

    async def metadata(self, call: Call) -> bytes:
        try:
            return await self._columns(call)
        except Interrupted:
            if not self._without_rows:
                raise
            schema = table_schema(NO_ROWS.columns)
            return call.reply(ttypes.TGetResultSetMetadataResp(status=success(), schema=schema))

    async def _columns(self, call: Call) -> bytes:
        # Asked before the end, Spark gives a wrong schema, and the same one ever after.
        if not self.done and self.upstream.take_slot():
            try:
                schema = await early_schema(self._sql, self.upstream.query, self.wait())
            finally:
                self.upstream.give_slot_back()
            if schema is not None:
                return call.reply(ttypes.TGetResultSetMetadataResp(status=success(), schema=schema))
        if not self.done:
            await self.wait()
        known = self._known_columns
        if known is not None and self.state is OperationState.FINISHED:
            return with_seqid(known, call.head.seqid)
        message = call.addressed_to(self.remote.handle)
        if self._ahead is None:
            return await self._relay(message)
        reply = await self._or_lost(self._ahead.columns(call.head, message))
        if self._constant is not None and self.state is OperationState.FINISHED and succeeded(reply):
            self.session.habits.schema = self._constant, reply
        return reply

    @property
    def _known_columns(self) -> bytes | None:
        """The reply that told them of the last constant statement in the session, if that was the same."""
        kept = self.session.habits.schema
        return kept[1] if kept is not None and kept[0] == self._constant else None

    async def fetch(self, call: Call) -> bytes:
        try:
            return await self._fetched(call)
        except Interrupted:
            if not self._without_rows:
                raise
            rows = encode_rows(NO_ROWS.columns, NO_ROWS.rows, 0, self.session.protocol)
            return call.reply(ttypes.TFetchResultsResp(status=success(), hasMoreRows=False, results=rows))

    async def _fetched(self, call: Call) -> bytes:
        remote = self.remote
        reply = await self._rows(call)
        if succeeded(reply):
            self._way_back.shut()
            return reply
        if self.state is OperationState.FINISHED and self._way_back.open and not self._writes:
            self.foreseen.forget()  # what was told is of the rewriting
            if self._ahead is not None:
                self._ahead.drop()  # and so are the rows
            self._failure = _error_of(reply)
            self._way_back.take(self._run_original_in_turn)
        error = await self._way_back.passed()
        if error is not None:
            raise error
        return reply if remote is self.remote else await self._rows(call)

    async def _rows(self, call: Call) -> bytes:
        message = call.addressed_to(self.remote.handle)
        if not self.done:
            self._ahead = None  # which has to know all that was read
        if self._ahead is None:
            return await self._relay(message)
        return await self._or_lost(self._ahead.fetch(call.head, message))

    async def query_id(self, call: Call) -> bytes:
        """The upstream's own id, or, where that is empty as Spark's is, the one that Spark shows a statement under."""
        if self._in_sequel:
            return call.reply(ttypes.TGetQueryIdResp(queryId=self.remote.handle.id))
        reply = await self._relay(call.addressed_to(self.remote.handle))
        told = find(reply, _QUERY_ID)
        if told is None or read_string(reply, told):
            return reply
        return call.reply(ttypes.TGetQueryIdResp(queryId=self.remote.handle.id))

    async def cancel(self, call: Call) -> bytes:
        self._give_up()
        if self._sequel is not None and not self.done:
            await self._sequel.cancel()
            return call.reply(ttypes.TCancelOperationResp(status=success()))
        return await self.upstream.control(call.addressed_to(self.remote.handle))

    async def close(self, call: Call) -> bytes:
        """Whether the upstream has forgotten it, too, is nothing that a client could wait for."""
        self._closing = True
        await self.abandon()
        self.session.habits.closing = repeatable(call.message)
        return with_seqid(self._forgotten(call.addressed_to(self.remote.handle)), call.head.seqid)

    def _forgotten(self, message: bytes) -> bytes:
        (closing,) = self.upstream.send(message)
        closing.add_done_callback(self._closed)
        return _CLOSED

    def _closed(self, reply: asyncio.Future[bytes]) -> None:
        error = None if reply.cancelled() else reply.exception()
        if error is not None:
            self._is_left("closed", error)
        self.release()

    async def discard(self) -> None:
        self._closing = True
        try:
            await self._forget(self.remote)
        finally:
            self.release()

    async def _forget(self, remote: RemoteOperation) -> None:
        try:
            await remote.close()
        except SqlError as error:
            self._is_left("closed", error)

    async def abandon(self, error: SqlError | None = None) -> None:
        self._give_up()
        if self._in_sequel:
            self.advance(OperationState.FINISHED)
        if not self.done:
            self._ended_here = error is not None
            self.advance(OperationState.ERROR if error else OperationState.CANCELED, error and self._told(error))
            await self._stop(self.remote)

    def _give_up(self) -> None:
        self._cancelled = True
        self._way_back.shut()

    async def _stop(self, remote: RemoteOperation) -> None:
        try:
            await remote.cancel()
        except SqlError as error:
            self._is_left("cancelled", error)

    def _is_left(self, wanted: str, error: BaseException) -> None:
        """Say so, if the upstream has it still: with its session it goes as well."""
        if self._holds_upstream and self.upstream.alive:
            logger.warning("operation %s could not be %s: %s", self.handle.id, wanted, error)

    async def _relay(self, message: bytes) -> bytes:
        return await self._or_lost(self.upstream.call(message))

    async def _or_lost(self, reply: Awaitable[T]) -> T:
        try:
            return await reply
        except SqlError as error:
            told = self._told(error)
            self.advance(OperationState.ERROR, told)
            raise told from error

    async def _observe(self, remote: RemoteOperation, status: RemoteStatus) -> bool:
        """Take note of what the upstream said; False if that is not for the client, being about a given-up try."""
        await self._way_back.passed()
        if remote is not self.remote:
            return False
        failed = status.state is OperationState.ERROR and self._way_back.open
        if failed and (_before_execution(status.error) or not self._writes):
            logger.warning("a rewritten statement failed, its original is run: %s", first_message(str(status.error)))
            self._failure = status.error
            self._way_back.take(self._run_original)
            await self._way_back.passed()
            return False
        self.advance(status.state, status.error)
        return not self._in_sequel

    async def _run_original(self, original: Statement) -> SqlError | None:
        """Start the client's own statement in the place of the rewritten one; what keeps it from starting."""
        failed = self.remote
        try:
            self.runs_as(started(await self.upstream.call(original.outgoing(self.upstream.handle, None))))
        except SqlError as error:
            told = self._told(error)
            self.advance(OperationState.ERROR, told)
            return told
        if self._closing:  # the failed one, while this was being started
            await self._forget(self.remote)
            return None
        self.log.add(_FELL_BACK)
        original.record.fell_back = True
        await self._forget(failed)
        if self._cancelled:
            await self._stop(self.remote)
        return None

    async def _run_original_in_turn(self, original: Statement) -> SqlError | None:
        """The same to its end, where the rewritten one was finished: its slot is another's by now."""
        try:
            async with asyncio.timeout_at(original.deadline):
                await self.upstream.wait_for_slot(self.session.principal)
        except TimeoutError:
            return None
        try:
            if self._cancelled:
                return None
            error = await self._run_original(original) or (await self.remote.wait()).error
            if error is None:
                self._report_failure()
            return error
        except SqlError as error:
            return error
        finally:
            self.upstream.give_slot_back()


def _error_of(reply: bytes) -> SqlError | None:
    """The error in a reply to FetchResults; None in one that cannot be read."""
    try:
        check(read_reply(reply, ttypes.TFetchResultsResp).status)
    except SqlError as error:
        return error
    except WireError:
        pass
    return None


def _before_execution(error: SqlError | None) -> bool:
    """Whether Spark has refused a statement: errors of class 42 are found in its text and the schemas of its tables."""
    return error is not None and (error.sql_state or "").startswith("42")
