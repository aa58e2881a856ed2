"""A race with Flink as a third writing engine, whose equality deletes refreshes must apply.

`make race` runs it, not CI: its libraries take 180 MB, and its first job half a minute on two busy cores.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proxy.embedded import catalog_properties
from tests.integration import clients
from tests.integration.decided import chosen, rows_both_ways
from tests.integration.flink import Flink, flink
from tests.integration.gate import Gate
from tests.integration.race import NAMESPACE, Race
from tests.integration.test_race import LEAST_SHARE, SECONDS, SEED

QUERY = "SELECT region, sum(amount) AS s, count(*) AS n, max(amount) AS top FROM lake.upserts.t GROUP BY region"
BY_DAY = "SELECT day, sum(amount) AS s, count(*) AS n, max(amount) AS top FROM lake.upserts.t GROUP BY day"
VIEWS = {"by_region": ("", QUERY), "by_day": ("PARTITIONED BY (day) ", BY_DAY)}


@pytest.fixture(scope="module")
def engine(gate: Gate, data: Path) -> Iterator[Flink]:
    with flink(data) as running:
        yield running


def right(session: Any) -> list[list[str]]:
    """Return the views that answer each query, after checking that the rows are the original's."""
    for query in (QUERY, BY_DAY):
        given, plain = rows_both_ways(session, query)
        assert given == plain, query
    return [chosen(session, query) for query in (QUERY, BY_DAY)]


def test_equality_deletes_are_taken_in(engine: Flink, pyhive: Any, direct: Any) -> None:
    clients.rows(pyhive, "CREATE NAMESPACE IF NOT EXISTS lake.upserts")
    engine.run(
        "CREATE TABLE lake.upserts.t (id INT, `day` INT, region STRING, amount INT, "
        "PRIMARY KEY (id, `day`) NOT ENFORCED) PARTITIONED BY (`day`) "
        "WITH ('format-version' = '2', 'write.upsert.enabled' = 'true')"
    )
    rows = ", ".join(f"({n}, {n % 5}, '{'eu' if n % 2 else 'us'}', {n})" for n in range(200))
    engine.run(f"INSERT INTO lake.upserts.t VALUES {rows}")
    for name, (how, query) in VIEWS.items():
        clients.rows(pyhive, f"CREATE MATERIALIZED VIEW lake.upserts.{name} WITH DEFERRED REFRESH {how}AS {query}")
        clients.rows(pyhive, f"REFRESH MATERIALIZED VIEW lake.upserts.{name}")
    whole = [["lake.upserts.by_region"], ["lake.upserts.by_day"]]
    assert right(pyhive) == whole
    # New amounts for old rows, and a new row, all of one day.
    engine.run("INSERT INTO lake.upserts.t VALUES (3, 3, 'eu', 1000), (8, 3, 'eu', -5), (1003, 3, 'as', 7)")
    files = clients.rows(direct, "SELECT content, count(*) FROM lake.upserts.t.all_files GROUP BY content")
    assert dict(files)[2] > 0  # files of equality deletes
    by_region, _ = right(pyhive)
    assert by_region == []  # a row that is replaced is nowhere listed
    clients.rows(direct, "INSERT INTO lake.upserts.t VALUES (2000, 4, 'eu', 1)")
    right(pyhive)
    for name in VIEWS:
        clients.rows(pyhive, f"REFRESH MATERIALIZED VIEW lake.upserts.{name}")
        right(pyhive)
    assert right(pyhive) == whole
    clients.rows(direct, "INSERT INTO lake.upserts.t VALUES (2001, 4, 'eu', 1)")
    right(pyhive)
    clients.rows(pyhive, "DELETE FROM lake.upserts.t WHERE id = 2000")
    right(pyhive)
    for name in VIEWS:
        clients.rows(pyhive, f"DROP MATERIALIZED VIEW lake.upserts.{name}")


def test_answers_beside_its_appends_are_those_of_one_moment(engine: Flink, gate: Gate, data: Path) -> None:
    def append(first: int, count: int) -> None:
        rows = (f"({n}, {n % 9}, {n % 100}, CAST(NULL AS STRING))" for n in range(first, first + count))
        engine.run(f"INSERT INTO lake.{NAMESPACE}.sales VALUES {', '.join(rows)}")

    race = Race(gate.port, gate.spark_port, catalog_properties(data), SEED, append=append)
    wrong = race.run(SECONDS)
    sys.stdout.write(f"{race}\n")
    assert not wrong, f"{len(wrong)} wrong, {race}\n" + "\n\n".join(wrong[:5])
    assert race.done["append by another engine"], str(race)
    assert race.share() >= LEAST_SHARE, str(race)
