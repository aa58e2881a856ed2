"""Measures how much faster a time-series dashboard is with views by minute, hour, day and month than without.

    python benchmarks/timeseries.py [--rows 100000000] [--rounds 5] [--memory 12g] [--data DIRECTORY]

There are ROWS events of five devices, one a second, until 2024-03-04 09:46:40 UTC. Each of twenty panels is run in
turns over the tables (`viewgate.rewrite = off`), over the views and, where an engineer would write that, as
hand-written SQL over storage; the last two four times a round. The output has the medians in ms, the speed-up, the
ratio to hand-written SQL, the rows that the plan reads after pruning (from EXPLAIN REWRITE), and the views read (`+`
separates those of other ranges, `events` is the table). The goals: a geometric mean of 20 times over the panels whose
original reads more than ten million rows, none below 0.95, at most 1.1 times of hand-written SQL. With `--data`, tables
and views are kept, and those of an earlier run are used.
"""

from __future__ import annotations

import argparse
import math
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.embedded import settings_file
from tests.integration import clients
from tests.integration.decided import rows_read
from tests.integration.gate import Gate

LAST = 1_709_545_600  # seconds since 1970 of the last event, 2024-03-04 09:46:40 UTC
LARGE = 10_000_000
VIEWS = {
    f"by_{grain}": f"SELECT timeseries(ts, '{grain}') AS {grain}, device, sum(value) AS total, count(*) AS n, "
    "max(value) AS most, avg(value) AS mean FROM events GROUP BY 1, 2"
    for grain in ("minute", "hour", "day", "month")
}
NEW_YORK, KOLKATA, BERLIN = "America/New_York", "Asia/Kolkata", "Europe/Berlin"


@dataclass(frozen=True)
class Panel:
    """One chart: its query, the session's time zone, hand-written SQL, and the seconds of events that the original
    reads.
    """

    name: str
    sql: str
    seconds: int
    zone: str = "UTC"
    by_hand: str = ""


@dataclass(frozen=True)
class Seen:
    """The medians in ms, and the tables that were read."""

    panel: Panel
    plain: float
    rewritten: float
    by_hand: float


def recent() -> Iterator[Panel]:
    """Yield the panels of the last hour, days and month, which begin within a bucket."""
    hour, day = 3600, 86_400
    since = {span: f"ts >= timestamp_seconds({LAST - span + 1})" for span in (hour, day, 7 * day)}
    for grain, span in (("minute", hour), ("minute", day), ("hour", day), ("hour", 7 * day)):
        sql = f"SELECT timeseries(ts, '{grain}') AS t, sum(value) AS s FROM events WHERE {since[span]} GROUP BY 1"
        yield Panel(f"last {span // hour} h by {grain}", sql, span)
    yield Panel("last 24 h, total", f"SELECT sum(value) AS s, count(*) AS n FROM events WHERE {since[day]}", day)
    yield Panel("last 7 days, mean", f"SELECT avg(value) AS a FROM events WHERE {since[7 * day]}", 7 * day)
    yield Panel(
        "month to date by day",
        "SELECT timeseries(ts, 'day') AS t, sum(value) AS s FROM events WHERE ts >= TIMESTAMP '2024-03-01 00:00:00' "
        "GROUP BY 1",
        3 * day,
        by_hand="SELECT day AS t, sum(total) AS s FROM by_day__storage WHERE day >= '2024-03-01' GROUP BY 1",
    )


# Panels of all events: their names, queries, and the same by hand.
WHOLE = (
    *(
        (
            f"all, each {grain}",
            f"SELECT timeseries(ts, '{grain}') AS t, sum(value) AS s FROM events GROUP BY 1",
            f"SELECT {grain} AS t, sum(total) AS s FROM by_{grain}__storage GROUP BY 1",
        )
        for grain in ("day", "month", "hour")
    ),
    (
        "year over year",
        "SELECT year(ts) AS y, month(ts) AS m, sum(value) AS s FROM events GROUP BY year(ts), month(ts)",
        "SELECT year(month) AS y, month(month) AS m, sum(total) AS s FROM by_month__storage GROUP BY 1, 2",
    ),
    (
        "by hour of the day",
        "SELECT hour(ts) AS h, avg(value) AS a FROM events GROUP BY hour(ts)",
        "SELECT hour(hour) AS h, sum(total) / sum(n) AS a FROM by_hour__storage GROUP BY 1",
    ),
    (
        "by day of the week",
        "SELECT dayofweek(ts) AS d, sum(value) AS s FROM events GROUP BY dayofweek(ts)",
        "SELECT dayofweek(day) AS d, sum(total) AS s FROM by_day__storage GROUP BY 1",
    ),
    (
        "top devices",
        "SELECT device, sum(value) AS s FROM events GROUP BY 1 ORDER BY s DESC, device LIMIT 3",
        "SELECT device, sum(total) AS s FROM by_month__storage GROUP BY 1 ORDER BY s DESC, device LIMIT 3",
    ),
    (
        "top ten hours",
        "SELECT timeseries(ts, 'hour') AS t, sum(value) AS s FROM events GROUP BY 1 ORDER BY s DESC, t LIMIT 10",
        "SELECT hour AS t, sum(total) AS s FROM by_hour__storage GROUP BY 1 ORDER BY s DESC, t LIMIT 10",
    ),
    (
        "most of each day, one device",
        "SELECT date_trunc('day', ts) AS t, max(value) AS m FROM events WHERE device = 'd3' GROUP BY 1",
        "SELECT day AS t, max(most) AS m FROM by_day__storage WHERE device = 'd3' GROUP BY 1",
    ),
    (
        "running total by day",
        "SELECT t, sum(s) OVER (ORDER BY t) AS r FROM (SELECT timeseries(ts, 'day') AS t, sum(value) AS s FROM events "
        "GROUP BY 1) AS d",
        "SELECT t, sum(s) OVER (ORDER BY t) AS r FROM (SELECT day AS t, sum(total) AS s FROM by_day__storage "
        "GROUP BY 1) AS d",
    ),
)


def panels(rows: int) -> Iterator[Panel]:
    """Yield the panels of a dashboard over this number of seconds of events."""
    yield from recent()
    for name, sql, by_hand in WHOLE:
        yield Panel(name, sql, rows, by_hand=by_hand)
    for zone, grain in ((NEW_YORK, "day"), (KOLKATA, "hour"), (BERLIN, "month")):
        sql = f"SELECT timeseries(ts, '{grain}') AS t, sum(value) AS s FROM events GROUP BY 1"
        yield Panel(f"{zone} by {grain}", sql, rows, zone)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", default="12g")
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        data = options.data or Path(temporary)
        settings = settings_file(Path(temporary), data, options.memory)
        run(settings, options.rows, options.rounds)


def run(settings: Path, rows: int, rounds: int) -> None:
    """Run the benchmark on a Viewgate of its own."""
    with Gate("--config", settings) as gate, clients.pyhive(gate.port) as on, clients.pyhive(gate.port) as off:
        if not any("events" in row for row in clients.rows(on, "SHOW TABLES")):
            fill(on, rows)
        clients.rows(off, "SET viewgate.rewrite = off")
        print(f"{'panel':30} {'tables':>8} {'views':>8} {'times':>7} {'by hand':>8} {'of hand':>7} {'rows':>11}  read")
        seen = [measure(on, off, panel, rounds) for panel in panels(rows)]
        print("\n".join(summary(seen)))


def fill(connection: Any, rows: int) -> None:
    """Create the table, with a file for each two months or so, and the views; the values follow no
    pattern over time.
    """
    clients.rows(
        connection, "CREATE TABLE events (ts TIMESTAMP NOT NULL, device STRING NOT NULL, value BIGINT NOT NULL)"
    )
    clients.rows(
        connection,
        f"INSERT INTO events SELECT timestamp_seconds({LAST - rows + 1} + id), concat('d', id * 7919 % 5) AS device, "
        f"CAST(pmod(hash(id), 1000) AS BIGINT) AS value FROM range({rows})",
    )  # fmt: skip
    for name, query in VIEWS.items():
        clients.rows(connection, f"CREATE MATERIALIZED VIEW {name} AS {query}")


def measure(on: Any, off: Any, panel: Panel, rounds: int) -> Seen:
    """Run a panel in all ways in turns: per round, once over the tables, else four times; the first round warms up.

    The views and the hand-written SQL take turns in going first, so that neither always follows the scan of the tables.
    """
    for connection in (on, off):
        clients.rows(connection, f"SET TIME ZONE '{panel.zone}'")
    plain, rewritten, by_hand = (off, panel.sql), (on, panel.sql), (off, panel.by_hand)
    times: dict[tuple[Any, str], list[float]] = {}
    answers: dict[tuple[Any, str], list[Any]] = {}
    for number in range(rounds + 1):
        turns = (rewritten, by_hand, by_hand, rewritten) if number % 2 else (by_hand, rewritten, rewritten, by_hand)
        for way in (plain, *(way for way in turns * 2 if way[1])):
            connection, sql = way
            begin = time.perf_counter()
            answers[way] = sorted(clients.rows(connection, f"{sql} -- {number}"), key=repr)
            if number:
                times.setdefault(way, []).append((time.perf_counter() - begin) * 1000)
    assert answers[plain] == answers[rewritten], panel.name
    medians = [statistics.median(times.get(way, [math.nan])) for way in (plain, rewritten, by_hand)]
    found = Seen(panel, *medians)
    hand = f"{found.by_hand:>8.0f} {found.rewritten / found.by_hand:>7.2f}" if panel.by_hand else " " * 16
    times_faster = found.plain / found.rewritten
    print(
        f"{panel.name:30} {found.plain:>8.0f} {found.rewritten:>8.0f} {times_faster:>7.2f} {hand} "
        f"{rows_read(on, panel.sql) or panel.seconds:>11,}  {_read(on, panel.sql)}",
        flush=True,
    )
    return found


def _read(connection: Any, sql: str) -> str:
    """Return the views and tables that a plan reads, in the plan's order."""
    plan = clients.rows(connection, f"EXPLAIN {sql}")[0][0]
    read = re.findall(r"\b(by_[a-z]+)__storage\b|\.(events)\b", plan)
    return " + ".join(dict.fromkeys(view or table for view, table in read))


def summary(seen: Sequence[Seen]) -> Iterator[str]:
    """Yield the figures that the goals are about."""
    large = [each.plain / each.rewritten for each in seen if each.panel.seconds > LARGE]
    if large:
        yield f"{statistics.geometric_mean(large):.1f} times in the geometric mean of {len(large)} large panels"
    least = min(seen, key=lambda each: each.plain / each.rewritten)
    yield f"least: {least.panel.name}, {least.plain / least.rewritten:.2f} times"
    by_hand = [each.rewritten / each.by_hand for each in seen if each.panel.by_hand]
    yield f"{statistics.geometric_mean(by_hand):.2f} of the time by hand, at most {max(by_hand):.2f}"


if __name__ == "__main__":
    main()
