"""Viewgate before a separately started Spark Thrift Server, over PostgreSQL, as docker/ starts them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import pytest
import strictyaml
from pyhive.exc import OperationalError
from sqlalchemy import Engine, NullPool, create_engine, event

from proxy import jars
from proxy.catalog.stores import open_store
from proxy.pipeline.on_commit import WAIT_LIMIT_S
from rewriter.model import TableName
from tests.integration import clients
from tests.integration.cut import Way
from tests.integration.daemon import Daemon, eventually, free_ports
from tests.integration.gate import VIEWGATE, Gate
from tests.integration.moments import check_moments
from tests.integration.postgres import DATABASE, postgres
from tests.integration.race import NOTE, Race

pytestmark = pytest.mark.aside
RACE_S = 6
DOCKER = Path(__file__).parents[2] / "docker"


def spark_command(command: list[str], folder: Path, port: int, ui: int, database: int) -> list[str]:
    """Return a command of the containers with their settings; only the paths are the test's."""
    program, *rest = command
    here = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraClassPath": ":".join(map(str, jars.ensure((jars.ICEBERG, jars.POSTGRES)))),
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "true",
        "spark.ui.port": str(ui),
        "spark.hadoop.hive.server2.thrift.bind.host": "127.0.0.1",
        "spark.hadoop.hive.server2.thrift.port": str(port),
        "spark.sql.catalog.lake.uri": f"jdbc:postgresql://127.0.0.1:{database}/{DATABASE}",
        "spark.sql.catalog.lake.warehouse": f"{folder}/warehouse",
        "spark.sql.warehouse.dir": f"{folder}/spark-warehouse",
    }
    settings = [word for key, value in here.items() for word in ("--conf", f"{key}={value}")]
    here_program = Path(clients.LIBRARIES.parent, program.removeprefix("/opt/spark/"))
    return [str(here_program), "--properties-file", str(DOCKER / "spark" / "spark-defaults.conf"), *settings, *rest]


class Remote(NamedTuple):
    """A Viewgate, the ports of the Spark Thrift Server behind it and of its UI, its settings, and the catalog."""

    gate: Gate
    port: int
    ui: int
    settings: Path
    catalog: Mapping[str, str]

    def another(self, file: Path, more: str = "", port: int | None = None) -> Path:
        """Return settings for another Viewgate before the same Spark, with further settings, or with another address of
        it.
        """
        file.write_text(more + self.settings.read_text().replace(f"port = {self.port}", f"port = {port or self.port}"))
        return file

    def jobs(self) -> list[str]:
        """Return the statements that Spark's jobs so far belong to."""
        return [job.get("description", "") for job in self._told("jobs")]

    def rows_read(self) -> int:
        """Return the rows read by finished stages so far; Spark does not count all bytes of local files."""
        return sum(stage["inputRecords"] for stage in self._told("stages") if stage["status"] == "COMPLETE")

    def _told(self, of: str) -> list[dict[str, Any]]:
        applications = f"http://127.0.0.1:{self.ui}/api/v1/applications"
        with urlopen(applications) as found:
            (application,) = json.load(found)
        with urlopen(f"{applications}/{application['id']}/{of}") as told:
            return list(json.load(told))


@pytest.fixture(scope="module")
def database() -> Iterator[int]:
    """The port of a PostgreSQL server."""
    with postgres() as port:
        yield port


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory, database: int) -> Iterator[Remote]:
    """Start a Spark Thrift Server and a Viewgate before it."""
    folder = tmp_path_factory.mktemp("remote")
    port, ui = free_ports(2)
    (serving,) = re.findall(r"^CMD (\[.*\])", (DOCKER / "spark" / "Dockerfile").read_text(), re.MULTILINE)
    compose = strictyaml.load((DOCKER / "compose.yaml").read_text()).data
    preparing = spark_command(compose["services"]["namespaces"]["command"], folder, port, ui, database)
    subprocess.run(preparing, check=True, cwd=folder)
    with Daemon(spark_command(json.loads(serving), folder, port, ui, database), os.environ, cwd=folder) as spark:
        spark.listening(port)
        settings = (DOCKER / "viewgate" / "viewgate.toml").read_text()
        settings = re.sub(r'host = "spark"\nport = \d+', f'host = "127.0.0.1"\nport = {port}', settings)
        settings = settings.replace("@postgres:5432/", f"@127.0.0.1:{database}/")
        settings = settings.replace('"/warehouse"', f'"{folder}/warehouse"').replace("0.0.0.0", "127.0.0.1")
        (folder / "viewgate.toml").write_text(settings)
        with Gate("--config", folder / "viewgate.toml") as gate:
            catalog = {key: str(value) for key, value in tomllib.loads(settings)["catalog"].items() if key != "name"}
            yield Remote(gate, port, ui, folder / "viewgate.toml", catalog)


def test_statements_reach_the_spark_of_the_settings(remote: Remote) -> None:
    gate, port, *_ = remote
    with clients.pyhive(gate.port) as connection:
        clients.rows(connection, "CREATE TABLE demo.t AS SELECT id % 3 AS k, id AS v FROM range(10)")
        through = clients.rows(connection, "SELECT k, sum(v) FROM demo.t GROUP BY k ORDER BY k")
    with clients.pyhive(port) as connection:
        assert clients.rows(connection, "SELECT k, sum(v) FROM demo.t GROUP BY k ORDER BY k") == through
    assert through == [(0, 18), (1, 12), (2, 15)]


def test_it_needs_no_pyspark(remote: Remote, tmp_path: Path) -> None:
    """The proxy's process has not even loaded PySpark."""
    code = "import sys; sys.modules['pyspark'] = None; sys.modules['py4j'] = None\nfrom proxy import serving"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stderr) == (0, "")


def test_what_is_for_its_own_spark_is_refused(remote: Remote, tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text(
        '[[upstream]]\nhost = "127.0.0.1"\nport = 1\n[catalog]\nname = "lake"\ntype = "sql"\nuri = "sqlite:///catalog.db"\n'
    )
    for given in (["--demo"], ["--data", str(tmp_path)]):
        answer = subprocess.run(
            [VIEWGATE, "serve", "--config", tmp_path / "gate.toml", *given], capture_output=True, text=True, check=False
        )
        assert answer.returncode == 1
        assert f"{given[0]} is only for Viewgate's own Spark" in answer.stderr


def test_several_workers(remote: Remote, tmp_path: Path) -> None:
    """A view created through one worker answers through all, and each worker serves clients."""
    query = "SELECT sum(v) FROM demo.spread"
    seen: dict[int, object] = {}
    with Gate("--config", remote.another(tmp_path / "several.toml"), "--workers", "2") as several:
        with clients.pyhive(several.port) as connection:
            clients.rows(connection, "CREATE TABLE demo.spread AS SELECT id % 3 AS k, id AS v FROM range(10)")
            clients.rows(
                connection, f"CREATE MATERIALIZED VIEW demo.spread_by_k AS {query.replace('sum', 'k, sum')} GROUP BY k"
            )
        while len(seen) < 2:  # the kernel chooses who gets a connection
            with clients.pyhive(several.port) as connection:
                number = connection.sessionHandle.sessionId.guid[-1]
                if number not in seen:
                    (tried,) = clients.rows(connection, f"EXPLAIN REWRITE {query}")
                    seen[number] = (clients.rows(connection, query), tried[0].split(".")[-1])
        assert several.stop() == 0
    assert seen == {1: ([(45,)], "spread_by_k"), 2: ([(45,)], "spread_by_k")}


PROBES = ("SELECT * FROM demo.probed WHERE 1=0", "SELECT k, sum(v) AS `All` FROM demo.probed GROUP BY k LIMIT 0")


def test_a_probe_for_the_columns_starts_no_job(remote: Remote) -> None:
    """As BI tools send such probes: for a table, and for a query that a view answers."""
    with clients.pyhive(remote.gate.port) as connection:
        clients.rows(connection, "CREATE TABLE demo.probed AS SELECT id % 3 AS k, id AS v FROM range(10)")
        clients.rows(
            connection, "CREATE MATERIALIZED VIEW demo.probed_by_k AS SELECT k, sum(v) FROM demo.probed GROUP BY k"
        )
        cursor = connection.cursor()
        shown = []
        for probe in PROBES:
            cursor.execute(probe)
            assert cursor.fetchall() == []
            shown.append([(name, kind) for name, kind, *_ in cursor.description])
        clients.rows(connection, "SELECT count(DISTINCT v) FROM demo.probed WHERE k > 0")
    assert shown == [[("k", "BIGINT_TYPE"), ("v", "BIGINT_TYPE")], [("k", "BIGINT_TYPE"), ("All", "BIGINT_TYPE")]]
    # Spark tells of jobs a moment later, in their order.
    eventually(lambda: any("count(DISTINCT v)" in job for job in remote.jobs()))
    assert [job for job in remote.jobs() if "1=0" in job or "LIMIT 0" in job] == []


STATE = ("USE demo", "SET spark.sql.session.timeZone = Asia/Kolkata", "SET hivevar:k = 2")
ASKED = "SELECT current_database(), current_timezone(), ${hivevar:k}"
LEFT = [("demo", "Asia/Kolkata", 2)]


def test_an_idle_session_goes_on_as_it_was(remote: Remote, tmp_path: Path) -> None:
    """After its upstream session was given back, and after the upstream connection was lost."""
    with Way(remote.port) as way:
        settings = remote.another(tmp_path / "parking.toml", "[timeouts]\npark = 0.5\nhealth = 3600\n", way.port)
        with Gate("--config", settings) as parking, clients.pyhive(parking.port) as connection:
            for sql in STATE:
                clients.rows(connection, sql)
            eventually(lambda: way.open == 0)
            assert clients.rows(connection, ASKED) == LEFT
            way.cut()
            assert clients.rows(connection, ASKED) == LEFT


def test_what_no_other_session_can_be_given_is_lost_with_its_connection(remote: Remote, tmp_path: Path) -> None:
    with Way(remote.port) as way:
        settings = remote.another(tmp_path / "pinned.toml", "[timeouts]\npark = 0.1\n", way.port)
        with Gate("--config", settings) as pinned, clients.pyhive(pinned.port) as connection:
            clients.rows(connection, "CREATE TEMPORARY VIEW seven AS SELECT 7")
            assert clients.rows(connection, "SELECT * FROM seven") == [(7,)]
            way.cut()
            with pytest.raises(OperationalError) as lost:
                clients.rows(connection, "SELECT * FROM seven")
            assert "'08S01'" in str(lost.value)
            assert "The temporary views, variables, functions and settings of the session are lost" in str(lost.value)


def test_answers_over_postgresql_are_those_of_one_moment(remote: Remote) -> None:
    race = Race(remote.gate.port, remote.port, remote.catalog)
    wrong = race.run(RACE_S)
    assert not wrong, f"{len(wrong)} wrong, {race}\n" + "\n\n".join(wrong[:5])
    assert race.share() > 0, str(race)


def test_bounds_time_travel_rollbacks_and_deltas_over_postgresql(remote: Remote) -> None:
    with clients.pyhive(remote.gate.port) as session, clients.pyhive(remote.port) as direct:
        check_moments(session, direct, "lake")


# Deltas are shared as if fifty thousand rows were many.
SHARING = "import sys; from proxy.pipeline import shared_delta; shared_delta.MANY = 50_000; " \
          "from proxy.__main__ import main; sys.exit(main(sys.argv[1:]))"  # fmt: skip
WIDE = f"SELECT id, {NOTE} AS note FROM range({{}}, {{}})"
# By what is wide a live answer pays.
BY_TWELVE = "SELECT id % 12 AS k, sum(length(note)) AS s, count(*) AS c FROM lake.demo.wide GROUP BY id % 12"


def test_a_write_over_eleven_views(remote: Remote, tmp_path: Path) -> None:
    """The write returns in time, its rows are read once for all views, and dashboards stay correct and
    live meanwhile.
    """
    program = (sys.executable, "-c", SHARING)
    with Gate("--config", remote.settings, program=program) as gate, clients.pyhive(gate.port) as connection:
        clients.rows(connection, f"CREATE TABLE demo.wide AS {WIDE.format(0, 200_000)}")
        for n in range(2, 13):
            query = BY_TWELVE.replace("12", str(n))
            patient = "PROPERTIES ('viewgate.refresh.wait-limit' = '10 minutes')"
            clients.rows(connection, f"CREATE MATERIALIZED VIEW demo.by_{n} {patient} AS {query}")
        before = eventually(lambda: _settled(remote))
        with closing(connection.cursor()) as cursor:
            cursor.execute(f"INSERT INTO demo.wide {WIDE.format(200_000, 250_000)}")
            assert "\n".join(cursor.fetch_logs()).count("; read once for 11 views") == 11
        # The write itself has read the rows of range().
        refreshed = eventually(lambda: _settled(remote)) - before - 50_000
        assert 50_000 <= refreshed <= 1.2 * 50_000
        limited = f"SET PROPERTIES ('viewgate.refresh.wait-limit' = '{WAIT_LIMIT_S} seconds')"
        for n in range(2, 13):
            clients.rows(connection, f"ALTER MATERIALIZED VIEW demo.by_{n} {limited}")
        _asked_meanwhile(gate, f"INSERT INTO demo.wide {WIDE.format(250_000, 300_000)}")
        for n in range(2, 13):
            clients.rows(connection, f"DROP MATERIALIZED VIEW demo.by_{n}")


def _settled(remote: Remote) -> int:
    """Return the rows read once the number is stable: Spark reports stages a moment later."""
    first = remote.rows_read()
    time.sleep(0.5)
    return first if remote.rows_read() == first else 0


def _asked_meanwhile(gate: Gate, write: str) -> None:
    """Query a view's groups until a write has returned: they must be those before or after the write, also live."""
    with clients.pyhive(gate.port) as writer, clients.pyhive(gate.port) as reader, ThreadPoolExecutor(1) as threads:
        states = [sorted(clients.rows(reader, BY_TWELVE))]
        writing = threads.submit(clients.rows, writer, write)
        seen: list[tuple[bool, str, float]] = []
        while not writing.done():
            with closing(reader.cursor()) as cursor:
                cursor.execute(BY_TWELVE)
                rows = sorted(cursor.fetchall())
                states += [rows] if rows not in states else []
                seen.append((rows != states[0], "\n".join(cursor.fetch_logs()), time.monotonic()))
        returned = time.monotonic()
        assert states[1:] in ([], [sorted(clients.rows(reader, BY_TWELVE))])
        clients.rows(reader, "SET viewgate.rewrite = off")
        assert sorted(clients.rows(reader, BY_TWELVE)) == states[-1]
    after = [(log, at) for grown, log, at in seen if grown]
    assert [log for log, _ in after if "(delta_union)" in log], seen
    assert returned - after[0][1] < WAIT_LIMIT_S + 2


def test_one_look_is_one_statement_for_the_database(remote: Remote) -> None:
    names = [TableName(("lake", "race", name)) for name in ("sales", "regions", "by_region", "by_region__storage")]
    uri = f"{remote.catalog['uri']}?application_name=look"
    asked: list[str] = []

    def listen(*given: Any) -> None:
        asked.append(given[2])

    with closing(open_store("lake", {**remote.catalog, "uri": uri})) as store:
        event.listen(Engine, "before_cursor_execute", listen)
        try:
            assert {name.table: entry.kind for name, entry in store.look(names).items()} == {
                "sales": "table", "regions": "table", "by_region": "view", "by_region__storage": "table",
            }  # fmt: skip
        finally:
            event.remove(Engine, "before_cursor_execute", listen)
        assert [sql.split()[0] for sql in asked] == ["SELECT"]
        # The driver sends BEGIN and ROLLBACK by itself, each as a statement; without a transaction it sends neither.
        with create_engine(remote.catalog["uri"], poolclass=NullPool).connect() as other:
            last = other.exec_driver_sql("SELECT query FROM pg_stat_activity WHERE application_name = 'look'").scalars()
            assert [query for query in last if query.startswith("SELECT table_namespace")]
