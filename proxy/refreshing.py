"""Implements `viewgate refresh`: refreshes views one after the other, for cron, Airflow and similar schedulers.

On a terminal, a progress bar of Spark's tasks is drawn below the log lines.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from proxy import embedded
from proxy.catalog import Catalogs
from proxy.composing import surround
from proxy.config import ConfigError
from proxy.hs2.status import first_message
from proxy.journal import Cause, Journal
from proxy.journal.redaction import redact_log
from proxy.journal.texts import without_credentials
from proxy.options import Options, Selection, settled
from proxy.pipeline import Asked, Begun, Pipeline
from proxy.pipeline.dependencies import over
from proxy.pipeline.on_commit import stopped
from proxy.session import Log
from rewriter import Definitions
from rewriter.model import MaterializedView, TableName

_LOOK_AGAIN = 0.5


@asynccontextmanager
async def drawn(begun: Begun, console: Console | None = None, pause: float = _LOOK_AGAIN) -> AsyncIterator[Log]:
    """Yield a function that prints a line; on a terminal, show a progress bar below the lines during the `with` block.

    `begun` collects the running Spark jobs, whose stages are queried every `pause` seconds. `console` is the output
    (None: standard output).
    """
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


SOME_FAILED = 3
_BAD = ("failed", "stopped")


@dataclass(frozen=True)
class Result:
    """The outcome for one view (refreshed, fresh, skipped, failed or stopped), and the line that reports the outcome.

    `view` is `shop.*` for all views of the catalog `shop`, if the catalog is unavailable.
    """

    view: str
    outcome: str
    says: str


async def run(selection: Selection, options: Options, *, as_json: bool = False) -> int:
    """Refresh the selected views on the configured Spark, or on an embedded one; return the exit code (`exit_code`).

    With `as_json`, lines and progress bar go to standard error, and the results as JSON to standard output. Raise
    ConfigError for invalid settings, and if the data directory of the embedded Spark has no data.
    """
    settings = settled(options)
    if settings.starts_spark and not embedded.has_data(settings.embedded.data):
        raise ConfigError(
            f"the directory {settings.embedded.data} contains no data of Viewgate: give the data directory with "
            "--data, or a settings file with --config"
        )
    literals = settings.journal.literals
    redact_log(literals=literals)
    async with AsyncExitStack() as running:
        surroundings = await surround(settings, running)
        pipeline = Pipeline(surroundings.catalogs, surroundings.runner, Journal(literals=literals))
        begun = running.enter_context(Begun())
        say = await running.enter_async_context(drawn(begun, Console(stderr=as_json, soft_wrap=True)))
        results = await refresh(surroundings.catalogs, pipeline, selection, say)
    if as_json:
        print(json.dumps([asdict(result) for result in results], indent=2, ensure_ascii=False))
    return exit_code(results)


def exit_code(results: Sequence[Result]) -> int:
    """Return 0 if all views are refreshed or fresh, and SOME_FAILED (3) otherwise."""
    return SOME_FAILED if any(result.outcome in _BAD for result in results) else 0


async def refresh(catalogs: Catalogs, pipeline: Pipeline, selection: Selection, say: Log) -> list[Result]:
    """Refresh the selected views one by one, each after the views that it reads; return a result for each view.

    `say` prints a line. If the refresh of a view fails, the views that read this view are not refreshed (`stopped`),
    but all other views are. A view whose metadata cannot be read has failed. While a catalog is unavailable, so has
    each selected view that is not found, but may lie in this catalog; if all views are selected, the views of the
    catalog have one result.
    """
    definitions = Definitions(await catalogs.definitions())
    ordered = await _ordered(definitions, catalogs)
    down = {catalog.name: catalog.outage for catalog in catalogs if not catalog.available}
    wanted, lost = _chosen([*(view.name for view in ordered), *catalogs.broken], selection.names, catalogs.names, down)
    whole = {} if selection.names else down
    failed: set[TableName] = set()
    results = []
    for catalog, outage in whole.items():
        told = f"no view of the catalog {catalog} could be refreshed: {outage}"
        say(told)
        results.append(Result(f"{catalog}.*", "failed", told))
    for given, outage in lost.items():
        told = f"{given} could not be refreshed: {outage}"
        say(told)
        results.append(Result(given, "failed", told))
    for name, reason in catalogs.broken.items():
        if name in wanted:
            failed.add(name)
            told = f"{name} could not be refreshed: {reason}"
            say(told)
            results.append(Result(str(name), "failed", told))
    for view in (view for view in ordered if view.name in wanted):
        if why := stopped(view, failed):
            outcome, told = "stopped", why
        else:
            outcome, told = await _refresh_one(pipeline, view, selection, say)
        if outcome in _BAD:
            failed.add(view.name)
        if outcome != "refreshed":  # the pipeline has reported a refreshed view itself
            say(told)
        results.append(Result(str(view.name), outcome, told))
    counts = len(failed) + len(lost), len(results) - len(whole)
    summary = [f"{counts[0]} of {counts[1]} views could not be refreshed"] if counts[0] else []
    if summary or whole:
        say("; ".join((*summary, *(f"the catalog {catalog} is unavailable" for catalog in whole))))
    return results


async def _refresh_one(pipeline: Pipeline, view: MaterializedView, selection: Selection, say: Log) -> tuple[str, str]:
    """Refresh a view; return the outcome (refreshed, fresh, skipped or failed), and the line that reports the outcome.

    `say` prints each message of the refresh, without credentials. With `selection.stale`, a fresh view is not
    refreshed. A view that another Viewgate must refresh (see `Pipeline.left_alone`) is refreshed only if it is named.
    """
    lines: list[str] = []

    def both(line: str) -> None:
        lines.append(without_credentials(line))
        say(lines[-1])

    try:
        if selection.stale and await pipeline.rests(view):
            return "fresh", f"{view.name} is fresh"
        if not selection.names and (why := await pipeline.left_alone(view)):
            return "skipped", f"{view.name} is left alone: {why}"
        await pipeline.refresh(view, both, Asked(selection.full, selection.where), Cause.COMMAND)
    except Exception as failure:  # the failure of one view does not concern the others
        return "failed", f"{view.name} could not be refreshed: {without_credentials(first_message(str(failure)))}"
    return "refreshed", lines[-1] if lines else f"{view.name} is up to date"


async def _ordered(definitions: Definitions, catalogs: Catalogs) -> list[MaterializedView]:
    """Return all views (`definitions`), each after the views that it reads."""
    sources = {table for tables in definitions.sources.values() for table in tables}
    ordered = await over(catalogs, definitions, sources)
    return [*ordered, *(view for view in definitions.views if view not in ordered)]


def _chosen(
    views: Sequence[TableName], names: Sequence[str], catalogs: Collection[str], down: Mapping[str, str]
) -> tuple[Collection[TableName], Mapping[str, str]]:
    """Return the views with these names, written with or without the catalog; all views if there are no names.

    `catalogs` has all catalogs, and `down` those that are unavailable, with the reason. Also return, each with the
    reason, the names that no known view has, but possibly a view of an unavailable catalog. Raise ConfigError for any
    other name that no view has, and for a name without a catalog that views of several catalogs have.
    """
    if not names:
        return views, {}
    known: dict[str, list[TableName]] = {}
    for view in views:
        for spelled in (str(view), str(TableName(view.parts[1:]))):
            known.setdefault(spelled, []).append(view)
    lost: dict[str, str] = {}
    for name in names:
        first = name.partition(".")[0]
        if len(known.get(name, ())) > 1:
            raise ConfigError(
                f"the materialized view {name} cannot be refreshed: {' and '.join(map(str, known[name]))} have this "
                "name; give the name with its catalog"
            )
        if name in known:
            continue
        if down and (first in down or first not in catalogs):
            lost[name] = down[first] if first in down else "; ".join(down.values())
            continue
        there_are = ", ".join(map(str, views)) or "none"
        raise ConfigError(
            f"materialized view {name} cannot be refreshed: the view does not exist; the existing views are {there_are}"
        )
    return {known[name][0] for name in names if name in known}, lost
