"""Computes statistics of the journal's statements, by view and by digest, since the start of this process.

The digest of a statement is its text with `?` in place of each literal. The time that a statement would have taken
without views is estimated from the statements with the same digest that the tables answered, earlier or later: it is
their mean time. If the tables answered no statement with the digest, no saving is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from cachetools import LRUCache

from proxy.journal.record import Outcome, Record
from proxy.journal.refresh import Refresh
from proxy.journal.texts import digest
from proxy.session import OperationState
from proxy.statements import Kind
from rewriter.model import TableName

_TEXTS = 2000  # digests whose mean times are kept, and digests of which only views have answered statements
# milliseconds: there is little to save in shorter statements, and computing a digest takes up to 0.1
_WORTH_NOTING = 20.0


@dataclass(slots=True)
class Uses:
    """The statistics of one view: how often statements used it, and the time that it saved.

    - `considered`: the number of statements for which the view was tried
    - `matched`: the number of statements that the view could answer
    - `chosen`: the number of statements for which the view was chosen
    - `executed`: the number of statements whose rewritten statement succeeded
    - `failed`: the number of statements whose rewritten statement failed, so that the tables answered instead
    - `chosen_ms`: the time when the view was last chosen, in milliseconds since 1970
    - `refresh`: the last refresh of this process that has ended, without refreshes that found nothing to do
    - `compared`: the number of answered statements for which the time without the view is known from similar statements
    - `saved_milliseconds`: the time that the view saved in these `compared` statements
    - `refreshes`, `refresh_milliseconds`: the number of the view's refreshes, and their total time
    """

    considered: int = 0
    matched: int = 0
    chosen: int = 0
    executed: int = 0
    failed: int = 0
    chosen_ms: int | None = None
    refresh: Refresh | None = None
    saved_milliseconds: float = 0.0
    compared: int = 0
    refreshes: int = 0
    refresh_milliseconds: int = 0


class Usage:
    """A receiver of the journal's records (a `Sink`) that counts the uses of all views.

    Each statement is counted once, when its outcome is final.

    >>> Usage().views
    mappingproxy({})
    """

    def __init__(self) -> None:
        self._views: dict[TableName, Uses] = {}
        # for each digest that tables have answered: the number of statements, and their mean milliseconds
        self._by_tables: LRUCache[str, tuple[int, float]] = LRUCache(_TEXTS)
        # for each digest that only views have answered, by these views: the number of statements, their milliseconds
        self._by_views: LRUCache[str, dict[tuple[TableName, ...], tuple[int, float]]] = LRUCache(_TEXTS)

    @property
    def views(self) -> Mapping[TableName, Uses]:
        """The uses of each view that was considered for a statement, or refreshed, since the start of this process."""
        return MappingProxyType(self._views)

    def ended(self, record: Record) -> None:
        """Count a statement for each view that the rewriter considered for the statement."""
        choice = record.choice
        finished = record.state is OperationState.FINISHED
        for view in choice.considered:
            uses = self._views.setdefault(view, Uses())
            uses.considered += 1
            uses.matched += view in choice.matched
            if view in choice.chosen:
                uses.chosen += 1
                uses.executed += finished and not record.fell_back
                uses.failed += finished and record.fell_back
                uses.chosen_ms = record.ended_ms

    def closed(self, record: Record) -> None:
        """Update the estimate of the time that views save, with a statement that has finished.

        A query of 20 ms or more that the tables answered contributes to the mean time of its digest. The time of a
        statement that views answered is compared with the mean time of its digest.
        """
        if record.state is not OperationState.FINISHED or record.fell_back:
            return
        if record.choice.chosen:
            self._compare(record)
        elif record.kind is Kind.QUERY and record.work_ms >= _WORTH_NOTING:
            text = digest(record.sql)
            number, mean = self._by_tables.get(text, (0, 0.0))
            self._by_tables[text] = number + 1, mean + (record.work_ms - mean) / (number + 1)
            for views, (statements, ms) in self._by_views.pop(text, {}).items():
                self._save(views, statements, statements * record.work_ms - ms)

    def _compare(self, record: Record) -> None:
        """Add the time that views saved in a statement: the digest's mean time on the tables, minus the statement's.

        If no mean time is known yet, remember the statement's time until the tables answer a statement with the same
        digest.
        """
        text, views = digest(record.sql), record.choice.chosen
        known = self._by_tables.get(text)
        if known is not None:
            self._save(views, 1, known[1] - record.work_ms)
            return
        times = self._by_views.setdefault(text, {})
        number, ms = times.get(views, (0, 0.0))
        times[views] = number + 1, ms + record.work_ms

    def _save(self, views: Sequence[TableName], statements: int, ms: float) -> None:
        """Add saved time to the statistics of views.

        `ms` is the time that these views saved together in `statements` statements; each view gets an equal part.
        """
        for view in views:
            uses = self._views.setdefault(view, Uses())
            uses.saved_milliseconds += ms / len(views)
            uses.compared += statements

    def refreshed(self, refresh: Refresh) -> None:
        """Record a refresh as the last one of its view, and add the refresh's duration to the view's total.

        A refresh that found the view fresh, such as the second of two that a pair of writes has queued, is not the last
        one.
        """
        uses = self._views.setdefault(refresh.view, Uses())
        if not refresh.found_fresh:
            uses.refresh = refresh
        uses.refreshes += 1
        uses.refresh_milliseconds += refresh.milliseconds


def digests(records: Iterable[Record]) -> list[Mapping[str, Any]]:
    """Return the counts and times of the statements with each digest, as rows, the largest total time first.

    `records` are the statements, latest first. The call may take seconds, because up to a thousand long statements must
    be parsed.
    """
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(digest(record.sql), []).append(record)
    rows = [_row(text, alike) for text, alike in groups.items()]
    return sorted(rows, key=lambda row: -int(row["milliseconds"]))


def _row(text: str, records: list[Record]) -> Mapping[str, Any]:
    """Return the counts and times of `records`, the statements with the digest `text`, and the latest answer line."""
    times = [record.milliseconds for record in records]
    return {
        "statements": len(records),
        "from_views": sum(record.outcome is Outcome.VIEW for record in records),
        "failed": sum(record.state in (OperationState.ERROR, OperationState.TIMEDOUT) for record in records),
        "milliseconds": sum(times),
        "slowest": max(times),
        "answer": records[0].answer or None,
        "digest": text,
    }
