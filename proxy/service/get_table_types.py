"""GetTableTypes: what GetTables can be asked for."""

from __future__ import annotations

from proxy.catalog import Kind
from proxy.hs2 import ResultSet
from proxy.service.call import Call
from proxy.service.metadata import Row, answer, relay_metadata

_HEADER = ResultSet.of("TABLE_TYPE")
_KIND = 5


async def get_table_types(call: Call) -> bytes:
    """Return the types, in JDBC's order."""
    if call.service.catalog is None:
        return await relay_metadata(call)

    async def rows() -> list[Row]:
        return sorted((kind.value,) for kind in Kind)

    return await answer(call, _KIND, _HEADER, rows)
