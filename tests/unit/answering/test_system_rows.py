"""The rows of the system tables: of one process, of several, and which users see which rows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from proxy.answering import Answers, SessionFacts, SystemRows
from proxy.answering.system_tables import TABLES
from proxy.answering.virtual_tables import Row
from proxy.hs2 import SqlError
from proxy.journal import Cause
from proxy.session import Choice, Forward, OperationState
from rewriter import splice
from rewriter.model import Session, TableName
from tests.unit.catalog.lake import AGG
from tests.unit.journal.stubs import begun, session
from tests.unit.pipeline.conftest import house
from tests.unit.pipeline.house import House as View
from tests.unit.support.operations import Stub

__all__ = ["house"]

ODD = TableName(("lake", "demo", "odd"))


class Workers:
    """A number of identical workers."""

    def __init__(self, house: View, count: int = 1) -> None:
        self.count = count
        self.sessions: Any = SimpleNamespace(all=[])
        self.upstreams: Any = SimpleNamespace(places=[], waiting=0)
        self.journal = house.pipeline._journal
        self.system = SystemRows(self.journal, house.catalogs, lambda: self.sessions, lambda: self.upstreams, self.ask)

    async def ask(self, _: bytes, about: bytes) -> Mapping[int, Any]:
        return {number: await self.system.answer(about) for number in range(1, self.count + 1)}

    def rows(self, table: str, user: str | None = None) -> Sequence[Row]:
        return asyncio.run(self.system.rows(table, user))


def test_users_see_their_own_statements_and_sessions(house: View) -> None:
    workers = Workers(house)
    for user in ("ann", "bob"):
        begun(workers.journal, Stub(session(user), 0), f"SELECT '{user}'")
        one = session(user)
        one.upstream = SimpleNamespace(attached=True)
        workers.sessions.all.append(one)
        ended = Stub(session(user), 0)
        ended.advance(OperationState.FINISHED)
        begun(workers.journal, ended, f"SELECT {user}")
    for table, of_ann, of_all in (("statements", 2, 4), ("sessions", 1, 2), ("digests", 1, 2)):
        assert (len(workers.rows(table, "ann")), len(workers.rows(table))) == (of_ann, of_all), table
    assert {row["user"] for row in workers.rows("statements", "ann")} == {"ann"}
    assert all(isinstance(row["started"], int) for row in workers.rows("statements"))


def test_the_rows_of_all_workers_the_latest_first(house: View) -> None:
    workers = Workers(house, 2)
    for started in (1000, 3000, 2000):
        begun(workers.journal, Stub(session(), 0), "SELECT 1").started_ms = started
    found = [(row["worker"], row["started"]) for row in workers.rows("statements")]
    assert found == [(1, 3000), (2, 3000), (1, 2000), (2, 2000), (1, 1000), (2, 1000)]


def test_views_with_their_uses_in_all_workers(house: View) -> None:
    workers = Workers(house, 2)
    operation = Stub(session(), 0)
    record = workers.journal.receive(operation.session, "SELECT 1")
    record.planned(Forward(choice=Choice((AGG,), (AGG,), (AGG,))), 0.0)
    operation.advance(OperationState.FINISHED)
    workers.journal.begin(operation, record)
    workers.journal.close(operation)
    asyncio.run(house.refresh())
    (row,) = workers.rows("views")
    assert (row["view"], row["considered"], row["chosen"], row["executed"]) == ("lake.demo.agg", 2, 2, 2)
    assert (row["status"], row["lag_seconds"], row["rows"]) == ("fresh", 0.0, house.storage().records)
    assert set(row) == set(TABLES["views"])
    (refresh,) = {row["cause"] for row in workers.rows("refreshes")}
    assert refresh == Cause.STATEMENT


def test_when_the_worker_with_the_schedule_has_a_view_due(house: View) -> None:
    workers = Workers(house, 2)
    workers.system._due_ms = lambda: {AGG: 1_700_000_000_000}
    (row,) = workers.rows("views")
    assert (row["considered"], row["next_due"]) == (0, 1_700_000_000_000)


def test_views_that_cannot_be_read_are_listed_with_the_reason(house: View) -> None:
    workers = Workers(house)
    house.lake.put_view(ODD, b"no json")
    agg, odd = workers.rows("views")
    assert (agg["view"], odd["view"], odd["status"], odd["considered"]) == ("lake.demo.agg", str(ODD), "unreadable", 0)
    assert odd["reason"].endswith("DROP MATERIALIZED VIEW lake.demo.odd")
    assert set(odd) == set(TABLES["views"])


def planning(house: View) -> tuple[Answers, Any]:
    """Return a planner whose system tables are empty, and a session."""

    async def rows(_: object, __: str) -> Sequence[Row]:
        return []

    async def facts(_: object) -> Session:
        return Session("lake", ("demo",), catalogs=frozenset({"lake"}))

    answers = Answers(house.catalogs, system=rows)
    answers.facts = facts  # type: ignore[method-assign, assignment]
    one = session()
    one.facts = SessionFacts()
    return answers, one


def told(answers: Answers, sql: str, *catalogs: str) -> str | None:
    """Return the SQL for Spark of a statement, in a session of a Spark with these catalogs."""

    async def facts(_: object) -> Session:
        return Session("lake", ("demo",), catalogs=frozenset({"lake", *catalogs}))

    answers.facts = facts  # type: ignore[method-assign, assignment]
    edits = asyncio.run(answers._with_virtual_tables(session(), sql))
    return splice(sql, edits) if edits else None


def test_a_statement_over_a_system_table_gets_what_its_user_may_see(house: View) -> None:
    seen: list[tuple[str, str]] = []

    async def rows(who: Any, table: str) -> Sequence[Row]:
        seen.append((who.user, table))
        return [{"view": "lake.demo.agg"}]

    answers = Answers(house.catalogs, system=rows)
    sql = "SELECT view FROM viewgate.system.refreshes LIMIT 1"
    text = told(answers, sql)
    assert text is not None
    assert '{"1":"lake.demo.agg"}' in text
    assert text.endswith(" AS refreshes LIMIT 1")
    assert seen == [("ann", "refreshes")]


def test_where_spark_has_a_catalog_of_that_name_the_names_are_its_own(house: View) -> None:
    async def rows(_: Any, __: str) -> Sequence[Row]:
        raise SqlError("not asked")

    answers = Answers(house.catalogs, system=rows)
    assert told(answers, "SELECT view FROM viewgate.system.nonsense", "viewgate") is None


@pytest.mark.parametrize(
    ("sql", "place"),
    [
        ("CREATE TEMPORARY VIEW v AS SELECT * FROM viewgate.system.views", "in the query of a view"),
        ("CACHE TABLE v AS SELECT * FROM viewgate.system.views", "in a cached table"),
        ("CREATE FUNCTION f() RETURN (SELECT count(*) FROM viewgate.system.views)", "in the body of a function"),
        ("BEGIN INSERT INTO t SELECT * FROM viewgate.system.views; END", "in a script"),
        ("EXECUTE IMMEDIATE 'SELECT * FROM mv_dependencies(''agg'')'", "by EXECUTE IMMEDIATE"),
        ("CREATE TEMPORARY VIEW v AS SELECT * FROM information_schema.tables", "in the query of a view"),
        ("BEGIN SELECT * FROM stale_files('agg'); END", "in a script"),
    ],
)
def test_what_would_keep_the_rows_is_refused_and_leaves_the_session_as_it_was(
    house: View, sql: str, place: str
) -> None:
    answers, one = planning(house)
    with pytest.raises(SqlError, match=f"cannot be read {place}: ") as refused:
        asyncio.run(answers.plan(one, sql))
    assert refused.value.sql_state == "0A000"
    assert one.facts.problem == ""


def test_a_variable_is_set_from_the_rows(house: View) -> None:
    answers, one = planning(house)
    plan = asyncio.run(answers.plan(one, "SET VARIABLE n = (SELECT count(*) FROM viewgate.system.views)"))
    assert plan.sql is not None
    assert plan.sql.startswith("SET VARIABLE n = (SELECT count(*) FROM (SELECT ")
    assert plan.sql.endswith(" AS views)")
    assert plan.ended is not None
    for sql in ("SET spark.x = viewgate.system.views", "USE viewgate.system", "EXECUTE IMMEDIATE 'SELECT 1'"):
        assert asyncio.run(answers.plan(one, sql)).sql is None


def test_explain_too_asks_spark_for_what_it_can_run(house: View) -> None:
    async def rows(_: Any, __: str) -> Sequence[Row]:
        return []

    answers = Answers(house.catalogs, system=rows)
    assert told(answers, "SELECT 1 FROM viewgate.system.views")  # from now on, the session's facts are known
    decision = asyncio.run(answers.decide(session(), "SELECT 1 FROM viewgate.system.views", thorough=True))
    assert decision.original == decision.sql
    assert "from_json" in decision.original
    assert decision.problem == "rows of viewgate.system or information_schema were inserted into the SQL for Spark"
    assert decision.lines() == ()  # a poll of a chart would fill the log with it
