"""Measures how much faster SSB and TPC-H are with the views of tests/workloads, and how close to hand-written SQL.

    pip install tpchgen-cli
    python benchmarks/dashboard.py [--scale 1] [--rounds 15] [--only ssb] [--memory 12g] [--data DIRECTORY]

`tpchgen-cli` writes TPC-H's tables at the scale (1 is about 1 GB of text); SSB's are derived from them. In each round
each query runs three times, in an order drawn anew: over the tables (`viewgate.rewrite = off`), through Viewgate, and
as the hand-written SQL over storage in `benchmarks/by_hand`. The three answers must agree. The output has the medians
in ms, and for the speed-up and the ratio to hand-written SQL the median of the rounds' ratios with its 95 % confidence
interval; `kept` marks queries that no view answers. The goals at 15 rounds: a geometric mean of 10 times over SSB, no
answered query whose interval lies below 0.95, at most 1.05 times of hand-written SQL. With `--data`, tables and views
are kept, and those of an earlier run are used (of the same `--only`).
"""

from __future__ import annotations

import argparse
import math
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.embedded import settings_file
from benchmarks.overhead import Interval
from rewriter.model import Table
from rewriter.script import Workspace, read_script
from tests.integration import clients
from tests.integration.gate import Gate
from tests.workloads.corpus import NAMES, Query, queries, script

BY_HAND = Path(__file__).parent / "by_hand"
_SECTION = re.compile(r"^--@ (\S+)\n", re.MULTILINE)
_LEAST = 0.95

# SSB's rows from TPC-H's: a fifth of the customers and suppliers, prices in cents, ten cities for each nation.
SSB_ROWS = {
    "dates": """
        SELECT CAST(date_format(d, 'yyyyMMdd') AS INT), date_format(d, 'MMMM d, yyyy'), date_format(d, 'EEEE'),
          date_format(d, 'MMMM'), year(d), year(d) * 100 + month(d), date_format(d, 'MMMyyyy'),
          CAST(ceil(dayofyear(d) / 7) AS INT)
        FROM (SELECT explode(sequence(DATE '1992-01-01', DATE '1998-12-31')) AS d)""",
    "customer": """
        SELECT c_custkey, c_name, concat(rpad(left(n_name, 9), 9, ' '), c_custkey % 10), n_name, r_name, c_mktsegment
        FROM tpch.customer JOIN tpch.nation ON c_nationkey = n_nationkey JOIN tpch.region ON n_regionkey = r_regionkey
        WHERE c_custkey <= (SELECT count(*) DIV 5 FROM tpch.customer)""",
    "supplier": """
        SELECT s_suppkey, s_name, concat(rpad(left(n_name, 9), 9, ' '), s_suppkey % 10), n_name, r_name
        FROM tpch.supplier JOIN tpch.nation ON s_nationkey = n_nationkey JOIN tpch.region ON n_regionkey = r_regionkey
        WHERE s_suppkey <= (SELECT count(*) DIV 5 FROM tpch.supplier)""",
    "part": """
        SELECT p_partkey, p_name, maker, concat(maker, p_partkey DIV 5 % 5 + 1),
          concat(maker, p_partkey DIV 5 % 5 + 1, p_partkey DIV 25 % 40 + 1)
        FROM (SELECT *, concat('MFGR#', p_partkey % 5 + 1) AS maker FROM tpch.part)""",
    "lineorder": """
        SELECT l_orderkey, l_linenumber, CAST(o_custkey % (SELECT count(*) DIV 5 FROM tpch.customer) + 1 AS INT),
          l_partkey, CAST(l_suppkey % (SELECT count(*) DIV 5 FROM tpch.supplier) + 1 AS INT),
          CAST(date_format(o_orderdate, 'yyyyMMdd') AS INT), CAST(l_quantity AS INT),
          CAST(l_extendedprice * 100 AS INT), CAST(l_discount * 100 AS INT),
          CAST(l_extendedprice * 100 * (1 - l_discount) AS INT), CAST(l_extendedprice * 60 / l_quantity AS INT)
        FROM tpch.lineitem JOIN tpch.orders ON l_orderkey = o_orderkey""",
}


@dataclass(frozen=True)
class Seen:
    """The times of a query in seconds, by round: over the tables, through Viewgate, and by hand (perhaps none)."""

    workload: str
    name: str
    answered: bool
    tables: Sequence[float]
    views: Sequence[float]
    hand: Sequence[float]

    @property
    def faster(self) -> Interval:
        """Return how many times faster than the tables Viewgate is."""
        return Interval.of([a / b for a, b in zip(self.tables, self.views, strict=True)])

    @property
    def of_hand(self) -> Interval | None:
        """Return the ratio of Viewgate's time to that of hand-written SQL; None if there is none."""
        return Interval.of([a / b for a, b in zip(self.views, self.hand, strict=True)]) if self.hand else None

    def __str__(self) -> str:
        times = [statistics.median(each) * 1000 if each else math.nan for each in (self.tables, self.views, self.hand)]
        hand = self.of_hand.scaled(1, 2) if self.of_hand else ""
        shown = " ".join(f"{each:>8.0f}" for each in times)
        kept = "" if self.answered else "  kept"
        return f"{self.workload} {self.name:6} {shown}  {self.faster.scaled(1, 2):>24}  {hand:>20}{kept}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", choices=NAMES)
    parser.add_argument("--memory", default="12g")
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        data = options.data or Path(temporary, "data")
        settings = settings_file(Path(temporary), data, options.memory)
        workloads = (options.only,) if options.only else NAMES
        run(settings, Path(temporary, "tpch"), options.scale, options.rounds, workloads)


def run(settings: Path, parquet: Path, scale: float, rounds: int, workloads: Sequence[str]) -> None:
    """Run the benchmark on a Viewgate of its own."""
    with Gate("--config", settings) as gate, ExitStack() as stack:
        on, off = (stack.enter_context(clients.pyhive(gate.port)) for _ in range(2))
        clients.rows(off, "SET viewgate.rewrite = off")
        spaces = {row[0] for row in clients.rows(on, "SHOW NAMESPACES")}
        if "tpch" not in spaces:
            command = ["tpchgen-cli", "parquet", "-s", str(scale), f"--output-dir={parquet}"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            fill(on, "tpch", lambda table: from_parquet(table, parquet), views="tpch" in workloads)
        if "ssb" not in spaces and "ssb" in workloads:
            fill(on, "ssb", lambda table: SSB_ROWS[table.name.table])
        print(f"{'query':11} {'tables':>8} {'views':>8} {'by hand':>8}  {'times faster':>24}  {'of by hand':>20}")
        seen = [each for workload in workloads for each in measured(on, off, workload, rounds)]
        print("\n".join(summary(seen)))


def from_parquet(table: Table, folder: Path) -> str:
    """Return the query that reads a table of tpchgen-cli."""
    columns = ", ".join(f"CAST({column.name} AS {column.type})" for column in table.columns)
    return f"SELECT {columns} FROM parquet.`{folder / table.name.table}.parquet`"


def fill(connection: Any, workload: str, rows: Callable[[Table], str], *, views: bool = True) -> None:
    """Create the tables of a workload with their trusted keys and rows, and with `views` its views."""
    workspace = read_script(script(workload))
    clients.rows(connection, f"CREATE NAMESPACE {workload}")
    clients.rows(connection, f"USE {workload}")
    for table in base_tables(workspace):
        columns = ", ".join(f"{c.name} {c.type}{'' if c.nullable else ' NOT NULL'}" for c in table.columns)
        properties = ", ".join(f"'{key}' = '{value}'" for key, value in keys(table).items())
        clients.rows(connection, f"CREATE TABLE {table.name.table} ({columns}) TBLPROPERTIES ({properties})")
        clients.rows(connection, f"INSERT INTO {table.name.table} {rows(table)}")
    for view in workspace.definitions.views if views else ():
        clients.rows(connection, f"CREATE MATERIALIZED VIEW {view.name.table} AS {view.query}")


def base_tables(workspace: Workspace) -> Iterator[Table]:
    storages = {view.storage for view in workspace.definitions.views}
    for name, relation in workspace.relations.items():
        if isinstance(relation, Table) and name not in storages:
            yield relation


def keys(table: Table) -> Mapping[str, str]:
    """Return the table properties that declare a table's keys."""
    foreign = "; ".join(
        f"({', '.join(key.columns)}) REFERENCES {key.table.table} ({', '.join(key.referenced)})"
        for key in table.foreign_keys
    )
    declared = {"viewgate.primary-key": ", ".join(table.primary_key), "viewgate.foreign-keys": foreign}
    return {"viewgate.trust-constraints": "true"} | {name: value for name, value in declared.items() if value}


def measured(on: Any, off: Any, workload: str, rounds: int) -> Iterator[Seen]:
    """Yield the times of each query of a workload, printed as soon as they are known."""
    hand = by_hand(workload)
    for connection in (on, off):
        clients.rows(connection, f"USE {workload}")
    for query in queries(workload):
        seen = measure(on, off, workload, query, hand.get(query.name, ""), rounds)
        print(seen, flush=True)
        yield seen


def by_hand(workload: str) -> dict[str, str]:
    """Return the hand-written SQL over storage by the name of the query."""
    parts = _SECTION.split((BY_HAND / f"{workload}.sql").read_text())[1:]
    return {name: sql.strip() for name, sql in zip(parts[::2], parts[1::2], strict=True)}


def measure(on: Any, off: Any, workload: str, query: Query, hand: str, rounds: int) -> Seen:
    """Run a query in all ways in each round; a first round, which is not counted, compares the answers."""
    ways = [(off, query.sql), (on, query.sql), *([(off, hand)] if hand else [])]
    answers = [clients.rows(connection, sql) for connection, sql in ways]
    for other in answers[1:]:
        assert alike(answers[0], other), (workload, query.name, answers[0][:3], other[:3])
    verdicts = [row[1] for row in clients.rows(on, f"EXPLAIN REWRITE {query.sql}")]
    times: list[list[float]] = [[] for _ in ways]
    for number in range(rounds):
        for way in random.sample(range(len(ways)), len(ways)):
            connection, sql = ways[way]
            begin = time.perf_counter()
            clients.rows(connection, f"{sql} -- {number}")
            times[way].append(time.perf_counter() - begin)
    return Seen(workload, query.name, "chosen" in verdicts, times[0], times[1], times[2] if hand else ())


def alike(mine: Sequence[tuple[Any, ...]], theirs: Sequence[tuple[Any, ...]]) -> bool:
    """Return whether two results have the same rows in any order, up to the rounding of hand-written divisions.

    >>> alike([(1, Decimal("0.333333"))], [(1, Decimal("0.33333333"))]), alike([(1, 2)], [(1, 3)])
    (True, False)
    """
    if len(mine) != len(theirs):
        return False
    ours, others = (sorted(map(_values, rows), key=_rank) for rows in (mine, theirs))
    return all(all(map(_near, row, other)) for row, other in zip(ours, others, strict=True))


def _values(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(float(v) if isinstance(v, Decimal | int) else str(v) if isinstance(v, date) else v for v in row)


def _rank(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a sort key that does not depend on the last digits of numbers."""
    return tuple(f"{value:.4e}" if isinstance(value, float) else str(value) for value in row)


def _near(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-6)
    return bool(one == other)


def summary(seen: Sequence[Seen]) -> Iterator[str]:
    """Yield the figures that the goals are about."""
    for workload in dict.fromkeys(each.workload for each in seen):
        of = [each for each in seen if each.workload == workload]
        mean = statistics.geometric_mean([each.faster.median for each in of])
        hand = [each.of_hand.median for each in of if each.answered and each.of_hand]
        yield f"{workload}: {mean:.2f} times faster in the geometric mean of {len(of)} queries"
        if hand:
            yield f"{workload}: {statistics.geometric_mean(hand):.2f} of the time by hand, at most {max(hand):.2f}"
    slower = [f"{each.workload} {each.name}" for each in seen if each.answered and each.faster.high < _LEAST]
    yield f"answered, and slower than the tables: {', '.join(slower) or 'none'}"


if __name__ == "__main__":
    main()
