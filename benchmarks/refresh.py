"""What a refresh costs after a change, against computing the view anew: side by side, in one run.

    python benchmarks/refresh.py [--rows 2000000] [--rounds 3] [--history 10]

A table partitioned by day, a view with 1 % of its rows and one with half of them. After 0.01 %, 0.1 %, 1 % and 10 % of
the rows were appended to the last days, and after one row in 1 % of the days was updated, REFRESH and then REFRESH FULL
are timed (medians of all rounds, in turns). The same 1 % is appended to a table with so many times the history. Bytes
are the sizes of the files that the statement has to open and of those that it has written.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from pyiceberg.catalog.sql import SqlCatalog

from tests.integration import clients
from tests.integration.gate import Gate

DAYS = 100
SHARES = (0.0001, 0.001, 0.01, 0.1)
HEAD = f"{'view':6} {'change':22} {'way':20} {'ms':>8} {'full ms':>8} {'ratio':>7} {'read MB':>8} {'full':>8} " \
       f"{'written':>8} {'full':>8}"  # fmt: skip


@dataclass(frozen=True)
class Refresh:
    """One refresh as it was seen: how long, and the sizes of what was read and written."""

    seconds: float
    read: float
    written: float


class Lab:
    """One table of so many days, and the views over it."""

    def __init__(self, connection: Any, catalog: SqlCatalog, name: str, rows: int, days: int) -> None:
        self.connection, self.catalog, self.name = connection, catalog, name
        self.a_day, self.days = max(rows // days, 100), days
        self.run(f"CREATE NAMESPACE IF NOT EXISTS lake.{name}")
        self.run(f"USE lake.{name}")
        self.run("CREATE TABLE sales (id BIGINT, day DATE, price DECIMAL(10,2)) PARTITIONED BY (day)")
        self.append(self.a_day * days, 0, days)
        self.view("small", self.a_day // 100)
        self.view("large", self.a_day // 2)

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        return clients.rows(self.connection, sql)

    def append(self, rows: int, first_day: int, days: int) -> None:
        """Rows spread over some days."""
        self.run(
            f"INSERT INTO sales SELECT id, date_add(DATE '2020-01-01', CAST({first_day} + id % {days} AS INT)) AS day, "
            f"CAST(id % 1000 / 4 AS DECIMAL(10,2)) FROM range({rows}) ORDER BY day"
        )

    def view(self, name: str, groups: int) -> None:
        """A view with so many groups a day."""
        self.run(
            f"CREATE MATERIALIZED VIEW {name} WITH DEFERRED REFRESH PARTITIONED BY (day) AS "
            f"SELECT day, (id DIV {self.days}) % {max(groups, 1)} AS k, count(*) AS c, count(price) AS cp, "
            "sum(price) AS s FROM sales GROUP BY 1, 2"
        )
        self.run(f"REFRESH MATERIALIZED VIEW {name}")

    def size(self, table: str, snapshot: int | None = None, key: str = "total-files-size") -> float:
        """Bytes of a table's files, in MB."""
        metadata = self.catalog.load_table((self.name, table)).metadata
        found = metadata.snapshot_by_id(snapshot or metadata.current_snapshot_id or 0)
        return int((found.summary[key] if found and found.summary else None) or 0) / 1e6

    def head(self, table: str) -> int | None:
        return self.catalog.load_table((self.name, table)).metadata.current_snapshot_id

    def refresh(self, view: str, read: float, full: bool = False) -> Refresh:
        """Run a refresh that has to read so much."""
        started = time.perf_counter()
        self.run(f"REFRESH MATERIALIZED VIEW {view}{' FULL' if full else ''}")
        seconds = time.perf_counter() - started
        return Refresh(seconds, read, self.size(f"{view}__storage", key="added-files-size"))

    def compare(self, label: str, change: Any, rounds: int) -> Iterator[str]:
        """A line for each view: what a refresh costs after the change, incrementally and in full."""
        seen: dict[str, list[tuple[str, Refresh, Refresh]]] = {"small": [], "large": []}
        for _ in range(rounds):
            change()
            delta = self.size("sales", key="added-files-size") + self.size("sales", key="removed-files-size")
            for view, results in seen.items():
                ((way, *_),) = self.run(f"EXPLAIN REFRESH MATERIALIZED VIEW {view}")
                stored, whole = self.size(f"{view}__storage"), self.size("sales")
                fast = self.refresh(view, delta + (stored if way != "full" else whole))
                results.append((way, fast, self.refresh(view, whole, full=True)))
        for view, results in seen.items():
            yield line(view, label, results)


def line(view: str, label: str, results: list[tuple[str, Refresh, Refresh]]) -> str:
    way = results[-1][0]
    fast, full = (
        statistics.median(run.seconds for run in runs) * 1000 for runs in zip(*(r[1:] for r in results), strict=True)
    )
    _, last, whole = results[-1]
    return (
        f"{view:6} {label:22} {way:20} {fast:8.0f} {full:8.0f} {fast / full:7.3f} {last.read:8.2f} {whole.read:8.2f} "
        f"{last.written:8.2f} {whole.written:8.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--history", type=int, default=10, help="how many times the days; 1 leaves that part out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as data, Gate("--data", data) as gate, clients.pyhive(gate.port) as connection:
        catalog = SqlCatalog("lake", uri=f"sqlite:///{data}/catalog.db", warehouse=f"{data}/warehouse")
        sys.stdout.write(f"{options.rows} rows in {DAYS} days\n{HEAD}\n")
        lab = Lab(connection, catalog, "base", options.rows, DAYS)
        for share in SHARES:
            rows = max(int(options.rows * share), 1)
            show(lab.compare(f"{share:.2%} appended", lambda rows=rows: lab.append(rows, DAYS - 2, 2), options.rounds))
        update = "UPDATE sales SET price = price + 1 WHERE day = DATE '2020-01-31' AND id % 1000 < 10"
        show(lab.compare("1 % of days updated", lambda: lab.run(update), options.rounds))
        if options.history > 1:
            days = DAYS * options.history
            older = Lab(connection, catalog, "history", options.rows * options.history, days)
            label = f"the same 1 %, {options.history}x days"
            show(older.compare(label, lambda: older.append(options.rows // 100, days - 2, 2), options.rounds))
        catalog.close()


def show(lines: Iterator[str]) -> None:
    for text in lines:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
