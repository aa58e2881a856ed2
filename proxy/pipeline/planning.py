"""Plans the next refresh of a view from the recorded refresh state and the changes of the sources since that state.

Also chooses the tables that a full refresh reads. A view over views is computed from the storage tables of these views.
Any other view is computed from the storage table of another view over the same base tables, if the rewriter can derive
the rows from there: sums by month from sums by day, for example. Otherwise the view is computed from the base tables.
So if several views over the same tables get a full refresh, one scan of the base tables can suffice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

import rewriter
from proxy.catalog import Catalogs
from proxy.pipeline.sources import Sources
from proxy.pipeline.statements import pin
from rewriter import Decision, Kind, full, plan
from rewriter.model import Change, ChangeKind, MaterializedView, RefreshState, Table, TableName

_logger = logging.getLogger(__name__)
_NEED_NO_FILES = (Kind.NOTHING, Kind.APPEND)


async def decide(catalogs: Catalogs, view: MaterializedView, sources: Sources, storage: Table) -> Decision:
    """Return how to refresh the storage table from its recorded source snapshots to the current snapshots, and why.

    `sources` are the base tables with their current snapshots.
    """
    recorded = storage.refresh
    if recorded is None:
        return full("the storage table records no refresh")
    if recorded.stored not in (None, storage.columns):
        return full("the columns of the storage table have changed")
    if problem := base_problem(view, sources, recorded):
        return full(problem)
    read = {name: recorded.source(name, table.uuid) for name, table in sources.tables.items()}
    changes = await asyncio.gather(
        *(
            catalogs.of(name).change(name, state, sources.tables[name].snapshot_id)
            for name, state in read.items()
            if state is not None  # `base_problem` has found them all
        )
    )
    decision = plan(view, storage, {change.name: change for change in changes})
    changed = [change for change in changes if change.kind not in (ChangeKind.UNCHANGED, ChangeKind.UNKNOWN)]
    if len(changed) != 1 or not storage.partitioned_by or decision.kind in _NEED_NO_FILES:
        return decision
    # Read only now: manifests are many files, and most decisions do not need them.
    known = await _with_files(catalogs, changed[0], live=not decision.incremental)
    return plan(view, storage, {change.name: change for change in (*changes, known)})


async def _with_files(catalogs: Catalogs, change: Change, *, live: bool) -> Change:
    """Return the change of a source with its data files: the added and removed files and, if `live`, all current files.

    If the files cannot be read, for example because of an unreadable manifest, log the error and return `change`
    unchanged.
    """
    catalog, ends = catalogs.of(change.name), (change.name, change.start, change.end)
    try:
        if live:
            return replace(change, files=await catalog.files(*ends))
        return replace(change, touched=await catalog.touched(*ends))
    except Exception:  # any tool may have written a manifest; without the files, the decision stays as it is
        _logger.exception("files unreadable table=%s", change.name)
        return change


def base_problem(view: MaterializedView, sources: Sources, recorded: RefreshState) -> str:
    """Return the reason why the stored rows cannot be the base of an incremental refresh; empty if they can.

    `recorded` is the refresh state recorded in the storage table, and `sources` are the current base tables.
    """
    if (recorded.view_uuid, recorded.view_version) != (view.uuid, view.version):
        return "the stored rows were computed for another version of the view"
    through = {child.uuid: child.version for child in recorded.children}
    if through != {state.uuid: state.version for state in sources.views.values()}:
        return "a view that the query reads has been redefined"
    read = [recorded.source(name, table.uuid) for name, table in sources.tables.items()]
    if None in read or len(read) != len(recorded.sources):
        return "the stored rows were computed from other tables than the query reads now"
    if any(state.columns is None for state in recorded.sources):
        return "the last refresh did not record the columns that it read"
    return ""


Held = tuple[MaterializedView, Table]


@dataclass(frozen=True)
class Reading:
    """A query that returns the rows of a view, as SQL that Spark can run.

    `held` are the views whose storage tables the query reads, each with its storage table. `shared` is true if the
    query reads the storage table of a view that the refreshed view's definition does not name: another view over the
    same base tables.
    """

    sql: str
    held: Sequence[Held] = ()
    shared: bool = False


async def from_own(catalogs: Catalogs, view: MaterializedView, sources: Sources, *, whole: bool) -> Reading:
    """Return the view's own storage query (which fills the storage table), pinned to the snapshots of its sources.

    `whole` is true for a refresh of all rows of the view: then each materialized view in the query whose storage table
    is fresh is replaced by this storage table. Otherwise no view in the query is replaced.
    """
    stored = sources.stored if whole else {}
    if not stored:
        return Reading(pin(view.storage_query, sources.pins, view.session))
    query = rewriter.from_storage(view, await catalogs.views(), {name: held for name, (held, _) in stored.items()})
    pins = sources.pins | {held.storage: table.snapshots[0].id for held, table in stored.values()}
    return Reading(pin(query, pins, view.session), tuple(stored.values()))


async def from_another(catalogs: Catalogs, view: MaterializedView, storage: Table, sources: Sources) -> Reading | None:
    """Return a query that computes the view's rows from the storage table of another view over the same tables.

    The storage table must be fresh, have all data that the view needs, and be cheaper to read than the base tables.
    Return None if there is no such storage table, or if a base table cannot be pinned to a snapshot. `storage` is the
    view's own storage table, and `sources` are the current base tables of the view.
    """
    asked = rewriter.storage_question(view)
    if asked is None or not sources.all_pinned:
        return None
    views = await catalogs.definitions()
    # Views that were not parsed yet take a millisecond each.
    beside = await asyncio.to_thread(_beside, view, views, frozenset(sources.tables))
    if not beside.views:
        return None
    relations = {**(await catalogs.look(beside.closure(asked), sources.tables)).relations, **sources.tables}
    found = await asyncio.to_thread(rewriter.shared, view, storage, asked, beside, relations)
    return Reading(found.sql, ((found.view, found.storage),), shared=True) if found is not None else None


def _beside(
    view: MaterializedView, views: Sequence[MaterializedView], tables: frozenset[TableName]
) -> rewriter.Definitions:
    """Return the other views that read any of the tables and record the same session settings as the view."""
    sources = rewriter.Definitions(tuple(views)).sources
    alike = (other for other in views if other.name != view.name and other.settings == view.settings)
    return rewriter.Definitions(tuple(other for other in alike if not tables.isdisjoint(sources[other.name])))
