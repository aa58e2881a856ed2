"""Computes Spark's name of an output without an alias, which is the expression as Spark prints it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from sqlglot import exp
from sqlglot.tokens import TokenType

from rewriter.functions.registry import CLOCK, GROUPING, PRINTED, PRINTED_ARITY, meant
from rewriter.functions.types import Uncertain, column_type
from rewriter.sql import excerpt, tokenize
from rewriter.sql.operators import ARITHMETIC, COMPARING, CONNECTING, Signs

Tree = exp.Expr

_INFIX: Signs = {**ARITHMETIC, **COMPARING, **CONNECTING, exp.IntDiv: "div", exp.NullSafeEQ: "<=>"}

_OPERATORS = "( , + - * / % = < > <= >= <> != <=> || SELECT DISTINCT WHEN THEN ELSE CASE AND OR NOT BETWEEN LIKE DIV"
_BEFORE_OPERANDS = frozenset(_OPERATORS.split())


def name_of(tree: Tree) -> str:
    """Return Spark's name of an output without an alias; raise Uncertain if the name is not known for certain.

    >>> from rewriter.sql import parse_select
    >>> [name_of(e) for e in parse_select("SELECT T.Price, SUM(t.x + 1), count(*), avg(DISTINCT x) FROM t").expressions]
    ['Price', 'sum((x + 1))', 'count(1)', 'avg(DISTINCT x)']
    """
    if isinstance(tree, exp.Cast) and isinstance(tree.this, exp.Column) and not tree.args.get("safe"):
        return str(tree.this.name)  # an outermost cast leaves a column its name
    return _spelled(tree)


def has_unary_plus(sql: str) -> bool:
    """Return whether a SQL text contains a unary plus, as in `+i`.

    Spark keeps the sign in an output's name, but sqlglot's parser drops it.

    >>> has_unary_plus("SELECT +i FROM t"), has_unary_plus("SELECT i + 1 FROM t")
    (True, False)
    """
    tokens = tokenize(sql)
    return any(
        token.token_type is TokenType.PLUS and before.text.upper() in _BEFORE_OPERANDS
        for before, token in pairwise(tokens)
    )


def _spelled(tree: Tree) -> str:
    for kind, spell in _SPELLINGS:
        if isinstance(tree, kind):
            return spell(tree)
    if type(tree) in _INFIX:
        return f"({_spelled(tree.this)} {_INFIX[type(tree)]} {_spelled(tree.expression)})"
    raise Uncertain(f"the output name of {excerpt(tree)} is not known for certain: give the output an alias")


def _column(tree: Tree) -> str:
    if isinstance(tree.this, exp.Star):
        raise Uncertain("* stands for several outputs, so that * has no output name: list the columns instead of *")
    return str(tree.name)


def _literal(tree: Tree) -> str:
    if not tree.is_string and ("e" in tree.name.lower() or tree.name.startswith(".") or tree.name.endswith(".")):
        raise Uncertain(f"the output name of {tree.name} is not known for certain: give the output an alias")
    return str(tree.name)


def _call(tree: Tree) -> str:
    name = str(tree.this).lower()
    if name in ("extract", "datepart") and len(tree.expressions) == 2:
        return f"{name}({' FROM '.join(map(_spelled, tree.expressions))})"
    empty = meant(name) in CLOCK or (name in GROUPING and not tree.expressions)
    spelled = PRINTED.get(name) if bool(tree.expressions) != empty else None
    # Spark also prints arguments that were omitted.
    if spelled is None or len(tree.expressions) != PRINTED_ARITY.get(name, len(tree.expressions)):
        raise Uncertain(f"the output name of {name}() is not known for certain: give the output an alias")
    if name == "count" and isinstance(tree.expressions[0], exp.Star):
        return "count(1)"
    return f"{spelled}({', '.join(map(_argument, tree.expressions))})"


def _argument(tree: Tree) -> str:
    if isinstance(tree, exp.Distinct):
        return "DISTINCT " + ", ".join(map(_spelled, tree.expressions))
    return _spelled(tree)


def _cast(tree: Tree) -> str:
    assert isinstance(tree, exp.Cast)
    if tree.args.get("safe") or isinstance(tree.this, exp.Literal):
        raise Uncertain(f"the output name of {excerpt(tree)} is not known for certain: give the output an alias")
    return f"CAST({_spelled(tree.this)} AS {column_type(tree.to.sql('spark')).upper()})"


def _case(tree: Tree) -> str:
    if tree.this is not None:
        raise Uncertain(f"the output name of {excerpt(tree)} is not known for certain: give the output an alias")
    parts = [f"WHEN {_spelled(branch.this)} THEN {_spelled(branch.args['true'])}" for branch in tree.args["ifs"]]
    default = tree.args.get("default")
    return f"CASE {' '.join(parts)} {f'ELSE {_spelled(default)} ' if default else ''}END"


def _negative(tree: Tree) -> str:
    if isinstance(tree.this, exp.Literal):
        return f"-{_spelled(tree.this)}"
    return f"(- {_spelled(tree.this)})"


def _like(tree: Tree) -> str:
    text = f"{_spelled(tree.this)} LIKE {_spelled(tree.expression)}"
    return f"(NOT {text})" if tree.args.get("negate") else text


def _is(tree: Tree) -> str:
    if not isinstance(tree.expression, exp.Null):
        raise Uncertain(f"the output name of {excerpt(tree)} is not known for certain: give the output an alias")
    return f"({_spelled(tree.this)} IS NULL)"


def _not(tree: Tree) -> str:
    if isinstance(tree.this, exp.Is) and isinstance(tree.this.expression, exp.Null):
        return f"({_spelled(tree.this.this)} IS NOT NULL)"
    return f"(NOT {_spelled(tree.this)})"


def _in(tree: Tree) -> str:
    return f"({_spelled(tree.this)} IN ({', '.join(map(_spelled, tree.expressions))}))"


def _filter(tree: Tree) -> str:
    return f"{_spelled(tree.this)} FILTER (WHERE {_spelled(tree.expression.this)})"


_SPELLINGS: tuple[tuple[type[Tree] | tuple[type[Tree], ...], Callable[[Tree], str]], ...] = (
    (exp.Column, _column),
    (exp.Literal, _literal),
    (exp.Null, lambda tree: "NULL"),
    (exp.Boolean, lambda tree: "true" if tree.this else "false"),
    (exp.Paren, lambda tree: _spelled(tree.this)),
    (exp.Neg, _negative),
    (exp.NEQ, lambda tree: f"(NOT ({_spelled(tree.this)} = {_spelled(tree.expression)}))"),
    (exp.DPipe, lambda tree: f"concat({_spelled(tree.this)}, {_spelled(tree.expression)})"),
    (exp.Like, _like),
    (exp.Cast, _cast),
    (exp.Case, _case),
    (exp.Is, _is),
    (exp.Not, _not),
    (exp.In, _in),
    (exp.Filter, _filter),
    (
        (exp.CurrentDate, exp.CurrentTimestamp),
        lambda tree: f"{tree.sql('spark').removesuffix('()').lower()}()",
    ),
    (exp.Anonymous, _call),
)
