"""The least times of a table, as its manifests tell them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pyarrow as pa
import pytest
from pyiceberg.table import Table

from proxy.catalog import bounds
from proxy.catalog.bounds import least_times
from tests.unit.catalog.lake import Lake

SCHEMA = pa.schema([("t", pa.timestamp("us", tz="UTC")), ("d", pa.date32()), ("n", pa.int64())])
FIRST = datetime(2024, 3, 10, 1, 30, tzinfo=UTC)


def rows(*times: datetime | None) -> pa.Table:
    days = [time.date() if time is not None else None for time in times]
    return pa.table({"t": list(times), "d": days, "n": [1] * len(times)}, schema=SCHEMA)


def least(table: Table) -> dict[str, int]:
    return dict(least_times(table.metadata, table.io))


def test_the_least_of_all_files(lake: Lake) -> None:
    table = lake.iceberg.create_table("demo.times", SCHEMA)
    assert least(table) == {}
    table.append(rows(FIRST + timedelta(days=3), None))
    table.append(rows(FIRST, FIRST + timedelta(microseconds=1)))
    table.append(rows(None))
    midnight = datetime(2024, 3, 10, tzinfo=UTC)
    assert least(table) == {"t": int(FIRST.timestamp()), "d": int(midnight.timestamp())}


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
    table.append(rows(FIRST))
    assert least(table) == {}
