"""Jobs on a Spark Connect server: PySpark without a JVM in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from proxy.hs2 import SqlError
from proxy.pipeline.blocking import Blocking, columns_of, job_thread
from proxy.upstream import Stage

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession
    from pyspark.sql.connect.shell.progress import ProgressHandler, StageInfo

_NO_CONNECTION = "08001"


class ConnectRunner:
    """A session of its own on the server for each job, released at its end: the server may restart in between."""

    def __init__(self, connect: Callable[[], SparkSession], settings: Mapping[str, str] = MappingProxyType({})) -> None:
        self._connect = connect
        self._settings = settings

    @asynccontextmanager
    async def job(self, settings: Mapping[str, str]) -> AsyncIterator[ConnectJob]:
        """Yield a session with the settings of all jobs, and those of this job."""
        with job_thread() as thread:
            job = ConnectJob(self._connect(), thread)
            try:
                await job.open({**self._settings, **settings})
                yield job
            finally:
                await job.close()


class ConnectJob:
    """The statements of one session."""

    def __init__(self, session: SparkSession, thread: ThreadPoolExecutor) -> None:
        self._session = session
        self._blocking = Blocking(thread, session.interruptAll)
        self._stages: dict[int, Stage] = {}
        session.registerProgressHandler(cast("ProgressHandler", self._noted))  # to PySpark, any callable is one

    async def open(self, settings: Mapping[str, str]) -> None:
        """Set the job's settings; this is the first call to the server."""

        def opened() -> None:
            for key, value in settings.items():
                self._session.conf.set(key, value)

        try:
            await self._blocking.call(opened)
        except SqlError as failure:
            self._session.release_session_on_close = False  # it would only be tried as long again
            raise SqlError(
                f"no refresh runs on the Spark Connect server of [pipeline.spark] spark.remote: {failure.message}",
                _NO_CONNECTION,
            ) from failure

    async def run(self, sql: str) -> None:
        """Execute one statement to its end."""
        await self._blocking.call(lambda: self._session.sql(sql))

    async def columns(self, query: str) -> tuple[tuple[str, str], ...]:
        """Return the names and types of the columns that a query would return."""
        return await self._blocking.call(lambda: columns_of(self._session.sql(query)))

    async def stages(self) -> tuple[Stage, ...]:
        """Return the stages that the server has told of."""
        return tuple(self._stages.copy().values())

    def _noted(
        self, stages: Iterable[StageInfo] | None, inflight_tasks: int, operation_id: str | None, done: bool
    ) -> None:
        """Take note of stages, on PySpark's thread while a statement runs; running tasks are not told."""
        for one in stages or ():
            self._stages[one.stage_id] = Stage(one.stage_id, one.num_tasks, one.num_completed_tasks, 0, 0)

    async def close(self) -> None:
        """Release the session."""
        await self._blocking.call(self._session.stop)
