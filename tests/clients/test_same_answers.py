"""The same script directly on Spark and through Viewgate gives the same answers, except as listed in
differences.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients import beeline, jdbc, python_clients, tools, wire
from tests.clients.script import BRIEF, STATEMENTS
from tests.integration.gate import Gate

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")

FILE = Path(__file__).with_name("differences.toml")
DIFFERENCES: list[dict[str, Any]] = tomllib.loads(FILE.read_text())["difference"]
DOCUMENT = Path(__file__).parents[2] / "docs" / "differences.md"
# Rows go by rows before V6, by columns since; PyHive and impyla speak V6, Hive JDBC V10.
WHOLE = (1, 6, 10)
CLIENTS: dict[str, Callable[[int], dict[str, Any]]] = {
    "beeline": beeline.answers,
    "PyHive": python_clients.by_pyhive,
    "impyla": python_clients.by_impyla,
    "SQLAlchemy": python_clients.by_sqlalchemy,
}

# Who sees something differ, at which call or statement, about what, in which field: the last two may be empty.
Seen = tuple[str, str, str, str]


def is_listed(seen: Seen, difference: dict[str, Any]) -> bool:
    """Return whether a difference is listed; keys that an entry omits match anything."""
    values = zip(("client", "step", "about", "field"), seen, strict=True)
    return all(value in difference[key] for key, value in values if key in difference)


def differing(client: str, direct: dict[Any, Any], through: dict[Any, Any]) -> Iterator[tuple[Seen, Any, Any]]:
    for step in dict.fromkeys((*direct, *through)):
        one, other = direct.get(step), through.get(step)
        call, about = step if isinstance(step, tuple) else (step, "")
        if isinstance(step, tuple) and one is not None and other is not None:
            for path in sorted({*one, *other}):
                if one.get(path) != other.get(path):
                    yield (client, call, about, ".".join(map(str, path))), one.get(path), other.get(path)
            orders = [path for path in one if path in other], [path for path in other if path in one]
            if orders[0] != orders[1]:
                yield (client, call, about, "the order of fields"), *orders
        elif one != other:
            yield (client, call, about, ""), one, other


def compare(client: str, direct: dict[Any, Any], through: dict[Any, Any]) -> None:
    """Fail for each difference that is not listed, and for each listed difference of this client that was not seen."""
    assert direct
    found = list(differing(client, direct, through))
    unlisted = [found_one for found_one in found if not any(is_listed(found_one[0], entry) for entry in DIFFERENCES)]
    assert not unlisted, "\n\n".join(
        f"{seen}\n  direct:  {one!r}\n  through: {other!r}" for seen, one, other in unlisted
    )
    asked = {step[1] for step in direct if isinstance(step, tuple)}
    mine = [e for e in DIFFERENCES if client in e["client"] and ("about" not in e or not asked.isdisjoint(e["about"]))]
    unseen = [entry["what"] for entry in mine if not any(is_listed(seen, entry) for seen, _, _ in found)]
    assert not unseen


@pytest.mark.parametrize("version", range(1, 12))
def test_on_the_wire(gate: Gate, version: int) -> None:
    """Byte by byte, in each version of the protocol; the wire counts versions from 0.

    Results are sent by rows before version 6, and by columns from then on.
    """
    statements = STATEMENTS if version in WHOLE else BRIEF
    direct, through = (wire.answers(port, version - 1, statements) for port in (gate.spark_port, gate.port))
    compare("wire" if version > 5 else "wire by rows", direct, through)


@pytest.mark.parametrize("driver", jdbc.DRIVERS)
def test_by_jdbc(gate: Gate, driver: str) -> None:
    with jdbc.machine(jdbc.DRIVERS[driver]) as java:
        direct, through = (jdbc.answers(java, port) for port in (gate.spark_port, gate.port))
    compare(driver, direct, through)


@pytest.mark.parametrize("client", CLIENTS)
def test_by_others(gate: Gate, client: str) -> None:
    direct, through = (CLIENTS[client](port) for port in (gate.spark_port, gate.port))
    compare(client, direct, through)


@pytest.mark.aside
def test_by_dbt(aside_gate: Gate) -> None:
    direct, through = (tools.by_dbt(port) for port in (aside_gate.spark_port, aside_gate.port))
    compare("dbt", direct, through)


def test_the_list_is_in_the_documentation() -> None:
    document = DOCUMENT.read_text()
    rows = [f"| {entry['what']} | {entry['reason']} |" for entry in DIFFERENCES]
    assert [row for row in rows if row not in document] == []
    assert document.count("\n| ") == len(rows) + 1
