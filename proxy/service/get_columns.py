"""GetColumns: names, types and comments of columns; those of a storage table where it is named exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from proxy.catalog import Kind, Listed
from proxy.hs2 import ResultSet
from proxy.hs2.generated import ttypes
from proxy.hs2.patterns import is_exact, matcher
from proxy.service.call import Call
from proxy.service.metadata import (
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

_HEADER = ResultSet.of(
    *("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "COLUMN_NAME", "DATA_TYPE int", "TYPE_NAME", "COLUMN_SIZE int"),
    *("BUFFER_LENGTH tinyint", "DECIMAL_DIGITS int", "NUM_PREC_RADIX int", "NULLABLE int", "REMARKS", "COLUMN_DEF"),
    *("SQL_DATA_TYPE int", "SQL_DATETIME_SUB int", "CHAR_OCTET_LENGTH int", "ORDINAL_POSITION int", "IS_NULLABLE"),
    *("SCOPE_CATALOG", "SCOPE_SCHEMA", "SCOPE_TABLE", "SOURCE_DATA_TYPE smallint", "IS_AUTO_INCREMENT"),
)
_KIND = 6
_ORDER = (0, 1, 2, 16)
_NAME = 4
_NULLABLE = ((0, "NO"), (1, "YES"))


async def get_columns(call: Call) -> bytes:
    """Return the columns that fit patterns."""
    request = call.request(ttypes.TGetColumnsReq)
    if known_to_spark_alone(call, request.catalogName):
        return await relay_metadata(call)
    asked, wanted = sides(call, request.catalogName), names(request.schemaName, request.tableName)
    by_name, fits = is_exact(request.tableName), matcher(request.columnName)

    async def rows() -> list[Row]:
        found = await asked.ours.inventory(wanted) if asked.ours is not None else []
        listed = [one for one in found if by_name or one.kind is not Kind.STORAGE]
        sparks = [named(row, 0, 1) for row in await spark_rows(call)] if asked.sparks else []
        return await merged(lambda: list(_rows(listed, fits)), sparks, _ORDER, _NAME)

    return await answer(call, _KIND, _HEADER, rows)


def _rows(found: Iterable[Listed], fits: Callable[[str], bool]) -> Iterable[Row]:
    described: dict[str, Row] = {}  # by the name of a type: a hundred thousand columns have few
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
    """Return DATA_TYPE to NUM_PREC_RADIX."""
    kind = jdbc_type(of_type)
    return (kind.code, of_type.name, kind.size, None, kind.digits, kind.radix)
