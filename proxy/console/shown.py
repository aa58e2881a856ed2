"""Values as pages show them, for people: times, numbers and sizes."""

from __future__ import annotations

from datetime import UTC, datetime

NOTHING = "\N{EN DASH}"  # in the place of a value that there is not
_SIZES = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
_UNITS = ((86_400_000, "d", 3_600_000, "h"), (3_600_000, "h", 60_000, "min"), (60_000, "min", 1000, "s"))


def duration(ms: float | None) -> str:
    """Return milliseconds in at most two units.

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
    """Return a whole number with its thousands apart.

    >>> count(1234567)
    '1,234,567'
    """
    return NOTHING if number is None else f"{number:,.0f}"


def size(number: float | None) -> str:
    """Return bytes in the unit that leaves a number below 1,024.

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
    """Return a moment, in milliseconds since 1970, by its time in UTC, and by its day where that is not today.

    >>> clock(1_700_000_000_042, datetime(2023, 11, 14, tzinfo=UTC)), clock(1_700_000_000_042)
    ('22:13:20', '2023-11-14 22:13:20')
    """
    if ms is None:
        return NOTHING
    at, today = datetime.fromtimestamp(ms / 1000, UTC), (now or datetime.now(UTC)).date()
    return f"{at:%H:%M:%S}" if at.date() == today else f"{at:%Y-%m-%d %H:%M:%S}"


def iso(ms: int) -> str:
    """Return a moment, in milliseconds since 1970, as machines read it.

    >>> iso(1_700_000_000_042)
    '2023-11-14T22:13:20.042Z'
    """
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def one_line(text: str, most: int = 160) -> str:
    r"""Return the beginning of a text on one line.

    >>> one_line("SELECT\n  a", 7)
    'SELECT…'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
