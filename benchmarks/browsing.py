"""Measures how long a tool waits for the list of all columns of a large catalog.

    python benchmarks/browsing.py [--tables 10000] [--columns 10] [--rounds 5]

Creates a catalog with this number of tables on SQLite, and asks a Viewgate before it for the columns of all tables, as
a client does: once when nothing is cached, so that each table costs the read of a file, and then repeatedly. A stand-in
plays Spark, which has no tables here, but is asked as well.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import uvloop
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType
from sqlalchemy import text

sys.path.insert(0, str(Path(__file__).parents[1]))

from proxy.catalog import Catalog, Catalogs
from proxy.catalog.stores import SqlStore
from proxy.hs2 import ResultSet
from proxy.hs2.generated import ttypes
from tests.unit.support.proxied import RawClient, proxied

ROWS = 10_000  # that a client fetches at a time
COLUMNS = ResultSet.of(*(f"c{n}" for n in range(16)), "position int", *(f"d{n}" for n in range(6)))


def populate(folder: Path, tables: int, columns: int) -> SqlCatalog:
    """Create a catalog whose tables differ only in name and location, by writing one table's metadata for each."""
    catalog = SqlCatalog("lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/warehouse")
    catalog.create_namespace("large")
    kinds = (LongType(), StringType())
    fields = (NestedField(n, f"column_{n}", kinds[n % 2], doc=f"what column {n} holds") for n in range(1, columns + 1))
    document = Path(catalog.create_table("large.t0", Schema(*fields)).metadata_location.removeprefix("file://"))
    said = document.read_text()
    rows = []
    for number in range(1, tables):
        place = folder / f"{number}.metadata.json"
        place.write_text(said.replace("/large/t0", f"/large/t{number}"))
        rows.append({"name": f"t{number}", "place": f"file://{place}"})
    with catalog.engine.begin() as connection:
        insert = (
            "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, iceberg_type) "
            "VALUES ('lake', 'large', :name, :place, 'TABLE')"
        )
        connection.execute(text(insert), rows)
    return catalog


async def seconds(client: RawClient, session: Any) -> tuple[float, float, int]:
    """Return the seconds for the call and for all of its rows, and the number of rows."""
    start = time.perf_counter()
    request = ttypes.TGetColumnsReq(sessionHandle=session, schemaName="large", tableName="%", columnName="%")
    answer = await client.ask("GetColumns", request, ttypes.TExecuteStatementResp)
    assert answer.status.statusCode == 0, answer.status
    called, rows = time.perf_counter() - start, 0
    while block := len((await client.fetch(answer.operationHandle, rows=ROWS)).results.columns[0].stringVal.values):
        rows += block
    whole = time.perf_counter() - start
    await client.ask("CloseOperation", ttypes.TCloseOperationReq(answer.operationHandle), ttypes.TCloseOperationResp)
    return called, whole, rows


async def measure(folder: Path, tables: int, columns: int, rounds: int) -> None:
    iceberg = populate(folder, tables, columns)
    catalogs = Catalogs([Catalog(SqlStore(iceberg))])
    async with proxied(catalogs=catalogs) as running:
        running.spark.listings["GetColumns"] = COLUMNS
        async with RawClient(running.port) as client:
            session = await client.open_session()
            first = await seconds(client, session)
            others = [await seconds(client, session) for _ in range(rounds)]
    catalogs.close()
    iceberg.close()
    print(f"{tables} tables, {first[2]} columns       call, s   with all rows, s")
    print(f"  first                     {first[0]:12.2f} {first[1]:18.2f}")
    medians = [statistics.median(each[at] for each in others) for at in (0, 1)]
    print(f"  later, median of {rounds:<9} {medians[0]:12.2f} {medians[1]:18.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(measure(Path(name), options.tables, options.columns, options.rounds))


if __name__ == "__main__":
    main()
