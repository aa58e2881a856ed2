"""In which order views are refreshed: each after all that it reads, and of the others the one that holds most first.

Those that hold less can be computed from what it holds then, where they are computed anew: see `reading`.
"""

from __future__ import annotations

from collections.abc import Collection

import networkx as nx

from proxy.catalog import Catalog
from rewriter import Definitions
from rewriter.model import MaterializedView, Table, TableName


async def over(catalog: Catalog, definitions: Definitions, tables: Collection[TableName]) -> list[MaterializedView]:
    """Return the views over these tables, and the views over these views, in the order of refresh."""
    graph, by_name = definitions.graph, definitions.by_name
    names = set().union(*(nx.descendants(graph, table) for table in tables if table in graph))
    held = {name: await _records(catalog, by_name[name]) for name in names}
    ordered = nx.lexicographical_topological_sort(graph.subgraph(names), lambda name: (-held[name], name))
    return [by_name[name] for name in ordered]


async def _records(catalog: Catalog, view: MaterializedView) -> int:
    try:
        storage = (await catalog.current([view.storage]))[view.storage]
    except Exception:  # its refresh fails for the same reason, and says so
        return 0
    return storage.records or 0 if isinstance(storage, Table) else 0
