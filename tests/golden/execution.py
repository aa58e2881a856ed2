"""Runs the tables, views and queries of a world in DuckDB, with Spark's dialect transpiled."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from itertools import chain
from types import MappingProxyType
from typing import Any, ClassVar

import duckdb
import sqlglot
from sqlglot import exp
from sqlglot.dialects.spark import Spark

from rewriter import narrowed, pin
from rewriter.model import MaterializedView, Table, table_columns
from tests.golden.corpus import NAMESPACE, World, taken_from, touched_by, without_properties
from tests.golden.pivoting import without_pivots

Rows = list[tuple[Any, ...]]

# Spark's functions that DuckDB lacks and sqlglot does not translate, or that divide by zero otherwise.
MACROS = """
CREATE TEMP MACRO timestamp_seconds(s) AS epoch_ms(CAST(s * 1000::BIGINT AS BIGINT));
CREATE TEMP MACRO timestamp_millis(s) AS epoch_ms(CAST(s AS BIGINT));
CREATE TEMP MACRO on_clock(t, z) AS timezone(z, timezone('UTC', CAST(t AS TIMESTAMP)));
CREATE TEMP MACRO make_timestamp_ntz(y, mo, d, h, mi, s) AS make_timestamp(y, mo, d, h, mi, CAST(s AS DOUBLE));
CREATE TEMP MACRO "isnull"(x) AS x IS NULL;
CREATE TEMP MACRO "isnotnull"(x) AS x IS NOT NULL;
CREATE TEMP MACRO theta_sketch_agg(x, size) AS list_sort(list_distinct(list(x)));
CREATE TEMP MACRO theta_union_agg(sketch, size) AS list_sort(list_distinct(flatten(list(sketch))));
CREATE TEMP MACRO theta_sketch_estimate(sketch) AS coalesce(len(sketch), 0);
CREATE TEMP MACRO bits_bucket_number(x) AS CASE WHEN x > 0 THEN 1 + (x - 1) // 32768 ELSE -((-x) // 32768) END;
CREATE TEMP MACRO bits_bit_position(x) AS CASE WHEN x > 0 THEN (x - 1) % 32768 ELSE (-x) % 32768 END;
CREATE TEMP MACRO bits_construct_agg(position) AS list_sort(list_distinct(list(position)));
CREATE TEMP MACRO bits_or_agg(bits) AS list_sort(list_distinct(flatten(list(bits))));
CREATE TEMP MACRO bits_count(bits) AS coalesce(len(bits), 0);
CREATE TEMP MACRO try_mod(n, m) AS n % nullif(m, 0);
CREATE TEMP MACRO btrim(x, characters) AS trim(x, characters);
CREATE TEMP MACRO whole_seconds(t) AS CAST(floor(epoch(t)) AS BIGINT);
CREATE TEMP MACRO whole_millis(t) AS CAST(floor(epoch_us(t) / 1000) AS BIGINT);
CREATE TEMP MACRO seconds_towards_1970(t) AS CAST(trunc(epoch(t)) AS BIGINT);
CREATE TEMP MACRO next_sunday(d) AS CAST(d AS DATE) + CAST(7 - dayofweek(d) AS INTEGER);
CREATE TEMP MACRO make_dt_interval(d) AS to_days(d);
CREATE TEMP MACRO make_ym_interval(y, m) AS to_years(y) + to_months(m);
CREATE TEMP MACRO pmod(n, m) AS ((n % m) + m) % m;
CREATE TEMP MACRO months_between(t, u) AS epoch(t - u) / 2678400;
CREATE TEMP MACRO regr_slope(y, x) AS regr_sxy(y, x) / nullif(regr_sxx(y, x), 0);
"""
# The literal -0.0 without D is a DECIMAL, which has no negative zero.
NEGATIVE_ZERO = "-0.0D"
_FLOATS = ("DOUBLE", "FLOAT")
# What time it is while golden cases run.
_TODAY, _NOW = "DATE '2024-02-15'", "TIMESTAMP '2024-02-15 10:20:30.5'"
_CLOCK = {
    re.compile(r"\bunix_timestamp\(\)", re.IGNORECASE): "1707992430",
    re.compile(r"\b(?:current_date|curdate)\b(?:\(\))?", re.IGNORECASE): _TODAY,
    re.compile(r"\b(?:(?:now|localtimestamp)\(\)|current_timestamp\b(?:\(\))?)", re.IGNORECASE): _NOW,
}
_PIN = re.compile(r" FOR VERSION AS OF \d+")
# Tables to which rows were appended, as they were before, and what came: `t__before`, `t__came`. Tables whose rows were
# changed: `t__changes`, where each row that was there before is deleted, and each that is there now is inserted.
# Tables that were changed twice have `t__between`, too, and `t__came_since` and `t__changes_since` since then.
_CHANGED = re.compile(r"\.changes WITH \('start-snapshot-id' = '5(4?)\d\d', 'end-snapshot-id' = '55\d\d'\)")
_ADDED = re.compile(r" WITH \('start-snapshot-id' = '5(4?)\d\d', 'end-snapshot-id' = '55\d\d'\)")
_BEFORE = re.compile(r" VERSION AS OF 5(4?)\d\d\b(?!\d)")
# Sketches and bitmaps are lists in DuckDB.
_AS_BINARY = re.compile(
    r"CAST\(((?:theta_union_agg|theta_sketch_agg|bitmap_or_agg)\([^()]*\)|[^\s()]+) AS binary\)", re.IGNORECASE
)
# Hive's spellings of what else is GROUP BY ROLLUP (…) and GROUP BY GROUPING SETS (…).
_WITH_ROLLUP = re.compile(r"GROUP BY ([\w, ]+) WITH ROLLUP")
_NAMED_FIRST = re.compile(r"GROUP BY [\w, ]*\w GROUPING SETS")


class _Spark(Spark):
    class Tokenizer(Spark.Tokenizer):
        STRING_ESCAPES: ClassVar[list[str]] = ["\\", "'", '"']


def database(schema: str, rows: str, world: World, appended: str = "") -> duckdb.DuckDBPyConnection:
    """Return a database with the tables' rows, each view's storage filled from them, and then the appended rows."""
    connection = connect()
    fill(connection, schema, rows, world)
    append(connection, world, appended)
    return connection


def append(
    connection: duckdb.DuckDBPyConnection,
    world: World,
    appended: str,
    later: str = "",
    refreshed: Mapping[str, int] = MappingProxyType({}),
) -> None:
    """Change tables once or twice after views were filled; appended rows and changed rows are also stored in tables of
    their own.

    `refreshed` has the views that are filled again, and whether after the first changes (1) or after the later ones.
    """
    twice = [name for name in touched_by(later) if name in touched_by(appended)]
    _keep(connection, touched_by(appended + later), "before", "came")
    _change(connection, appended)
    _refill(connection, world, [name for name, changes in refreshed.items() if changes == 1])
    _keep(connection, twice, "between", "came_since")
    _change(connection, later, twice)
    _refill(connection, world, [name for name, changes in refreshed.items() if changes == 2])
    _compare(connection, taken_from(appended + later), "before", "changes")
    _compare(connection, [name for name in taken_from(appended + later) if name in twice], "between", "changes_since")


def _refill(connection: duckdb.DuckDBPyConnection, world: World, views: Container[str]) -> None:
    """Fill the storage of views again."""
    for view in world.definitions.views:
        if view.name.table in views:
            connection.execute(f"DROP TABLE {view.storage}")
            _fill_storage(connection, view, world)


def _keep(connection: duckdb.DuckDBPyConnection, names: Iterable[str], before: str, came: str) -> None:
    """Keep the rows of tables before they change, and make tables for the rows to come."""
    for name in names:
        connection.execute(f"CREATE TABLE {name}__{before} AS FROM {name}")
        connection.execute(f"CREATE TABLE {name}__{came} AS FROM {name} LIMIT 0")


def _change(connection: duckdb.DuckDBPyConnection, changes: str, twice: Container[str] = ()) -> None:
    """Run statements, and insert the rows of INSERT also into the tables of rows that came."""
    for statement in _transpiled(changes):
        connection.execute(statement)
        if inserted := re.match(r"INSERT INTO (\w+)", statement):
            name, values = inserted[1], statement[inserted.end() :]
            connection.execute(f"INSERT INTO {name}__came{values}")
            if name in twice:
                connection.execute(f"INSERT INTO {name}__came_since{values}")


def _compare(connection: duckdb.DuckDBPyConnection, names: Iterable[str], before: str, changes: str) -> None:
    """Make tables of changed rows: each row that was there before is deleted, and each that is there now inserted."""
    for name in dict.fromkeys(names):
        both = f"SELECT *, 'DELETE' AS _change_type FROM {name}__{before} UNION ALL SELECT *, 'INSERT' FROM {name}"
        connection.execute(f"CREATE TABLE {name}__{changes} AS {both}")


def connect() -> duckdb.DuckDBPyConnection:
    """Return an empty database; it is reused, because creating one takes longer than filling it."""
    connection = duckdb.connect(config={"threads": 1})
    connection.execute(f"SET enable_progress_bar = false; ATTACH ':memory:' AS {NAMESPACE[0]}")
    connection.execute(MACROS)
    return connection


def fill(connection: duckdb.DuckDBPyConnection, schema: str, rows: str, world: World) -> None:
    """Replace everything in the database by the tables with their rows and the views with their storage."""
    namespace = ".".join(NAMESPACE)
    connection.execute(f"DROP SCHEMA IF EXISTS {namespace} CASCADE; CREATE SCHEMA {namespace}; USE {namespace}")
    for sql in (without_properties(schema), rows):
        for statement in _transpiled(sql):
            connection.execute(statement)
    for plain in world.definitions.plain:
        connection.execute(f"CREATE VIEW {plain.name} AS {duck(plain.query)}")
    signed = NEGATIVE_ZERO in rows
    for view in world.definitions.views:
        _fill_storage(connection, view, world, signed=signed)
        query = duck(view.query)
        connection.execute(f"CREATE VIEW {view.name} AS {_grouped_as_spark(connection, query) if signed else query}")


def _fill_storage(
    connection: duckdb.DuckDBPyConnection, view: MaterializedView, world: World, *, signed: bool = False
) -> None:
    storage = world.relations[view.storage]
    part = storage.only if isinstance(storage, Table) and not storage.behind else ""
    held = narrowed(view, part, table_columns(world.relations)) if part else view
    query = duck(pin(held.storage_query, {}, world.session))
    connection.execute(f"CREATE TABLE {view.storage} AS {_grouped_as_spark(connection, query) if signed else query}")


def _grouped_as_spark(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    """Return a query of DuckDB with 0.0 for -0.0 in its floating-point outputs, if the query groups, as Spark does."""
    if sqlglot.parse_one(sql, read="duckdb").args.get("group") is None:
        return sql
    described = connection.execute(f"DESCRIBE {sql}").fetchall()
    floats = [f'CAST("{name}" + 0 AS {kind}) AS "{name}"' for name, kind, *_ in described if kind in _FLOATS]
    return f"SELECT * REPLACE ({', '.join(floats)}) FROM ({sql})" if floats else sql


def duck(sql: str) -> str:
    """Return Spark SQL as DuckDB's SQL: tables have one snapshot only, and the session's time zone is UTC."""
    sql = _INSTANT.sub(_in_utc, _without_time_windows(sql))
    for clock, told in _CLOCK.items():
        sql = clock.sub(told, sql)
    sql = sql.replace(" HOUR TO SECOND", "")  # DuckDB reads such a text without its units
    sql = _NAMED_FIRST.sub("GROUP BY GROUPING SETS", _WITH_ROLLUP.sub(r"GROUP BY ROLLUP (\1)", sql))
    return _PIN.sub("", _transpiled(_AS_BINARY.sub(r"\1", of_snapshots(sql)))[0])


def of_snapshots(sql: str) -> str:
    """Return a query with the tables of the emulation for the rows at or between snapshots.

    >>> of_snapshots("SELECT * FROM t WITH ('start-snapshot-id' = '5400', 'end-snapshot-id' = '5500') AS t")
    'SELECT * FROM t__came_since AS t'
    """
    return _named(_BEFORE, "__before", "__between", _of_ranges(sql))


def _of_ranges(sql: str) -> str:
    """Return a query with the tables of the emulation for the rows between snapshots."""
    return _named(_ADDED, "__came", "__came_since", _named(_CHANGED, "__changes", "__changes_since", sql))


def _named(read: re.Pattern[str], before: str, between: str, sql: str) -> str:
    """Return a query with table names for its reads that begin at the snapshot before all changes, or in between."""
    return read.sub(lambda match: between if match[1] else before, sql)


def read_otherwise(sql: str) -> str:
    """Return a table that a query reads in more ways than Spark keeps apart; empty if there is none.

    Spark's analyzer keeps the relations of a statement by name and VERSION AS OF, whatever options a FROM item has.
    All rows at the current snapshot, the rows that came since one snapshot, and those since another, would be the
    rows of one of them.

    >>> read_otherwise("SELECT * FROM t WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS a, t AS b")
    't'
    >>> read_otherwise(
    ...     "SELECT * FROM t WITH ('start-snapshot-id' = '500', 'end-snapshot-id' = '5500') AS a, t VERSION AS OF 5500"
    ... )
    ''
    """
    ways: dict[str, set[str]] = {}
    for table in sqlglot.parse_one(_of_ranges(sql), read=_Spark).find_all(exp.Table):
        if not table.args.get("version"):
            name, _, way = table.name.removesuffix("__storage").partition("__")
            ways.setdefault(f"{name}.changes" if way.startswith("changes") else name, set()).add(way)
    return next((name for name, found in ways.items() if len(found) > 1), "")


# sqlglot writes quantile() for it, which returns one of the values.
_PERCENTILE = re.compile(r"\bpercentile\(", re.IGNORECASE)


def _transpiled(sql: str) -> list[str]:
    # Of these sqlglot has another idea.
    sql = _PERCENTILE.sub("quantile_cont(", sql)
    for spark, duck in (("bitmap_", "bits_"), ("YEAROFWEEK", "ISOYEAR"), ("to_char(", "date_format(")):
        sql = sql.replace(spark, duck)
    found = (tree.transform(_in_duckdb) for tree in sqlglot.parse(sql, read=_Spark) if tree is not None)
    trees = [without_pivots(tree) if "pivot" in sql.lower() else tree for tree in found]
    statements = [tree.sql("duckdb") for tree in trees]
    return [statement.replace("TIMESTAMPTZ", "TIMESTAMP").replace(".SSS'", ".%g'") for statement in statements]


# Spark puts `window` beside the columns of the rows whose time is not NULL, once for each window that a row is in.
_TIME_WINDOW = re.compile(r"\bwindow\((\w+), '(\w+ \w+)'(?:, '(\w+ \w+)')?(?:, '(\w+ \w+)')?\)")


def _without_time_windows(sql: str) -> str:
    """Return a query with a time window as Spark computes it: over rows whose time is not NULL, with a
    column `window`.
    """
    found = _TIME_WINDOW.search(sql)
    if found is None:
        return sql
    time, *texts = found.groups()
    length, slide, offset = (_seconds(text or texts[0] if i < 2 else text or "0 days") for i, text in enumerate(texts))
    rows = []
    for back in range(0, length, slide):
        start = f"floor((unix_seconds({time}) - {offset}) / {slide}) * {slide} + {offset - back}"
        window = f"named_struct('start', timestamp_seconds({start}), 'end', timestamp_seconds({start} + {length}))"
        rows.append(f"SELECT *, {window} AS time_window FROM \\1 WHERE {time} IS NOT NULL")
    named = re.sub(r"\bwindow\b", "time_window", _TIME_WINDOW.sub("window", sql))
    return re.sub(r"FROM ([\w.]+)", f"FROM ({' UNION ALL '.join(rows)}) AS q", named)


# Of an instant with its offset DuckDB takes the time on the clock.
_INSTANT = re.compile(r"'(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))'")


def _in_utc(instant: re.Match[str]) -> str:
    return f"'{datetime.fromisoformat(instant[1]).astimezone(UTC).replace(tzinfo=None).isoformat(' ')}'"


def _seconds(length: str) -> int:
    number, unit = length.split()
    return int(number) * {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}[unit[0]]


def _in_duckdb(node: exp.Expr) -> exp.Expr:
    """Replace functions of times by those that DuckDB has under other names, or for other types."""
    if isinstance(node, exp.StrToUnix | exp.UnixSeconds):
        towards = "whole_seconds" if isinstance(node, exp.UnixSeconds) else "seconds_towards_1970"
        time = exp.cast(node.this, "timestamp") if isinstance(node.this, exp.Literal) else node.this
        return exp.Anonymous(this=towards, expressions=[time.transform(_in_duckdb)])
    if isinstance(node, exp.UnixMillis):
        return exp.Anonymous(this="whole_millis", expressions=[node.this.transform(_in_duckdb)])
    # A golden file calls a TIMESTAMP so, and DuckDB casts none to a number.
    if isinstance(node, exp.Cast) and node.is_type("bigint") and node.this.name == "at":
        return exp.Anonymous(this="whole_seconds", expressions=[node.this])
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        seconds = exp.Anonymous(this="timestamp_seconds", expressions=[node.this])
        return seconds if node.to.this is exp.DataType.Type.TIMESTAMPTZ else node
    if isinstance(node, exp.Add | exp.Sub) and isinstance(node.this, exp.Literal) and node.this.is_string:
        node.set("this", exp.cast(node.this, "timestamp"))  # a text plus an interval
    if isinstance(node, exp.ConvertTimezone):  # of the time of UTC
        time = node.args["timestamp"].transform(_in_duckdb)
        return exp.Anonymous(this="on_clock", expressions=[time, node.args["target_tz"]])
    if isinstance(node, exp.AtTimeZone):
        return exp.Anonymous(this="on_clock", expressions=[node.this.transform(_in_duckdb), node.args["zone"]])
    if isinstance(node, exp.UnixToStr):
        instant = exp.Anonymous(this="timestamp_seconds", expressions=[node.this.transform(_in_duckdb)])
        read = isinstance(node.parent, exp.Hour | exp.Minute | exp.TimestampTrunc | exp.TimeToStr | exp.GTE)
        if isinstance(node.this, exp.Literal) or read:  # it is compared with a time, or read as a time
            return instant
        return exp.TimeToStr(this=instant, format=node.args.get("format") or exp.Literal.string("%Y-%m-%d %H:%M:%S"))
    if isinstance(node, exp.Substring | exp.Like) or (
        isinstance(node, exp.Pad) and not isinstance(node.this, exp.Cast)
    ):
        node.set("this", exp.cast(node.this, "varchar"))
    if isinstance(node, exp.Anonymous) and node.name.lower() == "next_day":
        return exp.Anonymous(this="next_sunday", expressions=node.expressions[:1])
    return node


def rows_of(connection: duckdb.DuckDBPyConnection, sql: str) -> Rows:
    """Return the rows of a query in Spark SQL."""
    return connection.execute(duck(sql)).fetchall()


def same_rows(mine: Rows, theirs: Rows, ordered: bool, query: str = "") -> bool:
    """Return whether two results are the same, except for the last bits of floating-point sums.

    `query` is the query of both. In its outputs that are columns of rows as they are stored, 0.0 and -0.0 differ.

    >>> same_rows([(1, 162478.50125), (2, None)], [(2, None), (1, 162478.50124999997)], ordered=False)
    True
    >>> same_rows([(1, 0.5), (1, 0.5)], [(1, 0.5), (1, 0.51)], ordered=False)
    False
    >>> same_rows([(date(2026, 1, 1),)], [(datetime(2026, 1, 1),)], ordered=False)
    True
    >>> same_rows([(1, -0.0)], [(1, 0.0)], ordered=False, query="SELECT n, x FROM t")
    False
    >>> same_rows([(1, -0.0)], [(1, 0.0)], ordered=False, query="SELECT n, min(x) FROM t GROUP BY n")
    True
    """
    if len(mine) != len(theirs):
        return False
    if query and any(map(_is_negative_zero, chain.from_iterable((*mine, *theirs)))):
        kept = _stored_outputs(query, len(mine[0]))
        mine, theirs = _with_signs(mine, kept), _with_signs(theirs, kept)
    if ordered:
        return all(_near(_rounded(row), _rounded(other)) for row, other in zip(mine, theirs, strict=True))
    left, right = Counter(map(_rounded, mine)), Counter(map(_rounded, theirs))
    others = list((right - left).elements())
    return all(_taken(row, others) for row in (left - right).elements())


def _is_negative_zero(value: object) -> bool:
    return isinstance(value, float) and value == 0 and math.copysign(1, value) < 0


# Spark replaces -0.0 by 0.0 in grouping keys, and which of several equal rows LIMIT returns is open.
_OPEN = (exp.Group, exp.Distinct, exp.AggFunc, exp.SetOperation, exp.Pivot, exp.Limit)


def _stored_outputs(query: str, width: int) -> Container[int]:
    """Return the positions of the query's outputs that are columns of rows as they are stored.

    >>> _stored_outputs("SELECT x, t.y AS z, x + 1 FROM t WHERE x > 0", 3)
    [0, 1]
    >>> _stored_outputs("SELECT * FROM t", 3), _stored_outputs("SELECT DISTINCT x FROM t", 1)
    (range(0, 3), [])
    """
    tree = sqlglot.parse_one(query, read=_Spark)
    if not isinstance(tree, exp.Select) or tree.find(*_OPEN) is not None:
        return []
    if any(output.is_star for output in tree.expressions):
        return range(width if len(tree.expressions) == 1 else 0)
    return [i for i, output in enumerate(tree.expressions) if isinstance(output.unalias(), exp.Column)]


def _with_signs(rows: Rows, kept: Container[int]) -> Rows:
    """Return the rows with -0.0 as a text in the outputs at the positions `kept`."""
    return [
        tuple("-0.0" if i in kept and _is_negative_zero(value) else value for i, value in enumerate(row))
        for row in rows
    ]


def _taken(row: tuple[Any, ...], others: Rows) -> bool:
    """Remove one of the other rows that is the same except for a digit rounded the other way; return whether there was
    one.
    """
    found = next((other for other in others if _near(row, other)), None)
    if found is not None:
        others.remove(found)
    return found is not None


def _near(row: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return len(row) == len(other) and all(
        math.isclose(value, same, rel_tol=2e-9, abs_tol=2e-6)
        if isinstance(value, float) and isinstance(same, float)
        else value == same
        for value, same in zip(row, other, strict=True)
    )


def _rounded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    # DuckDB averages decimals as doubles: their digits are compared on Spark.
    return tuple(_comparable(value) for value in row)


def _comparable(value: object) -> object:
    if isinstance(value, list):  # an array, or a set in DuckDB
        return tuple(value)
    if isinstance(value, dict):  # a structure, or a map
        return repr(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        # DuckDB truncates a date to a timestamp, Spark to a date: types are compared on Spark.
        return datetime.combine(value, time.min)
    return _significant(float(value)) if isinstance(value, float | Decimal) else value


def _significant(value: float) -> float | str:
    """Return a number rounded to nine digits: more than a wrong row would share, fewer than a sum in another order may
    change.
    """
    if not math.isfinite(value):
        return str(value)
    return 0.0 if abs(value) < 1e-6 else round(value, 9 - math.floor(math.log10(abs(value))))
