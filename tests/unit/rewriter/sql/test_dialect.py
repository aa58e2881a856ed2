"""Printed SQL parses to the same tree."""

from __future__ import annotations

import contextlib
import re
import time

import pytest
from sqlglot import exp

from rewriter.model import quoted
from rewriter.model.names import RESERVED
from rewriter.sql import parse_select, render
from rewriter.sql.dialect import Dialect, ParseError

WORDS = {word.lower() for word in (*Dialect.Tokenizer.KEYWORDS, *RESERVED) if re.fullmatch(r"\w+", word)}


@pytest.mark.parametrize("name", sorted(WORDS))
def test_a_column_may_have_any_name(name: str) -> None:
    column = exp.column(name, "t0")
    text = render(column)
    tree = parse_select(f"SELECT {text} AS {quoted(name)} FROM t AS t0 WHERE NOT {text} GROUP BY {text}")
    (output,) = tree.expressions
    assert (output.this.name, output.this.table, output.alias) == (name, "t0", name)
    assert [read.name for read in tree.args["where"].find_all(exp.Column)] == [name]


def test_only_what_must_be_is_quoted() -> None:
    assert [render(exp.column(name, "t0")) for name in ("region", "date", "not", "a b")] == [
        "t0.region",
        "t0.date",
        "t0.`not`",
        "t0.`a b`",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "array(b)[0]",
        "map(a, b)[c]",
        "left(a, 2)",
        "any(a)",
        "if(a, b, c)",
        "transform",
        "t.`filter`",
        "sum(a) FILTER(WHERE b > 0)",
        "percentile(a, 0.5)",
        "count(DISTINCT substring(a, 1, 2))",
    ],
)
def test_calls_are_printed_as_they_are_typed(text: str) -> None:
    assert render(parse_select(f"SELECT {text} FROM t").expressions[0]) == text


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("extract(year FROM a)", "extract('year', a)"),
        ("EXTRACT ( Week from f(a, b) )", "extract('Week', f(a, b))"),
        ("extract", "extract"),
        ("extract('year', a)", "extract('year', a)"),
    ],
)
def test_the_part_that_is_extracted_is_read_as_a_text(text: str, read: str) -> None:
    assert render(parse_select(f"SELECT {text} FROM t").expressions[0]) == read


@pytest.mark.parametrize("text", ["extract('year' FROM a)", "extract(`year` FROM a)", "trim(BOTH 'x' FROM a)", "a\0"])
def test_a_call_with_a_syntax_of_its_own_is_not_read(text: str) -> None:
    with pytest.raises(ParseError):
        parse_select(f"SELECT {text} FROM t")


@pytest.mark.parametrize("word", ["isnull", "notnull"])
def test_what_only_other_dialects_say_behind_an_operand_is_its_alias(word: str) -> None:
    tree = parse_select(f"SELECT a {word}, isnull(a) FROM {word} WHERE {word} > 1")
    alias, call = tree.expressions
    assert (alias.alias, alias.this.sql(), render(call)) == (word, "a", "isnull(a)")
    assert tree.args["from_"].this.name == tree.args["where"].this.this.name == word


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 FROM t" + " JOIN t" * 28,
        "SELECT 1 FROM t" + " LEFT JOIN (SELECT 1 FROM u JOIN u)" * 28,
        "SELECT 1 FROM t" + " JOIN LATERAL (SELECT 1)" * 28,
        "SELECT 1 FROM t" + ", u JOIN v JOIN w" * 14,
        "SELECT 1 FROM t" + " STRAIGHT_JOIN u" * 28,
        "SELECT 1 FROM t" + " JOIN NATURAL" * 28,
        "SELECT" + " JOIN" * 28 + " a",
        "SELECT a JOIN b JOIN (" * 28 + "t" + ")" * 28,
        "SELECT a IS DISTINCT FROM a JOIN b JOIN (" * 28 + "t" + ")" * 28,
        "SELECT " + "int(" * 28 + "a" + ")" * 28,
        "SELECT " + "DATE(a, " * 28 + "a" + ")" * 28,
        "SELECT " + "struct(" * 28,
        "SELECT " + "object(" * 28 + "a" + ")" * 28,
        "SELECT " + "date[" * 28 + "a" + "]" * 28,
        "SELECT " + "NULL[" * 28 + "a" + "]" * 28,
        "SELECT " + "UNION(" * 28 + "a" + ")" * 28,
        "SELECT " + "UNION(SELECT " * 28 + "a" + ")" * 28,
        "SELECT " + "f(a LIMIT " * 28 + "1" + ")" * 28,
    ],
)
def test_nothing_is_parsed_again_and_again(text: str) -> None:
    began = time.process_time()
    with contextlib.suppress(ParseError):
        parse_select(text)
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a JOIN b LEFT JOIN c USING (x)", "a JOIN b ON TRUE LEFT JOIN c USING (x)"),
        ("a, b NATURAL JOIN c CROSS JOIN d", "a CROSS JOIN b NATURAL JOIN c CROSS JOIN d"),
        ("a LEFT SEMI JOIN b ON x FULL OUTER JOIN c", "a LEFT SEMI JOIN b ON x FULL OUTER JOIN c ON TRUE"),
        ("(a INNER JOIN b) JOIN LATERAL (SELECT 1)", "(a INNER JOIN b ON TRUE) JOIN LATERAL (SELECT 1) ON TRUE"),
        ("a straight_join", "a AS straight_join"),
    ],
)
def test_a_condition_belongs_to_the_join_before_it(text: str, read: str) -> None:
    assert render(parse_select(f"SELECT 1 FROM {text}")) == f"SELECT 1 FROM {read}"


@pytest.mark.parametrize("text", ["anti JOIN b", "a JOIN left JOIN b", "a JOIN b JOIN c ON x ON y"])
def test_a_join_that_sqlglot_would_misread_is_not_supported(text: str) -> None:
    with pytest.raises(ParseError):
        parse_select(f"SELECT 1 FROM {text}")


@pytest.mark.parametrize(
    "text", ["date(a)", "date[a]", "int(1.5)", "CAST(a AS DECIMAL(10, 2))", "struct(1)", "INTERVAL (a) DAY", "INT '1'"]
)
def test_a_types_name_is_a_type_only_where_spark_expects_one(text: str) -> None:
    (node,) = parse_select(f"SELECT {text} FROM t").expressions
    kinds = {"CAST": exp.Cast, "INT '": exp.Cast, "INTER": exp.Interval, "date[": exp.Bracket}
    assert isinstance(node, kinds.get(text[:5], kinds.get(text[:4], exp.Anonymous)))
