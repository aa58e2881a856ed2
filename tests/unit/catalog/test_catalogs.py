"""Several catalogs as one: views over views elsewhere, looks side by side, and outages of one of them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proxy.catalog import Catalogs, Unavailable
from proxy.hs2 import SqlError
from rewriter.model import Table, TableName, ViewState
from tests.unit.catalog.lake import AGG, MATERIALIZED, ROWS, SALES, STORAGE, Lake, view_document

SHOP_SALES = TableName(("shop", "demo", "sales"))
PLAIN = TableName(("shop", "demo", "plain"))


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Lake]:
    made = Lake(tmp_path / "shop", "shop")
    made.iceberg.create_table("demo.sales", ROWS.schema).append(ROWS)
    yield made
    made.close()


@pytest.fixture
def catalogs(lake: Lake, shop: Lake) -> Iterator[Catalogs]:
    lake.iceberg.create_table("demo.sales", ROWS.schema).append(ROWS)
    opened = Catalogs([lake.catalog(), shop.catalog()])
    yield opened
    opened.close()


def over(query: str, **properties: str) -> dict[str, Any]:
    document = view_document(**properties)
    document["versions"][0]["representations"][0]["sql"] = query
    return document


def held(catalogs: Catalogs, name: str, call: str) -> threading.Event:
    """Let this call to a catalog wait for the event that is returned."""
    go, store = threading.Event(), catalogs[name]._store
    made = getattr(store, call)
    setattr(store, call, lambda *given: go.wait(10) and made(*given))
    return go


def test_a_view_may_read_a_view_of_another_catalog(catalogs: Catalogs, lake: Lake, shop: Lake) -> None:
    async def story() -> None:
        shop.put_view(PLAIN, over("SELECT region, amount FROM lake.demo.sales"))
        query = "SELECT region, sum(amount) FROM shop.demo.plain GROUP BY region"
        lake.put_view(AGG, over(query, **MATERIALIZED))
        (view,) = await catalogs.definitions()
        assert [state.name for state in view.through] == [PLAIN]
        assert "lake.demo.sales" in view.storage_query
        shop.put_view(PLAIN, over("SELECT region, amount FROM sales"))
        catalogs.invalidate()
        (view,) = await catalogs.definitions()
        assert "shop.demo.sales" in view.storage_query
        assert await catalogs.definitions() == (view,)

    asyncio.run(story())


def test_tables_of_all_catalogs_are_looked_up_side_by_side(catalogs: Catalogs) -> None:
    """Each look waits until the other has begun."""
    both = threading.Barrier(2, timeout=10)

    def meeting(look: Any) -> Any:
        return lambda names: (both.wait(), look(names))[1]

    for catalog in catalogs:
        catalog._store.look = meeting(catalog._store.look)  # type: ignore[method-assign]
    elsewhere = TableName(("spark_catalog", "demo", "sales"))
    found = asyncio.run(catalogs.current([SALES, SHOP_SALES, elsewhere]))
    assert [type(found[name]) for name in (SALES, SHOP_SALES, elsewhere)] == [Table, Table, type(None)]


def test_a_statement_over_one_catalog_asks_no_other(catalogs: Catalogs) -> None:
    catalogs["shop"]._store.look = lambda names: pytest.fail("asked")  # type: ignore[method-assign]
    assert isinstance(asyncio.run(catalogs.current([SALES]))[SALES], Table)


def test_what_is_needed_of_a_silent_catalog_is_an_error_and_the_rest_is_not_known(catalogs: Catalogs) -> None:
    def refuse(_names: object) -> None:
        raise ConnectionRefusedError("connection refused")

    async def story() -> None:
        catalogs["shop"]._store.look = refuse  # type: ignore[assignment, method-assign]
        for _ in range(2):
            found = await catalogs.look([SALES, SHOP_SALES], [SALES])
            assert isinstance(found.relations[SALES], Table)
            assert found.relations[SHOP_SALES] is None
            assert "the catalog shop is unavailable since" in found.silent["shop"]
            with pytest.raises(Unavailable, match="the catalog shop is unavailable"):
                await catalogs.current([SALES, SHOP_SALES])
        catalogs.check()
        assert [one.name for one in await catalogs.inventory(lambda name: True)] == [SALES]

    asyncio.run(story())


def test_a_listing_that_finds_a_catalog_down_has_the_others(catalogs: Catalogs) -> None:
    def refuse(_wanted: object) -> None:
        raise ConnectionRefusedError("connection refused")

    async def story() -> None:
        catalogs["shop"]._store.relations = refuse  # type: ignore[assignment, method-assign]
        assert [one.name for one in await catalogs.inventory(lambda name: True)] == [SALES]
        assert "connection refused" in catalogs["shop"].outage

    asyncio.run(story())


def test_a_catalog_that_hangs_delays_no_statement_over_the_others(
    catalogs: Catalogs, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proxy.catalog.catalogs._PATIENCE_S", 0.01)

    async def story() -> None:
        known = await catalogs.definitions()
        go = held(catalogs, "shop", "views")
        assert await catalogs.definitions() is known
        lake.put_view(AGG, view_document(**MATERIALIZED))
        catalogs.invalidate([AGG])
        assert [view.name for view in await catalogs.definitions()] == [AGG]
        go.set()

    asyncio.run(story())


def test_a_read_that_began_before_a_change_is_not_taken_for_one_behind_it(
    catalogs: Catalogs, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proxy.catalog.catalogs._PATIENCE_S", 0.01)
    begun, go = threading.Event(), threading.Event()

    async def story() -> None:
        known = await catalogs.definitions()
        store = catalogs["lake"]._store
        views = store.views

        def slow() -> Any:
            found = views()
            begun.set()
            assert go.wait(10)
            return found

        monkeypatch.setattr(store, "views", slow)
        assert await catalogs.definitions() is known
        assert begun.is_set()
        lake.put_view(AGG, view_document(**MATERIALIZED))
        catalogs.invalidate()
        asyncio.get_running_loop().call_later(0.05, go.set)
        assert [view.name for view in await catalogs.definitions()] == [AGG]

    asyncio.run(story())


def test_where_the_views_of_a_catalog_were_never_read_those_of_the_others_are_used(
    catalogs: Catalogs, lake: Lake
) -> None:
    def refuse() -> None:
        raise ConnectionRefusedError("connection refused")

    async def story() -> None:
        lake.put_view(AGG, view_document(**MATERIALIZED))
        catalogs["shop"]._store.views = refuse  # type: ignore[assignment, method-assign]
        assert [view.name for view in await catalogs.definitions()] == [AGG]
        catalogs["lake"]._store.views = refuse  # type: ignore[assignment, method-assign]
        catalogs.invalidate()
        with pytest.raises(Unavailable, match="connection refused"):
            await catalogs.definitions()

    asyncio.run(story())


def test_a_view_whose_storage_is_in_an_unknown_catalog_is_broken(catalogs: Catalogs, lake: Lake) -> None:
    async def story() -> None:
        document = view_document(**MATERIALIZED)
        document["versions"][0]["storage-table"] = {"catalog": "other", "namespace": ["demo"], "name": "agg"}
        lake.put_view(AGG, document)
        assert await catalogs.definitions() == ()
        assert "the storage table other.demo.agg is in none of Viewgate's catalogs" in catalogs.broken[AGG]

    asyncio.run(story())


def test_operations_on_one_table_are_those_of_its_catalog(catalogs: Catalogs) -> None:
    assert catalogs.of(STORAGE) is catalogs["lake"]
    assert catalogs.of(SHOP_SALES) is catalogs["shop"]
    with pytest.raises(SqlError, match=r"other\.demo\.sales is not in the catalogs lake, shop"):
        catalogs.of(TableName(("other", "demo", "sales")))


def test_a_plain_view_is_told_from_a_table_in_every_catalog(catalogs: Catalogs, shop: Lake) -> None:
    shop.put_view(PLAIN, over("SELECT 1 AS x"))
    assert isinstance(asyncio.run(catalogs.current([PLAIN]))[PLAIN], ViewState)
