"""Replaces the columns of a view that a LEFT join fills with NULLs by expressions over the rows of the view's tables.

The verifier replaces the view by its query, so that the join reads the rows of the view's tables in place of the view's
groups. A left row without a match is then joined to one row of NULLs. A column of the view may be replaced by its
expression if the expression is NULL for the row of NULLs, too. A count must not be replaced in this way: count(x) of
the row of NULLs is 0, but the view's column is NULL. Counts are replaced only within `coalesce(sum(…), 0)`, and
count(*) also within `coalesce(…, 1)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from rewriter.block import Block, Occurrence, aggregate_of, has_aggregate
from rewriter.block.changed import mapped
from rewriter.block.strict import null_with
from rewriter.functions.registry import AGGREGATES, FOLDED
from rewriter.functions.trees import call_of, is_zero
from rewriter.sql import operands
from rewriter.verify.aggregates import Unfolded
from rewriter.verify.forms import ONE, ROWS, ZERO, case_of, grouped_float

Tree = exp.Expr


@dataclass(frozen=True)
class FilledRows:
    """A view on the right side of a LEFT join, whose columns the join may fill with NULLs.

    - `table`: the id of the view in the outer block
    - `outputs`: the expression that computes each column of the view, by column name
    - `inner`: the block that computes the view
    """

    table: str
    outputs: Mapping[str, Tree]
    inner: Block

    @property
    def tables(self) -> tuple[Occurrence, ...]:
        """The tables of the view, with all columns nullable, because the LEFT join may fill the columns with NULLs."""
        return tuple(
            replace(table, columns=tuple(column._replace(nullable=True) for column in table.columns))
            for table in self.inner.tables
        )

    def found(self, node: Tree) -> Tree:
        """Return the expression by which the view computes a column, for use in ON; return other nodes unchanged.

        If the view computes its column d as `to_date(ts)`, `d` gives `to_date(ts)`.
        """
        return node if not self._is_own(node) else grouped_float(self._output(node), self.inner)

    def counted(self, outer: Block) -> Block:
        """Return the outer block with counts of the view replaced by counts over the rows of the view's tables.

        Only counts within `coalesce(sum(…), 0)`, and a count(*) c within `coalesce(c, 1)`, are replaced. In
        `coalesce(sum(c), 0)`, the column c of a count(*) becomes `coalesce(sum(CASE WHEN x IS NOT NULL THEN 1 ELSE 0
        END), 0)`, for a NOT NULL column x of the view's tables.

        law: coalesce(sum(c), 0) has the same value whether c is NULL or 0, even if c is a branch of a CASE
        """
        return mapped(outer, self._with_counts)

    def filled(self, node: Tree) -> Tree:
        """Return the expression by which the view computes a column that the join may fill; return other nodes
        unchanged.

        If the view computes its column total as `sum(x)`, `total` gives `sum(x)`. Raise Unfolded if the expression may
        differ from the column in a row in which the join fills the column with NULL, as a count does.
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
            raise Unfolded(f"the column {node.name} of the view may have a value where the outer join returns NULL")
        return grouped_float(tree, self.inner)

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
        """Return the argument of a sum with the view's counts replaced by counts over rows.

        Where the join fills the view's columns with NULLs, the view's count is NULL and the count over rows is 0;
        adding NULL or 0 gives the same sum.
        """
        if self._is_own(tree):
            return self._count(self._output(tree)) or tree
        if isinstance(tree, exp.Case):
            ifs = [exp.If(this=each.this, true=self._summand(each.args["true"])) for each in tree.args["ifs"]]
            default = tree.args.get("default")
            return exp.Case(this=tree.this, ifs=ifs, default=None if default is None else self._summand(default))
        return self._with_counts(tree)

    def _count(self, tree: Tree) -> Tree | None:
        """Return a count of the view as a count over rows that is 0 for a row of NULLs; None for other expressions.

        count(*) gives `coalesce(sum(CASE WHEN x IS NOT NULL THEN 1 ELSE 0 END), 0)`, for a NOT NULL column x of the
        view's tables.
        """
        if tree == ROWS:
            present = self._present()
            return None if present is None else _total(case_of([(present, ONE)], ZERO))
        if not isinstance(tree, exp.Anonymous) or tree.name != "coalesce" or not is_zero(tree.expressions[1]):
            return None
        summed = aggregate_of(tree.expressions[0])
        counted = summed is not None and summed.name == "sum" and self._is_zero_for_nulls(summed.expressions[0])
        return tree if counted and summed is tree.expressions[0] else None

    def _is_zero_for_nulls(self, tree: Tree) -> bool:
        """Return whether an expression is a CASE with ELSE 0 that is 0 for a row in which the view's tables are all
        NULL.

        Return True if each condition of the CASE tests that some expression is not NULL, and this expression is NULL
        for such a row.
        """
        if not isinstance(tree, exp.Case) or tree.this is not None or tree.args.get("default") != ZERO:
            return False
        return all(any(map(self._is_present, operands(each.this, exp.And))) for each in tree.args["ifs"])

    def _is_present(self, condition: Tree) -> bool:
        inner = condition.this if isinstance(condition, exp.Not) else None
        return isinstance(inner, exp.Is) and null_with(inner.this, self._is_absent)

    def _present(self) -> Tree | None:
        """Return `x IS NOT NULL` for a NOT NULL column x of the view's tables: the condition that the join found a
        match.

        Return None if the view's tables have no NOT NULL column.
        """
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
            raise Unfolded(
                f"the rewritten query names {node.name}, which is not among the view's columns "
                f"{', '.join(self.outputs)}"
            )
        return tree


def _total(tree: Tree) -> Tree:
    return call_of("coalesce", call_of("sum", tree), ZERO)
