"""Measures what a scan, a join, a shuffle, a row and a byte cost in Spark: the constants of rewriter/scans.py.

    python benchmarks/reading.py [--rows 6000000] [--rounds 5]

Queries over tables of several sizes and widths run in turns on a Spark of its own, without views. The shortest time of
each query (other work on the machine only adds to it) is fitted to the counts of its estimate, by least squares without
negative constants; errors are relative to the query's time. The fixed time of every statement is fitted, too, and is
not part of estimates. The output has the constants, and each query's time beside the fit.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.embedded import settings_file
from proxy.catalog import open_catalog
from proxy.embedded import CATALOG, catalog_properties
from rewriter import parse
from rewriter.block import find_among
from rewriter.cost import Costs
from rewriter.engine.questions import block_of
from rewriter.model import Relation, Session, Table, TableName, table_columns
from rewriter.model.statistics import FEW_ROWS
from rewriter.scans import Estimate
from tests.integration import clients
from tests.integration.gate import Gate

NAMES = ("statement", "scan", "join", "shuffle", "row", "joined row", "byte")
PARTS = (1, 4, 24)  # of ROWS: the large table has all of them, the others a fourth and a 24th
COLUMNS = "k INT, d DATE, v BIGINT, w BIGINT, x DOUBLE, s STRING, t STRING"
VALUES = (
    "CAST(id % 1000 AS INT), date_add(DATE '2024-01-01', CAST(id * 360 DIV {rows} AS INT)), hash(id), "
    "CAST(id % 90 AS BIGINT), id / 7, concat('name ', id % 5000), concat('a longer text ', hash(id, 1))"
)
SHAPES = (
    "SELECT sum(v) FROM {t}",
    "SELECT k, v FROM {t} WHERE v = 17",
    "SELECT w, sum(v), count(*) FROM {t} GROUP BY w",
    "SELECT k, sum(v), max(x), sum(length(t)) FROM {t} GROUP BY k",
    "SELECT w, sum(v) FROM {t} WHERE d < '2024-02-01' GROUP BY w",
    "SELECT max(length(s)), max(length(t)), max(x) FROM {t}",
    "SELECT n.g, sum(f.v) FROM {t} AS f JOIN names AS n ON n.k = f.k GROUP BY n.g",
    "SELECT f.v, n.g FROM {t} AS f JOIN names AS n ON n.k = f.k WHERE f.v = 17",
    "SELECT n.g, m.g, sum(f.v) FROM {t} AS f JOIN names AS n ON n.k = f.k JOIN names AS m ON m.k = f.w "
    "GROUP BY n.g, m.g",
    "SELECT a, sum(s) FROM (SELECT w AS a, k, sum(v) AS s FROM {t} GROUP BY w, k) AS i GROUP BY a",
    "SELECT w, sum(s) FROM (SELECT w, sum(v) AS s FROM {t} GROUP BY w UNION ALL "
    "SELECT w, sum(x) AS s FROM small GROUP BY w) AS u GROUP BY w",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=6_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as data:
        settings = settings_file(Path(data), Path(data), "4g")
        with Gate("--config", settings) as gate, clients.pyhive(gate.port) as connection:
            fill(connection, options.rows)
            queries = [shape.format(t=f"t{part}") for part in PARTS for shape in SHAPES]
            relations = asyncio.run(examined(Path(data)))
            estimates = [estimate(sql, relations) for sql in queries]
            show(queries, estimates, shortest(connection, queries, options.rounds))


def fill(connection: Any, rows: int) -> None:
    """Create the tables, each with twelve files by its dates."""
    for part in PARTS:
        clients.rows(connection, f"CREATE TABLE t{part} ({COLUMNS})")
        values = VALUES.format(rows=rows // part)
        clients.rows(
            connection,
            f"INSERT INTO t{part} SELECT /*+ REPARTITION_BY_RANGE(12, id) */ {values} FROM range({rows // part})",
        )
    clients.rows(connection, "CREATE TABLE names AS SELECT CAST(id AS INT) AS k, id % 20 AS g FROM range(1000)")
    clients.rows(connection, "CREATE TABLE small AS SELECT id % 90 AS w, id AS x FROM range(1000)")


async def examined(data: Path) -> dict[TableName, Relation | None]:
    """Return the tables with the statistics of their files."""
    catalog = open_catalog(CATALOG, catalog_properties(data))
    names = [TableName((CATALOG, "default", name)) for name in (*(f"t{part}" for part in PARTS), "names", "small")]
    while True:
        relations = await catalog.current(names)
        catalog.examine(relations.values())
        large = [t for t in relations.values() if isinstance(t, Table) and (t.records or 0) > FEW_ROWS]
        if all(table.statistics for table in large):
            break
        await asyncio.sleep(0.1)
    catalog.close()
    return dict(relations)


def estimate(sql: str, relations: dict[TableName, Relation | None]) -> Estimate:
    """Return the estimate of the rewriter for a query."""
    statement = parse(sql, Session(CATALOG, ("default",), catalogs=frozenset({CATALOG})))
    main = statement.main
    assert main is not None
    assert main.tree is not None
    block, _ = block_of(main, main.tree, statement, find_among(statement, table_columns(relations)))
    return Costs(relations, "UTC").of_block(block)


def shortest(connection: Any, queries: Sequence[str], rounds: int) -> list[float]:
    """Return the shortest time of each query in milliseconds; queries run in turns, and the first round warms up."""
    times: dict[str, list[float]] = {sql: [] for sql in queries}
    for number in range(rounds + 1):
        for sql in queries:
            begin = time.perf_counter()
            clients.rows(connection, f"{sql} -- {number}")
            if number:
                times[sql].append((time.perf_counter() - begin) * 1000)
    return list(map(min, times.values()))


def show(queries: Sequence[str], estimates: Sequence[Estimate], taken: Sequence[float]) -> None:
    """Print the fitted constants and times."""
    counted = np.array([[1, e.scans, e.joins, e.shuffles, e.rows, e.joined, e.bytes] for e in estimates], dtype=float)
    times = np.array(taken)
    constants = nonnegative(counted / times[:, None], np.ones(len(times)))
    for name, constant in zip(NAMES, constants, strict=True):
        print(f"{name:12} {constant:12.4g} ms")
    for sql, took, fitted in zip(queries, times, counted @ constants, strict=True):
        print(f"{took:8.0f} {fitted:8.0f}  {sql[:100]}")


def nonnegative(counted: Any, wanted: Any) -> Any:
    """Return the least-squares fit without negative constants: those that would be negative are removed one by one."""
    used = list(range(counted.shape[1]))
    while True:
        found, *_ = np.linalg.lstsq(counted[:, used], wanted, rcond=None)
        if found.min() >= 0:
            constants = np.zeros(counted.shape[1])
            constants[used] = found
            return constants
        used.pop(int(found.argmin()))


if __name__ == "__main__":
    main()
