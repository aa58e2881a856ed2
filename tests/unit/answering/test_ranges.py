"""Averages of integers: the bounds of a table's values are looked up when a statement needs them."""

from __future__ import annotations

import asyncio

import pyarrow as pa
import pytest

from rewriter.model import Table, TableName
from tests.unit.answering.test_moments import REFRESH, sent
from tests.unit.answering.test_readable import Asking, asking
from tests.unit.catalog.lake import ROWS

__all__ = ["asking"]

SALES = TableName(("lake", "demo", "sales"))
DECIDES = "SELECT region FROM sales GROUP BY region HAVING avg(amount) > 15"


def ranges(asking: Asking) -> tuple[tuple[str, int, int], ...]:
    found = asyncio.run(asking.house.catalogs.current([SALES]))[SALES]
    assert isinstance(found, Table)
    return found.ranges


def make(asking: Asking) -> None:
    asking.house.upstream.described = [("region", "string"), ("a", "double")]
    asyncio.run(
        asking.house.run("CREATE MATERIALIZED VIEW means AS SELECT region, avg(amount) AS a FROM sales GROUP BY region")
    )


def test_an_average_within_the_bounds_of_a_column_decides(asking: Asking) -> None:
    make(asking)
    assert ranges(asking) == ()
    assert "means__storage" in sent(asking, DECIDES)
    assert ranges(asking) == (("amount", 10, 20),)


def test_values_beyond_the_bounds_are_noticed(asking: Asking) -> None:
    make(asking)
    assert "means__storage" in sent(asking, DECIDES)
    huge = pa.table({"region": ["eu"], "amount": pa.array([2**60], pa.int64())}, schema=ROWS.schema)
    asking.house.lake.iceberg.load_table("demo.sales").append(huge)
    asyncio.run(asking.house.run(REFRESH.replace("agg", "means")))
    assert sent(asking, DECIDES) == ""
    assert ranges(asking) == (("amount", 10, 2**60),)


@pytest.mark.parametrize("views", [True, False])
def test_a_suggested_view_may_need_the_bounds_of_a_column(asking: Asking, views: bool) -> None:
    if not views:
        asyncio.run(asking.house.run("DROP MATERIALIZED VIEW agg"))
    decision = asyncio.run(asking.answers.decide(asking.session, DECIDES, thorough=True))
    found = decision.suggestion
    assert found is not None
    assert found.add[0] == "avg(amount)"
    assert ranges(asking) == (("amount", 10, 20),)


def test_a_view_is_suggested_without_the_bounds_of_a_column(asking: Asking) -> None:
    query = "SELECT region, max(amount) AS top FROM sales GROUP BY region"
    decision = asyncio.run(asking.answers.decide(asking.session, query, thorough=True))
    assert decision.suggestion is not None
    assert ranges(asking) == ()
