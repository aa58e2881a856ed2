from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from proxy.catalog import Catalog, Catalogs, Unavailable
from proxy.catalog.documents import Entry
from proxy.catalog.stores import SqlStore
from rewriter.model import Table, TableName, ViewState
from tests.unit.catalog.lake import AGG, MATERIALIZED, ROWS, SALES, Lake, view_document


def test_definitions_are_the_same_object_until_a_view_changes(lake: Lake) -> None:
    async def story() -> None:
        catalog = lake.catalogs()
        lake.put_view(AGG, view_document(**MATERIALIZED))
        first = await catalog.definitions()
        lake.iceberg.create_table("demo.sales", ROWS.schema).append(ROWS)
        assert await catalog.definitions() is first
        lake.put_view(AGG, view_document(2, **MATERIALIZED))
        (changed,) = await catalog.definitions()
        assert (first[0].version, changed.version) == (1, 2)
        lake.drop_view(AGG)
        assert await catalog.definitions() == ()

    asyncio.run(story())


def test_definitions_are_not_polled_more_often_than_asked_unless_invalidated(lake: Lake) -> None:
    async def story() -> None:
        catalog = lake.catalogs(poll_ms=3_600_000)
        assert await catalog.definitions() == ()
        lake.put_view(AGG, view_document(**MATERIALIZED))
        assert await catalog.definitions() == ()
        catalog.invalidate()
        assert [view.name for view in await catalog.definitions()] == [AGG]

    asyncio.run(story())


def test_the_first_look_is_waited_for_by_all(lake: Lake) -> None:
    async def story() -> None:
        lake.put_view(AGG, view_document(**MATERIALIZED))
        catalog, listing = _held(lake)
        first = asyncio.create_task(catalog.definitions())
        await asyncio.to_thread(listing.begun.wait, 10)
        second = asyncio.create_task(catalog.definitions())
        await asyncio.sleep(0)
        listing.go.set()
        assert [[view.name for view in await one] for one in (first, second)] == [[AGG], [AGG]]
        assert listing.calls == 1

    asyncio.run(story())


@pytest.mark.parametrize("look_again", [False, True], ids=["the first one", "one that was asked for"])
@pytest.mark.parametrize("how", ["fails", "is cancelled"])
def test_a_look_that_is_needed_and_comes_to_nothing_is_made_again(lake: Lake, how: str, look_again: bool) -> None:
    async def story() -> None:
        catalog, listing = _held(lake)
        if look_again:
            listing.go.set()
            assert await catalog.definitions() == ()
            catalog.invalidate()
            listing.begun.clear()
            listing.go.clear()
        lake.put_view(AGG, view_document(**MATERIALIZED))
        listing.failure = OSError("no route to host") if how == "fails" else None
        looking = asyncio.create_task(catalog.definitions())
        await asyncio.to_thread(listing.begun.wait, 10)
        if how == "is cancelled":
            looking.cancel()
        listing.go.set()
        with pytest.raises((Unavailable, asyncio.CancelledError)):
            await looking
        await available(catalog)
        assert [view.name for view in await catalog.definitions()] == [AGG]

    asyncio.run(story())


def test_where_views_are_known_a_look_that_fails_is_not_made_again_before_its_time(lake: Lake) -> None:
    async def story() -> None:
        lake.put_view(AGG, view_document(**MATERIALIZED))
        catalog, listing = _held(lake)
        listing.go.set()
        known = await catalog.definitions()
        catalog["lake"].due_at = time.monotonic()
        listing.failure = OSError("no route to host")
        assert await catalog.definitions() is known
        assert await catalog.definitions() is known
        assert listing.calls == 2

    asyncio.run(story())


async def available(catalog: Catalogs) -> None:
    """Wait until the catalog is considered available again."""
    while not catalog["lake"].available:
        await asyncio.sleep(0.01)


class _Listing:
    """A catalog's list of views that is returned only when a test allows it, and fails once if told to."""

    def __init__(self, views: Callable[[], Mapping[TableName, Entry]]) -> None:
        self._views = views
        self.begun, self.go = threading.Event(), threading.Event()
        self.failure: Exception | None = None
        self.calls = 0

    def __call__(self) -> Mapping[TableName, Entry]:
        self.calls += 1
        self.begun.set()
        assert self.go.wait(10)
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure
        return self._views()


def _held(lake: Lake) -> tuple[Catalogs, _Listing]:
    store = SqlStore(lake.iceberg)
    listing = _Listing(store.views)
    store.views = listing  # type: ignore[method-assign]
    return Catalogs([Catalog(store, poll_ms=3_600_000)]), listing


def test_a_broken_view_does_not_hide_the_others(lake: Lake) -> None:
    async def story() -> None:
        broken, plain = TableName(("lake", "demo", "broken")), TableName(("lake", "demo", "plain"))
        lake.put_view(broken, b"no json")
        lake.put_view(plain, view_document())
        lake.put_view(AGG, view_document(**MATERIALIZED))
        catalog = lake.catalogs()
        first = await catalog.definitions()
        assert [view.name for view in first] == [AGG]
        assert list(catalog.broken) == [broken]
        assert "cannot be read" in catalog.broken[broken]
        assert await catalog.definitions() is first

    asyncio.run(story())


def test_current_tells_tables_views_and_nothing_apart(lake: Lake) -> None:
    async def story() -> None:
        lake.iceberg.create_table("demo.sales", ROWS.schema).append(ROWS)
        lake.put_view(AGG, view_document(3, **MATERIALIZED))
        missing, elsewhere = TableName(("lake", "demo", "x")), TableName(("spark_catalog", "demo", "sales"))
        found = await lake.catalogs().current([SALES, AGG, missing, elsewhere, SALES])
        assert list(found) == [SALES, AGG, missing, elsewhere]
        sales = found[SALES]
        assert isinstance(sales, Table)
        assert [(c.name, c.type, c.field_id) for c in sales.columns] == [
            ("region", "string", 1),
            ("amount", "bigint", 2),
        ]
        assert found[AGG] == ViewState(AGG, view_document()["view-uuid"], 3)
        assert (found[missing], found[elsewhere]) == (None, None)

    asyncio.run(story())


def test_a_views_query_names_tables_as_its_catalog_does(lake: Lake) -> None:
    lake.put_view(AGG, view_document(**MATERIALIZED))
    store = SqlStore(lake.iceberg)
    for lower, found in ((False, TableName(("lake", "demo", "Sales"))), (True, SALES)):
        store.lower_names = lower
        (view,) = asyncio.run(Catalogs([Catalog(store)]).definitions())
        assert view.session.resolve(("Sales",)) == found


def test_only_the_names_asked_for_are_found_among_namesakes(lake: Lake) -> None:
    lake.iceberg.create_namespace("other")
    for name in ("demo.sales", "demo.names", "other.sales", "other.names"):
        lake.iceberg.create_table(name, ROWS.schema)
    wanted = [SALES, TableName(("lake", "other", "names"))]
    assert set(SqlStore(lake.iceberg).look(wanted)) == set(wanted)


def test_current_sees_the_last_commit(lake: Lake) -> None:
    async def story() -> None:
        written = lake.iceberg.create_table("demo.sales", ROWS.schema)
        catalog = lake.catalogs()
        seen: list[Any] = [(await catalog.current([SALES]))[SALES]]
        for _ in range(2):
            written.append(ROWS)
            seen.append((await catalog.current([SALES]))[SALES])
        assert [len(table.snapshots) for table in seen] == [0, 1, 2]
        assert seen[-1].snapshot_id == written.metadata.current_snapshot_id
        assert (await catalog.current([SALES]))[SALES] is seen[-1]

    asyncio.run(story())


def test_no_statement_waits_for_manifests_or_commits(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        lake.iceberg.create_table("demo.sales", ROWS.schema)
        catalog, go = lake.catalogs(), threading.Event()
        load = lake.iceberg.load_table
        monkeypatch.setattr(lake.iceberg, "load_table", lambda name: go.wait(10) and load(name))
        reading = [asyncio.create_task(catalog["lake"].files(SALES, None, None)) for _ in range(8)]
        noting = asyncio.create_task(catalog["lake"].note(SALES, "a", "1"))
        await asyncio.sleep(0)
        assert (await catalog.current([SALES]))[SALES] is not None
        assert not any(task.done() for task in (*reading, noting))
        go.set()
        await asyncio.gather(*reading, noting)
        assert await catalog["lake"].properties(SALES) == {"a": "1"}

    asyncio.run(story())


def test_a_table_whose_metadata_is_gone_is_not_known(lake: Lake) -> None:
    async def story() -> None:
        table = lake.iceberg.create_table("demo.sales", ROWS.schema)
        (lake.directory / table.metadata_location.removeprefix(f"file://{lake.directory}/")).unlink()
        assert await lake.catalogs().current([SALES]) == {SALES: None}

    asyncio.run(story())


def test_a_view_that_cannot_be_read_is_forgotten_when_it_is_dropped(lake: Lake) -> None:
    async def story() -> None:
        catalog = lake.catalogs()
        lake.put_view(AGG, b"no json")
        assert await catalog.definitions() == ()
        assert list(catalog.broken) == [AGG]
        lake.drop_view(AGG)
        assert await catalog.definitions() == ()
        assert dict(catalog.broken) == {}

    asyncio.run(story())


def test_a_misspelled_constraint_is_told_of_once(lake: Lake, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        properties = {
            "viewgate.primray-key": "region",
            "viewgate.trust-constraints": "on",
            "write.format.default": "parquet",
        }
        sales = lake.iceberg.create_table("demo.sales", ROWS.schema, properties=properties)
        catalog = lake.catalogs()
        for _ in range(2):
            await catalog.current([SALES])
            sales.append(ROWS)

    asyncio.run(story())
    assert caplog.messages == [
        "property unknown table=lake.demo.sales property=viewgate.primray-key (did you mean viewgate.primary-key?): "
        "the property has no effect; correct its name"
    ]
