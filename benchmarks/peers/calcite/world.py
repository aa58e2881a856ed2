"""The tables, views and queries of the rewriter's benchmarks, as JSON for Calcite's side."""

from __future__ import annotations

import re
from typing import Any

import sqlglot
from sqlglot import exp

from benchmarks import views
from rewriter.model import MaterializedView, Table
from rewriter.script import Workspace

# A column's alias that is a keyword in standard SQL.
VALUE = re.compile(r"\bvalue\b")


def world(workspace: Workspace) -> dict[str, Any]:
    """Return all tables, views and queries as JSON values."""
    tables = [r for r in workspace.relations.values() if isinstance(r, Table)]
    storages = {view.storage for view in workspace.definitions.views}
    return {
        "tables": [_table(table) for table in tables if table.name not in storages],
        "views": [_view(view, workspace) for view in workspace.definitions.views],
        "queries": [{"name": name, "sql": VALUE.sub('"value"', sql)} for name, sql in views.workload_queries().items()],
    }


def _table(table: Table) -> dict[str, Any]:
    columns = [{"name": c.name, "type": c.type, "nullable": c.nullable} for c in table.columns]
    foreign = [
        {"columns": key.columns, "table": key.table.table, "references": key.referenced} for key in table.foreign_keys
    ]
    return {
        "name": table.name.table, "rows": table.records, "columns": columns, "primaryKey": table.primary_key,
        "foreignKeys": foreign,
    }  # fmt: skip


def _view(view: MaterializedView, workspace: Workspace) -> dict[str, Any]:
    """Return a view with its hidden storage columns: the counts and sums that averages need."""
    storage = workspace.relations[view.storage]
    assert isinstance(storage, Table)
    sql = view.query
    if storage.columns[len(view.columns) :]:
        items = sqlglot.parse_one(view.storage_query, read="spark").args["expressions"][len(view.columns) :]
        sql = re.sub(r"\sFROM\s", f", {', '.join(map(_unqualified, items))} FROM ", sql, count=1)
    return {"name": f"mv_{view.name.table}", "rows": storage.records, "sql": sql}


def _unqualified(item: exp.Expr) -> str:
    return item.transform(lambda node: exp.column(node.name) if isinstance(node, exp.Column) else node).sql("spark")
