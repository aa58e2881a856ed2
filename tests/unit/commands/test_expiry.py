"""Statements that expire snapshots report which views depend on those snapshots."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.unit.catalog.lake import ROWS
from tests.unit.commands.house import House
from tests.unit.commands.test_planner import CREATE, plan


def told(house: House, sql: str) -> list[str]:
    """Return what the log of a statement says about views."""
    return [line for line in plan(house, sql).log if "lake.demo.agg" in line]


@pytest.fixture
def stale(house: House) -> int:
    """Leave a view without the latest snapshot of its table; return the snapshot that it holds."""
    asyncio.run(house.run(CREATE))
    table: Any = house.lake.iceberg.load_table("demo.sales")
    before = table.current_snapshot().snapshot_id
    table.append(ROWS)
    return int(before)


@pytest.mark.parametrize(
    "arguments",
    [
        "'demo.sales'",
        "table => 'sales', retain_last => 1",
        "'demo.sales', TIMESTAMP '2999-01-01 00:00:00'",
        "table => 'demo.sales', snapshot_ids => array(1, 2)",
        "table => 'demo.sales', older_than => current_timestamp()",
    ],
)
def test_a_view_that_needs_a_snapshot_is_named(house: House, stale: int, arguments: str) -> None:
    (line,) = told(house, f"CALL lake.system.expire_snapshots({arguments})")
    assert f"has read snapshot {stale} of lake.demo.sales" in line
    assert "REFRESH MATERIALIZED VIEW lake.demo.agg before snapshots expire" in line


@pytest.mark.parametrize(
    "sql",
    [
        "CALL lake.system.expire_snapshots('demo.sales', TIMESTAMP '2001-01-01 00:00:00')",
        "CALL lake.system.expire_snapshots('demo.others')",
        "CALL lake.system.rewrite_data_files('demo.sales')",
        "INSERT INTO sales VALUES ('expire_snapshots', 1)",
    ],
)
def test_one_that_keeps_what_it_needs_is_not(house: House, stale: int, sql: str) -> None:
    assert told(house, sql) == []


def test_a_fresh_view_needs_no_older_snapshot(house: House, stale: int) -> None:
    asyncio.run(house.run("REFRESH MATERIALIZED VIEW agg"))
    assert told(house, "CALL lake.system.expire_snapshots('demo.sales')") == []


@pytest.mark.parametrize(("kept", "lines"), [("60000", 1), ("7200000", 0)])
def test_a_table_that_keeps_snapshots_for_less_than_a_bound_is_told_of(house: House, kept: str, lines: int) -> None:
    asyncio.run(house.run(CREATE.replace("'always'", "'always', 'viewgate.max_staleness' = '1 hour'")))
    found = told(
        house, f"ALTER TABLE sales SET TBLPROPERTIES ('a' = 'b', 'history.expire.max-snapshot-age-ms'='{kept}')"
    )
    assert len(found) == lines
    assert all("may be 3600 s old" in line and f"= {kept} keeps" in line for line in found)
