"""TPC-H and SSB over their views: answered as known, and with the same rows as without views.

A query that is answered though its file says `kept` is progress: `UPDATE_GOLDEN=1` writes it down, and from then on it
must stay so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

import duckdb
import pytest

from rewriter.maintenance import pin
from rewriter.model import Table
from rewriter.script import Explanation, Workspace, read_script
from tests.golden.execution import MACROS, Rows, duck, rows_of, same_rows
from tests.workloads import data
from tests.workloads.corpus import NAMES, queries, script, write


def database(workspace: Workspace, rows: data.Tables) -> duckdb.DuckDBPyConnection:
    """The tables with their rows, and each view's storage filled."""
    connection = duckdb.connect()
    connection.execute(MACROS)
    for name, lines in rows.items():
        table = next(r for n, r in workspace.relations.items() if n.table == name and isinstance(r, Table))
        columns = ", ".join(f"{c.name} {c.type.upper().replace('STRING', 'VARCHAR')}" for c in table.columns)
        connection.execute(f"CREATE TABLE {name} ({columns})")
        values = ", ".join(f"({', '.join(map(_literal, line))})" for line in lines)
        connection.execute(f"INSERT INTO {name} VALUES {values}")
    for view in workspace.definitions.views:
        storage = pin(view.storage_query, {}, workspace.session)
        connection.execute(f"CREATE TABLE {view.storage} AS {duck(storage)}")
    return connection


def _literal(value: object) -> str:
    return str(value) if isinstance(value, int) else f"'{value}'"


@pytest.mark.parametrize("name", NAMES)
def test_workload(name: str) -> None:
    workspace = read_script(script(name))
    connection = database(workspace, data.TABLES[name]())
    known = queries(name)
    explained = {query.name: workspace.explain(query.sql) for query in known}
    wrong = [q.name for q in known if explained[q.name].rewritten and not _same(connection, q.sql, explained[q.name])]
    print(f"\n{name}: {_share(explained)}")  # noqa: T201 - the share is what one looks for in the log
    if os.environ.get("UPDATE_GOLDEN") == "1":
        known = [replace(query, answered=explained[query.name].rewritten) for query in known]
        write(name, known)
    assert not wrong
    assert not [query.name for query in known if query.answered and not explained[query.name].rewritten]


def _same(connection: duckdb.DuckDBPyConnection, sql: str, explanation: Explanation) -> bool:
    given = rows_of(connection, explanation.sql)
    return same_rows(given, _as_decimals(rows_of(connection, sql), given), ordered="ORDER BY" in sql)


def _as_decimals(plain: Rows, given: Rows) -> Rows:
    """DuckDB divides and averages decimals as doubles; the rewritten query casts to Spark's decimals."""
    scales = {
        i: value.as_tuple().exponent for row in given for i, value in enumerate(row) if isinstance(value, Decimal)
    }
    return [tuple(_as_decimal(value, scales.get(i)) for i, value in enumerate(row)) for row in plain]


def _as_decimal(value: object, exponent: object) -> object:
    if not isinstance(value, float) or not isinstance(exponent, int):
        return value
    return Decimal(repr(value)).quantize(Decimal(1).scaleb(exponent), ROUND_HALF_UP)


def _share(explained: Mapping[str, Explanation]) -> str:
    answered = [query for query, explanation in explained.items() if explanation.rewritten]
    kept = ", ".join(query for query in explained if query not in answered) or "none"
    return f"{len(answered)} of {len(explained)} queries answered from views; left to the tables: {kept}"


@pytest.mark.parametrize("name", NAMES)
def test_the_data_says_something_about_each_query(name: str) -> None:
    """A query without rows would prove nothing."""
    workspace = read_script(script(name))
    connection = database(workspace, data.TABLES[name]())
    rows = {query.name: rows_of(connection, query.sql) for query in queries(name)}
    empty = [query for query, found in rows.items() if {value for row in found for value in row} <= {None}]
    assert not empty
