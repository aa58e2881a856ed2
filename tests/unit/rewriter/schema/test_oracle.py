"""The type oracle says what Spark said, or refuses; it knows most of the recorded expressions."""

from __future__ import annotations

import pytest
from sqlglot import exp

from rewriter.block import Found, Unsupported, build_block
from rewriter.model import Column, TableName
from rewriter.schema import Uncertain, column_type, name_of, output_columns, type_of
from rewriter.sql import ParseError, parse_select
from tests.unit.rewriter.schema.expressions import COLUMNS, Recorded, recorded

TABLE = Found(TableName(("lake", "demo", "t")), tuple(Column(name, kind) for name, kind in COLUMNS.items()))


def said(line: Recorded) -> Column | None:
    """Return the oracle's column for an expression; None if it refuses, or if blocks do not support the expression."""
    try:
        sql = f"SELECT {line.text} FROM t"
        tree = parse_select(sql)
        return output_columns(build_block(tree, lambda table: TABLE), tree, sql)[0]
    except (ParseError, Unsupported, Uncertain):
        return None


def test_names_and_types_are_sparks() -> None:
    known = [(line, column) for line in recorded() if (column := said(line)) is not None]
    wrong = [(line, column) for line, column in known if (column.name, column.type) != (line.name, line.type)]
    assert not wrong
    assert len(known) > 2915


def test_types_of_what_has_no_block_yet() -> None:
    wrong = []
    for line in recorded():
        try:
            tree = parse_select(f"SELECT {line.text} FROM t").expressions[0]
            kind = type_of(tree, lambda column: COLUMNS.get(column.name.lower()))
        except (ParseError, Uncertain):
            continue
        if kind != line.type:
            wrong.append((line, kind))
    assert not wrong


@pytest.mark.parametrize(
    "text", ["i + s", "dt - dt", "elsewhere(i)", "coalesce(i, s)", "nope", "round(dc, i)", "dt + INTERVAL 1 QUARTER"]
)
def test_what_is_not_certain_is_refused(text: str) -> None:
    with pytest.raises(Uncertain, match="not known"):
        type_of(parse_select(f"SELECT {text} FROM t").expressions[0], lambda column: COLUMNS.get(column.name))


@pytest.mark.parametrize("text", ["extract(YEAROFWEEK FROM ts)", "date_part('doy', dt)", "datepart('HOURS', ntz)"])
def test_fields_of_times_are_integers(text: str) -> None:
    assert type_of(parse_select(f"SELECT {text} FROM t").expressions[0], lambda c: COLUMNS.get(c.name)) == "int"


@pytest.mark.parametrize("text", ["extract(SECOND FROM ts)", "date_part('HOUR', s)", "date_part(s, ts)"])
def test_other_fields_are_not_certain(text: str) -> None:
    with pytest.raises(Uncertain, match="not known"):
        type_of(parse_select(f"SELECT {text} FROM t").expressions[0], lambda c: COLUMNS.get(c.name))


def test_an_uncertain_type_names_the_call() -> None:
    with pytest.raises(
        Uncertain, match=r"COALESCE\(i, s\) is not known: the common type of int and string is not known"
    ):
        type_of(parse_select("SELECT coalesce(i, s) FROM t").expressions[0], lambda column: COLUMNS.get(column.name))


@pytest.mark.parametrize("text", ["coalesce()", "sum()", "nvl2(i, i)"])
def test_too_few_arguments(text: str) -> None:
    with pytest.raises(Uncertain, match="has too few arguments"):
        type_of(parse_select(f"SELECT {text} FROM t").expressions[0], lambda column: COLUMNS.get(column.name))


@pytest.mark.parametrize(
    "text",
    [
        "TIMESTAMP '2024-01-01 00:00:00'", "DATE '2024-1-1'", "TRY_CAST(s AS INT)", "ceil(i, 2)", "1e3", "f()",
        "rank(i) OVER (ORDER BY i)", "percent_rank(i, i) OVER (ORDER BY i)", "ntile() OVER (ORDER BY i)",
    ],
)  # fmt: skip
def test_names_that_are_not_certain(text: str) -> None:
    with pytest.raises(Uncertain, match=r"give the output an alias|name"):
        name_of(parse_select(f"SELECT {text} FROM t").expressions[0])


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("CHARACTER ( 3 )", "string"), ("Dec(5)", "decimal(5,0)"), ("decimal", "decimal(10,0)"), ("real", "float"),
        ("struct<a: int, b: array<STRING>>", "struct<a:int,b:array<string>>"),
        ("map<string, long>", "map<string,bigint>"),
        ("TIMESTAMP_LTZ", "timestamp"),
    ],
)  # fmt: skip
def test_types_as_they_are_declared(written: str, kind: str) -> None:
    assert column_type(written) == kind


@pytest.mark.parametrize("written", ["money", "decimal(39,2)", "decimal(3,4)", "array<"])
def test_what_is_no_type(written: str) -> None:
    with pytest.raises(Uncertain):
        column_type(written)


def test_stars_and_aliases_keep_their_places() -> None:
    sql = "SELECT *, i + 1, s AS i FROM t"
    tree = parse_select(sql)
    assert isinstance(tree, exp.Select)
    columns = output_columns(build_block(tree, lambda table: TABLE), tree, sql)
    assert columns[-2:] == (Column("(i + 1)", "int"), Column("i", "string"))
    assert len(columns) == len(COLUMNS) + 2
