"""The fresh partitions of partly stale storage, beside views that a staleness bound lets answer stale."""

from __future__ import annotations

import asyncio

import pyarrow as pa

from proxy.answering.decision import Decision
from tests.unit.answering.test_readable import QUERY, Asking, asking
from tests.unit.catalog.lake import ROWS

__all__ = ["asking"]

BOTH = f"SELECT a.s, b.n FROM ({QUERY.replace('sum(amount)', 'sum(amount) AS s')}) AS a CROSS JOIN ({{}}) AS b"
HIGHEST = "SELECT region, max(amount) AS n FROM stores GROUP BY region"
MORE = pa.table({"region": ["eu", "us"], "amount": pa.array([1, 2], pa.int64())}, schema=ROWS.schema)


def decided(asking: Asking, sql: str) -> Decision:
    return asyncio.run(asking.answers.decide(asking.session, sql, thorough=True))


def partition(asking: Asking, *tables: str) -> None:
    """Partition tables of the lake by region."""
    for table in tables:
        with asking.house.lake.iceberg.load_table(f"demo.{table}").update_spec() as spec:
            spec.add_identity("region")


def refresh(asking: Asking, view: str) -> None:
    asyncio.run(asking.house.run(f"REFRESH MATERIALIZED VIEW {view}"))


def add_view(asking: Asking, name: str, table: str, query: str) -> None:
    """Create another table of the same columns, and a view over it that may be an hour stale."""
    asking.house.lake.iceberg.create_table(f"demo.{table}", ROWS.schema).append(ROWS)
    asking.house.upstream.described = [("region", "string"), ("n", "bigint")]
    bounded = "TBLPROPERTIES ('viewgate.max_staleness' = '1 hour')"
    asyncio.run(asking.house.run(f"CREATE MATERIALIZED VIEW {name} {bounded} AS {query}"))


def test_a_bound_of_one_view_leaves_the_fresh_partitions_of_another(asking: Asking) -> None:
    iceberg = asking.house.lake.iceberg
    partition(asking, "sales", "agg__storage")
    iceberg.load_table("demo.sales").overwrite(MORE)  # each file is of one region
    refresh(asking, "agg")
    add_view(asking, "highest", "stores", HIGHEST)
    iceberg.load_table("demo.sales").delete("region = 'us'")  # agg is partly stale from here on
    iceberg.load_table("demo.stores").delete("region = 'eu'")  # and highest within its bound
    decision = decided(asking, BOTH.format(HIGHEST))
    assert decision.sql is not None
    assert "agg__storage" in decision.sql
    assert "highest__storage" in decision.sql
    (part,) = (tried.detail for tried in decision.tried if tried.view.table == "agg" and tried.verdict == "chosen")
    assert "live: only the partitions that are still fresh are read" in part
    assert decision.outcome is not None
    assert decision.outcome.as_of_ms is not None


def test_the_changed_rows_are_tried_beside_the_fresh_partitions(asking: Asking) -> None:
    iceberg = asking.house.lake.iceberg
    partition(asking, "sales", "agg__storage")
    iceberg.load_table("demo.sales").overwrite(MORE)
    refresh(asking, "agg")
    iceberg.load_table("demo.sales").delete("region = 'us'")
    total = "SELECT sum(amount) AS s FROM sales WHERE region = '{}'"
    pair = f"SELECT a.s, b.s FROM ({total.format('eu')}) AS a CROSS JOIN ({total.format('us')}) AS b"
    fresh, stale = (tried.detail for tried in decided(asking, pair).tried if tried.verdict == "chosen")
    assert fresh.startswith("live: only the partitions that are still fresh are read")
    assert stale.startswith("live: the stale view is read together with the rows inserted into and deleted from")
