"""Calls that are recognized by their bytes."""

from __future__ import annotations

import pytest

from proxy.hs2 import encode_call
from proxy.hs2.generated import ttypes
from proxy.session import Foreseen, Handle, numbered
from proxy.session.calls import Message
from proxy.wire import CALL, WireError, read_head, write_head

OPERATION = Handle.new()


def close_call(handle: Handle, seqid: int) -> bytes:
    identifier = ttypes.THandleIdentifier(guid=handle.guid, secret=handle.secret)
    operation = ttypes.TOperationHandle(operationId=identifier, operationType=0, hasResultSet=True)
    return encode_call("CloseOperation", seqid, ttypes.TCloseOperationReq(operationHandle=operation))


@pytest.mark.parametrize("seqid", [0, 1, -1, 2**31 - 1])
def test_a_call_is_known_under_any_sequence_id_and_answered_under_its_own(seqid: int) -> None:
    handle, foreseen = Handle.new(), Foreseen()
    foreseen.expect(close_call(handle, 5), OPERATION, lambda: b"reply")
    known = foreseen.knows(close_call(handle, seqid))
    assert known is not None
    assert known[1]() == b"reply"
    assert numbered(close_call(handle, 9), close_call(handle, seqid)) == close_call(handle, seqid)


def test_no_other_bytes_are_known() -> None:
    handle, foreseen = Handle.new(), Foreseen()
    call = close_call(handle, 5)
    foreseen.expect(call, OPERATION, lambda: b"reply")
    others = [call[:n] for n in range(len(call))] + [call + b"\0", close_call(Handle.new(), 5), b"\xff" * 20]
    assert [foreseen.knows(other) for other in others] == [None] * len(others)


def test_what_was_told_for_good_is_known_until_something_else_is() -> None:
    one, other, foreseen = close_call(Handle.new(), 5), close_call(Handle.new(), 5), Foreseen()
    foreseen.told(one, OPERATION, b"one")
    known = foreseen.knows(one)
    assert known is not None
    assert known[1]() == b"one"
    foreseen.told(other, OPERATION, b"other")
    assert foreseen.knows(one) is None
    foreseen.told(one + bytes(4096), OPERATION, b"long")
    assert [foreseen.knows(call) for call in (one, other, one + bytes(4096))] == [None] * 3


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "FetchResults",
            "'operationHandle' of FetchResults is unset! Send the handle that ExecuteStatement has returned",
        ),
        ("GetInfo", "'sessionHandle' of GetInfo is unset! Send the handle that OpenSession has returned"),
    ],
)
def test_a_call_without_a_handle_is_refused_with_the_name_of_the_field(name: str, said: str) -> None:
    message = write_head(name, CALL, 0) + b"\0"
    head = read_head(message)
    assert head is not None
    with pytest.raises(WireError, match=said):
        Message(head, message).handle()
