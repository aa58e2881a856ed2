"""Buckets, dates and filters in many time zones over views made in others: Spark's answers with and without them."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rewriter.timeseries.zone_data import histories
from tests.golden.execution import same_rows
from tests.integration.test_golden import FELL_BACK, ask

# VIEWGATE_ZONE_SEEDS=FIRST:LAST tries other queries than CI's; `make fuzz-zones` does so, range by range.
FIRST, LAST = (int(n) for n in os.environ.get("VIEWGATE_ZONE_SEEDS", "0:40").split(":"))
ZONES = (
    "UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns",
    "Pacific/Apia", "Africa/Casablanca", "America/Sao_Paulo", "Asia/Kathmandu", "Pacific/Chatham", "+05:30",
    "Europe/Dublin", "Asia/Tehran",
)  # fmt: skip
NAMESPACE = "lake.zones"
VIEWS = (
    ("UTC", "by_minute", "SELECT date_trunc('MINUTE', t) AS m, k, sum(n) AS s, count(*) AS c FROM {} GROUP BY 1, 2"),
    ("UTC", "by_quarter", "SELECT timeseries(t, 'fifteen_minute') AS q, max(n) AS top FROM {} GROUP BY 1"),
    ("UTC", "by_hour", "SELECT date_trunc('HOUR', t) AS h, min(n) AS low FROM {} GROUP BY 1"),
    ("Europe/Berlin", "berlin", "SELECT timeseries(t, 'hour') AS h, bit_xor(n) AS x FROM {} GROUP BY 1"),
    ("Asia/Kolkata", "kolkata", "SELECT timeseries(t, 'hour') AS h, bit_or(n) AS o FROM {} GROUP BY 1"),
)
FIGURES = ("sum(n)", "count(*)", "max(n)", "min(n)", "bit_xor(n)", "bit_or(n)")
KEYS = (
    "timeseries(t, 'minute')", "timeseries(t, 'thirty_minute')", "date_trunc('HOUR', t)", "date_trunc('DAY', t)",
    "CAST(t AS DATE)", "date_trunc('WEEK', t)", "trunc(t, 'MONTH')", "year(t)", "hour(t)", "dayofweek(t)",
    "date_format(t, 'yyyy-MM-dd HH')", "date_format(t, 'HH:mm')", "floor(unix_timestamp(t) / 3600)",
    "window(t, '15 minutes').start", "window(t, '1 day').end", "window(t, '1 week', '1 week', '5 hours').start",
    "year(add_months(t, 6))", "extract(YEAROFWEEK FROM t)",
)  # fmt: skip
FILTERS = (
    "t >= '{0}'", "t < '{0}'", "t BETWEEN '{0}' AND '{1}'", "t >= '{0}' AND t < '{1}'", "CAST(t AS DATE) = '{2}'",
    "CAST(t AS DATE) >= '{2}'", "year(t) = {3}", "date_trunc('DAY', t) = '{2}'", "t >= current_date() - 30",
    "t > '{0}'",    "date_trunc('HOUR', t) >= '{0}'", "year(t) IN ({3}, 2001)",
)  # fmt: skip
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SINCE, UNTIL = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (1985, 2025))


def changes() -> list[int]:
    """When offsets have changed: some times of each zone."""
    chosen = random.Random(7)
    found = ([at for at, _ in each.changes if SINCE < at < UNTIL] for zone in ZONES for each in histories(zone)[:1])
    return sorted({at for times in found for at in chosen.sample(times, min(5, len(times)))})


def instants() -> Iterator[int]:
    """Yield microseconds since 1970: around each change of an offset, and 200 at random."""
    for at in changes():
        for seconds in (-5400, -1800, 0, 1799, 3600, 9000):
            yield (at + seconds) * 1_000_000
            yield (at + seconds) * 1_000_000 - 1
    for _ in range(200):
        yield random.Random(_).randrange(SINCE, UNTIL) * 1_000_000


@pytest.fixture
def events(pyhive: Any) -> Iterator[Any]:
    """A connection, beside a table with views of several zones."""

    def run(sql: str) -> None:
        assert ask(pyhive, sql).error is None, sql

    run(f"CREATE NAMESPACE {NAMESPACE}")
    run(f"CREATE TABLE {NAMESPACE}.events (t TIMESTAMP, k STRING, n BIGINT)")
    rows = ", ".join(f"({at}, '{'ab'[i % 2]}', {i})" for i, at in enumerate(instants()))
    run(f"INSERT INTO {NAMESPACE}.events SELECT timestamp_micros(at), k, n FROM VALUES {rows} AS e(at, k, n)")
    for zone, name, query in VIEWS:
        run(f"SET spark.sql.session.timeZone = {zone}")
        run(f"CREATE MATERIALIZED VIEW {NAMESPACE}.{name} AS {query.format(f'{NAMESPACE}.events')}")
    yield pyhive
    run("SET spark.sql.session.timeZone = UTC")
    run("SET viewgate.rewrite = on")


def question(seed: int) -> tuple[str, str]:
    """A zone and a query of a seed."""
    chosen = random.Random(seed)
    zone, key, figure = chosen.choice(ZONES), chosen.choice(KEYS), chosen.choice(FIGURES)
    begin = EPOCH + timedelta(seconds=chosen.choice(changes()) // 86_400 * 86_400 + chosen.choice((0, 0, 0, 3600, 900)))
    end = begin + timedelta(days=chosen.choice((1, 7, 400)), microseconds=chosen.choice((0, 0, -1)))
    texts = (begin.strftime("%Y-%m-%d %H:%M:%S"), end.strftime("%Y-%m-%d %H:%M:%S.%f"), f"{begin:%Y-%m-%d}", begin.year)
    where = f" WHERE {chosen.choice(FILTERS).format(*texts)}" if chosen.random() < 0.7 else ""
    return zone, f"SELECT {key} AS k0, {figure} AS f FROM {NAMESPACE}.events{where} GROUP BY 1"


def test_views_of_other_zones_answer_as_the_tables_do(events: Any) -> None:
    found, answered = [], 0
    for zone in ZONES:
        asked = [sql for seed in range(FIRST, LAST) for where, sql in (question(seed),) if where == zone]
        ask(events, f"SET spark.sql.session.timeZone = {zone}")
        ask(events, "SET viewgate.rewrite = off")
        plain = [ask(events, sql) for sql in asked]
        ask(events, "SET viewgate.rewrite = on")
        for sql, theirs in zip(asked, plain, strict=True):
            mine = ask(events, sql)
            answered += "answered from" in mine.log
            if mine.error != theirs.error or not same_rows(mine.rows, theirs.rows, ordered=False):
                found.append(f"{zone}: {sql}\n  {mine.error or mine.rows}\n  {theirs.error or theirs.rows}")
            if FELL_BACK in mine.log:
                found.append(f"{zone}: {sql}\n  {mine.log}")
    assert not found, "\n\n".join(found)
    assert answered >= (LAST - FIRST) // 3, f"{answered} of {LAST - FIRST} were answered from views"
