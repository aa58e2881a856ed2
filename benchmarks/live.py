"""Measures the answers of stale views, which are read together with appended rows, against the tables.

    python benchmarks/live.py [--rows 100000000] [--rounds 3] [--appended 0.1 1 10] [--memory 6g] [--data DIRECTORY]

Spark makes a table of ROWS sales and a dimension of 200 products. Each view is created twice: `stale_…` is refreshed
once, `fresh_…` after each append. APPENDED are percentages of ROWS; the table grows to one after the other. Each query
is run in turns over the tables (`viewgate.rewrite = off`), from the stale view, and from the fresh one, the last two
twice a round; a hint names the view. The output has the medians in ms, their ratios, the share of the table's rows that
the live answer reads (from EXPLAIN REWRITE), and what Viewgate reads without the hint while both views are stale. The
goal: at 1 %, a live answer takes at most 0.1 of the time of the tables. With `--data`, tables and views are kept; those
of an earlier run with the same ROWS are used, after a rollback of its appends.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.embedded import settings_file
from tests.integration import clients
from tests.integration.decided import chosen, rows_read
from tests.integration.gate import Gate

SPACE = "lake.default"
FIRST, SPAN = 1_640_995_200, 63_072_000  # 2022-01-01 and two years, in seconds: the times of the first ROWS sales
SALES = (
    f"SELECT timestamp_seconds({FIRST} + id * {SPAN} div {{rows}}) AS ts, "
    "concat('region ', pmod(hash(id), 12)) AS region, CAST(pmod(hash(id, 1), 200) AS INT) AS product, "
    "CAST(pmod(hash(id, 2), 1000) AS BIGINT) AS amount, "
    "CAST(pmod(hash(id, 3), 100000) * 0.01 AS DECIMAL(9, 2)) AS price FROM range({first}, {last})"
)
PRODUCTS = "SELECT CAST(id AS INT) AS id, concat('category ', id % 8) AS category FROM range(200)"
VIEWS = {
    "by_product": "SELECT region, product, sum(amount) AS total, count(*) AS n, avg(price) AS mean, max(price) AS most "
    "FROM sales GROUP BY region, product",
    "by_category": "SELECT timeseries(s.ts, 'day') AS day, p.category, sum(s.price) AS total, count(*) AS n "
    "FROM sales AS s JOIN products AS p ON p.id = s.product GROUP BY 1, 2",
    "by_hour": "SELECT timeseries(ts, 'hour') AS hour, region, sum(amount) AS total FROM sales GROUP BY 1, 2",
}


@dataclass(frozen=True)
class Query:
    """A query, and the view that answers it."""

    name: str
    view: str
    sql: str

    def hinted(self, state: str) -> str:
        """Return the query with a hint that names its view in this state (stale or fresh)."""
        return self.sql.replace("SELECT", f"SELECT /*+ VIEWGATE(use = '{state}_{self.view}') */", 1)


QUERIES = (
    Query("total by group", "by_product", "SELECT region, sum(amount), count(*) FROM sales GROUP BY region"),
    Query(
        "filtered",
        "by_product",
        "SELECT product, sum(amount) FROM sales WHERE region = 'region 3' AND product < 50 GROUP BY product",
    ),
    Query("mean and most", "by_product", "SELECT product, avg(price), max(price) FROM sales GROUP BY product"),
    Query(
        "join with a dimension",
        "by_category",
        "SELECT p.category, sum(s.price), count(*) FROM sales AS s JOIN products AS p ON p.id = s.product "
        "GROUP BY p.category",
    ),
    Query("each month", "by_hour", "SELECT timeseries(ts, 'month') AS month, sum(amount) FROM sales GROUP BY 1"),
    Query(
        "top ten days",
        "by_hour",
        "SELECT timeseries(ts, 'day') AS day, sum(amount) AS total FROM sales GROUP BY 1 ORDER BY total DESC, day "
        "LIMIT 10",
    ),
)


@dataclass
class Way:
    """A way to answer a query, with the times of its runs in ms and the rows of its last run."""

    connection: Any
    sql: str
    times: list[float] = field(default_factory=list)
    rows: list[Any] = field(default_factory=list)

    def run(self, number: int) -> None:
        """Run the query in this round; round 0 is not timed."""
        begin = time.perf_counter()
        self.rows = clients.rows(self.connection, f"{self.sql} -- {number}")
        taken = (time.perf_counter() - begin) * 1000
        if number:
            self.times.append(taken)

    @property
    def median(self) -> float:
        """The median of the times."""
        return statistics.median(self.times)


@dataclass(frozen=True)
class Seen:
    """The medians of a query in ms, the share of the table's rows that the live answer reads, and what is read without
    a hint.
    """

    query: Query
    tables: float
    live: float
    fresh: float
    read: float
    unhinted: str

    @property
    def share(self) -> float:
        """The time of the live answer as a share of the time of the tables."""
        return self.live / self.tables

    def __str__(self) -> str:
        return (
            f"{self.query.name:26} {self.tables:>8.0f} {self.live:>7.0f} {self.share:>10.3f} {self.fresh:>7.0f} "
            f"{self.live / self.fresh:>9.2f} {self.read:>10.3%}  {self.unhinted}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--appended", type=float, nargs="+", default=[0.1, 1, 10], help="in percent")
    parser.add_argument("--memory", default="6g")
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        data = options.data or Path(temporary)
        settings = settings_file(Path(temporary), data, options.memory)
        run(settings, options.rows, sorted(options.appended), options.rounds)


def run(settings: Path, rows: int, appended: Sequence[float], rounds: int) -> None:
    """Run the benchmark on a Viewgate of its own."""
    with ExitStack() as stack:
        gate = stack.enter_context(Gate("--config", settings))
        on, off, direct = (
            stack.enter_context(clients.pyhive(port)) for port in (gate.port, gate.port, gate.spark_port)
        )
        clients.rows(off, "SET viewgate.rewrite = off")
        begin = time.perf_counter()
        fill(on, direct, rows)
        print(f"tables and views were ready after {time.perf_counter() - begin:.0f} s")
        held = rows
        for percent in appended:
            last = rows + round(rows * percent / 100)
            clients.rows(direct, f"INSERT INTO {SPACE}.sales {SALES.format(rows=rows, first=held, last=last)}")
            held = last
            print(f"\n{percent:g} % appended: {last - rows:,} rows")
            print(
                f"{'query':26} {'tables':>8} {'live':>7} {'of tables':>10} {'fresh':>7} {'of fresh':>9} "
                f"{'rows read':>10}  without a hint"
            )
            unhinted = [", ".join(chosen(on, query.sql)) or "the tables" for query in QUERIES]
            for view in VIEWS:
                clients.rows(on, f"REFRESH MATERIALIZED VIEW fresh_{view}")
            seen = []
            for query, reads in zip(QUERIES, unhinted, strict=True):
                tables, live = Way(off, query.sql), Way(on, query.hinted("stale"))
                fresh = Way(on, query.hinted("fresh"))
                measure(tables, live, fresh, rounds)
                compare(tables, live, fresh)
                read = (rows_read(on, live.sql) or 0) / held
                seen.append(Seen(query, tables.median, live.median, fresh.median, read, reads))
                print(seen[-1], flush=True)
            print(summary(seen), flush=True)


def fill(connection: Any, direct: Any, rows: int) -> None:
    """Create the tables and the views, or bring those of an earlier run back to their first rows.

    End the benchmark if the first rows of the earlier run are not `rows` in number.
    """
    if clients.rows(connection, "SHOW TABLES LIKE 'sales'"):
        history = f"SELECT snapshot_id FROM {SPACE}.sales.history ORDER BY made_current_at LIMIT 1"
        ((first,),) = clients.rows(direct, history)
        ((found,),) = clients.rows(direct, f"SELECT count(*) FROM {SPACE}.sales VERSION AS OF {first}")
        if found != rows:
            sys.exit(f"{SPACE}.sales of the earlier run began with {found} rows: use --rows {found}, or another --data")
        clients.rows(direct, f"CALL lake.system.rollback_to_snapshot('{SPACE}.sales', {first})")
        return
    clients.rows(direct, f"CREATE TABLE {SPACE}.products AS {PRODUCTS}")
    clients.rows(direct, f"CREATE TABLE {SPACE}.sales AS {SALES.format(rows=rows, first=0, last=rows)}")
    for view, query in VIEWS.items():
        for state in ("stale", "fresh"):
            clients.rows(connection, f"CREATE MATERIALIZED VIEW {state}_{view} WITH DEFERRED REFRESH AS {query}")
            clients.rows(connection, f"REFRESH MATERIALIZED VIEW {state}_{view}")


def measure(tables: Way, live: Way, fresh: Way, rounds: int) -> None:
    """Run a query in all ways in turns; a round before the first warms up the views, whose times are the shortest."""
    for number in range(rounds + 1):
        turns = (live, fresh, fresh, live) if number % 2 else (fresh, live, live, fresh)
        for way in (tables, *turns) if number else turns:
            way.run(number)


def compare(tables: Way, *views: Way) -> None:
    """Check that the views return the rows of the tables."""
    for way in views:
        assert sorted(way.rows, key=repr) == sorted(tables.rows, key=repr), way.sql


def summary(seen: Sequence[Seen]) -> str:
    """Return the figures that the goal is about."""
    most = max(seen, key=lambda each: each.share)
    mean = statistics.geometric_mean(each.share for each in seen)
    return f"{mean:.3f} of the time of the tables in the geometric mean, at most {most.share:.3f} ({most.query.name})"


if __name__ == "__main__":
    main()
