"""Several processes are operated as one, through any of them."""

from __future__ import annotations

import asyncio
import re

from proxy.hs2.generated import ttypes
from tests.unit.console.http import figure, get
from tests.unit.workers.several import Several, on_each, ran


def test_one_worker_tells_the_figures_of_all(several: Several) -> None:
    async def test() -> None:
        (port,) = re.findall(r"console listening url=http://127\.0\.0\.1:(\d+)/", several.gate.output)

        def statements(text: str) -> list[float]:
            return [figure(text, "viewgate_statements_total", kind="metadata", worker=number) for number in "12"]

        before = statements((await get(int(port), "/metrics"))[1])
        async with on_each(several) as (one, two):
            for client, session in (one, one, two):
                operation = (await client.execute(session, "DESCRIBE t")).operationHandle
                await client.end(operation)
                await client.close(operation)
        _, text = await get(int(port), "/metrics")
        after = statements(text)
        assert [now - then for now, then in zip(after, before, strict=True)] == [2, 1]
        assert re.findall(r'process_resident_memory_bytes{worker="(\d)"}', text) == ["1", "2"]
        assert len(re.findall("^viewgate_catalog_up{", text, re.MULTILINE)) == 1
        assert await get(int(port), "/readyz") == (200, "ready\n")

    asyncio.run(test())


def test_one_worker_shows_the_statements_of_all_in_the_console(several: Several) -> None:
    async def test() -> None:
        (port,) = re.findall(r"console listening url=http://127\.0\.0\.1:(\d+)/", several.gate.output)
        async with on_each(several) as ((one, session), (other, theirs)):
            await ran(one, session, "SELECT 17 AS here")
            await ran(other, theirs, "SELECT 18 AS there")
            status, page = await get(int(port), "/statements")
            assert status == 200
            assert all(sql in page for sql in ("SELECT 17 AS here", "SELECT 18 AS there"))
            (first,) = re.findall(r'href="(/statements/[^"]*)">SELECT 18 AS there', page)
            assert "SELECT 18 AS there" in (await get(int(port), first))[1]
            assert (await get(int(port), "/servers"))[1].count(f"127.0.0.1:{several.spark.port}") == 2

    asyncio.run(test())


def test_an_upstream_is_paused_and_resumed_in_all_workers(several: Several) -> None:
    async def test() -> None:
        async with on_each(several) as ((one, session), (other, theirs)):
            name = f"127.0.0.1:{several.spark.port}"
            assert await ran(one, session, f"PAUSE VIEWGATE UPSTREAM '{name}'") == [
                f"upstream {name} is paused: new sessions and statements wait, running statements go on in 2 workers"
            ]
            waiting = (await other.execute(theirs, "SELECT 1")).operationHandle
            assert (await other.status(waiting)).operationState == ttypes.TOperationState.RUNNING_STATE
            await ran(one, session, f"RESUME VIEWGATE UPSTREAM '{name}'")
            assert (await other.end(waiting)).operationState == ttypes.TOperationState.FINISHED_STATE
            await other.close(waiting)

    asyncio.run(test())


def test_the_system_tables_have_the_rows_of_all_workers(several: Several) -> None:
    async def test() -> None:
        async with on_each(several) as ((one, session), (other, theirs)):
            await ran(one, session, "SELECT 'here'")
            await ran(other, theirs, "SELECT 'elsewhere'")
            (sent,) = await ran(one, session, "SELECT * FROM viewgate.system.statements WHERE rows > 0")
            assert ":\"SELECT 'elsewhere'\"" in sent.replace("¬u0027", "'")
            assert set(re.findall(r'\{"0":(\d)', sent)) == {"1", "2"}
            assert sent.endswith(" AS statements WHERE rows > 0")

    asyncio.run(test())


def test_a_statement_of_another_worker_is_shown_and_ended(several: Several) -> None:
    async def test() -> None:
        async with on_each(several) as ((one, session), (other, theirs)):
            running = (await other.execute(theirs, "SELECT HANG 'elsewhere'")).operationHandle
            shown = (await one.execute(session, "SHOW VIEWGATE STATEMENTS")).operationHandle
            await one.end(shown)
            columns = (await one.fetch(shown)).results.columns
            ids = [column.stringVal.values for column in (columns[0], columns[-1])]
            (found,) = [id_ for id_, sql in zip(*ids, strict=True) if sql == "SELECT HANG 'elsewhere'"]
            assert (await ran(one, session, f"KILL VIEWGATE STATEMENT '{found}'"))[0].endswith("ended")
            ended = await other.end(running)
            assert (ended.sqlState, "KILL VIEWGATE STATEMENT" in ended.errorMessage) == ("57014", True)
            await other.close(running)

    asyncio.run(test())
