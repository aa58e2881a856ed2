"""Table functions of Viewgate's own, `mv_dependencies('view')` and `stale_files('view')`, in any statement.

Spark knows no such functions: before anything else each call becomes a subquery with the rows that it returns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from proxy.catalog import Catalog
from proxy.hs2 import SqlError
from proxy.pipeline.dependencies import FUNCTIONS, table_text
from proxy.statements import Token, scan, string_value
from rewriter import Edit, splice
from rewriter.model import MaterializedView, Session, split_name

_BEFORE_VIEW = frozenset({"CREATE", "OR", "REPLACE", "GLOBAL", "TEMP", "TEMPORARY", "ALTER"})


class Call(NamedTuple):
    """A function, the view's name in its parentheses, and its place in the text."""

    function: str
    view: str
    start: int
    end: int


def calls(sql: str) -> Iterator[Call]:
    """Yield the calls in a statement.

    >>> list(calls("SELECT * FROM stale_files('demo.m1') f"))
    [Call(function='stale_files', view='demo.m1', start=14, end=36)]
    """
    tokens = list(scan(sql))
    for name, opening, view, closing in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
        if name.keyword.lower() in FUNCTIONS and opening.text == "(":
            yield _call(name, view, closing)


def _call(name: Token, view: Token, closing: Token) -> Call:
    function = name.text.lower()
    if view.kind != "string" or closing.text != ")":
        raise SqlError(f"{function} takes the name of a materialized view in quotes: {function}('demo.m1')", "42601")
    return Call(function, string_value(view.text), name.start, closing.end)


async def expand(sql: str, session: Session, catalog: Catalog) -> str | None:
    """Return the statement with each call replaced by its rows; None for a statement without calls."""
    edits = []
    for call in calls(sql):
        if is_view(sql):
            raise in_no_view(f"{call.function}()")
        view = await _view(call, session, catalog)
        edits.append(Edit(call.start, call.end, await table_text(catalog, call.function, view)))
    return splice(sql, edits) if edits else None


def in_no_view(what: str) -> SqlError:
    """Return the error of rows of this moment in the query of a view."""
    return SqlError(
        f"{what} returns the rows of the moment, which a view would freeze: "
        "SELECT from it directly, or store the rows with CREATE TABLE … AS SELECT",
        "0A000",
    )


def is_view(sql: str) -> bool:
    """Return whether a statement makes a view, or changes one."""
    words = (token.keyword for token in scan(sql))
    return next((word for word in words if word not in _BEFORE_VIEW), "") == "VIEW"


async def _view(call: Call, session: Session, catalog: Catalog) -> MaterializedView:
    name = session.resolve(split_name(call.view))
    found = await catalog.view(name) if name is not None else None
    if found is None:
        hint = "SHOW MATERIALIZED VIEWS lists those that there are"
        raise SqlError(f"there is no materialized view {call.view}; {hint}", "42P01")
    return found
