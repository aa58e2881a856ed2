"""Printed SQL parses to the same tree."""

from __future__ import annotations

import re

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
