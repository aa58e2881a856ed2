"""The types of storage against those of what is written to it.

Spark stores a value of another type as what it becomes there: 3.5 as 3, a timestamp as its date. A query can come to
return other types than when the view was made, as a table or a view that it reads was replaced or altered.
"""

from __future__ import annotations

from collections.abc import Iterable

from proxy.catalog.spelling import described_type
from proxy.hs2 import SqlError
from rewriter.model import MaterializedView, RefreshState, Table, kept_as


def same_columns(recorded: RefreshState | None, now: RefreshState) -> bool:
    """Whether the columns that a refresh has read and written are still what they were, and so all types."""
    return recorded is not None and _columns(recorded) == _columns(now)


def check_types(view: MaterializedView, storage: Table, returned: Iterable[tuple[str, str]]) -> None:
    """SqlError 55000 if the storage query returns another type than the storage's column in its place has."""
    for column, (_, described) in zip(storage.columns, returned, strict=True):
        kind = kept_as(described_type(described))
        if kind != kept_as(column.type):
            raise SqlError(
                f"the query of materialized view {view.name} now returns {column.name} as {kind}, and its storage has "
                f"it as {column.type}: what the query reads was altered or replaced; make the view anew with CREATE OR "
                "REPLACE MATERIALIZED VIEW (until then it is not used)",
                "55000",
            )


def _columns(state: RefreshState) -> tuple[object, ...]:
    sources = {source.uuid: source.columns for source in state.sources}
    return state.view_uuid, state.view_version, set(state.children), sources, state.stored
