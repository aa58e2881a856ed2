"""The cause of a failed refresh for the view's owner: one line, in names that owners know, with the remedy."""

from __future__ import annotations

import re
from collections.abc import Mapping

from proxy.hs2 import SqlError
from proxy.hs2.status import own_words, root_message
from rewriter.model import MaterializedView, RefreshState, Table, TableName, split_name

_ABORTED = "Job aborted"
_PLACE = re.compile(r";? line \d+,? pos \d+;?$")
_UNRESOLVED = re.compile(
    r"\[UNRESOLVED_COLUMN\S*\] .*? (?P<name>`(?:[^`]|``)*`(?:\.`(?:[^`]|``)*`)*) cannot be resolved"
)


def headline(message: str) -> str:
    r"""Return Spark's error without its plan, and without a position in a statement that the user has not written.

    >>> headline("Error running query: [X] no `a`. SQLSTATE: 42703; line 2 pos 10;\n'Project ['a]\n+- Relation t")
    '[X] no `a`. SQLSTATE: 42703'

    Where a job was aborted, what is at the root of it:

    >>> headline("x.E: Job aborted: no\n\tat a.B.c(D.java:1)\nCaused by: x.F: /x (denied)\n\tat a.B.d(D.java:2)")
    'Job aborted: no: /x (denied)'
    """
    told = _PLACE.sub("", own_words(message).split("\n", 1)[0]).rstrip(" ;")
    root = root_message(message).strip().split("\n", 1)[0] if told.startswith(_ABORTED) else ""
    return told if root in told or told in root else f"{told}: {root}"


def explained(
    view: MaterializedView, failure: SqlError, refreshed: RefreshState | None, now: Mapping[TableName, Table]
) -> SqlError:
    """Return the failure of a statement that refreshes a view, as its user is told."""
    gone = _gone(failure.message, refreshed, now)
    what = gone or headline(failure.message)
    remedy = "; restore it, or recreate the view with CREATE OR REPLACE MATERIALIZED VIEW" if gone else ""
    kept = f" (the content of {view.name} is as before)" if refreshed is not None else ""
    return SqlError(f"{what}{remedy}{kept}", failure.sql_state, failure.error_code)


def _gone(message: str, refreshed: RefreshState | None, now: Mapping[TableName, Table]) -> str:
    """Return the column that Spark misses and the last refresh still had; empty for other errors."""
    missing = _UNRESOLVED.search(message)
    if missing is None or refreshed is None:
        return ""
    column = split_name(missing["name"])[-1].lower()
    for source in refreshed.sources:
        table = now.get(source.name)
        had = any(known.name.lower() == column for known in source.columns or ())
        if table is not None and had and table.column(column) is None:
            return f"the column {column} of {source.name} is gone"
    return ""
