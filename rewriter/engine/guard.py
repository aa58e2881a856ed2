"""Catches exceptions of rewrite rules, so that an error excludes one view and never fails the statement."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from rewriter.match import Miss, Reason
from rewriter.model import TableName

log = logging.getLogger(__name__)
T = TypeVar("T")


def guarded(view: TableName, text: str, attempt: Callable[[], T]) -> T | Miss:
    """Return the result of `attempt`, which tries a view on a query text; log an exception, and return a Miss for it.

    >>> guarded(TableName(("daily",)), "SELECT 1", lambda: 1)
    1
    """
    try:
        return attempt()
    except RecursionError:
        return Miss(Reason.UNSUPPORTED, "the query is nested too deeply: simplify the query")
    except Exception:
        log.exception("match failed view=%s statement=%r: the statement is answered without this view", view, text)
        return Miss(Reason.UNSUPPORTED, "the rewriter failed with an internal error: see the log of Viewgate")
