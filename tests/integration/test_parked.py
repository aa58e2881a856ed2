"""A session whose upstream session was given to another client continues with its state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients import jdbc
from tests.integration import clients
from tests.integration.gate import Gate, settings_beside


@pytest.fixture(scope="module")
def saturated(gate: Gate, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gate]:
    """A Viewgate with room for one upstream session."""
    file = tmp_path_factory.mktemp("saturated") / "viewgate.toml"
    with Gate("--config", settings_beside(gate, data, "", file, terms="sessions = 1")) as running:
        yield running


def state(connection: Any) -> list[Any]:
    asked = "SELECT current_catalog(), current_database()", "SET parked.a", "SET parked.b"
    return [clients.rows(connection, sql) for sql in asked]


@pytest.mark.parametrize(
    "statements",
    [
        ("USE lake", "CREATE NAMESPACE IF NOT EXISTS gone", "USE gone", "USE demo", "DROP NAMESPACE gone"),
        ("USE spark_catalog", "CREATE SCHEMA IF NOT EXISTS s", "USE s", "USE lake", "USE spark_catalog", "USE s"),
        ("USE spark_catalog", "USE lake"),  # where it is in no namespace
        ("SET parked.a=1", "SET parked.b=${parked.a}", "SET parked.a=2", "SET parked.a=1"),
        tuple(f"USE {name}" for name in ("lake.demo", "lake.default") * 40),
    ],
)
def test_a_session_that_was_parked_is_where_it_was(gate: Gate, saturated: Gate, statements: tuple[str, ...]) -> None:
    told = []
    for port in (gate.spark_port, saturated.port):
        with clients.pyhive(port) as connection:
            for sql in statements:
                clients.rows(connection, sql)
            with clients.pyhive(port) as other:
                assert clients.rows(other, "SELECT 1") == [(1,)]
            told.append(state(connection))
    assert told[0] == told[1]


def test_a_session_goes_on_where_it_was_though_the_namespace_it_began_in_is_gone(gate: Gate, saturated: Gate) -> None:
    told = []
    with jdbc.machine(None) as java:
        for port in (gate.spark_port, saturated.port):
            with clients.pyhive(port) as other:
                clients.rows(other, "CREATE NAMESPACE IF NOT EXISTS lake.begun")
            connection = java.connect(f"jdbc:hive2://127.0.0.1:{port}/begun")
            for sql in ("USE demo", "DROP NAMESPACE lake.begun"):
                connection.rows(sql)
            with clients.pyhive(port) as other:
                clients.rows(other, "SELECT 1")
            told.append(connection.rows("SELECT current_catalog(), current_database()"))
            connection.java.close()
    assert told == [[("lake", "demo")]] * 2
