"""Which views a write refreshes, who waits for it, and who is told of a failure."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from proxy.hs2 import SqlError
from proxy.journal import Cause, Journal
from proxy.pipeline import OnCommit, Pipeline, on_commit, status
from proxy.pipeline.dependencies import over
from rewriter import Decision, Definitions, Kind
from rewriter.model import Relation, TableName
from tests.unit.catalog.lake import MATERIALIZED, ROWS, SALES, Lake, view_document
from tests.unit.journal.test_redaction import logged
from tests.unit.pipeline.spark import FakeSpark

FIRST, SECOND = (TableName(("lake", "demo", name)) for name in ("first", "second"))
WAITED = {"viewgate.refresh.wait": "always"}


class House:
    """Two views over sales, and the pipeline that refreshes them."""

    def __init__(self, lake: Lake, **properties: str) -> None:
        self.lake = lake
        self.sales = lake.iceberg.create_table("demo.sales", ROWS.schema)
        for name in (FIRST, SECOND):
            storage = f"demo.{name.table}__storage"
            lake.iceberg.create_table(storage, ROWS.schema, properties={"viewgate.storage-of": "x"}).append(ROWS)
            pointer = {"iceberg.materialized.view.storage.table": storage}
            lake.put_view(name, view_document(**{**MATERIALIZED, **pointer, **properties}))
        self.spark = FakeSpark(lake)
        self.catalogs = lake.catalogs()
        self.journal = Journal()
        self.pipeline = Pipeline(self.catalogs, self.spark, self.journal)
        self.on_commit = OnCommit(self.catalogs, self.pipeline)
        self.log: list[str] = []

    async def write(self) -> None:
        self.sales.append(ROWS)
        await self.on_commit.after_write(await self.definitions(), [SALES], self.log.append)

    async def definitions(self) -> Definitions:
        return Definitions(await self.catalogs.definitions())

    def causes(self) -> list[Cause]:
        return [refresh.cause for refresh in self.journal.refreshes]

    async def standing(self) -> list[str]:
        return [(await status(self.catalogs, view)).word for view in (await self.definitions()).views]


def put_over_first(home: House, name: TableName, **properties: str) -> None:
    """Define a view over the first view, in the storage of the second."""
    pointer = {"iceberg.materialized.view.storage.table": "demo.second__storage"}
    document = view_document(**{**MATERIALIZED, **pointer, **properties})
    document["versions"][0]["representations"][0]["sql"] = "SELECT region, `sum(amount)` FROM first"
    home.lake.put_view(name, document)
    home.catalogs.invalidate()


def put_over_another_catalog(home: House, name: TableName, **properties: str) -> None:
    """Define a view over sales and a table of the catalog `shop`, which is not in the settings, in the storage of the
    second view.
    """
    pointer = {"iceberg.materialized.view.storage.table": "demo.second__storage"}
    document = view_document(**{**MATERIALIZED, **pointer, **properties})
    document["versions"][0]["representations"][0]["sql"] = (
        "SELECT s.region, sum(s.amount) FROM sales s JOIN shop.demo.regions r ON s.region = r.region GROUP BY s.region"
    )
    home.lake.put_view(name, document)
    home.catalogs.invalidate()


LEFT_ALONE = (
    "view left alone view=lake.demo.second reason='the view reads shop.demo.regions, and Viewgate knows no catalog and "
    "no namespace shop; add the catalog to the settings as [[catalog]] if this Viewgate should refresh the view'"
)


def make_unreadable(home: House, view: TableName, patch: pytest.MonkeyPatch) -> None:
    """Make the catalog fail when it is asked for a view's storage."""
    look = home.catalogs.current

    async def current(names: Iterable[TableName]) -> Mapping[TableName, Relation | None]:
        wanted = list(names)
        if any(name.table.startswith(f"{view.table}__") for name in wanted):
            raise OSError("the catalog is away")
        return await look(wanted)

    patch.setattr(home.catalogs, "current", current)


@asynccontextmanager
async def house(lake: Lake, **properties: str) -> AsyncIterator[House]:
    made = House(lake, **properties)
    yield made
    await made.on_commit.close()


def test_a_writer_waits_for_the_views_that_say_so(lake: Lake) -> None:
    async def story() -> None:
        async with house(lake, **WAITED) as home:
            await home.write()
            assert await home.standing() == ["fresh", "fresh"]
            done = [line.split(" refreshed: ")[0] for line in home.log if " refreshed: " in line]
            assert done == [f"Viewgate: {FIRST}", f"Viewgate: {SECOND}"]
            assert home.causes() == [Cause.COMMIT, Cause.COMMIT]

    asyncio.run(story())


@pytest.mark.parametrize(("wait", "known"), [("never", " if it is stale"), ("if-incremental", "")])
def test_what_is_not_waited_for_is_refreshed_in_the_background(lake: Lake, wait: str, known: str) -> None:
    async def story() -> None:
        async with house(lake, **{"viewgate.refresh.wait": wait}) as home:
            begun, release = asyncio.Event(), asyncio.Event()

            async def hold() -> None:
                begun.set()
                await release.wait()

            home.spark.before_insert = hold
            await home.write()
            assert home.log == [f"Viewgate: {name} is refreshed in the background{known}" for name in (FIRST, SECOND)]
            await begun.wait()
            assert await home.standing() == ["stale", "stale"]
            release.set()
            await asyncio.wait(home.on_commit._running)
            assert await home.standing() == ["fresh", "fresh"]

    asyncio.run(story())


@pytest.mark.parametrize("literals", [True, False])
def test_what_a_background_refresh_logs_is_redacted(
    lake: Lake, caplog: pytest.LogCaptureFixture, literals: bool
) -> None:
    said = "no login at jdbc:postgresql://ann:opensesame@db/x for 'Smith'"

    async def fail() -> None:
        raise SqlError(said, "08001")

    async def story() -> None:
        async with house(lake, **{"viewgate.refresh.wait": "never"}) as home:
            pipeline = Pipeline(home.catalogs, home.spark, Journal(literals=literals))
            home.on_commit, home.spark.before_insert = OnCommit(home.catalogs, pipeline), fail
            await home.write()
            await asyncio.wait(home.on_commit._running)

    caplog.set_level(logging.INFO, "proxy")
    with logged(logging.Formatter(), literals=literals) as log:
        asyncio.run(story())
    assert "lake.demo.first could not be refreshed" in log.getvalue()
    assert "jdbc:postgresql://ann:***@db/x" in log.getvalue()
    assert "opensesame" not in log.getvalue()
    assert ("Smith" in log.getvalue()) is literals


def test_background_refreshes_of_several_writes_take_turns_and_delay_no_awaited_refresh(lake: Lake) -> None:
    async def story() -> None:
        async with house(lake, **{"viewgate.refresh.wait": "never"}) as home:
            home.pipeline = Pipeline(home.catalogs, home.spark, in_background=1)
            home.on_commit = OnCommit(home.catalogs, home.pipeline)
            begun, release, inside = asyncio.Event(), asyncio.Event(), list[int]()

            async def hold() -> None:
                inside.append(1)
                begun.set()
                await release.wait()
                inside.append(-1)

            home.spark.before_insert = hold
            await home.write()
            await home.write()
            await begun.wait()
            home.spark.before_insert = None
            second = next(view for view in (await home.definitions()).views if view.name == SECOND)
            assert (await home.pipeline.refresh(second, home.log.append)).changed  # a REFRESH statement
            home.spark.before_insert = hold
            home.sales.append(ROWS)
            release.set()
            while home.on_commit._running:
                await asyncio.wait(home.on_commit._running)
            assert inside == [1, -1] * (len(inside) // 2)
            assert await home.standing() == ["fresh", "fresh"]

    asyncio.run(story())


@pytest.mark.parametrize("wait", ["never", "always"])
def test_refreshes_that_wait_for_others_are_listed_as_queued(lake: Lake, wait: str) -> None:
    async def story() -> None:
        limit = {"viewgate.refresh.wait": wait, "viewgate.refresh.wait-limit": "1 second"}
        async with house(lake, **limit) as home:
            home.pipeline = Pipeline(home.catalogs, home.spark, home.journal, in_background=1)
            home.on_commit = OnCommit(home.catalogs, home.pipeline)
            begun, release = asyncio.Event(), asyncio.Event()

            async def hold() -> None:
                begun.set()
                await release.wait()

            def listed() -> list[tuple[str, str]]:
                return [(refresh.view.table, refresh.state.name) for refresh in home.journal.refreshes]

            home.spark.before_insert = hold
            await home.write()
            await begun.wait()
            assert listed() == [("second", "PENDING"), ("first", "RUNNING")]
            first = (await home.definitions()).by_name[FIRST]
            refresh = asyncio.create_task(home.pipeline.refresh(first, home.log.append))
            await asyncio.sleep(0)
            assert listed() == [("first", "PENDING"), ("second", "PENDING"), ("first", "RUNNING")]
            release.set()
            await refresh
            assert await all_refreshed(home)
            assert {state for _, state in listed()} == {"FINISHED"}

    asyncio.run(story())


def test_a_refresh_that_ends_in_the_queue_is_no_longer_listed(lake: Lake) -> None:
    async def story() -> None:
        async with house(lake, **{"viewgate.refresh.wait": "never"}) as home:
            begun = asyncio.Event()

            async def hold() -> None:
                begun.set()
                await asyncio.Event().wait()

            home.spark.before_insert = hold
            await home.write()
            await begun.wait()
            await home.on_commit.close()
            assert [(refresh.view, refresh.state.name) for refresh in home.journal.refreshes] == [(FIRST, "CANCELED")]

    asyncio.run(story())


def test_an_incremental_refresh_is_waited_for(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    async def decision(_self: Pipeline, view: Any) -> Decision:
        return Decision(Kind.APPEND if view.name == FIRST else Kind.FULL, "")

    async def story() -> None:
        monkeypatch.setattr(Pipeline, "decision", decision)
        async with house(lake) as home:
            await home.write()
            assert (await home.standing())[0] == "fresh"
            assert f"Viewgate: {SECOND} is refreshed in the background" in home.log

    asyncio.run(story())


def incremental(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each refresh count as incremental."""

    async def decision(_self: Pipeline, view: Any) -> Decision:
        return Decision(Kind.APPEND, "")

    monkeypatch.setattr(Pipeline, "decision", decision)


def test_incremental_refreshes_of_a_write_run_side_by_side(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        incremental(monkeypatch)
        async with house(lake) as home:
            begun = asyncio.Semaphore(0)
            both = asyncio.Event()

            async def hold() -> None:
                begun.release()
                await both.wait()

            home.spark.before_insert = hold
            writing = asyncio.create_task(home.write())
            await begun.acquire()
            await begun.acquire()
            both.set()
            await writing
            assert await home.standing() == ["fresh", "fresh"]

    asyncio.run(story())


def test_a_write_waits_no_longer_than_its_limit(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        incremental(monkeypatch)
        async with house(lake, **{"viewgate.refresh.wait-limit": "2 seconds"}) as home:
            release = asyncio.Event()

            async def hold() -> None:
                await release.wait()

            home.spark.before_insert = hold
            await home.write()
            told = [line for line in home.log if "not refreshed yet" in line]
            assert sorted(told) == [
                f"Viewgate: {name} is not refreshed yet; the refresh runs in the background" for name in (FIRST, SECOND)
            ]
            said = len(home.log)
            release.set()
            await asyncio.wait(home.on_commit._running)
            assert await home.standing() == ["fresh", "fresh"]
            assert len(home.log) == said  # the statement has ended: the server's log tells the rest

    asyncio.run(story())


@dataclass
class Held:
    """A method whose calls, once begun, wait until they are released."""

    method: Callable[..., Awaitable[Any]]
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, *given: Any) -> Any:
        self.begun.set()
        await self.release.wait()
        return await self.method(*given)


async def all_refreshed(home: House) -> bool:
    """Wait until no refresh runs, and return whether both views are fresh."""
    while home.on_commit._running:
        await asyncio.wait(home.on_commit._running)
    return await home.standing() == ["fresh", "fresh"]


# The planning looks at the storage tables, for the order of refresh, before it decides on the way of each refresh.
@pytest.mark.parametrize(("place", "method"), [("catalogs", "current"), ("pipeline", "decision")])
def test_a_write_waits_no_longer_for_the_planning_of_its_refreshes(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, place: str, method: str
) -> None:
    async def story() -> None:
        monkeypatch.setattr(on_commit, "WAIT_LIMIT_S", 0.05)
        async with house(lake) as home:
            held = Held(getattr(getattr(home, place), method))
            monkeypatch.setattr(getattr(home, place), method, held)
            await asyncio.wait_for(home.write(), 10)
            assert home.log == [
                f"Viewgate: the refreshes of {FIRST}, {SECOND} are still being planned; stale views are refreshed in "
                "the background"
            ]
            held.release.set()
            assert await all_refreshed(home)
            assert len(home.log) == 1

            monkeypatch.setattr(on_commit, "WAIT_LIMIT_S", 60)
            held.begun.clear()
            held.release.clear()
            writing = asyncio.create_task(home.write())
            await held.begun.wait()
            writing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await writing
            assert not home.on_commit._running

    asyncio.run(story())


def test_a_write_for_which_no_view_is_awaited_does_not_wait_for_the_planning(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with house(lake, **{"viewgate.refresh.wait": "never"}) as home:
            held = Held(home.catalogs.current)
            monkeypatch.setattr(home.catalogs, "current", held)
            await asyncio.wait_for(home.write(), on_commit.WAIT_LIMIT_S / 2)
            held.release.set()
            assert await all_refreshed(home)

    asyncio.run(story())


def test_a_limit_names_only_views_that_are_awaited(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        monkeypatch.setattr(on_commit, "WAIT_LIMIT_S", 0.05)
        async with house(lake) as home:
            pointer = {"iceberg.materialized.view.storage.table": "demo.second__storage"}
            never = {"viewgate.refresh.wait": "never"}
            lake.put_view(SECOND, view_document(**{**MATERIALIZED, **pointer, **never}))
            home.catalogs.invalidate()
            held = Held(home.pipeline.decision)
            monkeypatch.setattr(home.pipeline, "decision", held)
            await home.write()
            assert [FIRST.table in line for line in home.log] == [True]
            assert SECOND.table not in home.log[0]
            held.release.set()
            assert await all_refreshed(home)

    asyncio.run(story())


def test_one_views_failure_is_its_own(lake: Lake) -> None:
    async def story() -> None:
        async with house(lake, **WAITED) as home:

            async def fail_once() -> None:
                home.spark.before_insert = None
                raise SqlError("[DIVIDE_BY_ZERO] Division by zero", "22012")

            home.spark.before_insert = fail_once
            await home.write()
            assert await home.standing() == ["stale", "fresh"]
            assert f"Viewgate: {FIRST} could not be refreshed, and is not used until a refresh succeeds: " in "\n".join(
                home.log
            )
            assert "DIVIDE_BY_ZERO" in "\n".join(home.log)
            await home.write()
            assert await home.standing() == ["fresh", "fresh"]

    asyncio.run(story())


def test_a_view_that_cannot_be_looked_at_stops_no_other(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with house(lake) as home:
            with monkeypatch.context() as patch:
                make_unreadable(home, FIRST, patch)
                await home.write()
                await asyncio.wait(home.on_commit._running)
            assert await home.standing() == ["stale", "fresh"]
            assert (
                f"Viewgate: {FIRST} could not be refreshed, and is not used until a refresh succeeds; see the "
                "log of Viewgate"
            ) in home.log

    asyncio.run(story())


def test_a_failure_stops_what_stands_on_it_and_says_so(lake: Lake) -> None:
    async def story() -> None:
        async with house(lake, **WAITED) as home:
            put_over_first(home, SECOND, **WAITED)

            async def fail_once() -> None:
                home.spark.before_insert = None
                raise SqlError("[DIVIDE_BY_ZERO] Division by zero", "22012")

            home.spark.before_insert = fail_once
            await home.write()
            assert await home.standing() == ["stale", "stale"]
            stopped = f"Viewgate: {SECOND} was not refreshed, because it reads {FIRST}, which could not be refreshed"
            assert stopped in home.log
            await home.write()
            assert await home.standing() == ["fresh", "fresh"]
            assert any(f"{SECOND}: reading {FIRST} from its storage table" in line for line in home.log)

    asyncio.run(story())


def test_a_deferred_view_is_left_alone(lake: Lake) -> None:
    async def story() -> None:
        async with house(lake, **WAITED, **{"viewgate.refresh": "deferred"}) as home:
            await home.write()
            assert await home.standing() == ["stale", "stale"]
            assert home.log == []

    asyncio.run(story())


def test_a_write_without_new_rows_refreshes_nothing(lake: Lake) -> None:
    async def story() -> None:
        async with house(lake, **WAITED) as home:
            await home.write()
            home.log.clear()
            await home.on_commit.after_write(await home.definitions(), [SALES], home.log.append)
            assert home.log == []

    asyncio.run(story())


def test_a_cancelled_wait_ends_its_refreshes(lake: Lake) -> None:
    async def story() -> None:
        async with house(lake, **WAITED) as home:
            begun = asyncio.Event()

            async def hold() -> None:
                begun.set()
                await asyncio.Event().wait()

            home.spark.before_insert = hold
            writing = asyncio.create_task(home.write())
            await begun.wait()
            writing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await writing
            assert not home.on_commit._running
            assert home.log[-1].startswith(f"Viewgate: the refresh of {FIRST} was cancelled")
            assert set(lake.iceberg.load_table("demo.first__storage").metadata.refs) <= {"main"}

    asyncio.run(story())


def test_views_over_views_come_after_them(lake: Lake) -> None:
    async def story() -> None:
        async with house(lake) as home:
            outer = view_document(**MATERIALIZED)
            outer["versions"][0]["representations"][0]["sql"] = "SELECT region FROM second"
            lake.put_view(TableName(("lake", "demo", "a_outer")), outer)
            views = await over(home.catalogs, await home.definitions(), [SALES])
            assert [view.name.table for view in views] == ["first", "second", "a_outer"]

    asyncio.run(story())


def test_a_refresh_that_was_missed_is_caught_up(lake: Lake, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with house(lake) as home:
            await home.write()
            await asyncio.wait(home.on_commit._running)
            home.sales.append(ROWS)  # and Viewgate is killed
            assert await home.standing() == ["stale", "stale"]
            restarted = OnCommit(home.catalogs, home.pipeline)
            restarted.catch_up(home.definitions)
            await asyncio.wait(restarted._running)
            assert await home.standing() == ["fresh", "fresh"]
            assert home.causes() == [Cause.MISSED, Cause.MISSED, Cause.COMMIT, Cause.COMMIT]
            done = len(home.spark.statements)
            restarted.catch_up(home.definitions)
            await asyncio.wait(restarted._running)
            assert len(home.spark.statements) == done

    with caplog.at_level("INFO"):
        asyncio.run(story())
    assert caplog.text.count("post-commit refreshes missed views=lake.demo.first,lake.demo.second") == 1


@pytest.mark.parametrize("wait", ["always", "if-incremental", "never"])
def test_a_view_over_a_catalog_that_is_not_in_the_settings_is_left_alone(
    wait: str, lake: Lake, caplog: pytest.LogCaptureFixture
) -> None:
    """Another Viewgate, which has the catalog, refreshes the view, and its storage must have no error of this one."""

    async def story() -> None:
        async with house(lake, **{"viewgate.refresh.wait": wait}) as home:
            put_over_another_catalog(home, SECOND, **{"viewgate.refresh.wait": wait})
            for _ in range(2):
                await home.write()
                home.on_commit.catch_up(home.definitions)
                await asyncio.wait(home.on_commit._running)
            first, second = (await home.definitions()).views
            assert (await status(home.catalogs, first)).fresh
            found = await status(home.catalogs, second)
            assert (found.word, found.last_error) == ("unknown", None)
            assert found.reason.startswith("the view reads shop.demo.regions, and Viewgate knows no catalog")
            assert {refresh.view for refresh in home.journal.refreshes} == {FIRST}
            with pytest.raises(
                SqlError, match=r"lake\.demo\.second cannot be refreshed: the view reads shop\.demo\.regions"
            ):
                await home.pipeline.refresh(second, home.log.append)
            assert (await status(home.catalogs, second)).last_error is None

    asyncio.run(story())
    assert caplog.text.count(LEFT_ALONE) == 1


def test_a_deferred_view_is_not_caught_up(lake: Lake) -> None:
    async def story() -> None:
        async with house(lake, **{"viewgate.refresh": "deferred"}) as home:
            home.on_commit.catch_up(home.definitions)
            await asyncio.wait(home.on_commit._running)
            assert home.spark.statements == []

    asyncio.run(story())
