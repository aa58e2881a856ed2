"""Viewgate before a Spark Thrift Server that others have started: as docker/ starts it, but over SQLite."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import strictyaml

from proxy import jars
from tests.integration import clients
from tests.integration.daemon import Daemon, free_ports
from tests.integration.gate import VIEWGATE, Gate

pytestmark = pytest.mark.aside
DOCKER = Path(__file__).parents[2] / "docker"


def spark_command(command: list[str], folder: Path, port: int) -> list[str]:
    """A command of the containers, with their settings; only the places are of this test."""
    program, *rest = command
    here = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraClassPath": ":".join(map(str, jars.ensure())),
        "spark.driver.memory": "1g",
        "spark.hadoop.hive.server2.thrift.bind.host": "127.0.0.1",
        "spark.hadoop.hive.server2.thrift.port": str(port),
        "spark.sql.catalog.lake.uri": f"jdbc:sqlite:{folder}/catalog.db?journal_mode=WAL&busy_timeout=30000",
        "spark.sql.catalog.lake.warehouse": f"{folder}/warehouse",
        "spark.sql.warehouse.dir": f"{folder}/spark-warehouse",
    }
    settings = [word for key, value in here.items() for word in ("--conf", f"{key}={value}")]
    here_program = Path(clients.LIBRARIES.parent, program.removeprefix("/opt/spark/"))
    return [str(here_program), "--properties-file", str(DOCKER / "spark" / "spark-defaults.conf"), *settings, *rest]


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Spark Thrift Server, a Viewgate before it, and their folder."""
    folder = tmp_path_factory.mktemp("remote")
    (port,) = free_ports(1)
    (serving,) = re.findall(r"^CMD (\[.*\])", (DOCKER / "spark" / "Dockerfile").read_text(), re.MULTILINE)
    compose = strictyaml.load((DOCKER / "compose.yaml").read_text()).data
    preparing = spark_command(compose["services"]["namespaces"]["command"], folder, port)
    subprocess.run(preparing, check=True, cwd=folder)
    with Daemon(spark_command(json.loads(serving), folder, port), os.environ, cwd=folder) as spark:
        spark.listening(port)
        settings = (DOCKER / "viewgate" / "viewgate.toml").read_text()
        settings = re.sub(r'host = "spark"\nport = \d+', f'host = "127.0.0.1"\nport = {port}', settings)
        settings = re.sub(r'uri = ".*"', f'uri = "sqlite:///{folder}/catalog.db"', settings)
        settings = settings.replace('"/warehouse"', f'"{folder}/warehouse"').replace("0.0.0.0", "127.0.0.1")
        (folder / "viewgate.toml").write_text(settings)
        with Gate("--config", folder / "viewgate.toml") as gate:
            yield gate, port


def test_statements_reach_the_spark_of_the_settings(remote: Any) -> None:
    gate, port = remote
    with clients.pyhive(gate.port) as connection:
        clients.rows(connection, "CREATE TABLE demo.t AS SELECT id % 3 AS k, id AS v FROM range(10)")
        through = clients.rows(connection, "SELECT k, sum(v) FROM demo.t GROUP BY k ORDER BY k")
    with clients.pyhive(port) as connection:
        assert clients.rows(connection, "SELECT k, sum(v) FROM demo.t GROUP BY k ORDER BY k") == through
    assert through == [(0, 18), (1, 12), (2, 15)]


def test_it_needs_no_pyspark(remote: Any, tmp_path: Path) -> None:
    """The proxy's process has not even loaded it."""
    code = (
        "import sys; sys.modules['pyspark'] = None; sys.modules['py4j'] = None\n"
        "from proxy.__main__ import arguments; arguments()"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stderr) == (0, "")


def test_what_is_for_its_own_spark_is_refused(remote: Any, tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text(
        '[[upstream]]\nhost = "127.0.0.1"\nport = 1\n[catalog]\nname = "lake"\ntype = "sql"\nuri = "sqlite:///catalog.db"\n'
    )
    for given in (["--demo"], ["--data", str(tmp_path)]):
        answer = subprocess.run(
            [VIEWGATE, "serve", "--config", tmp_path / "gate.toml", *given], capture_output=True, text=True, check=False
        )
        assert answer.returncode == 1
        assert f"{given[0]} is for Viewgate's own Spark" in answer.stderr


def test_several_workers(remote: Any) -> None:
    """A view that is made through one of them answers through all, and each serves somebody."""
    gate, _ = remote
    (settings,) = (word for word in gate.process.args if word.endswith("viewgate.toml"))
    query = "SELECT sum(v) FROM demo.spread"
    seen: dict[int, Any] = {}
    with Gate("--config", settings, "--workers", "2") as several:
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
