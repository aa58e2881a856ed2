"""Derives expressions of a query from a view's storage columns, by an ordered tuple of lemmas.

A lemma is a function of an expression of the query and of `rows`, the expressions that the storage table stores. A
lemma returns the expression over storage columns, None if the lemma does not apply, or a Miss if the storage table
cannot give the expression.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from sqlglot import exp

from rewriter.block.normal_forms import joined
from rewriter.block.vocabulary import CONNECTORS
from rewriter.block.words import words
from rewriter.match.held_times import Read, Rows
from rewriter.match.reasons import Miss, Reason
from rewriter.match.time_filters import RANGES, absent, compared, dated, joined_day, truncated, undecided
from rewriter.match.times import INSTANTS, bucket, factored, midnight, of_dates, scaled, unbounded, unfactored
from rewriter.sql import columns_in, operands

Tree = exp.Expr
# Returns the expression over the storage, a Miss if the storage cannot give it, or None if the lemma does not apply.
Lemma = Callable[[Tree, Rows], Read]

# These operators treat -0.0 and 0.0 as one value, so that a key that lost the sign of its zeros gives the same result.
COMPARING = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.In, exp.Is)


def derive(tree: Tree, rows: Rows) -> Tree | Miss:
    """Return an expression over the query's rows as an expression over storage columns and joined tables.

    `rows` has the storage columns. The columns of `tree` must be normalized (replaced by one representative of their
    equal columns). Return a Miss if the expression cannot be derived.
    """
    computed = rows.stores_computed
    for lemma in _lemmas_of(type(tree), computed):  # type: ignore[arg-type]  # of the class, not of its instances
        found = lemma(tree, rows)
        if found is not None:
            return found
    built = rebuilt(tree, rows.compute)
    return (undecided(tree, rows) or built) if isinstance(built, Miss) and computed else built


def held(tree: Tree, rows: Rows) -> Read:
    """Return the storage column in `rows` that stores the expression `tree`, ignoring the order of commutative
    operands.

    Return None if no column stores the expression.
    """
    return rows.held(tree)


def combined(tree: Tree, rows: Rows) -> Read:
    """Return the chain of AND or OR `tree` over storage columns, by deriving its operands one by one.

    The operands are not found by recursion, because a long chain would exceed Python's recursion limit. `rows` has the
    storage columns. Return a Miss if an operand cannot be derived.
    """
    computed: list[Tree] = []
    for operand in operands(tree, type(tree)):
        part = rows.compute(operand)
        if isinstance(part, Miss):
            return part
        computed.append(part)
    return joined(type(tree), computed)


def column(tree: Tree, rows: Rows) -> Read:
    """Return the column `tree`, or a column equal to it, of a table that the query joins to the storage table.

    Return a Miss if no joined table has such a column. Storage columns are not searched, because the function `held`,
    which searches them, is called before. `rows` has the joined tables.
    """
    assert isinstance(tree, exp.Column)
    return rows.column(tree)


def constant(tree: Tree, rows: Rows) -> Read:
    """Return an expression without columns unchanged; None for other expressions.

    `rows` is not used.
    """
    return tree if not columns_in(tree) else None


def signed_zeros(tree: Tree, rows: Rows) -> Read:
    """Return a Miss for an operation, other than a comparison, on a floating-point key of the view.

    Grouping has replaced -0.0 by 0.0 in such keys, so that the operation might return a different value. Return None
    for other expressions. `rows` has the storage columns.
    """
    if isinstance(tree, COMPARING) or not any(map(rows.is_normalized, tree.iter_expressions())):
        return None
    return Miss(
        Reason.COLUMN_NOT_IN_VIEW,
        f"{words(tree)}: a floating-point grouping key of the view does not keep the sign of zero, on which "
        f"{words(tree)} may depend: add {words(tree)} to the view's GROUP BY",
    )


def branch(tree: Tree, rows: Rows) -> Read:
    """Return a branch of a CASE, a condition with its value, over storage columns; a Miss if one of them cannot be
    derived.

    `rows` has the storage columns.
    """
    condition, value = rows.condition(tree.this), rows.compute(tree.args["true"])
    missed = next((each for each in (condition, value) if isinstance(each, Miss)), None)
    return missed or exp.If(this=condition, true=value)


Kinds = tuple[type[Tree], ...]
_ANY: Kinds = (exp.Expr,)
_CALLS: Kinds = (exp.Anonymous,)

# Each lemma, with the kinds of expressions that it applies to.
LEMMAS: tuple[tuple[Lemma, Kinds], ...] = (
    (constant, (exp.Literal,)),
    (held, _ANY),
    (combined, CONNECTORS),
    (column, (exp.Column,)),
    (constant, _ANY),
    # Must precede all lemmas that compute something from a key.
    (signed_zeros, _ANY),
    (bucket, (*_CALLS, exp.Cast)),
    (midnight, _CALLS),
    (factored, _ANY),
    (scaled, INSTANTS),
    (of_dates, _CALLS),
    (compared, RANGES),
    (dated, RANGES),
    (truncated, RANGES),
    (joined_day, RANGES),
    (absent, (exp.Is,)),
    (branch, (exp.If,)),
    # Must follow all lemmas that can answer: these only explain why none did.
    (unfactored, (*_CALLS, exp.IntDiv, exp.Mod, exp.Cast)),
    (unbounded, _ANY),
)

# These lemmas find nothing if the storage table stores only columns: a time bucket is never a plain column. Most views
# of TPC-H and SSB store no buckets.
_OF_BUCKETS = frozenset({
    *(bucket, midnight, factored, scaled, compared, dated, truncated, joined_day, absent, branch, unfactored, unbounded)
})  # fmt: skip


@cache
def _lemmas_of(kind: type[Tree], computed: bool) -> tuple[Lemma, ...]:
    """Return the lemmas that apply to a class of expressions, in the order of LEMMAS.

    `kind` is the class. `computed` is true if any storage column stores an expression other than a plain column.
    """
    lemmas = (lemma for lemma, kinds in LEMMAS if issubclass(kind, kinds))
    return tuple(lemma for lemma in lemmas if computed or lemma not in _OF_BUCKETS)


def rebuilt(tree: Tree, compute: Callable[[Tree], Tree | Miss]) -> Tree | Miss:
    """Return the operation `tree` over operands derived by `compute`; a Miss if an operand cannot be derived.

    `a + b` gives `compute(a) + compute(b)`.
    """
    arguments: dict[str, object] = {}
    for argument, value in tree.args.items():
        computed: list[object] = []
        for operand in value if isinstance(value, list) else [value]:
            if not isinstance(operand, exp.Expr):
                computed.append(operand)
                continue
            named = isinstance(operand, (exp.DataType, exp.Identifier, exp.Var))
            part = operand if named else compute(operand)
            if isinstance(part, Miss):
                return part
            computed.append(part)
        arguments[argument] = computed if isinstance(value, list) else computed[0]
    return type(tree)(**arguments)
