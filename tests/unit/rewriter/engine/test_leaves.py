"""The reasons why a derived table of a query cannot be read from the derived table of a view."""

from __future__ import annotations

import pytest

from rewriter import parse
from rewriter.block import Block, Found, predicates_of
from rewriter.engine.answer import answer
from rewriter.engine.leaves import over_derived
from rewriter.engine.questions import block_of
from rewriter.match import AccessPath, Miss
from rewriter.model import Column, MaterializedView, Session, Snapshot, Table, TableName

COLUMNS = (Column("id", "int"), Column("n", "int"))
VIEW, STORAGE = (TableName(("lake", "demo", name)) for name in ("v", "v__storage"))
JOINED = "SELECT names.id, {} FROM names {} JOIN (SELECT id, {} FROM facts {} GROUP BY id) AS d ON d.id = names.id"
RANKED = "rank() OVER (ORDER BY sum(n)) AS r"


def block(sql: str) -> Block:
    statement = parse(sql, Session("lake", ("demo",)))
    select = statement.blocks[0]
    assert select.tree is not None
    return block_of(select, select.tree, statement, lambda table: Found(TableName(("lake", table.name)), COLUMNS))[0]


def reasons(query: str) -> list[str]:
    """Return the reasons why a view of a join cannot answer a query; empty if the view can."""
    view = JOINED.format("d.total", "LEFT", "sum(n) AS total", "")
    storage = Table(STORAGE, "s", COLUMNS, (Snapshot(1, 0, "append", 0),))
    made = MaterializedView(VIEW, "v", 1, view, view, STORAGE, COLUMNS, "lake", ())
    path = AccessPath(made, block(view), storage, ("id", "total"))
    placed = over_derived(predicates_of(block(query), "UTC"), path, lambda inner, held: answer(inner, held).result)
    return [each.detail for each in placed if isinstance(each, Miss)]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (JOINED.format("d.x, d.r", "LEFT", f"sum(n) + 1 AS x, {RANKED}", ""), "the query uses a window function of a"),
        (JOINED.format("d.x", "LEFT", f"sum(n) + 1 AS x, {RANKED}", ""), "the query has an outer join with a derived"),
        (JOINED.format("d.x", "FULL", "sum(n) AS x", "WHERE id > 1"), "the query has a FULL join, and a derived table"),
    ],
)
def test_the_reason_names_the_obstacle(query: str, reason: str) -> None:
    (found,) = reasons(query)
    assert found.startswith(reason)


def test_a_window_function_that_is_not_used_is_no_obstacle() -> None:
    assert not reasons(JOINED.format("d.x", "LEFT", f"sum(n) AS x, {RANKED}", ""))
