"""What is known of a session, and when Spark is asked for it again."""

from __future__ import annotations

import asyncio

import pytest

from proxy.answering import Defaults, SessionFacts
from proxy.hs2 import ResultSet, SqlError
from rewriter.model import TableName

DEFAULTS = {"spark.sql.ansi.enabled": "true", "spark.sql.caseSensitive": "false"}


class Spark:
    """Answers the statements that facts send, and counts them."""

    def __init__(self) -> None:
        self.settings = {"spark.sql.catalog.lake": "x", "spark.sql.catalog.lake.type": "jdbc"}
        self.state = ("lake", "demo", "UTC")
        self.asked = self.asked_defaults = 0

    async def query(self, sql: str) -> ResultSet:
        if sql == "SET -v":
            self.asked_defaults += 1
            rows = [(key, value, "what it means", "3.0.0") for key, value in {**DEFAULTS, **self.settings}.items()]
            return ResultSet.of("key", "value", "meaning", "since", rows=rows)
        if sql == "SET":
            self.asked += 1
            return ResultSet.of("key", "value", rows=list(self.settings.items()))
        return ResultSet.of("catalog", "database", "zone", rows=[self.state])


def test_asked_once_and_again_after_a_change() -> None:
    async def scenario() -> None:
        spark, facts = Spark(), SessionFacts()
        session = await facts.read(spark.query)
        assert (session.catalog, session.namespace, session.time_zone) == ("lake", ("demo",), "UTC")
        assert session.catalogs == {"lake", "spark_catalog"}
        await facts.read(spark.query)
        assert spark.asked == 1
        assert facts.watch("SELECT 1") is None
        ended = facts.watch("USE other")
        assert ended is not None
        assert "still running" in facts.problem
        await facts.read(spark.query)
        spark.state = ("lake", "other", "UTC")
        ended(True)
        assert not facts.problem
        assert (await facts.read(spark.query)).namespace == ("other",)
        assert spark.asked == 3

    asyncio.run(scenario())


def test_what_other_clients_may_change_is_not_known() -> None:
    async def scenario() -> None:
        spark, facts = Spark(), SessionFacts()
        spark.settings["spark.sql.hive.thriftServer.singleSession"] = "true"
        await facts.read(spark.query)
        assert "singleSession" in facts.problem

    asyncio.run(scenario())


def test_a_namespace_may_hold_dots_in_back_ticks() -> None:
    spark = Spark()
    spark.state = ("lake", "`a.b`.c", "UTC")
    assert asyncio.run(SessionFacts().read(spark.query)).namespace == ("a.b", "c")


@pytest.mark.parametrize(("key", "value"), [("type", "hive"), ("catalog-impl", "org.apache.iceberg.hive.HiveCatalog")])
def test_names_in_a_hive_metastore_are_the_same_in_any_case(key: str, value: str) -> None:
    spark = Spark()
    spark.settings |= {"spark.sql.catalog.meta": "x", f"spark.sql.catalog.meta.{key}": value}
    spark.state = ("meta", "Shop", "UTC")
    session = asyncio.run(SessionFacts().read(spark.query))
    sales = TableName(("meta", "shop", "sales"))
    for typed in (("Sales",), ("SHOP", "sales"), ("meta", "shop", "SALES")):
        assert session.resolve(typed) == sales
    assert session.resolve(("lake", "Shop", "Sales")) == TableName(("lake", "Shop", "Sales"))
    assert session.resolve(("Meta", "Shop", "Sales")) == TableName(("meta", "meta", "shop", "sales"))  # not a catalog
    assert [session.qualified(typed) for typed in ((), ("Sales",), ("meta", "SHOP"), ("lake", "Shop"))] == [
        ("meta", "shop"), ("meta", "sales"), ("meta", "shop"), ("lake", "Shop"),
    ]  # fmt: skip


def test_a_temporary_view_shadows_from_its_start() -> None:
    async def scenario() -> None:
        spark, facts = Spark(), SessionFacts()
        ended = facts.watch("CREATE TEMP VIEW sales AS SELECT 1")
        assert ended is not None
        ended(False)
        assert (await facts.read(spark.query)).resolve(("sales",)) is None

    asyncio.run(scenario())


def test_a_temporary_view_that_is_dropped_hides_nothing_any_more() -> None:
    async def scenario() -> None:
        spark, facts = Spark(), SessionFacts()
        made = facts.watch("CREATE TEMP VIEW sales AS SELECT 1")
        assert made is not None
        made(True)
        for well in (False, True):
            dropped = facts.watch("DROP VIEW sales")
            assert dropped is not None
            dropped(well)
            assert ((await facts.read(spark.query)).resolve(("sales",)) is not None) is well

    asyncio.run(scenario())


def test_a_temporary_view_may_change_its_name_and_tables_may_theirs() -> None:
    async def scenario() -> None:
        spark, facts = Spark(), SessionFacts()
        assert facts.watch("ALTER TABLE new_sales RENAME TO sales") is None
        made = facts.watch("CREATE TEMP VIEW mine AS SELECT 1")
        assert made is not None
        made(True)
        renamed = facts.watch("ALTER TABLE mine RENAME TO sales")
        assert renamed is not None
        renamed(True)
        assert (await facts.read(spark.query)).resolve(("sales",)) is None
        assert (await facts.read(spark.query)).resolve(("mine",)) is not None

    asyncio.run(scenario())


def test_a_slip_of_the_pen_is_forgotten_once_spark_has_refused_it() -> None:
    for sql, forgotten in (
        ("SELEKT 1", True),
        ("ALTER VIEW 'open", True),
        ("BEGIN CREATE TEMP VIEW v AS SELECT 1", False),
    ):
        facts = SessionFacts()
        ended = facts.watch(sql)
        assert ended is not None
        assert sql in facts.problem or repr(sql) in facts.problem
        ended(False)
        assert (facts.problem == "") is forgotten


def test_what_could_be_anything_ends_rewriting_for_the_session() -> None:
    facts = SessionFacts()
    for sql in ("EXECUTE IMMEDIATE text", "RESET"):
        ended = facts.watch(sql)
        assert ended is not None
        ended(True)
    assert "EXECUTE IMMEDIATE" in facts.problem
    assert "open a new session" in facts.problem


def test_a_text_that_is_known_when_it_is_executed_keeps_rewriting_on() -> None:
    facts = SessionFacts()
    assert facts.watch("EXECUTE IMMEDIATE 'SELECT ?' USING 1") is None
    assert facts.problem == ""


def test_our_settings_may_come_with_the_session() -> None:
    default = SessionFacts().settings
    assert default == {
        "viewgate.rewrite": "on",
        "viewgate.trust-constraints": "off",
        "viewgate.max_staleness": "view",
        "viewgate.staleness_measure": "age",
        "viewgate.listings": "spark",
    }
    assert SessionFacts({"set:hiveconf:viewgate.rewrite": "OFF"}).settings == {**default, "viewgate.rewrite": "off"}
    assert SessionFacts({"viewgate.trust-constraints": "true"}).settings["viewgate.trust-constraints"] == "on"


@pytest.mark.parametrize(
    ("sql", "well", "kept"),
    [("RESET", True, False), ("/* all */ reset ;", True, False), ("RESET", False, True), ("RESET spark.x", True, True)],
)
def test_ours_are_reset_with_all_others(sql: str, well: bool, kept: bool) -> None:
    facts = SessionFacts({"viewgate.rewrite": "off", "viewgate.trust-constraints": "on"})
    ended = facts.watch(sql)
    assert ended is not None
    ended(well)
    assert (facts.settings != SessionFacts().settings) is kept


@pytest.mark.parametrize(
    ("key", "value", "state", "said"),
    [
        ("set:hiveconf:viewgate.rewrite", "maybe", "22023", "viewgate.rewrite is 'maybe': it must be on or off"),
        (
            "viewgate.rewritten",
            "on",
            "42704",
            r"viewgate.rewritten is not a setting of Viewgate \(did you mean viewgate.rewrite\?\); the settings are",
        ),
    ],
)
def test_a_setting_that_a_client_opens_its_session_with_is_not_swallowed(
    key: str, value: str, state: str, said: str
) -> None:
    with pytest.raises(SqlError, match=said) as refused:
        SessionFacts({key: value})
    assert refused.value.sql_state == state


def test_spark_tells_its_defaults_once_and_what_a_session_had_set_by_the_next() -> None:
    async def scenario() -> None:
        spark, defaults = Spark(), Defaults()
        spark.settings["spark.sql.ansi.enabled"] = "false"
        first = await SessionFacts({}, defaults).read(spark.query)
        assert "spark.sql.ansi.enabled" not in first.defaults
        assert first.defaults["spark.sql.caseSensitive"] == "false"
        await SessionFacts({}, defaults).read(spark.query)
        assert spark.asked_defaults == 1
        del spark.settings["spark.sql.ansi.enabled"]
        assert (await SessionFacts({}, defaults).read(spark.query)).defaults["spark.sql.ansi.enabled"] == "true"
        await SessionFacts({}, defaults).read(spark.query)
        assert spark.asked_defaults == 2

    asyncio.run(scenario())


def test_how_old_an_answer_may_be() -> None:
    measured = SessionFacts({"viewgate.max_staleness": "10 minutes", "viewgate.staleness_measure": "Difference"})
    assert (measured.bound(5).seconds, measured.bound(5).difference) == (600, True)
    facts = SessionFacts({"viewgate.max_staleness": "10 minutes"})
    assert facts.bound(5).seconds == 600
    assert facts.bound(5, "1 hour").seconds == 3600
    assert facts.bound(5, "never").seconds == 0
    assert facts.bound(5, "view").seconds is None
    assert SessionFacts().bound(5).seconds is None
    with pytest.raises(SqlError, match=r"max_staleness is 'soon': it must be a number of seconds"):
        facts.bound(5, "soon")
    with pytest.raises(SqlError, match=r"or view, or never \(current rows only\)$"):
        facts.bound(5, "0 minutes")
    assert facts.bound(5, "10minutes").seconds == 600
    with pytest.raises(
        SqlError, match=r"is '10': it must be .*; add the unit, as in '10 minutes' \(in a URL: 10%20minutes\)$"
    ):
        SessionFacts({"viewgate.max_staleness": "10"})
