"""Compares an incremental refresh after a change with a full refresh, side by side in one run.

    python benchmarks/refresh.py [--rows 2000000] [--rounds 3] [--history 10] [--memory 6g] [--views small large]

There are a table partitioned by day, a view with 1 % as many rows, and one with half as many. After 0.01 %, 0.1 %, 1 %
and 10 % of the rows were appended to the last days, and after one row in 1 % of the days was updated, REFRESH and then
REFRESH FULL are timed (medians over all rounds). Bytes are the sizes of the files that the statement opens and of those
that it writes. Then a view by day alone is created, whose rows can be computed from either view: its first REFRESH
reads that view's storage, REFRESH FULL reads the table. At the end the same 1 % is appended to a table with `--history`
times as many days, and its refreshes are compared with the former ones.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from pyiceberg.catalog.sql import SqlCatalog

from benchmarks.embedded import settings_file
from tests.integration import clients
from tests.integration.gate import Gate

DAYS = 100
ROWS_A_GROUP = {"small": 100, "large": 2}
SHARES = (0.0001, 0.001, 0.01, 0.1)
FOLLOWS = re.compile(r"computed from the stored rows of \S+\.(\w+)")
HEAD = f"{'view':6} {'change':22} {'way':20} {'ms':>8} {'full ms':>8} {'ratio':>7} {'read MB':>8} {'full':>8} " \
       f"{'written':>8} {'full':>8}"  # fmt: skip


@dataclass(frozen=True)
class Refresh:
    """One measured refresh: its way, its time, and the MB read and written."""

    way: str
    seconds: float
    read: float
    written: float


class Lab:
    """A table with a number of days, and the views over it."""

    def __init__(
        self, connection: Any, catalog: SqlCatalog, name: str, rows: int, days: int, views: Sequence[str]
    ) -> None:
        self.connection, self.catalog, self.name, self.views = connection, catalog, name, views
        self.a_day = max(rows // days, 100)
        self.run(f"CREATE NAMESPACE IF NOT EXISTS lake.{name}")
        self.run(f"USE lake.{name}")
        self.run("CREATE TABLE sales (id BIGINT, day DATE, price DECIMAL(10,2)) PARTITIONED BY (day)")
        # The rows come day by day: to bring them together by day would take longer than all that is measured. Each file
        # that is being written takes memory, so not all days come at once.
        for first in range(0, days, DAYS):
            how = " WITH ('distribution-mode' = 'none', 'fanout-enabled' = 'true')"
            self.append(self.a_day * DAYS, first, DAYS, how)
        for view in views:
            self.view(view, self.a_day // ROWS_A_GROUP[view])

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        return clients.rows(self.connection, sql)

    def append(self, rows: int, first_day: int, days: int, how: str = "") -> None:
        """Append rows spread over some days."""
        self.run(
            f"INSERT INTO sales{how} SELECT id, date_add(DATE '2020-01-01', CAST({first_day} + id * {days} DIV {rows} "
            f"AS INT)) AS day, CAST(id % 1000 / 4 AS DECIMAL(10,2)) FROM range({rows})"
        )

    def view(self, name: str, groups: int) -> None:
        """Create a view with this number of groups per day."""
        self.run(
            f"CREATE MATERIALIZED VIEW {name} WITH DEFERRED REFRESH PARTITIONED BY (day) AS "
            f"SELECT day, id % {max(groups, 1)} AS k, count(*) AS c, count(price) AS cp, sum(price) AS s "
            "FROM sales GROUP BY 1, 2"
        )
        self.run(f"REFRESH MATERIALIZED VIEW {name}")

    def size(self, table: str, key: str = "total-files-size") -> float:
        """Return the MB that the last snapshot's summary records."""
        found = self.catalog.load_table((self.name, table)).metadata.current_snapshot()
        return int((found.summary[key] if found and found.summary else None) or 0) / 1e6

    def refresh(self, view: str, full: bool = False) -> Refresh:
        """Run a refresh and measure it; an incremental one reads the change and the part of the storage that it
        replaces.
        """
        storage = f"{view}__storage"
        ((way, reason, _),) = self.run(f"EXPLAIN REFRESH MATERIALIZED VIEW {view}{' FULL' if full else ''}")
        started = time.perf_counter()
        self.run(f"REFRESH MATERIALIZED VIEW {view}{' FULL' if full else ''}")
        seconds = time.perf_counter() - started
        came, went, replaced = (
            self.size(table, f"{verb}-files-size")
            for table, verb in (("sales", "added"), ("sales", "removed"), (storage, "removed"))
        )
        read = {"full": self.size("sales"), "partition recompute": came}.get(way, came + went + replaced)
        if found := FOLLOWS.search(reason):
            way, read = "shared", self.size(f"{found[1]}__storage")
        return Refresh(way, seconds, read, self.size(storage, "added-files-size"))

    def coarser(self, rounds: int) -> Iterator[str]:
        """Yield the table line for a view computed from a finer view, and computed from the table."""
        seen: tuple[list[Refresh], list[Refresh]] = [], []
        for _ in range(rounds):
            self.run("DROP MATERIALIZED VIEW IF EXISTS days")
            self.run(
                "CREATE MATERIALIZED VIEW days WITH DEFERRED REFRESH AS "
                "SELECT day, count(*) AS c, count(price) AS cp, sum(price) AS s FROM sales GROUP BY 1"
            )
            for full, refreshes in enumerate(seen):
                refreshes.append(self.refresh("days", bool(full)))
        yield line("days", "never refreshed", *seen)

    def compare(self, label: str, change: Callable[[], object], rounds: int) -> Iterator[str]:
        """Yield a table line for each view: the cost of refreshing after the change, incrementally and in full."""
        fast, full = self.measured(change, rounds, full=False), self.measured(change, rounds, full=True)
        for view in self.views:
            yield line(view, label, fast[view], full[view])

    def measured(self, change: Callable[[], object], rounds: int, full: bool) -> dict[str, list[Refresh]]:
        """Return the refreshes of each view after each size of change."""
        seen: dict[str, list[Refresh]] = {view: [] for view in self.views}
        for _ in range(rounds):
            change()
            for view, refreshes in seen.items():
                refreshes.append(self.refresh(view, full))
        return seen


def line(view: str, label: str, fast: list[Refresh], other: list[Refresh]) -> str:
    """Return the table line with the medians of two series of refreshes, and their ratio."""
    ms, other_ms = (statistics.median(one.seconds for one in refreshes) * 1000 for refreshes in (fast, other))
    return (
        f"{view:6} {label:22} {fast[-1].way:20} {ms:8.0f} {other_ms:8.0f} {ms / other_ms:7.3f} {fast[-1].read:8.2f} "
        f"{other[-1].read:8.2f} {fast[-1].written:8.2f} {other[-1].written:8.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--history", type=int, default=10, help="how many times the days; 1 leaves that part out")
    parser.add_argument("--views", nargs="+", choices=ROWS_A_GROUP, default=[*ROWS_A_GROUP])
    parser.add_argument("--memory", default="6g", help="of Spark, which holds a file open for each day of the history")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as data:
        run(options, settings_file(Path(data), Path(data), options.memory), data)


def run(options: argparse.Namespace, settings: Path, data: str) -> None:
    """Run the benchmark on a Viewgate of its own."""
    with Gate("--config", settings) as gate, clients.pyhive(gate.port) as connection:
        catalog = SqlCatalog("lake", uri=f"sqlite:///{data}/catalog.db", warehouse=f"{data}/warehouse")
        sys.stdout.write(f"{options.rows} rows in {DAYS} days\n{HEAD}\n")
        lab = Lab(connection, catalog, "base", options.rows, DAYS, options.views)
        for share in SHARES:
            rows = max(int(options.rows * share), 1)
            show(lab.compare(f"{share:.2%} appended", partial(lab.append, rows, DAYS - 2, 2), options.rounds))
        update = "UPDATE sales SET price = price + 1 WHERE day = DATE '2020-01-31' AND id % 1000 < 10"
        show(lab.compare("1 % of days updated", partial(lab.run, update), options.rounds))
        show(lab.coarser(options.rounds))
        if options.history > 1:
            days, rows = DAYS * options.history, max(options.rows // 100, 1)
            before = lab.measured(partial(lab.append, rows, DAYS - 2, 2), options.rounds, full=False)
            older = Lab(connection, catalog, "history", options.rows * options.history, days, options.views)
            after = older.measured(partial(older.append, rows, days - 2, 2), options.rounds, full=False)
            sys.stdout.write(f"1 % appended with {options.history} times the history, against the refresh before\n")
            show(line(view, f"{days} days, {DAYS} days", after[view], before[view]) for view in lab.views)
        catalog.close()


def show(lines: Iterator[str]) -> None:
    for text in lines:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
