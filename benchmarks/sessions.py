"""Measures what an idle session costs the proxy, and how working clients fare while most sessions are idle.

    python benchmarks/sessions.py [--idle 10000] [--working 500] [--statements 3] [--spark]

Opens sessions, each on its own connection, runs a statement in each (with `--spark`: in the first hundred), and divides
the growth of the proxy's memory by their number. Then some of them run statements at once, before a server with 500
threads for connections and 100 for statements: a stand-in that speaks the protocol or, with `--spark`, a real one. No
client may be refused, and none may wait much longer than the others. At the end half of the clients close their
sessions, the others drop their connections, and nothing may be left of any of them.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvloop
from pyiceberg.catalog.sql import SqlCatalog

sys.path.insert(0, str(Path(__file__).parents[1]))

from proxy.hs2.generated import ttypes
from tests.integration.gate import Gate
from tests.unit.support.proxied import RawClient

AT_ONCE = 64  # sessions that are being opened
CONFIGURATION = {
    "use:database": "default",
    "set:hiveconf:hive.server2.thrift.resultset.default.fetch.size": "1000",
}
SETTINGS = """[[upstream]]
host = "127.0.0.1"
port = {port}
[catalog]
name = "lake"
type = "sql"
uri = "sqlite:///{folder}/catalog.db"
warehouse = "{folder}/warehouse"
"""


def resident(process: int) -> int:
    """Return the resident memory of a process in bytes."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096


def descriptors(process: int) -> int:
    """Return the number of file descriptors that a process has open."""
    return len(list(Path(f"/proc/{process}/fd").iterdir()))


async def settled(process: int, number: int) -> int:
    """Wait until a process has at most this number of open descriptors; after a minute, return how many are left."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(60):
            while descriptors(process) > number:
                await asyncio.sleep(0.1)
    return descriptors(process)


class Session:
    """A client's session on a connection of its own, as Hive JDBC has it."""

    def __init__(self, number: int, port: int) -> None:
        self.client = RawClient(port, f"user{number % 50}")
        self.seconds: list[float] = []  # of each statement
        self.refused = ""

    async def open(self) -> None:
        await self.client.__aenter__()
        request = ttypes.TOpenSessionReq(client_protocol=9, configuration=CONFIGURATION)
        response = await self.client.ask("OpenSession", request, ttypes.TOpenSessionResp)
        assert response.status.statusCode == 0, response.status
        self.handle = response.sessionHandle

    async def run(self, sql: str) -> None:
        """Run a statement, from its start to its last row."""
        response = await self.client.execute(self.handle, sql)
        assert response.status.statusCode == 0, response.status
        end = await self.client.end(response.operationHandle)
        assert end.operationState == 2, end
        rows = await self.client.fetch(response.operationHandle)
        assert rows.status.statusCode == 0, rows.status
        closing = ttypes.TCloseOperationReq(operationHandle=response.operationHandle)
        await self.client.ask("CloseOperation", closing, ttypes.TCloseOperationResp)

    async def work(self, statements: int) -> None:
        """Run statements until one is refused, at most this number, and keep the time of each."""
        for number in range(statements):
            started = time.perf_counter()
            try:
                await self.run(f"SELECT {number}")
            except AssertionError as error:
                self.refused = str(error)
                return
            self.seconds.append(time.perf_counter() - started)

    async def leave(self) -> None:
        """Close the session and the connection."""
        closing = ttypes.TCloseSessionReq(sessionHandle=self.handle)
        await self.client.ask("CloseSession", closing, ttypes.TCloseSessionResp)
        self.client.writer.close()


async def measure(port: int, process: int, options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    warm = await opened(range(50), port, 50)
    await asyncio.gather(*(session.leave() for session in warm))
    at_first = descriptors(process)
    before = resident(process)
    started = time.perf_counter()
    sessions = await opened(range(options.idle), port, 100 if options.spark else options.idle)
    took = time.perf_counter() - started
    grown = resident(process) - before
    working = sessions[:: max(1, len(sessions) // options.working)][: options.working]
    await asyncio.gather(*(session.work(options.statements) for session in working))
    refused = [session.refused for session in working if session.refused]
    seconds = sorted(sum(session.seconds) for session in working)
    each = [second for session in working for second in session.seconds]
    in_all = resident(process)
    await asyncio.gather(*(session.leave() for session in sessions[::2]))
    for session in sessions[1::2]:
        session.client.writer.close()
    left = await settled(process, at_first)
    return iter(
        [
            ("idle sessions", f"{len(sessions):,}, opened in {took:.1f} s"),
            ("the proxy's memory for each, KiB", f"{grown / len(sessions) / 1024:.1f}"),
            ("the proxy's memory in all, MiB", f"{in_all / 2**20:.0f}"),
            (
                f"{len(working)} of them at once, {options.statements} statements each, refused",
                " ".join([str(len(refused)), *refused[:1]]),
            ),
            ("seconds until one is done: first, median, last", _spread(seconds)),
            ("seconds for a statement: shortest, median, longest", _spread(each)),
            ("descriptors before anybody came, and after all have left", f"{at_first}, {left}"),
            ("the proxy's memory then, MiB", f"{resident(process) / 2**20:.0f}"),
        ]
    )


def _spread(seconds: list[float]) -> str:
    return f"{min(seconds):.1f}, {statistics.median(seconds):.1f}, {max(seconds):.1f}"


async def opened(numbers: range, port: int, used: int) -> list[Session]:
    """Return open sessions, of which the first have run a statement."""
    sessions = [Session(number, port) for number in numbers]
    turn = asyncio.Semaphore(AT_ONCE)

    async def begin(session: Session, use: bool) -> None:
        async with turn:
            await session.open()
            if use:
                await session.run("SELECT 1")

    await asyncio.gather(*(begin(session, number < used) for number, session in enumerate(sessions)))
    return sessions


@contextmanager
def gate(spark: bool) -> Iterator[Gate]:
    """Start a Viewgate before a Spark of its own, or before the stand-in."""
    with tempfile.TemporaryDirectory() as folder:
        if spark:
            with Gate("--data", folder) as running:
                yield running
            return
        command = [sys.executable, str(Path(__file__).with_name("stand_in.py"))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            settings = Path(folder, "viewgate.toml")
            SqlCatalog("lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"{folder}/warehouse")
            settings.write_text(SETTINGS.format(port=int(server.stdout.readline()), folder=folder))
            try:
                with Gate("--config", settings) as running:
                    yield running
            finally:
                server.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--idle", type=int, default=10_000)
    parser.add_argument("--working", type=int, default=500)
    parser.add_argument("--statements", type=int, default=3)
    parser.add_argument("--spark", action="store_true", help="before a real Spark")
    options = parser.parse_args()
    with gate(options.spark) as running, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        table: Any = runner.run(measure(running.port, running.process.pid, options))
        for what, figure in table:
            print(f"{what:<62} {figure}", flush=True)


if __name__ == "__main__":
    main()
