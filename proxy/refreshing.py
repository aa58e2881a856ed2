"""What `viewgate refresh` does once there is a catalog and somewhere to run jobs: for cron, Airflow and their like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proxy.catalog import Catalog
from proxy.config import ConfigError
from proxy.hs2.status import first_message
from proxy.journal import Cause
from proxy.pipeline import UP_TO_DATE, Asked, Pipeline
from proxy.pipeline.on_commit import stopped
from proxy.pipeline.order import over
from proxy.session import Log
from rewriter import Definitions
from rewriter.model import MaterializedView, TableName

SOME_FAILED = 3


@dataclass(frozen=True)
class Wanted:
    """Which views: those of the names, or all; of these those with something to do; and what is asked of each."""

    names: tuple[str, ...] = ()
    stale: bool = False
    asked: Asked = UP_TO_DATE


async def refresh(catalog: Catalog, pipeline: Pipeline, wanted: Wanted, say: Log) -> int:
    """Refresh one after the other, each after those that it reads; the exit code: 0, or SOME_FAILED."""
    definitions = Definitions(await catalog.definitions())
    failed: set[TableName] = set()
    chosen = await _chosen(definitions, catalog, wanted.names)
    for view in chosen:
        if why := stopped(view, failed):
            failed.add(view.name)
            say(why)
            continue
        try:
            if wanted.stale and await pipeline.rests(view):
                say(f"{view.name} is fresh")
            else:
                await pipeline.refresh(view, say, wanted.asked, Cause.COMMAND)
        except Exception as failure:  # one view's failure is that view's alone
            failed.add(view.name)
            say(f"{view.name} could not be refreshed: {first_message(str(failure))}")
    if failed:
        say(f"{len(failed)} of {len(chosen)} views could not be refreshed")
    return SOME_FAILED if failed else 0


async def _chosen(definitions: Definitions, catalog: Catalog, names: Sequence[str]) -> list[MaterializedView]:
    sources = {table for tables in definitions.sources.values() for table in tables}
    ordered = await over(catalog, definitions, sources)
    ordered += [view for view in definitions.views if view not in ordered]
    if not names:
        return ordered
    known = {}
    for view in ordered:
        known[str(view.name)] = known[str(view.name).removeprefix(f"{catalog.name}.")] = view
    for name in names:
        if name not in known:
            reason = next((why for broken, why in catalog.broken.items() if str(broken).endswith(name)), "")
            there_are = ", ".join(str(view.name) for view in ordered) or "none"
            raise ConfigError(f"materialized view {name}: {reason or 'there is none'}; there are: {there_are}")
    wanted = {known[name].name for name in names}
    return [view for view in ordered if view.name in wanted]
