"""Flattens nested groups: a block that reads the groups of a derived table becomes a block over the rows of the groups.

The derived table may be the query of another view, in place of the view's name, and may itself read groups.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from sqlglot import exp

from rewriter.block import Block, Occurrence, aggregate_of, has_aggregate, opaque_within, remembered
from rewriter.block.changed import changed
from rewriter.block.words import words
from rewriter.functions.registry import AGGREGATES, FOLDED, IDEMPOTENT
from rewriter.functions.trees import ROWS, call_of, cast, number
from rewriter.functions.types import FRACTIONS, MAX_PRECISION, as_decimal
from rewriter.match.access_path import AccessPath
from rewriter.match.divided import merged
from rewriter.match.numbers import SUM_DIGITS
from rewriter.schema import UNKNOWN, expression_type
from rewriter.sql import columns_in, windows_in

Tree = exp.Expr
_COMPLETE = "the complete groups of a derived table"


class _Nested(Exception):
    """Raised within this module if a derived table has to be computed before the block; the message is the reason."""


@remembered
def flattened(block: Block) -> Block | str:
    """Return a block with the derived tables that have groups replaced by the tables and filters of these groups.

    Return the reason, as text for a message, if a derived table cannot be replaced. A block without derived tables is
    returned unchanged. The result is cached.

    law:    the groups of a derived table that have equal keys of the block are one group of the block; f(g(x)) over
            them is g(x) over their rows, if f combines the values of g (sum of sum and count, min of min …), and f(k)
            of a key k is f(k) over their rows, if f ignores repeated values
    law:    a filter on keys keeps a group if it keeps the group's rows; a join on keys repeats each row of a group as
            often as the group
    query:  SELECT region, sum(total), max(day) FROM (SELECT region, day, sum(amount) AS total FROM sales GROUP BY
            region, day) GROUP BY region
    gives:  SELECT region, sum(amount), max(day) FROM sales GROUP BY region
    no:     avg(total) and count(*), which depend on the number of groups
    no:     a sum of DECIMAL(38,2), because a group whose sum overflows is NULL without ANSI mode, and is ignored by the
            outer sum
    no:     HAVING, or WHERE total > 9 in the outer SELECT, because the filter needs whole groups
    no:     LIMIT, DISTINCT, window functions and GROUPING SETS of the derived table
    """
    try:
        while table := next((table for table in block.tables if table.text or table.inner is not None), None):
            block = _merged(block, table)
    except _Nested as nested:
        return str(nested)
    return block


def flattened_path(path: AccessPath) -> AccessPath | str:
    """Return the access path with its block flattened, or the reason, as text, why the block cannot be flattened.

    An output that cannot be computed from rows, such as count(*) of groups, is left out, together with its column.
    """
    if not path.block.derived:
        return path
    if path.own is not None:
        return "the storage table has only a part of the view's rows"
    # If no output can be computed, any of them tells the reason.
    kept = _kept(path.block) or (0,)
    flat = flattened(_with_outputs(path.block, kept))
    return flat if isinstance(flat, str) else replace(path, block=flat, columns=tuple(path.columns[i] for i in kept))


def nested_problem(path: AccessPath, columns: Set[str]) -> str:
    """Return why a path's block cannot be flattened with the outputs in the given storage columns; empty if it can.

    The names in `columns` are in lower case.
    """
    places = [place for place, name in enumerate(path.columns) if name.lower() in columns]
    flat = flattened(_with_outputs(path.block, places))
    return flat if isinstance(flat, str) else ""


@remembered
def _kept(block: Block) -> tuple[int, ...]:
    """Return the positions of the outputs with which a block can be flattened. The result is cached."""
    places = range(len(block.outputs))
    return tuple(place for place in places if isinstance(flattened(_with_outputs(block, (place,))), Block))


def _with_outputs(block: Block, places: Sequence[int]) -> Block:
    """Return the block with only the outputs at the given positions."""
    outputs = tuple(block.outputs[place] for place in places)
    return replace(block, outputs=outputs, names=tuple(block.names[place] for place in places))


def _merged(block: Block, table: Occurrence) -> Block:
    if table.inner is None:
        raise _Nested("a derived table is not a single SELECT")
    used = {
        column.name.lower() for tree in block.expressions for column in columns_in(tree) if column.table == table.id
    }
    places = [place for place, column in enumerate(table.columns) if column.name.lower() in used]
    inner = flattened(_with_outputs(table.inner, places))
    if isinstance(inner, str):
        raise _Nested(inner)
    table = replace(table, columns=tuple(table.columns[place] for place in places))
    if problem := _inner_problem(inner) or _outer_problem(block, table, inner):
        raise _Nested(problem)
    rows = merged(block, table, inner)
    joins = (tree for join in rows.joins for tree in join.on)
    for does, trees in (("filters by", rows.where), ("groups by", rows.keys or ()), ("joins on", joins)):
        if (whole := next(filter(has_aggregate, trees), None)) is not None:
            raise _Nested(f"the outer SELECT {does} {words(whole)}, which needs {_COMPLETE}")
    rows = replace(rows, since=tuple(pair for pair in rows.since if not has_aggregate(pair[0])))
    # Rows of which duplicates do not matter become groups: count(*) of a group counts each of its rows.
    return replace(rows, keys=inner.keys, as_set=False) if block.keys is None else _Folding(rows).block()


def _inner_problem(inner: Block) -> str:
    """Return why no block can be merged with the groups of the derived table `inner`; empty if one can."""
    if inner.limit or inner.offset:
        return "a derived table has LIMIT or OFFSET"
    if inner.having:
        return "a derived table has HAVING"
    if inner.sets is not None:
        return "a derived table has GROUPING SETS"
    if not inner.plain:
        return "a derived table has DISTINCT or window functions"
    if any(True for tree in inner.expressions for _ in opaque_within(tree)):
        return "a derived table has a subquery"
    # A group has the key 0.0 for rows with 0.0 and -0.0, of which a function of the key may make different values.
    kinds = [expression_type(key, inner) for key in inner.keys or ()]
    if any(kind == UNKNOWN or any(part in kind for part in FRACTIONS) for kind in kinds):
        return "a derived table groups by a floating-point number, or by an expression of unknown type"
    return "" if inner.keys else "a derived table has no GROUP BY"


def _outer_problem(block: Block, table: Occurrence, inner: Block) -> str:
    """Return why `block` cannot be merged with the groups of its derived table `table`; empty if it can.

    `inner` is the block of the derived table.
    """
    if any(join.kind == "FULL" for join in (*block.joins, *inner.joins)) and len(block.tables) > 1:
        return "a SELECT with a FULL join reads a derived table with GROUP BY"
    if (join := next((join for join in block.joins if table.id in join.tables), None)) is not None:
        return f"a derived table with GROUP BY is on the right side of a {join.kind} join"
    if block.keys is None and len(block.tables) > 1:
        return "a SELECT without aggregates joins a derived table with GROUP BY"
    if any(windows_in(tree) for tree in (*block.outputs, *(item.key for item in block.order))):
        return "a window function reads a derived table with GROUP BY"
    return ""


@dataclass(frozen=True)
class _Folding:
    """The folding of aggregates of aggregates in `rows`, the outer level over the rows of the inner level."""

    rows: Block

    def block(self) -> Block:
        """Return the block with each aggregate over groups replaced by an aggregate over the rows of these groups."""
        rows = self.rows
        return replace(
            rows,
            outputs=self._all(rows.outputs),
            having=self._all(rows.having),
            order=tuple(replace(item, key=changed(item.key, self._folded)) for item in rows.order),
        )

    def _all(self, trees: Sequence[Tree]) -> tuple[Tree, ...]:
        return tuple(changed(tree, self._folded) for tree in trees)

    def _folded(self, node: Tree) -> Tree:
        """Return an aggregate over groups as an aggregate over rows; other nodes unchanged."""
        call = aggregate_of(node)
        if call is None:
            return node
        condition = node.expression.this if isinstance(node, exp.Filter) else None
        if condition is not None and has_aggregate(condition):
            raise _Nested(f"the condition of {words(node)} needs {_COMPLETE}")
        argument = call.expressions[0]
        if not any(map(has_aggregate, call.expressions)):
            if call.name not in IDEMPOTENT and not (call.name == "count" and isinstance(argument, exp.Distinct)):
                raise _Nested(f"{words(node)} depends on the number of groups of a derived table")
            return node
        inner = aggregate_of(argument)
        if inner is None or len(call.expressions) > 1 or not _combines(call, inner):
            raise _Nested(f"{words(node)} needs {_COMPLETE}")
        return self._over_rows(node, argument, inner, condition)

    def _over_rows(self, node: Tree, argument: Tree, inner: exp.Anonymous, condition: Tree | None) -> Tree:
        """Return `node`, an aggregate of `argument`, as an aggregate over rows.

        `inner` is the call in `argument`, and `condition` the FILTER of `node`.
        """
        conditions = [argument.expression.this] if isinstance(argument, exp.Filter) else []
        conditions += [condition] if condition is not None else []
        made = inner
        if inner.name == "sum" and self._may_overflow(inner.expressions[0]):
            raise _Nested(f"the sum {words(inner)} of one group may overflow, to NULL without ANSI mode")
        some = bool(self.rows.keys) and self.rows.sets is None and condition is None
        if inner.name == "count" and not some:
            # The sum of no counts is NULL, a count of no rows is 0.
            if isinstance(argument, exp.Filter):
                raise _Nested(f"{words(node)} needs {_COMPLETE}")
            made = call_of("sum", _counted(inner.expressions[0]))
        elif (kind := expression_type(argument, self.rows)) != expression_type(node, self.rows):
            made = self._widened(node, inner, kind)
        return _filtered(made, conditions)

    def _may_overflow(self, summed: Tree) -> bool:
        """Return whether a sum may have too many digits for DECIMAL, so that an outer sum ignores it as NULL."""
        kind = expression_type(summed, self.rows)
        decimal = as_decimal(kind)
        return kind == UNKNOWN or (decimal is not None and decimal.precision + SUM_DIGITS > MAX_PRECISION)

    def _widened(self, node: Tree, inner: exp.Anonymous, kind: str) -> exp.Anonymous:
        """Return a sum in the type in which `node`, a sum of sums, has it; `kind` is the type of the inner sum."""
        if inner.name != "sum" or as_decimal(kind) is None:
            raise _Nested(f"{words(node)} has another type than an aggregate of rows")
        return call_of("sum", cast(inner.expressions[0].copy(), kind))


def _combines(call: exp.Anonymous, inner: exp.Anonymous) -> bool:
    """Return whether `call` combines the values of the aggregate `inner` over finer groups."""
    distinct = any(isinstance(each.expressions[0], exp.Distinct) for each in (call, inner))
    return not distinct and inner.name in FOLDED and AGGREGATES[inner.name].combine == call.name


def _counted(argument: Tree) -> Tree:
    """Return 1 if count(`argument`) counts a row, else 0."""
    if argument == ROWS.expressions[0]:
        return number(1)
    missing = exp.Is(this=argument.copy(), expression=exp.Null())
    return exp.Case(ifs=[exp.If(this=missing, true=number(0))], default=number(1))


def _filtered(call: exp.Anonymous, conditions: Sequence[Tree]) -> Tree:
    """Return an aggregate with the FILTER of all `conditions`; without conditions, the aggregate itself."""
    if not conditions:
        return call
    whole = conditions[0]
    for condition in conditions[1:]:
        whole = exp.And(this=whole, expression=condition)
    return exp.Filter(this=call, expression=exp.Where(this=whole))
