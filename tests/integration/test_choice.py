"""Views are used where they pay, over a table that Iceberg prunes to one of its files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration import clients
from tests.integration.daemon import eventually
from tests.integration.decided import chosen, reasons, rows_both_ways

QUERY = "SELECT {}device, sum(value) FROM readings WHERE ts >= TIMESTAMP '{}' GROUP BY device"
HINT = "/*+ VIEWGATE(use = 'choice.daily') */ "
WHOLE, BORDER, WITHIN = "1970-01-02 00:00:00", "1971-02-01 00:00:00", "1971-02-01 07:30:00"


@pytest.fixture
def connection(pyhive: Any) -> Iterator[Any]:
    """A session in a namespace with a table of a row per minute, in six files, and a view by day."""
    for statement in (
        "CREATE NAMESPACE IF NOT EXISTS lake.choice",
        "USE lake.choice",
        "CREATE OR REPLACE TABLE readings AS SELECT /*+ REPARTITION_BY_RANGE(6, id) */ timestamp_seconds(id * 60) AS "
        "ts, CAST(id % 50 AS INT) AS device, id % 1000 AS value FROM range(600000)",
        "CREATE OR REPLACE MATERIALIZED VIEW daily AS SELECT date_trunc('DAY', ts) AS d, device, sum(value) AS total "
        "FROM readings GROUP BY 1, 2",
    ):
        clients.rows(pyhive, statement)
    yield pyhive
    clients.rows(pyhive, "DROP MATERIALIZED VIEW daily")


def test_what_is_asked_decides_between_a_view_and_the_tables(connection: Any) -> None:
    recent = QUERY.format("", WITHIN)
    chosen(connection, recent)  # which has the statistics read
    eventually(lambda: "of 6 files" in reasons(connection, recent))
    assert chosen(connection, QUERY.format("", WHOLE)) == ["lake.choice.daily"]
    assert chosen(connection, QUERY.format("", BORDER)) == ["lake.choice.daily"]
    assert chosen(connection, recent) == []
    assert "DEARER reading the view would cost about" in reasons(connection, recent)
    forced = QUERY.format(HINT, WITHIN)
    assert chosen(connection, forced) == ["lake.choice.daily"]
    given, plain = rows_both_ways(connection, forced)
    assert given == plain
