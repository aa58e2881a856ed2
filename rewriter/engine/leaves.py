"""Matches views whose FROM has grouped derived tables, or that have HAVING: each derived table is matched separately.

A query or view with HAVING is treated as a query over its groups. In the example, <s> and <r> are the view's derived
tables s and r. `asked` is the query after its derived tables have been replaced by <s> and <r>; rules then match this
query with the view's outer query, which joins the same two tables.

view:   SELECT s.region, s.total, r.back FROM (SELECT region, sum(x) AS total FROM sales GROUP BY region) AS s
        JOIN (SELECT region, sum(x) AS back FROM returns GROUP BY region) AS r ON s.region = r.region
query:  SELECT a.t FROM (SELECT region, sum(x) AS t FROM sales WHERE region <> 'eu' GROUP BY region) AS a
        JOIN (SELECT region, sum(x) AS b FROM returns GROUP BY region) AS b ON a.region = b.region
asked:  SELECT a.total FROM <s> AS a JOIN <r> AS b ON a.region = b.region WHERE a.region <> 'eu'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp

from rewriter.block import Block, Occurrence, Predicates, predicates_of
from rewriter.block.changed import changed
from rewriter.functions.trees import cast
from rewriter.layers import Obstacle, in_place_of, over_groups
from rewriter.match import AccessPath, Match, Miss, Reason, Rewriting
from rewriter.match.access_path import STORAGE_ALIAS
from rewriter.match.inexact import inexact_use, unrounded
from rewriter.model import Table
from rewriter.schema import expression_type

Tree = exp.Expr
AskLeaf = Callable[[Predicates, AccessPath], Match | Miss]

_OBSTACLES = {
    Obstacle.WINDOW: "the query uses a window function of a derived table, and the joins, filters or groups around the "
    "derived table would change the rows of its windows: create a view whose query is this derived table",
    Obstacle.COMPUTED: "the query has an outer join with a derived table that computes more than the view's derived "
    "table: create a view with the derived table of the query",
    Obstacle.FULL_JOIN: "the query has a FULL join, and a derived table that filters more than the view's derived "
    "table: create a view with the derived table of the query",
}


class Placed(NamedTuple):
    """A query in which derived tables have been replaced by the derived tables of a view's query.

    `ids` are the table ids of these derived tables.
    """

    question: Predicates
    ids: frozenset[str] = frozenset()


def over_derived(query: Predicates, path: AccessPath, ask: AskLeaf) -> Iterator[Placed | Miss]:
    """Yield the query for each way of replacing its derived tables by the derived tables of a view's query.

    Yield a Miss for each way that fails. For a view without derived tables, yield the query unchanged. `path` is the
    access path to the view. `ask` answers one derived table of the query from one derived table of the view.
    """
    leaves = [table for table in path.block.tables if table.inner is not None]
    if not leaves:
        yield Placed(query)
        return
    inexact = inexact_use(replace(path.block, outputs=()))
    if inexact is not None:
        yield Miss(Reason.FLOAT_SUM_DECIDES_ROWS, inexact)
        return
    asked = replace(query.block, where=query.conjuncts)
    blocks = [block for block in (asked, over_groups(asked)) if block is not None and block.derived]
    if not blocks:
        yield Miss(
            Reason.SHAPE,
            "the view has HAVING or reads a derived table with GROUP BY, but the query has neither a GROUP BY without "
            "grouping sets nor such a derived table: create a view without HAVING and without this derived table",
        )
    for block in blocks:
        if len(leaves) <= len(block.tables):
            for found in _placed(block, leaves, frozenset(), path, query.zone, ask):
                yield found if isinstance(found, Miss) else _checked(found, query.zone)


class _Found(NamedTuple):
    block: Block
    ids: frozenset[str]


def _checked(found: _Found, zone: str) -> Placed | Miss:
    inexact = inexact_use(found.block)
    if inexact is not None:
        return Miss(Reason.FLOAT_SUM_DECIDES_ROWS, inexact)
    return Placed(predicates_of(found.block, zone), found.ids)


def _placed(
    block: Block, leaves: Sequence[Occurrence], ids: frozenset[str], path: AccessPath, zone: str, ask: AskLeaf
) -> Iterator[_Found | Miss]:
    if not leaves:
        yield _Found(block, ids)
        return
    first, *rest = leaves
    for table in block.tables:
        if table.inner is None or table.id in ids:
            continue
        read = _read(table.inner, first, path, zone, ask)
        found = _in_place(block, table, first, read) if isinstance(read, Rewriting) else read
        if isinstance(found, Miss):
            yield found
        else:
            yield from _placed(found, rest, ids | {table.id}, path, zone, ask)


def _read(inner: Block, leaf: Occurrence, path: AccessPath, zone: str, ask: AskLeaf) -> Rewriting | Miss:
    """Return the plan that reads the query's derived table `inner` from the view's derived table `leaf`.

    The plan only filters the rows of `leaf` and computes columns. Return a Miss if the view's derived table cannot
    answer the query's, or only by grouping again. `ask` answers one block from an access path.
    """
    assert leaf.inner is not None
    storage = Table(leaf.name, "", leaf.columns, ())
    held = replace(path, block=leaf.inner, storage=storage, columns=tuple(c.name for c in leaf.columns), only=())
    # A value rounded here may be used in any way by the outer query.
    decides = any(unrounded(output) is not output for output in inner.outputs)
    found = ask(predicates_of(replace(inner, decides=decides), zone), held)
    if isinstance(found, Miss):
        return found
    plain = Rewriting(storage, (), found.rewriting.outputs, found.rewriting.where)
    if found.rewriting != plain:
        return Miss(
            Reason.SHAPE,
            "the view has applied HAVING or an outer SELECT to its groups, so the groups cannot be joined or "
            "aggregated again, which the query needs: create a view with the joins and the GROUP BY of the query",
        )
    return plain


def _in_place(block: Block, table: Occurrence, leaf: Occurrence, read: Rewriting) -> Block | Miss:
    """Return a block with its derived table `table` replaced by the view's derived table `leaf`.

    `read` has the filters and expressions over `leaf` that give the rows of `table`. Return a Miss if the block's use
    of `table` does not allow this, for example because a filter would have to run before a FULL join.
    """
    assert table.inner is not None
    outputs = {
        column.name.lower(): _typed(_of(output, table.id), column.type, leaf, table.id)
        for column, output in zip(table.columns, read.outputs, strict=True)
    }
    filters = tuple(_of(tree, table.id) for tree in read.where)
    placed = in_place_of(block, table, leaf, outputs, filters)
    return placed if isinstance(placed, Block) else Miss(Reason.SHAPE, _OBSTACLES[placed])


def _of(tree: Tree, table: str) -> Tree:
    """Return an expression over storage columns with each of these columns qualified by the table id `table`."""

    def moved(node: Tree) -> Tree:
        if not isinstance(node, exp.Column) or node.table != STORAGE_ALIAS:
            return node
        return exp.column(node.name.lower(), table)

    return changed(tree, moved)


def _typed(tree: Tree, kind: str, leaf: Occurrence, table: str) -> Tree:
    """Return an expression cast to the type `kind`, unless it already has this type.

    The expression is over the columns of the view's derived table `leaf`, which has the id `table`.
    """
    given = expression_type(tree, Block((replace(leaf, id=table),), (), (), ()))
    return tree if given == kind else cast(tree, kind)
