"""The columns reported for a running query are those that Spark reports at its end."""

from __future__ import annotations

from typing import Any

from TCLIService import ttypes

from tests.clients.script import TYPES
from tests.integration import clients
from tests.integration.gate import Gate

SLOW = "FROM range(1) WHERE (SELECT sum(hash(id)) FROM range(400000000)) IS NOT NULL"


def schema(connection: Any, handle: Any) -> Any:
    request = ttypes.TGetResultSetMetadataReq(operationHandle=handle)
    return connection._client.GetResultSetMetadata(request).schema


def finished(connection: Any, handle: Any) -> bool:
    request = ttypes.TGetOperationStatusReq(operationHandle=handle)
    state = connection._client.GetOperationStatus(request).operationState
    assert state != ttypes.TOperationState.ERROR_STATE
    return bool(state == ttypes.TOperationState.FINISHED_STATE)


def started(connection: Any, sql: str) -> Any:
    request = ttypes.TExecuteStatementReq(sessionHandle=connection._sessionHandle, statement=sql, runAsync=True)
    return connection._client.ExecuteStatement(request).operationHandle


def test_it_is_the_same_schema_before_the_end(gate: Gate) -> None:
    columns = ",".join(part for part in TYPES.strip().split(",") if "INTERVAL" not in part)
    with clients.pyhive(gate.port) as through, clients.pyhive(gate.spark_port) as direct:
        handle = started(through, f"{columns} {SLOW}")
        early = schema(through, handle)
        through._client.CancelOperation(ttypes.TCancelOperationReq(operationHandle=handle))
        at_its_end = started(direct, columns)
        while not finished(direct, at_its_end):
            pass
        assert len(early.columns) > 15
        assert early == schema(direct, at_its_end)
