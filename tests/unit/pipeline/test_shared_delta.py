"""Rows that several refreshes take in are read by one statement, whose staged result is dropped at the end."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

import pytest

from proxy.hs2 import SqlError
from proxy.pipeline import shared_delta
from proxy.pipeline.shared_delta import SharedDelta, shared_deltas
from rewriter import Decision, Kind
from rewriter.maintenance import Delta
from rewriter.model import MaterializedView, TableName

SOURCE = "lake.demo.sales WITH ('start-snapshot-id' = '1', 'end-snapshot-id' = '2')"
ANSI = {"spark.sql.ansi.enabled": "true"}


class Spark:
    """A runner that records its statements; `doing` may wait or fail."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.doing: Callable[[], Awaitable[None]] | None = None

    @asynccontextmanager
    async def job(self, settings: Mapping[str, str]) -> AsyncIterator[Spark]:
        yield self

    async def run(self, sql: str) -> None:
        self.statements.append(sql.split(" lake.")[0])
        self.last = sql
        if self.doing is not None and sql.startswith("CREATE"):
            await self.doing()

    async def columns(self, query: str) -> tuple[tuple[str, str], ...]:
        raise AssertionError(query)

    async def stages(self) -> None:
        return


def view(name: str, settings: Mapping[str, str] | None = None) -> MaterializedView:
    at, storage = TableName(("lake", "demo", name)), TableName(("lake", "demo", f"{name}__storage"))
    return MaterializedView(at, name, 1, "", "", storage, (), "lake", ("demo",), settings)


def decided(key: str, rows: int = 10**9, source: str = SOURCE) -> Decision:
    query = f"SELECT t0.{key}, count(*) AS n FROM {source} AS t0 GROUP BY t0.{key}"
    content = f"SELECT {key}, sum(n) FROM (SELECT * FROM old UNION ALL {query}) GROUP BY {key}"
    return Decision(Kind.APPEND_MERGE, "appends", "INSERT OVERWRITE", content, Delta(query, source, rows))


A, B = view("a", ANSI), view("b", ANSI)


def test_one_statement_reads_the_rows_and_the_last_refresh_drops_what_it_staged() -> None:
    async def story() -> None:
        spark = Spark()
        shared = SharedDelta(spark, {A: decided("x"), B: decided("y")})
        assert spark.statements == []
        first, second = await asyncio.gather(shared.taken(decided("x")), shared.taken(decided("y")))
        assert spark.statements == ["CREATE TABLE"]
        assert spark.last.count(SOURCE) == 1
        for at, (key, decision) in enumerate((("x", first), ("y", second))):
            staged = rf"SELECT d{at}\.\* FROM lake\.demo\.a__storage_delta_\w+ WHERE part = {at}"
            assert re.search(rf"UNION ALL {staged}\) GROUP BY {key}$", decision.content)
            assert decision.reason == "appends; read once for 2 views"
        await shared.leave(A)
        assert spark.statements == ["CREATE TABLE"]
        await shared.leave(B)
        assert spark.statements == ["CREATE TABLE", "DROP TABLE IF EXISTS"]

    asyncio.run(story())


def test_a_refresh_that_looks_later_reads_on_its_own() -> None:
    async def story() -> None:
        spark = Spark()
        shared = SharedDelta(spark, {A: decided("x"), B: decided("y")})
        later = decided("x", source=SOURCE.replace("'2'", "'3'"))
        assert await shared.taken(later) == later
        assert await shared.taken(Decision(Kind.FULL, "")) == Decision(Kind.FULL, "")
        await shared.leave(A)
        await shared.leave(B)
        assert spark.statements == []  # nobody has asked for it

    asyncio.run(story())


def test_where_the_staging_fails_each_reads_on_its_own(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise SqlError("[ARITHMETIC_OVERFLOW]", "22003")

    async def story() -> None:
        spark = Spark()
        spark.doing = fail
        shared = SharedDelta(spark, {A: decided("x"), B: decided("y")})
        for key in "xy":
            assert await shared.taken(decided(key)) == decided(key)
        assert spark.statements == ["CREATE TABLE"]

    asyncio.run(story())
    assert "delta not shared" in caplog.text


def test_a_cancelled_refresh_leaves_the_staging_to_the_others_and_the_last_one_ends_it() -> None:
    async def story() -> None:
        spark, begun = Spark(), asyncio.Event()

        async def hold() -> None:
            begun.set()
            await asyncio.Event().wait()

        spark.doing = hold
        shared = SharedDelta(spark, {A: decided("x"), B: decided("y")})
        reading = [asyncio.create_task(shared.taken(decided(key))) for key in "xy"]
        await begun.wait()
        reading[0].cancel()
        await shared.leave(A)
        assert not reading[1].done()
        reading[1].cancel()
        await shared.leave(B)
        assert spark.statements == ["CREATE TABLE", "DROP TABLE IF EXISTS"]

    asyncio.run(story())


def test_only_many_rows_of_equal_ranges_under_equal_settings_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_delta, "MANY", 100)
    spark, other = Spark(), {"spark.sql.ansi.enabled": "false"}
    for decisions, names in [
        ({A: decided("x", 100), B: decided("y", 100)}, {"a", "b"}),
        ({A: decided("x", 99), B: decided("y", 100)}, set()),
        ({A: decided("x", 100), B: decided("y", 100, SOURCE.replace("'1'", "'0'"))}, set()),
        ({A: decided("x", 100), view("b", other): decided("y", 100)}, set()),
        ({A: decided("x", 100), view("b"): decided("y", 100)}, set()),
        ({A: decided("x", 100), B: Decision(Kind.FULL, "")}, set()),
    ]:
        assert {name.table for name in shared_deltas(spark, decisions)} == names
