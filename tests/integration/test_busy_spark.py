"""While Spark is busy with one client's statement, other clients' statements are accepted at once,
and wait in Spark.
"""

from __future__ import annotations

from typing import Any

from TCLIService import ttypes

from tests.integration import clients
from tests.integration.daemon import eventually
from tests.integration.gate import Gate

BUSY = "SELECT sum(hash(id)) FROM range(40000000000)"


def status(cursor: Any) -> Any:
    request = ttypes.TGetOperationStatusReq(operationHandle=cursor._operationHandle, getProgressUpdate=True)
    return cursor._connection._client.GetOperationStatus(request)


def under_way(cursor: Any) -> bool:
    told = status(cursor)
    assert told.operationState == ttypes.TOperationState.RUNNING_STATE
    return bool(told.progressUpdateResponse and told.progressUpdateResponse.rows)


def test_a_statement_is_taken_on_though_nothing_of_spark_is_free(gate: Gate) -> None:
    with clients.pyhive(gate.port) as one, clients.pyhive(gate.port) as other:
        busy, waiting = one.cursor(), other.cursor()
        busy.execute(BUSY, async_=True)
        eventually(lambda: under_way(busy))
        waiting.execute("SELECT count(*) FROM demo.sales WHERE price > 1", async_=True)
        assert status(busy).operationState == ttypes.TOperationState.RUNNING_STATE
        for cursor in (waiting, busy):
            cursor.cancel()
