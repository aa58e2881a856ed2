"""Measures what each statement spends on checking that storage is fresh, over catalogs of 10 to 1,000 tables.

    python benchmarks/freshness.py [--tables 10 100 1000] [--seconds 3] [--postgres | --uri DATABASE]

A statement over one table with three views asks the catalog once for the current metadata locations of all seven names,
and compares them with what the refreshes recorded. `committed` is the same directly after a commit to the table, whose
metadata file must then be read. The catalog is a SQLite file; with `--postgres`, it is in a PostgreSQL server on this
machine, which is started for it (from Debian's package); with `--uri`, in the given database, which must be empty. The
goal is 1 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from pyiceberg.catalog.sql import SqlCatalog

sys.path.insert(0, str(Path(__file__).parents[1]))

from proxy.catalog import Catalogs
from rewriter import fresh_storage
from rewriter.model import MaterializedView, Table, TableName
from tests.integration.postgres import DATABASE, USER, postgres
from tests.unit.catalog.lake import ROWS, SALES, Lake
from tests.unit.commands.house import House

VIEW = "CREATE MATERIALIZED VIEW agg_{} AS SELECT region, sum(amount) FROM sales GROUP BY region"
COMMITS = 30


class Shared(Lake):
    """A catalog in the given database."""

    def __init__(self, directory: Path, uri: str) -> None:
        self.directory = directory
        self.iceberg = SqlCatalog("lake", uri=uri, warehouse=f"file://{directory}/warehouse")
        self.iceberg.create_namespace("demo")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--seconds", type=float, default=3.0)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--postgres", action="store_true")
    which.add_argument("--uri", default="", help="for example postgresql+psycopg2://user@host/database")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder, uri = stack.enter_context(tempfile.TemporaryDirectory()), options.uri
        if options.postgres:
            uri = f"postgresql+psycopg2://{USER}@127.0.0.1:{stack.enter_context(postgres())}/{DATABASE}"
        lake = Shared(Path(folder), uri) if uri else Lake(Path(folder))
        asyncio.run(measure(lake, sorted(options.tables), options.seconds))
        lake.close()


async def measure(lake: Lake, sizes: Sequence[int], seconds: float) -> None:
    house = House(lake)
    for number in range(3):
        await house.run(VIEW.format(number))
    views = await house.catalogs.definitions()
    print(f"{'tables':>7} {'looks':>7} {'p50 ms':>8} {'p99 ms':>8} {'committed, p50 ms':>18}")
    made = 4
    for size in sizes:
        for number in range(made, size):
            lake.iceberg.create_table(f"demo.other_{number}", ROWS.schema)
        made = max(made, size)
        catalogs = lake.catalogs(poll_ms=500)
        await catalogs.definitions()
        looks = [took async for took in _looks(catalogs, views, seconds)]
        after = []
        for _ in range(COMMITS):
            lake.iceberg.load_table("demo.sales").append(ROWS)
            after.append(await _look(catalogs, views, fresh=False))
        for view in views:
            await house.run(f"REFRESH MATERIALIZED VIEW {view.name.table}")
        cut = statistics.quantiles(looks, n=100)
        print(f"{size:>7} {len(looks):>7} {cut[49]:>8.3f} {cut[98]:>8.3f} {statistics.median(after):>18.3f}")


async def _looks(catalogs: Catalogs, views: Sequence[MaterializedView], seconds: float) -> AsyncIterator[float]:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield await _look(catalogs, views, fresh=True)


async def _look(catalogs: Catalogs, views: Sequence[MaterializedView], *, fresh: bool) -> float:
    """Check the tables once, and return the milliseconds that it took."""
    begin = time.perf_counter()
    await catalogs.definitions()
    found = await catalogs.current(_names(views))
    held = [isinstance(fresh_storage(view, (SALES,), found), Table) for view in views]
    took = (time.perf_counter() - begin) * 1000
    assert held == [fresh] * len(views)
    return took


def _names(views: Sequence[MaterializedView]) -> list[TableName]:
    return [SALES, *(name for view in views for name in (view.name, view.storage))]


if __name__ == "__main__":
    main()
