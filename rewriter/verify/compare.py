"""Decides whether two blocks over base tables return the same rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from rewriter.block import Block, Dependencies, Occurrence
from rewriter.block.changed import changed, mapped, renamed_block
from rewriter.block.equivalence import Equivalence
from rewriter.block.predicates import equated
from rewriter.block.words import words
from rewriter.sql import columns_in, nodes_of, operands
from rewriter.verify.cells import difference
from rewriter.verify.forms import Mode
from rewriter.verify.keys import Tables, reduced
from rewriter.verify.normal import equalities, is_pinned, normal_block, represented
from rewriter.verify.unfold import mappings

Tree = exp.Expr


@dataclass(frozen=True)
class Comparison:
    """The result of comparing two blocks.

    `difference` describes the first difference, and is empty if the blocks are equal; `certain` is true if the blocks
    certainly return different rows for some content of the tables. `axioms` are the trusted keys on which the result
    relies.
    """

    difference: str = ""
    certain: bool = False
    axioms: tuple[str, ...] = ()


def compare(question: Block, plan: Block, tables: Tables, mode: Mode) -> Comparison:
    """Compare a plan's block with `question`, the block that the plan answers; both are in normal form.

    `tables` returns the table of a name, with its declared keys, or None. If the blocks differ, remove redundant tables
    and joins from both blocks, and compare again; a table or join is redundant if declared keys prove that the rows are
    the same without it. `mode` has the session's time zone and ANSI mode.
    """
    plain = _mapped_one_to_one(question, plan, tables, mode)
    if not plain.difference:
        return plain
    asked, computed = reduced(question, tables), reduced(plan, tables)
    if asked.block is question and computed.block is plan:
        return plain
    asked_block, computed_block = (normal_block(each.block, mode) for each in (asked, computed))
    found = _mapped_one_to_one(asked_block, computed_block, tables, mode)
    return replace(found, axioms=tuple(dict.fromkeys((*asked.axioms, *computed.axioms, *found.axioms))))


def _mapped_one_to_one(question: Block, plan: Block, tables: Tables, mode: Mode) -> Comparison:
    """Compare a plan's block with the block to be answered, for each one-to-one mapping of the plan's tables.

    Return the result of the first mapping for which the blocks are equal, else the result of the first mapping.
    `tables` returns the table of a name, with its declared keys, or None. `question` is the block to be answered.
    `mode` has the session's time zone and ANSI mode.
    """
    first: Comparison | None = None
    for mapping in mappings(plan, question):
        found = compared_as(question, plan, mapping, tables, mode)
        if not found.difference:
            return found
        first = first or found
    return first or Comparison("the rewritten query reads other tables than the query")


def compared_as(question: Block, plan: Block, mapping: Mapping[str, str], tables: Tables, mode: Mode) -> Comparison:
    """Compare a plan's block with the block to be answered, for one mapping of the plan's tables.

    `mapping` has, for each table id of the plan, the id of the corresponding table in the block to be answered.
    `tables` returns the table of a name, with its declared keys, or None. `question` is the block to be answered.
    `mode` has the session's time zone and ANSI mode.
    """
    other = renamed_block(plan, mapping)
    other = other if other is plan else normal_block(other, mode)
    return _compare(question, other, tables, mode)


def _compare(question: Block, plan: Block, tables: Tables, mode: Mode) -> Comparison:
    same, others = equalities(question), equalities(plan)
    for block, classes in ((question, others), (plan, same)):
        for tree in block.where:
            pair = equated(tree, block)
            if pair is not None and not classes.same(*pair):
                return Comparison(f"only one of the query and the rewritten query has the condition {words(tree)}")
    question, plan = (represented(block, same, mode) for block in (question, plan))
    if not _same_joins(question, plan, mode.zone):
        return Comparison("the joins of the rewritten query differ from those of the query")
    filters = difference(_filters(question), _filters(plan), question, mode.zone, _known(question, plan, same))
    if filters is not None:
        return Comparison(
            f"the filters of the query and the rewritten query are not proved equal: {filters.cell}", filters.certain
        )
    plan = _with_conditions_of(question, plan, mode)
    if plan.since:  # the rows are the same, and so are the bounds of their times
        question = normal_block(replace(question, since=plan.since), mode)
    return _groups(question, plan, tables, mode, same)


def _same_joins(question: Block, plan: Block, zone: str) -> bool:
    """Return whether two blocks have the same joins, with ON conditions that are true for the same rows.

    `zone` is the session's time zone.
    """
    if set(question.joins) == set(plan.joins):
        return True
    others = {(join.kind, join.tables): join.on for join in plan.joins}
    if len(others) != len(plan.joins) or {(join.kind, join.tables) for join in question.joins} != others.keys():
        return False
    pairs = ((join.on, others[join.kind, join.tables]) for join in question.joins)
    return all(difference(mine, theirs, question, zone) is None for mine, theirs in pairs)


def _filters(block: Block) -> Sequence[Tree]:
    """Return the conjuncts of a block's WHERE, except equalities of columns."""
    return [tree for tree in block.where if equated(tree, block) is None]


def _with_conditions_of(question: Block, plan: Block, mode: Mode) -> Block:
    """Return the plan's block with conditions of the query in CASE and FILTER in place of equivalent conditions.

    law:    CASE and FILTER depend only on whether a condition is true; so two conditions that are true for the same
            rows are interchangeable
    """
    mine, others = (list(dict.fromkeys(_conditions(block))) for block in (question, plan))
    same: dict[Tree, Tree] = {}
    for tree in others:
        columns = {*columns_in(tree)}
        for wanted in mine if tree not in mine else ():
            if {*columns_in(wanted)} != columns:
                continue
            if difference([*operands(wanted, exp.And)], [*operands(tree, exp.And)], question, mode.zone) is None:
                same[tree] = wanted
                break

    def swap(node: Tree) -> Tree:
        if isinstance(node, exp.If) and node.this in same:
            return exp.If(this=same[node.this], true=changed(node.args["true"], swap))
        if isinstance(node, exp.Where) and node.this in same:
            return exp.Where(this=same[node.this])
        return node

    return normal_block(mapped(plan, swap), mode) if same else plan


def _conditions(block: Block) -> Iterator[Tree]:
    """Yield the conditions of CASE and FILTER in the outputs, keys, HAVING and ORDER BY of a block."""
    trees = (*block.outputs, *(block.keys or ()), *block.having, *(item.key for item in block.order))
    for node in (node for tree in trees for node in nodes_of(tree)):
        if isinstance(node, exp.Case) and node.this is None:
            yield from (branch.this for branch in node.args["ifs"])
        elif isinstance(node, exp.Filter):
            yield node.expression.this


def _known(question: Block, plan: Block, classes: Equivalence) -> Sequence[Tree]:
    """Return the columns that are never NULL in rows that both blocks keep, because both blocks compare or equate them.

    `classes` has the sets of columns that `question` equates.
    """
    columns = (exp.column(c.name.lower(), t.id) for t in question.tables for c in t.columns)
    joined = [column for column in columns if len(classes.members(column)) > 1]
    compared = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.EQ)
    both = (tree for tree in question.where if tree in plan.where and isinstance(tree, compared))
    return [*joined, *(column for tree in both for side in (tree.this, tree.expression) for column in _added(side))]


def _added(tree: Tree) -> Iterator[Tree]:
    """Yield the columns of sums, differences and products: `a + b * c` yields a, b and c.

    The expression is NULL if one of these columns is NULL. Yield nothing for other expressions.
    """
    if isinstance(tree, exp.Column):
        yield tree
    elif isinstance(tree, (exp.Add, exp.Sub, exp.Mul)):
        yield from _added(tree.this)
        yield from _added(tree.expression)


def _groups(question: Block, plan: Block, tables: Tables, mode: Mode, classes: Equivalence) -> Comparison:
    if (question.keys is None) != (plan.keys is None) or question.sets != plan.sets:
        return Comparison("only one of the query and the rewritten query has groups, or their grouping sets differ")
    axioms: dict[str, None] = {}
    for one, other in ((question, plan), (plan, question)):
        rest = [key for key in other.keys or () if key not in (one.keys or ())]
        if not rest:
            continue
        known = _dependencies(one, tables, mode, classes)
        for key in rest:
            if not known.determine(key):
                return Comparison(f"only one of the query and the rewritten query groups by {words(key)}")
        axioms |= {f"the primary key of {table.name}": None for table in one.tables if table.id in known.single}
    if bool(question.keys) != bool(plan.keys):
        return Comparison("only one of the query and the rewritten query returns a group if no row passes the filters")
    having = difference(question.having, plan.having, question, mode.zone)
    if having is not None:
        return Comparison(
            f"the HAVING filters of the query and the rewritten query are not proved equal: {having.cell}",
            axioms=tuple(axioms),
        )
    pairs: tuple[tuple[str, Sequence[object], Sequence[object]], ...] = (
        ("output", question.outputs, plan.outputs),
        ("ORDER BY", question.order, plan.order),
        ("LIMIT", (question.limit, question.offset), (plan.limit, plan.offset)),
        ("DISTINCT", (question.distinct,), (plan.distinct,)),
    )
    for what, mine, theirs in pairs:
        if list(mine) != list(theirs):
            unequal = next((a for a, b in zip(mine, theirs, strict=False) if a != b), what)
            told = words(unequal) if isinstance(unequal, exp.Expr) else str(unequal)
            return Comparison(f"the query and the rewritten query differ in {what}: {told}", axioms=tuple(axioms))
    return Comparison(axioms=tuple(axioms))


def _dependencies(block: Block, tables: Tables, mode: Mode, classes: Equivalence) -> Dependencies:
    """Return the functional dependencies on a block's grouping keys that follow from the declared keys of the tables.

    `classes` are the sets of columns that the block equates: a grouping key also determines the columns equated with
    it. `mode` has the session's time zone and ANSI mode.
    """
    keys = frozenset(block.keys or ())

    def key_of(table: Occurrence) -> tuple[str, ...]:
        known = tables(table.name)
        return tuple(name.lower() for name in known.primary_key) if known is not None else ()

    def pinned(column: Tree) -> bool:
        return classes.normalize(column) in keys or is_pinned(column, block, mode.zone)

    return Dependencies(block, keys, mode.zone, key_of, pinned)
