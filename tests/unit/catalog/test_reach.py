"""A catalog that is down or hangs delays no statement, and is one state in the log, with a begin and an end."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest

from proxy.catalog import Catalog, Catalogs, Unavailable, reach
from proxy.catalog.documents import Entry
from proxy.catalog.stores import CatalogError, SqlStore
from rewriter.model import TableName
from tests.unit.catalog.lake import AGG, MATERIALIZED, ROWS, SALES, Lake, view_document


class Store(SqlStore):
    """A catalog that fails or hangs as long as a test says so."""

    failure: Exception | None = None
    delay_s = 0.0

    def __init__(self, lake: Lake) -> None:
        super().__init__(lake.iceberg)
        self.go = threading.Event()
        self.go.set()
        self.looks = 0

    def look(self, names: Sequence[TableName]) -> Mapping[TableName, Entry]:
        self.looks += 1
        self._ail()
        return super().look(names)

    def views(self) -> Mapping[TableName, Entry]:
        self._ail()
        return super().views()

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        self._ail()
        return super().namespaces()

    def relations(self, wanted: Callable[[TableName], bool]) -> Mapping[TableName, Entry]:
        self._ail()
        return super().relations(wanted)

    def _ail(self) -> None:
        assert self.go.wait(20)
        time.sleep(self.delay_s)
        if self.failure is not None:
            raise self.failure


@pytest.fixture
def store(lake: Lake) -> Iterator[Store]:
    lake.iceberg.create_table("demo.sales", ROWS.schema).append(ROWS)
    lake.put_view(AGG, view_document(**MATERIALIZED))
    made = Store(lake)
    yield made
    made.go.set()


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


def test_a_catalog_that_hangs_holds_a_statement_no_longer_than_it_may_and_the_next_one_not_at_all(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        catalog = Catalogs([Catalog(store, poll_ms=0, timeout=0.2)])
        known = await catalog.definitions()
        store.go.clear()
        clock = asyncio.get_running_loop().time
        began = clock()
        with pytest.raises(
            Unavailable,
            match=r"the catalog lake is unavailable since .*: the catalog lake gave no answer within 0\.2 s",
        ):
            await catalog.current([SALES])
        assert 0.2 <= clock() - began < 5
        looks, began = store.looks, clock()
        for _ in range(100):
            with pytest.raises(Unavailable):
                await catalog.current([SALES])
            assert await catalog.definitions() is known
        assert store.looks == looks
        store.go.set()
        await until(lambda: catalog["lake"].available)
        assert (await catalog.current([SALES]))[SALES] is not None
        catalog.close()

    with caplog.at_level(logging.INFO):
        asyncio.run(story())
    assert [re.split(" catalog=", text)[0] for text in caplog.messages] == ["catalog unavailable", "catalog available"]


def test_statements_that_wait_for_a_slow_catalog_begin_no_outage(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """A statement waits for no longer than it may, also behind others: then Spark answers it, and the views are used
    for the others.
    """

    async def story() -> None:
        catalog = Catalogs([Catalog(store, poll_ms=0, timeout=2)])
        await catalog.definitions()
        store.delay_s = 0.6
        replies = await asyncio.gather(*(catalog.current([SALES]) for _ in range(30)), return_exceptions=True)
        answered = [reply for reply in replies if isinstance(reply, Mapping)]
        assert 4 <= len(answered) < 30
        assert {reply.message for reply in replies if isinstance(reply, Unavailable)} == {
            "the catalog lake is busy: a statement waited 2 s for its reply, while others were answered; see the "
            "catalog's load, or raise [timeouts] catalog"
        }
        assert catalog["lake"].available
        assert SALES in {one.name for one in await catalog.inventory(lambda name: True)}
        store.delay_s = 0
        assert (await catalog.current([SALES]))[SALES] is not None
        catalog.close()

    with caplog.at_level(logging.INFO):
        asyncio.run(story())
    assert {re.split(" catalog=", text)[0] for text in caplog.messages} == {"catalog busy"}


def test_statements_in_the_queue_of_a_catalog_that_hangs_wait_no_longer_than_the_first(store: Store) -> None:
    async def story() -> None:
        catalog = Catalogs([Catalog(store, poll_ms=0, timeout=2)])
        store.go.clear()
        first = [asyncio.create_task(catalog.current([SALES])) for _ in range(4)]
        await asyncio.sleep(1)
        queued = [asyncio.create_task(catalog.current([SALES])) for _ in range(4)]
        done, _ = await asyncio.wait(first)
        await asyncio.sleep(0.1)
        assert all(each.done() for each in queued)
        replies = [each.exception() for each in (*done, *queued)]
        assert all("the catalog lake is unavailable since" in str(reply) for reply in replies)
        catalog.close()

    asyncio.run(story())


def test_a_long_call_goes_on_while_statements_wait_for_a_slow_catalog(store: Store) -> None:
    async def story() -> None:
        catalog = Catalogs([Catalog(store, poll_ms=0, timeout=1)])
        store.delay_s = 0.4
        relations = store.relations

        def slow(wanted: Callable[[TableName], bool]) -> Mapping[TableName, Entry]:
            time.sleep(2.5)
            return relations(wanted)

        store.relations = slow  # type: ignore[method-assign]
        listing = asyncio.create_task(catalog.inventory(lambda name: True))
        statements = [asyncio.create_task(catalog.current([SALES])) for _ in range(30)]
        for _ in range(3):
            await asyncio.sleep(0.8)
            statements += [asyncio.create_task(catalog.current([SALES])) for _ in range(30)]
        assert SALES in {one.name for one in await listing}
        await asyncio.gather(*statements, return_exceptions=True)
        catalog.close()

    asyncio.run(story())


def test_a_listing_ends_when_the_catalog_hangs_and_the_next_one_is_complete(store: Store) -> None:
    async def story() -> None:
        catalog = Catalogs([Catalog(store, poll_ms=0, timeout=0.1)])
        store.go.clear()
        for _ in range(6):  # more than there are threads for long calls
            with pytest.raises(Unavailable, match="the catalog lake is unavailable since"):
                await asyncio.wait_for(catalog.inventory(lambda name: True), 5)
            catalog["lake"]._reach._problem = None
        with pytest.raises(Unavailable):
            await catalog.current([SALES])
        frozen = store.go
        store.go = threading.Event()  # the calls that hang never end
        store.go.set()
        await until(lambda: catalog["lake"].available)
        assert SALES in {one.name for one in await asyncio.wait_for(catalog.inventory(lambda name: True), 5)}
        frozen.set()
        catalog.close()

    asyncio.run(story())


def test_a_long_call_may_take_longer_than_the_limit(store: Store) -> None:
    async def story() -> None:
        catalog = Catalogs([Catalog(store, poll_ms=0, timeout=0.05)])
        inventory = store.relations

        def slow(wanted: Callable[[TableName], bool]) -> Mapping[TableName, Entry]:
            time.sleep(0.3)
            return inventory(wanted)

        store.relations = slow  # type: ignore[method-assign]
        assert SALES in {one.name for one in await catalog.inventory(lambda name: True)}
        assert catalog["lake"].available
        catalog.close()

    asyncio.run(story())


def test_during_an_outage_nothing_is_recorded_on_a_table(store: Store) -> None:
    async def story() -> None:
        catalog = Catalogs([Catalog(store, poll_ms=0, timeout=0.1)])
        store.failure = ConnectionRefusedError("connection refused")
        with pytest.raises(Unavailable):
            await catalog.current([SALES])
        store.iceberg.load_table = lambda name: pytest.fail("asked")  # type: ignore[assignment, method-assign]
        with pytest.raises(Unavailable, match="connection refused"):
            await catalog["lake"].note(SALES, "a", "b")
        catalog.close()

    asyncio.run(story())


def test_an_outage_is_told_of_once_each_minute_without_a_traceback(
    store: Store, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "_TOLD_EVERY_S", 0.3)

    async def story() -> None:
        catalog = Catalogs([Catalog(store, poll_ms=0)])
        store.failure = ConnectionRefusedError("connection\n  refused")
        with pytest.raises(Unavailable, match=": connection refused; Viewgate keeps trying"):
            await catalog.definitions()
        await until(lambda: "catalog still unavailable" in caplog.text)
        store.failure = None
        await until(lambda: catalog["lake"].available)
        assert [view.name for view in await catalog.definitions()] == [AGG]
        catalog.close()

    with caplog.at_level(logging.INFO):
        asyncio.run(story())
    assert [text.split(" catalog=")[0] for text in caplog.messages] == [
        "catalog unavailable",
        "catalog still unavailable",
        "catalog available",
    ]
    assert not any(record.exc_info for record in caplog.records)


def test_who_asked_for_it_is_called_when_the_catalog_is_back(store: Store) -> None:
    async def story() -> None:
        catalog = Catalogs([Catalog(store, poll_ms=0)])
        back = asyncio.Event()
        catalog.when_back(back.set)
        store.failure = OSError()
        with pytest.raises(Unavailable, match="OSError"):
            await catalog["lake"].taken(SALES)
        assert not back.is_set()
        store.failure = None
        await back.wait()
        catalog.close()

    asyncio.run(story())


def test_one_table_that_the_catalog_cannot_load_is_no_outage(store: Store) -> None:
    async def story() -> None:
        catalog = Catalogs([Catalog(store, poll_ms=0)])
        store.failure = CatalogError("catalog lake: loading lake.demo.sales failed with HTTP 500")
        with pytest.raises(Unavailable, match=r"loading lake\.demo\.sales"):
            await catalog.current([SALES])
        store.failure = None
        assert (await catalog.current([SALES]))[SALES] is not None
        catalog.close()

    asyncio.run(story())


def test_a_metadata_file_that_cannot_be_read_is_told_of_once(lake: Lake, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        table = lake.iceberg.create_table("demo.sales", ROWS.schema)
        (lake.directory / table.metadata_location.removeprefix(f"file://{lake.directory}/")).unlink()
        catalog = lake.catalogs()
        for _ in range(3):
            assert (await catalog.current([SALES]))[SALES] is None
            assert await catalog["lake"].properties(SALES) == {}

    asyncio.run(story())
    (message,) = caplog.messages
    assert message.startswith("metadata unreadable table=lake.demo.sales location=")
