"""Damaged calls, sent to a whole proxy: each is answered or closes its own connection, and no other.

The corpus has calls that real clients have sent; each is sent as it is, and also damaged.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from typing import Any

import pytest

from proxy.hs2 import encode_call
from proxy.hs2.generated import ttypes
from proxy.server import Limits
from proxy.service.service import HANDLERS
from proxy.session import Handle
from proxy.wire import frame
from tests.unit.support import corpus
from tests.unit.support.proxied import Proxied, RawClient, until, with_proxy

ROUNDS = 400
# Numbers that lengths and counts are never meant to be, and types that no field has.
WORDS = [bytes.fromhex(word) for word in ("7fffffff", "ffffffff", "00000000", "80000000", "0c" * 40, "0f0d0e")]


def calls(session: Any, operation: Any) -> Iterator[bytes]:
    """Yield a call of every kind, as clients make them."""
    requests = {
        "OpenSession": ttypes.TOpenSessionReq(client_protocol=10, configuration={"use:database": "default"}),
        "GetInfo": ttypes.TGetInfoReq(sessionHandle=session, infoType=17),
        "ExecuteStatement": ttypes.TExecuteStatementReq(
            sessionHandle=session, statement="SELECT 1", confOverlay={"a": "b"}, runAsync=True, queryTimeout=9
        ),
        "FetchResults": ttypes.TFetchResultsReq(operationHandle=operation, orientation=0, maxRows=10, fetchType=0),
        "GetTables": ttypes.TGetTablesReq(sessionHandle=session, schemaName="%", tableTypes=["TABLE", "VIEW"]),
        "GetColumns": ttypes.TGetColumnsReq(sessionHandle=session, tableName="a_b", columnName="%"),
    }
    for name in HANDLERS:
        request = requests.get(name)
        if request is None:
            # Some have no types here: they begin with a handle of a session, as CloseSession does.
            make = getattr(ttypes, f"T{name}Req", ttypes.TCloseSessionReq)
            handles = {"sessionHandle": session, "operationHandle": operation}
            request = make(**{key: handles[key] for key in make().__dict__ if key in handles})
        yield encode_call(name, 7, request)


def damaged(message: bytes, chance: random.Random) -> bytes:
    """Return the message with a few bytes damaged."""
    data = bytearray(message)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        how = chance.randrange(5)
        if how == 0 and data:
            data[at % len(data)] = chance.randrange(256)
        elif how == 1:
            data[at : at + 4] = chance.choice(WORDS)
        elif how == 2:
            del data[at : at + chance.randint(1, 8)]
        elif how == 3:
            data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 8)))
        else:
            data[at:at] = data[at : at + chance.randint(1, 60)]
    return bytes(data)


async def send(port: int, message: bytes) -> bytes:
    """Return the answer, if there is one before either side closes the connection."""
    async with RawClient(port) as client:
        client.writer.write(frame(message))
        client.writer.write_eof()
        with contextlib.suppress(ConnectionError):
            return await client.reader.read()
    return b""


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_sent_harms_no_other_connection(seed: int, caplog: pytest.LogCaptureFixture) -> None:
    async def test(proxied: Proxied) -> None:
        chance, proxied.spark.tidy = random.Random(seed), True
        async with RawClient(proxied.port) as witness:
            session = await witness.open_session()
            operation = (await witness.execute(session, "SELECT 1", run_async=False)).operationHandle
            handles = [Handle(one.guid, one.secret) for one in (session.sessionId, operation.operationId)]
            known = [sent.addressed_to(*handles) for sent in corpus.CALLS]
            starts, sent = [*calls(session, operation), *known], list(known)
            for number in range(ROUNDS):
                message = sent.pop() if sent else damaged(chance.choice(starts), chance)
                reply = await send(proxied.port, message)
                # An error without a name is one that no handler has thought of.
                assert b"XX000" not in reply, message.hex()
                assert not [record for record in caplog.records if record.levelname == "ERROR"], message.hex()
                if number % 50 == 0:
                    session = await witness.open_session()
                    answer = await witness.execute(session, "SELECT 2", run_async=False)
                    assert await witness.first_column(answer.operationHandle) == ["SELECT 2"]
            await until(lambda: len(proxied.server._connections) == 1)

    with_proxy(test, Limits(grace=0.2, message=1 << 20))


def test_every_call_is_among_those_that_are_damaged() -> None:
    handle = ttypes.THandleIdentifier(guid=bytes(16), secret=bytes(16))
    session, operation = ttypes.TSessionHandle(sessionId=handle), ttypes.TOperationHandle(operationId=handle)
    assert len(list(calls(session, operation))) == len(HANDLERS)


def test_the_corpus_has_every_call_that_clients_make() -> None:
    # Delegation tokens are for clusters, which ask Spark for them in vain.
    never = {name for name in HANDLERS if name.endswith("DelegationToken")}
    assert {sent.what for sent in corpus.CALLS} >= HANDLERS.keys() - never
