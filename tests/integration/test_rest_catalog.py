"""Views in a REST catalog of Iceberg's own tests: created, refreshed, and read by Spark's client."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog

from proxy.catalog import open_catalog
from rewriter.model import Table, TableName, ViewState
from tests.integration import clients
from tests.integration.decided import chosen, rows_both_ways
from tests.integration.gate import Gate
from tests.integration.race import Race
from tests.integration.rest import rest_catalog

RACE_S = 4
QUERY = "SELECT region, sum(amount) FROM rest.shop.sales GROUP BY region"
VIEW = "rest.shop.by_region"


class Rest(NamedTuple):
    """A Viewgate over the catalog, the catalog's properties, and the database behind it."""

    gate: Gate
    catalog: dict[str, str]
    database: str


@pytest.fixture(scope="module")
def rest(gate: Gate, rest_port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rest]:
    """A REST catalog, and a Viewgate over it before the run's Spark."""
    folder = tmp_path_factory.mktemp("rest")
    with rest_catalog("rest", folder, rest_port) as server:
        file = folder / "viewgate.toml"
        file.write_text(
            f'[[upstream]]\nhost = "127.0.0.1"\nport = {gate.spark_port}\n'
            f'[catalog]\nname = "rest"\ntype = "rest"\nuri = "{server.uri}"\n'
        )
        with Gate("--config", file) as over:
            yield Rest(over, {"type": "rest", "uri": server.uri}, server.database)
            assert over.stop() == 0


@pytest.fixture
def session(rest: Rest) -> Iterator[Any]:
    """A session with a table in the catalog and a view over it."""
    with clients.pyhive(rest.gate.port) as connection:
        for sql in (
            "CREATE NAMESPACE IF NOT EXISTS rest.shop",
            "DROP MATERIALIZED VIEW IF EXISTS rest.shop.by_region",
            "CREATE OR REPLACE TABLE rest.shop.sales AS SELECT id % 5 AS region, id AS amount FROM range(100000)",
            f"CREATE MATERIALIZED VIEW rest.shop.by_region WITH DEFERRED REFRESH AS {QUERY}",
            "REFRESH MATERIALIZED VIEW rest.shop.by_region",
        ):
            clients.rows(connection, sql)
        yield connection


def right(session: Any, query: str = QUERY) -> None:
    given, plain = rows_both_ways(session, query)
    assert given == plain


def test_a_view_answers_and_is_refreshed(session: Any, rest: Rest, direct: Any) -> None:
    assert chosen(session, QUERY) == [VIEW]
    right(session)
    catalog = load_catalog("rest", **rest.catalog)
    catalog.load_table("shop.sales").append(pa.table({"region": pa.array([1, 7]), "amount": pa.array([10, 20])}))
    assert "delta_union" in str(clients.rows(session, f"EXPLAIN REWRITE {QUERY}"))
    right(session)
    clients.rows(direct, "DELETE FROM rest.shop.sales WHERE amount < 50")
    assert chosen(session, QUERY) == []
    right(session)
    clients.rows(session, "REFRESH MATERIALIZED VIEW rest.shop.by_region")
    assert chosen(session, QUERY) == [VIEW]
    right(session)
    assert catalog.load_view("shop.by_region").metadata.properties["iceberg.materialized.view"] == "true"


def test_a_write_refreshes_its_views(session: Any) -> None:
    clients.rows(session, f"CREATE OR REPLACE MATERIALIZED VIEW rest.shop.by_region AS {QUERY}")
    clients.rows(session, "INSERT INTO rest.shop.sales VALUES (9, 90)")
    assert clients.rows(session, f"{QUERY} HAVING region = 9") == [(9, 90)]
    assert "same_grain" in str(clients.rows(session, f"EXPLAIN REWRITE {QUERY}"))
    right(session)


def test_a_dropped_view_is_gone(session: Any, rest: Rest) -> None:
    clients.rows(session, "DROP MATERIALIZED VIEW rest.shop.by_region")
    assert chosen(session, QUERY) == []
    assert load_catalog("rest", **rest.catalog).list_views("shop") == []
    assert load_catalog("rest", **rest.catalog).list_tables("shop") == [("shop", "sales")]


def test_what_has_not_changed_is_not_sent_again(session: Any, rest: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [TableName(("rest", "shop", name)) for name in ("sales", "by_region", "by_region__storage", "missing")]
    opened = open_catalog("rest", rest.catalog)
    sent: list[int] = []

    def answered(reply: Any, *_: Any, **__: Any) -> None:
        sent.append(reply.status_code)

    async def story() -> None:
        opened._store.iceberg._session.hooks["response"].append(answered)  # type: ignore[attr-defined]
        first = await opened.current(names)
        assert [type(first[name]) for name in names] == [Table, ViewState, Table, type(None)]
        sent.clear()
        assert await opened.current(names) == first
        assert sorted(sent) == [200, 304, 304, 404, 404, 404]  # a view has no tag, and is looked for as a table before
        clients.rows(session, "INSERT INTO rest.shop.sales VALUES (1, 1)")
        sent.clear()
        second = await opened.current(names)
        assert second[names[0]] != first[names[0]]
        assert second[names[2]] == first[names[2]]
        assert sorted(sent) == [200, 200, 304, 404, 404, 404]

    try:
        asyncio.run(story())
    finally:
        opened.close()


def test_answers_over_rest_are_those_of_one_state_of_each_table(rest: Rest, gate: Gate) -> None:
    race = Race(rest.gate.port, gate.spark_port, rest.catalog, name="rest", database=rest.database)
    wrong = race.run(RACE_S)
    assert not wrong, f"{len(wrong)} wrong, {race}\n" + "\n\n".join(wrong[:5])
    assert race.share() > 0, str(race)
