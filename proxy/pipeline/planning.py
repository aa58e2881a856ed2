"""How the next refresh of a view would go: what is recorded, what the catalog says has happened, what follows."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from proxy.catalog import Catalog
from proxy.pipeline.sources import Sources
from rewriter import Decision, full, plan
from rewriter.model import ChangeKind, MaterializedView, RefreshState, Table

_logger = logging.getLogger(__name__)


async def decide(catalog: Catalog, view: MaterializedView, sources: Sources, storage: Table) -> Decision:
    """What brings the storage from the snapshots that it records to those of the sources now."""
    recorded = storage.refresh
    if recorded is None:
        return full("it was never refreshed")
    if recorded.stored not in (None, storage.columns):
        return full("the columns of its storage have been changed")
    if problem := _base_problem(view, sources, recorded):
        return full(problem)
    states = {state.uuid: state for state in recorded.sources}
    changes = await asyncio.gather(
        *(catalog.change(name, states[table.uuid], table.snapshot_id) for name, table in sources.tables.items())
    )
    decision = plan(view, storage, {change.name: change for change in changes})
    changed = [change for change in changes if change.kind not in (ChangeKind.UNCHANGED, ChangeKind.UNKNOWN)]
    if decision.incremental or not storage.partitioned_by or len(changed) != 1:
        return decision
    # Only now: manifests are many files, and most decisions need none of them.
    try:
        files = await catalog.files(changed[0].name, changed[0].start, changed[0].end)
    except Exception:  # manifests come from any writer; what cannot be read is computed in full
        _logger.exception("cannot read the files of %s", changed[0].name)
        return decision
    known = replace(changed[0], files=files)
    return plan(view, storage, {change.name: change for change in (*changes, known)})


def _base_problem(view: MaterializedView, sources: Sources, recorded: RefreshState) -> str:
    """Why what is stored is nothing to build on; empty if it is."""
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
