from __future__ import annotations

from typing import Any

import pytest

from proxy.hs2 import encode_reply, read_reply, success
from proxy.hs2.generated import ttypes
from proxy.service.operations.running import Known, completed
from proxy.session import OperationState as S
from proxy.wire import read_head

V8, V11 = 7, 10


def told(known: Known, progress: Any = None, seqid: int = 7, **fields: Any) -> Any:
    """Return what a client reads in one of Spark's replies."""
    response = ttypes.TGetOperationStatusResp(status=success(), **fields)
    reply = completed(encode_reply("GetOperationStatus", seqid, response), known, progress)
    head = read_head(reply)
    assert head is not None
    assert head.seqid == seqid
    return read_reply(reply, ttypes.TGetOperationStatusResp)


@pytest.mark.parametrize("again", [1, 2])
def test_what_spark_leaves_out_is_added(again: int) -> None:
    status = told(Known(V11, True, 1000 + again, 2000 + again), seqid=again, operationState=2)
    assert (status.operationState, status.hasResultSet) == (2, True)
    assert (status.operationStarted, status.operationCompleted) == (1000 + again, 2000 + again)


def test_of_two_alike_each_has_its_own() -> None:
    assert told(Known(V11, True, 5, 6), operationState=2).operationCompleted == 6
    running = told(Known(V11, False, 7, None), operationState=1)
    assert (running.operationStarted, running.operationCompleted, running.hasResultSet) == (7, None, False)
    assert told(Known(V11, True, 8, 9), operationState=2).operationStarted == 8


def test_what_spark_says_itself_stays() -> None:
    status = told(Known(V11, True, 5, 6), operationState=2, operationStarted=1, hasResultSet=False)
    assert (status.operationStarted, status.operationCompleted, status.hasResultSet) == (1, 6, False)


@pytest.mark.parametrize("size", [3, 600])
def test_an_error_whose_text_is_short_or_long(size: int) -> None:
    text = "ä" * size
    status = told(Known(V11, True, 5, 6), operationState=5, errorMessage=text, sqlState="42P01", errorCode=3)
    assert (status.errorMessage, status.sqlState, status.errorCode) == (text, "42P01", 3)
    assert (status.operationStarted, status.operationCompleted) == (5, 6)


@pytest.mark.parametrize(
    ("state", "protocol", "shown"),
    [(S.TIMEDOUT, V8, S.CANCELED), (S.TIMEDOUT, V11, S.TIMEDOUT), (S.PENDING, V11, S.RUNNING), (77, V11, 77)],
)
def test_a_state_is_one_that_the_client_understands(state: int, protocol: int, shown: int) -> None:
    assert told(Known(protocol, True, 5, 6), operationState=int(state)).operationState == shown


def test_progress_is_added() -> None:
    progress = ttypes.TProgressUpdateResp(
        headerNames=["a"], rows=[["b"]], progressedPercentage=0.5, status=0, footerSummary="c", startTime=1
    )
    status = told(Known(V11, True, 5, None), progress, operationState=1)
    assert (status.progressUpdateResponse.rows, status.operationStarted) == ([["b"]], 5)
