"""The plan of a view's next refresh, from the recorded state and the changes in the catalog."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from proxy.catalog import Catalog
from proxy.pipeline.sources import Sources
from rewriter import Decision, Kind, full, plan
from rewriter.model import Change, ChangeKind, MaterializedView, RefreshState, Table

_logger = logging.getLogger(__name__)
_NEED_NO_FILES = (Kind.NOTHING, Kind.APPEND)


async def decide(catalog: Catalog, view: MaterializedView, sources: Sources, storage: Table) -> Decision:
    """Return the way that brings the storage from its recorded snapshots to the sources' current ones."""
    recorded = storage.refresh
    if recorded is None:
        return full("it was never refreshed")
    if recorded.stored not in (None, storage.columns):
        return full("the columns of its storage have been changed")
    if problem := base_problem(view, sources, recorded):
        return full(problem)
    states = {state.uuid: state for state in recorded.sources}
    changes = await asyncio.gather(
        *(catalog.change(name, states[table.uuid], table.snapshot_id) for name, table in sources.tables.items())
    )
    decision = plan(view, storage, {change.name: change for change in changes})
    changed = [change for change in changes if change.kind not in (ChangeKind.UNCHANGED, ChangeKind.UNKNOWN)]
    if len(changed) != 1 or not storage.partitioned_by or decision.kind in _NEED_NO_FILES:
        return decision
    # Only now: manifests are many files, and most decisions need none of them.
    known = await _with_files(catalog, changed[0], live=not decision.incremental)
    return plan(view, storage, {change.name: change for change in (*changes, known)})


async def _with_files(catalog: Catalog, change: Change, *, live: bool) -> Change:
    """Return a source's change with its files: the live ones if asked for, else the touched ones."""
    ends = (change.name, change.start, change.end)
    try:
        if live:
            return replace(change, files=await catalog.files(*ends))
        return replace(change, touched=await catalog.touched(*ends))
    except Exception:  # manifests come from any writer; without them a decision stays as it is
        _logger.exception("files unreadable table=%s", change.name)
        return change


def base_problem(view: MaterializedView, sources: Sources, recorded: RefreshState) -> str:
    """Return why the stored content cannot be refreshed incrementally; empty if it can."""
    if (recorded.view_uuid, recorded.view_version) != (view.uuid, view.version):
        return "its content was computed for another version of the view"
    through = {child.uuid: child.version for child in recorded.children}
    if through != {state.uuid: state.version for state in sources.views.values()}:
        return "a view that it is defined over has been defined anew"
    if {state.uuid for state in recorded.sources} != {table.uuid for table in sources.tables.values()}:
        return "it was computed from other tables"
    if any(state.columns is None for state in recorded.sources):
        return "it does not record the columns that it was computed from"
    return ""
