"""Fixtures: one Viewgate with its own Spark for the whole run, and the clients that people use."""

from __future__ import annotations

import gc
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from sqlalchemy import Engine, event

from tests.integration import clients, hive, local_files, rest
from tests.integration.daemon import free_ports
from tests.integration.gate import DEMO_ROWS, INTERPRETED, Gate, spark_catalog

# Spark prints the plan of each statement for a page that nobody opens: the short form saves 5 % of its time.
UNSEEN = '"spark.sql.ui.explainMode" = "simple"\n'

# How long an example takes says something of the machine, not of the code; a run tries the same ones each time.
settings.register_profile("viewgate", deadline=None, derandomize=True)
settings.load_profile("viewgate")


@event.listens_for(Engine, "connect")
def _leave_writing_to_the_system(connection: Any, _: object) -> None:
    """No test ends the machine: a commit to SQLite need not wait for the disk, a third of a unit test's time."""
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous = OFF")


@pytest.hookimpl(tryfirst=True)  # before the groups are read
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests that share the run's Spark into one process, those that share the Spark aside into another.

    A file of tests that start Sparks of their own stays together, in the process that is free first, and so do the
    tests of the two workers: they wait for most of their time, and groups come before single tests.
    """
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        shared = {"gate", "aside_gate"} & fixtures
        if item.get_closest_marker("aside") is not None:
            item.add_marker(pytest.mark.xdist_group("aside" if shared else item.path.stem))
        elif shared:
            item.add_marker(pytest.mark.xdist_group("one Spark"))
        elif "several" in fixtures:
            item.add_marker(pytest.mark.xdist_group("several workers"))


@pytest.hookimpl(tryfirst=True)  # before any fixture
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let Sparks compile quickly instead of well, and set permissions of files without a process."""
    if item.get_closest_marker("aside") is not None or "gate" in getattr(item, "fixturenames", ()):
        os.environ["SPARK_SUBMIT_OPTS"] = " ".join(clients.SHORT_LIVED)
        os.environ["SPARK_DIST_CLASSPATH"] = str(local_files.library())


@pytest.fixture(autouse=True, scope="module")
def _only_its_own_memory() -> None:
    """Free what earlier test files left in memory: a collection of all objects of the run took up to 20 s.

    Bounded caches are emptied, because they hold syntax trees of all files, and the remaining objects are excluded from
    collection.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith(("proxy.", "rewriter.")):
            for cache in vars(module).values():
                if isinstance(cache, _lru_cache_wrapper) and cache.cache_parameters()["maxsize"] is not None:
                    cache.cache_clear()
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Let the interpreter free everything at its end; otherwise DuckDB's library reports leftover objects."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of the run's Viewgate."""
    return tmp_path_factory.mktemp("viewgate")


@pytest.fixture(scope="session")
def rest_port() -> int:
    """The port on which a test may start a REST catalog, which the run's Spark knows as `rest`."""
    return free_ports(1)[0]


@pytest.fixture(scope="session")
def hive_port() -> int:
    """The port on which a test may start a Hive Metastore, which the run's Spark knows as `metastore`."""
    return free_ports(1)[0]


@pytest.fixture(scope="module")
def gate(request: pytest.FixtureRequest) -> Any:
    """The run's Viewgate; in a file that is marked `aside`, the Viewgate of the tests that are put aside."""
    aside = request.node.get_closest_marker("aside") is not None
    return request.getfixturevalue("aside_gate" if aside else "main_gate")


@pytest.fixture(scope="session")
def main_gate(data: Path, rest_port: int, hive_port: int) -> Iterator[Gate]:
    """The run's Viewgate, with a small demo."""
    settings = data / "viewgate.toml"
    catalogs = spark_catalog("rest", f"http://127.0.0.1:{rest_port}", rest.SPARK_CATALOG)
    catalogs += spark_catalog("metastore", f"thrift://127.0.0.1:{hive_port}", hive.SPARK_CATALOG)
    settings.write_text(f"[embedded.spark]\n{UNSEEN}{catalogs}")
    with Gate("--demo", str(DEMO_ROWS), "--data", data, "--config", settings) as running:
        yield running
        assert running.stop() == 0


@pytest.fixture(scope="session")
def aside_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of the Viewgate of the tests that are put aside."""
    return tmp_path_factory.mktemp("aside")


@pytest.fixture(scope="session")
def aside_gate(aside_data: Path) -> Iterator[Gate]:
    """A Viewgate of the tests that are put aside, with a demo of few rows: its Spark interprets what reads a few."""
    settings = aside_data / "viewgate.toml"
    interpreted = "".join(f'"{key}" = "{value}"\n' for key, value in INTERPRETED.items())
    settings.write_text(f"[embedded.spark]\n{UNSEEN}{interpreted}")
    with Gate("--demo", "1000", "--data", aside_data, "--config", settings) as running:
        yield running
        assert running.stop() == 0


@pytest.fixture
def pyhive(gate: Gate) -> Iterator[Any]:
    """A PyHive connection through the proxy."""
    with clients.pyhive(gate.port) as connection:
        yield connection


@pytest.fixture
def direct(gate: Gate) -> Iterator[Any]:
    """A PyHive connection to the Spark behind the proxy, past the proxy."""
    with clients.pyhive(gate.spark_port) as connection:
        yield connection


@pytest.fixture
def beeline(gate: Gate) -> Callable[..., clients.Spoken]:
    """Run statements with beeline, through the proxy."""

    def run(*statements: str, **options: Any) -> clients.Spoken:
        return clients.beeline(gate.port, *statements, **options)

    return run


@pytest.fixture(scope="session")
def java() -> Iterator[clients.JavaMachine]:
    """A JVM with the Hive JDBC driver."""
    machine = clients.JavaMachine()
    yield machine
    machine.stop()


@pytest.fixture
def jdbc(java: clients.JavaMachine, gate: Gate) -> Iterator[clients.Jdbc]:
    """A Hive JDBC connection through the proxy."""
    connection = java.connect(gate.url)
    yield connection
    connection.close()
