"""Runs a script's tables and storage in DuckDB, and compares answers from views with the query's own rows."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

import duckdb
import sqlglot
from sqlglot import exp

from rewriter.maintenance import pin
from rewriter.model import Table
from rewriter.script import Workspace
from tests.golden.execution import MACROS, Rows, duck, rows_of, same_rows
from tests.workloads.data import Tables

# Spark's patterns of letters as DuckDB's of percent signs; a text is read as the beginning of a timestamp.
_LETTERS = {"yyyy": "%Y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S"}
_FORMAT = "f"
for _letters, _percent in _LETTERS.items():
    _FORMAT = f"replace({_FORMAT}, '{_letters}', '{_percent}')"
_MACROS = f"""
CREATE TEMP MACRO spark_unix_timestamp(x) AS CAST(floor(epoch(x)) AS BIGINT),
  (x, f) AS CAST(epoch(CAST(x || substr('0000-01-01 00:00:00', length(x) + 1) AS TIMESTAMP)) AS BIGINT);
CREATE TEMP MACRO spark_from_unixtime(s) AS strftime(make_timestamp(s * 1000000), '%Y-%m-%d %H:%M:%S'),
  (s, f) AS strftime(make_timestamp(s * 1000000), {_FORMAT});
"""
# Spellings that sqlglot translates otherwise or hands on to DuckDB, which does not know them.
_SPELLINGS = (
    (re.compile(r"\b(unix_timestamp|from_unixtime)\(", re.IGNORECASE), lambda found: f"spark_{found[1].lower()}("),
    (re.compile(r"(?<=, )'MM'\)", re.IGNORECASE), lambda _: "'MONTH')"),
    (re.compile(r"(?<=, )'YYYY'\)", re.IGNORECASE), lambda _: "'YEAR')"),
    (re.compile(r"GROUP BY ([\w., ]+)\s+WITH (ROLLUP|CUBE)"), lambda found: f"GROUP BY {found[2]} ({found[1]})"),
    (re.compile(r"'Z'"), lambda _: "'UTC'"),
)


def database(workspace: Workspace, rows: Tables) -> duckdb.DuckDBPyConnection:
    """Return a database with the tables' rows and each view's storage filled."""
    connection = duckdb.connect()
    connection.execute(MACROS + _MACROS)
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
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int | float) else f"'{value}'"


def answer(connection: duckdb.DuckDBPyConnection, sql: str) -> Rows:
    """Return the rows of a query in Spark SQL."""
    for spelling, other in _SPELLINGS:
        sql = spelling.sub(other, sql)
    return rows_of(connection, sql)


def same_answer(connection: duckdb.DuckDBPyConnection, sql: str, rewritten: str) -> bool:
    """Return whether both have the same rows, and the columns that the query orders by in the same order."""
    given = answer(connection, rewritten)
    plain = _as_decimals(answer(connection, sql), given)
    keys = _ordered_by(sql)
    ranks, others = ([tuple(row[i] for i in keys) for row in rows] for rows in (given, plain))
    return same_rows(given, plain, ordered=False) and same_rows(ranks, others, ordered=True)


def _ordered_by(sql: str) -> list[int]:
    """Return the positions of the query's outputs that it orders by, as far as these are outputs.

    >>> _ordered_by("SELECT a, sum(b) AS s FROM t GROUP BY a ORDER BY 2 DESC, a, max(c)")
    [1, 0]
    """
    tree = sqlglot.parse_one(sql, read="spark")
    if not isinstance(tree, exp.Query):
        return []
    outputs = tree.named_selects
    order = tree.args.get("order")
    found = [key.this for key in order.expressions] if order else []
    places = [
        int(key.name) - 1 if key.is_int else outputs.index(key.name) if key.name in outputs else -1 for key in found
    ]
    return [place for place in places if place >= 0]


def _as_decimals(plain: Rows, given: Rows) -> Rows:
    """Compare as decimals: DuckDB divides and averages decimals as doubles, the rewritten query casts to Spark's
    decimals.
    """
    scales = {
        i: value.as_tuple().exponent for row in given for i, value in enumerate(row) if isinstance(value, Decimal)
    }
    return [tuple(_as_decimal(value, scales.get(i)) for i, value in enumerate(row)) for row in plain]


def _as_decimal(value: object, exponent: object) -> object:
    if not isinstance(value, float) or not isinstance(exponent, int):
        return value
    return Decimal(repr(value)).quantize(Decimal(1).scaleb(exponent), ROUND_HALF_UP)
