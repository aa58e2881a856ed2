"""EXPLAIN and EXPLAIN REWRITE as a client sees them."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any

import pytest
from pyiceberg.types import StringType

from proxy.answering import Decision
from proxy.commands import find
from proxy.commands.alter import can_widen
from proxy.commands.properties import ADOPT
from proxy.commands.properties import QUERY as KEPT_QUERY
from proxy.explaining import prose
from proxy.hs2 import SqlError
from proxy.journal import Cause
from rewriter import Definitions, parse, rewrite, suggestion
from rewriter.model import MaterializedView, TableName
from rewriter.model.settings import TIME_ZONE
from tests.unit.catalog.lake import ROWS
from tests.unit.commands.house import House

CREATE = "CREATE MATERIALIZED VIEW agg PARTITIONED BY (region) AS SELECT region, sum(amount) FROM sales GROUP BY region"
QUERY = "SELECT max(amount) AS m\nFROM sales"
COLUMNS = ("view", "verdict", "rule", "reason", "detail", "block")


@pytest.fixture
def asked(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    asyncio.run(house.run(CREATE))

    async def decide(session: Any, sql: str, *, thorough: bool = False) -> Decision:
        definitions = (await house.definitions()).thorough
        statement = parse(sql, house.session)
        relations = await house.catalogs.current(definitions.closure(statement))
        outcome = rewrite(statement, definitions, relations)
        found = None if outcome.rewritten else suggestion(outcome, definitions, relations)
        return Decision(None, sql, outcome, suggestion=found)

    monkeypatch.setattr(house, "decide", decide, raising=False)
    return house


def rows(house: House, sql: str) -> list[dict[str, Any]]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in asyncio.run(house.run(sql)).rows]


def test_each_row_names_the_select_and_the_last_is_a_statement_that_helps(asked: House) -> None:
    missed, suggested = rows(asked, f"EXPLAIN REWRITE {QUERY}")
    assert (missed["view"], missed["verdict"], missed["reason"]) == ("lake.demo.agg", "missed", "AGGREGATE_NOT_IN_VIEW")
    assert missed["block"] == "line 1, column 1: SELECT max(amount) AS m FROM sales"
    assert (suggested["view"], suggested["verdict"]) == ("lake.demo.agg", "suggested")
    change = suggested["detail"]
    told, settings, alter = change.splitlines()
    assert told == "-- lake.demo.agg would answer the query with max(amount) added:"
    assert settings.startswith("-- made under spark.sql.ansi.enabled=")
    assert alter == "ALTER MATERIALIZED VIEW lake.demo.agg ADD COLUMNS (max(amount) AS max_amount)"
    asked.upstream.described = [("region", "string"), ("sum(amount)", "bigint"), ("max_amount", "bigint")]
    asyncio.run(asked.run(change))
    (view,) = asyncio.run(asked.catalogs.definitions())
    assert "max(amount) AS max_amount" in view.query


def test_the_text_of_a_select_is_given_once(asked: House) -> None:
    asyncio.run(asked.run("CREATE MATERIALIZED VIEW rows AS SELECT region, amount FROM sales WHERE amount > 5"))
    query = "SELECT max(amount) FROM sales UNION ALL SELECT min(amount) FROM sales"
    first, second = (
        "line 1, column 1: SELECT max(amount) FROM sales",
        "line 1, column 41: SELECT min(amount) FROM sales",
    )
    tried = [row for row in rows(asked, f"EXPLAIN REWRITE {query}") if row["verdict"] == "missed"]
    assert [row["block"] for row in tried] == [first, "line 1, column 1", second, "line 1, column 41"]
    assert prose(tried).splitlines()[2::3] == [f"for {first}", f"for {second}"]
    ((plan,),) = asyncio.run(asked.run(f"EXPLAIN {query}")).rows
    assert [plan.count(block) for block in (f"for {first}\n", f"for {second}\n")] == [1, 1]


def test_of_a_table_without_views_a_view_is_suggested(asked: House) -> None:
    asyncio.run(asked.run("DROP MATERIALIZED VIEW agg"))
    query = "SELECT region, max(amount) FROM sales GROUP BY region"
    ((plan,),) = asyncio.run(asked.run(f"EXPLAIN {query}")).rows
    head, change = plan.split("a new view lake.demo.sales_by_region of max(amount), region would answer the query:\n")
    assert head == "== Viewgate ==\nnot rewritten: no view reads any of the query's tables\n"
    create = change.splitlines()[:2]
    asked.upstream.described = [("max_amount", "int"), ("region", "string")]
    asyncio.run(asked.run("\n".join(create)))
    (view,) = asyncio.run(asked.catalogs.definitions())
    assert view.query == "SELECT max(amount) AS max_amount, region FROM lake.demo.sales GROUP BY region"
    *_, suggested = rows(asked, f"EXPLAIN REWRITE {query.replace('region', 'amount', 1)}, amount")
    assert suggested["verdict"] == "suggested"


def test_a_change_that_answers_a_part_says_so_and_can_be_run(asked: House) -> None:
    query = f"{QUERY}\nUNION ALL SELECT rand() FROM sales"
    *_, suggested = rows(asked, f"EXPLAIN REWRITE {query}")
    asked.upstream.described = [("region", "string"), ("sum(amount)", "bigint"), ("max_amount", "bigint")]
    assert suggested["detail"].startswith(
        "-- lake.demo.agg would answer a part of the query (1 SELECT would still read tables) with max(amount) added:\n"
    )
    asyncio.run(asked.run(suggested["detail"]))


def test_a_view_with_the_text_of_a_query_answers_it(asked: House) -> None:
    query = "SELECT count(*) AS c FROM (SELECT lag(amount) OVER (ORDER BY region) AS b FROM sales) AS t WHERE b > 1"
    *_, suggested = rows(asked, f"EXPLAIN REWRITE {query}")
    assert suggested["view"] == "lake.demo.sales_view"
    asked.upstream.described = [("c", "bigint")]
    asyncio.run(asked.run(suggested["detail"]))
    answering = {row["view"] for row in rows(asked, f"EXPLAIN REWRITE {query}") if row["verdict"] == "chosen"}
    assert answering == {"lake.demo.sales_view"}


def test_the_plan_is_headed_by_the_change(asked: House) -> None:
    ((plan,),) = asyncio.run(asked.run(f"EXPLAIN {QUERY}")).rows
    head, change = plan.split("lake.demo.agg would answer the query with max(amount) added:\n")
    assert head == "== Viewgate ==\nnot rewritten\nlake.demo.agg not used: the view does not store max(amount)\n"
    assert change.startswith("-- made under")


def make_stale(house: House) -> None:
    """Replace the rows of the table and add a column, so that the view answers nothing before its next refresh."""
    sales = house.lake.iceberg.load_table("demo.sales")
    sales.overwrite(ROWS)
    with sales.update_schema() as update:
        update.add_column("note", StringType())


def test_of_a_stale_view_the_next_refresh_is_told_and_the_running_one(asked: House) -> None:
    make_stale(asked)
    query = "SELECT sum(amount) FROM sales"
    (stale, *_) = rows(asked, f"EXPLAIN REWRITE {query}")
    assert (stale["reason"], stale["detail"].split("; ")[-1]) == (
        "STALE",
        "refreshed with the next write through Viewgate",
    )
    ((plan,),) = asyncio.run(asked.run(f"EXPLAIN {query}")).rows
    assert "\nlake.demo.agg: refreshed with the next write through Viewgate\n" in plan
    seen: list[Any] = []

    async def look() -> None:
        seen.extend((await asked.run(f"EXPLAIN {query}")).rows)

    asked.spark.before_insert = look
    asyncio.run(asked.run("REFRESH MATERIALIZED VIEW agg"))
    ((plan,),) = seen
    assert re.search(r"\nlake\.demo\.agg: being refreshed since 20\S+ \S+ UTC\n", plan)


def test_of_a_stale_view_the_queued_refresh_is_told(asked: House) -> None:
    make_stale(asked)
    with asked.journal.queued([TableName(("lake", "demo", "agg"))], Cause.COMMIT):
        ((plan,),) = asyncio.run(asked.run("EXPLAIN SELECT sum(amount) FROM sales")).rows
        assert re.search(r"\nlake\.demo\.agg: a refresh has been queued since 20\S+ \S+ UTC\n", plan)


def test_a_hit_suggests_nothing(asked: House) -> None:
    (chosen,) = rows(asked, "EXPLAIN REWRITE SELECT sum(amount) FROM sales")
    assert (chosen["verdict"], chosen["block"]) == ("chosen", "line 1, column 1: SELECT sum(amount) FROM sales")


def test_a_setting_is_no_reason_to_change_the_view(asked: House) -> None:
    asked.session = replace(asked.session, settings={})
    (missed,) = rows(asked, "EXPLAIN REWRITE SELECT sum(amount) FROM sales")
    assert missed["reason"] == "SETTINGS_DIFFER"


def test_a_view_of_another_zone_is_left_and_the_new_one_is_told_under_the_settings_that_it_was_tried_under(
    asked: House,
) -> None:
    here = replace(
        asked.session, time_zone="Asia/Kolkata", settings={**asked.session.settings, TIME_ZONE: "Asia/Kolkata"}
    )
    asked.session = here
    *_, suggested = rows(asked, f"EXPLAIN REWRITE {QUERY}")
    assert suggested["view"] == "lake.demo.agg_max_amount_asia_kolkata"
    told, settings, create, *_ = suggested["detail"].splitlines()
    assert (
        told == f"-- a new view {suggested['view']}, like lake.demo.agg with max(amount) added, would answer the query:"
    )
    assert settings.startswith("-- made under ")
    assert settings.endswith("spark.sql.session.timeZone=Asia/Kolkata")
    assert create == "CREATE MATERIALIZED VIEW lake.demo.agg_max_amount_asia_kolkata"


def test_a_stale_view_is_to_be_refreshed(asked: House) -> None:
    make_stale(asked)
    *_, suggested = rows(asked, "EXPLAIN REWRITE SELECT sum(amount) FROM sales")
    assert (suggested["view"], suggested["verdict"]) == ("lake.demo.agg", "suggested")
    told, refresh = suggested["detail"].splitlines()
    assert told == "-- lake.demo.agg would answer the query once it is refreshed:"
    assert refresh == "REFRESH MATERIALIZED VIEW lake.demo.agg"
    asyncio.run(asked.run(suggested["detail"]))
    (chosen,) = rows(asked, "EXPLAIN REWRITE SELECT sum(amount) FROM sales")
    assert chosen["verdict"] == "chosen"


def test_a_view_that_would_get_keys_is_left_and_a_new_one_is_made_as_it_is_made(asked: House) -> None:
    *_, suggested = rows(
        asked, "EXPLAIN REWRITE SELECT region, sum(amount) FROM sales WHERE amount > 5 GROUP BY region"
    )
    assert suggested["view"] == "lake.demo.agg_amount"
    assert "\nCREATE MATERIALIZED VIEW lake.demo.agg_amount\nPARTITIONED BY (region)\nAS SELECT " in suggested["detail"]
    asked.upstream.described = [("region", "string"), ("sum(amount)", "bigint"), ("amount", "bigint")]
    asyncio.run(asked.run(suggested["detail"]))
    views = asyncio.run(asked.catalogs.definitions())
    assert sorted(str(view.name) for view in views) == ["lake.demo.agg", "lake.demo.agg_amount"]


def test_what_cannot_be_widened() -> None:
    view = MaterializedView(
        TableName(("lake", "demo", "v")), "u", 1, "", "", TableName(("lake", "demo", "s")), (), "lake", ("demo",), {}
    )
    made = replace(view, properties={KEPT_QUERY: "SELECT 1"})
    assert not can_widen(view, {})
    assert can_widen(made, {})
    assert not can_widen(made, {TIME_ZONE: "UTC"})
    assert not can_widen(replace(made, properties={KEPT_QUERY: "SELECT 1", ADOPT: "lake.demo.s"}), {})


def test_a_view_that_adopted_its_storage_is_made_anew_with_storage_of_its_own(
    asked: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    definitions = asyncio.run(asked.definitions())
    adopting = [replace(v, properties={**v.properties, ADOPT: "lake.demo.old"}) for v in definitions.views]

    async def adopted() -> Definitions:
        return Definitions(tuple(adopting))

    monkeypatch.setattr(asked, "definitions", adopted)
    *_, suggested = rows(asked, f"EXPLAIN REWRITE {QUERY}")
    assert "\nCREATE OR REPLACE MATERIALIZED VIEW lake.demo.agg\n" in suggested["detail"]
    assert ADOPT not in suggested["detail"]


@pytest.mark.parametrize(
    "sql",
    [
        "EXPLAIN ALTER MATERIALIZED VIEW agg ADD COLUMNS (max(amount))",
        "EXPLAIN REWRITE CREATE OR REPLACE MATERIALIZED VIEW agg AS SELECT region FROM sales",
        "EXPLAIN FORMATTED DROP MATERIALIZED VIEW agg",
    ],
)
def test_a_statement_about_a_view_is_not_explained(sql: str) -> None:
    with pytest.raises(SqlError, match="MATERIALIZED VIEW is not supported: explain the view's query") as refused:
        find(sql)
    assert refused.value.sql_state == "0A000"


def test_statements_of_spark_are_explained_by_spark() -> None:
    assert find("EXPLAIN CREATE VIEW v AS SELECT 1") is None
    assert find("EXPLAIN DROP TABLE materialized") is None
