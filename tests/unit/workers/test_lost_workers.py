"""A worker that ends loses its sessions: clients learn what may have been executed in them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from proxy.hs2 import encode_call, read_reply
from proxy.hs2.generated import ttypes
from proxy.service import Peer
from proxy.workers import Neighbours, SharedService
from proxy.workers.neighbours import place
from tests.unit.journal.stubs import session

MINE, YOURS = b"\0\1", b"\0\2"
IDENTIFIER = ttypes.THandleIdentifier(guid=bytes(14) + YOURS, secret=bytes(16))
NO_RESULT = "If the statement writes, it may have been executed; check before you run it again."


def refusal(folder: Path, name: str, request: Any, response: type[Any], *, listens: bool = True) -> tuple[str, str]:
    """Return the SQLSTATE and the message if the worker ends during a call, or no longer listens."""

    async def end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.transport.abort()

    async def main() -> Any:
        nothing: Any = None
        service = SharedService(Neighbours(folder, MINE), 2, nothing, nothing, nothing)
        message = encode_call(name, 7, request)
        if not listens:
            return await service.handle(Peer("ann", "10.0.0.1:5"), message)
        async with await asyncio.start_unix_server(end, place(folder, YOURS)):
            return await service.handle(Peer("ann", "10.0.0.1:5"), message)

    status = read_reply(asyncio.run(main()), response).status
    return status.sqlState, status.errorMessage


@pytest.mark.parametrize(
    ("sql", "listens", "state", "advice"),
    [
        ("SELECT 1", True, "08S01", "Open a new session and try again."),
        ("INSERT INTO t VALUES (1)", False, "08S01", "Open a new session and try again."),
        (
            *("INSERT INTO t VALUES (1)", True, "08007"),
            "The statement may have been executed; check before you run it again.",
        ),
    ],
)
def test_a_statement_that_writes_may_have_been_executed_where_it_was_sent(
    tmp_path: Path, sql: str, listens: bool, state: str, advice: str
) -> None:
    request = ttypes.TExecuteStatementReq(sessionHandle=ttypes.TSessionHandle(sessionId=IDENTIFIER), statement=sql)
    told = refusal(tmp_path, "ExecuteStatement", request, ttypes.TExecuteStatementResp, listens=listens)
    assert told[0] == state
    assert told[1].startswith("The session is lost: ")
    assert told[1].endswith(advice)


@pytest.mark.parametrize("listens", [True, False])
def test_nobody_knows_the_statement_of_a_lost_operation(tmp_path: Path, listens: bool) -> None:
    operation = ttypes.TOperationHandle(operationId=IDENTIFIER, operationType=0, hasResultSet=True)
    request = ttypes.TGetOperationStatusReq(operationHandle=operation)
    told = refusal(tmp_path, "GetOperationStatus", request, ttypes.TGetOperationStatusResp, listens=listens)
    assert told[0] == "08S01"
    assert told[1].endswith(f"Open a new session. {NO_RESULT}")


def test_a_worker_that_retires_waits_for_its_sessions_so_many_seconds(tmp_path: Path) -> None:
    async def main() -> None:
        nothing: Any = None
        service = SharedService(Neighbours(tmp_path, MINE), 2, nothing, nothing, nothing)
        await service.retire(3600)  # it has none
        open_one = session()
        service.sessions.add(open_one)
        await service.retire(0.01)
        retiring = asyncio.create_task(service.retire(3600))
        await asyncio.sleep(0)
        assert not retiring.done()
        service.sessions.remove(open_one)
        await asyncio.wait_for(retiring, 1)

    asyncio.run(main())
