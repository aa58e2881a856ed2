"""Comparison of a storage table's column types with those of the rows to be written.

Spark stores a value of another type as what it becomes there: 3.5 as 3, a timestamp as its date. A query can come to
return other types than when the view was made, as a table or a view that it reads was replaced or altered.
"""

from __future__ import annotations

from collections.abc import Iterable

from proxy.hs2 import SqlError
from proxy.hs2.types import TypeName
from proxy.sql_types import described_type
from rewriter.model import MaterializedView, RefreshState, Table, kept_as, quoted


def same_columns(recorded: RefreshState | None, now: RefreshState) -> bool:
    """Return whether the columns that a refresh has read and written are still what they were, and so all types."""
    return recorded is not None and _columns(recorded) == _columns(now)


def check_types(view: MaterializedView, storage: Table, returned: Iterable[tuple[str, str]]) -> None:
    """Raise SqlError 55000 if the storage query returns a type that the storage's column cannot hold.

    So, too, where it has not just as many columns: Spark would refuse the rows, or fill what is left with NULLs.
    """
    columns = tuple(returned)
    if len(columns) != len(storage.columns):
        raise SqlError(
            f"the query of materialized view {view.name} returns the columns {_listed(name for name, _ in columns)}, "
            f"and its storage {storage.name} has {_listed(column.name for column in storage.columns)}: another tool "
            "added or dropped columns; restore them, or recreate the view with CREATE OR REPLACE MATERIALIZED VIEW "
            "(until then it is not used)",
            "55000",
        )
    for column, (_, described) in zip(storage.columns, columns, strict=True):
        kind = kept_as(described_type(described))
        if not _holds(kept_as(column.type), kind):
            raise SqlError(
                f"the query of materialized view {view.name} now returns {column.name} as {kind}, and its storage has "
                f"it as {column.type}: a table or view that the query reads was altered; recreate the view with "
                "CREATE OR REPLACE MATERIALIZED VIEW (until then it is not used)",
                "55000",
            )


def _listed(names: Iterable[str]) -> str:
    return f"({', '.join(map(quoted, names))})"


def _holds(stored: str, kind: str) -> bool:
    """Return whether the storage type keeps every value of a type unchanged.

    >>> _holds("bigint", "int"), _holds("decimal(12,2)", "decimal(4,1)"), _holds("decimal(12,2)", "decimal(12,1)")
    (True, True, False)
    """
    if kind == stored:
        return True
    wide, narrow = TypeName.of(stored), TypeName.of(kind)
    if wide.precision is None or wide.scale is None or narrow.precision is None or narrow.scale is None:
        return (stored, kind) == ("bigint", "int")
    return wide.precision - wide.scale >= narrow.precision - narrow.scale and wide.scale >= narrow.scale


def _columns(state: RefreshState) -> tuple[object, ...]:
    sources = {source.uuid: source.columns for source in state.sources}
    return state.view_uuid, state.view_version, set(state.children), sources, state.stored
