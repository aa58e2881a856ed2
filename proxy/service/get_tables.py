"""GetTables: tables, views and materialized views; storage tables to those who ask for them."""

from __future__ import annotations

from collections.abc import Iterable

from proxy.catalog import Kind, Listed
from proxy.hs2 import ResultSet
from proxy.hs2.generated import ttypes
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

_HEADER = ResultSet.of(
    *("TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME", "TABLE_TYPE", "REMARKS"),
    *("TYPE_CAT", "TYPE_SCHEM", "TYPE_NAME", "SELF_REFERENCING_COL_NAME", "REF_GENERATION"),
)
_KIND = 4
_ORDER = (3, 0, 1, 2)
_NAME = 3
_TYPED = (None,) * 5
_HIVES = "MATERIALIZED_VIEW"  # as Hive 3 spells it


async def get_tables(call: Call) -> bytes:
    """Return the relations that fit patterns and types."""
    request = call.request(ttypes.TGetTablesReq)
    if known_to_spark_alone(call, request.catalogName):
        return await relay_metadata(call)
    asked, wanted = sides(call, request.catalogName), names(request.schemaName, request.tableName)
    types = frozenset(kind.upper() for kind in request.tableTypes or ())

    async def rows() -> list[Row]:
        found = await asked.ours.inventory(wanted) if asked.ours is not None else []
        sparks = [named(row, 0, 1) for row in await spark_rows(call)] if asked.sparks else []
        return await merged(lambda: list(_rows(found, types)), sparks, _ORDER, _NAME)

    return await answer(call, _KIND, _HEADER, rows)


def shown(kind: Kind, types: frozenset[str]) -> str | None:
    """Return a relation's type for a client that asks for these types, or for all; None if it is not asked for.

    >>> [shown(Kind.MATERIALIZED_VIEW, frozenset(types)) for types in ((), ("TABLE", "VIEW"), ("TABLE",))]
    ['MATERIALIZED VIEW', 'VIEW', None]
    >>> shown(Kind.STORAGE, frozenset()), shown(Kind.STORAGE, frozenset({"SYSTEM TABLE"}))
    (None, 'SYSTEM TABLE')
    """
    if not types:
        return None if kind is Kind.STORAGE else kind.value
    spellings = (kind.value, _HIVES, Kind.VIEW.value) if kind is Kind.MATERIALIZED_VIEW else (kind.value,)
    return next((spelling for spelling in spellings if spelling in types), None)


def _rows(found: Iterable[Listed], types: frozenset[str]) -> Iterable[Row]:
    for one in found:
        if kind := shown(one.kind, types):
            yield one.name.catalog, schema_of(one.name), one.name.table, kind, one.comment, *_TYPED
