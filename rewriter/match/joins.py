"""Matches the outer, semi and anti joins of a view with those of a query, for one mapping of the view's tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from rewriter.block import Block, Join, Predicates, meaning, rejected, renamed
from rewriter.block.equivalence import key_of
from rewriter.block.predicates import equated
from rewriter.block.words import words
from rewriter.match.reasons import Miss, Reason
from rewriter.model import Table
from rewriter.sql import columns_in

Tree = exp.Expr


@dataclass(frozen=True)
class Filled:
    """The tables, by their ids, that an outer join of the view fills with NULLs in its rows without a match.

    `columns` are never NULL in rows with a match. `on` is the ON condition of a LEFT join, empty for other joins.
    """

    tables: frozenset[str]
    columns: tuple[Tree, ...]
    on: tuple[Tree, ...] = ()


@dataclass(frozen=True)
class Joined:
    """The result of matching a query's outer, semi and anti joins with a view's.

    - `extra`: the query's joins that the view does not have
    - `matched`: the ON conjuncts of the view's outer joins that are inner joins in the query
    - `narrowed`: the ON conjuncts of the view's outer joins that are inner joins in the query, and of its FULL joins
      that are LEFT or ANTI joins; by these, Spark may filter a table before the join in the query, but not in the view
    - `present`: the tables for filters `IS NOT NULL`, which drop rows that only the view has. If the view has `s LEFT
      JOIN d` and the query has `s JOIN d`, this is d
    - `absent`: the tables for filters `IS NULL`. If the view has `s LEFT JOIN d` and the query has an ANTI join of d,
      this is d

    `present` and `absent` have one entry for each join that needs a filter; a filter on one column of the entry is
    enough.
    """

    extra: tuple[Join, ...] = ()
    matched: tuple[Tree, ...] = ()
    narrowed: tuple[Tree, ...] = ()
    present: tuple[Filled, ...] = ()
    absent: tuple[Filled, ...] = ()


def filling_join(block: Block, mapping: Mapping[str, str]) -> Join | None:
    """Return the query's LEFT join that has exactly the tables of the view on its right side; None if there is none.

    `mapping` maps the ids of the view's tables to those of the query's tables.
    """
    tables = frozenset(mapping.values())
    return next((join for join in block.joins if join.kind == "LEFT" and join.tables == tables), None)


def testing_join(block: Block, mapping: Mapping[str, str]) -> Join | None:
    """Return the query's SEMI or ANTI join that has exactly the tables of the view on its right side; else None.

    Joins of subqueries are left out, because a subquery is answered as a block of its own. `mapping` maps the ids of
    the view's tables to those of the query's tables.
    """
    tables = frozenset(mapping.values())
    testing = (join for join in block.joins if join.kind in ("SEMI", "ANTI") and not join.subquery)
    return next((join for join in testing if join.tables == tables), None)


def referencing(
    on: Sequence[Tree], tables: frozenset[str], block: Block, sources: Sequence[Table]
) -> Iterator[list[exp.Column]]:
    """Yield the columns of each declared foreign key by which an ON condition joins a table, without other conditions.

    `s LEFT JOIN d ON s.dim_id = d.id` yields `s.dim_id`, if this is a foreign key that references the primary key of d.
    `tables` are the ids of the joined tables; yield nothing for several. `sources` are the tables in the catalog, with
    their keys.
    """
    known = {source.name: source for source in sources}
    joined = next((table for table in block.tables if {table.id} == tables), None)
    pairs = [equated(conjunct, block) for conjunct in on]
    if joined is None or joined.name not in known or None in pairs:
        return
    sides = {frozenset((key_of(pair[0]), key_of(pair[1]))) for pair in pairs if pair is not None}
    for owner in block.tables:
        if owner.id == joined.id or owner.name not in known:
            continue
        for columns in known[owner.name].references(known[joined.name]):
            if sides == {frozenset(((owner.id, mine), (joined.id, theirs))) for mine, theirs in columns}:
                yield [exp.column(mine, owner.id) for mine, _ in columns]


def join_views(
    query: Predicates, view: Block, mapping: Mapping[str, str], bringing: Join | None = None
) -> Joined | Miss:
    """Match the outer, semi and anti joins of the view with those of the query, and return the result as Joined.

    `bringing` is the query's LEFT, SEMI or ANTI join that has the tables of the view, and no other tables, on its right
    side; None if there is none. `mapping` maps the table ids of the view to those of the query. Return a Miss if the
    joins differ in a way that no filter on the view's rows corrects.

    law:    equal joins keep the same rows; if the view has a LEFT join where the query has an inner join, the view has
            additional rows, in which a never-NULL column of the right side is NULL; tables that only the query joins
            are joined to the view
    view:   SELECT s.id, d.id AS dim, d.name FROM sales s LEFT JOIN dim d ON s.dim_id = d.id
    query:  SELECT s.id, d.name FROM sales s JOIN dim d ON s.dim_id = d.id
    gives:  SELECT id, name FROM view WHERE dim IS NOT NULL
    no:     SELECT s.id, d.name FROM sales s LEFT JOIN dim d ON s.dim_id = d.id AND d.name = 'a'

    law:    a FULL join keeps all rows of a narrower join of the same tables on the same condition; these are the rows
            in which a never-NULL column of each side that the narrower join preserves (of both sides for an inner join)
            is not NULL
    view:   SELECT s.id, d.id AS dim, d.name FROM sales s FULL JOIN dim d ON s.dim_id = d.id
    query:  SELECT s.id, d.name FROM sales s LEFT JOIN dim d ON s.dim_id = d.id
    gives:  SELECT id, name FROM view WHERE id IS NOT NULL

    law:    a LEFT or FULL join keeps each row of the left side without a match once; a never-NULL column of the right
            side is NULL in just these rows
    view:   SELECT s.id, d.id AS dim FROM sales s LEFT JOIN dim d ON s.dim_id = d.id
    query:  SELECT s.id FROM sales s WHERE NOT EXISTS (SELECT * FROM dim d WHERE s.dim_id = d.id)
    gives:  SELECT id FROM view WHERE dim IS NULL
    """
    rest = list(query.block.joins)
    matched: list[Tree] = []
    narrowed: list[Tree] = []
    present: list[Filled] = []
    absent: list[Filled] = []
    for own in view.joins:
        join = own.renamed(mapping)
        same = next((other for other in rest if _equal(join, other)), None)
        if same is not None:
            rest.remove(same)
            continue
        left = next((other for other in rest if _is_left_of(other, join, query.block)), None)
        anti = next((other for other in rest if _is_anti_of(other, join, query.block)), None)
        narrower = left or anti
        if narrower is not None:
            rest.remove(narrower)
            if join.kind == "FULL":
                kept = join.tables - narrower.tables
                present.append(Filled(kept, _declared(query.block, kept)))
                narrowed += join.on
            if anti is not None:
                on = join.on if join.kind == "LEFT" else ()
                absent.append(Filled(anti.tables, _never_null(join, anti.tables, query.block), on))
            continue
        if not _inner_in(join, query):
            return Miss(
                Reason.JOIN_DIFFERS,
                f"the view has {in_words(own, view)}, which the query lacks: create a view without the join",
            )
        matched += join.on
        narrowed += join.on
        sides = [frozenset({table}) for table in sorted(join.tables)] if join.kind == "FULL" else [join.tables]
        on = join.on if join.kind == "LEFT" else ()
        present += (Filled(side, _never_null(join, side, query.block), on) for side in sides)
    mapped = frozenset(mapping.values())
    for join in rest:
        if join.kind == "FULL" or (join.tables & mapped and join is not bringing):
            return Miss(
                Reason.JOIN_DIFFERS,
                f"the query has {in_words(join, query.block)}, which the view lacks: add the join to the view",
            )
    return Joined(tuple(rest), tuple(matched), tuple(narrowed), tuple(present), tuple(absent))


def _equal(left: Join, right: Join) -> bool:
    if (left.kind, left.tables) != (right.kind, right.tables):
        return False
    return {*map(meaning, left.on)} == {*map(meaning, right.on)}


def _is_left_of(left: Join, full: Join, block: Block) -> bool:
    """Return whether each row of the LEFT join `left` is also a row of the FULL join `full` of the same tables."""
    return (left.kind, full.kind) == ("LEFT", "FULL") and _narrows(left, full, block)


def _is_anti_of(anti: Join, outer: Join, block: Block) -> bool:
    """Return whether the ANTI join `anti` returns the unmatched left rows of the LEFT or FULL join `outer`."""
    if anti.kind != "ANTI" or outer.kind not in ("LEFT", "FULL"):
        return False
    if outer.kind == "FULL":
        return _narrows(anti, outer, block)
    return anti.tables == outer.tables and {*map(meaning, anti.on)} == {*map(meaning, outer.on)}


def _narrows(join: Join, full: Join, block: Block) -> bool:
    """Return whether `join` and the FULL join `full` join the same two tables by the same ON condition.

    `join` is a LEFT or ANTI join. Return False if another outer, semi or anti join of the block has one of these tables
    on its right side, or if another FULL join has one of these tables on either side.
    """
    if not join.tables < full.tables:
        return False
    filled = any(other is not join and full.tables & other.tables for other in block.joins)
    return not filled and {*map(meaning, join.on)} == {*map(meaning, full.on)}


def _inner_in(join: Join, query: Predicates) -> bool:
    """Return whether the query has the view's outer join `join` as an inner join.

    The query then joins the same tables in none of its outer, semi and anti joins, and its conditions imply the ON of
    `join`.
    """
    outer = any(join.tables & other.tables for other in query.block.joins)
    return join.kind in ("LEFT", "FULL") and not outer and all(query.implies(conjunct) for conjunct in join.on)


def _never_null(join: Join, side: frozenset[str], block: Block) -> tuple[Tree, ...]:
    """Return the columns of the tables `side`, given by their ids, that are NULL only in rows without a match.

    `join` is an outer join of the block, which may fill the columns of these tables with NULLs.
    """
    compared = (operand for conjunct in join.on for operand in rejected(conjunct))
    certain = [operand for operand in compared if isinstance(operand, exp.Column) and operand.table in side]
    return (*certain, *_declared(block, side))


def _declared(block: Block, side: frozenset[str]) -> tuple[Tree, ...]:
    """Return the NOT NULL columns of the tables whose ids are in `side`."""
    return tuple(
        exp.column(column.name.lower(), table.id)
        for table in block.tables
        if table.id in side
        for column in table.columns
        if not column.nullable
    )


def inner_in_view(query: Block, view: Block, mapping: Mapping[str, str]) -> Miss | None:
    """Return the Miss for the first LEFT, RIGHT or FULL join of the query that is an inner join in the view; else None.

    `mapping` maps the ids of the view's tables to those of the query's tables, without tables that the query lacks.
    """
    shared = (each for each in view.where if all(column.table in mapping for column in columns_in(each)))
    where = {meaning(renamed(conjunct, mapping)) for conjunct in shared}
    for join in query.joins:
        if join.kind in ("LEFT", "FULL") and not where.isdisjoint(map(meaning, join.on)):
            return Miss(
                Reason.JOIN_DIFFERS,
                f"the query has {in_words(join, query)}, where the view has an inner join: create a view with the join "
                "of the query",
            )
    return None


# The article and the kind of each join in messages; a LEFT join whose right side comes first in FROM was written RIGHT.
_KINDS = {
    "LEFT": "a LEFT join of",
    "RIGHT": "a RIGHT join of",
    "FULL": "a FULL join of",
    "SEMI": "a SEMI join (EXISTS or IN) of",
    "ANTI": "an ANTI join (NOT EXISTS or NOT IN) of",
}


def in_words(join: Join, block: Block) -> str:
    """Return a join of a block as text for a message: `a FULL join of dim ON sales.dim_id = dim.id`."""
    kept = {column.table for conjunct in join.on for column in columns_in(conjunct)} - join.tables
    order = [table.id in join.tables for table in block.tables if table.id in kept | join.tables]
    right = join.kind == "LEFT" and bool(kept) and order == sorted(order, reverse=True)
    shown = kept if right else join.tables
    # A view's block is built from its storage query, whose aliases are ids.
    names = {table.id: table.name.table if table.alias == table.id else table.alias for table in block.tables}
    tables = " and ".join(name for each, name in names.items() if each in shown)
    kind = _KINDS["RIGHT" if right else join.kind]
    return f"{kind} {tables} ON {' AND '.join(words(conjunct) for conjunct in join.on)}"
