"""Statements and views over several catalogs, each of which may be unavailable by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from proxy.answering.virtual_tables import VirtualSchema
from proxy.catalog import Unavailable
from proxy.commands import Planner, find
from proxy.hs2 import SqlError
from tests.unit.answering.test_readable import Asking
from tests.unit.catalog.lake import Lake
from tests.unit.commands.house import House

AGG = "SELECT region, sum(amount) FROM lake.demo.sales GROUP BY region"
JOINED = (
    "SELECT r.country, sum(s.amount) FROM lake.demo.sales s JOIN shop.demo.regions r ON s.region = r.region "
    "GROUP BY r.country"
)
REGIONS = pa.table({"region": ["eu"], "country": ["fr"]})


class Both(Asking):
    """A session over the catalogs lake and shop: a view over a table of lake, and one over tables of both."""

    def __init__(self, lake: Lake, shop: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shop = shop
        self.regions = shop.iceberg.create_table("demo.regions", REGIONS.schema)
        self.regions.append(REGIONS)
        super().__init__(House(lake, shop), monkeypatch)
        self.run(f"CREATE MATERIALIZED VIEW agg AS {AGG}")
        self.house.upstream.described = [("country", "string"), ("sum(amount)", "bigint")]
        self.run(f"CREATE MATERIALIZED VIEW joined AS {JOINED}")

    def run(self, sql: str) -> Any:
        return asyncio.run(self.house.run(sql)).rows

    def sent(self, sql: str) -> str | None:
        """Return the SQL that Spark runs for a statement, None for the statement as it is."""
        return asyncio.run(self.answers.plan(self.session, sql)).sql

    def silence(self) -> None:
        """Make every call to the catalog shop fail, once its views are known."""

        def refuse(*_: object) -> None:
            raise ConnectionRefusedError("connection refused")

        asyncio.run(self._known())
        for name in ("look", "views", "namespaces"):
            setattr(self.house.catalogs["shop"]._store, name, refuse)

    async def _known(self) -> None:
        await self.house.catalogs.definitions()


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Both]:
    lake, shop = (Lake(tmp_path / name, name) for name in ("lake", "shop"))
    yield Both(lake, shop, monkeypatch)
    lake.close()
    shop.close()


def test_a_join_of_two_catalogs_is_answered_from_a_session_in_either(both: Both) -> None:
    assert "lake.demo.joined__storage" in str(both.sent(JOINED))
    both.house.session = replace(both.house.session, catalog="shop")
    assert "lake.demo.joined__storage" in str(both.sent(JOINED.replace("shop.demo.", "")))
    assert "lake.demo.agg__storage" in str(both.sent(AGG))


def test_a_name_without_catalog_is_one_of_the_current_catalog(both: Both) -> None:
    query = AGG.replace("lake.demo.", "")
    assert "agg__storage" in str(both.sent(query))
    both.house.session = replace(both.house.session, catalog="shop")
    assert both.sent(query) is None


def test_a_change_in_another_catalog_makes_a_view_stale(both: Both) -> None:
    both.regions.delete("region = 'eu'")
    stale = str(both.sent(JOINED))
    assert "joined__storage" not in stale
    assert "lake.demo.agg__storage VERSION AS OF" in stale  # the other view, joined with the table of the other catalog
    assert f"shop.demo.regions VERSION AS OF {both.regions.metadata.current_snapshot_id}" in stale
    both.run("REFRESH MATERIALIZED VIEW joined")
    assert "joined__storage" in str(both.sent(JOINED))


def test_time_travel_is_answered_by_the_refresh_from_these_snapshots_of_both_catalogs(both: Both) -> None:
    sales = both.house.lake.iceberg.load_table("demo.sales")
    past = {"lake.demo.sales": sales, "shop.demo.regions": both.regions}
    query = JOINED
    for name, table in past.items():
        query = query.replace(name, f"{name} VERSION AS OF {table.refresh().metadata.current_snapshot_id}")
    both.regions.delete("region = 'eu'")
    sales.delete("region = 'eu'")
    later = query.replace(
        str(both.regions.metadata.snapshots[0].snapshot_id), str(both.regions.metadata.current_snapshot_id)
    )
    both.run("REFRESH MATERIALIZED VIEW joined")
    assert "joined__storage VERSION AS OF" in str(both.sent(query))
    assert "joined__storage" not in str(both.sent(later))


def test_while_a_catalog_is_silent_the_views_of_the_other_answer(both: Both) -> None:
    both.silence()

    async def story() -> None:
        for _ in range(2):
            plan = await both.answers.plan(both.session, JOINED)
            assert plan.sql is None
            assert plan.log[0].startswith("Viewgate: no view used: the catalog shop is unavailable since ")
            assert "agg__storage" in str((await both.answers.plan(both.session, AGG)).sql)
        shown = (await both.house.run("SHOW MATERIALIZED VIEWS")).rows
        assert [(row[1], row[4], row[-1]) for row in shown] == [("agg", "fresh", "lake"), ("joined", "unknown", "lake")]
        assert "connection refused" in str(shown[1][5])
        with pytest.raises(Unavailable, match="the catalog shop is unavailable"):
            await both.house.run("REFRESH MATERIALIZED VIEW joined")
        await both.house.run("REFRESH MATERIALIZED VIEW agg")

    asyncio.run(story())


def test_a_view_that_needs_a_silent_catalog_says_so(both: Both) -> None:
    both.house.upstream.described = [("region", "string"), ("sum(amount)", "bigint")]
    both.run("DROP MATERIALIZED VIEW agg")
    both.house.lake.iceberg.load_table("demo.sales")
    query = "SELECT region, sum(amount) FROM lake.demo.sales GROUP BY region"
    both.run(
        "CREATE MATERIALIZED VIEW wide AS SELECT s.region, sum(s.amount) FROM lake.demo.sales s "
        "LEFT JOIN shop.demo.regions r ON s.region = r.region GROUP BY s.region"
    )
    both.silence()
    decision = asyncio.run(both.answers.decide(both.session, query, thorough=True))
    assert any("the catalog shop is unavailable" in attempt.detail for attempt in decision.tried)


def test_tables_of_every_catalog_are_guarded(both: Both) -> None:
    planner = Planner(both.house.context, find)
    for table in ("lake.demo.sales", "shop.demo.regions"):
        with pytest.raises(SqlError, match=r"is needed by materialized view.* lake\.demo\.joined"):
            asyncio.run(planner.plan(both.session, f"DROP TABLE {table}"))


def test_each_catalog_has_an_information_schema(both: Both) -> None:
    def listed(sql: str) -> set[str]:
        return {name for name in ("sales", "regions") if f'"2":"{name}"' in str(both.sent(sql))}

    assert listed("SELECT * FROM lake.information_schema.tables") == {"sales"}
    assert listed("SELECT * FROM shop.information_schema.tables") == {"regions"}
    assert listed("SELECT * FROM information_schema.tables") == {"sales"}
    both.house.session = replace(both.house.session, catalog="shop")
    assert listed("SELECT * FROM information_schema.tables") == {"regions"}
    both.house.session = replace(both.house.session, catalog="spark_catalog")
    assert listed("SELECT * FROM information_schema.tables") == {"sales", "regions"}


def test_namespaces_of_each_catalog_limit_the_listing(both: Both) -> None:
    names = {clause: [row[1] for row in both.run(f"SHOW MATERIALIZED VIEWS {clause}")]
             for clause in ("", "IN lake", "IN shop", "IN shop.demo", "IN lake.demo", "IN demo")}  # fmt: skip
    every = ["agg", "joined"]
    assert names == {
        "": every,
        "IN lake": every,
        "IN shop": [],
        "IN shop.demo": [],
        "IN lake.demo": every,
        "IN demo": every,
    }
    with pytest.raises(SqlError, match=r"the namespace shop\.nope does not exist in the catalog shop"):
        both.run("SHOW MATERIALIZED VIEWS IN shop.nope")


def test_a_storage_table_is_in_the_catalog_of_its_view(both: Both) -> None:
    with pytest.raises(SqlError, match=r"not in the catalog of lake\.demo\.other"):
        both.run(
            "CREATE MATERIALIZED VIEW other TBLPROPERTIES ('viewgate.adopt' = 'shop.demo.regions') AS "
            "SELECT country, region FROM lake.demo.sales JOIN shop.demo.regions USING (region)"
        )


def test_a_view_elsewhere_is_in_none_of_the_catalogs(both: Both) -> None:
    both.house.session = replace(both.house.session, catalogs=both.house.session.catalogs | {"spark_catalog"})
    with pytest.raises(SqlError, match="is not in the catalogs lake, shop, the only ones with materialized views"):
        both.run("CREATE MATERIALIZED VIEW spark_catalog.demo.x AS SELECT 1")


def test_the_schema_of_a_catalog_is_named_with_the_catalog(both: Both) -> None:
    schema: VirtualSchema | None = asyncio.run(
        both.answers.virtual_schema(
            both.session, "SHOW TABLES IN shop.information_schema", ("shop", "information_schema")
        )
    )
    assert schema is not None
    assert schema.names == [("shop", "information_schema")]


def test_a_table_of_two_catalogs_is_not_read_by_both_names(both: Both) -> None:
    both.house.lake.iceberg.register_table("demo.regions", both.regions.metadata_location)
    with pytest.raises(SqlError, match=r"reads one table by two names, lake\.demo\.regions and shop\.demo\.regions"):
        both.run(
            "CREATE MATERIALIZED VIEW twice AS SELECT a.country, b.region FROM lake.demo.regions a "
            "JOIN shop.demo.regions b ON a.region = b.region"
        )
