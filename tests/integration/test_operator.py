"""The path of an operator: the dashboards of three users, one long statement, one miss, and one Spark taken out."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from pyhive import exc

from tests.integration import clients
from tests.integration.gate import Gate, settings_beside
from tests.unit.console.http import figure, get

USERS = ("dora", "emil", "fay")
VIEWS = ("lake.operated.by_region", "lake.operated.by_day")
SETUP = (
    "CREATE NAMESPACE lake.operated",
    "CREATE TABLE lake.operated.visits AS SELECT id % 5 AS region, date_add(DATE '2024-01-01', CAST(id % 9 AS INT)) AS "
    "day, id AS amount FROM range(0, 20000)",
    "CREATE MATERIALIZED VIEW lake.operated.by_region AS SELECT region, day, sum(amount) AS total "
    "FROM lake.operated.visits GROUP BY region, day",
    "CREATE MATERIALIZED VIEW lake.operated.by_day AS SELECT day, sum(amount) AS total "
    "FROM lake.operated.visits GROUP BY day",
)
BY_REGION = "SELECT region, sum(amount) FROM lake.operated.visits WHERE day >= DATE '2024-01-0{}' GROUP BY region"
BY_DAY = "SELECT day, sum(amount) FROM lake.operated.visits GROUP BY day"
MISS = "SELECT region, max(amount) FROM lake.operated.visits GROUP BY region"
# The dashboard: what each user's charts send.
CHARTS = (*(BY_REGION.format(day) for day in (2, 5)), BY_DAY, MISS, "SELECT 1 + 1")
BROKEN = "SELECT nope FROM lake.operated.visits"
LONG = "SELECT count(*) FROM range(0, 100000000000, 1, 1) WHERE rand() < 2"  # on one core
EVENTS = ("considered", "matched", "chosen", "executed", "failed")


class Operator:
    """Reads the same figures from SHOW VIEWGATE, the system tables, /metrics and the console."""

    def __init__(self, gate: Gate, connection: Any) -> None:
        self._connection = connection
        (port,) = re.findall(r"console listening url=http://127\.0\.0\.1:(\d+)/", gate.output)
        self._port = int(port)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return clients.rows(self._connection, sql)

    def page(self, path: str) -> str:
        status, text = asyncio.run(get(self._port, path))
        assert status == 200
        return text

    def table(self, columns: str, source: str) -> list[tuple[Any, ...]]:
        return self.rows(f"SELECT {columns} FROM viewgate.system.{source}")

    def ended(self, **labels: str) -> float:
        """Return how many statements have ended, according to /metrics."""
        return figure(self.page("/metrics"), "viewgate_statements_total", **labels)


@pytest.fixture
def operator(gate: Gate, pyhive: Any) -> Iterator[Operator]:
    for statement in SETUP:
        clients.rows(pyhive, statement)
    yield Operator(gate, pyhive)
    for view in VIEWS:
        clients.rows(pyhive, f"DROP MATERIALIZED VIEW {view}")
    clients.rows(pyhive, "DROP TABLE lake.operated.visits")
    clients.rows(pyhive, "DROP NAMESPACE lake.operated")


def test_the_path_of_an_operator(gate: Gate, operator: Operator, java: Any) -> None:
    before = {outcome: operator.ended(outcome=outcome, kind="query") for outcome in ("view", "miss")}
    with ExitStack() as stack:
        users = {user: stack.enter_context(clients.pyhive(gate.port, user=user)) for user in USERS}
        for connection in users.values():
            for chart in CHARTS:
                clients.rows(connection, chart)
        with pytest.raises(exc.OperationalError, match="UNRESOLVED_COLUMN"):
            clients.rows(users["dora"], BROKEN)
        all_count_the_same(operator, before)
        a_long_statement_is_found_and_ended(operator, users["emil"])
        a_miss_is_traced_and_mended(operator, users["fay"])
        a_spark_is_taken_out_and_comes_back(gate, operator, users["fay"], java)


def all_count_the_same(operator: Operator, before: dict[str, float]) -> None:
    """Of sixteen statements, thirteen read the views' table and nine are answered by views; all sources
    agree on that.
    """
    mine = f"statements WHERE user IN {USERS} AND kind = 'query'"
    told = operator.table("outcome, state, considered, matched, chosen, id, answer", mine)
    read = "DISTINCT outcome, tables, storages", mine
    assert set(operator.table(*read)) == {
        ("view", "lake.operated.visits", f"{VIEWS[0]}__storage"),
        ("view", "lake.operated.visits", f"{VIEWS[1]}__storage"),
        ("miss", "lake.operated.visits", None),
        ("none", None, None),
    }
    outcomes = Counter(outcome for outcome, *_ in told)
    assert outcomes == {"view": 9, "miss": 4, "none": 3}
    shown = {row[0]: row for row in operator.rows("SHOW VIEWGATE STATEMENTS") if row[1] in USERS}
    assert {(row[5], row[1], row[6] or None) for row in told} == {
        (id_, shown[id_][2], shown[id_][5]) for *_, id_, _ in told
    }
    assert len(shown) == len(told) + len(USERS)  # each PyHive sends a USE
    for outcome, number in before.items():
        assert operator.ended(outcome=outcome, kind="query") - number == outcomes[outcome]
    counted = {
        view: (
            *(sum(view in (row[place] or "").split(", ") for row in told) for place in (2, 3, 4)),
            sum(view in (row[4] or "").split(", ") and row[1] == "FINISHED" for row in told),
            0,
        )
        for view in VIEWS
    }
    assert counted[VIEWS[0]][2:4] == (6, 6)
    assert counted[VIEWS[1]][2:4] == (3, 3)
    assert {row[0]: row[1:6] for row in operator.rows("SHOW VIEWGATE VIEWS") if row[0] in VIEWS} == counted
    assert {
        row[0]: row[1:] for row in operator.table(f"view, {', '.join(EVENTS)}", f"views WHERE view IN {VIEWS}")
    } == counted
    metrics = operator.page("/metrics")
    for view, numbers in counted.items():
        assert numbers == tuple(
            figure(metrics, "viewgate_view_statements_total", view=view, event=event) for event in EVENTS
        )
        listed = operator.page("/views").split(f'<a href="/views/{view}">')[1].split("</tr>")[0]
        cells = dict(re.findall(r'data-name="(\w+)"[^>]*>([^<]*)<', listed))
        assert (int(cells["Considered"]), int(cells["Answered"])) == (numbers[0], numbers[3])
    for user in USERS:
        chips = dict(re.findall(r">([\w ]+) <b>(\d+)</b>", operator.page(f"/statements?q={user}")))
        failed = int(user == "dora")
        del chips["All"]  # the search finds the operator's own statements, too, which name the user
        assert chips == {
            "Running": "0",
            "Queued": "0",
            "From views": "3",
            "Missed": str(1 + failed),
            "Failed": str(failed),
        }
    digests = {row[-1]: row[:3] for row in operator.rows("SHOW VIEWGATE DIGESTS")}
    by_region = "SELECT region, sum(amount) FROM lake.operated.visits WHERE day >= DATE ? GROUP BY region"
    assert digests[by_region] == (6, 6, 0)
    assert (digests[BY_DAY], digests[MISS], digests[BROKEN]) == ((3, 3, 0), (3, 0, 0), (1, 0, 1))


def a_long_statement_is_found_and_ended(operator: Operator, connection: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(LONG, async_=True)
        # By SHOW, which Viewgate answers itself: a system table is read by Spark, whose cores the statement has taken.
        running = [row for row in operator.rows("SHOW VIEWGATE STATEMENTS") if row[2] == "RUNNING" and row[1] in USERS]
        ((id_, user, *_, statement),) = running
        assert (user, statement) == ("emil", LONG)
        assert f"/statements/{id_}" in operator.page("/statements?show=running")
        operator.rows(f"KILL VIEWGATE STATEMENT '{id_}'")
        assert cursor.poll().sqlState == "57014"
    ((state, sqlstate),) = operator.table("state, sqlstate", f"statements WHERE id = '{id_}'")
    assert (state, sqlstate) == ("ERROR", "57014")


def a_miss_is_traced_and_mended(operator: Operator, connection: Any) -> None:
    """From the digest that takes time and is not answered, to the reason, to the statement that mends it."""
    ((answer,),) = operator.table("DISTINCT answer", f"digests WHERE digest = '{MISS}'")
    assert answer.startswith("no view used: none of the 2 views on lake.operated.visits holds what the statement needs")
    lacks = {row[4] for row in operator.rows(f"EXPLAIN REWRITE {MISS}") if row[1] == "missed"}
    assert any("max(amount)" in detail for detail in lacks)
    *_, (view, verdict, *_, change, _) = operator.rows(f"EXPLAIN REWRITE {MISS}")
    assert verdict == "suggested"
    operator.rows(change)
    clients.rows(connection, MISS)
    (last,) = clients.rows(connection, "SHOW VIEWGATE LAST")
    assert last[5].startswith(f"answered from {view}")


def a_spark_is_taken_out_and_comes_back(gate: Gate, operator: Operator, connection: Any, java: Any) -> None:
    spark = f"127.0.0.1:{gate.spark_port}"
    operator.rows(f"DRAIN VIEWGATE UPSTREAM '{spark}'")
    try:
        ((name, state, *_),) = operator.rows("SHOW VIEWGATE UPSTREAMS")
        assert (name, state) == (spark, "draining")
        assert figure(operator.page("/metrics"), "viewgate_upstream_up", upstream=spark) == 0
        assert "draining" in operator.page("/servers")
        with pytest.raises(exc.OperationalError, match="all upstreams are being drained"):
            clients.rows(connection, "SELECT 1 + 1")  # it is the only one: there is none to move to
        with pytest.raises(clients.SqlException, match="all upstreams are being drained"):
            java.connect(gate.url)
        for_operators = java.connect(f"{gate.url}viewgate.system")
        for_operators.rows(f"RESUME VIEWGATE UPSTREAM '{spark}'")
        assert for_operators.rows("SELECT 1 + 1") == [("2",)]
        for_operators.close()
    finally:
        operator.rows(f"RESUME VIEWGATE UPSTREAM '{spark}'")
    assert figure(operator.page("/metrics"), "viewgate_upstream_up", upstream=spark) == 1
    assert clients.rows(connection, "SELECT 1 + 1") == [(2,)]


def test_the_journals_table_is_read_through_viewgate(gate: Gate, data: Path, tmp_path: Path, pyhive: Any) -> None:
    journal = '[journal]\ntable = "journal.statements"\n[console]\nenabled = false\n'
    with Gate("--config", settings_beside(gate, data, journal, tmp_path / "gate.toml")) as journaled:
        with clients.pyhive(journaled.port, user="dora") as connection:
            for sql in (
                "SELECT country, sum(quantity) FROM demo.sales GROUP BY country",
                MISS.replace("visits", "gone"),
            ):
                with suppress(exc.OperationalError):
                    clients.rows(connection, sql)
        assert journaled.stop() == 0  # which writes what waits
    read = "SELECT user, outcome, state, chosen, tables, storages FROM lake.journal.statements WHERE kind = 'query'"
    agg = "lake.demo.agg_sales"
    assert sorted(clients.rows(pyhive, read)) == [
        ("dora", "none", "ERROR", None, "lake.operated.gone", None),
        ("dora", "view", "FINISHED", agg, "lake.demo.sales", f"{agg}__storage"),
    ]
    clients.rows(pyhive, "DROP TABLE lake.journal.statements")
    clients.rows(pyhive, "DROP NAMESPACE lake.journal")
