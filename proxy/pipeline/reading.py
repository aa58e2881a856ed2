"""The sources of a full refresh: the tables, or other views over them at the same moment.

A view over views reads the storage of those below it. Any other reads the storage of a view over the same tables where
the matching engine answers the one from the other, as a month's sums from a day's: of several views that are computed
anew, the first alone scans the tables.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import rewriter
from proxy.catalog import Catalog
from proxy.pipeline.sources import Sources
from proxy.pipeline.statements import pin
from rewriter.model import MaterializedView, Table, TableName

Held = tuple[MaterializedView, Table]


@dataclass(frozen=True)
class Reading:
    """The query that returns a view's rows, as Spark runs it, and the views whose storage it reads.

    `shared` is the view from which all of them follow, and which the view is not defined over.
    """

    sql: str
    held: Sequence[Held] = ()
    shared: bool = False


async def from_own(catalog: Catalog, view: MaterializedView, sources: Sources, *, whole: bool) -> Reading:
    """Return the view's own query; for the `whole` view, over the storage of the views below."""
    stored = sources.stored if whole else {}
    if not stored:
        return Reading(pin(view.storage_query, sources.pins, view.session))
    query = rewriter.from_storage(view, await catalog.views(), {name: held for name, (held, _) in stored.items()})
    pins = sources.pins | {held.storage: table.snapshots[0].id for held, table in stored.values()}
    return Reading(pin(query, pins, view.session), tuple(stored.values()))


async def from_another(catalog: Catalog, view: MaterializedView, storage: Table, sources: Sources) -> Reading | None:
    """Return the same rows from the storage of another view, where that is fresh and costs less than the tables."""
    asked = rewriter.storage_question(view)
    if asked is None or not sources.all_pinned:
        return None
    views = await catalog.definitions()
    # Views that nobody has read yet take a millisecond each.
    beside = await asyncio.to_thread(_beside, view, views, frozenset(sources.tables))
    if not beside.views:
        return None
    relations = {**await catalog.current(beside.closure(asked)), **sources.tables}
    found = await asyncio.to_thread(rewriter.shared, view, storage, asked, beside, relations)
    return Reading(found.sql, ((found.view, found.storage),), shared=True) if found is not None else None


def _beside(
    view: MaterializedView, views: Sequence[MaterializedView], tables: frozenset[TableName]
) -> rewriter.Definitions:
    """Return the other views over any of the tables that were made under the same settings."""
    sources = rewriter.Definitions(tuple(views)).sources
    alike = (other for other in views if other.name != view.name and other.settings == view.settings)
    return rewriter.Definitions(tuple(other for other in alike if not tables.isdisjoint(sources[other.name])))
