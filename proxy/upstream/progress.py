"""Converts the stages of a running statement to Thrift's progress response.

Hive's drivers draw a progress bar from the progress response.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from proxy.hs2.generated import ttypes

_HEADERS = ["VERTICES", "MODE", "STATUS", "TOTAL", "COMPLETED", "RUNNING", "PENDING", "FAILED", "KILLED"]
_MODE = "spark"
_IN_PROGRESS = 0  # TJobExecutionStatus.IN_PROGRESS
_SHOWN = 12  # stages that fit a terminal; the last ones are the running ones


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a statement's Spark jobs: its id, and the numbers of all, completed, running and failed tasks."""

    id: int
    tasks: int
    completed: int
    running: int
    failed: int


# Maps Spark's id of a statement to the statement's stages so far; None if they are unknown.
Progress = Callable[[str], Awaitable[tuple[Stage, ...] | None]]


async def unknown(_statement: str) -> None:
    """Return None (progress unknown) for every statement id; used if no source of the progress is configured."""
    return


def progress_response(stages: tuple[Stage, ...], started_ms: int) -> Any:
    """Return the Thrift progress response, with one row for each of the last 12 stages.

    `started_ms` is the start of the statement in milliseconds since 1970.

    >>> response = progress_response((Stage(1, 8, 8, 0, 0), Stage(2, 8, 2, 4, 0)), started_ms=0)
    >>> response.progressedPercentage, response.rows[1]
    (0.625, ['Stage-2', 'spark', 'RUNNING', '8', '2', '4', '2', '0', '0'])
    """
    tasks, completed = sum(stage.tasks for stage in stages), sum(stage.completed for stage in stages)
    ended = sum(stage.completed == stage.tasks for stage in stages)
    return ttypes.TProgressUpdateResp(
        headerNames=_HEADERS,
        rows=[_row(stage) for stage in stages[-_SHOWN:]],
        progressedPercentage=completed / tasks if tasks else 0.0,
        status=_IN_PROGRESS,
        footerSummary=f"STAGES: {ended:02}/{len(stages):02}",
        startTime=started_ms,
    )


def _row(stage: Stage) -> list[str]:
    pending = max(stage.tasks - stage.completed - stage.running, 0)
    state = "SUCCEEDED" if stage.completed == stage.tasks else "RUNNING" if stage.running else "INITED"
    counts = (stage.tasks, stage.completed, stage.running, pending, stage.failed, 0)
    return [f"Stage-{stage.id}", _MODE, state, *map(str, counts)]
