"""Measures what the proxy adds to a statement, and how fast rows come through it: through the proxy and past it, in
turns.

    python benchmarks/overhead.py [--statements 3000] [--rows 1000000] [--rounds 3]

`SELECT 1` is sent one after the other: ten times directly to Spark, ten times through the proxy, ten times through a
relay that only copies bytes, and ten times directly again on another connection, which shows the error of the
measurement itself. The order of the four is drawn for each round. One further statement before each ten is not counted,
because the way was idle, and because work left from the previous ten falls to it. The output has the median of the
differences between statements at the same position, with its 95 % confidence interval (by order statistics, without
assuming a distribution), for a statement and for each of its calls, and the processor time of the proxy. A million rows
are read by PyHive and by Hive JDBC; the latter asks for the operation's status for each row, so that its rate mostly
shows how fast the proxy answers that call.

The goals: a statement takes at most 1 % longer, a call at most 50 µs longer, and rows come at least as fast as
directly.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from proxy.jars import Jar
from tests.clients import jdbc
from tests.integration import clients
from tests.integration.gate import Gate

WARM_UP = 100
IN_A_ROW = 10
RELAY = Path(__file__).parent / "relay.py"
COMPILER = ("janino-*.jar", "commons-compiler-*.jar")  # Spark's own, for the loop that counts rows in the JVM
ROWS_SQL = "SELECT id, id % 1000 AS k, CAST(id AS STRING) AS s, id / 7D AS d FROM range({rows})"

# Seconds directly and through the proxy, for so many rows in so many rounds.
Fetches = Callable[[Gate, int, int], list[tuple[float, float]]]


@dataclass(frozen=True)
class Interval:
    """A median with its 95 % confidence interval."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Interval:
        """
        >>> Interval.of([float(n) for n in range(1, 102)])
        Interval(median=51.0, low=41.0, high=61.0)
        """
        ordered = sorted(values)
        half = 1.96 * math.sqrt(len(ordered)) / 2
        middle = (len(ordered) - 1) / 2
        low, high = max(0, math.floor(middle - half + 0.5)), min(len(ordered) - 1, math.ceil(middle + half - 0.5))
        return cls(statistics.median(ordered), ordered[low], ordered[high])

    def scaled(self, factor: float, digits: int = 3) -> str:
        return f"{self.median * factor:.{digits}f} [{self.low * factor:.{digits}f}, {self.high * factor:.{digits}f}]"


class CountingClient:
    """PyHive's Thrift client, which counts its calls."""

    def __init__(self, client: Any) -> None:
        self.client, self.calls = client, 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)

        def call(*arguments: Any) -> Any:
            self.calls += 1
            return method(*arguments)

        return call


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def in_turns(rounds: int, past: Callable[[], object], through: Callable[[], object]) -> list[tuple[float, float]]:
    """Return the seconds for each way, measured in pairs; every second pair runs in reverse order."""
    pairs = []
    for number in range(rounds):
        if number % 2:
            second = timed(through)
            pairs.append((timed(past), second))
        else:
            first = timed(past)
            pairs.append((first, timed(through)))
    return pairs


def processor_seconds(process: int) -> float:
    """Return the processor time of a process, of all its threads."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


@contextmanager
def relayed(port: int) -> Iterator[int]:
    """Start a relay to a port; return the relay's port."""
    with subprocess.Popen([sys.executable, RELAY, str(port)], stdout=subprocess.PIPE, text=True) as relay:
        assert relay.stdout is not None
        try:
            yield int(relay.stdout.readline())
        finally:
            relay.terminate()


def in_rows(statements: int, ways: Sequence[Callable[[], object]]) -> list[list[float]]:
    """Return the seconds for each way; values at the same position were measured directly after each other."""
    seconds: list[list[float]] = [[] for _ in ways]
    turns = list(zip(ways, seconds, strict=True))
    chance = random.Random(statements)
    for _ in range(math.ceil(statements / IN_A_ROW)):
        last = turns[-1]
        chance.shuffle(turns)
        if turns[0] is last:
            turns.append(turns.pop(0))
        for way, taken in turns:
            way()
            taken += [timed(way) for _ in range(IN_A_ROW)]
    return seconds


def statement_table(gate: Gate, statements: int) -> Iterator[tuple[str, str]]:
    """Yield the table for `SELECT 1`, sent by PyHive."""
    with ExitStack() as stack:
        relay = stack.enter_context(relayed(gate.spark_port))
        ports = (gate.spark_port, gate.port, relay, gate.spark_port)
        connections = [stack.enter_context(clients.pyhive(port)) for port in ports]
        for connection in connections:
            connection._client = CountingClient(connection._client)
        ways = [lambda c=connection: clients.rows(c, "SELECT 1") for connection in connections]
        in_rows(WARM_UP, ways)
        counting, used = connections[1]._client, processor_seconds(gate.process.pid)
        counting.calls = 0
        past, *others = in_rows(statements, ways)
        used, calls = processor_seconds(gate.process.pid) - used, counting.calls
    per_statement = calls / (len(past) * (1 + 1 / IN_A_ROW))
    direct, through = Interval.of(past), Interval.of(others[0])
    added, relays, again = (Interval.of([b - a for a, b in zip(past, other, strict=True)]) for other in others)
    yield "SELECT 1, direct, ms", direct.scaled(1e3)
    yield "SELECT 1, through the proxy, ms", through.scaled(1e3)
    yield "added, ms (median of the differences)", added.scaled(1e3)
    yield "added, % of direct (goal: 1)", added.scaled(100 / direct.median, 1)
    yield "added by a relay that looks at nothing, %", relays.scaled(100 / direct.median, 1)
    yield "added by another direct connection, %", again.scaled(100 / direct.median, 1)
    yield "calls per statement", f"{per_statement:.1f}"
    yield "added per call, µs (goal: 50)", added.scaled(1e6 / per_statement, 0)
    yield "proxy's processor time per call, µs", f"{used / calls * 1e6:.1f}"
    yield (
        "proxy's processor time per statement, % of direct",
        f"{used / calls * per_statement / direct.median * 100:.2f}",
    )


def fetch_table(name: str, rows: int, pairs: list[tuple[float, float]]) -> Iterator[tuple[str, str]]:
    yield f"{name}, direct, rows/s", f"{rows / statistics.median(first for first, _ in pairs):,.0f}"
    yield f"{name}, through the proxy, rows/s", f"{rows / statistics.median(second for _, second in pairs):,.0f}"
    ratios = [first / second for first, second in pairs]
    yield (
        f"{name}, through / direct (goal: 1)",
        f"{statistics.median(ratios):.3f} [{min(ratios):.3f}, {max(ratios):.3f}]",
    )


def pyhive_fetches(gate: Gate, rows: int, rounds: int) -> list[tuple[float, float]]:
    def fetch(connection: Any) -> None:
        cursor = connection.cursor(arraysize=10_000)
        cursor.execute(ROWS_SQL.format(rows=rows))
        assert sum(1 for _ in cursor) == rows
        cursor.close()

    with clients.pyhive(gate.spark_port) as past, clients.pyhive(gate.port) as through:
        return in_turns(rounds, lambda: fetch(past), lambda: fetch(through))


def jdbc_fetches(driver: Jar | None, gate: Gate, rows: int, rounds: int) -> list[tuple[float, float]]:
    with jdbc.machine(driver, *COMPILER) as java:
        connections = [java.connect(f"jdbc:hive2://127.0.0.1:{port}/") for port in (gate.spark_port, gate.port)]
        past, through = (lambda c=c: c.count(ROWS_SQL.format(rows=rows)) for c in connections)
        in_turns(1, past, through)
        pairs = in_turns(rounds, past, through)
        for connection in connections:
            connection.close()
        return pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--statements", type=int, default=3000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as data, Gate("--data", data) as gate:
        show(statement_table(gate, options.statements))
        clients_by_name: dict[str, Fetches] = {"PyHive": pyhive_fetches}
        clients_by_name |= {name: partial(jdbc_fetches, driver) for name, driver in jdbc.DRIVERS.items()}
        for name, fetches in clients_by_name.items():
            show(
                fetch_table(f"{name}, {options.rows:,} rows", options.rows, fetches(gate, options.rows, options.rounds))
            )


def show(table: Iterator[tuple[str, str]]) -> None:
    for what, figure in table:
        print(f"{what:<62} {figure}", flush=True)


if __name__ == "__main__":
    main()
