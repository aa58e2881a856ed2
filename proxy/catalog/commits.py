"""The commits that Viewgate itself makes to Iceberg tables.

A refresh writes its rows to a branch of the storage table (a staged branch). `publish` moves the branch main to the
head of the staged branch, and sets the table properties that describe the new content. `append` adds rows of the
statement journal to a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyiceberg.catalog import Catalog as IcebergCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError, TableAlreadyExistsError
from pyiceberg.table import Table as IcebergTable
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.table.update.snapshot import ManageSnapshots

from proxy.catalog.refresh_state import STORAGE_SNAPSHOT
from proxy.catalog.stores import reason
from proxy.hs2 import SqlError
from rewriter.model import TableName

if TYPE_CHECKING:
    import pyarrow as pa


BRANCH_PREFIX = "viewgate_"


class Conflict(Exception):
    """The error raised if another writer changed the content of a storage table after the refresh had started."""


class NotCommitted(SqlError):
    """The error raised if the catalog fails, or refuses, the commit that publishes a refresh."""

    def __init__(self, storage: TableName, failure: Exception) -> None:
        super().__init__(
            f"the commit to {storage} failed: {reason(failure)}; see the log of the catalog {storage.catalog}, and "
            "refresh again once the cause is fixed",
            "58000",
        )


@dataclass(frozen=True, slots=True)
class Published:
    """The result of the commit that publishes a refresh: the new snapshot, and the storage table's number of rows."""

    snapshot_id: int
    rows: int


def publish(
    catalog: IcebergCatalog,
    storage: TableName,
    branch: str,
    base: int | None,
    set_properties: Mapping[str, str],
    remove_prefixes: Iterable[str],
) -> Published:
    """Publish a refresh of the table `storage` in one commit, and return the new snapshot and its number of rows.

    The commit moves main to the head of `branch`, and drops the branches of all refreshes. It sets the properties in
    `set_properties`, and removes other properties that start with one of `remove_prefixes`.

    `base` is the snapshot of main at the start of the refresh, None if main had no snapshot. Raise Conflict if main has
    changed since the start, and NotCommitted for any other error of the commit. A check of the branch alone would not
    notice such a change: if the branch was dropped, Spark creates the branch again from the changed main.

    The branches of other refreshes, running or killed, were created from the content that this commit replaces, so
    these refreshes could only fail with a Conflict.
    """
    table = _load(catalog, storage)
    staged = _staged(table, storage, branch, base)
    outdated = tuple(remove_prefixes)
    properties = {**set_properties, STORAGE_SNAPSHOT: str(staged.snapshot_id)}
    removed = [key for key in table.properties if key.startswith(outdated) and key not in properties]
    try:
        with table.transaction() as transaction:
            if removed:
                transaction.remove_properties(*removed)
            transaction.set_properties(properties)
            changes = ManageSnapshots(transaction).set_current_snapshot(snapshot_id=staged.snapshot_id)
            for leftover in _branches(table):
                changes = changes.remove_branch(leftover)
            changes.commit()
    except CommitFailedException as failure:
        raise _moved(storage) from failure
    except Exception as failure:  # each kind of catalog has errors of its own
        raise NotCommitted(storage, failure) from failure
    summary = staged.summary
    return Published(staged.snapshot_id, int((summary["total-records"] if summary else None) or 0))


def note(catalog: IcebergCatalog, table_name: TableName, key: str, value: str | None) -> None:
    """Set the property `key` of a table, or remove the property if `value` is None.

    If the property has this value already, make no commit. If the table is missing, do nothing.
    """
    try:
        table = catalog.load_table(table_name.parts[1:])
    except NoSuchTableError:
        return
    if table.properties.get(key) != value:
        with table.transaction() as transaction:
            if value is None:
                transaction.remove_properties(key)
            else:
                transaction.set_properties({key: value})


def drop_branch(catalog: IcebergCatalog, storage: TableName, branch: str) -> None:
    """Remove the branch to which a refresh has written its rows; do nothing if the branch or the table is missing."""
    try:
        table = catalog.load_table(storage.parts[1:])
    except NoSuchTableError:
        return
    if branch in table.metadata.refs:
        with table.transaction() as transaction:
            ManageSnapshots(transaction).remove_branch(branch).commit()


def _load(catalog: IcebergCatalog, storage: TableName) -> IcebergTable:
    try:
        return catalog.load_table(storage.parts[1:])
    except NoSuchTableError as failure:
        raise Conflict(
            f"the storage table {storage} was dropped during the refresh: refresh again if the view still exists"
        ) from failure


def _staged(table: IcebergTable, storage: TableName, branch: str, base: int | None) -> Snapshot:
    """Return the snapshot at the head of `branch`, to which a refresh has written its rows.

    The branch was created from the snapshot `base` of main (None: a table without a snapshot). Raise Conflict unless
    the parent of the returned snapshot is `base` and main is still at `base`.
    """
    ref = table.metadata.refs.get(branch)
    staged = table.metadata.snapshot_by_id(ref.snapshot_id) if ref else None
    if staged is None:
        raise _moved(storage)
    head = table.current_snapshot()
    if (head.snapshot_id if head else None) != base:
        raise _moved(storage)
    below = staged.parent_snapshot_id
    # A branch of a table without snapshots begins with an empty snapshot.
    if below != base if head else _depth(table, below) > 1:
        raise _moved(storage)
    return staged


def _depth(table: IcebergTable, snapshot_id: int | None) -> int:
    snapshot = table.metadata.snapshot_by_id(snapshot_id) if snapshot_id is not None else None
    return 0 if snapshot is None else 1 + _depth(table, snapshot.parent_snapshot_id)


def _branches(table: IcebergTable) -> Iterator[str]:
    return (name for name in table.metadata.refs if name.startswith(BRANCH_PREFIX))


def _moved(storage: TableName) -> Conflict:
    """Return the Conflict for a storage table that another operation (a refresh, a compaction or a rollback) has
    changed during this refresh.
    """
    return Conflict(
        f"the storage table {storage} was changed by another operation during the refresh: refresh the view again"
    )


_TRIES = 8  # all workers append to the same table


def append(iceberg: IcebergCatalog, name: TableName, rows: pa.Table) -> None:
    """Append rows to a table, which is created if it is missing; raise the errors of pyiceberg.

    Columns of `rows` that the table lacks are added to the table. A commit that conflicts with another commit is
    tried again, up to _TRIES tries in all.
    """
    table = _table(iceberg, name, rows.schema)
    for left in reversed(range(_TRIES)):
        try:
            if not {*rows.column_names} <= {*table.schema().column_names}:
                with table.update_schema() as update:
                    update.union_by_name(rows.schema)
            table.append(rows)
            return
        except (CommitFailedException, ValueError) as failure:
            if not left or not is_conflict(failure):
                raise
            table = iceberg.load_table(name.parts[1:])


def is_conflict(failure: Exception) -> bool:
    """Return whether pyiceberg has raised this error because another writer committed first.

    If a retry inside pyiceberg meets a commit, pyiceberg rejects its own snapshot as too old, with a ValueError.

    >>> is_conflict(ValueError("Cannot add snapshot with sequence number 3 older than last sequence number 3"))
    True
    """
    return isinstance(failure, CommitFailedException) or "older than last sequence number" in str(failure)


def _table(iceberg: IcebergCatalog, name: TableName, schema: pa.Schema) -> IcebergTable:
    identifier = name.parts[1:]
    if iceberg.table_exists(identifier):
        return iceberg.load_table(identifier)
    _make_namespace(iceberg, identifier[:-1])
    try:
        return iceberg.create_table(identifier, schema)
    except TableAlreadyExistsError:  # another worker was faster
        return iceberg.load_table(identifier)


def _make_namespace(iceberg: IcebergCatalog, namespace: tuple[str, ...]) -> None:
    try:
        iceberg.create_namespace_if_not_exists(namespace)
    except Exception:  # another worker was faster; SQL catalogs raise errors of their database
        if not iceberg.namespace_exists(namespace):
            raise
