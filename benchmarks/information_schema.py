"""Measures how long `information_schema` takes over a large catalog, until its rows are on the way to Spark.

    python benchmarks/information_schema.py [--tables 10000] [--columns 10] [--rounds 5]

Creates a catalog with this number of tables on SQLite. Prints the processor time of the first query, which reads a file
for each table, the median of later ones, and the size of the SQL that Spark gets.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.browsing import populate
from proxy.answering import information_schema
from proxy.catalog import Catalog, Catalogs
from proxy.catalog.stores import SqlStore
from rewriter import splice


async def measure(catalogs: Catalogs, rounds: int) -> None:
    schema = information_schema.schema()
    print(f"{'table':<10} {'first, s':>10} {'later, s':>10} {'megabytes':>10}")
    for table in ("tables", "columns"):
        taken, text = [], ""
        for _ in range(rounds + 1):
            start = time.process_time()
            sql = f"SELECT * FROM information_schema.{table}"
            text = splice(sql, await schema.expand(sql, partial(information_schema.rows, catalogs, [*catalogs])))
            taken.append(time.process_time() - start)
        print(f"{table:<10} {taken[0]:>10.2f} {statistics.median(taken[1:]):>10.2f} {len(text) / 1e6:>10.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        iceberg = populate(Path(name), options.tables, options.columns)
        asyncio.run(measure(Catalogs([Catalog(SqlStore(iceberg))]), options.rounds))
