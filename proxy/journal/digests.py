"""The ended statements by their texts without literals: how many there were, and how long they took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from proxy.journal.digest import digest
from proxy.journal.record import Outcome, Record
from proxy.session import OperationState


def digests(records: Iterable[Record]) -> list[Mapping[str, Any]]:
    """Return a row for each text, those that took most time first; the records come latest first.

    A thousand long texts take seconds to be read.
    """
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(digest(record.sql), []).append(record)
    rows = [_row(text, alike) for text, alike in groups.items()]
    return sorted(rows, key=lambda row: -int(row["milliseconds"]))


def _row(text: str, records: list[Record]) -> Mapping[str, Any]:
    """Return the figures of the statements of one text, and the last decision about them."""
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
