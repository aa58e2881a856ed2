import gc
from typing import Any

import pytest

from proxy.hs2 import ResultSet, encode_reply, encode_rows, success
from proxy.hs2.generated import ttypes
from proxy.wire import REPLY, write_head
from proxy.wire.message import _is_whole_slowly, is_whole
from tests.unit.wire.messages import EXECUTE

ROWS = ResultSet.of("zero int", "text", rows=[[0, "a\0\0"], [None, None], [0, "\0"]])
FETCHED = encode_reply(
    "FetchResults",
    1,
    ttypes.TFetchResultsResp(status=success(), results=encode_rows(ROWS.columns, ROWS.rows, 0, 10)),
)


@pytest.mark.parametrize("message", [EXECUTE, FETCHED])
@pytest.mark.parametrize("way", [is_whole, _is_whole_slowly])
def test_only_all_of_a_message_is_whole(message: Any, way: Any) -> None:
    assert way(message)
    assert not any(way(message[:cut]) for cut in range(len(message)))
    assert not way(message + b"\0")
    assert not way(message + message)


def test_what_cannot_be_read_is_not_whole() -> None:
    for body in (bytes.fromhex("0c0001") * 1_000_000, bytes.fromhex("050001 00 00"), bytes.fromhex("0b0001 7fffffff")):
        assert not is_whole(write_head("X", REPLY, 0) + body)


def test_a_head_that_claims_more_than_there_is() -> None:
    for head in ("", "8001", "80010002 7fffffff 00000000", "80010002 00000004 41414141 00000000", "00000007 41414141"):
        assert not is_whole(bytes.fromhex(head))


def test_a_message_that_was_looked_at_is_not_kept() -> None:
    large = encode_reply("Large", 1, ttypes.TStatus(statusCode=0, errorMessage="x" * 1000))
    gc.collect()
    gc.disable()
    try:
        assert is_whole(large)
        assert gc.collect() == 0
    finally:
        gc.enable()
