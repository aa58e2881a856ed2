"""Views in a Hive Metastore: created by Spark, refreshed, read and dropped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

from proxy.catalog.stores import open_store
from rewriter.model import TableName
from tests.integration import clients
from tests.integration.decided import chosen, rows_both_ways
from tests.integration.gate import Gate
from tests.integration.hive import hive_metastore
from tests.integration.moments import check_moments

# A metastore of Hive 2 has no TIMESTAMP WITH LOCAL TIME ZONE, which is Spark's TIMESTAMP.
QUERY = (
    "SELECT region, date_trunc('DAY', at), sum(amount) FROM metastore.shop.sales GROUP BY region, date_trunc('DAY', at)"
)
VIEW = "metastore.shop.by_region"


class Hive(NamedTuple):
    """A Viewgate over the metastore, and the catalog's properties."""

    gate: Gate
    catalog: dict[str, str]


@pytest.fixture(scope="module")
def hive(gate: Gate, hive_port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hive]:
    """A metastore, and a Viewgate over it before the run's Spark."""
    folder = tmp_path_factory.mktemp("hive")
    with hive_metastore(folder, hive_port) as uri:
        file = folder / "viewgate.toml"
        file.write_text(
            f'[[upstream]]\nhost = "127.0.0.1"\nport = {gate.spark_port}\n'
            f'[catalog]\nname = "metastore"\ntype = "hive"\nuri = "{uri}"\n'
        )
        with Gate("--config", file) as over:
            yield Hive(over, {"type": "hive", "uri": uri})
            assert over.stop() == 0


def right(session: Any, query: str = QUERY) -> list[str]:
    """Return the views that answer the query, after checking that the rows are the original's."""
    given, plain = rows_both_ways(session, query)
    assert given == plain
    return chosen(session, query)


def test_a_view_answers_is_refreshed_and_is_gone_when_dropped(hive: Hive, direct: Any) -> None:
    with clients.pyhive(hive.gate.port) as session:
        for sql in (
            "CREATE NAMESPACE metastore.shop",
            "CREATE TABLE metastore.shop.sales AS "
            "SELECT id % 5 AS region, timestamp_seconds(id) AS at, id AS amount FROM range(100000)",
            f"CREATE MATERIALIZED VIEW metastore.Shop.By_Region AS {QUERY.replace('sales', 'Sales')}",
        ):
            clients.rows(session, sql)
        assert right(session) == [VIEW]
        assert right(session, QUERY.replace("shop.sales", "Shop.SALES")) == [VIEW]
        store = open_store("metastore", hive.catalog)
        at = pa.array([0, 1], pa.timestamp("us", "UTC"))
        store.iceberg.load_table("shop.sales").append(pa.table({"region": [1, 7], "at": at, "amount": [10, 20]}))
        assert "delta_union" in str(clients.rows(session, f"EXPLAIN REWRITE {QUERY}"))
        right(session)
        clients.rows(direct, "DELETE FROM metastore.shop.sales WHERE amount < 50")
        hinted = QUERY.replace("SELECT", f"SELECT /*+ VIEWGATE(use = '{VIEW}') */", 1)
        assert "changelog_union" in str(clients.rows(session, f"EXPLAIN REWRITE {hinted}"))
        assert right(session, hinted) == [VIEW]
        clients.rows(
            session, "INSERT INTO metastore.shop.sales VALUES (9, TIMESTAMP '2026-01-02 03:04:05', 90)"
        )  # refreshes the view
        clients.rows(session, f"REFRESH MATERIALIZED VIEW {VIEW}")
        ways = [row[1] for row in clients.rows(session, "SHOW VIEWGATE REFRESHES")]
        assert ways == ["none", "changelog", "full"]
        assert right(session) == [VIEW]
        assert [row[:3] for row in clients.rows(session, "SHOW MATERIALIZED VIEWS IN metastore.shop")] != []
        kinds = {str(name): entry.kind for name, entry in store.relations(lambda name: True).items()}
        assert kinds == {"metastore.shop.sales": "table", VIEW: "view", f"{VIEW}__storage": "table"}
        assert [*store.views()] == [TableName(("metastore", "shop", "by_region"))]
        missing = [TableName(("metastore", space, "x")) for space in ("shop", "nowhere")]
        typed = TableName(("metastore", "Shop", "Sales"))
        assert [*store.look([*missing, typed])] == [typed]
        assert store.namespaces() == [("default",), ("shop",)]
        clients.rows(session, f"DROP MATERIALIZED VIEW {VIEW}")
        assert right(session) == []
        assert [*store.relations(lambda name: True)] == [TableName(("metastore", "shop", "sales"))]


def test_bounds_time_travel_rollbacks_and_deltas(hive: Hive, direct: Any) -> None:
    with clients.pyhive(hive.gate.port) as session:
        check_moments(session, direct, "metastore")
