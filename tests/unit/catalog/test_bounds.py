"""Lower bounds of times and ranges of integers of a table, from its manifests."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.manifest import ManifestEntry, ManifestFile
from pyiceberg.table import Table
from pyiceberg.types import LongType

from proxy.catalog import bounds
from proxy.catalog.bounds import Known, integer_ranges, time_ranges
from proxy.catalog.documents import Remembered
from tests.unit.catalog.lake import Lake

SCHEMA = pa.schema([("t", pa.timestamp("us", tz="UTC")), ("d", pa.date32()), ("n", pa.int64())])
FIRST = datetime(2024, 3, 10, 1, 30, tzinfo=UTC)


def rows(*times: datetime | None) -> pa.Table:
    days = [time.date() if time is not None else None for time in times]
    return pa.table({"t": list(times), "d": days, "n": [1] * len(times)}, schema=SCHEMA)


def least(table: Table) -> dict[str, int]:
    return {name: low for name, low, _ in time_ranges(table.metadata, table.io)}


def most(table: Table) -> dict[str, int]:
    return {name: high for name, _, high in time_ranges(table.metadata, table.io)}


def test_the_least_and_the_greatest_of_all_files(lake: Lake) -> None:
    table = lake.iceberg.create_table("demo.times", SCHEMA)
    assert least(table) == {}
    table.append(rows(FIRST + timedelta(days=3), None))
    table.append(rows(FIRST, FIRST + timedelta(microseconds=1)))
    table.append(rows(None))
    midnight = datetime(2024, 3, 10, tzinfo=UTC)
    assert least(table) == {"t": int(FIRST.timestamp()), "d": int(midnight.timestamp())}
    later = 3 * 86_400
    assert most(table) == {"t": int(FIRST.timestamp()) + later, "d": int(midnight.timestamp()) + later}


def test_times_before_1970(lake: Lake) -> None:
    table = lake.iceberg.create_table("demo.times", SCHEMA)
    table.append(rows(datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)))
    assert least(table) == {"t": -1, "d": (date(1969, 12, 31) - date(1970, 1, 1)).days * 86_400}


def test_a_column_without_bounds_tells_nothing(lake: Lake) -> None:
    properties = {"write.metadata.metrics.column.t": "counts"}
    table = lake.iceberg.create_table("demo.times", SCHEMA, properties=properties)
    table.append(rows(FIRST))
    assert set(least(table)) == {"d"}


def test_a_table_of_many_manifests_is_not_read(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_MANIFESTS", 1)
    table = lake.iceberg.create_table("demo.times", SCHEMA)
    table.append(rows(FIRST))
    assert least(table)
    assert ranges(table)
    table.append(rows(FIRST))
    assert least(table) == {}
    assert ranges(table) == {}


def test_a_table_of_many_files_is_not_read(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_BYTES", 1)
    table = numbers(lake, [1], [2])
    assert ranges(table) == {}


NUMBERS = pa.schema([("i", pa.int32()), ("b", pa.int64()), ("x", pa.float64())])


def numbers(lake: Lake, i: list[int | None], b: list[int | None], **properties: str) -> Table:
    table = lake.iceberg.create_table("demo.numbers", NUMBERS, properties=properties)
    table.append(pa.table({"i": i, "b": b, "x": [1.0] * len(i)}, schema=NUMBERS))
    return table


def ranges(table: Table, known: Known | None = None) -> dict[str, tuple[int, int]]:
    return {name: (low, high) for name, low, high in integer_ranges(table.metadata, table.io, known or Remembered(9))}


def test_the_ranges_of_all_files(lake: Lake) -> None:
    table = numbers(lake, [3, -7, None], [2**40, 5, 6])
    table.append(pa.table({"i": [None, 9], "b": [None, None], "x": [0.5, 2.0]}, schema=NUMBERS))
    assert ranges(table) == {"i": (-7, 9), "b": (5, 2**40)}


def test_a_column_without_values_has_no_range(lake: Lake) -> None:
    assert ranges(numbers(lake, [None], [1])) == {"b": (1, 1)}
    assert ranges(lake.iceberg.create_table("demo.empty", NUMBERS)) == {}


def test_bounds_that_one_file_lacks_are_not_known(lake: Lake) -> None:
    table = numbers(lake, [1], [1], **{"write.metadata.metrics.column.i": "counts"})
    assert ranges(table) == {"b": (1, 1)}


def test_bounds_of_an_int_that_became_a_bigint(lake: Lake) -> None:
    table = numbers(lake, [-3, 4], [1, 1])
    with table.update_schema() as update:
        update.update_column("i", LongType())
    assert ranges(table)["i"] == (-3, 4)


def test_a_manifest_is_read_once(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    known: Known = Remembered(9)
    table = numbers(lake, [1], [1])
    assert ranges(table, known)["i"] == (1, 1)
    table.append(pa.table({"i": [8], "b": [1], "x": [1.0]}, schema=NUMBERS))
    read: list[str] = []
    fetch = ManifestFile.fetch_manifest_entry

    def counted(manifest: ManifestFile, *given: Any, **named: Any) -> list[ManifestEntry]:
        read.append(manifest.manifest_path)
        return fetch(manifest, *given, **named)

    monkeypatch.setattr(ManifestFile, "fetch_manifest_entry", counted)
    assert ranges(table, known)["i"] == (1, 8)
    assert len(read) == 1


def test_a_column_that_a_known_manifest_was_not_asked_for(lake: Lake) -> None:
    known: Known = Remembered(9)
    table = numbers(lake, [1], [1])
    assert ranges(table, known)
    with table.update_schema() as update:
        update.add_column("later", LongType())
    later = pa.schema([*NUMBERS, ("later", pa.int64())])
    table.append(pa.table({"i": [1], "b": [1], "x": [1.0], "later": [5]}, schema=later))
    assert set(ranges(table, known)) == {"i", "b"}  # the first file tells nothing of it
