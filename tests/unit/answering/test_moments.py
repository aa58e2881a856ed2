"""The snapshots that a rewritten statement reads: the decision's, or those of an earlier time that it names."""

from __future__ import annotations

import asyncio
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from proxy.hs2 import SqlError
from tests.unit.answering.test_readable import QUERY, Asking, asking
from tests.unit.catalog.lake import ROWS

__all__ = ["asking"]

REFRESH = "REFRESH MATERIALIZED VIEW agg"


def snapshot(asking: Asking, table: str) -> int:
    """Return the current snapshot of a table."""
    current = asking.house.lake.iceberg.load_table(f"demo.{table}").current_snapshot()
    assert current is not None
    return current.snapshot_id


def sent(asking: Asking, sql: str) -> str:
    """Return the SQL that Spark is sent for a statement; empty if that is the client's own text."""
    decision = asyncio.run(asking.answers.decide(asking.session, sql))
    assert decision.original == sql
    return decision.sql or ""


def grow(asking: Asking) -> tuple[int, int]:
    """Append rows, refresh the view, and return the snapshots of the table and the storage."""
    asking.house.lake.iceberg.load_table("demo.sales").append(ROWS)
    asyncio.run(asking.house.run(REFRESH))
    return snapshot(asking, "sales"), snapshot(asking, "agg__storage")


def test_storage_that_is_read_alone_is_read_as_the_decision_saw_it(asking: Asking) -> None:
    assert f"agg__storage VERSION AS OF {snapshot(asking, 'agg__storage')} AS" in sent(asking, QUERY)


@pytest.mark.parametrize("clause", ["VERSION AS OF {0}", "FOR VERSION AS OF '{0}'", "VERSION AS OF 'eom'"])
def test_a_past_moment_is_answered_by_the_storage_of_that_moment(asking: Asking, clause: str) -> None:
    before, stored = grow(asking)
    asking.house.lake.iceberg.load_table("demo.sales").manage_snapshots().create_tag(before, "eom").commit()
    latest = grow(asking)
    sql = QUERY.replace("sales", f"sales {clause.format(before)}")
    assert f"agg__storage VERSION AS OF {stored} AS" in sent(asking, sql)
    now = QUERY.replace("sales", f"sales VERSION AS OF {latest[0]}")
    assert f"agg__storage VERSION AS OF {latest[1]} AS" in sent(asking, now)


def test_a_moment_at_which_nothing_was_refreshed_is_read_from_the_changes_until_then(asking: Asking) -> None:
    start, stored = snapshot(asking, "sales"), snapshot(asking, "agg__storage")
    asking.house.lake.iceberg.load_table("demo.sales").overwrite(ROWS)
    between = snapshot(asking, "sales")
    grow(asking)
    answer = sent(asking, QUERY.replace("sales", f"sales VERSION AS OF {between}"))
    assert f"agg__storage VERSION AS OF {stored} AS" in answer
    assert f"'start-snapshot-id' = '{start}'" in answer
    assert f"'end-snapshot-id' = '{between}'" in answer


def test_a_moment_that_is_not_known_is_read_from_the_tables(asking: Asking) -> None:
    grow(asking)
    assert sent(asking, QUERY.replace("sales", "sales VERSION AS OF 17")) == ""
    assert sent(asking, QUERY.replace("sales", "sales VERSION AS OF 'nothing'")) == ""


def test_a_time_is_looked_up_in_the_log_of_snapshots(asking: Asking) -> None:
    before, stored = grow(asking)
    grow(asking)
    log = asking.house.lake.iceberg.load_table("demo.sales").history()
    (made,) = (entry.timestamp_ms for entry in log if entry.snapshot_id == before)
    at = datetime.fromtimestamp(made / 1000, ZoneInfo("Asia/Tokyo")).strftime("%Y-%m-%d %H:%M:%S.%f")
    sql = QUERY.replace("sales", f"sales TIMESTAMP AS OF '{at}'")
    assert f"agg__storage VERSION AS OF {stored} AS" in sent(asking, sql)


def test_a_view_that_was_defined_anew_answers_no_moment_before(asking: Asking) -> None:
    before, _ = grow(asking)
    now, _ = grow(asking)
    asyncio.run(asking.house.run(f"CREATE OR REPLACE MATERIALIZED VIEW agg AS {QUERY}"))
    assert sent(asking, QUERY.replace("sales", f"sales VERSION AS OF {before}")) == ""
    assert sent(asking, QUERY.replace("sales", f"sales VERSION AS OF {now}")) != ""


def test_a_view_without_storage_of_that_moment_says_so(asking: Asking) -> None:
    before, _ = grow(asking)
    asyncio.run(asking.house.run(f"CREATE OR REPLACE MATERIALIZED VIEW agg AS {QUERY}"))
    first = asking.house.lake.iceberg.load_table("demo.sales").history()[0].snapshot_id
    sql = QUERY.replace("sales", f"sales VERSION AS OF {first}")
    decision = asyncio.run(asking.answers.decide(asking.session, sql))
    assert first != before
    (line,) = decision.lines()
    assert "lake.demo.agg not used: " in line
    assert "no snapshot that was refreshed from the tables as of that time" in line


def test_explain_tells_of_the_views_that_were_tried(asking: Asking) -> None:
    before, _ = grow(asking)
    sql = QUERY.replace("sales", f"sales VERSION AS OF {before}")
    decision = asyncio.run(asking.answers.decide(asking.session, sql, thorough=True))
    assert [(str(attempt.view), attempt.verdict) for attempt in decision.tried] == [("lake.demo.agg", "chosen")]
    assert "proved" in decision.tried[0].detail


@pytest.mark.parametrize("clause", ["VERSION AS OF 17", "TIMESTAMP AS OF '2024-01-31'"])
def test_a_view_is_not_read_at_an_earlier_time(asking: Asking, clause: str) -> None:
    with pytest.raises(SqlError, match="agg is a view, and only tables can be read at") as told:
        sent(asking, f"SELECT count(*) FROM agg {clause}")
    assert told.value.sql_state == "0A000"
