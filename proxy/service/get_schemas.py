"""GetSchemas: namespaces, each with its catalog."""

from __future__ import annotations

from proxy.hs2 import ResultSet
from proxy.hs2.generated import ttypes
from proxy.hs2.patterns import matcher
from proxy.service.call import Call
from proxy.service.metadata import Row, answer, known_to_spark_alone, merged, named, relay_metadata, sides, spark_rows

_HEADER = ResultSet.of("TABLE_SCHEM", "TABLE_CATALOG")
_KIND = 3
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
        return await merged(lambda: ours, sparks, (_CATALOG, _SCHEMA), len(_HEADER.columns))

    return await answer(call, _KIND, _HEADER, rows)
