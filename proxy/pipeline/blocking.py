"""Awaits PySpark's blocking calls: each job has a thread of its own, by which Spark groups its work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from proxy.hs2 import SqlError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_Result = TypeVar("_Result")


@contextmanager
def job_thread() -> Iterator[ThreadPoolExecutor]:
    """Yield a job's thread, released but not joined at the end: a call that still runs would stop the event loop."""
    thread = ThreadPoolExecutor(1, "refresh")
    try:
        yield thread
    finally:
        thread.shutdown(wait=False)


class Blocking:
    """A thread for one job's calls, and the call that cancels the job."""

    def __init__(self, thread: ThreadPoolExecutor, cancel: Callable[[], object]) -> None:
        self._thread = thread
        self._cancel = cancel

    async def call(self, call: Callable[[], _Result]) -> _Result:
        """Return the call's result; if the wait is cancelled, Spark is told, and the call has ended when this returns.

        Whoever cancels again waits no longer, and the call ends when Spark lets it.
        """
        running = asyncio.get_running_loop().run_in_executor(self._thread, lambda: _translated(call))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            running.add_done_callback(asyncio.Future.exception)  # seen: what a cancelled job says is of no interest
            await asyncio.to_thread(self._cancel)
            await asyncio.wait([running])
            raise


def columns_of(rows: DataFrame) -> tuple[tuple[str, str], ...]:
    """Return the names and types of columns, as DESCRIBE tells them."""
    return tuple((field.name, field.dataType.simpleString()) for field in rows.schema)


def _translated(call: Callable[[], _Result]) -> _Result:
    """Run a call of Spark's; raise its errors as SqlError with its message and SQLSTATE."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        return call()
    except PySparkException as failure:
        raise SqlError(str(failure), failure.getSqlState() or "HY000") from failure
    except Py4JError as failure:  # what PySpark does not know, and a JVM that is gone
        cause = getattr(failure, "java_exception", None)
        raise SqlError(str(cause.toString() if cause is not None else failure), "HY000") from failure
