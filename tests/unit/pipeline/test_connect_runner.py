from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql.connect.shell.progress import StageInfo

from proxy.hs2 import SqlError
from proxy.pipeline import ConnectRunner
from proxy.upstream import Stage


class Session:
    """A fake session on a server: `wait` lasts until it is interrupted."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.started, self.interrupted = threading.Event(), threading.Event()
        self.conf = SimpleNamespace(set=self._set)
        self.release_session_on_close = True

    def _set(self, key: str, value: str) -> None:
        self.calls.append(("conf", key, value))
        if value == "wait":
            self.started.set()
            assert self.interrupted.wait(10)
        if value == "nobody":
            raise AnalysisException("failed to connect to all addresses", errorClass=None)

    def sql(self, statement: str) -> None:
        self.calls.append(("sql", statement))
        if statement == "wait":
            self.started.set()
            assert self.interrupted.wait(10)
        if statement == "wrong":
            raise AnalysisException("[UNRESOLVED_COLUMN] no", errorClass=None)

    def registerProgressHandler(self, handler: Any) -> None:  # noqa: N802 - PySpark's name
        self.tell = handler

    def interruptAll(self) -> None:  # noqa: N802 - PySpark's name
        self.calls.append(("interrupt",))
        self.interrupted.set()

    def stop(self) -> None:
        self.calls.append(("stop", "and release") if self.release_session_on_close else ("stop",))


def test_a_job_is_a_session_with_its_settings_after_those_of_all_that_is_released() -> None:
    session: Any = Session()

    async def story() -> None:
        async with ConnectRunner(lambda: session, {"a": "1", "b": "1"}).job({"b": "2"}) as job:
            await job.run("SELECT 1")

    asyncio.run(story())
    assert session.calls == [("conf", "a", "1"), ("conf", "b", "2"), ("sql", "SELECT 1"), ("stop", "and release")]


def test_sparks_errors_become_ours_and_the_session_is_released() -> None:
    session: Any = Session()

    async def story() -> None:
        async with ConnectRunner(lambda: session).job({}) as job:
            await job.run("wrong")

    with pytest.raises(SqlError, match="UNRESOLVED_COLUMN"):
        asyncio.run(story())
    assert session.calls[-1] == ("stop", "and release")


def test_the_server_tells_bar_it_is() -> None:
    session: Any = Session()

    async def story() -> None:
        async with ConnectRunner(lambda: session).job({}) as job:
            assert await job.stages() == ()
            stages = [StageInfo(3, 8, 2, 100, False), StageInfo(4, 1, 0, 0, False)]
            session.tell(stages=stages, inflight_tasks=1, operation_id="x", done=False)
            session.tell(stages=[StageInfo(3, 8, 8, 100, True)], inflight_tasks=0, operation_id="x", done=False)
            session.tell(stages=None, inflight_tasks=0, operation_id="x", done=True)
            assert await job.stages() == (Stage(3, 8, 8, 0, 0), Stage(4, 1, 0, 0, 0))

    asyncio.run(story())


async def cancelled(session: Any, work: Coroutine[Any, Any, None]) -> None:
    """Cancel some work once it waits for the server, and check that it ends as cancelled."""
    task = asyncio.create_task(work)
    await asyncio.to_thread(session.started.wait, 10)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()


def test_cancelling_the_wait_interrupts_the_session() -> None:
    session: Any = Session()

    async def story() -> None:
        async with ConnectRunner(lambda: session).job({}) as job:
            await cancelled(session, job.run("wait"))

    asyncio.run(story())
    assert session.calls[-2:] == [("interrupt",), ("stop", "and release")]


def test_where_no_session_opens_the_setting_is_named_and_nothing_is_released() -> None:
    session: Any = Session()

    async def story() -> None:
        async with ConnectRunner(lambda: session).job({"a": "nobody"}):
            raise AssertionError

    with pytest.raises(SqlError, match=r"spark\.remote: .*failed to connect") as refused:
        asyncio.run(story())
    assert refused.value.sql_state == "08001"
    assert session.calls[-1] == ("stop",)


def test_a_job_that_is_cancelled_while_it_opens_releases_its_session() -> None:
    session: Any = Session()

    async def job() -> None:
        async with ConnectRunner(lambda: session).job({"a": "wait"}):
            raise AssertionError

    asyncio.run(cancelled(session, job()))
    assert session.calls[-2:] == [("interrupt",), ("stop", "and release")]
