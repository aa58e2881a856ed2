from __future__ import annotations

import asyncio
from io import StringIO

from rich.console import Console

from proxy.pipeline import Begun
from proxy.refreshing import drawn
from proxy.upstream import Stage


class Job:
    """A job with half of its tasks done."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def stages(self) -> tuple[Stage, ...]:
        self.asked.set()
        return (Stage(0, 8, 4, 2, 0),)


def printed(*, terminal: bool) -> str:
    console = Console(file=StringIO(), force_terminal=terminal, width=100, soft_wrap=True)

    async def story() -> None:
        begun, job = Begun(), Job()
        begun.jobs.append(job)
        async with drawn(begun, console, pause=0) as say:
            say("[a] is a line")
            if terminal:
                await job.asked.wait()
                await asyncio.sleep(0)

    asyncio.run(story())
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_on_a_terminal_a_bar_goes_below_the_lines() -> None:
    said = printed(terminal=True)
    assert "[a] is a line\n" in said
    assert "4 of 8 tasks" in said


def test_what_nobody_looks_at_has_the_lines_alone() -> None:
    assert printed(terminal=False) == "[a] is a line\n"
