from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from proxy.hs2 import encode_call, encode_reply, success
from proxy.hs2.generated import ttypes
from proxy.service.settled import Settled
from proxy.session import Operation
from proxy.session import OperationState as S
from proxy.wire import frame, read_head

OPERATION = cast(Operation, object())


def asked(seqid: int, secret: bytes = b"s" * 16) -> bytes:
    identifier = ttypes.THandleIdentifier(guid=b"g" * 16, secret=secret)
    handle = ttypes.TOperationHandle(operationId=identifier, operationType=0, hasResultSet=True)
    return encode_call("GetOperationStatus", seqid, ttypes.TGetOperationStatusReq(operationHandle=handle))


def told(seqid: int, state: S) -> bytes:
    response: Any = ttypes.TGetOperationStatusResp(status=success(), operationState=int(state))
    return encode_reply("GetOperationStatus", seqid, response)


def settled(state: S = S.FINISHED) -> Settled | None:
    head = read_head(asked(1))
    assert head is not None
    return Settled.of(OPERATION, head, asked(1), told(1, state))


@pytest.mark.parametrize("framing", [bytes, frame])
def test_the_same_question_has_the_same_answer_under_its_own_number(framing: Callable[[bytes], bytes]) -> None:
    known = settled()
    assert known is not None
    known = known.framed(framing)
    assert known.operation is OPERATION
    assert known.again(framing(asked(0x7FFFFFFF))) == framing(told(0x7FFFFFFF, S.FINISHED))


def test_any_other_bytes_have_not() -> None:
    known = settled()
    assert known is not None
    known, question = known.framed(frame), frame(asked(2))
    others = [question[:-1], question + b"\0", question * 2, question[:30], frame(asked(2, b"t" * 16)), asked(2)]
    assert [known.again(other) for other in others] == [None] * len(others)


def test_what_still_runs_is_not_settled() -> None:
    assert settled(S.RUNNING) is None
