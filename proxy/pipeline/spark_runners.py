"""Runs refresh jobs by PySpark: in a Spark session of this process, or on a Spark Connect server without a local JVM.

Each job has a thread of its own, because PySpark's calls block, and because PySpark assigns job groups by thread.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from proxy.hs2 import SqlError
from proxy.upstream import Stage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.connect.session import SparkSession as ConnectSession
    from pyspark.sql.connect.shell.progress import ProgressHandler, StageInfo


_Result = TypeVar("_Result")


@contextmanager
def job_thread() -> Iterator[ThreadPoolExecutor]:
    """Yield an executor with one thread for the blocking calls of a job.

    At the end of the `with` block, do not wait for a call that still runs.
    """
    thread = ThreadPoolExecutor(1, "refresh")
    try:
        yield thread
    finally:
        thread.shutdown(wait=False)


class Blocking:
    """The thread of one job, in which the job's blocking PySpark calls run.

    The function `cancel` cancels the job in Spark.
    """

    def __init__(self, thread: ThreadPoolExecutor, cancel: Callable[[], object]) -> None:
        self._thread = thread
        self._cancel = cancel

    async def call(self, call: Callable[[], _Result]) -> _Result:
        """Run a PySpark call in the job's thread and return its result.

        If the waiting task is cancelled, cancel the job in Spark and wait for the end of the call; a second
        cancellation ends this wait.
        """
        running = asyncio.get_running_loop().run_in_executor(self._thread, lambda: _translated(call))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            # marks its exception as retrieved: errors of a cancelled job do not matter
            running.add_done_callback(asyncio.Future.exception)
            await asyncio.to_thread(self._cancel)
            await asyncio.wait([running])
            raise


def columns_of(rows: DataFrame) -> tuple[tuple[str, str], ...]:
    """Return the names and types of a DataFrame's columns, with the types as DESCRIBE prints them."""
    return tuple((field.name, field.dataType.simpleString()) for field in rows.schema)


def _translated(call: Callable[[], _Result]) -> _Result:
    """Return the result of a PySpark call; raise an error of the call as SqlError with Spark's message and SQLSTATE."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return call()
    except PySparkException as failure:
        raise SqlError(str(failure), failure.getSqlState() or "HY000") from failure
    except Py4JError as failure:  # errors unknown to PySpark, and a JVM that has ended
        cause = getattr(failure, "java_exception", None)
        raise SqlError(str(cause.toString() if cause is not None else failure), "HY000") from failure


def stages_of(context: Any, group: str) -> tuple[Stage, ...]:
    """Return the started stages of the jobs in a Spark job group, except stages that Spark no longer knows.

    `context` is the SparkContext. Pending stages are left out, because adaptive execution skips most of the pending
    stages, whose work an earlier job has done.
    """
    tracker = context.statusTracker()
    jobs = (tracker.getJobInfo(job) for job in sorted(tracker.getJobIdsForGroup(group)))
    ids = sorted({stage for job in jobs if job is not None for stage in job.stageIds})
    known = (tracker.getStageInfo(stage) for stage in ids)
    return tuple(
        Stage(one.stageId, one.numTasks, one.numCompletedTasks, one.numActiveTasks, one.numFailedTasks)
        for one in known
        if one is not None and (one.numActiveTasks or one.numCompletedTasks or one.numFailedTasks)
    )


_NO_CONNECTION = "08001"


class ConnectRunner:
    """A Runner that gives each job a new session on a Spark Connect server.

    `connect` opens a session; `settings` are Spark settings for every job. The session is released at the job's end, so
    that the server may restart between jobs.
    """

    def __init__(
        self, connect: Callable[[], ConnectSession], settings: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self._connect = connect
        self._settings = settings

    @asynccontextmanager
    async def job(self, settings: Mapping[str, str]) -> AsyncIterator[ConnectJob]:
        """Yield a job in a new session with this runner's settings, overridden by `settings`."""
        with job_thread() as thread:
            job = ConnectJob(self._connect(), thread)
            try:
                await job.open({**self._settings, **settings})
                yield job
            finally:
                await job.close()


class ConnectJob:
    """A job in a session of a Spark Connect server."""

    def __init__(self, session: ConnectSession, thread: ThreadPoolExecutor) -> None:
        self._session = session
        self._blocking = Blocking(thread, session.interruptAll)
        self._stages: dict[int, Stage] = {}
        session.registerProgressHandler(cast("ProgressHandler", self._noted))  # PySpark accepts any callable

    async def open(self, settings: Mapping[str, str]) -> None:
        """Set the job's settings on the server; raise SqlError 08001 if this first call to the server fails."""

        def opened() -> None:
            for key, value in settings.items():
                self._session.conf.set(key, value)

        try:
            await self._blocking.call(opened)
        except SqlError as failure:
            self._session.release_session_on_close = False  # the release would be retried for as long again
            raise SqlError(
                f"refreshes cannot run on the Spark Connect server of [pipeline.spark] spark.remote: {failure.message}"
                "; check the address, and that the server runs",
                _NO_CONNECTION,
            ) from failure

    async def run(self, sql: str) -> None:
        """Execute one statement to its end; raise SqlError with Spark's message if the statement fails."""
        await self._blocking.call(lambda: self._session.sql(sql))

    async def columns(self, query: str) -> tuple[tuple[str, str], ...]:
        """Return the names and types of a query's columns without running the query."""
        return await self._blocking.call(lambda: columns_of(self._session.sql(query)))

    async def stages(self) -> tuple[Stage, ...]:
        """Return the stages of the job that the server has reported so far."""
        return tuple(self._stages.copy().values())

    def _noted(
        self, stages: Iterable[StageInfo] | None, inflight_tasks: int, operation_id: str | None, done: bool
    ) -> None:
        """Record the stages that the server reports while a statement runs; PySpark calls the method on its own thread.

        The number of running tasks is recorded as 0, because PySpark reports only the number for all stages together
        (`inflight_tasks`).
        """
        for one in stages or ():
            self._stages[one.stage_id] = Stage(one.stage_id, one.num_tasks, one.num_completed_tasks, 0, 0)

    async def close(self) -> None:
        """Release the session on the server."""
        await self._blocking.call(self._session.stop)


class EmbeddedRunner:
    """A Runner that gives each job a new session of the Spark in this process, in the scheduler pool `pool`.

    A job's settings affect neither clients nor other jobs.
    """

    def __init__(self, spark: SparkSession, pool: str = "refresh") -> None:
        self._spark = spark
        self._pool = pool

    @asynccontextmanager
    async def job(self, settings: Mapping[str, str]) -> AsyncIterator[EmbeddedJob]:
        """Yield a job with a new session and a thread of its own; the session has these Spark settings."""
        with job_thread() as thread:
            job = EmbeddedJob(self._spark, thread)
            await job.open(self._pool, settings)
            yield job


class EmbeddedJob:
    """A job in this process's Spark: its session, its thread, and its Spark job group."""

    def __init__(self, spark: SparkSession, thread: ThreadPoolExecutor) -> None:
        self._spark = spark
        self._blocking = Blocking(thread, self._cancel)
        self._group = f"viewgate-{uuid.uuid4().hex}"

    async def open(self, pool: str, settings: Mapping[str, str]) -> None:
        """Open the job's session with these settings; its Spark jobs run in the scheduler pool `pool`."""

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
        """Execute one statement to its end; raise SqlError with Spark's message if the statement fails."""
        await self._blocking.call(lambda: self._session.sql(sql))

    async def columns(self, query: str) -> tuple[tuple[str, str], ...]:
        """Return the names and types of a query's columns without running the query."""
        return await self._blocking.call(lambda: columns_of(self._session.sql(query)))

    async def stages(self) -> tuple[Stage, ...]:
        """Return the started stages of the job's Spark job group."""
        return await asyncio.to_thread(stages_of, self._spark.sparkContext, self._group)

    def _cancel(self) -> None:
        # Also future jobs: between two jobs of one statement no job is running that could be cancelled.
        self._spark.sparkContext._jsc.sc().cancelJobGroupAndFutureJobs(self._group)
