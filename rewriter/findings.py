"""Ranks the attempts to answer each SELECT of a statement from views: SELECTs in textual order, near misses first.

A near miss is a view that a small change would make usable, for example one more column.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from textwrap import shorten
from typing import NamedTuple

from rewriter.index import Definitions
from rewriter.match import NEEDS_ROWS, Reason
from rewriter.model import TableName
from rewriter.outcome import Attempt, Outcome
from rewriter.rules import LIVE

# The most characters of a SELECT that are shown to tell several SELECTs apart.
_SHOWN = 100
# The most characters of the beginning of a SELECT that stand for the SELECT where it has been shown before.
_PLACE = 30
# The most names of views that are shown for an unknown name.
_SIMILAR = 3
# The order of reasons: the view matches, but costs more or is stale; a change of the view helps; a refresh or a setting
# helps; the view is about something else.
_MATCHING = -1
_NEAR = (Reason.COLUMN_NOT_IN_VIEW, Reason.AGGREGATE_NOT_IN_VIEW, Reason.GROUPING_TOO_COARSE)
_FAR = (Reason.SHAPE, Reason.UNSUPPORTED, Reason.VIEW_UNSUPPORTED, Reason.TABLES_DIFFER)
_RANKS: Mapping[Reason, int] = {
    **dict.fromkeys(Reason, 1),
    Reason.DEARER: _MATCHING,
    **dict.fromkeys(_NEAR, 0),
    **{reason: 2 + rank for rank, reason in enumerate(_FAR)},
}
_VERDICTS = {"chosen": 0, "not chosen": 1, "missed": 2}
# Reasons that lie in the SELECT, whatever the view; if only one view was tried, it is named nevertheless.
_OF_SELECT = (Reason.UNSUPPORTED, Reason.REWRITE_OFF, Reason.SETTINGS_DIFFER)
_ROWS = f"{NEEDS_ROWS}, which has as many rows as its table unless it filters"


class Finding(NamedTuple):
    """An attempt to answer the SELECT `block` from a view, or equal failures of several views.

    `views` is the number of these views, otherwise 1; `attempt` is then the attempt of the first of them.
    """

    attempt: Attempt
    views: int
    block: str

    @property
    def view(self) -> str:
        """The view's name; empty if the same reason applies to several views."""
        return str(self.attempt.view) if self.views == 1 else ""

    @property
    def place(self) -> str:
        """The beginning of `block` for all but the first finding on the block: line and column, if they are known."""
        return self.block.partition(": ")[0][:_PLACE]

    def __str__(self) -> str:
        attempt = self.attempt
        view = self.view or f"each of {self.views} views"
        return told(view, attempt.verdict, attempt.rule, str(attempt.reason or ""), attempt.detail)


def told(view: str, verdict: str, rule: str, reason: str, detail: str) -> str:
    """Return the result of an attempt as text for a user; the arguments are the fields of the attempt.

    >>> told("by_day", "chosen", "roll_up", "", "fresh")
    'by_day chosen, by the rule roll_up, fresh'
    >>> told("by_day", "missed", "", "COLUMN_NOT_IN_VIEW", "price")
    'by_day missed, COLUMN_NOT_IN_VIEW: the view has no column price'
    """
    if reason:
        return f"{view} {verdict}, {reason}: {Reason(reason).told(detail)}"
    return ", ".join(filter(None, (f"{view} {verdict}", rule and f"by the rule {rule}", detail)))


def ranked(outcome: Outcome) -> tuple[Finding, ...]:
    """Return the findings on each SELECT, in the order of the SELECTs, near misses first.

    Views that fail for the same reason in the SELECT itself, such as an unsupported clause, share one finding. Views
    over other tables than the SELECT's are omitted, except a view that a hint names; if all views tried are over other
    tables, none is omitted.
    """
    by_block: dict[str, list[Attempt]] = {}
    for attempt in outcome.tried:
        by_block.setdefault(attempt.block, []).append(attempt)
    return tuple(
        Finding(attempt, views, place_of(block, outcome.statement.sql))
        for block, tried in by_block.items()
        for attempt, views in _once(_relevant(tried, outcome))
    )


def told_of_hint(outcome: Outcome, only: TableName | None, definitions: Definitions) -> Outcome:
    """Add a failed Attempt for the view `only`, which the statement's hint names, if that view was not tried.

    The attempt says whether the view exists (in `definitions`, the current views), and which views have a similar name.
    Return the outcome unchanged if the view was tried, or if no hint names a view (`only` is None).
    """
    if only is None or any(attempt.view == only for attempt in outcome.tried):
        return outcome
    reason, why = Reason.TABLES_DIFFER, "the view reads none of the statement's tables"
    if only not in definitions.by_name:
        reason, why = Reason.NO_SUCH_VIEW, _unknown(only, definitions)
    return replace(outcome, tried=(Attempt(only, "missed", reason=reason, detail=why), *outcome.tried))


def _unknown(name: TableName, definitions: Definitions) -> str:
    """Return that no materialized view has the name, with the views that have a similar name."""
    if name in definitions.plain_by_name:
        return f"{name} is a view without stored rows: name a materialized view in the hint"
    alike = [view.name for view in definitions.views if view.storage == name]
    alike += [other for other in definitions.by_name if other.table.lower() == name.table.lower()]
    if not alike:
        tables = [other.table for other in definitions.by_name]
        close = get_close_matches(name.table, tables, _SIMILAR)
        alike = [other for table in dict.fromkeys(close) for other in definitions.by_name if other.table == table]
    if not alike:
        return f"no materialized view is named {name}: SHOW MATERIALIZED VIEWS lists the names"
    return f"no materialized view is named {name}: did you mean {' or '.join(map(str, alike[:_SIMILAR]))}?"


def place_of(block: str, sql: str) -> str:
    r"""Return the SELECT `block`, shortened, with the line and column in the statement `sql` before it.

    Line and column are omitted if the statement does not contain the SELECT.

    >>> place_of("SELECT 1", "SELECT a,\n (SELECT 1) FROM t")
    'line 2, column 3: SELECT 1'
    """
    at = sql.find(block) if block else -1
    shown = shorten(block, _SHOWN, placeholder=" …")
    if at < 0:  # the SELECT belongs to a view that the statement names
        return shown
    before = sql[:at]
    return f"line {before.count(chr(10)) + 1}, column {at - before.rfind(chr(10))}: {shown}"


def _relevant(tried: Sequence[Attempt], outcome: Outcome) -> list[Attempt]:
    """Return the attempts on one SELECT: chosen views first, then other matches, then misses, the nearest first.

    An attempt at a view over other tables than the SELECT's is included only if a hint names the view, or if all views
    tried are over other tables. `tried` are all attempts on the SELECT.
    """
    only = outcome.statement.session.only
    near = [a for a in tried if not a.block or a.view == only or a.reason is not Reason.TABLES_DIFFER]
    return by_closeness(near or tried)


def by_closeness(tried: Sequence[Attempt]) -> list[Attempt]:
    """Return the attempts with the chosen views first, then the other matches, then the misses, the nearest first."""
    return sorted(tried, key=lambda a: (_VERDICTS[a.verdict], _distance(a)))


def _distance(attempt: Attempt) -> int:
    """Return how far the view is from an answer: the rank of the reason.

    A view with GROUP BY is as far from a query of rows as a view of another shape. A stale view that could not be read
    together with the changed rows, but would answer after a refresh, is as near as a view that costs more.
    """
    if attempt.reason is None:
        return 0
    if attempt.reason is Reason.STALE and attempt.rule in LIVE:
        return _MATCHING
    return _RANKS[Reason.SHAPE if attempt.detail == NEEDS_ROWS else attempt.reason]


def _once(tried: Sequence[Attempt]) -> Iterator[tuple[Attempt, int]]:
    """Yield the attempts, but only the first of several that failed for the same reason in the SELECT itself.

    That the SELECT needs rows is such a reason, too, for all views with GROUP BY. Each attempt is yielded with the
    number of views for which it stands, which is 1 for all other attempts. `tried` are the attempts on one SELECT.
    """
    alike: dict[Hashable, dict[TableName, Attempt]] = {}
    for attempt in tried:
        rows = attempt.detail == NEEDS_ROWS
        hinted = attempt.reason is Reason.NOT_CHOSEN and attempt.verdict == "missed"  # the hint names another view
        of_select = rows or hinted or attempt.reason in _OF_SELECT
        own = (attempt.reason, attempt.detail) if of_select else attempt
        alike.setdefault(own, {}).setdefault(attempt.view, attempt)
    for views in alike.values():
        first = next(iter(views.values()))
        shared = len(views) > 1 and first.detail == NEEDS_ROWS
        yield (replace(first, detail=_ROWS) if shared else first), len(views)
