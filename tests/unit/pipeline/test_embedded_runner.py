from __future__ import annotations

import asyncio
import gc
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException

from proxy.hs2 import SqlError
from proxy.pipeline import EmbeddedRunner


class Spark:
    """A fake SparkSession: `wait` runs until it is cancelled, like a long job; `deaf` ignores the cancel."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.started, self.cancelled = threading.Event(), threading.Event()
        self.let_end, self.ended = threading.Event(), threading.Event()
        self.conf = SimpleNamespace(set=lambda key, value: self.calls.append(("conf", key, value)))
        java = SimpleNamespace(cancelJobGroupAndFutureJobs=self._cancel)
        self.sparkContext: Any = SimpleNamespace(
            setLocalProperty=lambda key, value: self.calls.append(("local", key, value)),
            setJobGroup=lambda group, *_, **__: self.calls.append(("group", group)),
            _jsc=SimpleNamespace(sc=lambda: java),
        )

    def newSession(self) -> Spark:  # noqa: N802 - PySpark's name
        self.calls.append(("session",))
        return self

    def sql(self, statement: str) -> None:
        self.calls.append(("sql", statement))
        if statement == "wait":
            self.started.set()
            assert self.cancelled.wait(10)
            raise Py4JError("[SPARK_JOB_CANCELLED]")
        if statement == "deaf":
            self.started.set()
            self.let_end.wait(10)
            self.ended.set()
            raise Py4JError("[SPARK_JOB_CANCELLED]")
        if statement == "wrong":
            raise AnalysisException("[UNRESOLVED_COLUMN] no", errorClass=None)
        if statement == "gone":
            raise Py4JError("the JVM is gone")

    def _cancel(self, group: str) -> None:
        self.calls.append(("cancel", group))
        self.cancelled.set()


def run(spark: Any, statement: str) -> None:
    async def story() -> None:
        async with EmbeddedRunner(spark).job({"spark.sql.ansi.enabled": "true"}) as job:
            await job.run(statement)

    asyncio.run(story())


def test_a_job_is_a_session_of_its_own_in_a_group_of_its_own() -> None:
    spark = Spark()
    run(spark, "SELECT 1")
    local, group, *rest = spark.calls
    assert local == ("local", "spark.scheduler.pool", "refresh")
    assert group[0] == "group"
    assert rest == [("session",), ("conf", "spark.sql.ansi.enabled", "true"), ("sql", "SELECT 1")]


@pytest.mark.parametrize(("statement", "said"), [("wrong", "UNRESOLVED_COLUMN"), ("gone", "the JVM is gone")])
def test_sparks_errors_become_ours(statement: str, said: str) -> None:
    with pytest.raises(SqlError, match=said):
        run(Spark(), statement)


def test_cancelling_the_wait_cancels_the_job_and_waits_for_its_end() -> None:
    spark = Spark()

    async def story() -> None:
        async with EmbeddedRunner(spark).job({}) as job:  # type: ignore[arg-type]
            task = asyncio.create_task(job.run("wait"))
            await asyncio.to_thread(spark.started.wait, 10)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert spark.calls[-1] == ("cancel", spark.calls[1][1])

    asyncio.run(story())


def test_whoever_cancels_twice_neither_waits_for_spark_nor_stops_the_event_loop() -> None:
    spark = Spark()

    unseen: list[Any] = []

    async def story() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: unseen.append(context))

        async def job() -> None:
            async with EmbeddedRunner(spark).job({}) as job:  # type: ignore[arg-type]
                await job.run("deaf")

        task = asyncio.create_task(job())
        await asyncio.to_thread(spark.started.wait, 10)
        task.cancel()
        await asyncio.to_thread(spark.cancelled.wait, 10)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        assert not spark.ended.is_set()
        spark.let_end.set()
        assert await asyncio.to_thread(spark.ended.wait, 10)

    asyncio.run(story())
    gc.collect()
    assert unseen == []
