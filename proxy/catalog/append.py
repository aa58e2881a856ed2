"""Rows that Viewgate itself appends to a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyiceberg.catalog import Catalog as IcebergCatalog
from pyiceberg.exceptions import CommitFailedException, TableAlreadyExistsError
from pyiceberg.table import Table as IcebergTable

from rewriter.model import TableName

if TYPE_CHECKING:
    import pyarrow as pa

_TRIES = 8  # each worker appends to the same table


def append(iceberg: IcebergCatalog, name: TableName, rows: pa.Table) -> None:
    """Append rows to a table, which is made where there is none; raise pyiceberg's errors.

    A table of an earlier version gets the columns that it lacks.
    """
    table = _table(iceberg, name, rows.schema)
    for left in reversed(range(_TRIES)):
        try:
            if not {*rows.column_names} <= {*table.schema().column_names}:
                with table.update_schema() as update:
                    update.union_by_name(rows.schema)
            table.append(rows)
            return
        except CommitFailedException:
            if not left:
                raise
            table = iceberg.load_table(name.parts[1:])


def _table(iceberg: IcebergCatalog, name: TableName, schema: pa.Schema) -> IcebergTable:
    identifier = name.parts[1:]
    if iceberg.table_exists(identifier):
        return iceberg.load_table(identifier)
    _make_namespace(iceberg, identifier[:-1])
    try:
        return iceberg.create_table(identifier, schema)
    except TableAlreadyExistsError:  # by another worker
        return iceberg.load_table(identifier)


def _make_namespace(iceberg: IcebergCatalog, namespace: tuple[str, ...]) -> None:
    try:
        iceberg.create_namespace_if_not_exists(namespace)
    except Exception:  # of several kinds where another worker has made it: of SQL catalogs the database's own
        if not iceberg.namespace_exists(namespace):
            raise
