"""Jobs in a Spark session that lives in this process: PySpark, on any `spark.master`."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from proxy.pipeline.blocking import Blocking, columns_of, job_thread
from proxy.pipeline.stages import stages_of
from proxy.upstream import Stage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class EmbeddedRunner:
    """A new session per job: what a job sets reaches neither the clients' sessions nor another job."""

    def __init__(self, spark: SparkSession, pool: str = "refresh") -> None:
        self._spark = spark
        self._pool = pool

    @asynccontextmanager
    async def job(self, settings: Mapping[str, str]) -> AsyncIterator[EmbeddedJob]:
        """Yield a session of its own on a thread of its own: Spark keeps a job's group by thread."""
        with job_thread() as thread:
            job = EmbeddedJob(self._spark, thread)
            await job.open(self._pool, settings)
            yield job


class EmbeddedJob:
    """One session, its thread and the group under which Spark knows its jobs."""

    def __init__(self, spark: SparkSession, thread: ThreadPoolExecutor) -> None:
        self._spark = spark
        self._blocking = Blocking(thread, self._cancel)
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

        self._session = await self._blocking.call(opened)

    async def run(self, sql: str) -> None:
        """Execute one statement to its end."""
        await self._blocking.call(lambda: self._session.sql(sql))

    async def columns(self, query: str) -> tuple[tuple[str, str], ...]:
        """Return the names and types of the columns that a query would return."""
        return await self._blocking.call(lambda: columns_of(self._session.sql(query)))

    async def stages(self) -> tuple[Stage, ...]:
        """Return the stages of its group."""
        return await asyncio.to_thread(stages_of, self._spark.sparkContext, self._group)

    def _cancel(self) -> None:
        # Future jobs too: between two jobs of one statement there is nothing that could be cancelled.
        self._spark.sparkContext._jsc.sc().cancelJobGroupAndFutureJobs(self._group)
