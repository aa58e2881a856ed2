"""Runs writers, refreshes and readers at once; `race_answers` checks the answers.

A trigger in the catalog's database (SQLite or PostgreSQL) numbers the commits, so that no clock is trusted.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import cycle, product
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pyarrow as pa
from pyhive import hive
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table.snapshots import Snapshot
from sqlalchemy import Engine, create_engine

from proxy.catalog import commits
from tests.integration import clients
from tests.integration.race_answers import QUERIES, TABLES, Answer, Replays, Snapshots, Times, unexplained

NAMESPACE = "race"
ROWS = "SELECT id, CAST(id % 9 AS INT) AS region, CAST(id % 100 AS INT) AS amount, {} AS note FROM range({}, {})"
# Text that makes the table large enough for views to pay: 13 MB, where opening one file more costs as much as 4.
NOTE = "concat(sha2(CAST(id AS STRING), 512), sha2(CAST(-id AS STRING), 512))"
# Each view with the properties that say when it is refreshed: by writes, or by REFRESH alone.
VIEWS = {
    "by_region": ("", "SELECT region, sum(amount) AS total, count(*) AS cnt FROM sales GROUP BY region"),
    "by_name": (
        "WITH DEFERRED REFRESH ",
        "SELECT r.name, sum(s.amount) AS total, max(s.amount) AS top FROM sales AS s JOIN regions AS r "
        "ON r.id = s.region GROUP BY r.name",
    ),
    "high": ("WITH DEFERRED REFRESH ", "SELECT id, amount FROM sales WHERE region > 4"),
}
# With the default, serializable, each DELETE and UPDATE would fail, because rows are appended before its commit.
ISOLATION = "TBLPROPERTIES ('write.delete.isolation-level' = 'snapshot', 'write.update.isolation-level' = 'snapshot')"
TRIES = 5  # of a DELETE or UPDATE; other writers do not try again
# What fails because another commit was first: Iceberg's exceptions, and the SQLSTATE of Viewgate's refreshes.
_CONFLICT = re.compile(r"\b(CommitFailedException|ValidationException)\b")
_CONFLICT_STATE = "40001"
# Seconds before the first DELETE or UPDATE, and before each later one: after it, views answer only when refreshed.
AT_FIRST, LATER = (6, 10), (30, 70)
# The settings of the sessions that replay queries. Each query reads only a few files: 46 replays take 6.5 s with these
# settings, and 9.6 s without.
REPLAYING = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "1"}
BOUND_S = 5
HINT = f"SELECT /*+ VIEWGATE(max_staleness = '{BOUND_S} seconds') */"
# What numbers the commits, by the kind of the catalog's database. PostgreSQL takes commits side by side, and gives out
# numbers before: a lock makes the order of both one.
_NUMBERED: Mapping[str, Sequence[str]] = {
    "sqlite": (
        "CREATE TABLE race_commits (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, location TEXT)",
        "CREATE TRIGGER race_commit AFTER UPDATE OF metadata_location ON iceberg_tables "
        f"WHEN NEW.table_namespace = '{NAMESPACE}' AND NEW.table_name IN {TABLES} "
        "BEGIN INSERT INTO race_commits (name, location) VALUES (NEW.table_name, NEW.metadata_location); END",
    ),
    "postgresql": (
        "CREATE TABLE race_commits (number SERIAL PRIMARY KEY, name TEXT, location TEXT)",
        "CREATE FUNCTION race_numbered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "PERFORM pg_advisory_xact_lock(7); "
        "INSERT INTO race_commits (name, location) VALUES (NEW.table_name, NEW.metadata_location); RETURN NEW; END $$",
        "CREATE TRIGGER race_commit AFTER UPDATE OF metadata_location ON iceberg_tables FOR EACH ROW "
        f"WHEN (NEW.table_namespace = '{NAMESPACE}' AND NEW.table_name IN {TABLES}) EXECUTE FUNCTION race_numbered()",
    ),
}
_UNNUMBERED: Mapping[str, Sequence[str]] = {
    "sqlite": ("DROP TRIGGER race_commit", "DROP TABLE race_commits"),
    "postgresql": ("DROP FUNCTION race_numbered CASCADE", "DROP TABLE race_commits"),
}
_BEFORE = (
    "INSERT INTO race_commits (name, location) SELECT table_name, metadata_location FROM iceberg_tables "
    f"WHERE table_namespace = '{NAMESPACE}' AND table_name IN {TABLES}"
)


@dataclass
class Commits:
    """The commits to the tables, in the catalog's order."""

    database: Engine

    @contextmanager
    def numbered(self) -> Iterator[None]:
        """Number all later commits."""
        kind = self.database.dialect.name
        self._execute(*_NUMBERED[kind], _BEFORE)
        try:
            yield
        finally:
            self._execute(*_UNNUMBERED[kind])

    def _execute(self, *statements: str) -> None:
        with self.database.begin() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)

    def _rows(self, query: str) -> Sequence[Sequence[Any]]:
        with self.database.connect() as connection:
            return connection.exec_driver_sql(query).all()

    def last(self) -> int:
        """Return the number of the last commit that is visible to all."""
        return int(self._rows("SELECT max(number) FROM race_commits")[0][0])

    def snapshots(self) -> Mapping[int, Snapshots]:
        """Return the snapshots that were current after each commit, by its number."""
        current: dict[str, int] = {}
        found = {}
        for number, name, location in self._rows("SELECT number, name, location FROM race_commits ORDER BY number"):
            current[name] = _snapshot(location)
            if len(current) == len(TABLES):
                found[number] = tuple(current[table] for table in TABLES)
        return found

    def times(self) -> Times:
        """Return the parent of each snapshot and its time in milliseconds."""
        rows = self._rows("SELECT location FROM race_commits ORDER BY number")
        raws = (raw for (location,) in rows for raw in _metadata(location)["snapshots"])
        return {raw["snapshot-id"]: (raw.get("parent-snapshot-id"), raw["timestamp-ms"]) for raw in raws}


def _snapshot(location: str) -> int:
    return int(_metadata(location)["current-snapshot-id"])


@cache
def _metadata(location: str) -> Any:
    return json.loads(Path(location.removeprefix("file://")).read_text())


@dataclass
class Race:
    """A race: readers use the Viewgate at `port`; writers also write past it, by Spark and pyiceberg.

    `catalog` has pyiceberg's properties of the catalog, and `database` is where the catalog keeps its tables; `append`
    appends a number of rows, from an id on, by another engine. `done` counts the writes that were committed, and `lost`
    those that failed because another commit was first, by kind. A reader pauses for at most `pause_s` between two
    statements: a replay takes about as long as the statement did. `replayed` counts the replays.
    """

    port: int
    spark_port: int
    catalog: Mapping[str, str]
    seed: int = 0
    name: str = "lake"
    database: str = ""
    append: Callable[[int, int], None] | None = None
    readers: int = 3
    pause_s: float = 0.05
    replayed: int = 0
    answers: list[Answer] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        uri = self.database or self.catalog["uri"]
        self.commits = Commits(create_engine(uri, connect_args={"timeout": 30} if uri.startswith("sqlite") else {}))
        self._over = Event()
        self._ids = iter(range(10**6, 10**9, 100))

    def run(self, seconds: float) -> list[str]:
        """Create the tables and views, race for some seconds, and return the wrong answers."""
        self._make()
        with closing(self), self.commits.numbered():
            work = [self._write_through, self._write_behind, self._write_with_pyiceberg, self._remove, self._refresh]
            work += [self._write_with_another] if self.append is not None else []
            with ThreadPoolExecutor(len(work) + self.readers) as threads:
                started = [threads.submit(each, Random(f"{self.seed} {each.__name__}")) for each in work]
                started += [threads.submit(self._read, Random(f"{self.seed} {at}")) for at in range(self.readers)]
                self._over.wait(seconds)
                self._over.set()
                for each in started:
                    each.result()
            return [*self.wrong()]

    @property
    def _space(self) -> str:
        return f"{self.name}.{NAMESPACE}"

    def close(self) -> None:
        """Close the connections to the catalog's database."""
        self.commits.database.dispose()

    def share(self) -> float:
        """Return the share of statements that views answered, live or not; views cover all of them."""
        return sum(answer.kind != "tables" for answer in self.answers) / len(self.answers)

    def __str__(self) -> str:
        kinds = Counter(answer.kind for answer in self.answers)
        whys = Counter(why for answer in self.answers if answer.kind == "tables" for why in answer.whys)
        told = "".join(f"\n{number:4} {why}" for why, number in whys.most_common())
        written = f"committed: {dict(self.done)}, lost: {dict(self.lost)}"
        never = "".join(f"; no {kind.upper()} was committed" for kind in ("delete", "update") if not self.done[kind])
        answered = f"{len(self.answers)} statements: {dict(kinds)}, {self.share():.0%} by views"
        return f"{answered}, all checked by {self.replayed} replays; {written}{never}{told}"

    def _make(self) -> None:
        with clients.pyhive(self.port) as connection:
            clients.rows(connection, f"CREATE NAMESPACE IF NOT EXISTS {self._space}")
            clients.rows(connection, f"USE {self._space}")
            for view in VIEWS:
                clients.rows(connection, f"DROP MATERIALIZED VIEW IF EXISTS {view}")
            clients.rows(connection, f"CREATE OR REPLACE TABLE sales {ISOLATION} AS {ROWS.format(NOTE, 0, 49_000)}")
            # Views begin at a second snapshot.
            clients.rows(connection, f"INSERT INTO sales {ROWS.format(NOTE, 49_000, 50_000)}")
            clients.rows(connection, "CREATE OR REPLACE TABLE regions AS SELECT CAST(id AS INT) AS id, "
                                     "concat('region ', id % 5) AS name FROM range(7)")  # fmt: skip
            for view, (when, query) in VIEWS.items():
                clients.rows(connection, f"CREATE MATERIALIZED VIEW {view} {when}AS {query}")
                clients.rows(connection, f"REFRESH MATERIALIZED VIEW {view}")  # an empty one covers nothing
        self._first = self._current().snapshot_id

    # Writers, each until the race is over.

    def _write_through(self, random: Random) -> None:
        with clients.pyhive(self.port) as connection:
            clients.rows(connection, f"USE {self._space}")
            while not self._over.wait(random.uniform(0, 1.5)):
                self._write(connection, self._append(random), "append through")

    def _write_behind(self, random: Random) -> None:
        with clients.pyhive(self.spark_port) as connection:
            clients.rows(connection, f"USE {self._space}")
            kinds = {self._append: 14, _new_region: 2, self._compact: 1, self._rollback: 1}
            while not self._over.wait(random.uniform(0, 0.6)):
                (kind,) = random.choices(list(kinds), list(kinds.values()))
                self._write(connection, kind(random), kind.__name__.strip("_"))

    def _remove(self, random: Random) -> None:
        """Delete and update rows by turns, past the Viewgate, and refresh the views afterwards."""
        with clients.pyhive(self.spark_port) as behind, clients.pyhive(self.port) as connection:
            clients.rows(behind, f"USE {self._space}")
            pause = AT_FIRST
            for kind in cycle((_delete, _update)):
                if self._over.wait(random.uniform(*pause)):
                    return
                self._write(behind, kind(random), kind.__name__.strip("_"), TRIES)
                for view in VIEWS:
                    if not self._over.is_set():
                        self._write(connection, f"REFRESH MATERIALIZED VIEW {self._space}.{view}", "refresh")
                pause = LATER

    def _write(self, connection: hive.Connection, statement: str, kind: str, tries: int = 1) -> None:
        """Run a statement that writes, until it commits or the race is over, at most `tries` times.

        Raise an error that is not that of a lost commit.
        """
        for _ in range(tries):
            try:
                clients.rows(connection, statement)
            except hive.OperationalError as failure:
                if not is_conflict(failure):
                    raise
                self.lost[kind] += 1
                if self._over.is_set():
                    return
            else:
                self.done[kind] += 1
                return

    def _write_with_pyiceberg(self, random: Random) -> None:
        with self._catalog() as catalog:
            while not self._over.wait(random.uniform(0, 2)):
                first = next(self._ids)
                ids = range(first, first + random.randrange(1, 40))
                rows = {"id": pa.array(ids, pa.int64()), "region": pa.array([i % 9 for i in ids], pa.int32()),
                        "amount": pa.array([i % 100 for i in ids], pa.int32()),
                        "note": pa.nulls(len(ids), pa.string())}  # fmt: skip
                try:
                    catalog.load_table((NAMESPACE, "sales")).append(pa.table(rows))
                    self.done["append with pyiceberg"] += 1
                except (CommitFailedException, ValueError) as failure:
                    if not commits.is_conflict(failure):
                        raise
                    self.lost["append with pyiceberg"] += 1

    def _write_with_another(self, random: Random) -> None:
        assert self.append is not None
        while not self._over.wait(random.uniform(0, 1)):
            self.append(next(self._ids), random.randrange(1, 60))
            self.done["append by another engine"] += 1

    def _append(self, random: Random) -> str:
        first = next(self._ids)
        return f"INSERT INTO sales {ROWS.format('NULL', first, first + random.randrange(1, 60))}"

    def _rollback(self, random: Random) -> str:
        current = self._current()
        # Behind the first refreshes of the views nothing is covered.
        target = current.snapshot_id if current.snapshot_id == self._first else current.parent_snapshot_id
        return f"CALL {self.name}.system.rollback_to_snapshot('{NAMESPACE}.sales', {target})"

    def _compact(self, random: Random) -> str:
        return f"CALL {self.name}.system.rewrite_data_files('{NAMESPACE}.sales')"

    def _current(self) -> Snapshot:
        """Return the current snapshot of sales."""
        with self._catalog() as catalog:
            found = catalog.load_table((NAMESPACE, "sales")).current_snapshot()
        assert found is not None
        return found

    @contextmanager
    def _catalog(self) -> Iterator[Catalog]:
        with closing(load_catalog(self.name, **self.catalog)) as catalog:
            yield catalog

    def _refresh(self, random: Random) -> None:
        with clients.pyhive(self.port) as connection:
            while not self._over.wait(random.uniform(0, 2)):
                view = random.choice(list(VIEWS))
                self._write(connection, f"REFRESH MATERIALIZED VIEW {self._space}.{view}", "refresh")

    def _read(self, random: Random) -> None:
        names = {table: f"{self._space}.{table}" for table in TABLES}
        with clients.pyhive(self.port) as connection, closing(connection.cursor()) as cursor:
            while not self._over.wait(random.uniform(0, self.pause_s)):
                query, old = random.randrange(len(QUERIES)), random.random() < 0.2
                sql = QUERIES[query].format(**names)
                first, since_ms = self.commits.last(), (time.time() - BOUND_S) * 1000
                cursor.execute(sql.replace("SELECT", HINT, 1) if old else sql)
                rows, last = sorted(cursor.fetchall(), key=repr), self.commits.last()
                log = "\n".join(cursor.fetch_logs())
                since, apart = since_ms if old else None, self.catalog["type"] == "rest"
                self.answers.append(Answer(query, first, last, rows, log, since, apart))

    def wrong(self) -> Iterator[str]:
        """Replay the queries at the possible snapshots of each answer, and yield the answers that match none."""
        snapshots, times = self.commits.snapshots(), self.commits.times()
        with ExitStack() as stack:
            sessions = [stack.enter_context(clients.pyhive(self.spark_port)) for _ in range(2)]
            for session, (key, value) in product(sessions, REPLAYING.items()):
                clients.rows(session, f"SET {key} = {value}")
            replays = Replays(sessions, self._space)
            found = unexplained(self.answers, snapshots, times, replays.run)
            self.replayed = len(replays.rows)
            yield from map(str, found)


def is_conflict(failure: hive.OperationalError) -> bool:
    """Return whether a statement has failed, and written nothing, because another commit was first."""
    (reply,) = failure.args
    return reply.status.sqlState == _CONFLICT_STATE or _CONFLICT.search(reply.status.errorMessage or "") is not None


def _new_region(random: Random) -> str:
    return f"INSERT INTO regions VALUES ({random.randrange(7, 9)}, 'region {random.randrange(9)}')"


def _delete(random: Random) -> str:
    return f"DELETE FROM sales WHERE id % 1000 = {random.randrange(1000)}"


def _update(random: Random) -> str:
    return f"UPDATE sales SET amount = {random.randrange(100)} WHERE id % 1000 = {random.randrange(1000)}"
