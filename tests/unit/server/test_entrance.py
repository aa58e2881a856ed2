"""The size limits of a message, in each transport."""

import asyncio
import contextlib

import pytest

from proxy.hs2 import encode_call
from proxy.hs2.generated import ttypes
from proxy.server import Limits
from proxy.wire import with_field
from proxy.wire.message import LIST, STRUCT
from tests.unit.support.proxied import Proxied, RawClient, with_proxy
from tests.unit.support.transports import BareClient, HttpClient


@pytest.mark.parametrize("client", [RawClient, BareClient, HttpClient])
@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(string=300, grace=0.2), "a string of 301 bytes in a Thrift message exceeds the limit of 300 bytes"),
        (
            Limits(container=30, grace=0.2),
            "a list, set or map of 31 elements in a Thrift message exceeds the limit of 30",
        ),
        (Limits(nesting=9, grace=0.2), "values are nested more than 9 deep"),
    ],
)
def test_a_message_that_holds_too_much_ends_its_connection(
    client: type[RawClient], limits: Limits, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def test(proxied: Proxied) -> None:
        async with client(proxied.port) as sending:
            opening = ttypes.TOpenSessionReq(client_protocol=9, username="bob", configuration={"a": "b" * 300})
            session = (await sending.ask("OpenSession", opening, ttypes.TOpenSessionResp)).sessionHandle
            request = ttypes.TExecuteStatementReq(sessionHandle=session, statement="x" * 301)
            message = encode_call("ExecuteStatement", 1, request)
            if limits.container == 30:
                message = with_field(message, (1, 99), LIST, b"\x02" + (31).to_bytes(4, "big") + bytes(31))
            if limits.nesting == 9:
                message = with_field(message, (1, 99), STRUCT, bytes.fromhex("0c0001") * 8 + bytes(9))
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await sending.call(message)
                assert sending.reader.at_eof() or await sending.reader.read() == b""
        assert not proxied.spark.sent("ExecuteStatement")

    with_proxy(test, limits)
    assert said in caplog.text
