"""How EXPLAIN describes the tiles of a range."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from rewriter.model import Table
from rewriter.script import read_script

DOCS = (Path(__file__).parents[4] / "docs/time-series.md").read_text()

SCHEMA = """
CREATE TABLE events (region STRING, ts TIMESTAMP, amount INT);
CREATE MATERIALIZED VIEW by_hour AS
SELECT region, date_trunc('HOUR', ts) AS h, sum(amount) AS total FROM events GROUP BY region, date_trunc('HOUR', ts);
CREATE MATERIALIZED VIEW by_day AS
SELECT region, date_trunc('DAY', ts) AS d, sum(amount) AS total FROM events GROUP BY region, date_trunc('DAY', ts);
"""
CASES = {
    "ts >= '2023-01-15 10:30:00'": {
        "by_day": "d from 2023-01-16 00:00:00; the rest from events: "
        "ts from 2023-01-15 10:30:00 to 2023-01-15 11:00:00",
        "by_hour": "h from 2023-01-15 11:00:00 to 2023-01-16 00:00:00",
    },
    "ts >= '2023-01-15' AND ts <= '2023-01-20 10:30:00' AND region = 'eu'": {
        "by_hour": "h from 2023-01-15 to 2023-01-20 10:00:00, where region = 'eu'; the rest from events: "
        "ts from 2023-01-20 10:00:00 to 2023-01-20 10:30:00, included, where region = 'eu'",
    },
    "ts BETWEEN now() - INTERVAL 90 DAY AND now()": {
        "by_day": "d from the end of the day of current_timestamp() - INTERVAL '90' DAY to the start of the day of "
        "current_timestamp(); the rest from events: ts from current_timestamp() - INTERVAL '90' DAY to the end of the "
        "hour of current_timestamp() - INTERVAL '90' DAY and from the start of the hour of current_timestamp() to "
        "current_timestamp(), included",
        "by_hour": "h from the end of the hour of current_timestamp() - INTERVAL '90' DAY to the end of the day of "
        "current_timestamp() - INTERVAL '90' DAY and from the start of the day of current_timestamp() to the start of "
        "the hour of current_timestamp()",
    },
}


@pytest.mark.parametrize("where", CASES)
def test_each_view_tells_its_range(where: str) -> None:
    explained = read_script(SCHEMA).explain(f"SELECT region, sum(amount) FROM events WHERE {where} GROUP BY region")
    told = {str(a.view): a.detail.removesuffix("; proved") for a in explained.tried if a.verdict == "chosen"}
    assert told == CASES[where]
    assert set(explained.views) == set(told)


def test_the_bound_of_a_date_is_shown_as_a_date() -> None:
    by_date = (
        "CREATE MATERIALIZED VIEW by_date AS SELECT to_date(ts) AS day, sum(amount) AS total FROM events GROUP BY 1;"
    )
    where = "ts >= '2024-01-15 10:30:00' AND ts < '2024-03-01'"
    explained = read_script(SCHEMA.split(";")[0] + ";" + by_date).explain(
        f"SELECT sum(amount) FROM events WHERE {where}"
    )
    (told,) = (a.detail.removesuffix("; proved") for a in explained.tried)
    assert told == (
        "day from 2024-01-16 to 2024-03-01; the rest from events: ts from 2024-01-15 10:30:00 to 2024-01-16 00:00:00"
    )


SHOP = """
CREATE TABLE demo.sales (order_time TIMESTAMP, country STRING, quantity INT);
CREATE MATERIALIZED VIEW demo.by_hour AS
SELECT timeseries(order_time, 'hour') AS h, country, sum(quantity) AS q FROM demo.sales GROUP BY 1, 2;
CREATE MATERIALIZED VIEW demo.by_day AS
SELECT timeseries(order_time, 'day') AS d, country, sum(quantity) AS q FROM demo.sales GROUP BY 1, 2;
"""


@pytest.mark.parametrize(("place", "sales"), [(0, 10**10), (1, 10**5)])
def test_the_documentation_shows_how_far_a_range_is_divided(place: int, sales: int) -> None:
    (query,) = re.findall(r"`(SELECT country, sum\(quantity\) FROM demo.sales WHERE .*)` reads", DOCS)
    shown = re.findall(r"((?:^    demo\.by_.*\n)+)", DOCS, re.MULTILINE)[place]
    records = {"sales": sales, "by_hour__storage": sales // 100, "by_day__storage": sales // 1_000}
    script = read_script(SHOP)
    known = {
        name: replace(table, records=records[name.table]) if isinstance(table, Table) else table
        for name, table in script.relations.items()
    }
    explained = replace(script, relations=known).explain(query)
    told = [f"{a.view}: {a.detail.removesuffix('; proved')}" for a in explained.tried if a.verdict == "chosen"]
    assert told == [line.strip() for line in shown.splitlines()]
