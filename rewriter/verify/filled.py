"""Replaces the columns of a view that a LEFT join fills with NULLs by expressions over the rows of the view's tables.

The verifier unfolds the view: the join reads the rows of the view's tables in place of the view's groups. A row that
matches no group is joined to one row of NULLs. A column of the view may be replaced by its expression if the expression
is NULL for this row, too. A count must not be replaced in this way: count(x) of the row of NULLs is 0, but the view's
column is NULL. Counts are replaced only within `coalesce(sum(…), 0)`, and count(*) also within `coalesce(…, 1)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from rewriter.block import Block, Occurrence, aggregate_of, has_aggregate
from rewriter.block.changed import mapped
from rewriter.block.strict import null_with
from rewriter.functions.registry import AGGREGATES, FOLDED
from rewriter.functions.trees import call_of
from rewriter.functions.types import FRACTIONS
from rewriter.schema import expression_type
from rewriter.sql import operands
from rewriter.verify.aggregates import Unfolded
from rewriter.verify.forms import GROUPED_FLOAT, ONE, ROWS, ZERO, case_of, is_zero

Tree = exp.Expr


@dataclass(frozen=True)
class FilledRows:
    """A view of an outer block by its table id, the expressions of its columns, and the block that computes it."""

    table: str
    outputs: Mapping[str, Tree]
    inner: Block

    @property
    def tables(self) -> tuple[Occurrence, ...]:
        """The tables of the view, with all columns nullable."""
        return tuple(
            replace(table, columns=tuple(column._replace(nullable=True) for column in table.columns))
            for table in self.inner.tables
        )

    def found(self, node: Tree) -> Tree:
        """Return the expression by which the view computes a column, for the ON condition; other nodes unchanged."""
        return node if not self._is_own(node) else self._of_groups(self._output(node))

    def counted(self, outer: Block) -> Block:
        """Return the outer block with counts of the view replaced by counts over the rows of the view's tables.

        The replaced counts are those within `coalesce(sum(…), 0)`, and a count(*) in `coalesce(c, 1)`.

        law: coalesce(sum(c), 0) has the same value whether c is NULL or 0, even if c is a branch of a CASE
        """
        return mapped(outer, self._with_counts)

    def filled(self, node: Tree) -> Tree:
        """Return the expression by which the view computes a column that the join may fill; other nodes unchanged.

        Raise Unfolded if the expression may differ from the column.
        """
        if not self._is_own(node):
            return node
        tree = self._output(node)
        call = aggregate_of(tree)
        if call is None:
            same = not has_aggregate(tree) and null_with(tree, self._is_absent)
        else:
            folds = tree is call and call.name in FOLDED and AGGREGATES[call.name].of_nothing == "null"
            same = folds and all(null_with(argument, self._is_absent) for argument in call.expressions)
        if not same:
            raise Unfolded(f"{node.name} of the view may not be NULL in a row that the outer join fills")
        return self._of_groups(tree)

    def _with_counts(self, node: Tree) -> Tree:
        if not isinstance(node, exp.Anonymous) or node.name != "coalesce" or len(node.expressions) != 2:
            return node
        first, second = node.expressions
        if second == ONE and self._is_own(first) and self._output(first) == ROWS:
            return ROWS.copy()
        call = aggregate_of(first)
        if call is first and call.name == "sum" and is_zero(second):
            return call_of("coalesce", call_of("sum", self._summand(call.expressions[0])), second)
        return node

    def _summand(self, tree: Tree) -> Tree:
        """Return the argument of a sum with the counts in it replaced by counts over rows; NULL and 0 add the same."""
        if self._is_own(tree):
            return self._count(self._output(tree)) or tree
        if isinstance(tree, exp.Case):
            ifs = [exp.If(this=each.this, true=self._summand(each.args["true"])) for each in tree.args["ifs"]]
            default = tree.args.get("default")
            return exp.Case(this=tree.this, ifs=ifs, default=None if default is None else self._summand(default))
        return self._with_counts(tree)

    def _count(self, tree: Tree) -> Tree | None:
        """Return a count of the view over rows, so that a row of NULLs counts 0; None for other expressions."""
        if tree == ROWS:
            present = self._present()
            return None if present is None else _total(case_of([(present, ONE)], ZERO))
        if not isinstance(tree, exp.Anonymous) or tree.name != "coalesce" or not is_zero(tree.expressions[1]):
            return None
        summed = aggregate_of(tree.expressions[0])
        counted = summed is not None and summed.name == "sum" and self._is_zero_for_nulls(summed.expressions[0])
        return tree if counted and summed is tree.expressions[0] else None

    def _is_zero_for_nulls(self, tree: Tree) -> bool:
        """Return whether an expression is a CASE with ELSE 0 that takes its ELSE for a row of NULLs.

        It does if each condition of the CASE tests that an expression is not NULL which is NULL for this row.
        """
        if not isinstance(tree, exp.Case) or tree.this is not None or tree.args.get("default") != ZERO:
            return False
        return all(any(map(self._is_present, operands(each.this, exp.And))) for each in tree.args["ifs"])

    def _is_present(self, condition: Tree) -> bool:
        inner = condition.this if isinstance(condition, exp.Not) else None
        return isinstance(inner, exp.Is) and null_with(inner.this, self._is_absent)

    def _present(self) -> Tree | None:
        """Return the condition that the join found a row: a NOT NULL column is not NULL; None without such a column."""
        found = next(
            (exp.column(c.name.lower(), t.id) for t in self.inner.tables for c in t.columns if not c.nullable), None
        )
        return None if found is None else exp.Not(this=exp.Is(this=found, expression=exp.Null()))

    def _is_own(self, node: Tree) -> bool:
        return isinstance(node, exp.Column) and node.table == self.table

    def _is_absent(self, node: Tree) -> bool:
        return isinstance(node, exp.Column) and any(node.table == table.id for table in self.inner.tables)

    def _output(self, node: Tree) -> Tree:
        tree = self.outputs.get(node.name.lower())
        if tree is None:
            raise Unfolded(f"the view has no column {node.name}")
        return tree

    def _of_groups(self, tree: Tree) -> Tree:
        """Return a floating-point grouping key with a marker, because grouping merges -0.0 into 0.0; other trees
        unchanged.
        """
        grouped = self.inner.keys is not None and not has_aggregate(tree)
        floats = grouped and expression_type(tree, self.inner) in FRACTIONS
        return call_of(GROUPED_FLOAT, tree) if floats else tree


def _total(tree: Tree) -> Tree:
    return call_of("coalesce", call_of("sum", tree), ZERO)
