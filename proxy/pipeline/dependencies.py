"""The rows of the table functions `mv_dependencies` and `stale_files`, and the order in which views are refreshed.

`mv_dependencies` lists the source files from which each partition of a view's storage table was computed, and
`stale_files` the source files added or removed since the last refresh.

A view is refreshed after all views that it reads. If two views do not read each other, the view with more stored rows
is refreshed first, because a full refresh of a view with coarser groups can then be computed from the storage of the
view with finer groups: see `planning`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

import networkx as nx

import rewriter
from proxy.catalog import Catalog
from proxy.hs2 import SqlError
from proxy.pipeline.sources import look, storage_of
from rewriter import Definitions, Dependency
from rewriter.model import Files, MaterializedView, Table, TableName
from rewriter.model.literals import literal
from rewriter.model.times import timestamp_text

# The most rows that a table function may add to a statement.
MOST_FILES = 10_000
Graph = Callable[..., Iterable[Dependency]]
Columns = Mapping[str, tuple[str, Callable[[Dependency], str]]]

_COLUMNS: Columns = {
    "target": ("STRING", lambda found: literal(found.target)),
    "source_table_catalog": ("STRING", lambda found: literal(found.source.catalog)),
    "source_table_schema": ("STRING", lambda found: literal(".".join(found.source.namespace))),
    "source_table_name": ("STRING", lambda found: literal(found.source.table)),
    "source_uri": ("STRING", lambda found: literal(found.file.path)),
    "source_last_modified": ("TIMESTAMP", lambda found: _time(found.file.added_ms)),
}
_CHANGE: Columns = {"change": ("STRING", lambda found: literal(found.change))}

FUNCTIONS: Mapping[str, tuple[Graph, Columns]] = {
    "mv_dependencies": (rewriter.dependencies, _COLUMNS),
    "stale_files": (rewriter.stale_files, {**_COLUMNS, **_CHANGE}),
}


def _time(added_ms: int | None) -> str:
    """Return the time at which a file was added (milliseconds since 1970) as a SQL literal; NULL if unknown."""
    return "NULL" if added_ms is None else timestamp_text(added_ms * 1000)


async def table_text(catalog: Catalog, function: str, view: MaterializedView) -> str:
    """Return the rows of a table function for a view, as the text of a SQL subquery.

    `function` is `mv_dependencies` or `stale_files`. Raise SqlError 54000 for more than MOST_FILES rows.
    """
    graph, columns = FUNCTIONS[function]
    sources = await look(catalog, view)
    storage = await storage_of(catalog, view)
    recorded = {state.uuid: state.snapshot_id for state in storage.refresh.sources} if storage.refresh else {}
    files: dict[TableName, Files] = {
        name: await catalog.files(name, recorded.get(table.uuid), table.snapshot_id)
        for name, table in sources.tables.items()
    }
    held = rewriter.stored(view, storage, {name: table.columns for name, table in sources.tables.items()})
    found = list(graph(held, await catalog.location(view.storage), files))
    if len(found) > MOST_FILES:
        raise SqlError(
            f"{function}('{view.name}') has {len(found)} rows, more than {MOST_FILES}; "
            "compact the files of the view's tables",
            "54000",
        )
    return _rows_text(columns, found)


def _rows_text(columns: Columns, found: Iterable[Dependency]) -> str:
    rows = [f"({', '.join(text(one) for _, text in columns.values())})" for one in found]
    items = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, (kind, _) in columns.items())
    none = f"({', '.join('NULL' for _ in columns)})"
    nothing = "" if rows else " WHERE false"
    return f"(SELECT {items} FROM VALUES {', '.join(rows or [none])} AS t({', '.join(columns)}){nothing})"


async def over(catalog: Catalog, definitions: Definitions, tables: Collection[TableName]) -> list[MaterializedView]:
    """Return the views that read any of the tables, directly or through other views, in the order of refresh."""
    graph, by_name = definitions.graph, definitions.by_name
    names = set().union(*(nx.descendants(graph, table) for table in tables if table in graph))
    held = {name: await _records(catalog, by_name[name]) for name in names}
    ordered = nx.lexicographical_topological_sort(graph.subgraph(names), lambda name: (-held[name], name))
    return [by_name[name] for name in ordered]


async def _records(catalog: Catalog, view: MaterializedView) -> int:
    try:
        storage = (await catalog.current([view.storage]))[view.storage]
    except Exception:  # the view's refresh will fail for the same reason, and report the error
        return 0
    return storage.records or 0 if isinstance(storage, Table) else 0
