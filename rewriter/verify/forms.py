"""The Forms protocol, by which expressions are normalized, and functions that build and inspect CASE and aggregates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from sqlglot import exp

from rewriter.block import Block, has_aggregate
from rewriter.functions.trees import call_of, number
from rewriter.functions.types import FRACTIONS, as_decimal, holds_all
from rewriter.model import Session
from rewriter.model.settings import is_ansi
from rewriter.schema import expression_type

Tree = exp.Expr

# The name of an internal call around a floating-point key of finer groups, which is 0.0 where rows may have -0.0.
GROUPED_FLOAT = "grouped float"
# The name of an internal call around an aggregate of the only finer group; the call is NULL if there is no group.
SINGLE = "single group's"
ZERO, ONE = number(0), number(1)
ROWS_CALL = call_of("count", exp.Star())
# count(*) in normal form.
ROWS = call_of("coalesce", call_of("sum", ONE), ZERO)


class Mode(NamedTuple):
    """The session settings on which the values of expressions depend: the time zone, and whether ANSI mode is on."""

    zone: str
    ansi: bool


def mode_of(session: Session) -> Mode:
    """Return the mode of a session: its time zone and whether ANSI mode is on."""
    return Mode(session.time_zone, is_ansi({**session.defaults, **session.settings}))


class Forms(Protocol):
    """The interface of a converter of expressions over a block's tables to normal form."""

    @property
    def block(self) -> Block:
        """The block to whose tables the expressions refer."""

    @property
    def zone(self) -> str:
        """The session's time zone."""

    @property
    def ansi(self) -> bool:
        """Whether ANSI mode is on: a sum of integers that overflows is then an error, not another number."""

    @property
    def nonempty(self) -> bool:
        """Whether each group of the block is known to have at least one row; without GROUP BY, the only group may be
        empty.
        """

    @property
    def finer(self) -> Forms | None:
        """The Forms of the groups that the block aggregates again, those of a view or derived table.

        None if the block aggregates base-table rows.
        """

    @property
    def single(self) -> bool:
        """Whether the block aggregates the groups of a view or derived table again, and there is at most one such
        group.
        """

    def normal(self, tree: Tree) -> Tree:
        """Return the expression in normal form: equal expressions that are written differently get equal trees.

        `b = a` and `NOT a <> b` have the same normal form.
        """

    def kind(self, tree: Tree) -> str:
        """Return the type of an expression; `unknown` if the type is not known for certain."""

    def over_operands(self, tree: Tree) -> Tree:
        """Return the same operation over operands in normal form.

        `f(b = a)` and `f(a = b)` give the same expression.
        """


def grouped_float(tree: Tree, block: Block) -> Tree:
    """Return a floating-point grouping key of a block within the marker GROUPED_FLOAT; other expressions unchanged.

    The marker, an internal call, records that grouping has replaced -0.0 by 0.0 in the key.
    """
    grouped = block.keys is not None and not has_aggregate(tree)
    return call_of(GROUPED_FLOAT, tree) if grouped and expression_type(tree, block) in FRACTIONS else tree


def values_of(tree: Tree) -> list[Tree]:
    """Return the values of a CASE, with the default last; a missing ELSE adds no value.

    `CASE WHEN p THEN x ELSE y END` gives x and y.
    """
    default = tree.args.get("default")
    return [*(branch.args["true"] for branch in tree.args["ifs"]), *([default] if default is not None else [])]


def conditions_of(tree: Tree) -> list[Tree]:
    """Return the conditions of a CASE, preceded by its operand if the CASE has one.

    `CASE WHEN p THEN x END` gives p, and `CASE k WHEN 1 THEN x END` gives k and 1.
    """
    return [*([tree.this] if tree.this is not None else []), *(branch.this for branch in tree.args["ifs"])]


def with_condition(call: Tree, condition: Tree | None) -> Tree:
    """Return an aggregate with a FILTER condition; unchanged if the condition is None.

    `sum(x)` and the condition `p` give `sum(x) FILTER (WHERE p)`.
    """
    return call if condition is None else exp.Filter(this=call, expression=exp.Where(this=condition))


def under(condition: Tree | None, argument: Tree) -> Tree:
    """Return an aggregate's argument that is NULL in the rows that a FILTER condition drops.

    `x` under the condition `p` gives `CASE WHEN p THEN x END`. Without a condition (None), return the argument
    unchanged.
    """
    return argument if condition is None else case_of([(condition, argument)], None)


def case_of(branches: Sequence[tuple[Tree, Tree]], default: Tree | None) -> Tree:
    """Return a CASE with these branches (pairs of a condition and a value) and `default`; None gives no ELSE."""
    return exp.Case(ifs=[exp.If(this=when, true=then) for when, then in branches], default=default)


def of_shape(tree: Tree, conditions: Sequence[Tree], values: Sequence[Tree]) -> Tree:
    """Return a CASE like `tree`, with `conditions` and `values` in place of its conditions and values.

    If `tree` has an operand (`CASE x WHEN …`), the first of `conditions` is the new operand. If there are more values
    than branches, the last value is the value of ELSE.
    """
    rest = list(conditions)
    operand = rest.pop(0) if tree.this is not None else None
    ifs = [exp.If(this=when, true=then) for when, then in zip(rest, values, strict=False)]
    return exp.Case(this=operand, ifs=ifs, default=values[len(rest)] if len(values) > len(rest) else None)


def never_null(tree: Tree) -> bool:
    """Return whether an expression is never NULL because it is 0, 1, or a CASE with a default over 0 and 1."""
    if isinstance(tree, exp.Case):
        return tree.args.get("default") is not None and all(map(never_null, values_of(tree)))
    return tree in (ZERO, ONE)


def is_distinct(call: exp.Anonymous) -> bool:
    """Return whether an aggregate has DISTINCT, as count(DISTINCT x) does."""
    return bool(call.expressions) and isinstance(call.expressions[0], exp.Distinct)


def widens(narrow: str, wide: str) -> bool:
    """Return whether a cast between two numeric types preserves every value.

    >>> widens("int", "bigint"), widens("bigint", "double"), widens("decimal(10,2)", "decimal(22,2)")
    (True, False, True)
    """
    if wide == "double":
        return narrow in ("tinyint", "smallint", "int", "float")
    decimal = as_decimal(wide)
    # Spark converts a BIGINT to 20 digits, but none has more than 19.
    long = narrow == "bigint" and decimal is not None and decimal.precision - decimal.scale >= 19
    return long or holds_all(wide, narrow)
