"""A client that is read on for gets what it would get without."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.hs2 import ResultSet, SqlError, encode_call, encode_reply, encode_rows, failure, read_request, success
from proxy.hs2.generated import ttypes
from proxy.service.ahead import Budget, ReadAhead
from proxy.session import Handle
from proxy.wire import read_head

COLUMNS = ResultSet.of("n int", "s").columns
NEXT, PRIOR, FIRST, LAST = 0, 1, 4, 5


class Cursor:
    """Spark's, over so many rows: where the last block began, and where the next one does."""

    handle = Handle.new()

    def __init__(self, rows: int, protocol: int = 10) -> None:
        self.rows, self.protocol = rows, protocol
        self.start = self.position = 0
        self.asked = 0

    def send(self, message: bytes) -> asyncio.Future[bytes]:
        reply = asyncio.get_running_loop().create_future()
        reply.set_result(self.answer(message))
        return reply

    async def call(self, message: bytes) -> bytes:
        return self.answer(message)

    def answer(self, message: bytes) -> bytes:
        self.asked += 1
        head, request = read_head(message), read_request(message, ttypes.TFetchResultsReq)
        assert head is not None
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


def question(seqid: int, orientation: int, rows: int) -> bytes:
    identifier = ttypes.THandleIdentifier(guid=bytes(16), secret=bytes(16))
    operation = ttypes.TOperationHandle(operationId=identifier, operationType=0, hasResultSet=True)
    request = ttypes.TFetchResultsReq(operationHandle=operation, orientation=orientation, maxRows=rows)
    return encode_call("FetchResults", seqid, request)


async def replies(reader: Any, questions: list[tuple[int, int]]) -> list[bytes]:
    got = []
    for seqid, (orientation, rows) in enumerate(questions):
        message = question(seqid, orientation, rows)
        if isinstance(reader, Cursor):
            got.append(await reader.call(message))
        else:
            head = read_head(message)
            assert head is not None
            got.append(await reader.fetch(head, message))
    return got


QUESTIONS = st.lists(st.tuples(st.sampled_from([NEXT, NEXT, NEXT, PRIOR, FIRST, LAST]), st.integers(0, 4)), max_size=12)


@given(st.integers(0, 12), st.sampled_from([0, 10]), QUESTIONS)
def test_whatever_the_client_asks_the_answers_are_sparks_own(
    rows: int, protocol: int, questions: list[tuple[int, int]]
) -> None:
    async def test() -> None:
        budget = Budget()
        reader: Any = ReadAhead(Cursor(rows, protocol), budget)  # type: ignore[arg-type]
        before = budget.left
        assert await replies(reader, questions) == await replies(Cursor(rows, protocol), questions)
        reader.drop()
        assert budget.left == before

    asyncio.run(test())


@pytest.mark.parametrize(("budget", "asked"), [(1_000_000, 2), (10, 1)])
def test_it_is_read_on_within_the_budget(budget: int, asked: int) -> None:
    async def test() -> None:
        cursor: Any = Cursor(10)
        await replies(ReadAhead(cursor, Budget(budget)), [(NEXT, 4)])
        assert cursor.asked == asked

    asyncio.run(test())


def test_nothing_is_read_on_behind_the_end() -> None:
    async def test() -> None:
        cursor: Any = Cursor(3)
        await replies(ReadAhead(cursor, Budget()), [(NEXT, 4), (NEXT, 4), (NEXT, 4)])
        assert cursor.asked == 3

    asyncio.run(test())


def test_an_error_of_a_block_is_told_to_who_asks_for_it_alone() -> None:
    class Dying(Cursor):
        def send(self, message: bytes) -> asyncio.Future[bytes]:
            reply = asyncio.get_running_loop().create_future()
            reply.set_exception(SqlError("lost", "08S01"))
            return reply

    async def test() -> None:
        cursor: Any = Dying(10)
        reader = ReadAhead(cursor, Budget())
        await replies(reader, [(NEXT, 4)])
        with pytest.raises(SqlError, match="lost"):
            await replies(reader, [(NEXT, 4)])
        reader = ReadAhead(cursor, Budget())
        await replies(reader, [(NEXT, 4)])
        reader.drop()

    asyncio.run(test())
