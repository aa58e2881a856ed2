"""Upper bounds of the number of rows of a join."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewriter import Definitions
from rewriter.block import Block, build_block
from rewriter.engine.questions import finder
from rewriter.match.most_rows import most_groups, most_rows
from rewriter.model import Column, Session, Table, TableName
from rewriter.sql import parse


def table(name: str, columns: str, records: int | None, key: tuple[str, ...] = ()) -> Table:
    pairs = (column.split() for column in columns.split(", "))
    named = tuple(Column(called, kind) for called, kind in pairs)
    return Table(TableName(("lake", "demo", name)), name, named, (), records=records, primary_key=key)


FACTS = table("facts", "a int, b int, s string, n int", 1000)
DIM = table("dim", "id int, up int, s string", 20, ("ID",))
TOP = table("top", "id int, n int", 3, ("id",))
NONE = table("unknown", "id int", None)
RELATIONS = {each.name: each for each in (FACTS, DIM, TOP, NONE)}


def block_of(sql: str, *changed: Table) -> Block:
    session = Session("lake", ("demo",), {}, catalogs=frozenset({"lake"}))
    statement = parse(sql, session)
    tree = statement.blocks[0].tree
    assert tree is not None
    relations = RELATIONS | {each.name: each for each in changed}
    return build_block(tree, finder(statement, Definitions(()), relations))


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("facts", 1000),
        ("unknown", None),
        ("facts, dim", 20_000),
        ("facts JOIN dim ON facts.a = dim.id", 1000),
        ("facts JOIN dim ON facts.a = dim.id JOIN top ON dim.up = top.id", 1000),
        ("top JOIN dim ON dim.up = top.id JOIN facts ON dim.id = facts.b", 1000),
        ("facts JOIN dim ON facts.a = dim.up", 20_000),  # which is no key
        ("facts JOIN dim ON facts.a < dim.id", 20_000),
        ("facts JOIN dim ON facts.s = dim.id", 20_000),  # '1' and '01' are one key, as numbers
        ("facts LEFT JOIN dim ON facts.a = dim.id", 1000),
        ("facts LEFT JOIN dim ON facts.s = dim.s", 20_000),
        ("facts FULL JOIN dim ON facts.a = dim.id", 1001 * 21),
        ("facts LEFT SEMI JOIN dim ON facts.s = dim.s", 1000),
        ("facts LEFT JOIN unknown ON facts.a = unknown.id", None),
        ("dim AS x JOIN dim AS y ON x.id = y.id", 20),
        ("dim AS x JOIN dim AS y ON x.id = y.up", 20),
    ],
)  # fmt: skip
def test_the_most_rows(source: str, rows: int | None) -> None:
    assert most_rows(block_of(f"SELECT sum(1) FROM {source}")) == rows


def test_each_row_is_in_a_group_of_each_grouping_set() -> None:
    assert most_groups(block_of("SELECT sum(n) FROM facts GROUP BY ROLLUP (a, b)")) == 3000


def test_no_rows_are_one_group() -> None:
    block = block_of("SELECT sum(n) FROM facts", replace(FACTS, records=0))
    assert (most_rows(block), most_groups(block)) == (0, 1)
