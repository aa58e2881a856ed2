"""Splits a query in two phases: its groups with partial aggregates, then the query over these groups.

The partial aggregates are the components of the query's aggregates, from which an aggregate is computed (sum and count
for avg).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from sqlglot import exp

from rewriter.block import Block, Predicates, RangeSet, aggregate_of, predicates_of
from rewriter.block.words import words
from rewriter.match.access_path import AccessPath
from rewriter.match.reasons import Miss, Reason
from rewriter.model import Change, ChangeKind, Column
from rewriter.schema import UNKNOWN, components_of, expression_type, output_types
from rewriter.sql import columns_in, every

Tree = exp.Expr
# The assumed share of a query's rows that a view lacks, if the share cannot be estimated.
UNKNOWN_SHARE = 0.5


def decomposed(block: Block) -> Block:
    """Return the block of a query's first phase: the query's rows, or its groups with the components of all aggregates.

    `SELECT k, avg(x) FROM t GROUP BY k` gives `SELECT k, sum(x), count(x) FROM t GROUP BY k`. HAVING, ORDER BY, LIMIT,
    grouping sets and DISTINCT are left to the second phase. In a plan with a UNION ALL, each branch of the UNION ALL
    computes this block.
    """
    wanted = (*block.outputs, *block.having, *(item.key for item in block.order))
    made = _aggregates if block.keys is not None else _of_rows
    outputs = tuple(dict.fromkeys(chain(block.keys or (), *(made(tree, block) for tree in wanted))))
    names = (None,) * len(outputs)
    plain = replace(block, having=(), order=(), limit=None, offset=None, sets=None, distinct=False)
    return replace(plain, outputs=outputs, names=names)


def _of_rows(tree: Tree, block: Block) -> Iterator[Tree]:
    """Yield `tree`, an expression without aggregates, or the columns of `tree` if its type is not known for certain."""
    yield from (tree,) if expression_type(tree, block) != UNKNOWN else every(tree, exp.Column)


def _aggregates(tree: Tree, block: Block) -> Iterator[Tree]:
    call = aggregate_of(tree)
    if call is None:
        for inner in tree.iter_expressions():
            yield from _aggregates(inner, block)
    else:
        components = [each.call for each in components_of(call, block).values()] if tree is call else []
        yield from components or (tree,)


def derived_problem(block: Block, rows: str) -> str:
    """Return the problem that each branch of a UNION ALL would compute a derived table in FROM; empty without one.

    `rows` names the rows that the view lacks, such as "the appended rows".
    """
    derived = next((table.alias for table in block.tables if table.text and not table.constant), None)
    if derived is None:
        return ""
    return f"the derived table {derived} would be computed twice, for the view's rows and for {rows}"


def join_problem(block: Block, rows: str) -> str:
    """Return the problem that a join refers to a table on the right side of a SEMI or ANTI join; empty if none does.

    In SQL, other joins cannot refer to the right side of a SEMI or ANTI join. Only a join of the view that was added to
    the query may do so. The part of such a query that would be read from base tables cannot be printed as SQL. `rows`
    names the rows of this part, such as "the rows that the view lacks".
    """
    hidden = {table for join in block.joins if join.kind in ("SEMI", "ANTI") for table in join.tables}
    named = {
        c.table for join in block.joins for tree in join.on for c in columns_in(tree) if c.table not in join.tables
    }
    joined = next((table.alias for table in block.tables if table.id in hidden & named), None)
    if joined is None:
        return ""
    return (
        f"the view joins another table to {joined}, which is on the right side of a SEMI or ANTI join in the query, so "
        f"{rows} cannot be joined in the same way"
    )


def changes_of(block: Block, of_view: frozenset[str], grown: Sequence[Change]) -> list[Change]:
    """Return one Change for each table of the block: its changed rows if the view reads the table, else no change.

    `of_view` are the ids of the tables that the view reads, and `grown` the changes of tables with appended or deleted
    rows.
    """
    changed = {change.name: change for change in grown}
    now = [Change(table.name, ChangeKind.UNCHANGED, None, None, table.columns) for table in block.tables]
    pairs = zip(block.tables, now, strict=True)
    return [changed.get(table.name, as_now) if table.id in of_view else as_now for table, as_now in pairs]


def changes_problem(block: Block, changes: Sequence[Change]) -> str:
    """Return the reason why changed rows cannot simply be added to a block's rows; empty if they can.

    `changes` has the change of each table of the block.

    no:     rows of B appended in A LEFT JOIN B: a row of A that had no match may have one now, so that its row with
            NULLs, which is somewhere in the stored groups, would have to be taken back
    """
    pairs = list(zip(block.tables, changes, strict=True))
    grown = {table.id: str(table.name) for table, state in pairs if state.kind is not ChangeKind.UNCHANGED}
    how = "changed" if any(state.kind is ChangeKind.CHANGED for state in changes) else "appended"
    for join in block.joins:
        within = [name for table, name in grown.items() if join.kind == "FULL" or table in join.tables]
        if within:
            place = "in" if join.kind == "FULL" else "on the right side of"
            return (
                f"rows of {' and '.join(dict.fromkeys(within))}, {place} a{'n' if join.kind == 'ANTI' else ''} "
                f"{join.kind} join, were {how} since the last refresh, so that other rows may have gained or lost a "
                "match: refresh the view"
            )
    problem = join_problem(block, f"rows {how} since the last refresh")
    return f"{problem}: refresh the view" if problem else ""


def share_of(rest: Block, query: Predicates) -> float:
    """Estimate the share (0 to 1) of a query's rows that the block `rest` selects, from the lengths of value ranges.

    If `query` selects 10 days and `rest` selects one of these days, the share is 0.1. Return UNKNOWN_SHARE if no range
    has a known length.
    """
    left = predicates_of(rest, query.zone)
    shares = ((_length(values), _length(query.values(subject))) for subject, values in left.ranges.items())
    known = [rest / whole for rest, whole in shares if rest is not None and whole]
    return min(known, default=UNKNOWN_SHARE)


def _length(values: RangeSet) -> float | None:
    """Return the total length of a set of ranges of numbers or times.

    The length is in the unit of the values, such as microseconds. Return None if the length is infinite or the values
    are strings.
    """
    length = 0.0
    for low, high in values.intervals:
        if low.value is None or high.value is None or isinstance(low.value, str):
            return None
        length += float(high.value - low.value)
    return length


def path_of_groups(query: Predicates, groups: Block, path: AccessPath) -> AccessPath | Miss:
    """Return an access path to the groups of a query's first phase, made from `path`, an access path to a view.

    The block of the access path is `groups`, the block of the first phase, with the WHERE of `query`. A group may have
    several rows, for example one from each branch of a UNION ALL. Return a Miss if the type of an output is not known
    for certain.
    """
    types = output_types(groups)
    if UNKNOWN in types:
        return Miss(
            Reason.SHAPE,
            f"the type of {words(groups.outputs[types.index(UNKNOWN)])} is not known for certain: cast the "
            "expression in the query to the type that Spark's typeof() shows for it",
        )
    names = tuple(f"c{i}" for i in range(len(types)))
    columns = tuple(Column(name, kind) for name, kind in zip(names, types, strict=True))
    storage = replace(path.storage, columns=columns)
    whole = replace(groups, where=query.block.where)
    return replace(path, block=whole, storage=storage, columns=names, scattered=True, only=(), grown=())


def groups_problem(path: AccessPath, groups: str) -> str:
    """Return the problem that groups computed from base tables cannot be added to a view's stored groups.

    Groups are added by a UNION ALL. Return an empty text if they can be added. `groups` names the added groups, such as
    "the groups of the appended rows".
    """
    view = path.block
    clause = "HAVING" if view.having else "GROUPING SETS" if path.only or view.sets is not None else ""
    if view.joins:
        clause = f"a {view.joins[0].kind} join"
    return f"the view has {clause}, so the view's stored groups cannot be combined with {groups}" if clause else ""


def joined_groups(path: AccessPath) -> Block:
    """Return the block that each branch of a UNION ALL computes, from the view's storage table or from base tables.

    The block is the view's, with the outputs in the order of the storage columns. Outputs whose type is not known for
    certain, such as buckets of another time zone, are left out. The view's known lower bounds of times are left out,
    too, because base tables may have earlier times than the storage table.
    """
    view = path.block
    known = (column for column in path.storage.columns if column in _of_known_type(path))
    outputs = tuple(view.outputs[path.columns.index(column.name)] for column in known)
    return replace(view, outputs=outputs, names=(None,) * len(outputs), since=())


def over_union(path: AccessPath) -> AccessPath:
    """Return the access path to a UNION ALL that is read in place of the storage table of `path`.

    Each branch of the UNION ALL computes the block `joined_groups(path)`, so that several rows may belong to one group.
    """
    columns = _of_known_type(path)
    storage = replace(path.storage, columns=columns)
    names = tuple(column.name for column in columns)
    return replace(path, block=joined_groups(path), storage=storage, columns=names, scattered=True, own=None)


def _of_known_type(path: AccessPath) -> tuple[Column, ...]:
    kinds = dict(zip(path.columns, output_types(path.block), strict=True))
    return tuple(column for column in path.storage.columns if kinds.get(column.name, UNKNOWN) != UNKNOWN)
