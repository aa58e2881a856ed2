"""The statistics of data files from manifests, and when lookups return tables with them."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import pytest
from pyiceberg.table import Table as IcebergTable
from pyiceberg.types import LongType

from proxy.catalog import Catalogs
from proxy.catalog import statistics as reading
from proxy.catalog.statistics import groups, statistics
from rewriter.model import Table
from rewriter.model.statistics import FEW_ROWS, ColumnFiles, Statistics
from tests.unit.catalog.lake import SALES, Lake

SCHEMA = pa.schema(
    [("i", pa.int32()), ("d", pa.date32()), ("t", pa.timestamp("us", tz="UTC")), ("p", pa.decimal128(9, 2)),
     ("s", pa.string()), ("b", pa.bool_()), ("x", pa.float64()), ("m", pa.list_(pa.int32()))]
)  # fmt: skip
ROW = {
    "i": [-3, 5], "d": [date(1969, 12, 31), date(1970, 1, 3)], "t": [datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), None],
    "p": [Decimal("-1.25"), Decimal("7.50")], "s": ["abc", "b"], "b": [False, True], "x": [0.5, 2.0], "m": [[1], []],
}  # fmt: skip


def read(table: IcebergTable) -> Statistics:
    found = statistics(table.metadata, table.io, groups())
    assert found is not None
    return found


def test_bounds_lie_on_the_lines_of_their_types(lake: Lake) -> None:
    table = lake.iceberg.create_table("demo.t", SCHEMA)
    table.append(pa.table(ROW, schema=SCHEMA))
    found = read(table)
    (group,) = found.groups
    assert (found.files, found.records, list(group.sizes) == [0]) == (1, 2, False)
    assert {name: (column.lower[0], column.upper[0], column.nulls[0]) for name, column in named(table, found)} == {
        "i": (-3, 5, 0),
        "d": (-1, 2, 0),
        "t": (1_000_000, 1_000_000, 1),
        "p": (Fraction(-5, 4), Fraction(15, 2), 0),
        "s": ("abc", "b", 0),
        "b": (0, 1, 0),
        "x": (0.5, 2.0, 0),
    }
    assert all(column.sizes[0] for _, column in named(table, found))


def named(table: IcebergTable, found: Statistics) -> list[tuple[str, ColumnFiles]]:
    (group, *_) = found.groups
    names = {field.field_id: field.name for field in table.schema().fields}
    return [(names[field_id], column) for field_id, column in group.columns.items()]


def test_bounds_of_an_int_that_became_a_bigint(lake: Lake) -> None:
    table = lake.iceberg.create_table("demo.t", SCHEMA)
    table.append(pa.table(ROW, schema=SCHEMA))
    with table.update_schema() as update:
        update.update_column("i", LongType())
    assert dict(named(table, read(table)))["i"].lower[0] == -3


def test_a_table_of_too_many_manifests_is_not_read(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    table = lake.iceberg.create_table("demo.t", SCHEMA)
    assert statistics(table.metadata, table.io, groups()) is None
    table.append(pa.table(ROW, schema=SCHEMA))
    assert read(table).files == 1
    monkeypatch.setattr(reading, "MOST_MANIFESTS", 0)
    assert statistics(table.metadata, table.io, groups()) is None


def test_a_manifest_is_read_once(lake: Lake) -> None:
    table, known = lake.iceberg.create_table("demo.t", SCHEMA), groups()
    table.append(pa.table(ROW, schema=SCHEMA))
    first = statistics(table.metadata, table.io, known)
    table.append(pa.table(ROW, schema=SCHEMA))
    second = statistics(table.metadata, table.io, known)
    assert first is not None
    assert second is not None
    assert (first.files, second.files) == (1, 2)
    assert first.groups[0] in second.groups


async def looked(catalogs: Catalogs) -> Table:
    found = (await catalogs.current([SALES]))[SALES]
    assert isinstance(found, Table)
    return found


async def examined(catalogs: Catalogs, files: int) -> Table:
    """Return the table once the statistics of this number of files are read."""
    for _ in range(1000):
        found = await looked(catalogs)
        catalogs.examine([found])
        if found.statistics is not None and found.statistics.files == files:
            return found
        await asyncio.sleep(0.01)
    raise AssertionError("no statistics were read")


def rows(count: int) -> pa.Table:
    return pa.table({"n": pa.array(range(count), pa.int64())})


def test_a_large_table_comes_with_statistics_once_it_is_examined(lake: Lake) -> None:
    async def story() -> None:
        table = lake.iceberg.create_table("demo.sales", rows(0).schema)
        table.append(rows(FEW_ROWS + 1))
        catalogs = lake.catalogs()
        assert (await looked(catalogs)).statistics is None
        first = await examined(catalogs, 1)
        assert await looked(catalogs) is first
        table.append(rows(3))
        between = await looked(catalogs)
        assert between.snapshot_id != first.snapshot_id
        assert between.statistics is first.statistics
        assert (await examined(catalogs, 2)).records == FEW_ROWS + 4

    asyncio.run(story())


def test_a_small_table_is_not_examined(lake: Lake) -> None:
    async def story() -> None:
        lake.iceberg.create_table("demo.sales", rows(0).schema).append(rows(FEW_ROWS))
        catalogs = lake.catalogs()
        catalogs.examine([await looked(catalogs), None])
        assert not catalogs["lake"]._relations.examined.running
        assert (await looked(catalogs)).statistics is None

    asyncio.run(story())


def test_statistics_that_cannot_be_read_are_missed_once(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        lake.iceberg.create_table("demo.sales", rows(0).schema).append(rows(FEW_ROWS + 1))
        catalogs = lake.catalogs()
        monkeypatch.setattr("proxy.catalog.statistics.statistics", broken)
        for _ in range(3):
            catalogs.examine([await looked(catalogs)])
            while catalogs["lake"]._relations.examined.running:
                await asyncio.sleep(0.01)
        assert (await looked(catalogs)).statistics is None

    def broken(*_: object) -> None:
        raise OSError("no such manifest")

    asyncio.run(story())
    assert [record.getMessage() for record in caplog.records] == [
        "statistics unreadable table=lake.demo.sales error=OSError('no such manifest'): costs are estimated without "
        "statistics"
    ]
