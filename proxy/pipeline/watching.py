"""Reports the progress of a refresh in the log of the statement: the stages that Spark has started, and their tasks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Self

from proxy.pipeline.runner import Watchable
from proxy.session import Log
from proxy.upstream import Stage

FIRST_S = 2.0
_LONGEST_S = 30.0
_logger = logging.getLogger(__name__)


class Begun:
    """A context manager that collects, for a progress bar, the refresh jobs that run during the `with` block.

    The jobs are those of the current asyncio task, and of the tasks that this task starts.
    """

    def __init__(self) -> None:
        self.jobs: list[Watchable] = []

    def __enter__(self) -> Self:
        """Collect from now on the refresh jobs of the current asyncio task, and of the tasks that this task starts."""
        self._before = _BEGUN.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _BEGUN.reset(self._before)

    async def followed(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run the function `work`; while a refresh job of `work` runs, the job is in `jobs`."""
        with self:
            await work()

    async def stages(self) -> tuple[Stage, ...]:
        """Return the started stages of all collected jobs that are running; empty if the stages are unknown."""
        return tuple([stage for job in tuple(self.jobs) for stage in await _stages(job)])


_BEGUN: ContextVar[Begun | None] = ContextVar("_BEGUN", default=None)


@asynccontextmanager
async def watched(job: Watchable, who: str, log: Log, first_s: float = FIRST_S) -> AsyncIterator[None]:
    """Log the progress of a job during the `with` block, first after `first_s` seconds, then at growing intervals.

    `who` is the first word of each log line: the name of the view. Nothing is logged if the progress is unknown.
    """
    begun = _BEGUN.get() or Begun()
    begun.jobs.append(job)
    watching = asyncio.create_task(_watch(job, who, log, first_s))
    try:
        yield
    finally:
        begun.jobs.remove(job)
        watching.cancel()
        await asyncio.wait([watching])


async def _stages(job: Watchable) -> tuple[Stage, ...]:
    try:
        return await job.stages() or ()
    except Exception:  # the statement's own error will be reported
        _logger.debug("refresh progress unknown", exc_info=True)
        return ()


async def _watch(job: Watchable, who: str, log: Log, pause: float) -> None:
    told = ""
    while True:
        await asyncio.sleep(pause)
        stages = await _stages(job)
        if stages and (line := in_words(stages)) != told:
            log(f"{who}: {line}")
            told = line
        pause = min(pause * 1.5, _LONGEST_S)


def in_words(stages: tuple[Stage, ...]) -> str:
    """Return the progress of stages as text: how many of the stages, and of their tasks, are completed.

    Only the stages that Spark has created so far are counted; Spark adds stages while a job runs.

    >>> in_words((Stage(0, 8, 8, 0, 0), Stage(1, 40, 12, 4, 0)))
    '1 of 2 stages, 20 of 48 tasks'
    """
    ended = sum(stage.completed == stage.tasks for stage in stages)
    done, tasks = sum(stage.completed for stage in stages), sum(stage.tasks for stage in stages)
    return f"{ended} of {len(stages)} stages, {done} of {tasks} tasks"
