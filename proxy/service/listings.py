"""Answers the calls that list catalogs, schemas, tables, columns, table types and functions.

If Viewgate has no catalog, Spark answers these calls. If Viewgate has catalogs, Viewgate adds their names, which Spark
does not list, and their objects. Tables are listed with views and materialized views. Storage tables (the tables that
hold the rows of materialized views) are listed only if the client requests the type SYSTEM TABLE. The columns of a
storage table are listed only if the client names the table exactly. Calls for functions are relayed to Spark, with the
wildcard `%` translated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from proxy.catalog import Kind, Listed
from proxy.hs2 import ResultSet
from proxy.hs2.generated import ttypes
from proxy.hs2.patterns import is_exact, matcher
from proxy.service.call import Call
from proxy.service.metadata import (
    SPARK_CATALOG,
    Row,
    answer,
    known_to_spark_alone,
    merged,
    named,
    names,
    relay_metadata,
    schema_of,
    sides,
    spark_rows,
)
from proxy.sql_types import SqlType, jdbc_type
from proxy.wire import with_field
from proxy.wire.message import STRING

_CATALOGS = ResultSet.of("TABLE_CAT")
_GET_CATALOGS = 2


async def get_catalogs(call: Call) -> bytes:
    """Return the reply to GetCatalogs, which lists `spark_catalog` and Viewgate's catalogs.

    Without a catalog in Viewgate, return Spark's reply.
    """
    catalogs = call.service.catalogs
    if catalogs is None:
        return await relay_metadata(call)

    async def rows() -> list[Row]:
        return sorted({(name,) for name in (SPARK_CATALOG, *catalogs.names)})

    return await answer(call, _GET_CATALOGS, _CATALOGS, rows)


_SCHEMAS = ResultSet.of("TABLE_SCHEM", "TABLE_CATALOG")
_GET_SCHEMAS = 3
_SCHEMA, _CATALOG = 0, 1


async def get_schemas(call: Call) -> bytes:
    """Return the reply to GetSchemas with the namespaces that match the catalog and schema patterns of the call."""
    request = call.request(ttypes.TGetSchemasReq)
    if known_to_spark_alone(call, request.catalogName):
        return await relay_metadata(call)
    asked, fits = sides(call, request.catalogName), matcher(request.schemaName)

    async def rows() -> list[Row]:
        spaces = await asked.all.from_each(asked.ours, lambda catalog: catalog.namespaces())
        ours: list[Row] = [
            (space, catalog.name) for catalog, own in spaces.items() for space in map(".".join, own) if fits(space)
        ]
        sparks = [named(row, _CATALOG, _SCHEMA) for row in await spark_rows(call)] if asked.sparks else []
        return await merged(lambda: ours, sparks, (_CATALOG, _SCHEMA), len(_SCHEMAS.columns))

    return await answer(call, _GET_SCHEMAS, _SCHEMAS, rows)


_TABLE_TYPES = ResultSet.of("TABLE_TYPE")
_GET_TABLE_TYPES = 5


async def get_table_types(call: Call) -> bytes:
    """Return the reply to GetTableTypes with the table types, sorted by name as JDBC requires."""
    if call.service.catalogs is None:
        return await relay_metadata(call)

    async def rows() -> list[Row]:
        return sorted((kind.value,) for kind in Kind)

    return await answer(call, _GET_TABLE_TYPES, _TABLE_TYPES, rows)


_FUNCTION_NAME = (1, 4)


async def get_functions(call: Call) -> bytes:
    """Return Spark's reply to GetFunctions with the functions that match the call's patterns."""
    pattern = call.request(ttypes.TGetFunctionsReq).functionName
    message = call.message
    if pattern and "%" in pattern:
        message = with_field(message, _FUNCTION_NAME, STRING, hives(pattern).encode())
    return await relay_metadata(call, message)


def hives(pattern: str) -> str:
    r"""Return a JDBC pattern with Hive's wildcard `*` in place of `%`.

    JDBC's `%` matches any text, but Spark's `%` matches only a text of at least one character.

    >>> print(hives(r"abs%"), hives(r"a\%"))
    abs* a\%
    """
    return re.sub(r"(\\.)|%", lambda found: found[1] or "*", pattern)


_TABLES = ResultSet.of(
    *("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE", "REMARKS"),
    *("TYPE_CAT", "TYPE_SCHEM", "TYPE_NAME", "SELF_REFERENCING_COL_NAME", "REF_GENERATION"),
)
_GET_TABLES = 4
_TABLES_ORDER = (3, 0, 1, 2)
_TABLE = 3
_TYPED = (None,) * 5
_HIVES = "MATERIALIZED_VIEW"  # the name of the type in Hive 3


async def get_tables(call: Call) -> bytes:
    """Return the reply to GetTables with the tables and views that match the patterns and table types of the call."""
    request = call.request(ttypes.TGetTablesReq)
    if known_to_spark_alone(call, request.catalogName):
        return await relay_metadata(call)
    asked, wanted = sides(call, request.catalogName), names(request.schemaName, request.tableName)
    types = frozenset(kind.upper() for kind in request.tableTypes or ())

    async def rows() -> list[Row]:
        found = await asked.inventory(wanted)
        sparks = [named(row, 0, 1) for row in await spark_rows(call)] if asked.sparks else []
        return await merged(lambda: list(_tables(found, types)), sparks, _TABLES_ORDER, _TABLE)

    return await answer(call, _GET_TABLES, _TABLES, rows)


def shown(kind: Kind, types: frozenset[str]) -> str | None:
    """Return the type to report for a table or view if the client requests the types `types`; None to omit the table.

    If `types` is empty, every kind except storage tables is reported. A materialized view is reported as VIEW if
    `types` has VIEW but neither MATERIALIZED VIEW nor MATERIALIZED_VIEW.

    >>> [shown(Kind.MATERIALIZED_VIEW, frozenset(types)) for types in ((), ("TABLE", "VIEW"), ("TABLE",))]
    ['MATERIALIZED VIEW', 'VIEW', None]
    >>> shown(Kind.STORAGE, frozenset()), shown(Kind.STORAGE, frozenset({"SYSTEM TABLE"}))
    (None, 'SYSTEM TABLE')
    """
    if not types:
        return None if kind is Kind.STORAGE else kind.value
    spellings = (kind.value, _HIVES, Kind.VIEW.value) if kind is Kind.MATERIALIZED_VIEW else (kind.value,)
    return next((spelling for spelling in spellings if spelling in types), None)


def _tables(found: Iterable[Listed], types: frozenset[str]) -> Iterable[Row]:
    for one in found:
        if kind := shown(one.kind, types):
            yield one.name.catalog, schema_of(one.name), one.name.table, kind, one.comment, *_TYPED


_COLUMNS = ResultSet.of(
    *("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "COLUMN_NAME", "DATA_TYPE int", "TYPE_NAME", "COLUMN_SIZE int"),
    *("BUFFER_LENGTH tinyint", "DECIMAL_DIGITS int", "NUM_PREC_RADIX int", "NULLABLE int", "REMARKS", "COLUMN_DEF"),
    *("SQL_DATA_TYPE int", "SQL_DATETIME_SUB int", "CHAR_OCTET_LENGTH int", "ORDINAL_POSITION int", "IS_NULLABLE"),
    *("SCOPE_CATALOG", "SCOPE_SCHEMA", "SCOPE_TABLE", "SOURCE_DATA_TYPE smallint", "IS_AUTO_INCREMENT"),
)
_GET_COLUMNS = 6
_COLUMNS_ORDER = (0, 1, 2, 16)
_COLUMN = 4
_NULLABLE = ((0, "NO"), (1, "YES"))


async def get_columns(call: Call) -> bytes:
    """Return the reply to GetColumns with the columns that match the call's patterns for schema, table and column."""
    request = call.request(ttypes.TGetColumnsReq)
    if known_to_spark_alone(call, request.catalogName):
        return await relay_metadata(call)
    asked, wanted = sides(call, request.catalogName), names(request.schemaName, request.tableName)
    by_name, fits = is_exact(request.tableName), matcher(request.columnName)

    async def rows() -> list[Row]:
        found = await asked.inventory(wanted)
        listed = [one for one in found if by_name or one.kind is not Kind.STORAGE]
        sparks = [named(row, 0, 1) for row in await spark_rows(call)] if asked.sparks else []
        return await merged(lambda: list(_columns(listed, fits)), sparks, _COLUMNS_ORDER, _COLUMN)

    return await answer(call, _GET_COLUMNS, _COLUMNS, rows)


def _columns(found: Iterable[Listed], fits: Callable[[str], bool]) -> Iterable[Row]:
    described: dict[str, Row] = {}  # by type name: a hundred thousand columns have few types
    for one in found:
        catalog, schema, table = one.name.catalog, schema_of(one.name), one.name.table
        for position, column in enumerate(one.columns, 1):
            name = column.name
            if fits(name):
                of_type = column.type.name
                kind = described.get(of_type) or described.setdefault(of_type, _described(column.type))
                nullable = _NULLABLE[column.nullable]
                yield (
                    *(catalog, schema, table, name, *kind, nullable[0], column.comment),
                    *(None, None, None, None, position, nullable[1], None, None, None, None, "NO"),
                )


def _described(of_type: SqlType) -> Row:
    """Return the values for a type in six result columns of GetColumns, from DATA_TYPE to NUM_PREC_RADIX."""
    kind = jdbc_type(of_type)
    return (kind.code, of_type.name, kind.size, None, kind.digits, kind.radix)
