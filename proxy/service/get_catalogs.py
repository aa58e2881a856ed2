"""GetCatalogs: Spark's own catalog, which Spark does not list, and the one of Viewgate."""

from __future__ import annotations

from proxy.hs2 import ResultSet
from proxy.service.call import Call
from proxy.service.metadata import SPARK_CATALOG, Row, answer, relay_metadata

_HEADER = ResultSet.of("TABLE_CAT")
_KIND = 2


async def get_catalogs(call: Call) -> bytes:
    """Return the names of the catalogs."""
    catalog = call.service.catalog
    if catalog is None:
        return await relay_metadata(call)

    async def rows() -> list[Row]:
        return sorted({(SPARK_CATALOG,), (catalog.name,)})

    return await answer(call, _KIND, _HEADER, rows)
