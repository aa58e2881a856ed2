"""While the catalog is unavailable, statements go to Spark unchanged, and the reason is shown wherever users ask."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from proxy.catalog import Unavailable
from proxy.commands import Planner, find
from proxy.hs2 import SqlError
from proxy.session import Forward
from tests.unit.answering.test_readable import QUERY, Asking, asking

__all__ = ["asking"]


def during_an_outage(asking: Asking, story: Callable[[], Awaitable[None]]) -> None:
    """Run a scenario in which the catalog is known first, and then refuses every call."""

    def refuse(*_: object) -> None:
        raise ConnectionRefusedError("connection refused")

    async def told() -> None:
        await asking.house.catalogs.definitions()
        for name in ("look", "views", "namespaces"):
            setattr(asking.house.catalogs["lake"]._store, name, refuse)
        await story()

    asyncio.run(told())


def test_a_statement_is_forwarded_as_it_is_and_its_log_says_why(asking: Asking) -> None:
    async def story() -> None:
        for _ in range(2):
            plan = await asking.answers.plan(asking.session, QUERY)
            assert plan.sql is None
            (line,) = plan.log
            assert line.startswith("Viewgate: no view used: the catalog lake is unavailable since ")
            assert line.endswith(": connection refused; Viewgate keeps trying")
        decision = await asking.answers.decide(asking.session, QUERY, thorough=True)
        assert "connection refused" in decision.problem

    during_an_outage(asking, story)


def test_what_spark_does_not_know_is_an_error_that_says_why(asking: Asking) -> None:
    async def story() -> None:
        with pytest.raises(Unavailable, match="connection refused"):
            await asking.answers.plan(asking.session, "SELECT timeseries(ts, 'day'), sum(amount) FROM sales")

    during_an_outage(asking, story)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'FROM information_schema.tables' AS text",
        "SELECT 1 /* information_schema */",
        "SELECT * FROM other.information_schema.tables",
        "INSERT INTO t SELECT 'information_schema'",
        "SELECT a FROM demo.timeseries WHERE b = 'timeseries(' -- timeseries(",
    ],
)
def test_a_statement_that_only_mentions_what_spark_lacks_is_forwarded(asking: Asking, sql: str) -> None:
    async def story() -> None:
        assert (await asking.answers.plan(asking.session, sql)).sql is None
        with pytest.raises(Unavailable, match="connection refused"):
            await asking.answers.plan(asking.session, "SELECT * FROM lake.information_schema.tables")

    during_an_outage(asking, story)


def test_statements_of_ours_are_told_why(asking: Asking) -> None:
    async def story() -> None:
        for sql in ("SHOW MATERIALIZED VIEWS", "REFRESH MATERIALIZED VIEW agg", "DROP MATERIALIZED VIEW agg"):
            command = find(sql)
            assert command is not None
            with pytest.raises(SqlError, match=r"the catalog lake is unavailable since .*: connection refused"):
                await command.run(asking.house.context, asking.session, print)

    during_an_outage(asking, story)


def test_views_that_are_known_are_guarded_and_writes_are_followed(asking: Asking) -> None:
    async def story() -> None:
        planner = Planner(asking.house.context, find)
        for sql in ("DROP TABLE demo.sales", "ALTER TABLE demo.sales DROP COLUMN amount"):
            with pytest.raises(SqlError, match=r"is needed by materialized view lake\.demo\.agg"):
                await planner.plan(asking.session, sql)
        plan = await planner.plan(asking.session, "INSERT INTO demo.sales VALUES ('x', 1)")
        assert isinstance(plan, Forward)
        assert plan.after is not None

    during_an_outage(asking, story)


def test_where_no_view_is_known_yet_all_goes_to_spark(asking: Asking) -> None:
    asking.house.catalogs["lake"]._locations = None

    async def story() -> None:
        plan = await Planner(asking.house.context, find).plan(asking.session, "DELETE FROM sales")
        assert isinstance(plan, Forward)
        assert (plan.sql, plan.after) == (None, None)
        assert "connection refused" in (await asking.answers.plan(asking.session, QUERY)).log[0]

    async def unknown() -> None:
        asking.house.catalogs["lake"]._locations = None
        await story()

    during_an_outage(asking, unknown)
