"""Prints expressions in the normal form of blocks as SQL, a hundred times as fast as sqlglot.

Uncommon kinds of nodes are printed by sqlglot's generator, which gives the same text but is slow even for a column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from sqlglot import exp

from rewriter.model.names import RESERVED, ticked
from rewriter.sql.dialect import render
from rewriter.sql.operators import ARITHMETIC, COMPARING, CONNECTING, Signs

Tree = exp.Expr
_Print = Callable[[Tree], str]

# Strings that need no escapes; sqlglot prints all others.
_PLAIN_TEXT = re.compile(r"[^'\\\x00-\x1f\x7f]*\Z")
_INFIX: Signs = {
    **COMPARING,
    **CONNECTING,
    **ARITHMETIC,
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.Is: "IS",
    exp.Like: "LIKE",
}
_OPERATIONS = (exp.Binary, exp.Unary, exp.In)


def expression_sql(tree: Tree, special: Callable[[Tree], str | None] = lambda node: None) -> str:
    """Return the text of an expression in normal form, with parentheses around each operation within an operation.

    `special` may return another text for a node, or None to print the node as usual.

    >>> expression_sql(exp.Neg(this=exp.Add(this=exp.column("a"), expression=exp.column("b"))))
    '-(a + b)'
    """

    def text(node: Tree) -> str:
        found = special(node)
        if found is not None:
            return found
        write = _WRITERS.get(type(node))
        written = write(node, text) if write is not None else None
        return written if written is not None else render(_with_parentheses(node, special))

    return text(tree)


def _operand(parent: Tree, child: Tree, text: _Print) -> str:
    both = isinstance(parent, _OPERATIONS) and isinstance(child, _OPERATIONS)
    return f"({text(child)})" if both else text(child)


def _with_parentheses(tree: Tree, special: Callable[[Tree], str | None]) -> Tree:
    """Return a copy of the tree with parentheses around each operation within an operation, as in `-(a + b)`.

    sqlglot's generator does not add these parentheses itself. `special` returns another text for a node, or None.
    """
    arguments: dict[str, object] = {}
    for argument, value in tree.args.items():
        values = value if isinstance(value, list) else [value]
        new = [_inner(tree, v, special) if isinstance(v, exp.Expr) else v for v in values]
        arguments[argument] = new if isinstance(value, list) else new[0]
    return type(tree)(**arguments)


def _inner(parent: Tree, child: Tree, special: Callable[[Tree], str | None]) -> Tree:
    found = special(child)
    if found is not None:
        return exp.Var(this=found)
    inner = _with_parentheses(child, special)
    both = isinstance(parent, _OPERATIONS) and isinstance(child, _OPERATIONS)
    return exp.Paren(this=inner) if both else inner


def _column(node: Tree, text: _Print) -> str | None:
    if node.args.get("db") is not None:
        return None
    table = node.args.get("table")
    name = _identifier(node.this)
    return f"{_identifier(table)}.{name}" if table is not None else name


def _identifier(node: Tree) -> str:
    name = str(node.this)
    return ticked(name) if node.args.get("quoted") or name.upper() in RESERVED else name


def _literal(node: Tree, text: _Print) -> str | None:
    if not node.args.get("is_string"):
        return str(node.this)
    return f"'{node.this}'" if _PLAIN_TEXT.match(node.this) else None


def _infix(node: Tree, text: _Print) -> str:
    return f"{_operand(node, node.this, text)} {_INFIX[type(node)]} {_operand(node, node.expression, text)}"


def _not(node: Tree, text: _Print) -> str:
    return f"NOT {_operand(node, node.this, text)}"


def _in(node: Tree, text: _Print) -> str:
    values = ", ".join(_operand(node, value, text) for value in node.expressions)
    return f"{_operand(node, node.this, text)} IN ({values})"


def _case(node: Tree, text: _Print) -> str:
    parts = ["CASE", *(text(part) for part in (node.this,) if part is not None)]
    parts += [f"WHEN {text(branch.this)} THEN {text(branch.args['true'])}" for branch in node.args["ifs"]]
    default = node.args.get("default")
    return " ".join([*parts, *([f"ELSE {text(default)}"] if default is not None else []), "END"])


def _call(node: Tree, text: _Print) -> str:
    return f"{str(node.this).lower()}({', '.join(map(text, node.expressions))})"


def _distinct(node: Tree, text: _Print) -> str:
    return f"DISTINCT {', '.join(map(text, node.expressions))}"


def _filter(node: Tree, text: _Print) -> str:
    return f"{text(node.this)} FILTER(WHERE {text(node.expression.this)})"


def _cast(node: Tree, text: _Print) -> str:
    name = _casting(isinstance(node, exp.TryCast), bool(node.args.get("safe")))
    return f"{name}({text(node.this)} AS {_type(node.args['to'])})"


@cache
def _casting(tried: bool, safe: bool) -> str:
    """Return the keyword, CAST or TRY_CAST, by which sqlglot prints a cast node.

    `tried` is true for an exp.TryCast, false for an exp.Cast; `safe` is true if the node has the argument `safe`.
    """
    kind: Any = exp.TryCast if tried else exp.Cast
    cast = kind(this=exp.column("x"), to=exp.DataType.build("int"), **({"safe": True} if safe else {}))
    return render(cast).partition("(")[0]


def _type(kind: Tree) -> str:
    if not all(isinstance(digits, exp.DataTypeParam) for digits in kind.expressions):
        return render(kind)
    digits = ", ".join(str(digits.this.this) for digits in kind.expressions)
    return f"{_plain_type(kind.this)}({digits})" if digits else _plain_type(kind.this)


@cache
def _plain_type(kind: exp.DType) -> str:
    return render(exp.DataType(this=kind))


_WRITERS: Mapping[type[Tree], Callable[[Tree, _Print], str | None]] = {
    **dict.fromkeys(_INFIX, _infix),
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Null: lambda node, text: "NULL",
    exp.Boolean: lambda node, text: "TRUE" if node.this else "FALSE",
    exp.Star: lambda node, text: "*",
    exp.Var: lambda node, text: str(node.this),
    exp.Not: _not,
    exp.In: _in,
    exp.Case: _case,
    exp.Anonymous: _call,
    exp.Distinct: _distinct,
    exp.Filter: _filter,
    exp.Cast: _cast,
    exp.TryCast: _cast,
}
