"""Operations that run on the upstream: messages are relayed, rows pass through as bytes."""

from __future__ import annotations

from functools import partial

from proxy.hs2 import Interrupted, SqlError, check, encode_rows, read_reply, succeeded, success, table_schema
from proxy.hs2.generated import ttypes
from proxy.service.call import Budget
from proxy.service.operations.early_schema import early_schema
from proxy.service.operations.prefetch import Prefetch
from proxy.service.operations.run import Execution, RemoteRun, Wish
from proxy.session import NO_ROWS, REQUEST_HANDLE, Message, OperationState, Sessions, with_handle
from proxy.wire import WireError, find, read_string

_QUERY_ID = (0, 1)


class RemoteOperation(RemoteRun):
    """An operation of the upstream under a handle of ours, with its result.

    With a `budget`, the result is fetched before the client asks for it.
    """

    def __init__(self, execution: Execution, budget: Budget | None = None) -> None:
        super().__init__(execution)
        constant = (self.upstream.handle, self.sql) if execution.plan.constant else None
        habits = execution.session.habits
        self._prefetch = None if budget is None else Prefetch(self.upstream, budget, habits, constant)

    def result_ready(self) -> None:
        """Fetch the columns and first rows, as the client did for the session's last result."""
        if self._prefetch is not None:
            self._prefetch.begin(self.remote.handle)

    async def metadata(self, call: Message) -> bytes:
        try:
            return await self._columns(call)
        except Interrupted:
            if not self.without_rows:
                raise
            schema = table_schema(NO_ROWS.columns)
            return call.reply(ttypes.TGetResultSetMetadataResp(status=success(), schema=schema))

    async def _columns(self, call: Message) -> bytes:
        # Asked before the end, Spark gives a wrong schema, and the same one ever after.
        if not self.done and self.upstream.take_slot():
            try:
                schema = await early_schema(self.sql, self.upstream.query, self.wait())
            finally:
                self.upstream.give_slot_back()
            if schema is not None:
                return call.reply(ttypes.TGetResultSetMetadataResp(status=success(), schema=schema))
        if not self.done:
            await self.wait()
        message = call.addressed_to(self.remote.handle)
        if self._prefetch is None:
            return await self.relay(message)
        finished = self.state is OperationState.FINISHED
        return await self.or_lost(self._prefetch.columns(call.head, message, finished=finished))

    async def fetch(self, call: Message) -> bytes:
        try:
            return await self._fetched(call)
        except Interrupted:
            if not self.without_rows:
                raise
            rows = encode_rows(NO_ROWS.columns, NO_ROWS.rows, 0, self.session.protocol)
            return call.reply(ttypes.TFetchResultsResp(status=success(), hasMoreRows=False, results=rows))

    async def _fetched(self, call: Message) -> bytes:
        remote = self.remote
        reply = await self._rows(call)
        if succeeded(reply):
            self.fallback.shut()
            return reply
        if self.state is OperationState.FINISHED and self.fallback.open and not self.writes:
            self.foreseen.forget()  # the replies are of the rewriting
            if self._prefetch is not None:
                self._prefetch.drop()  # and so are the rows
            self.fallback.take(_error_of(reply), self.run_original_to_its_end)
        error = await self.fallback.passed()
        if error is not None:
            raise error
        return reply if remote is self.remote else await self._rows(call)

    async def _rows(self, call: Message) -> bytes:
        message = call.addressed_to(self.remote.handle)
        if not self.done:
            self._prefetch = None  # which has to know all that was read
        if self._prefetch is None:
            return await self.relay(message)
        return await self.or_lost(self._prefetch.fetch(call.head, message))

    async def query_id(self, call: Message) -> bytes:
        """Return the upstream's own id, or, where that is empty as Spark's is, the id that Spark's UI shows."""
        if self.is_followed:
            return call.reply(ttypes.TGetQueryIdResp(queryId=self.remote.handle.id))
        reply = await self.relay(call.addressed_to(self.remote.handle))
        told = find(reply, _QUERY_ID)
        if told is None or read_string(reply, told):
            return reply
        return call.reply(ttypes.TGetQueryIdResp(queryId=self.remote.handle.id))

    # Replies that are ready before their calls

    def foresee(self, sessions: Sessions) -> None:
        """Prepare the replies to the calls that the client has made on the session's last result."""
        habits = self.session.habits
        for asked, answer in ((habits.columns, self.columns_now), (habits.rows, self.rows_now)):
            if asked is not None:
                self.foreseen.expect(with_handle(asked, REQUEST_HANDLE, self.handle), self.handle, answer)
        if habits.closing is not None:
            closing = with_handle(habits.closing, REQUEST_HANDLE, self.handle)
            self.foreseen.expect(closing, self.handle, partial(self.closed_now, closing, sessions))

    def columns_now(self) -> bytes | None:
        """Return the prepared reply to GetResultSetMetadata, if it is there."""
        finished = self.state is OperationState.FINISHED
        return self._prefetch.columns_now() if finished and self._prefetch is not None else None

    def rows_now(self) -> bytes | None:
        """Return the prepared reply to FetchResults, if it is there."""
        if self.state is not OperationState.FINISHED or self._prefetch is None:
            return None
        reply = self._prefetch.rows_now()
        if reply is not None:
            self.fallback.shut()
        return reply

    def closed_now(self, call: bytes, sessions: Sessions) -> bytes | None:
        """Close the operation and return the reply to CloseOperation; None if it still runs and has to be stopped."""
        if not self.done:
            return None
        sessions.remove_operation(self)
        self.wants(Wish.CLOSE)
        return self.forgotten(with_handle(call, REQUEST_HANDLE, self.remote.handle))

    def release(self) -> None:
        if self._prefetch is not None:
            self._prefetch.drop()
        super().release()


def _error_of(reply: bytes) -> SqlError | None:
    """Return the error in a reply to FetchResults; None if the reply cannot be read."""
    try:
        check(read_reply(reply, ttypes.TFetchResultsResp).status)
    except SqlError as error:
        return error
    except WireError:
        pass
    return None
