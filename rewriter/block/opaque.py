"""Uncorrelated subqueries, which a block treats as constants and keeps as text.

In canonical trees they are function calls whose names contain a blank, so that no user's function can have the name.
The last argument is the subquery's text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeGuard

from sqlglot import exp

from rewriter.sql import every, from_items, names_called

Tree = exp.Expr
SCALAR, EXISTS, IN = "scalar subquery", "exists subquery", "in subquery"
# The kind of a column of the query around a subquery; its text is the argument.
OUTER = "outer column"
OPAQUE = frozenset({SCALAR, EXISTS, IN, OUTER})


def opaque(kind: str, text: str, *operands: Tree) -> exp.Anonymous:
    """Return the call that stands for a subquery; its text is an Identifier, so that comparisons respect case."""
    return exp.Anonymous(this=kind, expressions=[*operands, exp.Identifier(this=text, quoted=True)])


def is_opaque(node: Tree) -> TypeGuard[exp.Anonymous]:
    """Return whether a canonical node stands for a subquery."""
    return isinstance(node, exp.Anonymous) and node.name in OPAQUE


def opaque_within(tree: Tree) -> Iterator[exp.Anonymous]:
    """Yield all calls in an expression that stand for subqueries."""
    if OPAQUE.isdisjoint(names_called(tree)):
        return iter(())
    return (call for call in every(tree, exp.Anonymous) if call.name in OPAQUE)


def text_of(call: exp.Anonymous) -> str:
    """Return the text of the subquery.

    >>> text_of(opaque(SCALAR, "SELECT max(x) FROM t"))
    'SELECT max(x) FROM t'
    """
    return str(call.expressions[-1].name)


def spelled(call: exp.Anonymous, expression_text: Callable[[Tree], str]) -> str:
    """Return a subquery with its operator as SQL in parentheses, so that it can be an operand.

    >>> spelled(opaque(IN, "SELECT y FROM t", exp.column("x")), str)
    '(x IN (SELECT y FROM t))'
    """
    if call.name == OUTER:
        return text_of(call)
    text = f"({text_of(call)})"
    if call.name == EXISTS:
        return f"(EXISTS {text})"
    return f"({expression_text(call.expressions[0])} IN {text})" if call.name == IN else text


def with_texts(tree: Tree, texts: Mapping[str, str]) -> Tree:
    """Return the expression with the subqueries' texts replaced as `texts` says."""

    def put(node: exp.Expr) -> exp.Expr:
        if not is_opaque(node):
            return node
        found = text_of(node)
        return opaque(node.name, texts.get(found, found), *node.expressions[:-1])

    return tree.transform(put) if texts and any(opaque_within(tree)) else tree


def shown(query: Tree) -> str:
    """Return a short description of a subquery for a message.

    >>> from rewriter.sql import parse_select
    >>> shown(parse_select("SELECT max(a) FROM t JOIN u ON t.x = u.x WHERE b > 1"))
    'the subquery of t, u'
    """
    select = query.unnest()
    names = [item.alias_or_name for item in from_items(select)] if isinstance(select, exp.Select) else []
    return f"the subquery of {', '.join(names)}" if names else "the subquery"
