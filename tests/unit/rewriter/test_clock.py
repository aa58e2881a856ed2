"""Values of bounds that depend on the time of execution."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from sqlglot import exp

from rewriter import parse
from rewriter.block import build_block, find_among
from rewriter.clock import value_at
from rewriter.model import table_columns
from tests.golden.corpus import GoldenFile, world

NOW = datetime(2024, 3, 31, 10, 30, 15)
VALUES = {
    "now()": "2024-03-31 10:30:15",
    "localtimestamp()": "2024-03-31 10:30:15",
    "current_date()": "2024-03-31 00:00:00",
    "now() - INTERVAL 7 DAYS": "2024-03-24 10:30:15",
    "now() - INTERVAL '1 day 2 hours'": "2024-03-30 08:30:15",
    "current_timestamp() + INTERVAL 1 WEEK": "2024-04-07 10:30:15",
    "now() - INTERVAL 1 MONTH": "2024-02-29 10:30:15",
    "dateadd(HOUR, -24, now())": "2024-03-30 10:30:15",
    "current_date() - 30": "2024-03-01 00:00:00",
    "date_sub(now(), 1)": "2024-03-30 00:00:00",
    "add_months(current_date(), -1)": "2024-02-29 00:00:00",
    "last_day(add_months(current_date(), -1))": "2024-02-29 00:00:00",
    "date_trunc('month', now())": "2024-03-01 00:00:00",
    "trunc(current_date(), 'YEAR')": "2024-01-01 00:00:00",
    "date_trunc('day', now() - INTERVAL 3 DAYS) + INTERVAL 1 DAY": "2024-03-29 00:00:00",
    "make_date(year(current_date()) - 1, 1, 1)": "2023-01-01 00:00:00",
    "CAST(date_format(current_date(), 'yyyy-MM-01') AS DATE)": "2024-03-01 00:00:00",
    "timestamp_seconds(unix_timestamp() - 2 * 3600)": "2024-03-31 08:30:15",
    "from_unixtime(unix_timestamp() - 60)": "2024-03-31 10:29:15",
    "current_date() - make_interval(9999)": None,
    "months_between(now(), now())": None,
}


@pytest.mark.parametrize(("bound", "value"), VALUES.items(), ids=VALUES)
def test_value_at(bound: str, value: str | None) -> None:
    built = world(GoldenFile(Path(), schema="CREATE TABLE e (t TIMESTAMP, n INT);"))
    statement = parse(f"SELECT n FROM e WHERE t >= {bound}", built.session)
    (select,) = statement.blocks
    assert select.tree is not None
    (comparison,) = build_block(select.tree, find_among(statement, table_columns(built.relations))).where
    sides = (comparison.this, comparison.expression)
    (constant,) = (side for side in sides if not isinstance(side, exp.Column))
    found = value_at(NOW, constant)
    assert (None if found is None else str(found)) == value
