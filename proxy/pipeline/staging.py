"""Stages new content on a branch of a view's storage table, which a commit publishes; then the branch is dropped.

The types of the new rows are compared with the storage table's columns, because Spark silently converts values of other
types: 3.5 becomes 3, and a timestamp becomes a date. A view's query may return other types than when the view was
created, after a table or view that the query reads was replaced or altered.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager

from proxy.catalog import BRANCH_PREFIX, Catalogs, Conflict
from proxy.hs2 import SqlError
from proxy.hs2.types import TypeName
from proxy.pipeline.sources import storage_of
from proxy.pipeline.status import Lost
from proxy.sql_types import described_type
from rewriter.model import MaterializedView, RefreshState, Table, TableName, kept_as, quoted

LOST = "40001"
JOB_SETTINGS = {
    "spark.sql.debug.maxToStringFields": "1000000",  # types of columns are shown in full
    "spark.sql.variable.substitute": "false",  # it would replace variables within the literals of the recorded state
    # the mode `dynamic` would keep partitions that should be empty now
    "spark.sql.sources.partitionOverwriteMode": "static",
}
_COMMIT_FAILED = "org.apache.iceberg.exceptions.CommitFailedException"
_logger = logging.getLogger(__name__)


def within(catalog: str) -> dict[str, str]:
    """Return the settings of a job whose statements are about one catalog.

    Before USE of this catalog, or a CALL, Spark would load its default catalog, whose server may be down.
    """
    return {"spark.sql.defaultCatalog": catalog}


def recording(summary: Mapping[str, str]) -> dict[str, str]:
    """Return the Spark settings with which a write records `summary` in the summary of its snapshot.

    For example, `{'a': 'b'}` becomes `{'spark.sql.iceberg.snapshot-property.a': 'b'}`.
    """
    return {f"spark.sql.iceberg.snapshot-property.{key}": value for key, value in summary.items()}


@asynccontextmanager
async def staged(catalogs: Catalogs, view: MaterializedView, base: int | None) -> AsyncIterator[str]:
    """Yield the name of a branch of a storage table, on which the `with` block stages rows; then drop the branch.

    The block must create the branch. If the block fails because the main branch no longer has the snapshot `base` (for
    example, after another refresh), raise Lost. None as `base` stands for a table without snapshots.
    """
    branch = f"{BRANCH_PREFIX}{uuid.uuid4().hex}"
    try:
        yield branch
    except Conflict as conflict:
        raise _lost(view, str(conflict)) from conflict
    except SqlError as failure:
        # Spark's message about branches changed by another refresh does not help users.
        if _COMMIT_FAILED in failure.message or (await storage_of(catalogs, view)).snapshot_id != base:
            raise _lost(view, failure.message) from failure
        raise
    finally:
        await asyncio.shield(_forget(catalogs, view.storage, branch))


async def _forget(catalogs: Catalogs, storage: TableName, branch: str) -> None:
    try:
        await catalogs.of(storage).drop_branch(storage, branch)
    except Exception:  # the refresh's own result counts; the next refresh removes the branch
        _logger.exception("branch not dropped branch=%s storage=%s", branch, storage)


def _lost(view: MaterializedView, detail: str) -> Lost:
    return Lost(
        f"the storage table of {view.name} was changed while this refresh ran, probably by another refresh; "
        f"the stored rows are complete; run REFRESH again if newer rows are needed ({detail})",
        LOST,
    )


def same_columns(recorded: RefreshState | None, now: RefreshState) -> bool:
    """Return whether two refresh states have the same view versions, and the same columns of sources and storage table.

    The versions compared are the version of the view, and of each view that it reads. If all of these are the same, the
    types of the view's columns have not changed. `recorded` is the state at the last refresh, `now` the current state.
    Return False if `recorded` is None (no refresh is recorded).
    """
    return recorded is not None and _columns(recorded) == _columns(now)


def check_types(view: MaterializedView, storage: Table, returned: Iterable[tuple[str, str]]) -> None:
    """Raise SqlError 55000 if the rows to be stored do not fit the storage table's columns.

    The rows must have as many columns as the storage table: otherwise Spark refuses the rows, or fills columns with
    NULLs. Each column of the storage table must be able to hold the type of the rows' column. `returned` are the names
    and types of the columns of the rows.
    """
    columns = tuple(returned)
    if len(columns) != len(storage.columns):
        raise SqlError(
            f"the query of materialized view {view.name} returns the columns "
            f"{_listed((name for name, _ in columns))}, but its storage table {storage.name} has "
            f"{_listed(column.name for column in storage.columns)}: another tool added or dropped columns; "
            "restore them, or recreate the view with CREATE OR REPLACE MATERIALIZED VIEW (until then the view "
            "is not used)",
            "55000",
        )
    for column, (_, described) in zip(storage.columns, columns, strict=True):
        kind = kept_as(described_type(described))
        if not _holds(kept_as(column.type), kind):
            raise SqlError(
                f"the query of materialized view {view.name} now returns {column.name} as {kind}, but its storage "
                f"table has {column.type}: a table or view that the query reads was altered; recreate the view with "
                "CREATE OR REPLACE MATERIALIZED VIEW (until then the view is not used)",
                "55000",
            )


def _listed(names: Iterable[str]) -> str:
    return f"({', '.join(map(quoted, names))})"


def _holds(stored: str, kind: str) -> bool:
    """Return whether a storage column of the type `stored` can hold every value of the type `kind` unchanged.

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
