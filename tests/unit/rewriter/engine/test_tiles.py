"""How EXPLAIN describes the tiles of a range."""

from __future__ import annotations

import pytest

from rewriter.script import read_script

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
