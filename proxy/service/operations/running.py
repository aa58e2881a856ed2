"""Reports a running operation to clients: its status, its progress, its columns.

Spark delays the reply to each poll until the operation ends or some seconds have passed, and queues further polls
behind that poll: so a poll of the client and a poll of Viewgate's own share one reply. Spark's replies lack times and
`hasResultSet`, without which Hive JDBC polls forever; Viewgate adds these fields. The positions of the added fields are
computed once for all replies that differ only in the sequence id (`proxy.wire.fields`).

Spark reports the columns only after the end of a statement. Hive JDBC's `executeAsync` requests the columns as soon as
the statement has started, and waits for the reply. So that the reply need not wait for the end of the statement,
Viewgate determines the columns with DESCRIBE QUERY.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from proxy.answering import described
from proxy.hs2 import ColumnDesc, Query, SqlError, encode, table_schema
from proxy.hs2.types import TypeName
from proxy.session import Message, OperationState
from proxy.session.states import shown_state
from proxy.statements import classify
from proxy.upstream import Stage, progress_response
from proxy.wire import find, read_i32, with_field
from proxy.wire.fields import example_of, shape_of
from proxy.wire.message import BOOL, I32, I64, STRUCT, body_of

T = TypeVar("T")
logger = logging.getLogger(__name__)

_STATE, _STARTED, _COMPLETED, _HAS_RESULT_SET, _PROGRESS = (0, 2), (0, 7), (0, 8), (0, 9), (0, 10)
_GET_PROGRESS = (1, 2)
_SEQID = 4
# Stands for a time in an example reply. No text contains these bytes, because they are not UTF-8.
_MARK = bytes.fromhex("7f e5 a1 07 3d c4 b2")
_LOOK_AGAIN = 0.5  # seconds between two lookups of the stages

_STATES = frozenset(OperationState)


class StatusPolls:
    """A coordinator of the status polls of one operation, made by clients and by Viewgate.

    `began` is the start of the operation on the event loop's clock.
    """

    def __init__(self, began: float) -> None:
        self._out = 0
        self._last = began  # loop time
        self._none_of_ours = asyncio.Event()
        self._none_of_ours.set()

    def none_for(self, seconds: float) -> bool:
        """Return whether no poll is running now and no poll was answered within the last `seconds`."""
        return not self._out and asyncio.get_running_loop().time() - self._last >= seconds

    async def polled(self, answer: Awaitable[T]) -> T:
        """Wait for the reply to a poll (`answer`) and return this reply; mark the poll as running until then."""
        self._out += 1
        try:
            return await answer
        finally:
            self._out -= 1
            self._last = asyncio.get_running_loop().time()

    @contextmanager
    def ours(self) -> Iterator[None]:
        """Mark a status poll that Viewgate itself sends as running during the `with` block.

        Meanwhile, clients' polls of the operation wait for the reply to this poll; see `shared`.
        """
        self._none_of_ours.clear()
        try:
            yield
        finally:
            self._none_of_ours.set()

    async def shared(self) -> bool:
        """Wait for the reply to the status poll that Viewgate itself has sent, and return True.

        If Viewgate has sent none, return False at once: the client's poll must then be sent to the upstream.
        """
        if self._none_of_ours.is_set():
            return False
        await self._none_of_ours.wait()
        return True


class Known(NamedTuple):
    """The facts to add to a status reply: whether there is a result, and the start and end in milliseconds since 1970.

    `protocol` is the client's protocol version; `completed` is None before the end.
    """

    protocol: int
    has_result_set: bool
    started: int
    completed: int | None


def completed(reply: bytes, known: Known, progress: Any = None) -> bytes:
    """Return the upstream's status reply with the fields that Spark omits: the times, `hasResultSet` and the progress.

    `known` has the values of the times and of `hasResultSet`; None as `progress` adds no progress. Fields that the
    reply already has are kept. The state is converted to a state that the client's protocol version knows.
    """
    shape = shape_of(reply) if progress is None else None
    if shape is None:
        return _completed(reply, known, progress)
    body = body_of(reply)
    parts = [reply[: body - _SEQID], reply[body - _SEQID : body]]
    times = (known.started, known.completed)
    for literal, time in _template(shape, known.protocol, known.has_result_set, known.completed is None):
        parts.append(literal)
        if time is not None:
            parts.append((times[time] or 0).to_bytes(8, "big"))
    return b"".join(parts)


@lru_cache(256)
def _template(shape: bytes, protocol: int, has_result_set: bool, running: bool) -> tuple[tuple[bytes, int | None], ...]:
    """Return the bytes of a status reply after its sequence id, cut at the places where the times are inserted.

    For example, `((b"…", 0), (b"…", 1), (b"…", None))`: the bytes before the start time (0), between the start time and
    the end time (1), and after the end time (None). Without an end time (`running`), there are two parts.

    `shape` is the upstream's reply without its sequence id (see `proxy.wire.fields.shape_of`). Viewgate adds the fields
    that this reply lacks: they depend on the client's `protocol` version and on `has_result_set`.
    """
    example = example_of(shape)
    marks = [_MARK + bytes([number]) for number in range(2)]
    times = [int.from_bytes(mark, "big") for mark in marks]
    whole = _completed(example, Known(protocol, has_result_set, times[0], None if running else times[1]), None)
    rest, parts = whole[body_of(whole) :], []
    found = sorted((rest.index(mark), number) for number, mark in enumerate(marks) if mark in rest)
    start = 0
    for at, number in found:
        parts.append((rest[start:at], number))
        start = at + len(marks[number])
    return (*parts, (rest[start:], None))


def _completed(reply: bytes, known: Known, progress: Any) -> bytes:
    state = find(reply, _STATE)
    if state is not None:
        told = read_i32(reply, state)
        shown = shown_state(OperationState(told), known.protocol) if told in _STATES else told
        reply = with_field(reply, _STATE, I32, int(shown).to_bytes(4, "big"))
    for path, time_ms in ((_STARTED, known.started), (_COMPLETED, known.completed)):
        if time_ms is not None and find(reply, path) is None:
            reply = with_field(reply, path, I64, time_ms.to_bytes(8, "big"))
    if find(reply, _HAS_RESULT_SET) is None:
        reply = with_field(reply, _HAS_RESULT_SET, BOOL, bytes([known.has_result_set]))
    if progress is not None:
        reply = with_field(reply, _PROGRESS, STRUCT, encode(progress))
    return reply


class ProgressBar:
    """The progress of one operation as reported to its client; the stages are looked up at most every half second.

    Beeline holds back log lines while there is a progress bar, and then prints them over any later bar. So an operation
    reports progress all the time, even before its first stage and between its refreshes. An operation whose stages are
    unknown at the first lookup never reports progress.
    """

    def __init__(self, started_ms: int) -> None:
        self._started_ms = started_ms
        self._looked_at = float("-inf")
        self._stages: dict[int, Stage] = {}
        self._known = True
        self._seen: Any = None

    async def told(self, call: Message, look: Callable[[], Awaitable[tuple[Stage, ...] | None]]) -> Any:
        """Return the progress response for a status poll; `look` looks up the current stages.

        Return None if the poll (`call`) does not ask for progress, or if the stages are unknown.
        """
        asked = find(call.message, _GET_PROGRESS)
        if asked is None or not call.message[asked.start] or not self._known:
            return None
        now = asyncio.get_running_loop().time()
        if now - self._looked_at >= _LOOK_AGAIN:
            self._looked_at = now
            try:
                stages = await look()
            except Exception as error:  # the statement itself is not affected
                logger.warning("progress unknown error=%r", error)
                stages = None
            if self._seen is None and stages is None:
                self._known = False
                return None
            self._note(stages or ())
            self._seen = progress_response(tuple(self._stages.values()), self._started_ms)
        return self._seen

    def _note(self, stages: tuple[Stage, ...]) -> None:
        """Record the reported stages; mark as completed all stages recorded earlier that are no longer reported."""
        ended = {number: replace(stage, completed=stage.tasks, running=0) for number, stage in self._stages.items()}
        self._stages = ended | {stage.id: stage for stage in stages}


_SOON = 0.1  # seconds within which most statements end


async def early_schema(sql: str, query: Query, end: Awaitable[None]) -> Any:
    """Return the result schema of a query that is still running, by DESCRIBE QUERY.

    `sql` is the text of the running query, `query` runs a statement, and `end` completes when the running query has
    ended. Wait for `end` and return None if `sql` is no query, or if DESCRIBE QUERY fails or is slower than the running
    query. A column of a type that Viewgate does not know also gives None, because Spark may report such a type
    differently.
    """
    ending = asyncio.ensure_future(end)
    describing: asyncio.Task[Any] | None = None
    try:
        await asyncio.wait({ending}, timeout=_SOON)
        if not ending.done() and classify(sql).query:
            describing = asyncio.create_task(_described(sql, query))
            await asyncio.wait({ending, describing}, return_when=asyncio.FIRST_COMPLETED)
            if describing.done() and (schema := describing.result()) is not None:
                return schema
        await ending
        return None
    finally:
        ending.cancel()
        if describing is not None:
            describing.cancel()


async def _described(sql: str, query: Query) -> Any:
    """Return the schema of the query `sql` by DESCRIBE QUERY, which the function `query` runs.

    Return None if DESCRIBE QUERY fails. Also return None if a column has a type that Viewgate does not know, because
    Spark may report such a type differently.
    """
    try:
        columns = [ColumnDesc(column.name, column.type) for column in await described(sql, query)]
    except SqlError:
        return None
    known = all(TypeName.of(column.type).known for column in columns)
    return table_schema(columns) if known else None
