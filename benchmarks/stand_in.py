"""A stand-in for Spark Thrift Server with the same limits on threads; prints its port.

    python benchmarks/stand_in.py [seconds that a statement takes; else 0.02]

As Spark Thrift Server does, it accepts and closes a connection for which it has no thread, and refuses a statement
beyond those running and queued.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import uvloop

sys.path.insert(0, str(Path(__file__).parents[1]))

from proxy.hs2 import ResultSet, SqlError, failure, read_request
from proxy.hs2.generated import ttypes
from proxy.session import OperationState
from tests.unit.support.fake_spark import FakeSpark, Running

THREADS, RUNNING, QUEUED = 500, 100, 100
SET = ResultSet.of("key", "value", rows=[[f"spark.some.setting.of.the.server.{n}", f"value {n}"] for n in range(60)])
STATE = ResultSet.of("catalog", "namespace", "zone", rows=[["lake", "default", "UTC"]])
RESULTS = {
    "SET": SET,
    "SET -v": SET,
    "SELECT current_catalog(), current_database(), current_timezone() FROM VALUES (1)": STATE,
}


class StandIn(FakeSpark):
    """A stand-in server with limits."""

    def __init__(self, seconds: float) -> None:
        super().__init__(lambda sql: RESULTS.get(sql) or ResultSet.of("sql", rows=[[sql]]))
        self.seconds = seconds
        self.threads = THREADS
        self.at_work = 0
        self.slots = asyncio.Semaphore(RUNNING)
        self.tasks: set[asyncio.Task[None]] = set()

    async def _answer(self, user: str, message: bytes) -> bytes:
        reply = await super()._answer(user, message)
        self.messages.clear()
        self.history.clear()
        return reply

    async def _ExecuteStatement(self, _user: str, message: bytes) -> Any:  # noqa: N802
        if self.at_work >= RUNNING + QUEUED:
            error = SqlError("The background threadpool cannot accept new task for execution", "HY000")
            return ttypes.TExecuteStatementResp(status=failure(error))
        sql = read_request(message, ttypes.TExecuteStatementReq).statement
        running = Running(sql, self.script(sql))
        self.at_work += 1
        task = asyncio.create_task(self._run(running))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return self._started(running)

    async def _run(self, running: Running) -> None:
        async with self.slots:
            await asyncio.sleep(self.seconds)
        self.at_work -= 1
        if running.state is OperationState.RUNNING:
            running.end(OperationState.FINISHED)


async def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.02
    async with StandIn(seconds) as server:
        print(server.port, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(main())
