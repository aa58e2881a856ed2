"""Derives expressions of a query from a view's storage columns, by an ordered tuple of lemmas."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from sqlglot import exp

from rewriter.block.normal_forms import joined
from rewriter.block.vocabulary import CONNECTORS
from rewriter.block.words import words
from rewriter.match.candidate import Miss, Reason
from rewriter.match.held_times import Read, Rows
from rewriter.match.time_filters import absent, compared, dated, truncated
from rewriter.match.times import bucket, factored, midnight, of_dates, unbounded, unfactored
from rewriter.sql import holds, operands

Tree = exp.Expr
# What a lemma makes of an expression: the same over the storage, why that cannot be had, or None where it says nothing.
Lemma = Callable[[Tree, Rows], Read]

# To these -0.0 and 0.0 are one value; around them stand those that only combine truths.
COMPARING = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.In, exp.Is)


def derive(tree: Tree, rows: Rows) -> Tree | Miss:
    """Return a normalized row expression of the query over the storage's rows and the tables joined to them."""
    for lemma in _lemmas_of(type(tree)):  # type: ignore[arg-type]  # of the class, not of its instances
        found = lemma(tree, rows)
        if found is not None:
            return found
    return rebuilt(tree, rows.compute)


def held(tree: Tree, rows: Rows) -> Read:
    """Read a storage column that holds the expression, in any order of commutative operands."""
    return rows.held(tree)


def combined(tree: Tree, rows: Rows) -> Read:
    """Derive each operand of AND and OR separately; a chain of hundreds of operands is one step."""
    computed: list[Tree] = []
    for operand in operands(tree, type(tree)):
        part = rows.compute(operand)
        if isinstance(part, Miss):
            return part
        computed.append(part)
    return joined(type(tree), computed)


def column(tree: Tree, rows: Rows) -> Read:
    """Read a storage column that equals the column, or a column of a table joined to the storage."""
    assert isinstance(tree, exp.Column)
    return rows.column(tree)


def constant(tree: Tree, rows: Rows) -> Read:
    """Keep an expression without columns."""
    return tree if not holds(tree, exp.Column) else None


def signed_zeros(tree: Tree, rows: Rows) -> Read:
    """Refuse all but comparisons of a floating-point key: grouping merges -0.0 into 0.0."""
    if isinstance(tree, COMPARING) or not any(map(rows.is_normalized, tree.iter_expressions())):
        return None
    return Miss(Reason.COLUMN_NOT_IN_VIEW, f"{words(tree)}: a floating-point key has lost the sign of its zeros")


Kinds = tuple[type[Tree], ...]
_ANY: Kinds = (exp.Expr,)
_CALLS: Kinds = (exp.Anonymous,)
_RANGES: Kinds = (exp.GTE, exp.GT, exp.LTE, exp.LT)

# Each lemma with the kinds of expressions that it is about.
LEMMAS: tuple[tuple[Lemma, Kinds], ...] = (
    (constant, (exp.Literal,)),
    (held, _ANY),
    (combined, CONNECTORS),
    (column, (exp.Column,)),
    (constant, _ANY),
    # Before anything else that computes something of a key.
    (signed_zeros, _ANY),
    (bucket, (*_CALLS, exp.Cast)),
    (midnight, _CALLS),
    (factored, _ANY),
    (of_dates, _CALLS),
    (compared, _RANGES),
    (dated, _RANGES),
    (truncated, _RANGES),
    (absent, (exp.Is,)),
    # Behind all that may answer: they only say why nothing does.
    (unfactored, (*_CALLS, exp.IntDiv, exp.Mod, exp.Cast)),
    (unbounded, _ANY),
)


@cache
def _lemmas_of(kind: type[Tree]) -> tuple[Lemma, ...]:
    """Return the lemmas about a kind of expressions, in their order."""
    return tuple(lemma for lemma, kinds in LEMMAS if issubclass(kind, kinds))


def rebuilt(tree: Tree, compute: Callable[[Tree], Tree | Miss]) -> Tree | Miss:
    """Return the same operation over derived operands; a Miss if one cannot be derived."""
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
