"""Computes a view's rows from the storage tables of other views, so that refreshes share one scan of the base tables.

A view's storage query (the query that fills its storage table) is answered from the other views as a user's query
would be, so the rows are the same. The answer is used only if it is cheaper than reading the base tables.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rewriter.block import Unsupported
from rewriter.consistency import snapshots_of
from rewriter.engine import decide
from rewriter.freshness import Relations
from rewriter.index import Definitions
from rewriter.model import MaterializedView, Table
from rewriter.outcome import Replacement
from rewriter.sql import Statement, parse


@dataclass(frozen=True)
class Shared:
    """A query that computes the rows of one view from the storage table of another view, at pinned snapshots.

    `sql` is the text of the query, `view` the view whose storage table the query reads, `storage` this storage table.
    """

    view: MaterializedView
    storage: Table
    sql: str


def storage_question(view: MaterializedView) -> Statement | None:
    """Return a view's storage query as a statement under the settings that the view records.

    Return None for a view without recorded settings.
    """
    if view.settings is None:
        return None
    return parse(view.storage_query, replace(view.session, settings=view.settings, time_zone=view.zone))


def shared(
    view: MaterializedView, storage: Table, asked: Statement, definitions: Definitions, relations: Relations
) -> Shared | None:
    """Return a query over another view's storage table that computes a view's rows more cheaply; None if there is none.

    `storage` is the storage table of `view`; the query's outputs are cast to the types of the columns of `storage`.
    `asked` is the storage query of `view`; `relations` has all relations of `definitions.closure(asked)` at one time.
    Declared keys are not used, even if they are trusted: a declaration can be withdrawn, and rows that were computed
    with the help of the declaration would stay in the storage table, and would still count as fresh.
    """
    others = {name: each.without_keys if isinstance(each, Table) else each for name, each in relations.items()}
    others[view.storage] = None  # the rows must not be read from the storage that they will fill
    try:
        # The query is replaced as a whole, so that it needs no edits, and its buckets are in Viewgate's own form.
        outcome = decide(asked, definitions, others, spelled=())
    except Unsupported:
        return None
    found = next((each for each in outcome.replacements if _is_whole(each, asked)), None)
    # Appended rows are read by the refresh of the view itself.
    if found is None or found.match.rewriting.live:
        return None
    pins = snapshots_of(found.match.rewriting.reads, others)
    if isinstance(pins, str):
        return None
    return Shared(found.view, found.match.rewriting.storage, replace(found, pins=pins).text(storage.columns, {}))


def _is_whole(found: Replacement, asked: Statement) -> bool:
    start, end = found.block.span
    return not (found.subqueries or asked.sql[:start].strip() or asked.sql[end:].strip())
