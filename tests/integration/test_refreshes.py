"""After each refresh, a view's content equals its query at the recorded snapshots, whatever was written before."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyhive import hive
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table

import rewriter
from rewriter.model import Session
from tests.integration import clients
from tests.integration.gate import Gate
from tests.integration.writes import COLUMNS, Made, Writer, made

# VIEWGATE_REFRESH_SEEDS=FIRST:LAST tries other sequences than CI's; `make fuzz-refresh` does so, range by range.
FIRST, LAST = (int(n) for n in os.environ.get("VIEWGATE_REFRESH_SEEDS", "0:8").split(":"))
ROUNDS = 3


@pytest.mark.aside
def test_the_content_is_that_of_the_query(aside_gate: Gate, aside_data: Path) -> None:
    catalog = SqlCatalog("lake", uri=f"sqlite:///{aside_data}/catalog.db", warehouse=str(aside_data / "warehouse"))
    with ThreadPoolExecutor(3) as threads:
        ran = threads.map(lambda seed: Sequence(aside_gate, catalog, seed).run(), range(FIRST, LAST))
        ways = sum(ran, Counter[str]())
    catalog.close()
    sys.stdout.write(f"seeds {FIRST} to {LAST}: {dict(ways)}\n")
    assert {"full", "shared", "append-merge", "delta join"} <= ways.keys(), "there must be cause for more than one way"


def test_only_the_target_whose_source_has_changed_is_written(pyhive: Any, direct: Any) -> None:
    def run(sql: str) -> list[tuple[Any, ...]]:
        return clients.rows(pyhive, sql)

    def files() -> dict[str, str]:
        """Return the storage's file of each year."""
        paths = [path for (path,) in clients.rows(direct, "SELECT file_path FROM lake.seed.m1__storage.files")]
        return {path.split("year=")[1][:4]: path for path in paths}

    run("CREATE NAMESPACE IF NOT EXISTS lake.seed")
    run("USE lake.seed")
    run("CREATE TABLE t1 (column0 STRING, date DATE) PARTITIONED BY (date)")
    run(
        "INSERT INTO t1 VALUES ('a', DATE '2021-01-01'), ('b', DATE '2022-02-02'), ('c', DATE '2022-02-03'), "
        "('d', DATE '2023-03-03')"
    )
    run(
        "CREATE MATERIALIZED VIEW m1 WITH DEFERRED REFRESH PARTITIONED BY (year) AS "
        "SELECT count(*) AS count, max(column0) AS last, year(date) AS year FROM t1 GROUP BY year(date)"
    )
    run("REFRESH MATERIALIZED VIEW m1")
    graph = run("SELECT target, source_table_name, source_uri FROM mv_dependencies('m1') ORDER BY source_uri")
    found = [(target.split("/")[-2], name, uri.split("date=")[1][:10]) for target, name, uri in graph]
    assert found == [
        ("year=2021", "t1", "2021-01-01"),
        ("year=2022", "t1", "2022-02-02"),
        ("year=2022", "t1", "2022-02-03"),
        ("year=2023", "t1", "2023-03-03"),
    ]
    for write, way in (
        ("INSERT INTO lake.seed.t1 VALUES ('z', DATE '2022-02-02')", "append-merge"),
        ("DELETE FROM lake.seed.t1 WHERE column0 = 'z'", "partition recompute"),
    ):
        before = files()
        clients.rows(direct, write)
        stale = run("SELECT DISTINCT s.target FROM stale_files('m1') s JOIN mv_dependencies('m1') d USING (target)")
        assert [target.split("/")[-2] for (target,) in stale] == ["year=2022"]
        assert run("EXPLAIN REFRESH MATERIALIZED VIEW m1")[0][0] == way
        run("REFRESH MATERIALIZED VIEW m1")
        after = files()
        assert {year for year in after if after[year] != before[year]} == {"2022"}
        assert run("SELECT count(*) FROM stale_files('m1')") == [(0,)]
    assert sorted(clients.rows(direct, "SELECT year, count, last FROM lake.seed.m1__storage")) == [
        (2021, 1, "a"),
        (2022, 2, "c"),
        (2023, 1, "d"),
    ]


class Sequence:
    """One seed: its tables and views in a namespace of their own, writes past the proxy, refreshes through it."""

    def __init__(self, gate: Gate, catalog: SqlCatalog, seed: int) -> None:
        self.gate, self.catalog, self.seed = gate, catalog, seed
        self.random = Random(seed)
        self.writer = Writer(self.random)
        self.namespace = f"refreshes_{seed}"
        self.ways: Counter[str] = Counter()
        self.story: list[str] = []
        self.queries: dict[str, str] = {}

    def run(self) -> Counter[str]:
        with clients.pyhive(self.gate.port) as ours, clients.pyhive(self.gate.spark_port) as theirs:
            self.ours, self.theirs = ours, theirs
            try:
                self._run(made(self.random, self.seed))
            except Exception as failure:
                raise AssertionError(f"seed {self.seed}: {failure}\n" + ";\n".join(self.story)) from failure
        return self.ways

    def _run(self, what: Made) -> None:
        self.write(f"CREATE NAMESPACE lake.{self.namespace}")
        for connection in (self.ours, self.theirs):
            clients.rows(connection, f"USE lake.{self.namespace}")
        partitioned = f"PARTITIONED BY {what.partition}" if what.partition else ""
        self.write(f"CREATE TABLE f ({COLUMNS}) {partitioned} TBLPROPERTIES ({what.properties})")
        self.write("CREATE TABLE g (did INT, name STRING, w INT)")
        for _ in range(2):
            self.write(f"INSERT INTO f VALUES {self.writer.rows(12)}")
        self.write("INSERT INTO g VALUES (1, 'n0', 10), (2, 'n1', 20)")
        for i, (query, partition) in enumerate(what.views):
            partitioned = f"PARTITIONED BY {partition} " if partition else ""
            self.ask(f"CREATE MATERIALIZED VIEW v{i} WITH DEFERRED REFRESH {partitioned}AS {query}")
            self.queries[f"v{i}"] = self._storage_query(f"v{i}")
            self.check(f"v{i}")
        for batch in self.writer.batches(ROUNDS):
            for statement in batch:
                self.write(statement)
            for i in range(len(what.views)):
                self.check(f"v{i}")
        for i in range(len(what.views)):
            self.ask(f"DROP MATERIALIZED VIEW v{i}")

    def write(self, statement: str) -> None:
        if statement == "ROLL BACK":
            statement = self._rollback()
        text = statement.replace("{namespace}", self.namespace)
        self.story.append(text)
        try:
            clients.rows(self.theirs, text)
        except hive.OperationalError:  # a MERGE that matches twice: it has written nothing
            assert not text.startswith(("CREATE", "INSERT INTO"))
            self.story.append("-- failed")

    def _rollback(self) -> str:
        """Roll a table back to some ancestor, or to its current snapshot."""
        metadata = self.table("f").metadata
        line, at = [], metadata.current_snapshot()
        while at is not None:
            line.append(at.snapshot_id)
            at = metadata.snapshot_by_id(at.parent_snapshot_id) if at.parent_snapshot_id else None
        target = self.random.choice(line)
        return f"CALL lake.system.rollback_to_snapshot('{{namespace}}.f', {target})"

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        self.story.append(statement)
        return clients.rows(self.ours, statement)

    def check(self, view: str) -> None:
        ((way, reason, statement),) = self.ask(f"EXPLAIN REFRESH MATERIALIZED VIEW {view}")
        self.story.append(f"-- {way}: {reason}\n-- {statement}")
        self.ways["shared" if "computed from the stored rows of" in reason else way] += 1
        log = self.refresh(view)
        assert "starting a full refresh" not in log, log
        stored, expected = (self._rows(sql) for sql in (f"SELECT * FROM {view}__storage", self.queries[view]))
        assert stored == expected, f"{view} holds {stored - expected} and lacks {expected - stored}"
        self._check_recorded(view)

    def refresh(self, view: str) -> str:
        self.story.append(f"REFRESH MATERIALIZED VIEW {view}")
        cursor: hive.Cursor = self.ours.cursor()
        cursor.execute(f"REFRESH MATERIALIZED VIEW {view}")
        log = "\n".join(cursor.fetch_logs())
        cursor.close()
        return log

    def _storage_query(self, view: str) -> str:
        described = clients.rows(self.ours, f"DESCRIBE MATERIALIZED VIEW {view}")
        storage_query = next(value for key, value, *_ in described if key == "Storage query")
        return rewriter.pin(storage_query, {}, Session("lake", (self.namespace,)))

    def _rows(self, sql: str) -> Counter[tuple[Any, ...]]:
        return Counter(tuple(map(_plain, row)) for row in clients.rows(self.theirs, sql))

    def _check_recorded(self, view: str) -> None:
        """Check that the recorded snapshots are the tables' current ones, and that no branch is left."""
        storage = self.table(f"{view}__storage")
        assert set(storage.metadata.refs) == {"main"}
        head = storage.current_snapshot()
        assert head is not None
        assert head.summary is not None
        for source in json.loads(head.summary["refresh-state"] or "")["source-states"]:
            current = self.table(source["name"]).metadata.current_snapshot_id
            assert source["snapshot-id"] == (-1 if current is None else current)

    def table(self, name: str) -> Table:
        return self.catalog.load_table((self.namespace, name))


def _plain(value: Any) -> Any:
    """Return a comparable value: NaN equals itself, and both zeros are equal."""
    return repr(value + 0.0) if isinstance(value, float) else value
