"""Finds constant strings whose value changes with time: cast to a date, 'today' is the current date."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sqlglot import exp

from rewriter.functions.registry import TEXTS
from rewriter.model import Relation, Table, TableName

Tree = exp.Expr

# A time zone may follow. 'epoch' is not included: it always means the same time.
_CHANGING = re.compile(r"\s*(now|today|yesterday|tomorrow)(?![a-z])", re.IGNORECASE)


def changing_moment(tree: Tree, tables: Mapping[TableName, Relation | None]) -> Tree | None:
    """Return the first constant string in a query that Spark may read as the current date or time; None without one.

    Some strings are not returned, because Spark does not read them as a time: a string that is an output, and a string
    that is compared only with columns of type STRING. The columns' types are looked up in `tables`.

    >>> from rewriter.sql import parse_select
    >>> [str(changing_moment(parse_select(sql), {})) for sql in ("SELECT DATE 'today'", "SELECT 'today' AS x")]
    ["'today'", 'None']
    """
    return next((text for text in _suspects(tree) if not _stays_text(text, tables)), None)


def _suspects(tree: Tree) -> Iterator[Tree]:
    for node in tree.walk():
        text = _text(node)
        constant = _computes_text(node) and not _varies(node) if text is None else _CHANGING.match(text)
        if constant and not _within_another(node):
            yield node


def _text(node: Tree) -> str | None:
    """Return the value of a string literal, or of adjacent string literals; None for other expressions."""
    if isinstance(node, exp.Literal) and node.is_string:
        return str(node.name)
    if isinstance(node, exp.Concat) and all(isinstance(part, exp.Literal) for part in node.expressions):
        return "".join(part.name for part in node.expressions)
    return None


def _computes_text(node: Tree) -> bool:
    named = isinstance(node, exp.Anonymous) and str(node.this).lower() in TEXTS
    return named or isinstance(node, exp.DPipe)


def _varies(node: Tree) -> bool:
    """Return whether an expression contains a column or the parameter of a lambda, so that it is not constant."""
    named = node.find_ancestor(exp.Lambda) is not None and node.find(exp.Identifier) is not None
    return named or node.find(exp.Column) is not None


def _within_another(node: Tree) -> bool:
    above = node.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    return above is not None and _computes_text(above) and not above.find(exp.Column)


def _stays_text(text: Tree, tables: Mapping[TableName, Relation | None]) -> bool:
    node, user = text, text.parent
    while isinstance(user, (exp.Paren, exp.Alias)):
        node, user = user, user.parent
    if user is None or isinstance(user, exp.Select):
        return node.arg_key == "expressions"
    whole = user.parent if isinstance(user, exp.If) and isinstance(user.parent, exp.Case) else user
    beside = _beside(node, whole)
    # Spark evaluates a constant expression first, and then casts its result to a date.
    return bool(beside) and whole.find(exp.Column) is not None and all(_is_text(value, tables) for value in beside)


def _beside(node: Tree, user: Tree) -> list[Tree]:
    """Return the expressions whose types Spark makes equal to the type of `node`, a child of `user`.

    In `coalesce(d, 'today')`, the node `'today'` gives `d`. A result of a CASE gives all results of the CASE, and a
    value after WHEN gives the value after CASE. The operand of a CAST gives an empty list.
    """
    if isinstance(user, exp.Case):
        if node.arg_key == "this":
            return [user.this] if user.this else []
        return [*(branch.args["true"] for branch in user.args["ifs"]), user.args.get("default") or exp.Null()]
    return [] if isinstance(user, exp.Cast) else [other for other in user.iter_expressions() if other is not node]


def _is_text(node: Tree, tables: Mapping[TableName, Relation | None]) -> bool:
    """Return whether an expression is known to be a string: NULL, a string literal, or a column.

    A column counts only if it is a string in each of the given tables that has a column with this name.
    """
    if isinstance(node, exp.Column):
        declared = [table.column(node.name) for table in tables.values() if isinstance(table, Table)]
        types = {column.type for column in declared if column is not None}
        return types == {"string"}
    return isinstance(node, exp.Null) or _text(node) is not None
