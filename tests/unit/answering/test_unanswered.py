"""A REST catalog does not answer Spark: the client is told which catalog, and statements over other catalogs run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from proxy.answering import Answers, Defaults, SessionFacts
from proxy.catalog import NoCurrentCatalog, told
from proxy.commands import Planner, find
from proxy.hs2 import Query, SqlError
from proxy.session import Forward, Local
from tests.unit.answering.test_readable import QUERY, Asking, asking
from tests.unit.commands.house import House

__all__ = ["asking"]

RAW = "Error running query: org.apache.iceberg.exceptions.RESTException: Error occurred while processing GET request"
TRACE = (
    f"org.apache.hive.service.cli.HiveSQLException: {RAW}\n\tat a.B.c(D.java:1)\n"
    "Caused by: org.apache.hc.client5.http.HttpHostConnectException: Connect to http://127.0.0.1:8181 failed: "
    "Connection refused\n\tat a.B.c(D.java:1)"
)
SILENT = SqlError(TRACE, None)


def catalogs(**available: bool) -> Any:
    return [SimpleNamespace(name=name, available=well) for name, well in available.items()]


def test_the_unavailable_catalog_is_named() -> None:
    error = told(SILENT, catalogs(rest=False, lake=True))
    assert error.sql_state == "08001"
    assert error.message == (
        "Spark gets no answer from the catalog rest (Connect to http://127.0.0.1:8181 failed: Connection refused): "
        "check the catalog's server, and try again"
    )


def test_a_client_that_enters_a_namespace_is_told_how_to_use_another_catalog() -> None:
    error = told(SqlError(RAW, None), catalogs(rest=True, lake=True), entering=True)
    assert error.message == (
        "Spark gets no answer from a catalog that the statement needs (Error occurred while processing GET request): "
        "check the catalog's server, and try again; to use the catalog rest meanwhile, run SET "
        "spark.sql.defaultCatalog = rest, or open a session with ?spark.sql.defaultCatalog=rest at the end of its URL"
    )
    assert "meanwhile" not in told(SILENT, catalogs(rest=False), entering=True).message


@pytest.mark.parametrize(
    "error",
    [
        SqlError("[TABLE_OR_VIEW_NOT_FOUND] no `t`", "42P01"),
        SqlError("org.apache.spark.SparkException: Job aborted", None),
        SqlError(RAW, "42000"),
        SqlError("x.E: no\n\tat a.B.c(D.java:1)\nCaused by: org.apache.iceberg.exceptions.RESTException: no", None),
    ],
)
def test_other_errors_are_those_of_spark(error: SqlError) -> None:
    assert told(error, catalogs(rest=False)) is error


@pytest.mark.parametrize("sql", ["USE default", "SET CATALOG rest", QUERY, "SELECT * FROM rest.shop.sales"])
def test_an_error_of_a_forwarded_statement_names_the_catalog(asking: Asking, sql: str) -> None:
    plan = asyncio.run(asking.answers.plan(asking.session, sql))
    assert plan.reworded is not None
    assert plan.reworded(SILENT).sql_state == "08001"
    other = SqlError("[X] no", "42P01")
    assert plan.reworded(other) is other


class Told(Defaults):
    async def of(self, settings: Mapping[str, str], query: Query) -> Mapping[str, str]:
        return {"spark.sql.defaultCatalog": "rest"}


class Session:
    """A session whose current catalog, `rest`, Spark cannot load."""

    def __init__(self, house: House) -> None:
        self.answers = Answers(house.catalogs)
        asyncio.run(house.catalogs.definitions())
        house.upstream.broken["current_catalog"] = SILENT
        facts = SessionFacts(defaults=Told())
        self.session: Any = SimpleNamespace(facts=facts, upstream=house.upstream, for_operators=False)
        object.__setattr__(house.context, "answers", self.answers)
        self.planner = Planner(house.context, find)

    def plan(self, sql: str) -> Any:
        return asyncio.run(self.planner.plan(self.session, sql))


@pytest.fixture
def session(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.undo()  # the session's own facts
    return Session(asking.house)


def test_statements_go_to_spark_unchanged(session: Session) -> None:
    plan = session.plan("SELECT region, sum(amount) FROM lake.demo.sales GROUP BY region")
    assert isinstance(plan, Forward)
    assert plan.sql is None
    (line,) = plan.log
    why = (
        "Spark cannot load the catalog rest, which is current in the session (Connect to http://127.0.0.1:8181 failed: "
    )
    assert line.startswith(f"Viewgate: no view used: {why}Connection refused): check the catalog's server")


def test_full_names_are_guarded_and_refreshed_as_ever(session: Session) -> None:
    with pytest.raises(SqlError, match=r"is needed by materialized view lake\.demo\.agg"):
        session.plan("DROP TABLE lake.demo.sales")
    assert session.plan("INSERT INTO lake.demo.sales VALUES ('x', 1)").after is not None
    assert session.plan("DROP TABLE lake.demo.other").after is None
    with pytest.raises(SqlError, match=r"namespace lake\.demo contains tables or views that are needed"):
        session.plan("DROP NAMESPACE lake.demo CASCADE")


def test_storage_tables_are_hidden_in_the_list_of_a_full_namespace(session: Session) -> None:
    assert isinstance(session.plan("SHOW TABLES IN lake.demo"), Local)
    assert isinstance(session.plan("SHOW TABLES IN lake.other"), Forward)


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE sales",
        "DROP TABLE demo.sales",
        "INSERT INTO demo.sales VALUES ('x', 1)",
        "DROP NAMESPACE demo CASCADE",
    ],
)
def test_a_short_name_that_could_be_a_source_is_refused(session: Session, sql: str) -> None:
    with pytest.raises(NoCurrentCatalog, match=r"run SET spark\.sql\.defaultCatalog = lake"):
        session.plan(sql)


def test_system_tables_are_read_in_a_session_for_operators(session: Session) -> None:
    async def rows(_session: Any, _table: str) -> list[Any]:
        return []

    session.session.for_operators = True
    session.answers._system = rows
    plan = session.plan("SELECT name FROM viewgate.system.views")
    assert plan.sql.startswith("SELECT name FROM (")


def test_commands_are_told_of_the_catalog(session: Session) -> None:
    local = session.plan("REFRESH MATERIALIZED VIEW shop.by_region")
    assert isinstance(local, Local)
    running: Any = local.run(print)
    with pytest.raises(NoCurrentCatalog, match="Spark cannot load the catalog rest"):
        asyncio.run(running)
