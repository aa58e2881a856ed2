from __future__ import annotations

import asyncio
from typing import Any

from proxy.pipeline.watching import watched
from proxy.upstream import Stage


class Job:
    """A job that reports its stages one after the other, one failure among them, and the last forever."""

    def __init__(self, *told: Any) -> None:
        self.told = list(told)
        self.all_asked = asyncio.Event()

    async def stages(self) -> Any:
        if len(self.told) == 1:
            self.all_asked.set()
            return self.told[0]
        found = self.told.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


def log_of(*told: Any) -> list[str]:
    lines: list[str] = []

    async def story() -> None:
        job = Job(*told)
        async with watched(job, "v", lines.append, first_s=0):
            await job.all_asked.wait()

    asyncio.run(story())
    return lines


def test_each_step_is_told_once() -> None:
    begun, ended = (Stage(0, 4, 1, 2, 0),), (Stage(0, 4, 4, 0, 0), Stage(1, 2, 0, 2, 0))
    lines = log_of((), begun, begun, ConnectionError("away"), ended, ended)
    assert lines == ["v: 0 of 1 stages, 1 of 4 tasks", "v: 1 of 2 stages, 4 of 6 tasks"]


def test_where_nobody_knows_nothing_is_told() -> None:
    assert log_of(None, None) == []
