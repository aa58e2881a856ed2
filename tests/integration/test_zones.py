"""Buckets, dates and filters in many time zones, over views made in other zones: the same answers with and without
views.

The queries of one zone are branches of one statement, which returns the number and a hash of each branch's rows: a
branch takes 40 ms, a statement of its own 130 (on a warm Spark with two cores), and fetching the many thousands of rows
would take longer. The proxy decides about each branch separately anyway.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from importlib import resources
from typing import Any, NamedTuple

import pytest

from rewriter.timeseries.literals import zone_info
from rewriter.timeseries.zone_data import histories
from tests.integration.decided import answered_blocks
from tests.integration.test_golden import FELL_BACK, ask

pytestmark = pytest.mark.aside

# VIEWGATE_ZONE_SEEDS=FIRST:LAST tries other queries than CI's; `make fuzz-zones` does so, range by range.
FIRST, LAST = (int(n) for n in os.environ.get("VIEWGATE_ZONE_SEEDS", "0:500").split(":"))
# Queries of one zone; of one batch in five it is asked what views answer, which takes as long as the rows.
BATCH = 20
# Queries of one table, whose rows lie around the changes of their zones.
SHARED = 1000
# Those with the most trouble come first, and so in CI: changes at midnight, by half an hour, over the date line.
TROUBLED = (
    "UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns",
    "Pacific/Apia", "Africa/Casablanca", "America/Sao_Paulo", "Asia/Kathmandu", "Pacific/Chatham", "+05:30",
    "Europe/Dublin", "Asia/Tehran",
)  # fmt: skip
VIEWS = (
    (
        "UTC",
        "by_minute",
        "SELECT date_trunc('MINUTE', t) AS m, k, sum(n) AS s, count(*) AS c FROM events GROUP BY 1, 2",
    ),
    ("UTC", "by_quarter", "SELECT timeseries(t, 'fifteen_minute') AS q, max(n) AS top FROM events GROUP BY 1"),
    ("UTC", "by_hour", "SELECT date_trunc('HOUR', t) AS h, min(n) AS low FROM events GROUP BY 1"),
    ("Europe/Berlin", "berlin", "SELECT timeseries(t, 'hour') AS h, bit_xor(n) AS x FROM events GROUP BY 1"),
    ("Asia/Kolkata", "kolkata", "SELECT timeseries(t, 'hour') AS h, bit_or(n) AS o FROM events GROUP BY 1"),
)
FIGURES = ("sum(n)", "count(*)", "max(n)", "min(n)", "bit_xor(n)", "bit_or(n)")
KEYS = (
    "timeseries(t, 'minute')", "timeseries(t, 'thirty_minute')", "date_trunc('HOUR', t)", "date_trunc('DAY', t)",
    "CAST(t AS DATE)", "date_trunc('WEEK', t)", "trunc(t, 'MONTH')", "year(t)", "hour(t)", "dayofweek(t)",
    "date_format(t, 'yyyy-MM-dd HH')", "date_format(t, 'HH:mm')", "floor(unix_timestamp(t) / 3600)",
    "window(t, '15 minutes').start", "window(t, '1 day').end", "window(t, '1 week', '1 week', '5 hours').start",
    "year(add_months(t, 6))", "extract(YEAROFWEEK FROM t)", "unix_timestamp(t) DIV 900 * 900",
    "from_unixtime(unix_timestamp(t) - unix_timestamp(t) % 1800)", "hour(from_unixtime(unix_timestamp(t)))",
    "timestampdiff(HOUR, TIMESTAMP '1970-01-01 00:00:00', t)", "timestampdiff(WEEK, DATE '1970-01-05', t)",
    "date_trunc('WEEK', t + INTERVAL 1 DAY) - INTERVAL 1 DAY", "date_trunc('DAY', t - INTERVAL 6 HOURS)",
    "date_trunc('DAY', t + INTERVAL 90 MINUTES)", "date_trunc('HOUR', t - INTERVAL 1 DAY)",
    "year(t + INTERVAL 6 MONTHS)", "CAST(t - INTERVAL 1 MONTH AS DATE)", "date_format(t + INTERVAL 1 DAY, 'dd HH:mm')",
    "round(unix_timestamp(t) / 1800) * 1800", "from_unixtime(unix_timestamp(t), 'yyyy-MM-dd HH:00:00')",
)  # fmt: skip
FILTERS = (
    "t >= '{0}'", "t < '{0}'", "t BETWEEN '{0}' AND '{1}'", "t >= '{0}' AND t < '{1}'", "CAST(t AS DATE) = '{2}'",
    "CAST(t AS DATE) >= '{2}'", "year(t) = {3}", "date_trunc('DAY', t) = '{2}'", "t >= current_date() - 30",
    "t > '{0}'", "date_trunc('HOUR', t) >= '{0}'", "year(t) IN ({3}, 2001)", "unix_timestamp(t) >= {4}",
    "unix_timestamp(t) BETWEEN {4} AND {5}", "unix_millis(t) < {4}000", "t >= timestamp_seconds({4})",
    "datediff(DATE '{2}', t) <= 3", "CAST(t AS STRING) LIKE '{2} 0%'", "t < dateadd(HOUR, 30, TIMESTAMP '{0}')",
    "from_utc_timestamp(t, 'America/New_York') >= '{0}'", "(year(t), month(t)) IN (({3}, 3), ({3}, 10))",
    "t >= from_unixtime({4})", "t BETWEEN from_unixtime({4}) AND from_unixtime({5})",
    "t < to_date('{2}', 'yyyy-MM-dd')", "t >= to_timestamp('{0}', 'yyyy-MM-dd HH:mm:ss')",
    "t >= make_timestamp({3}, 3, 10, 2, 30, 0)",
    "t < TIMESTAMP '{0}' + INTERVAL '1 day 2 hours'", "t >= TIMESTAMP '{0}' + INTERVAL '-3' DAY",
    "t >= TIMESTAMP '{0}' - make_interval(0, 1, 0, 1, 30)",
)  # fmt: skip
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SINCE, UNTIL = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (1985, 2025))


def zone_of(seed: int) -> str:
    """Return the session's time zone for a seed: the zones of the zone data in turn."""
    named = resources.files("tzdata").joinpath("zones").read_text().split()
    others = sorted({*named} - {*TROUBLED})
    zones = (*TROUBLED, *random.Random(7).sample(others, len(others)))
    return zones[seed // BATCH % len(zones)]


def changes(zone: str) -> Sequence[int]:
    """Return times at which offsets changed: some of a zone, and some at random."""
    chosen = random.Random(zone)
    times = [at for history in histories(zone)[:1] for at, _ in history.changes if SINCE < at < UNTIL]
    return [*chosen.sample(times, min(5, len(times))), chosen.randrange(SINCE, UNTIL), chosen.randrange(SINCE, UNTIL)]


def borders(zone: str, at: int) -> Iterator[int]:
    """Yield seconds since 1970 at which buckets of a zone begin, around a time."""
    yield at
    for near in (at - 3600, at + 3600):
        delta = datetime.fromtimestamp(near, UTC).astimezone(zone_info(zone)).utcoffset()
        offset = delta // timedelta(seconds=1) if delta is not None else 0
        yield from ((near + offset) // length * length - offset for length in (60, 900, 3600, 86_400))


def instants(zones: Sequence[str]) -> Iterator[int]:
    """Yield microseconds since 1970: around each change of an offset, on bucket borders, and beside them."""
    for zone in zones:
        for at in changes(zone):
            for seconds in {*borders(zone, at), at - 1800, at + 1799, at + 9000}:
                yield from (seconds * 1_000_000, seconds * 1_000_000 - 1)


def make(connection: Any, seeds: range) -> None:
    """Create a table with views in several time zones, for the queries of some seeds, and use its namespace."""

    def run(sql: str) -> None:
        assert ask(connection, sql).error is None, sql

    zones = list(dict.fromkeys(map(zone_of, seeds)))
    rows = ", ".join(f"({at}, '{'ab'[i % 2]}', {i})" for i, at in enumerate(sorted({*instants(zones)})))
    for sql in (f"CREATE NAMESPACE lake.zones_{seeds[0]}", f"USE lake.zones_{seeds[0]}"):
        run(sql)
    run("CREATE TABLE events (t TIMESTAMP, k STRING, n BIGINT)")
    run(f"INSERT INTO events SELECT timestamp_micros(at), k, n FROM VALUES {rows} AS e(at, k, n)")
    for zone, name, query in VIEWS:
        run(f"SET spark.sql.session.timeZone = {zone}")
        run(f"CREATE MATERIALIZED VIEW {name} AS {query}")


class Question(NamedTuple):
    """A query: its seed, the bucket or label that it groups by (empty if none), an aggregate, and a filter."""

    seed: int
    key: str
    figure: str
    where: str

    @property
    def sql(self) -> str:
        key = f"CAST({self.key} AS STRING)" if self.key else "'all'"
        grouped = f" GROUP BY {self.key}" if self.key else ""
        where = f" WHERE {self.where}" if self.where != "true" else ""
        return f"SELECT {self.seed} AS seed, {key} AS k, {self.figure} AS f FROM events{where}{grouped}"


def question(seed: int) -> Question:
    """Return the query of a seed."""
    chosen, zone = random.Random(seed), zone_of(seed)
    key, figure = chosen.choice(KEYS), chosen.choice(FIGURES)
    near = chosen.choice([*borders(zone, chosen.choice(changes(zone)))])
    begin = (EPOCH + timedelta(seconds=near)).astimezone(zone_info(zone))
    if chosen.random() < 0.5:
        begin = begin.replace(hour=0, minute=0, second=0)
    end = begin + timedelta(days=chosen.choice((1, 7, 400)), microseconds=chosen.choice((0, 0, -1)))
    seconds = (int(moment.timestamp()) for moment in (begin, end))
    written = (begin.strftime("%Y-%m-%d %H:%M:%S"), end.strftime("%Y-%m-%d %H:%M:%S.%f"), f"{begin:%Y-%m-%d}")
    texts = (*written, begin.year, *seconds)
    where = chosen.choice(FILTERS).format(*texts) if chosen.random() < 0.7 else "true"
    return Question(seed, "" if chosen.random() < 0.1 else key, figure, where)


def together(questions: Sequence[Question]) -> str:
    """Return one statement of all queries, with the number and a hash sum of the rows of each."""
    return _added(question.sql for question in questions)


def at_once(questions: Sequence[Question]) -> str:
    """Return the same statement, with all keys and filters computed in one pass over the table."""
    passed = [each for each in questions if each.key and "window(" not in each.key]
    # The texts of a repeated hour (at the end of summer time) are equal.
    told = ", ".join(
        f"named_struct('seed', {seed}, 'k', CAST({key} AS STRING), 'of', xxhash64({key}), 'kept', {where}, "
        f"'figure', '{figure}')"
        for seed, key, figure, where in passed
    )
    figures = " ".join(f"WHEN '{figure}' THEN {figure}" for figure in FIGURES)
    rows = f"SELECT n, explode(array({told})) AS e FROM events"
    figure = f"CASE e.figure {figures} END AS f"
    of_each = f"SELECT e.seed, e.k, {figure} FROM ({rows}) WHERE e.kept GROUP BY e.seed, e.k, e.of, e.figure"
    return _added([of_each, *(each.sql for each in questions if each not in passed)])


def _added(branches: Iterable[str]) -> str:
    added = "sum(CAST(xxhash64(k, f) AS DECIMAL(20, 0)))"
    return f"SELECT seed, count(*), {added} FROM ({' UNION ALL '.join(branches)}) AS q GROUP BY seed"


def test_views_of_other_zones_answer_as_the_tables_do(pyhive: Any) -> None:
    found, unknown, answered, told = [], [], 0, 0
    for first in range(FIRST, LAST, BATCH):
        if (first - FIRST) % SHARED == 0:
            make(pyhive, range(first, min(first + SHARED, LAST)))
        zone, asked = zone_of(first), [question(seed) for seed in range(first, min(first + BATCH, LAST))]
        if ask(pyhive, f"SET spark.sql.session.timeZone = {zone}").error is not None:
            unknown.append(zone)  # Java's edition of the zone data has no America/Coyhaique, Factory and ROC
            continue
        ask(pyhive, "SET viewgate.rewrite = off")
        theirs = ask(pyhive, at_once(asked))
        ask(pyhive, "SET viewgate.rewrite = on")
        mine = ask(pyhive, together(asked))
        if first % (5 * BATCH) == 0:
            answered, told = answered + len(answered_blocks(pyhive, together(asked))), told + len(asked)
        if mine.error or theirs.error or FELL_BACK in mine.log:
            found.append(f"{zone}: {mine.error} {theirs.error} {mine.log}")
        given, plain = ({seed: row for seed, *row in answer.rows} for answer in (mine, theirs))
        found += (f"{zone}: {each.sql}" for each in asked if given.get(each.seed) != plain.get(each.seed))
    sys.stdout.write(f"seeds {FIRST} to {LAST}: {answered} of {told} answered; unknown zones: {unknown}\n")
    assert not found, "\n\n".join(found)
    assert len(unknown) * BATCH <= (LAST - FIRST) // 20, unknown
    assert answered >= told // 3, f"{answered} of {told} were answered from views"
