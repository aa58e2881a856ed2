"""The rows of the table functions `mv_dependencies` and `stale_files`, and the order in which views are refreshed.

`mv_dependencies` lists the source files from which each partition of a view's storage table was computed, and
`stale_files` the source files added or removed since the last refresh.

A view is refreshed after all views that it reads. Of two views that do not read each other, the view with more stored
rows is refreshed first. A full refresh of a view by month can then read the storage table of a view by day, for
example: see `planning`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import networkx as nx

import rewriter
from proxy.catalog import Catalogs
from proxy.hs2 import SqlError
from proxy.pipeline.sources import look, storage_of
from rewriter import Definitions, Dependency
from rewriter.model import Files, MaterializedView, Table, TableName

# The most rows that a table function may add to a statement.
MOST_FILES = 10_000
Graph = Callable[..., Iterable[Dependency]]

_COLUMNS = {
    **dict.fromkeys(
        ("target", "source_table_catalog", "source_table_schema", "source_table_name", "source_uri"), "STRING"
    ),
    "source_last_modified": "TIMESTAMP",
}

# Each function's rows, and its columns with their types.
FUNCTIONS: Mapping[str, tuple[Graph, Mapping[str, str]]] = {
    "mv_dependencies": (rewriter.dependencies, _COLUMNS),
    "stale_files": (rewriter.stale_files, {**_COLUMNS, "change": "STRING"}),
}


async def rows(catalogs: Catalogs, function: str, view: MaterializedView) -> list[Mapping[str, Any]]:
    """Return the rows of a table function for a view.

    `function` is `mv_dependencies` or `stale_files`. Raise SqlError 54000 for more than MOST_FILES (10,000) rows.
    """
    graph, _ = FUNCTIONS[function]
    sources = await look(catalogs, view)
    storage = await storage_of(catalogs, view)
    recorded = {state.uuid: state.snapshot_id for state in storage.refresh.sources} if storage.refresh else {}
    files: dict[TableName, Files] = {
        name: await catalogs.of(name).files(name, recorded.get(table.uuid), table.snapshot_id)
        for name, table in sources.tables.items()
    }
    held = rewriter.stored(view, storage, {name: table.columns for name, table in sources.tables.items()})
    found = list(graph(held, await catalogs.of(view.storage).location(view.storage), files))
    if len(found) > MOST_FILES:
        raise SqlError(
            f"{function}('{view.name}') has {len(found)} rows, more than {MOST_FILES}; compact the files of the "
            "view's base tables",
            "54000",
        )
    return [*map(_row, found)]


def _row(found: Dependency) -> Mapping[str, Any]:
    return {
        "target": found.target,
        "source_table_catalog": found.source.catalog,
        "source_table_schema": ".".join(found.source.namespace),
        "source_table_name": found.source.table,
        "source_uri": found.file.path,
        "source_last_modified": found.file.added_ms,
        "change": found.change,
    }


async def over(catalogs: Catalogs, definitions: Definitions, tables: Collection[TableName]) -> list[MaterializedView]:
    """Return the views that read any of the tables, directly or through other views, in the order of refresh.

    Each view comes after the views that it reads. Of views that do not read each other, the view with more stored rows
    comes first.
    """
    held = {view.name: await _records(catalogs, view) for view in reading(definitions, tables)}
    graph = definitions.graph.subgraph(held)
    ordered = nx.lexicographical_topological_sort(graph, lambda name: (-held[name], name))
    return [definitions.by_name[name] for name in ordered]


def reading(definitions: Definitions, tables: Collection[TableName]) -> list[MaterializedView]:
    """Return the views that read any of the tables, directly or through other views, ordered by name."""
    graph = definitions.graph
    names = set().union(*(nx.descendants(graph, table) for table in tables if table in graph))
    return [definitions.by_name[name] for name in sorted(names)]


async def _records(catalogs: Catalogs, view: MaterializedView) -> int:
    try:
        storage = (await catalogs.current([view.storage]))[view.storage]
    except Exception:  # the view's refresh will fail for the same reason, and report the error
        return 0
    return storage.records or 0 if isinstance(storage, Table) else 0
