"""The progress of `viewgate refresh` on a terminal: the lines that it says, and below them a bar of Spark's tasks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from proxy.pipeline import Begun
from proxy.session import Log

_LOOK_AGAIN = 0.5


@asynccontextmanager
async def drawn(begun: Begun, console: Console | None = None, pause: float = _LOOK_AGAIN) -> AsyncIterator[Log]:
    """Yield a log whose lines are printed; on a terminal, with a bar below them until the body ends."""
    console = console or Console(soft_wrap=True)
    if not console.is_terminal:
        yield lambda line: print(line, file=console.file, flush=True)
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        drawing = asyncio.create_task(_draw(begun, progress, progress.add_task("refreshing", total=None), pause))
        try:
            yield _printing(progress.console)
        finally:
            drawing.cancel()
            await asyncio.wait([drawing])


def _printing(console: Console) -> Callable[[str], None]:
    return lambda line: console.print(line, markup=False, highlight=False)


async def _draw(begun: Begun, progress: Progress, bar: TaskID, pause: float) -> None:
    while True:
        stages = await begun.stages()
        tasks, done = sum(stage.tasks for stage in stages), sum(stage.completed for stage in stages)
        said = f"{done} of {tasks} tasks" if tasks else "refreshing"
        progress.update(bar, description=said, total=tasks or None, completed=done)
        await asyncio.sleep(pause)
