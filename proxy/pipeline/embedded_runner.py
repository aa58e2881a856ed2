"""Jobs in a Spark session that lives in this process: PySpark, on any `spark.master`."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from proxy.hs2 import SqlError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_Result = TypeVar("_Result")


class EmbeddedRunner:
    """A new session per job: what a job sets reaches neither the clients' sessions nor another job."""

    def __init__(self, spark: SparkSession, pool: str = "refresh") -> None:
        self._spark = spark
        self._pool = pool

    @asynccontextmanager
    async def job(self, settings: Mapping[str, str]) -> AsyncIterator[EmbeddedJob]:
        """A session of its own on a thread of its own: Spark keeps a job's group by thread."""
        with ThreadPoolExecutor(1, "refresh") as thread:
            job = EmbeddedJob(self._spark, thread)
            await job.open(self._pool, settings)
            yield job


class EmbeddedJob:
    """One session, its thread and the group under which Spark knows its jobs."""

    def __init__(self, spark: SparkSession, thread: ThreadPoolExecutor) -> None:
        self._spark = spark
        self._thread = thread
        self._group = f"viewgate-{uuid.uuid4().hex}"

    async def open(self, pool: str, settings: Mapping[str, str]) -> None:
        """Make the session and set what the job asks for."""

        def opened() -> SparkSession:
            context = self._spark.sparkContext
            context.setLocalProperty("spark.scheduler.pool", pool)
            context.setJobGroup(self._group, "Viewgate refresh", interruptOnCancel=True)
            session = self._spark.newSession()
            for key, value in settings.items():
                session.conf.set(key, value)
            return session

        self._session = await self._await(opened)

    async def run(self, sql: str) -> None:
        """Execute one statement to its end."""
        await self._await(lambda: self._session.sql(sql))

    async def _await(self, call: Callable[[], _Result]) -> _Result:
        """The call's result; if the wait is cancelled, Spark is told, and the call has ended when this returns."""
        running = asyncio.get_running_loop().run_in_executor(self._thread, lambda: _translated(call))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.to_thread(self._cancel)
            await asyncio.wait([running])
            running.exception()  # seen: what a cancelled job says is of no interest
            raise

    def _cancel(self) -> None:
        # Future jobs too: between two jobs of one statement there is nothing that could be cancelled.
        self._spark.sparkContext._jsc.sc().cancelJobGroupAndFutureJobs(self._group)


def _translated(call: Callable[[], _Result]) -> _Result:
    """Spark's errors as ours, with its own message and SQLSTATE."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return call()
    except PySparkException as failure:
        raise SqlError(str(failure), failure.getSqlState() or "HY000") from failure
    except Py4JError as failure:  # what PySpark does not know, and a JVM that is gone
        cause = getattr(failure, "java_exception", None)
        raise SqlError(str(cause.toString() if cause is not None else failure), "HY000") from failure
