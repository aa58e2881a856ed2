"""Refresh jobs on another Spark than the one that answers clients: on a cluster, and on a Spark Connect server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from proxy import __main__ as command_line
from proxy import embedded, jars, preflight
from tests.integration import clients
from tests.integration.daemon import Daemon, free_ports
from tests.integration.gate import VIEWGATE, Gate

pytestmark = pytest.mark.aside
BIN = clients.LIBRARIES.parent / "bin"
SHORT_LIVED = " ".join(clients.SHORT_LIVED)
ENVIRONMENT = {
    **os.environ,
    "JAVA_HOME": str(preflight.java().resolve().parent.parent),
    "PYSPARK_PYTHON": sys.executable,
    "SPARK_DAEMON_JAVA_OPTS": SHORT_LIVED,
    "SPARK_DAEMON_MEMORY": "512m",
    "SPARK_LOCAL_IP": "127.0.0.1",
    "SPARK_SUBMIT_OPTS": SHORT_LIVED,
}


def spark_settings(data: Path) -> dict[str, str]:
    """Return the settings that a Spark needs for the catalog of the run's Viewgate; its libraries reach the workers,
    too.
    """
    libraries = jars.ensure()
    return {
        **embedded.iceberg_settings(f"jdbc:sqlite:{data}/catalog.db?journal_mode=WAL&busy_timeout=30000"),
        "spark.sql.catalog.lake.warehouse": f"{data}/warehouse",
        "spark.jars": ",".join(map(str, libraries)),
        "spark.driver.extraClassPath": ":".join(map(str, libraries)),
        "spark.driver.memory": "512m",
        "spark.executor.extraJavaOptions": SHORT_LIVED,
        "spark.executor.memory": "512m",
        "spark.ui.enabled": "false",
        "spark.sql.warehouse.dir": f"{data}/tmp/spark-warehouse",
        "spark.sql.shuffle.partitions": "2",
    }


def settings_file(folder: Path, data: Path, spark: Mapping[str, str]) -> Path:
    """Write the settings of a Viewgate over the same catalog; the Spark for its clients does not exist."""
    lines = "".join(f'"{key}" = "{value}"\n' for key, value in spark.items())
    file = folder / "viewgate.toml"
    file.write_text(
        f'[[upstream]]\nhost = "127.0.0.1"\nport = 1\n[catalog]\nname = "lake"\ntype = "sql"\n'
        f'uri = "sqlite:///{data}/catalog.db"\nwarehouse = "{data}/warehouse"\n[pipeline.spark]\n{lines}'
    )
    return file


def refresh(settings: Path, *before: str | Path) -> str:
    """Return what `viewgate refresh` prints about the view of these tests, by its own command or after another's."""
    command = [*(before or (VIEWGATE,)), "refresh", "jobs.totals", "--config", settings]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=ENVIRONMENT)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Daemon]]:
    """Start a master and a worker; yield the address and the master."""
    address = f"spark://127.0.0.1:{(port := free_ports(1)[0])}"
    folder = tmp_path_factory.mktemp("cluster")
    here = ("--host", "127.0.0.1", "--webui-port", "0")
    with ExitStack() as running:
        role = "org.apache.spark.deploy.master.Master"
        master = running.enter_context(Daemon((BIN / "spark-class", role, *here, "--port", str(port)), ENVIRONMENT))
        master.until("I have been elected leader")
        size = ("--cores", "1", "--memory", "600m", "--work-dir", folder)
        role = "org.apache.spark.deploy.worker.Worker"
        running.enter_context(Daemon((BIN / "spark-class", role, *here, *size, address), ENVIRONMENT))
        master.until("Registering worker")
        yield address, master


@pytest.fixture
def totals(aside_gate: Gate) -> Iterator[Any]:
    """Yield what runs a statement, with a deferred view over a table of ten rows."""
    with clients.pyhive(aside_gate.port) as connection:
        run = partial(clients.rows, connection)
        run("CREATE NAMESPACE IF NOT EXISTS lake.jobs")
        run("CREATE TABLE lake.jobs.t AS SELECT id % 3 AS k, id AS v FROM range(10)")
        query = "SELECT k, sum(v) AS s FROM jobs.t GROUP BY k"
        run(f"CREATE MATERIALIZED VIEW jobs.totals WITH DEFERRED REFRESH AS {query}")
        yield run
        run("DROP MATERIALIZED VIEW jobs.totals")
        run("DROP TABLE lake.jobs.t")


CONTENT = "SELECT k, s FROM lake.jobs.totals__storage ORDER BY k"
# A job of Structured Streaming that appends what one table has to another, in the address's Spark, and ends.
STREAM = """
import sys
from pyspark.sql import SparkSession
_, address, checkpoint = sys.argv
rows = SparkSession.builder.remote(address).getOrCreate().readStream.table("lake.jobs.events")
writing = rows.writeStream.trigger(availableNow=True).option("checkpointLocation", checkpoint).toTable("lake.jobs.t")
writing.awaitTermination()
"""


def test_a_cluster_runs_the_jobs_of_this_process_and_of_an_application_that_is_submitted(
    totals: Any, cluster: tuple[str, Daemon], aside_data: Path, tmp_path: Path
) -> None:
    address, master = cluster
    settings = settings_file(tmp_path, aside_data, {"spark.master": address, **spark_settings(aside_data)})
    assert "lake.jobs.totals refreshed: 3 rows" in refresh(settings)
    assert totals(CONTENT) == [(0, 18), (1, 12), (2, 15)]
    totals("INSERT INTO lake.jobs.t VALUES (1, 100), (7, 1)")
    settings = settings_file(tmp_path, aside_data, spark_settings(aside_data))
    # The JVM is there before this process is: what it is started with is for spark-submit to say.
    libraries = spark_settings(aside_data)
    given = ("--jars", libraries["spark.jars"], "--driver-class-path", libraries["spark.driver.extraClassPath"])
    small = ("--driver-memory", "512m", "--executor-memory", "512m")
    soon = ("--conf", f"spark.executor.extraJavaOptions={SHORT_LIVED}")
    said = refresh(settings, BIN / "spark-submit", "--master", address, *given, *small, *soon, command_line.__file__)
    assert "lake.jobs.totals: refresh (append-merge): " in said
    assert totals(CONTENT) == [(0, 18), (1, 112), (2, 15), (7, 1)]
    assert master.output.count("Registered app viewgate refresh") == 2


def test_a_spark_connect_server_runs_the_jobs(totals: Any, aside_data: Path, tmp_path: Path) -> None:
    port = str(free_ports(1)[0])
    address = {"spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": port}
    conf = {"spark.master": "local[2]", **spark_settings(aside_data), **address}
    command: list[str | Path] = [
        BIN / "spark-submit",
        "--class",
        "org.apache.spark.sql.connect.service.SparkConnectServer",
    ]
    command += [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
    remote = f"sc://127.0.0.1:{port}"
    settings = settings_file(tmp_path, aside_data, {"spark.remote": remote})
    with Daemon([*command, "spark-internal"], ENVIRONMENT) as server:
        server.until("Spark Connect server started at")
        assert "lake.jobs.totals refreshed: 3 rows" in refresh(settings)
        totals("INSERT INTO lake.jobs.t VALUES (1, 100)")
        assert "lake.jobs.totals: refresh (append-merge): " in refresh(settings)
        assert totals(CONTENT) == [(0, 18), (1, 112), (2, 15)]
        totals("CREATE TABLE lake.jobs.events AS SELECT 5L AS k, 7L AS v")
        subprocess.run([sys.executable, "-c", STREAM, remote, tmp_path / "checkpoint"], check=True, env=ENVIRONMENT)
        query = "SELECT k, sum(v) AS s FROM lake.jobs.t GROUP BY k"
        assert sorted(totals(query)) == [(0, 18), (1, 112), (2, 15), (5, 7)]
        assert "(delta_union)" in totals(f"EXPLAIN {query}")[0][0]
        assert "lake.jobs.totals: refresh (append-merge): " in refresh(settings)
        assert totals(CONTENT) == [(0, 18), (1, 112), (2, 15), (5, 7)]
        totals("DROP TABLE lake.jobs.events")
