"""The calls that list catalogs, schemas, table types and functions.

Spark lists neither its own catalog nor ours; of its functions it reads one wildcard in another way than JDBC.
"""

from __future__ import annotations

import re

from proxy.catalog import Kind
from proxy.hs2 import ResultSet
from proxy.hs2.generated import ttypes
from proxy.hs2.patterns import matcher
from proxy.service.call import Call
from proxy.service.metadata import (
    SPARK_CATALOG,
    Row,
    answer,
    known_to_spark_alone,
    merged,
    named,
    relay_metadata,
    sides,
    spark_rows,
)
from proxy.wire import with_field
from proxy.wire.message import STRING

_CATALOGS = ResultSet.of("TABLE_CAT")
_GET_CATALOGS = 2


async def get_catalogs(call: Call) -> bytes:
    """Return the names of the catalogs."""
    catalog = call.service.catalog
    if catalog is None:
        return await relay_metadata(call)

    async def rows() -> list[Row]:
        return sorted({(SPARK_CATALOG,), (catalog.name,)})

    return await answer(call, _GET_CATALOGS, _CATALOGS, rows)


_SCHEMAS = ResultSet.of("TABLE_SCHEM", "TABLE_CATALOG")
_GET_SCHEMAS = 3
_SCHEMA, _CATALOG = 0, 1


async def get_schemas(call: Call) -> bytes:
    """Return the namespaces that fit a pattern."""
    request = call.request(ttypes.TGetSchemasReq)
    if known_to_spark_alone(call, request.catalogName):
        return await relay_metadata(call)
    asked, fits = sides(call, request.catalogName), matcher(request.schemaName)

    async def rows() -> list[Row]:
        ours: list[Row] = []
        if asked.ours is not None:
            spaces = map(".".join, await asked.ours.namespaces())
            ours = [(space, asked.ours.name) for space in spaces if fits(space)]
        sparks = [named(row, _CATALOG, _SCHEMA) for row in await spark_rows(call)] if asked.sparks else []
        return await merged(lambda: ours, sparks, (_CATALOG, _SCHEMA), len(_SCHEMAS.columns))

    return await answer(call, _GET_SCHEMAS, _SCHEMAS, rows)


_TABLE_TYPES = ResultSet.of("TABLE_TYPE")
_GET_TABLE_TYPES = 5


async def get_table_types(call: Call) -> bytes:
    """Return the types, in JDBC's order."""
    if call.service.catalog is None:
        return await relay_metadata(call)

    async def rows() -> list[Row]:
        return sorted((kind.value,) for kind in Kind)

    return await answer(call, _GET_TABLE_TYPES, _TABLE_TYPES, rows)


_FUNCTION_NAME = (1, 4)


async def get_functions(call: Call) -> bytes:
    """Return the functions that fit a pattern."""
    pattern = call.request(ttypes.TGetFunctionsReq).functionName
    message = call.message
    if pattern and "%" in pattern:
        message = with_field(message, _FUNCTION_NAME, STRING, hives(pattern).encode())
    return await relay_metadata(call, message)


def hives(pattern: str) -> str:
    r"""Return a pattern of JDBC with Hive's wildcard: to Spark, `%` stands for one character or more.

    >>> print(hives(r"abs%"), hives(r"a\%"))
    abs* a\%
    """
    return re.sub(r"(\\.)|%", lambda found: found[1] or "*", pattern)
