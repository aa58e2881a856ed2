"""Spark's status of an operation with what it leaves out; without `hasResultSet`, Hive JDBC asks for ever.

Such replies differ in little, so where what they lack belongs is found out once for each shape.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from proxy.hs2 import encode
from proxy.hs2.protocol import knows_timeout
from proxy.session import OperationState
from proxy.wire import find, read_i32, with_field
from proxy.wire.layout import BOOL, I32, I64, STRUCT
from proxy.wire.message import body_of
from proxy.wire.shape import example_of, shape_of

_STATE, _STARTED, _COMPLETED, _HAS_RESULT_SET, _PROGRESS = (0, 2), (0, 7), (0, 8), (0, 9), (0, 10)
_SEQID = 4
_MARK = bytes.fromhex("7f e5 a1 07 3d c4 b2")  # of a time in an example: in no text, not being UTF-8

# What clients are told of a state. Superset leaves its loop on anything but INITIALIZED and RUNNING.
_SHOWN = {OperationState.PENDING: OperationState.RUNNING, OperationState.INITIALIZED: OperationState.RUNNING}
_STATES = frozenset(OperationState)


class Known(NamedTuple):
    """What we know of an operation: its client's protocol, whether it has a result, and times in milliseconds."""

    protocol: int
    has_result_set: bool
    started: int
    completed: int | None


def shown_state(state: OperationState, protocol: int) -> OperationState:
    """The state as clients of a protocol can understand it."""
    if state is OperationState.TIMEDOUT and not knows_timeout(protocol):
        return OperationState.CANCELED
    return _SHOWN.get(state, state)


def completed(reply: bytes, known: Known, progress: Any = None) -> bytes:
    """The reply with what is known of the operation, and its progress, as far as it does not tell that itself."""
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
    """The completed body: what all replies of a shape share, each part with the number of the time after it."""
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
