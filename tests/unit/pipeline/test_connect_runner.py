from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import AnalysisException

from proxy.hs2 import SqlError
from proxy.pipeline import ConnectRunner


class Session:
    """A session on a server of a few lines: `wait` runs until it is interrupted."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.started, self.interrupted = threading.Event(), threading.Event()
        self.conf = SimpleNamespace(set=lambda key, value: self.calls.append(("conf", key, value)))

    def sql(self, statement: str) -> None:
        self.calls.append(("sql", statement))
        if statement == "wait":
            self.started.set()
            assert self.interrupted.wait(10)
        if statement == "wrong":
            raise AnalysisException("[UNRESOLVED_COLUMN] no", errorClass=None)

    def interruptAll(self) -> None:  # noqa: N802 - PySpark's name
        self.calls.append(("interrupt",))
        self.interrupted.set()

    def stop(self) -> None:
        self.calls.append(("stop",))


def test_a_job_is_a_session_with_its_settings_after_those_of_all_that_is_released() -> None:
    session: Any = Session()

    async def story() -> None:
        async with ConnectRunner(lambda: session, {"a": "1", "b": "1"}).job({"b": "2"}) as job:
            await job.run("SELECT 1")

    asyncio.run(story())
    assert session.calls == [("conf", "a", "1"), ("conf", "b", "2"), ("sql", "SELECT 1"), ("stop",)]


def test_sparks_errors_become_ours_and_the_session_is_released() -> None:
    session: Any = Session()

    async def story() -> None:
        async with ConnectRunner(lambda: session).job({}) as job:
            await job.run("wrong")

    with pytest.raises(SqlError, match="UNRESOLVED_COLUMN"):
        asyncio.run(story())
    assert session.calls[-1] == ("stop",)


def test_cancelling_the_wait_interrupts_the_session() -> None:
    session: Any = Session()

    async def story() -> None:
        async with ConnectRunner(lambda: session).job({}) as job:
            task = asyncio.create_task(job.run("wait"))
            await asyncio.to_thread(session.started.wait, 10)
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()

    asyncio.run(story())
    assert session.calls[-2:] == [("interrupt",), ("stop",)]
