"""The reasons of rewrite rules name the clause of the view or the query that excludes the rule."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewriter.block import Block, Found, Predicates, build_block
from rewriter.match import AccessPath, Ask, Miss
from rewriter.model import Change, ChangeKind, Column, MaterializedView, Snapshot, Table, TableName
from rewriter.rules.changelog_union import changelog_union
from rewriter.rules.delta_union import delta_union
from rewriter.rules.roll_up_bitmaps import roll_up_bitmaps
from rewriter.rules.union_remainder import union_remainder
from rewriter.sql import parse_select

SALES, DATES, VIEW, STORAGE = (TableName(("lake", name)) for name in ("sales", "dates", "v", "v__storage"))
COLUMNS = (Column("day", "date"), Column("price", "int"))
GROUPS = "SELECT day, sum(price) AS total FROM sales GROUP BY day"
JOINED = "SELECT d.day, sum(s.price) AS total FROM dates d LEFT JOIN sales s ON s.day = d.day GROUP BY d.day"
GROWN = (Change(SALES, ChangeKind.APPENDED, 1, 2, COLUMNS),)


def block_of(sql: str) -> Block:
    return build_block(parse_select(sql), lambda table: Found(TableName(("lake", table.name)), COLUMNS))


def asked(query: str, view: str, grown: tuple[Change, ...] = ()) -> Ask:
    """Return the Ask for a query and a view, in which the tables of the same name correspond."""
    block, held = block_of(query), block_of(view)
    storage = Table(STORAGE, "s", COLUMNS, (Snapshot(1, 0, "append", 0),))
    made = MaterializedView(VIEW, "v", 1, view, view, STORAGE, COLUMNS, "lake", ())
    path = AccessPath(made, held, storage, ("day", "total"), grown=grown)
    ids = {table.name: table.id for table in block.tables}
    mapping = {table.id: ids[table.name] for table in held.tables}
    return Ask(Predicates(block, block.where, "UTC"), path, mapping)


@pytest.mark.parametrize(
    ("query", "view", "reason"),
    [
        (
            JOINED,
            f"{GROUPS} HAVING sum(price) > 1",
            "the view has HAVING, so the view's stored groups cannot be combined with the groups that",
        ),
        (GROUPS, "SELECT day, price FROM sales", "the view has neither GROUP BY nor aggregates"),
        ("SELECT day, price FROM sales", GROUPS, "the query has neither GROUP BY nor aggregates"),
    ],
)
def test_rows_that_the_view_lacks(query: str, view: str, reason: str) -> None:
    missed = union_remainder(asked(query, view))
    assert isinstance(missed, Miss)
    assert missed.detail.startswith(reason)


def test_a_further_table_joined_to_rows_without_a_match() -> None:
    joined = "sales s LEFT JOIN dates d ON s.day = d.day LEFT JOIN dates e ON e.day = d.day"
    ask = asked(GROUPS, GROUPS)
    block = block_of(f"SELECT s.day, sum(s.price) AS total FROM {joined} GROUP BY s.day")
    unmatched = replace(block, joins=(replace(block.joins[0], kind="ANTI"), *block.joins[1:]))
    missed = union_remainder(replace(ask, question=Predicates(unmatched, (), "UTC")))
    assert isinstance(missed, Miss)
    assert missed.detail.startswith("the view joins another table to d, which")


def test_appended_rows() -> None:
    missed = delta_union(asked(JOINED, f"{GROUPS} HAVING sum(price) > 1", GROWN))
    assert isinstance(missed, Miss)
    assert missed.detail.startswith(
        "the view has HAVING, so the view's stored groups cannot be combined with the groups of the appended"
    )


CHANGED = (replace(GROWN[0], kind=ChangeKind.CHANGED),)


@pytest.mark.parametrize(
    ("query", "grown", "reason"),
    [
        (GROUPS, (), "the rule changelog_union reads rows deleted from the view's base tables"),
        (GROUPS, GROWN, "the rule changelog_union reads rows deleted from the view's base tables"),
        (
            "SELECT day, price FROM sales",
            CHANGED,
            "rows were deleted or replaced since the last refresh, and the query",
        ),
        (JOINED, CHANGED, "rows of lake.sales, on the right side of a LEFT join, were deleted or replaced since"),
        (
            "SELECT s.day FROM dates d FULL JOIN sales s ON s.day = d.day GROUP BY s.day",
            CHANGED,
            "rows of lake.sales, in a FULL join, were changed since the last refresh, so that other rows may have",
        ),
        (
            "SELECT day, min(price) FROM sales GROUP BY day",
            CHANGED,
            "the current rows, because a deleted row cannot be subtracted from min: ",
        ),
    ],
)
def test_changed_rows(query: str, grown: tuple[Change, ...], reason: str) -> None:
    missed = changelog_union(asked(query, GROUPS, grown))
    assert isinstance(missed, Miss)
    assert missed.detail.startswith(reason)


def test_a_column_of_the_list_of_changes() -> None:
    ask = asked(GROUPS, GROUPS, CHANGED)
    assert isinstance(ask.question, Predicates)
    block = ask.question.block
    named = replace(block.tables[0], columns=(*COLUMNS, Column("_change_type", "string")))
    missed = changelog_union(replace(ask, question=Predicates(replace(block, tables=(named,)), (), "UTC")))
    assert isinstance(missed, Miss)
    assert missed.detail.startswith("lake.sales has a column _change_type")


def test_bitmaps_that_the_view_lacks() -> None:
    missed = roll_up_bitmaps(asked("SELECT day, count(DISTINCT price) FROM sales GROUP BY day", GROUPS))
    assert isinstance(missed, Miss)
    assert "add bitmap_bucket_number(price) to the view's GROUP BY" in missed.detail
