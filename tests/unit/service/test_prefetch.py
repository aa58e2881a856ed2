"""A client gets the same answers with prefetch as without."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.hs2 import (
    ResultSet,
    SqlError,
    encode_call,
    encode_reply,
    encode_rows,
    failure,
    read_reply,
    read_request,
    success,
    table_schema,
)
from proxy.hs2.generated import ttypes
from proxy.service.call import Budget
from proxy.service.operations.remote import Prefetch
from proxy.session import REQUEST_HANDLE, Foreseen, Habits, Handle, numbered, with_handle
from proxy.wire import read_head

COLUMNS = ResultSet.of("n int", "s").columns
NEXT, PRIOR, FIRST, LAST, SCHEMA = 0, 1, 4, 5, -1


class Cursor:
    """A fake cursor of Spark over this many rows: where the last block began, and where the next one begins."""

    def __init__(self, rows: int, protocol: int = 10, handle: Handle | None = None) -> None:
        self.handle = handle or Handle.new()
        self.rows, self.protocol = rows, protocol
        self.start = self.position = 0
        self.asked = 0

    def send(self, *messages: bytes) -> list[asyncio.Future[bytes]]:
        return [self._reply(message) for message in messages]

    def _reply(self, message: bytes) -> asyncio.Future[bytes]:
        reply = asyncio.get_running_loop().create_future()
        reply.set_result(self.answer(message))
        return reply

    async def call(self, message: bytes) -> bytes:
        return self.answer(message)

    def answer(self, message: bytes) -> bytes:
        self.asked += 1
        head, request = read_head(message), read_request(message, ttypes.TFetchResultsReq)
        assert head is not None
        assert request.operationHandle.operationId.guid == self.handle.guid
        if head.name == "GetResultSetMetadata":
            columns = ttypes.TGetResultSetMetadataResp(status=success(), schema=table_schema(COLUMNS))
            return encode_reply(head.name, head.seqid, columns)
        if request.orientation == LAST:
            response = ttypes.TFetchResultsResp(status=failure(SqlError("not supported")))
            return encode_reply(head.name, head.seqid, response)
        if request.orientation != NEXT:
            back = self.start - request.maxRows if request.orientation == PRIOR else 0
            self.position = min(max(back, 0), self.rows)
        self.start = self.position
        self.position = min(self.start + request.maxRows, self.rows)
        rows = [(n, f"row {n}") for n in range(self.start, self.position)]
        encoded = encode_rows(COLUMNS, rows, self.start, self.protocol)
        response = ttypes.TFetchResultsResp(status=success(), hasMoreRows=False, results=encoded)
        return encode_reply(head.name, head.seqid, response)


def question(handle: Handle, seqid: int, orientation: int, rows: int) -> bytes:
    identifier = ttypes.THandleIdentifier(guid=handle.guid, secret=handle.secret)
    operation = ttypes.TOperationHandle(operationId=identifier, operationType=0, hasResultSet=True)
    if orientation == SCHEMA:
        return encode_call("GetResultSetMetadata", seqid, ttypes.TGetResultSetMetadataReq(operationHandle=operation))
    request = ttypes.TFetchResultsReq(operationHandle=operation, orientation=orientation, maxRows=rows)
    return encode_call("FetchResults", seqid, request)


async def replies(
    cursor: Cursor, reader: Prefetch | None, questions: list[tuple[int, int]], foreseen: Foreseen | None = None
) -> list[bytes]:
    got = []
    for seqid, (orientation, rows) in enumerate(questions):
        message = question(cursor.handle, seqid, orientation, rows)
        head = read_head(message)
        assert head is not None
        known = None if foreseen is None else foreseen.knows(message)
        reply = None if known is None else known[1]()
        if reply is not None:
            got.append(numbered(reply, message))
        elif reader is None:
            got.append(await cursor.call(message))
        elif orientation == SCHEMA:
            got.append(await reader.columns(head, message, finished=True))
        else:
            got.append(await reader.fetch(head, message))
    return got


def reading(cursor: Any, budget: Budget | None = None, habits: Habits | None = None) -> Prefetch:
    return Prefetch(cursor, budget or Budget(), habits or Habits())


def foreseen_of(cursor: Cursor, reader: Prefetch, habits: Habits) -> Foreseen:
    foreseen = Foreseen()
    for asked, answer in ((habits.columns, reader.columns_now), (habits.rows, reader.rows_now)):
        if asked is not None:
            foreseen.expect(with_handle(asked, REQUEST_HANDLE, cursor.handle), cursor.handle, answer)
    return foreseen


ORIENTATIONS = st.sampled_from([NEXT, NEXT, NEXT, PRIOR, FIRST, LAST, SCHEMA])
QUESTIONS = st.lists(st.tuples(ORIENTATIONS, st.integers(0, 4)), max_size=12)


@given(st.lists(st.tuples(st.integers(0, 12), QUESTIONS), max_size=4), st.sampled_from([0, 10]), st.booleans())
def test_whatever_the_client_asks_the_answers_are_sparks_own(
    results: list[tuple[int, list[tuple[int, int]]]], protocol: int, at_once: bool
) -> None:
    """For several results in one session, one after the other."""

    async def test() -> None:
        budget, habits = Budget(), Habits()
        before = budget.left
        for rows, questions in results:
            cursor = Cursor(rows, protocol)
            reader = reading(cursor, budget, habits)
            foreseen = foreseen_of(cursor, reader, habits) if at_once else None
            reader.begin(cursor.handle)
            direct = Cursor(rows, protocol, cursor.handle)
            assert await replies(cursor, reader, questions, foreseen) == await replies(direct, None, questions)
            reader.drop()
            assert budget.left == before

    asyncio.run(test())


def test_what_was_asked_first_of_the_last_result_is_on_its_way_when_the_next_has_come() -> None:
    async def test() -> None:
        habits = Habits()
        for there in (0, 2):
            cursor = Cursor(0)
            reader = reading(cursor, habits=habits)
            reader.begin(cursor.handle)
            assert cursor.asked == there
            await replies(cursor, reader, [(SCHEMA, 0), (NEXT, 4)])
            assert cursor.asked == 2
            reader.drop()

    asyncio.run(test())


@pytest.mark.parametrize(
    ("questions", "ahead"),
    [([(NEXT, 4), (NEXT, 4)], 2), ([(NEXT, 4)], 1), ([(NEXT, 2), (NEXT, 2), (NEXT, 2)], 1)],
)
def test_who_looks_for_more_behind_the_last_rows_has_that_answer_on_its_way_too(
    questions: list[tuple[int, int]], ahead: int
) -> None:
    async def test() -> None:
        habits = Habits()
        await replies(first := Cursor(3), reader := reading(first, habits=habits), questions)
        reader.drop()
        second = Cursor(3)
        reading(second, habits=habits).begin(second.handle)
        assert second.asked == ahead

    asyncio.run(test())


def test_what_was_asked_in_vain_is_not_asked_again() -> None:
    async def test() -> None:
        habits = Habits()
        asked = []
        for questions in ([(SCHEMA, 0), (NEXT, 4)], [], []):
            cursor = Cursor(0)
            reader = reading(cursor, habits=habits)
            reader.begin(cursor.handle)
            await replies(cursor, reader, questions)
            asked.append(cursor.asked)
            reader.drop()
        assert asked == [2, 2, 0]

    asyncio.run(test())


def test_rows_that_take_long_to_compute_are_not_asked_for_before_the_client_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Other calls of the client would have to wait behind that fetch."""

    class Slow(Cursor):
        async def call(self, message: bytes) -> bytes:
            now.append(1.0)
            return self.answer(message)

    now = [0.0]

    async def test() -> None:
        habits = Habits()
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now[-1])
        slow, next_one = Slow(0), Cursor(0)
        await replies(slow, reading(slow, habits=habits), [(NEXT, 4)])
        reading(next_one, habits=habits).begin(next_one.handle)
        assert next_one.asked == 0

    asyncio.run(test())


@pytest.mark.parametrize(("budget", "asked"), [(1_000_000, 2), (10, 1)])
def test_it_is_read_on_within_the_budget(budget: int, asked: int) -> None:
    async def test() -> None:
        cursor = Cursor(10)
        await replies(cursor, reading(cursor, Budget(budget)), [(NEXT, 4)])
        assert cursor.asked == asked

    asyncio.run(test())


def test_nothing_is_read_on_behind_the_end() -> None:
    async def test() -> None:
        cursor = Cursor(3)
        await replies(cursor, reading(cursor), [(NEXT, 4), (NEXT, 4), (NEXT, 4)])
        assert cursor.asked == 3

    asyncio.run(test())


def test_an_error_of_a_block_is_told_to_who_asks_for_it_alone() -> None:
    class Dying(Cursor):
        def _reply(self, message: bytes) -> asyncio.Future[bytes]:
            reply = asyncio.get_running_loop().create_future()
            reply.set_exception(SqlError("lost", "08S01"))
            return reply

    async def test() -> None:
        cursor = Dying(10)
        reader = reading(cursor)
        await replies(cursor, reader, [(NEXT, 4)])
        with pytest.raises(SqlError, match="lost"):
            await replies(cursor, reader, [(NEXT, 4)])
        reader = reading(cursor)
        await replies(cursor, reader, [(NEXT, 4)])
        reader.drop()

    asyncio.run(test())


@pytest.mark.parametrize("asked", [(NEXT, 2), (PRIOR, 1), (FIRST, 3)])
def test_an_error_in_place_of_the_first_rows_is_told_also_to_who_asks_otherwise(asked: tuple[int, int]) -> None:
    class Broken(Cursor):
        """After an error, Spark's cursor continues behind the failed rows."""

        def answer(self, message: bytes) -> bytes:
            if self.asked:
                return super().answer(message)
            self.asked += 1
            response = ttypes.TFetchResultsResp(status=failure(SqlError("no row")))
            return encode_reply("FetchResults", 0, response)

    async def main() -> None:
        cursor = Broken(0)
        habits = Habits(rows=question(Handle.new(), 0, NEXT, 3), weight=1, blocks=2)
        reader = reading(cursor, habits=habits)
        reader.begin(cursor.handle)
        (reply,) = await replies(cursor, reader, [asked])
        assert read_reply(reply, ttypes.TFetchResultsResp).status.errorMessage == "no row"

    asyncio.run(main())


def test_two_who_read_one_result_at_the_same_time_get_each_row_once() -> None:
    class Slow(Cursor):
        """Answers in order, with a delay."""

        def _reply(self, message: bytes) -> asyncio.Future[bytes]:
            reply = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(reply.set_result, self.answer(message))
            return reply

        async def call(self, message: bytes) -> bytes:
            return await self._reply(message)

    async def test() -> None:
        cursor = Slow(40)
        reader = reading(cursor)

        async def read() -> list[bytes]:
            got = []
            for _ in range(12):
                got += await replies(cursor, reader, [(NEXT, 2)])
                await asyncio.sleep(0)  # the other one's turn
            return got

        asked = [reply for own in await asyncio.gather(read(), read()) for reply in own]
        starts = [
            decoded.results.startRowOffset for decoded in (read_reply(r, ttypes.TFetchResultsResp) for r in asked)
        ]
        assert sorted(starts) == [*range(0, 40, 2), 40, 40, 40, 40]

    asyncio.run(test())


class Late(Cursor):
    """Answers when the test allows it."""

    def __init__(self, rows: int) -> None:
        super().__init__(rows)
        self.out: list[tuple[bytes, asyncio.Future[bytes]]] = []

    def _reply(self, message: bytes) -> asyncio.Future[bytes]:
        self.out.append((message, asyncio.get_running_loop().create_future()))
        return self.out[-1][1]

    async def call(self, message: bytes) -> bytes:
        return await self._reply(message)

    def let(self) -> None:
        out, self.out = self.out, []
        for message, reply in out:
            if not reply.cancelled():
                reply.set_result(self.answer(message))


def test_who_goes_away_while_a_block_is_waited_for_takes_nothing_from_who_asks_next() -> None:
    async def test() -> None:
        cursor = Late(5)
        reader = reading(cursor, habits=Habits(rows=question(Handle.new(), 0, NEXT, 3), weight=1))
        reader.begin(cursor.handle)
        leaver = asyncio.create_task(replies(cursor, reader, [(NEXT, 2)]))  # which is not what is on its way
        await asyncio.sleep(0)
        leaver.cancel()
        await asyncio.wait([leaver])
        asking = asyncio.create_task(replies(cursor, reader, [(NEXT, 3)]))
        await asyncio.sleep(0)
        cursor.let()
        (reply,) = await asking
        assert read_reply(reply, ttypes.TFetchResultsResp).results.startRowOffset == 0

    asyncio.run(test())


def test_what_comes_after_the_result_was_given_up_is_not_read_on_from() -> None:
    async def test() -> None:
        cursor, budget = Late(40), Budget()
        before = budget.left
        reader = reading(cursor, budget)
        asking = asyncio.create_task(replies(cursor, reader, [(NEXT, 2)]))
        await asyncio.sleep(0)
        reader.drop()  # another connection closes the session
        cursor.let()
        await asking
        assert (budget.left, cursor.out) == (before, [])

    asyncio.run(test())
