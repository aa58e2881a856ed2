"""Computes Spark's name of an output without an alias, which is the expression as Spark prints it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from itertools import pairwise

from sqlglot import exp
from sqlglot.tokens import TokenType

from rewriter.functions.registry import CLOCK, FUNCTIONS, GROUPING, WINDOWS, meant
from rewriter.functions.types import Uncertain, column_type
from rewriter.sql import excerpt, tokenize
from rewriter.sql.operators import ARITHMETIC, COMPARING, CONNECTING, Signs

Tree = exp.Expr

_BITWISE: Signs = {exp.BitwiseAnd: "&", exp.BitwiseOr: "|", exp.BitwiseXor: "^"}
_INFIX: Signs = {**ARITHMETIC, **COMPARING, **CONNECTING, **_BITWISE, exp.IntDiv: "div", exp.NullSafeEQ: "<=>"}
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_CURRENT, _UNBOUNDED = "CURRENT ROW", "UNBOUNDED"

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


def lost_spelling(sql: str, outputs: Sequence[Tree]) -> str:
    """Return a description of the syntax that the parser drops but Spark prints in the names of `outputs`.

    `outputs` are the parsed outputs, without an alias, of the text `sql`. The result names only the first of these that
    the text has: a unary plus, `NOT x IS NULL` (parsed as `x IS NOT NULL`), a number with a type suffix (`1L`, parsed
    as a cast). Return an empty string if the text has none of them.

    >>> from rewriter.sql import parse_select
    >>> [
    ...     lost_spelling(sql, parse_select(sql).expressions)
    ...     for sql in ("SELECT +i", "SELECT i + 1", "SELECT NOT i IS NULL", "SELECT i + 1L")
    ... ]
    ['a unary plus', '', 'NOT before an operand of IS NULL', 'a number with a type suffix']
    """
    if not outputs:
        return ""
    pairs = [*pairwise(tokenize(sql))]
    if any(token.token_type is TokenType.PLUS and before.text.upper() in _BEFORE_OPERANDS for before, token in pairs):
        return "a unary plus"
    nodes = [node for output in outputs for node in output.find_all(exp.Not, exp.Cast)]
    if any(isinstance(node, exp.Not) and isinstance(node.this, exp.Is) for node in nodes) and any(
        token.token_type is TokenType.NOT and before.token_type is not TokenType.IS for before, token in pairs
    ):
        return "NOT before an operand of IS NULL"
    if any(isinstance(node, exp.TryCast) and isinstance(node.this, exp.Literal) for node in nodes) and any(
        before.token_type is TokenType.NUMBER
        and token.token_type is TokenType.DCOLON
        and sql[token.start : token.end + 1] != "::"
        for before, token in pairs
    ):
        return "a number with a type suffix"
    return ""


def _spelled(tree: Tree) -> str:
    for kind, spell in _SPELLINGS:
        if isinstance(tree, kind):
            return spell(tree)
    if type(tree) in _INFIX:
        return f"({_spelled(tree.this)} {_INFIX[type(tree)]} {_spelled(tree.expression)})"
    raise unnameable(tree)


def unnameable(tree: Tree) -> Uncertain:
    """Return the error for an output whose name is not known for certain."""
    return Uncertain(f"the output name of {excerpt(tree)} is not known for certain: give the output an alias")


def _listed(trees: Iterable[Tree]) -> str:
    return ", ".join(map(_spelled, trees))


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
    record = FUNCTIONS.get(meant(name))
    empty = meant(name) in CLOCK or (name in GROUPING and not tree.expressions)
    if record is None or not record.printed or name in record.unprinted or bool(tree.expressions) == empty:
        raise _unknown(name)
    # Spark also prints arguments that were omitted.
    defaults = record.printed_defaults
    omitted = (record.printed_arity or len(tree.expressions)) - len(tree.expressions)
    if not 0 <= omitted <= len(defaults):
        raise _unknown(name)
    if name == "count" and isinstance(tree.expressions[0], exp.Star):
        return "count(1)"
    arguments = (*map(_argument, tree.expressions), *defaults[len(defaults) - omitted :])
    return (record.printed_as or f"{name}(%s)") % ", ".join(arguments)


def _unknown(function: str) -> Uncertain:
    return Uncertain(f"the output name of {function}() is not known for certain: give the output an alias")


def _argument(tree: Tree) -> str:
    if isinstance(tree, exp.Distinct):
        return "DISTINCT " + ", ".join(map(_spelled, tree.expressions))
    return _spelled(tree)


def _cast(tree: Tree) -> str:
    assert isinstance(tree, exp.Cast)
    if tree.args.get("safe"):
        raise unnameable(tree)
    kind = column_type(tree.to.sql("spark"))
    # The parser reads DATE '…' as a Cast, and CAST('…' AS DATE) as a TryCast.
    if isinstance(tree.this, exp.Literal) and not isinstance(tree, exp.TryCast):
        return _typed_literal(tree.this, kind)
    return f"CAST({_spelled(tree.this)} AS {kind.upper()})"


def _typed_literal(literal: exp.Literal, kind: str) -> str:
    # Spark prints a TIMESTAMP in the session time zone, and a DATE in ISO form.
    if kind != "date" or not _DATE.fullmatch(literal.name):
        raise unnameable(literal)
    try:
        date.fromisoformat(literal.name)
    except ValueError:
        raise unnameable(literal) from None
    return f"DATE '{literal.name}'"


def _case(tree: Tree) -> str:
    parts = [
        f"WHEN {_when(tree.this, branch.this)} THEN {_spelled(branch.args['true'])}" for branch in tree.args["ifs"]
    ]
    default = tree.args.get("default")
    return f"CASE {' '.join(parts)} {f'ELSE {_spelled(default)} ' if default else ''}END"


def _when(operand: Tree | None, value: Tree) -> str:
    return _spelled(value) if operand is None else f"({_spelled(operand)} = {_spelled(value)})"


def _negative(tree: Tree) -> str:
    if isinstance(tree.this, exp.Literal):
        return f"-{_spelled(tree.this)}"
    return f"(- {_spelled(tree.this)})"


def _like(tree: Tree) -> str:
    text = f"{_spelled(tree.this)} LIKE {_spelled(tree.expression)}"
    return f"(NOT {text})" if tree.args.get("negate") else text


def _pattern(function: str, tree: Tree) -> str:
    text = f"{function}({_listed((tree.this, tree.expression))})"
    return f"(NOT {text})" if tree.args.get("negate") else text


def _escaped(tree: Tree) -> str:
    if not isinstance(tree.this, exp.Like) or tree.this.args.get("negate") or tree.expression.name == "'":
        raise unnameable(tree)
    return f"{_spelled(tree.this)} ESCAPE '{tree.expression.name}'"


def _is(tree: Tree) -> str:
    if isinstance(tree.expression, exp.Boolean):
        return f"({_spelled(tree.this)} <=> {_spelled(tree.expression)})"
    if not isinstance(tree.expression, exp.Null):
        raise unnameable(tree)
    return f"({_spelled(tree.this)} IS NULL)"


def _not(tree: Tree) -> str:
    if isinstance(tree.this, exp.Is) and isinstance(tree.this.expression, exp.Null):
        return f"({_spelled(tree.this.this)} IS NOT NULL)"
    return f"(NOT {_spelled(tree.this)})"


def _in(tree: Tree) -> str:
    values = "(listquery())" if tree.args.get("query") else f"({_listed(tree.expressions)})"
    return f"({_spelled(tree.this)} IN {values})"


def _between(tree: Tree) -> str:
    if tree.args.get("symmetric"):
        raise unnameable(tree)
    return f"between({_listed((tree.this, tree.args['low'], tree.args['high']))})"


def _filter(tree: Tree) -> str:
    return f"{_spelled(tree.this)} FILTER (WHERE {_spelled(tree.expression.this)})"


def _window(tree: Tree) -> str:
    if tree.args.get("alias") or not isinstance(tree.args.get("over"), str) or tree.args.get("first") is not None:
        raise unnameable(tree)
    call, order = tree.this, tree.args.get("order")
    record = WINDOWS.get(str(call.this).lower()) if isinstance(call, exp.Anonymous) else None
    parts = []
    if partition := tree.args.get("partition_by"):
        parts.append(f"PARTITION BY {_listed(partition)}")
    if order is not None:
        parts.append(f"ORDER BY {', '.join(map(_ordered, order.expressions))}")
    if record is not None and record.printed_arity not in (None, len(call.expressions)):
        raise unnameable(tree)
    if record is not None and record.offset:
        function, shift = _shifted(call, record.offset)
        frame = f"ROWS BETWEEN {shift} FOLLOWING AND {shift} FOLLOWING"
    else:
        function = (record.printed_as or f"{record.name}(%s)") % _listed(call.expressions) if record else _spelled(call)
        frame = _frame(tree) or (record.frame if record else "") or _default_frame(ordered=order is not None)
    return f"{function} OVER ({' '.join((*parts, frame))})"


def _ordered(item: Tree) -> str:
    if not isinstance(item, exp.Ordered) or item.args.get("with_fill"):
        raise unnameable(item)
    nulls = "FIRST" if item.args.get("nulls_first") else "LAST"
    return f"{_spelled(item.this)} {'DESC' if item.args.get('desc') else 'ASC'} NULLS {nulls}"


def _shifted(call: exp.Anonymous, offset: int) -> tuple[str, int]:
    """Return a call of lag() or lead() as Spark prints it, and how many rows it reads ahead (negative for lag()).

    `offset` is -1 for lag() and 1 for lead(): `lag(x, 2)` gives `lag(x, 2, NULL)` and -2.
    """
    value, *rest = call.expressions
    rows = rest[0] if rest else exp.Literal.number(1)
    if not isinstance(rows, exp.Literal) or rows.is_string or not rows.name.isdecimal():
        raise unnameable(call)
    default = _spelled(rest[1]) if len(rest) > 1 else "NULL"
    return f"{str(call.this).lower()}({_spelled(value)}, {rows.name}, {default})", offset * int(rows.name)


def _frame(tree: Tree) -> str:
    spec = tree.args.get("spec")
    if spec is None:
        return ""
    if spec.args.get("exclude"):
        raise unnameable(tree)
    start, end = _bound(spec, "start"), _bound(spec, "end") or _CURRENT
    return f"{spec.args['kind']} BETWEEN {start} AND {end}"


def _bound(spec: Tree, side: str) -> str:
    bound, direction = spec.args.get(side), spec.args.get(f"{side}_side")
    if bound is None or bound == _CURRENT:
        return bound or ""
    if bound != _UNBOUNDED:
        if not isinstance(bound, exp.Literal) or bound.is_string or not bound.name.isdecimal():
            raise unnameable(spec)
        bound = bound.name
    return f"{bound} {direction}"


def _default_frame(*, ordered: bool) -> str:
    if ordered:
        return "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    return "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"


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
    (exp.Escape, _escaped),
    (exp.ILike, lambda tree: _pattern("ilike", tree)),
    (exp.RegexpLike, lambda tree: _pattern("RLIKE", tree)),
    (exp.Between, _between),
    (exp.BitwiseNot, lambda tree: f"~{_spelled(tree.this)}"),
    (exp.NullSafeNEQ, lambda tree: f"(NOT ({_spelled(tree.this)} <=> {_spelled(tree.expression)}))"),
    (exp.Cast, _cast),
    (exp.Case, _case),
    (exp.Is, _is),
    (exp.Not, _not),
    (exp.In, _in),
    (exp.Filter, _filter),
    (exp.Window, _window),
    (exp.Exists, lambda tree: "exists()"),
    (exp.Subquery, lambda tree: "scalarsubquery()"),
    (
        (exp.CurrentDate, exp.CurrentTimestamp),
        lambda tree: f"{tree.sql('spark').removesuffix('()').lower()}()",
    ),
    (exp.Anonymous, _call),
)
