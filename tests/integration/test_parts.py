"""Storage that holds a part of a view's rows: a requested range, or what a retention policy keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from proxy.commands.show import COLUMNS
from tests.integration import clients

pytestmark = pytest.mark.aside

Run = Callable[[str], list[tuple[Any, ...]]]
ASKED = (
    "SELECT k, sum(x) AS s, count(*) AS n FROM lake.parts.t WHERE d >= DATE '2024-01-03' OR d IS NULL GROUP BY k",
    "SELECT d, max(n) AS n FROM lake.parts.by_day GROUP BY d",
)


@pytest.fixture
def run(pyhive: Any) -> Iterator[Run]:
    """Run a statement through the proxy, in the namespace parts with a new table `t`."""

    def statement(sql: str) -> list[tuple[Any, ...]]:
        return clients.rows(pyhive, sql)

    statement("CREATE NAMESPACE IF NOT EXISTS lake.parts")
    statement("USE lake.parts")
    statement("CREATE OR REPLACE TABLE t (d DATE, k STRING, x INT) PARTITIONED BY (d)")
    statement(
        "INSERT INTO t SELECT date_add(DATE '2024-01-01', CAST(id % 5 AS INT)), concat('k', id % 3), id FROM range(50)"
    )
    statement("INSERT INTO t VALUES (NULL, 'k1', 7), (DATE '2024-01-04', NULL, NULL)")
    yield statement
    for row in statement("SHOW MATERIALIZED VIEWS IN parts"):
        statement(f"DROP MATERIALIZED VIEW lake.parts.{row[1]}")


@pytest.fixture
def foreign(direct: Any) -> Run:
    """Run a statement past the proxy, as another engine."""

    def statement(sql: str) -> list[tuple[Any, ...]]:
        return clients.rows(direct, sql)

    return statement


def create(run: Run, properties: str = "'viewgate.refresh' = 'deferred'") -> None:
    run(
        f"CREATE MATERIALIZED VIEW by_day PARTITIONED BY (d) PROPERTIES ({properties}) AS "
        "SELECT d, k, sum(x) AS s, count(*) AS n FROM t GROUP BY d, k"
    )


def holds(run: Run, foreign: Run, only: str) -> list[str]:
    """Check that the storage holds just the rows of a condition, and that answers equal the tables';
    return its files.
    """
    held = foreign("SELECT d, k, s, n FROM lake.parts.by_day__storage")
    meant = foreign(f"SELECT d, k, sum(x), count(*) FROM lake.parts.t WHERE {only or 'true'} GROUP BY d, k")
    assert sorted(held, key=str) == sorted(meant, key=str)
    for query in ASKED:
        assert sorted(run(query), key=str) == sorted(foreign(query), key=str), query
    (row,) = run("SHOW MATERIALIZED VIEWS IN parts LIKE 'by_day'")
    shown = dict(zip(COLUMNS, row, strict=True))
    assert (shown["status"], shown["last_error"]) == ("fresh", None)
    assert shown["reason"] == (f"the storage table holds only the rows where {only}" if only else None)
    return [path for (path,) in foreign("SELECT file_path FROM lake.parts.by_day__storage.files")]


def test_a_range_is_refreshed_kept_up_to_date_widened_and_made_whole(run: Run, foreign: Run) -> None:
    create(run)
    late, two = "d >= DATE '2024-01-04'", "d >= DATE '2024-01-04' AND d < DATE '2024-01-05'"
    (explained,) = run(f"EXPLAIN REFRESH MATERIALIZED VIEW by_day WHERE {late}")
    assert explained[:2] == (
        "full",
        f"the storage table records no refresh; the storage table holds only the rows where {late}",
    )
    ((said,),) = run(f"REFRESH MATERIALIZED VIEW by_day WHERE {two}")
    assert said.endswith(f" rows; the storage table holds only the rows where {two}")
    holds(run, foreign, two)
    assert run("SELECT sum(x) FROM t WHERE d = DATE '2024-01-04'") == [(255,)]

    run(f"REFRESH MATERIALIZED VIEW by_day WHERE {late}")  # no source has changed: the rest is added
    before = holds(run, foreign, late)
    run("INSERT INTO t VALUES (DATE '2024-01-05', 'k9', 1), (DATE '2024-01-01', 'k9', 1), (NULL, 'k9', 1)")
    run("DELETE FROM t WHERE d = DATE '2024-01-05' AND k = 'k0'")
    assert run("EXPLAIN REFRESH MATERIALIZED VIEW by_day")[0][0] == "changelog"
    run("REFRESH MATERIALIZED VIEW by_day")
    assert len(set(before) & set(holds(run, foreign, late))) == 1  # one partition is as it was

    run("INSERT INTO t VALUES (DATE '2024-01-02', 'it''s', 1)")
    run("REFRESH MATERIALIZED VIEW by_day WHERE d IS NULL OR k = 'it''s'")
    holds(run, foreign, f"({late}) OR (d IS NULL OR k = 'it''s')")
    run("REFRESH MATERIALIZED VIEW by_day FULL")
    holds(run, foreign, "")
    assert run("EXPLAIN REFRESH MATERIALIZED VIEW by_day WHERE k = 'k1'")[0][0] == "none"


def test_what_is_no_range_of_a_view_is_refused_and_no_failure_of_the_views(run: Run, foreign: Run) -> None:
    create(run)
    with pytest.raises(
        Exception, match=r"is an aggregate, and the rows of .* to store can be selected only by grouping keys"
    ):
        run("REFRESH MATERIALIZED VIEW by_day WHERE s > 3")
    run("REFRESH MATERIALIZED VIEW by_day")
    holds(run, foreign, "")


def test_old_targets_go_at_a_refresh_and_the_writer_keeps_the_others_fresh(run: Run, foreign: Run) -> None:
    today = datetime.now(UTC).date()
    rows = ", ".join(f"(DATE '{today - timedelta(days=age)}', 'new', {age})" for age in (0, 1, 20, 40))
    run(f"INSERT INTO t VALUES {rows}")
    create(run, "'viewgate.retention' = 'never'")
    holds(run, foreign, "")
    run("ALTER MATERIALIZED VIEW by_day SET PROPERTIES ('viewgate.retention' = '30 days')")
    assert run("EXPLAIN REFRESH MATERIALIZED VIEW by_day")[0][0] == "retention"
    run(f"INSERT INTO t VALUES (DATE '{today}', 'newer', 1), (DATE '2020-01-01', 'old', 1)")
    since = today_of(foreign) - timedelta(days=30)
    assert len(holds(run, foreign, f"d >= DATE '{since}'")) == 3
    run("REFRESH MATERIALIZED VIEW by_day FULL")
    assert len(holds(run, foreign, f"d >= DATE '{since}'")) == 3


def today_of(foreign: Run) -> date:
    """Return the day of the storage's record, which may already be yesterday."""
    ((at,),) = foreign("SELECT max(committed_at) FROM lake.parts.by_day__storage.snapshots")
    return datetime.fromisoformat(str(at)).date()
