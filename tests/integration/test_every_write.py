"""Every kind of write, in every refresh mode, for every shape of view: the content is the query's at the recorded
snapshots.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.catalog.sql import SqlCatalog

import rewriter
from proxy.commands.show import COLUMNS
from rewriter.model import Session, TableName
from tests.integration import clients
from tests.integration.daemon import eventually
from tests.integration.gate import Gate

TABLE = "id BIGINT, k STRING, x INT, m DECIMAL(10,2), d DATE, ts TIMESTAMP, did INT"
FIRST = """(1, 'a', 1, 1.25, DATE '2024-01-31', TIMESTAMP '2024-01-31 23:59:59', 1),
    (2, 'b', NULL, 2.50, DATE '2024-02-01', TIMESTAMP '2024-02-01 00:00:30', 2),
    (3, NULL, 3, NULL, DATE '2024-02-01', TIMESTAMP '2024-02-01 10:00:30', NULL),
    (4, 'a', 4, 7.75, DATE '2024-02-02', TIMESTAMP '2024-02-02 10:59:00', 1)"""
SHAPES: Mapping[str, str] = {
    "aggregate": "SELECT k, d, count(*) AS c, sum(x) AS s, min(x) AS mn, avg(m) AS a FROM f GROUP BY k, d",
    "join": "SELECT g.name, count(*) AS c, sum(f.m) AS s FROM f JOIN g ON f.did = g.did GROUP BY g.name",
    "timeseries": "SELECT timeseries(ts, 'hour') AS t, count(*) AS c, max(m) AS mx FROM f GROUP BY 1",
    "upon": "SELECT d, sum(c) AS c, sum(s) AS s FROM aggregate GROUP BY d",
}
PARTITIONED = {"aggregate": "PARTITIONED BY (d)", "timeseries": "PARTITIONED BY (days(t))"}
MODES: Mapping[str, str] = {
    "committed": "PROPERTIES ('viewgate.refresh.wait' = 'always')",
    "deferred": "WITH DEFERRED REFRESH",
    "scheduled": "WITH DEFERRED REFRESH PROPERTIES ('viewgate.refresh.every' = '1 second')",
}
# Each kind with its statements; `{at}` is the snapshot that `f` had before the last write, `{space}` the namespace.
WRITES: Mapping[str, tuple[str, ...]] = {
    "INSERT": (
        "INSERT INTO f VALUES (5, 'b', 5, 0.25, DATE '2024-02-01', TIMESTAMP '2024-02-01 10:00:00', 2)",
    ),
    "INSERT into what is joined": ("INSERT INTO g VALUES (2, 'n3')",),
    "UPDATE": ("UPDATE f SET x = coalesce(x, 0) + 1, d = date_add(d, 1) WHERE id % 2 = 0",),
    "DELETE": ("DELETE FROM f WHERE id = 3",),
    "DELETE of a partition": ("DELETE FROM f WHERE d = DATE '2024-02-02'",),
    "UPDATE of what is joined": ("UPDATE g SET name = 'other' WHERE did = 1",),
    "MERGE": (
        "MERGE INTO f USING (SELECT * FROM VALUES (2, 9), (77, 7) AS v(id, x)) s ON f.id = s.id "
        "WHEN MATCHED THEN UPDATE SET f.x = s.x WHEN NOT MATCHED THEN INSERT (id, k, x, m, d, ts, did) "
        "VALUES (s.id, 'c', s.x, 1.5, DATE '2024-02-05', TIMESTAMP '2024-02-05 00:00:00', 2)",
    ),
    "CALL rollback_to_snapshot": ("CALL lake.system.rollback_to_snapshot('{space}.f', {at})",),
    "CALL rewrite_data_files": (
        "CALL lake.system.rewrite_data_files(table => '{space}.f', options => map('rewrite-all', 'true'))",
    ),
    "INSERT OVERWRITE, dynamic": (
        "SET spark.sql.sources.partitionOverwriteMode = dynamic",
        "INSERT OVERWRITE f VALUES (8, 'a', 8, 0.5, DATE '2024-02-01', TIMESTAMP '2024-02-01 11:00:00', 1)",
        "SET spark.sql.sources.partitionOverwriteMode = static",
    ),
    "ALTER TABLE": ("ALTER TABLE f ADD COLUMN extra STRING", "ALTER TABLE f DROP COLUMN extra"),
    "INSERT OVERWRITE": (f"INSERT OVERWRITE f VALUES {FIRST}, (9, 'z', 9, 9, NULL, NULL, 2)",),
    "CALL expire_snapshots": (
        "CALL lake.system.expire_snapshots(table => '{space}.f', retain_last => 1, older_than => current_timestamp())",
    ),
    "CREATE OR REPLACE TABLE AS": (
        "CREATE OR REPLACE TABLE f PARTITIONED BY (d) AS SELECT * FROM f WHERE id <> 2",
    ),
    "TRUNCATE": ("TRUNCATE TABLE f",),
    "CREATE TABLE AS": (
        "past the proxy: DROP TABLE f PURGE",
        f"CREATE TABLE f PARTITIONED BY (d) AS SELECT * FROM VALUES {FIRST} AS v(id, k, x, m, d, ts, did)",
    ),
}  # fmt: skip
# A schedule and REFRESH see snapshots, whoever made them: one kind of write of each effect is enough.
EFFECTS = ("INSERT", "DELETE", "MERGE", "CALL rollback_to_snapshot", "CREATE OR REPLACE TABLE AS", "TRUNCATE")


@pytest.fixture(scope="module")
def catalog(aside_data: Path) -> Iterator[SqlCatalog]:
    opened = SqlCatalog("lake", uri=f"sqlite:///{aside_data}/catalog.db", warehouse=str(aside_data / "warehouse"))
    yield opened
    opened.close()


@pytest.mark.aside
def test_every_kind_of_write_in_every_mode_for_every_shape(aside_gate: Gate, catalog: SqlCatalog) -> None:
    with ThreadPoolExecutor(len(MODES)) as threads:
        checked = list(threads.map(lambda mode: House(aside_gate, catalog, mode).checked(), MODES))
    assert checked == [len(kinds) * len(SHAPES) for kinds in (WRITES, EFFECTS, EFFECTS)]


class House:
    """The tables and a view of each shape, all refreshed in one mode."""

    def __init__(self, gate: Gate, catalog: SqlCatalog, mode: str) -> None:
        self.gate, self.catalog, self.mode = gate, catalog, mode
        self.space = f"written_{mode}"
        self.queries: dict[str, str] = {}

    def checked(self) -> int:
        """Write in every way, check the views after each, and return the number of contents compared."""
        with ExitStack() as stack:
            self.ours = stack.enter_context(clients.pyhive(self.gate.port))
            self.theirs = stack.enter_context(clients.pyhive(self.gate.spark_port))
            self.make()
            at, before, count = None, self.head("f"), 0
            for kind in WRITES if self.mode == "committed" else EFFECTS:
                try:
                    self.write(WRITES[kind], at)
                    self.refresh()
                    count += sum(self.check(view) for view in SHAPES)
                except Exception as failure:
                    raise AssertionError(f"{kind}, {self.mode}: {failure}") from failure
                at, before = before, self.head("f")
            for view in reversed(list(SHAPES)):
                self.ask(f"DROP MATERIALIZED VIEW {view}")
        return count

    def make(self) -> None:
        self.ask(f"CREATE NAMESPACE lake.{self.space}")
        for connection in (self.ours, self.theirs):
            clients.rows(connection, f"USE lake.{self.space}")
        self.ask(f"CREATE TABLE f ({TABLE}) PARTITIONED BY (d)")
        self.ask(f"INSERT INTO f VALUES {FIRST}")
        self.ask("CREATE TABLE g AS SELECT * FROM VALUES (1, 'n1'), (2, 'n2') AS v(did, name)")
        for view, query in SHAPES.items():
            self.ask(f"CREATE MATERIALIZED VIEW {view} {PARTITIONED.get(view, '')} {MODES[self.mode]} AS {query}")
            described = {key: value for key, value, *_ in self.ask(f"DESCRIBE MATERIALIZED VIEW {view}")}
            self.queries[view] = described["Storage query"]

    def write(self, statements: tuple[str, ...], at: int | None) -> None:
        """Write through the proxy, or as another engine where a schedule has to notice the write."""
        for statement in statements:
            past = self.mode == "scheduled" or statement.startswith("past the proxy: ")
            text = statement.removeprefix("past the proxy: ").replace("{space}", self.space).replace("{at}", str(at))
            clients.rows(self.theirs if past else self.ours, text)

    def refresh(self) -> None:
        if self.mode == "deferred":
            for view in SHAPES:
                self.ask(f"REFRESH MATERIALIZED VIEW {view}")
        eventually(self.fresh, patience=60 if self.mode == "scheduled" else 0)

    def fresh(self) -> bool:
        return all(row["status"] == "fresh" for row in self.shown())

    def shown(self) -> list[dict[str, Any]]:
        return [dict(zip(COLUMNS, row, strict=True)) for row in self.ask(f"SHOW MATERIALIZED VIEWS IN {self.space}")]

    def check(self, view: str) -> bool:
        """Check that the content is that of the query at the snapshots that the content records."""
        pinned = rewriter.pin(self.queries[view], self.recorded(view), Session("lake", (self.space,)))
        both = f"SELECT *, 'stored' AS side FROM {view}__storage UNION ALL SELECT *, 'expected' FROM ({pinned})"
        sides: dict[str, Counter[tuple[Any, ...]]] = {"stored": Counter(), "expected": Counter()}
        for *row, side in clients.rows(self.theirs, both):
            sides[side][tuple(row)] += 1
        stored, expected = sides["stored"], sides["expected"]
        assert stored == expected, f"{view} holds {stored - expected} and lacks {expected - stored}"
        return True

    def recorded(self, view: str) -> dict[TableName, int]:
        storage = self.catalog.load_table((self.space, f"{view}__storage"))
        head = storage.current_snapshot()
        assert head is not None
        assert head.summary is not None
        sources = json.loads(head.summary["refresh-state"] or "")["source-states"]
        found = {TableName(("lake", self.space, s["name"])): s["snapshot-id"] for s in sources if s["type"] == "table"}
        assert found.keys() >= {TableName(("lake", self.space, "f"))}
        return {name: at for name, at in found.items() if at != -1}

    def head(self, table: str) -> int | None:
        return self.catalog.load_table((self.space, table)).metadata.current_snapshot_id

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        return clients.rows(self.ours, statement)
