"""How far a refresh is, in the log that its user reads: the stages that Spark has begun, and their tasks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from proxy.pipeline.runner import Job
from proxy.session import Log
from proxy.upstream import Stage

FIRST_S = 2.0
_LONGEST_S = 30.0
_logger = logging.getLogger(__name__)


@asynccontextmanager
async def watched(job: Job, who: str, log: Log, first_s: float = FIRST_S) -> AsyncIterator[None]:
    """Tell, as long as the body runs and at growing intervals, how far the job is; nothing where nobody knows."""
    watching = asyncio.create_task(_watch(job, who, log, first_s))
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.wait([watching])


async def _watch(job: Job, who: str, log: Log, pause: float) -> None:
    told = ""
    while True:
        await asyncio.sleep(pause)
        try:
            stages = await job.stages()
        except Exception:  # the statement itself will say what is wrong
            _logger.debug("nobody knows how far the refresh of %s is", who, exc_info=True)
            stages = ()
        if stages and (line := in_words(stages)) != told:
            log(f"{who}: {line}")
            told = line
        pause = min(pause * 1.5, _LONGEST_S)


def in_words(stages: tuple[Stage, ...]) -> str:
    """The stages and tasks done of those known so far: Spark plans the later ones by what the first have found.

    >>> in_words((Stage(0, 8, 8, 0, 0), Stage(1, 40, 12, 4, 0)))
    '1 of 2 stages, 20 of 48 tasks'
    """
    ended = sum(stage.completed == stage.tasks for stage in stages)
    done, tasks = sum(stage.completed for stage in stages), sum(stage.tasks for stage in stages)
    return f"{ended} of {len(stages)} stages, {done} of {tasks} tasks"
