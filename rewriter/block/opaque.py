"""Uncorrelated subqueries, which a block treats as constants and keeps as text.

In canonical trees a subquery is a function call whose last argument is the subquery's text. The function's name
contains a blank, so that no user's function has the name. An outer column, a column of the enclosing query in a
correlated subquery, is represented in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeGuard

from sqlglot import exp

from rewriter.sql import every, from_items, names_called

Tree = exp.Expr
SCALAR, EXISTS, IN = "scalar subquery", "exists subquery", "in subquery"
# The kind of an outer column: a column of the enclosing query in a correlated subquery. The arguments are its type and
# its text.
OUTER = "outer column"
OPAQUE = frozenset({SCALAR, EXISTS, IN, OUTER})


def opaque(kind: str, text: str, *operands: Tree) -> exp.Anonymous:
    """Return a call that represents a subquery or an outer column, with its SQL `text` as the last argument.

    `kind` is SCALAR, EXISTS, IN or OUTER, and becomes the function's name; for IN, `operands` is the left operand. The
    text becomes an Identifier node, so that comparisons of trees respect case.
    """
    return exp.Anonymous(this=kind, expressions=[*operands, exp.Identifier(this=text, quoted=True)])


def outer_column(text: str, kind: str) -> exp.Anonymous:
    """Return a call that represents an outer column with the SQL `text`, such as `o`.`id`, and the type `kind`.

    >>> outer_type(outer_column("`o`.`id`", "bigint"))
    'bigint'
    """
    return opaque(OUTER, text, exp.Identifier(this=kind, quoted=True))


def outer_type(node: Tree) -> str | None:
    """Return the type of the outer column that a node of a canonical expression represents; None for other nodes."""
    return str(node.expressions[0].name) if isinstance(node, exp.Anonymous) and node.name == OUTER else None


def is_opaque(node: Tree) -> TypeGuard[exp.Anonymous]:
    """Return whether a node of a canonical expression is a call that represents a subquery or an outer column."""
    return isinstance(node, exp.Anonymous) and node.name in OPAQUE


def opaque_within(tree: Tree) -> Iterator[exp.Anonymous]:
    """Yield all calls in an expression that represent subqueries or outer columns."""
    if OPAQUE.isdisjoint(names_called(tree)):
        return iter(())
    return (call for call in every(tree, exp.Anonymous) if call.name in OPAQUE)


def text_of(call: exp.Anonymous) -> str:
    """Return the SQL text of the subquery or outer column that a call represents.

    >>> text_of(opaque(SCALAR, "SELECT max(x) FROM t"))
    'SELECT max(x) FROM t'
    """
    return str(call.expressions[-1].name)


def spelled(call: exp.Anonymous, expression_text: Callable[[Tree], str]) -> str:
    """Return the SQL text of a subquery with its operator (IN, EXISTS), in parentheses so that it can be an operand.

    `call` represents the subquery; `expression_text` prints the left operand of IN. An outer column gives its name.

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
    """Return the expression with the SQL texts of its subqueries replaced: `texts` maps old texts to new texts."""

    def put(node: exp.Expr) -> exp.Expr:
        if not is_opaque(node):
            return node
        found = text_of(node)
        return opaque(node.name, texts.get(found, found), *node.expressions[:-1])

    return tree.transform(put) if texts and any(opaque_within(tree)) else tree


def shown(query: Tree) -> str:
    """Return a short description of a subquery, by the tables that it reads, for a message.

    >>> from rewriter.sql import parse_select
    >>> shown(parse_select("SELECT max(a) FROM t JOIN u ON t.x = u.x WHERE b > 1"))
    'the subquery on t, u'
    """
    select = query.unnest()
    names = [item.alias_or_name for item in from_items(select)] if isinstance(select, exp.Select) else []
    return f"the subquery on {', '.join(names)}" if names else "the subquery"
