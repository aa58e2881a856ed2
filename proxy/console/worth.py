"""What a view is worth, as pages show it: its standing, its uses, and what it saves against what its refreshes take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from proxy.answering.virtual_tables import Row
from proxy.pipeline import Span

_MARKS = {"fresh": "good", "stale": "warn", "never refreshed": "bad"}
_LONGEST = 7 * 24 * 3600 * 1000  # milliseconds of freshness that are drawn


def standing(row: Row) -> tuple[str, str]:
    """Return the status of a view as a word, and the kind of its mark.

    >>> standing({"status": "stale"})
    ('stale', 'warn')
    """
    return row["status"], _MARKS.get(row["status"], "plain")


def judged(row: Row) -> tuple[str, str] | None:
    """Return a judgement that an operator should look into, and the kind of its mark; None where there is none.

    >>> uses = {"considered": 3, "chosen": 0, "failed": 0, "compared": 0, "refreshes": 1}
    >>> judged(uses), judged({**uses, "considered": 0})
    (('never chosen', 'warn'), None)
    >>> judged({**uses, "chosen": 9, "compared": 9, "saved_milliseconds": 20, "refresh_milliseconds": 500})
    ('costs more than it saves', 'warn')
    """
    if row["failed"]:
        return "could not be read", "bad"
    if row["considered"] and not row["chosen"]:
        return "never chosen", "warn"
    # Only where each use was compared: of the others nobody knows what they have saved.
    if row["chosen"] and row["compared"] >= row["chosen"] and row["saved_milliseconds"] < row["refresh_milliseconds"]:
        return "costs more than it saves", "warn"
    return None


@dataclass(frozen=True)
class Timeline:
    """Spans of freshness as parts of a bar, in percent, and how much of the known time was fresh."""

    bars: Sequence[tuple[str, float, float]]
    begin_ms: int
    end_ms: int
    fresh: float | None


def timeline(spans: Sequence[Span]) -> Timeline | None:
    """Return the last week of a view's freshness; None for one without any.

    >>> timeline([Span(0, 750, True), Span(750, 1000, False)])
    Timeline(bars=[('fresh', 0.0, 75.0), ('stale', 75.0, 25.0)], begin_ms=0, end_ms=1000, fresh=75.0)
    """
    if not spans:
        return None
    end_ms = spans[-1].end_ms
    begin_ms = max(spans[0].begin_ms, end_ms - _LONGEST)
    shown = [Span(max(s.begin_ms, begin_ms), s.end_ms, s.fresh) for s in spans if s.end_ms > begin_ms]
    whole = (end_ms - begin_ms) / 100
    bars = [
        (
            {True: "fresh", False: "stale", None: "unknown"}[span.fresh],
            round((span.begin_ms - begin_ms) / whole, 3),
            round((span.end_ms - span.begin_ms) / whole, 3),
        )
        for span in shown
    ]
    known = _length(span for span in shown if span.fresh is not None)
    fresh = 100 * _length(span for span in shown if span.fresh) / known if known else None
    return Timeline(bars, begin_ms, end_ms, fresh)


def _length(spans: Iterable[Span]) -> int:
    return sum(span.end_ms - span.begin_ms for span in spans)
