import pytest

from proxy.hs2 import SqlError, encode_call, encode_reply, read_reply, read_request, success
from proxy.hs2.generated import ttypes
from proxy.wire import Fault, application_exception, find, read_head, read_i32


def test_calls_and_replies_survive() -> None:
    request = ttypes.TExecuteStatementReq(statement="SELECT 'ü'", runAsync=True)
    call = encode_call("ExecuteStatement", 3, request)
    assert read_request(call, ttypes.TExecuteStatementReq) == request
    reply = encode_reply("ExecuteStatement", 3, ttypes.TExecuteStatementResp(status=success()))
    assert read_reply(reply, ttypes.TExecuteStatementResp).status == success()
    head = read_head(reply)
    status = find(reply, (0, 1, 1))
    assert head is not None
    assert status is not None
    assert (head.name, head.seqid, read_i32(reply, status)) == ("ExecuteStatement", 3, 0)


def test_what_the_other_side_raises_is_an_error() -> None:
    message = application_exception("GetInfo", 0, Fault.INTERNAL_ERROR, "boom")
    with pytest.raises(SqlError, match="could not answer the call GetInfo: boom"):
        read_reply(message, ttypes.TGetInfoResp)


def test_bytes_that_are_something_else() -> None:
    call = encode_call("X", 0, ttypes.TStatus(statusCode=0))
    assert read_request(call, ttypes.TExecuteStatementReq).statement is None
    with pytest.raises(SqlError, match="contains no response"):
        read_reply(call, ttypes.TExecuteStatementResp)
