"""Decides whether two filters keep the same rows, by evaluating both filters in each cell.

A subject is an expression that is compared with constants. These constants divide its values into points, gaps and
NULL, so that no comparison changes its truth value within a point or gap. A cell is a combination of one point, gap or
NULL for each subject: for the filters `x > 9` and `x = 12`, the cells of x are below 9, 9, between 9 and 12, 12, above
12, and NULL. A predicate that is not a comparison with a constant, such as `name LIKE '%a'`, becomes a free truth
value: true, false and unknown are all tried. If the filters agree in all cells, they are equal. If they differ in a
cell with a free truth value, the difference is not certain, because possibly no row has these values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from sqlglot import exp

from rewriter.block import Block
from rewriter.block.words import words
from rewriter.match.bounds import next_begin
from rewriter.timeseries import as_bucket
from rewriter.verify.filters import Conjunct, Filter, Test, all_of
from rewriter.verify.lines import Gap, Line

Tree = exp.Expr

MOST_CELLS = 4096


@dataclass(frozen=True)
class Difference:
    """An example, in words, of rows that one of two filters keeps and the other drops, such as `x = 10`.

    `certain` is true if such rows may really occur, so that the filters certainly differ for some content of the
    tables.
    """

    cell: str
    certain: bool


def difference(
    left: Sequence[Tree], right: Sequence[Tree], block: Block, zone: str, never_null: Iterable[Tree] = ()
) -> Difference | None:
    """Return an example of rows on which two conjunctions of conditions differ; None if the conjunctions are
    equivalent.

    The conditions are over the tables of `block`; `zone` is the session's time zone. `never_null` are expressions that
    are never NULL, because of conditions other than those compared here. If more than MOST_CELLS combinations of values
    would have to be compared, return a Difference that is not certain.

    >>> from rewriter.model import Column, TableName
    >>> from rewriter.block import Occurrence
    >>> block = Block((Occurrence("t", TableName(("t",)), "t", (Column("x", "int"),)),), (), (), ())
    >>> x = exp.column("x", "t")
    >>> difference([x > 9], [x >= 10], block, "UTC")
    >>> str(difference([x > 9], [x > 10], block, "UTC").cell)
    't.x = 10'
    """
    mine, theirs = set(left), set(right)
    if mine == theirs:
        return None
    filters = Filter(block, zone)
    conjuncts = {tree: filters.conjunct(tree) for tree in dict.fromkeys((*left, *right))}
    for subject in never_null:
        if subject in filters.lines:
            filters.lines[subject].nullable = False
    concerned = _connected(conjuncts, mine ^ theirs)
    kept = (all_of([conjuncts[tree].test for tree in concerned if tree in side]) for side in (mine, theirs))
    found = _searched(filters, [conjuncts[tree] for tree in concerned], *kept)
    # If the conjuncts that both filters have are never true, neither filter keeps a row.
    rest = [conjuncts[tree] for tree in conjuncts if tree not in concerned] if found is not None else []
    never = rest and _searched(filters, rest, all_of([each.test for each in rest]), lambda cell: False) is None
    if found is None or never:
        return None
    # A free truth value may belong to a predicate over the same columns, which drops the rows of the example.
    free = any(each not in filters.lines for conjunct in conjuncts.values() for each in conjunct.reads)
    return replace(found, certain=found.certain and not free)


def _searched(filters: Filter, conjuncts: Sequence[Conjunct], mine: Test, theirs: Test) -> Difference | None:
    """Return the first cell in which two filters differ, in words; None if the filters agree in all cells.

    `mine` and `theirs` are the two filters as functions that return for a cell whether rows in the cell pass.
    `conjuncts` are the conjuncts of both filters; a cell has a point, gap or NULL for each subject that they compare
    with constants. If there are more than MOST_CELLS cells, return a Difference that is not certain.
    """
    reads = dict.fromkeys(each for conjunct in conjuncts for each in conjunct.reads)
    lines = {subject: filters.lines[subject] for subject in reads if subject in filters.lines}
    return _search(lines, [each for each in reads if each not in filters.lines], mine, theirs)


def _search(subjects: Mapping[Tree, Line], truths: Sequence[Tree], mine: Test, theirs: Test) -> Difference | None:
    axes: list[Sequence[Any]] = [line.places() for line in subjects.values()]
    axes += [(True, False, None)] * len(truths)
    size = 1
    for axis in axes:
        size *= len(axis)
    if size > MOST_CELLS:
        return Difference(f"the compared values divide the rows into {size} cells, too many to compare", certain=False)
    names = [*subjects, *truths]
    follow = [(one, other) for one in truths for other in truths if one != other and _follows(one, other)]
    compared = [(tree, tree.this) for tree in truths if isinstance(tree, (exp.LT, exp.LTE)) and tree.this in subjects]
    for places in product(*axes):
        cell = dict(zip(names, places, strict=True))
        if any(
            (cell[one] is None) != (cell[other] is None) or (cell[one] and not cell[other]) for one, other in follow
        ):
            continue  # impossible: a time at or after the later bound is also at or after the earlier one
        if any(cell[subject] is None and cell[tree] is not None for tree, subject in compared):
            continue  # impossible: a comparison of NULL is unknown
        if (mine(cell) is True) != (theirs(cell) is True):
            certain = all(isinstance(subject, exp.Column) for subject in subjects)
            return Difference(" and ".join(_told(subject, place) for subject, place in cell.items()), certain)
    return None


def _follows(one: Tree, other: Tree) -> bool:
    """Return whether the comparison `one` implies `other`, a comparison of the same time t, for all values of the
    bounds.

    Both are of the form `t < bound` or `t <= bound`, with bounds known only at execution. With a bound b, `t <
    date_trunc('DAY', b)` implies `t < b`, and `t < b` implies `t < date_trunc('DAY', b) + INTERVAL 1 DAY`.
    """
    if type(one) not in (exp.LT, exp.LTE) or type(other) not in (exp.LT, exp.LTE) or one.this != other.this:
        return False
    early, late = one.expression, other.expression
    if early == late:
        return isinstance(one, exp.LT)
    begun, ended = as_bucket(early), as_bucket(late.this) if isinstance(late, exp.Add) else None
    if begun is not None and _same_time(begun.source, late):
        return isinstance(one, exp.LT) or isinstance(other, exp.LTE)
    if ended is None or not _same_time(ended.source, early):
        return False
    ends = (next_begin(begin, ended.grain, ended.type) for begin in (early, ended.source))
    return any(late == end for end in ends)


def _same_time(one: Tree, other: Tree) -> bool:
    return one == other or (isinstance(one, exp.Cast) and one.this == other)


def _told(subject: Tree, place: Any) -> str:
    sign = "" if isinstance(place, Gap) else "= "
    return f"{words(subject) if not isinstance(subject, exp.Column) else subject.sql()} {sign}{place}"


def _connected(conjuncts: Mapping[Tree, Conjunct], different: set[Tree]) -> list[Tree]:
    """Return the conjuncts in `different`, and all conjuncts connected with them by common subjects.

    `a > 1`, `a < b` and `b > 3` are connected by the subjects a and b, even if only the first one is in `different`.
    """
    found, reached = set(different), set[Tree]().union(*(conjuncts[tree].reads for tree in different))
    while True:
        more = {t for t, each in conjuncts.items() if t not in found and not reached.isdisjoint(each.reads)}
        if not more:
            return [tree for tree in conjuncts if tree in found]
        found |= more
        reached = reached.union(*(conjuncts[tree].reads for tree in more))


def disjoint(left: Sequence[Tree], right: Sequence[Tree], block: Block, zone: str) -> Difference | None:
    """Return None if no row satisfies both of the conjunctions `left` and `right`.

    Otherwise, or if this cannot be proved, return an example of rows that may satisfy both. The conditions are over the
    tables of `block`; `zone` is the session's time zone.
    """
    return difference([*left, *right], [exp.false()], block, zone)


def disjunction(sides: Sequence[Sequence[Tree]]) -> Iterator[Tree]:
    """Yield the conjuncts of a disjunction of conjunctions, with common conjuncts factored out.

    The sides `a AND b` and `a AND c` give `a` and `b OR c`.
    """
    common = [tree for tree in sides[0] if all(tree in side for side in sides[1:])]
    yield from common
    rests = [[tree for tree in side if tree not in common] for side in sides]
    if all(rests):
        yield _joined(exp.Or, [_joined(exp.And, rest) for rest in rests])


def _joined(kind: type[Tree], parts: Sequence[Tree]) -> Tree:
    tree = parts[0]
    for part in parts[1:]:
        tree = kind(this=tree, expression=part)
    return tree
