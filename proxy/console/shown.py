"""Formats values for the console's pages: times, numbers, sizes, and the status of a view.

Also finds a problem of a view, such as that the view is never chosen, or that its refreshes take more time than it
saves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from proxy.answering.virtual_tables import Row
from proxy.pipeline import Span

NOTHING = "\N{EN DASH}"  # shown for a missing value
_SIZES = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
_UNITS = ((86_400_000, "d", 3_600_000, "h"), (3_600_000, "h", 60_000, "min"), (60_000, "min", 1000, "s"))


def duration(ms: float | None) -> str:
    """Return a number of milliseconds as text in at most two units; a dash for None.

    >>> [duration(ms) for ms in (0, 0.4, 42, 3_110, 75_000, 7_260_000, 200_000_000)]
    ['0 s', '<1 ms', '42 ms', '3.1 s', '1 min 15 s', '2 h 1 min', '2 d 7 h']
    """
    if ms is None:
        return NOTHING
    for whole, unit, part, smaller in _UNITS:
        if ms >= whole:
            rest = int(ms % whole // part)
            return f"{int(ms // whole)} {unit}" + (f" {rest} {smaller}" if rest else "")
    if ms >= 1000:
        return f"{ms / 1000:.1f} s"
    return f"{ms:.0f} ms" if ms >= 1 else "<1 ms" if ms else "0 s"


def count(number: float | None) -> str:
    """Return a number as an integer with separated thousands; a dash for None.

    >>> count(1234567)
    '1,234,567'
    """
    return NOTHING if number is None else f"{number:,.0f}"


def size(number: float | None) -> str:
    """Return a number of bytes as text, in the unit that gives a number below 1,024; a dash for None.

    >>> [size(number) for number in (412, 5_000_000)]
    ['412 bytes', '4.8 MiB']
    """
    if number is None:
        return NOTHING
    power = 0
    while number >= 1024 and power < len(_SIZES) - 1:
        number, power = number / 1024, power + 1
    return f"{number:.1f} {_SIZES[power]}" if power else f"{number:.0f} bytes"


def clock(ms: int | None, now: datetime | None = None) -> str:
    """Return a time (milliseconds since 1970) as text in UTC, without the date if the date is today's; a dash for None.

    `now` is the current time, None for the time of the system's clock.

    >>> clock(1_700_000_000_042, datetime(2023, 11, 14, tzinfo=UTC)), clock(1_700_000_000_042)
    ('22:13:20', '2023-11-14 22:13:20')
    """
    if ms is None:
        return NOTHING
    at, today = datetime.fromtimestamp(ms / 1000, UTC), (now or datetime.now(UTC)).date()
    return f"{at:%H:%M:%S}" if at.date() == today else f"{at:%Y-%m-%d %H:%M:%S}"


def iso(ms: int) -> str:
    """Return a time (milliseconds since 1970) as text in ISO 8601, in UTC.

    >>> iso(1_700_000_000_042)
    '2023-11-14T22:13:20.042Z'
    """
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def one_line(text: str, most: int = 160) -> str:
    r"""Return a text on one line, cut to `most` characters, with `…` if it was cut.

    >>> one_line("SELECT\n  a", 7)
    'SELECT…'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


_MARKS = {"fresh": "good", "stale": "warn", "never refreshed": "bad", "unreadable": "bad"}
_LONGEST_DRAWN = 7 * 24 * 3600 * 1000  # milliseconds of freshness in the drawing


def standing(row: Row) -> tuple[str, str]:
    """Return the status of a view, and the CSS class that colours the status; `row` is the view's row in the system
    table.

    >>> standing({"status": "stale"})
    ('stale', 'warn')
    """
    return row["status"], _MARKS.get(row["status"], "plain")


def judged(row: Row) -> tuple[str, str] | None:
    """Return a problem of a view that an operator should look into, and the CSS class that colours the text.

    Return None if there is no problem. `row` is the view's row in viewgate.system.views, with the counts of the view's
    uses.

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
    # Only if each use was compared: for the others, the saved time is unknown.
    if row["chosen"] and row["compared"] >= row["chosen"] and row["saved_milliseconds"] < row["refresh_milliseconds"]:
        return "costs more than it saves", "warn"
    return None


@dataclass(frozen=True)
class Timeline:
    """The times at which a view was fresh or stale, as parts of a bar.

    `bars` has, for each part, the state ("fresh", "stale" or "unknown"), and the part's start and width in percent of
    the bar. `fresh` is the percentage of the known time in which the view was fresh, None if nothing is known.
    """

    bars: Sequence[tuple[str, float, float]]
    begin_ms: int
    end_ms: int
    fresh: float | None


def timeline(spans: Sequence[Span]) -> Timeline | None:
    """Return the timeline of a view for the last week of `spans`, the periods in which the view was fresh or stale.

    Return None if there are no periods.

    >>> timeline([Span(0, 750, True), Span(750, 1000, False)])
    Timeline(bars=[('fresh', 0.0, 75.0), ('stale', 75.0, 25.0)], begin_ms=0, end_ms=1000, fresh=75.0)
    """
    if not spans:
        return None
    end_ms = spans[-1].end_ms
    begin_ms = max(spans[0].begin_ms, end_ms - _LONGEST_DRAWN)
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
