"""Answers GetPrimaryKeys and GetCrossReference with the keys declared in table properties; Spark returns no keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from proxy.catalog import Catalog, Catalogs, Listed
from proxy.hs2 import ResultSet
from proxy.hs2.generated import ttypes
from proxy.service.call import Call
from proxy.service.metadata import Row, answer, relay_metadata, schema_of
from rewriter.model import TableName

_PRIMARY = ResultSet.of("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "COLUMN_NAME", "KEY_SEQ int", "PK_NAME")
_CROSS = ResultSet.of(
    *("PKTABLE_CAT", "PKTABLE_SCHEM", "PKTABLE_NAME", "PKCOLUMN_NAME"),
    *("FKTABLE_CAT", "FKTABLE_SCHEM", "FKTABLE_NAME", "FKCOLUMN_NAME"),
    *("KEY_SEQ int", "UPDATE_RULE int", "DELETE_RULE int", "FK_NAME", "PK_NAME", "DEFERRABILITY int"),
)
_KIND = 7  # GET_FUNCTIONS, as Spark uses it, because the protocol has no number for keys
_NO_ACTION, _NOT_DEFERRABLE = 3, 7  # constants of java.sql.DatabaseMetaData


async def get_primary_keys(call: Call) -> bytes:
    """Return the reply to GetPrimaryKeys: the key columns of the named tables, sorted by table and column.

    Without a table name, the keys of all tables are returned. Without a catalog in Viewgate, return Spark's reply.
    """
    request = call.request(ttypes.TGetPrimaryKeysReq)
    catalogs = call.service.catalogs
    if catalogs is None:
        return await relay_metadata(call)
    is_it = _named(request.catalogName, request.schemaName, request.tableName)

    async def rows() -> list[Row]:
        return sorted(
            row for one in await catalogs.inventory(is_it, _of(catalogs, request.catalogName)) for row in _primary(one)
        )

    return await answer(call, _KIND, _PRIMARY, rows)


async def get_cross_reference(call: Call) -> bytes:
    """Return the reply to GetCrossReference: the foreign keys of the child table that refer to the parent table.

    Without a child table in the call, return the foreign keys of all tables; without a parent table, return the foreign
    keys to all tables. Without a catalog in Viewgate, return Spark's reply.
    """
    request = call.request(ttypes.TGetCrossReferenceReq)
    catalogs = call.service.catalogs
    if catalogs is None:
        return await relay_metadata(call)
    is_parent = _named(request.parentCatalogName, request.parentSchemaName, request.parentTableName)
    is_child = _named(request.foreignCatalogName, request.foreignSchemaName, request.foreignTableName)

    async def rows() -> list[Row]:
        children = await catalogs.inventory(is_child, _of(catalogs, request.foreignCatalogName))
        return sorted((row for one in children for row in _foreign(one, is_parent)), key=_by_parent)

    return await answer(call, _KIND, _CROSS, rows)


def _of(catalogs: Catalogs, name: str | None) -> list[Catalog]:
    """Return the catalogs with this name, ignoring case; all catalogs for None or an empty name."""
    return [catalog for catalog in catalogs if not name or name.lower() == catalog.name.lower()]


def _named(catalog: str | None, schema: str | None, table: str | None) -> Callable[[TableName], bool]:
    """Return a function that tests whether a table has these names, ignoring case; None or an empty name matches all.

    In the calls for keys, names are not patterns.
    """

    def is_it(name: TableName) -> bool:
        parts = ((catalog, name.catalog), (schema, schema_of(name)), (table, name.table))
        return all(not asked or asked.lower() == part.lower() for asked, part in parts)

    return is_it


def _place(name: TableName) -> Row:
    return name.catalog, schema_of(name), name.table


def _primary(one: Listed) -> Iterable[Row]:
    for position, column in enumerate(one.primary_key, 1):
        yield (*_place(one.name), column, position, None)


def _foreign(one: Listed, is_parent: Callable[[TableName], bool]) -> Iterable[Row]:
    for key in one.foreign_keys:
        if not is_parent(key.table):
            continue
        for position, (column, referenced) in enumerate(zip(key.columns, key.referenced, strict=True), 1):
            ends = (*_place(key.table), referenced, *_place(one.name), column)
            yield (*ends, position, _NO_ACTION, _NO_ACTION, None, None, _NOT_DEFERRABLE)


def _by_parent(row: Row) -> Row:
    return (*row[0:3], *row[4:7], row[8])
