"""Matches the outer, semi and anti joins of a view and a query, for one table mapping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from rewriter.block import Block, Join, Predicates, meaning, rejected
from rewriter.block.words import words
from rewriter.match.candidate import Miss, Reason

Tree = exp.Expr


@dataclass(frozen=True)
class Joined:
    """How a query's joins follow from the view's.

    `extra` are those that the query has beside the view. `matched` are the ON conjuncts of LEFT joins
    of the view that are inner in the query: true wherever one of `present` (for each such join, a choice
    of columns) is not NULL.
    """

    extra: tuple[Join, ...] = ()
    matched: tuple[Tree, ...] = ()
    present: tuple[tuple[Tree, ...], ...] = ()


def join_views(query: Predicates, view: Block, mapping: Mapping[str, str]) -> Joined | Miss:
    """Match the joins of the view to those of the query.

    law:    equal joins keep the same rows; a LEFT join that is inner in the query keeps more, and a column
            that is never NULL on its right side tells which; joins of other tables come after the view's
    view:   SELECT s.id, d.id AS dim, d.name FROM sales s LEFT JOIN dim d ON s.dim_id = d.id
    query:  SELECT s.id, d.name FROM sales s JOIN dim d ON s.dim_id = d.id
    gives:  SELECT id, name FROM view WHERE dim IS NOT NULL
    no:     SELECT s.id, d.name FROM sales s LEFT JOIN dim d ON s.dim_id = d.id AND d.name = 'a'
    """
    rest = list(query.block.joins)
    matched: list[Tree] = []
    present: list[tuple[Tree, ...]] = []
    for join in (j.renamed(mapping) for j in view.joins):
        same = next((other for other in rest if _equal(join, other)), None)
        if same is not None:
            rest.remove(same)
            continue
        if not _inner_in(join, query):
            return Miss(Reason.JOIN_DIFFERS, f"the view has {_in_words(join)}")
        matched += join.on
        present.append(_never_null(join, query.block))
    mapped = frozenset(mapping.values())
    for join in rest:
        if join.kind == "FULL" or join.tables & mapped:
            return Miss(Reason.JOIN_DIFFERS, f"the query has {_in_words(join)}")
    return Joined(tuple(rest), tuple(matched), tuple(present))


def _equal(left: Join, right: Join) -> bool:
    if (left.kind, left.tables) != (right.kind, right.tables):
        return False
    return {*map(meaning, left.on)} == {*map(meaning, right.on)}


def _inner_in(join: Join, query: Predicates) -> bool:
    """Return whether a LEFT join of the view is an inner join of the query, on at least the same condition."""
    outer = any(join.tables & other.tables for other in query.block.joins)
    return join.kind == "LEFT" and not outer and all(query.implies(conjunct) for conjunct in join.on)


def _never_null(join: Join, block: Block) -> tuple[Tree, ...]:
    """Return columns of the right side that are NULL only in unmatched rows."""
    compared = (side for conjunct in join.on for side in rejected(conjunct))
    certain = [side for side in compared if isinstance(side, exp.Column) and side.table in join.tables]
    declared = (
        exp.column(column.name.lower(), table.id)
        for table in block.tables
        if table.id in join.tables
        for column in table.columns
        if not column.nullable
    )
    return (*certain, *declared)


def _in_words(join: Join) -> str:
    article = "an" if join.kind == "ANTI" else "a"
    return f"{article} {join.kind} join ON {' AND '.join(words(conjunct) for conjunct in join.on)}"
