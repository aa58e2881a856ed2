"""Operations on the upstream and their results: messages are relayed, and rows pass through as bytes.

A prefetch is a request that Viewgate sends to the upstream before the client's call arrives. While the client reads a
result, the next block of rows is prefetched. When a statement ends, the calls that the client made for the previous
result of its session are prefetched: the request for the columns, and the request for the first block of rows. A second
block is prefetched if the first block of the previous result had all rows and the client fetched once more.

A prefetched block moves Spark's cursor ahead of the client's cursor. If the client then fetches other rows, for example
the previous rows, Viewgate first moves Spark's cursor back.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import partial

from proxy.hs2 import (
    Interrupted,
    encode_rows,
    fetch_error,
    rows_in,
    succeeded,
    success,
    table_schema,
)
from proxy.hs2.generated import ttypes
from proxy.service.call import Budget
from proxy.service.operations.run import Execution, RemoteRun, Wish
from proxy.service.operations.running import early_schema
from proxy.session import (
    NO_ROWS,
    REQUEST_HANDLE,
    Habits,
    Handle,
    LiveUpstream,
    Message,
    OperationState,
    Sessions,
    repeatable,
    with_handle,
)
from proxy.wire import Head, find, kept, read_i32, read_string, with_field, with_seqid
from proxy.wire.message import I32, I64, body_of

_QUERY_ID = (0, 1)


class RemoteOperation(RemoteRun):
    """An operation that runs on the upstream, with its result; the client has a handle that Viewgate issued.

    If a `budget` of bytes is given, the result is prefetched.
    """

    def __init__(self, execution: Execution, budget: Budget | None = None) -> None:
        super().__init__(execution)
        constant = (self.upstream.handle, self.sql) if execution.plan.constant else None
        habits = execution.session.habits
        self._prefetch = None if budget is None else Prefetch(self.upstream, budget, habits, constant)

    def result_ready(self) -> None:
        """Start prefetching the columns and the first rows of the result, because the statement has ended successfully.

        Only the calls that the client made for the session's previous result are prefetched. Do nothing without a
        `budget`.
        """
        if self._prefetch is not None:
            self._prefetch.begin(self.remote.handle)

    @property
    def read_at(self) -> float:
        return super().read_at if self._prefetch is None else self._prefetch.read_at

    async def metadata(self, call: Message) -> bytes:
        try:
            return await self._columns(call)
        except Interrupted:
            if not self.without_rows:
                raise
            schema = table_schema(NO_ROWS.columns)
            return call.reply(ttypes.TGetResultSetMetadataResp(status=success(), schema=schema))

    async def _columns(self, call: Message) -> bytes:
        # Before the end of a statement, Spark returns a wrong schema, and caches it for later requests.
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
            self.foreseen.forget()  # the prepared replies are of the rewritten statement
            if self._prefetch is not None:
                self._prefetch.drop()  # the prefetched rows are of the rewritten statement
            self.fallback.take(fetch_error(reply), self.run_original_to_its_end)
        error = await self.fallback.passed()
        if error is None and self._reworded is not None and (failed := fetch_error(reply)) is not None:
            told = self._reworded(failed)
            error = told if told is not failed else None
        if error is not None:
            raise error
        return reply if remote is self.remote else await self._rows(call)

    async def _rows(self, call: Message) -> bytes:
        message = call.addressed_to(self.remote.handle)
        if not self.done:
            self._prefetch = None  # a Prefetch works only if it handles every fetch of the result, from the first on
        if self._prefetch is None:
            return await self.relay(message)
        return await self.or_lost(self._prefetch.fetch(call.head, message))

    async def query_id(self, call: Message) -> bytes:
        """Return the reply to GetQueryId with the upstream's query id.

        If that id is empty, as in Spark, the reply has the id of the upstream's operation, which Spark's UI shows.
        """
        if self.is_followed:
            return call.reply(ttypes.TGetQueryIdResp(queryId=self.remote.handle.id))
        reply = await self.relay(call.addressed_to(self.remote.handle))
        told = find(reply, _QUERY_ID)
        if told is None or read_string(reply, told):
            return reply
        return call.reply(ttypes.TGetQueryIdResp(queryId=self.remote.handle.id))

    # Replies prepared before their calls

    def foresee(self, sessions: Sessions) -> None:
        """Prepare the replies to the calls that the client is expected to make on the result.

        The client is expected to repeat the calls that it made for the session's previous result: to request the
        columns, request the first rows, and close the operation. For each call, a function that returns the prepared
        reply is registered in the operation's `foreseen`. `sessions` is the registry from which the close removes the
        operation.
        """
        habits = self.session.habits
        for asked, answer in ((habits.columns, self.columns_now), (habits.rows, self.rows_now)):
            if asked is not None:
                self.foreseen.expect(with_handle(asked, REQUEST_HANDLE, self.handle), self.handle, answer)
        if habits.closing is not None:
            closing = with_handle(habits.closing, REQUEST_HANDLE, self.handle)
            self.foreseen.expect(closing, self.handle, partial(self.closed_now, closing, sessions))

    def columns_now(self) -> bytes | None:
        """Return the prefetched or stored reply to GetResultSetMetadata.

        Return None if the operation has not finished successfully, or if no such reply is available yet.
        """
        finished = self.state is OperationState.FINISHED
        return self._prefetch.columns_now() if finished and self._prefetch is not None else None

    def rows_now(self) -> bytes | None:
        """Return the prefetched reply to FetchResults; None if the operation has not finished or no reply is usable.

        A reply is usable if it has arrived and reports no error.
        """
        if self.state is not OperationState.FINISHED or self._prefetch is None:
            return None
        reply = self._prefetch.rows_now()
        if reply is not None:
            self.fallback.shut()
        return reply

    def closed_now(self, call: bytes, sessions: Sessions) -> bytes | None:
        """Close the operation and return the reply to CloseOperation; `call` is the client's message.

        Return None, and do nothing, if the operation still runs and must be stopped first. `sessions` is the registry
        from which the operation is removed.
        """
        if self.runs:
            return None
        sessions.remove_operation(self)
        self.wants(Wish.CLOSE)
        return self.forgotten(with_handle(call, REQUEST_HANDLE, self.remote.handle))

    def release(self) -> None:
        if self._prefetch is not None:
            self._prefetch.drop()
        super().release()


_NEXT, _PRIOR, _FIRST = (
    ttypes.TFetchOrientation.FETCH_NEXT,
    ttypes.TFetchOrientation.FETCH_PRIOR,
    ttypes.TFetchOrientation.FETCH_FIRST,
)
_ORIENTATION, _MAX_ROWS = (1, 2), (1, 3)
_SOON = 0.2  # seconds within which Spark returns a block that it need not compute


@dataclass(frozen=True, slots=True)
class _Block:
    """A prefetched block of rows, or the prefetched columns.

    `question` is the body of the request, and `answer` the future of the reply, which answers a client's call with the
    same body. `weight` is the expected size of the reply in bytes, which counts against the budget if the reply has
    rows.
    """

    question: bytes
    answer: asyncio.Future[bytes]
    weight: int

    @property
    def reply(self) -> bytes | None:
        """The prefetched reply; None while the reply has not arrived, and after an error of the connection."""
        there = self.answer.done() and not self.answer.cancelled() and self.answer.exception() is None
        return self.answer.result() if there else None


# Prefetching pays if Spark or the network is slow: it saves 3 to 24 % of a short statement on a real Spark. With a
# stand-in server that answers at once, statements took 0.96 (SELECT 1) to 1.07 of the time: benchmarks/beside.py.
class Prefetch:
    """The prefetched replies of one operation: its columns and its blocks of rows.

    - `habits`: the calls that the client made for the previous result of the session
    - `budget`: the bytes that prefetched blocks may still occupy; a block is expected to be as large as the block
      before
    - `constant`: the key under which the reply with the columns is stored, for a constant statement (a statement whose
      columns are always the same); None for any other statement
    """

    __slots__ = (
        "_blocks",
        "_budget",
        "_columns",
        "_constant",
        "_for_rows",
        "_foreseen",
        "_given_up",
        "_habits",
        "_read",
        "_read_at",
        "_rows",
        "_turn",
        "_upstream",
    )

    def __init__(
        self, upstream: LiveUpstream, budget: Budget, habits: Habits, constant: Hashable | None = None
    ) -> None:
        self._upstream = upstream
        self._budget = budget
        self._habits = habits
        self._constant = constant
        self._turn = asyncio.Lock()  # two connections may read one result
        self._columns: _Block | None = None
        self._blocks: deque[_Block] = deque()  # not requested by the client yet
        self._read = 0  # how often the client has fetched rows
        self._read_at = float("-inf")  # loop time of the client's last block
        self._rows = 0  # rows in the client's last block
        self._given_up = False
        self._foreseen = habits.columns, habits.rows  # the session's other operations may change these meanwhile
        self._for_rows: bytes | None = None  # the FetchResults that the client is expected to send

    @property
    def _known_columns(self) -> bytes | None:
        """The stored reply with the columns of this constant statement (a statement whose columns are always the same).

        None if the statement is not constant, or if the stored reply is of another statement or upstream session.
        """
        kept = self._habits.schema
        return kept[1] if kept is not None and kept[0] == self._constant else None

    @property
    def read_at(self) -> float:
        """The time, on the event loop's clock, at which the client fetched its last block of rows.

        The time is minus infinity before the first block, and after a block without rows, which means the end of the
        result.
        """
        return self._read_at if self._rows else float("-inf")

    def begin(self, operation: Handle) -> None:
        """Request the columns (unless they are stored already) and the first rows of an operation that has finished."""
        habits, questions = self._habits, []
        columns, rows = self._foreseen
        if self._known_columns is not None:
            columns = None
        if columns is not None:
            questions.append(with_handle(columns, REQUEST_HANDLE, operation))
        if rows is not None:
            self._for_rows = rows = with_handle(rows, REQUEST_HANDLE, operation)
            questions += [rows for _ in range(habits.blocks) if self._budget.take(habits.weight)]
        if questions:
            self._blocks.extend(self._asked(questions, habits.weight))
        if columns is not None:
            self._columns = self._blocks.popleft()

    async def columns(self, head: Head, message: bytes, *, finished: bool) -> bytes:
        """Return the reply to GetResultSetMetadata: the stored or the prefetched reply, or else the upstream's.

        `message` is the client's call with the upstream's operation handle; `finished` says whether the operation has
        succeeded. `head` is the head (name and sequence id) of the client's call.
        """
        known = self._known_columns
        if known is not None and finished:
            return with_seqid(known, head.seqid)
        reply = await self._told_columns(head, message)
        if self._constant is not None and finished and succeeded(reply):
            self._habits.schema = self._constant, reply
        return reply

    async def _told_columns(self, head: Head, message: bytes) -> bytes:
        block, self._columns = self._columns, None
        self._habits.columns = repeatable(message)
        if block is not None and block.question == message[head.body :]:
            return with_seqid(await block.answer, head.seqid)
        return await self._upstream.call(message)

    async def fetch(self, head: Head, message: bytes) -> bytes:
        """Return the reply to FetchResults: the prefetched reply if it answers this call, else the upstream's.

        `message` is the client's call with the upstream's operation handle. `head` is the head (name and sequence id)
        of the client's call.
        """
        async with self._turn:
            return await self._fetched(head, message)

    async def _fetched(self, head: Head, message: bytes) -> bytes:
        clock = asyncio.get_running_loop().time
        asked_at, question = clock(), message[head.body :]
        if self._blocks and self._blocks[0].question == question:
            reply = with_seqid(await self._taken().answer, head.seqid)
        elif (failed := await self._failed()) is not None:
            reply = with_seqid(failed, head.seqid)
        else:
            if self._blocks and _orientation(message) != _FIRST:
                await self._take_back(message)
            self._drop_blocks()
            reply = await self._upstream.call(message)
        # Slow blocks are not prefetched, because the client's other calls would have to wait for them.
        soon = clock() - asked_at < _SOON
        good = succeeded(reply)
        self._rows = rows_in(reply) if good else 0
        self._note(message, reply, goes_on=good and _orientation(message) == _NEXT, soon=soon)
        return reply

    def columns_now(self) -> bytes | None:
        """Return the stored or prefetched reply to GetResultSetMetadata; None if neither is available now."""
        known = self._known_columns
        if known is not None or self._constant is not None:
            return known
        block = self._columns
        reply = None if block is None else block.reply
        if reply is not None:
            self._columns = None
        return reply

    def rows_now(self) -> bytes | None:
        """Return the prefetched reply to FetchResults; None if no reply has arrived or the reply reports an error."""
        call = self._for_rows
        if call is None or not self._blocks or self._turn.locked():
            return None
        block = self._blocks[0]
        reply = block.reply
        if reply is None or not succeeded(reply) or block.question != call[body_of(call) :]:
            return None
        self._rows = rows_in(reply)
        self._taken()
        self._note(call, reply, goes_on=True, soon=True)
        return reply

    def _note(self, message: bytes, reply: bytes, *, goes_on: bool, soon: bool) -> None:
        """Record a FetchResults call (`message`) and its `reply`, and prefetch the next block of this result.

        `goes_on` says whether more rows may follow, and `soon` whether the reply came quickly. The next block is
        prefetched if the reply has rows, more rows may follow, no other block is prefetched, and the budget allows the
        block. The first call for a result is recorded in the session's `habits` if `goes_on` and `soon` are true; the
        call is then prefetched for the session's next result.
        """
        if self._read == 0:
            self._habits.rows, self._habits.weight = repeatable(message) if goes_on and soon else None, len(reply)
        elif self._read == 1:
            self._habits.blocks = 2 if goes_on and not self._rows else 1
        self._read += 1
        self._read_at = asyncio.get_running_loop().time()
        goes_on = goes_on and not self._given_up
        if self._rows and goes_on and not self._blocks and self._budget.take(len(reply)):
            self._blocks.extend(self._asked([message], len(reply)))

    def drop(self) -> None:
        """Drop the prefetched replies and stop prefetching for this operation.

        A request whose prefetched reply the client did not use is not prefetched for the next result.
        """
        self._given_up = True
        if self._columns is not None:
            self._columns = self._habits.columns = None
        if self._blocks:
            self._habits.blocks = 1
            if self._read == 0:
                self._habits.rows = None
        self._drop_blocks()

    def _asked(self, questions: list[bytes], weight: int) -> Iterator[_Block]:
        for question, answer in zip(questions, self._upstream.send(*questions), strict=True):
            answer.add_done_callback(_seen)
            yield _Block(question[body_of(question) :], answer, weight)

    async def _failed(self) -> bytes | None:
        """Return the upstream's error reply to the prefetch of the first rows; None without a prefetch or an error.

        The client must get this reply, because Spark reports the error only once: a repeated FetchResults would return
        the rows after the failure.
        """
        if self._rows or not self._blocks:
            return None
        answer = await asyncio.shield(self._blocks[0].answer)  # shielded, because another caller may need it
        if succeeded(answer):
            return None
        if self._blocks:  # not dropped meanwhile
            self._taken()
        return answer

    async def _take_back(self, message: bytes) -> None:
        """Move Spark's cursor back to the client's position, by fetching as many rows backwards as were prefetched.

        `message` is a FetchResults message with the upstream's operation handle.
        """
        rows, before = self._rows, []
        for block in tuple(self._blocks):
            answer = await asyncio.shield(block.answer)
            before.append(rows)
            rows = rows_in(answer) if succeeded(answer) else 0
        for rows in reversed(before):
            back = with_field(message, _ORIENTATION, I32, _PRIOR.to_bytes(4, "big"))
            await self._upstream.call(with_field(back, _MAX_ROWS, I64, rows.to_bytes(8, "big")))

    def _taken(self) -> _Block:
        block = self._blocks.popleft()
        self._budget.give_back(block.weight)
        return block

    def _drop_blocks(self) -> None:
        while self._blocks:
            self._taken()


@kept
def _orientation(message: bytes) -> int:
    found = find(message, _ORIENTATION)
    return _NEXT if found is None else read_i32(message, found)


def _seen(answer: asyncio.Future[bytes]) -> None:
    """Retrieve the exception of a reply; otherwise asyncio would log the exception as never retrieved."""
    if not answer.cancelled():
        answer.exception()
