"""What the engine does around the rules: settings, sessions, errors, choice."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from rewriter import Definitions, Reason, parse, rewrite
from rewriter.block import from_clause
from rewriter.engine import answer, tested
from rewriter.match import read_view
from rewriter.model import Table, TableName
from rewriter.model.settings import REWRITE_IS_OFF, TIME_ZONE
from tests.golden.corpus import FOLDER, GoldenFile, World, read, world

SCHEMA = "CREATE TABLE sales (region STRING, n INT, x DOUBLE, ts TIMESTAMP)"
VIEWS = {
    "by_region": "SELECT region, sum(n) AS s FROM sales GROUP BY region",
    "by_hour": "SELECT timeseries(ts, 'hour') AS h, region, sum(n) AS s FROM sales GROUP BY 1, 2",
}
QUERY = "SELECT region, sum(n) FROM sales GROUP BY region"


@pytest.fixture
def built() -> World:
    return world(GoldenFile(Path(), schema=SCHEMA, views=VIEWS))


def decide(built: World, query: str = QUERY, **session: Any) -> Any:
    return rewrite(parse(query, replace(built.session, **session)), built.definitions, built.relations)


def test_the_least_to_read_is_chosen(built: World) -> None:
    outcome = rewrite(parse(QUERY, built.session), built.definitions.thorough, built.relations)
    assert [r.view.name.table for r in outcome.replacements] == ["by_region"]
    verdicts = {a.view.table: (a.verdict, a.reason) for a in outcome.tried}
    assert verdicts == {"by_region": ("chosen", None), "by_hour": ("not chosen", Reason.NOT_CHOSEN)}


def test_a_view_that_is_asked_for_is_used_whatever_it_costs(built: World) -> None:
    by_hour = next(view for view in built.definitions.views if view.name.table == "by_hour")
    storage = built.relations[by_hour.storage]
    assert isinstance(storage, Table)
    sales = next(r for n, r in built.relations.items() if n.table == "sales")
    assert isinstance(sales, Table)
    small = {sales.name: replace(sales, records=10), storage.name: replace(storage, records=10**12)}
    statement = parse(QUERY, replace(built.session, only=by_hour.name))
    outcome = rewrite(statement, built.definitions, {**built.relations, **small})
    assert [r.view.name.table for r in outcome.replacements] == ["by_hour"]
    assert {a.view.table: a.reason for a in outcome.tried if a.verdict == "missed"} == {"by_region": Reason.NOT_CHOSEN}


def test_no_other_view_is_used_than_that_which_is_asked_for(built: World) -> None:
    for name in ("by_hour", "missing"):
        only = built.definitions.views[0].name.parts[:-1]
        outcome = decide(
            built, "SELECT region, sum(n) FROM sales WHERE x > 1 GROUP BY region", only=TableName((*only, name))
        )
        assert not outcome.rewritten


def test_what_cannot_have_less_to_read_is_not_tried(built: World) -> None:
    assert [a.view.table for a in decide(built).tried] == ["by_region"]


def test_rows_are_counted_by_the_tables_metadata_alone_where_nothing_is_deleted(built: World) -> None:
    sales = next(r for n, r in built.relations.items() if n.table == "sales")
    assert isinstance(sales, Table)

    def counted(query: str, delete_files: int | None = 0, **session: Any) -> bool:
        relations = built.relations | {sales.name: replace(sales, delete_files=delete_files)}
        outcome = rewrite(parse(query, replace(built.session, **session)), built.definitions, relations)
        assert outcome.rewritten or {a.reason for a in outcome.tried} == {Reason.NOT_CHOSEN}
        return not outcome.rewritten

    assert counted("SELECT count(*) FROM sales")
    assert counted("SELECT count(*) AS a, count(*) FROM sales s")
    assert not counted("SELECT count(*), sum(n) FROM sales")
    assert not counted("SELECT count(*) FROM sales WHERE region = 'eu'")
    assert not counted("SELECT region, count(*) FROM sales GROUP BY region")
    assert not counted("SELECT count(*) FROM sales", delete_files=1)
    assert not counted("SELECT count(*) FROM sales", delete_files=None)
    off = {"spark.sql.iceberg.aggregate-push-down.enabled": "false"}
    assert not counted("SELECT count(*) FROM sales", settings=off)


def test_a_smaller_storage_wins_over_the_same_grain(built: World) -> None:
    storage = next(r for n, r in built.relations.items() if n.table == "by_region__storage")
    assert isinstance(storage, Table)
    relations = built.relations | {storage.name: replace(storage, records=10**7)}
    outcome = rewrite(parse(QUERY, built.session), built.definitions, relations)
    assert [r.view.name.table for r in outcome.replacements] == ["by_hour"]


# Settings of Spark's parser under which literals have another meaning, also those that a rewriting would print.
ESCAPED, DOUBLE_QUOTED = "spark.sql.parser.escapedStringLiterals", "spark.sql.ansi.doubleQuotedIdentifiers"


@pytest.mark.parametrize(
    ("session", "reason", "detail"),
    [
        ({"off": REWRITE_IS_OFF}, Reason.REWRITE_OFF, "viewgate.rewrite"),
        ({"settings": {"spark.sql.caseSensitive": "true"}}, Reason.SETTINGS_DIFFER, "caseSensitive"),
        ({"settings": {ESCAPED: "true"}}, Reason.SETTINGS_DIFFER, ESCAPED),
        ({"settings": {DOUBLE_QUOTED: "true"}}, Reason.SETTINGS_DIFFER, DOUBLE_QUOTED),
        ({"settings": {"spark.wap.branch": "audit"}}, Reason.SETTINGS_DIFFER, "spark.wap.branch"),
        (
            {"settings": {"spark.sql.ansi.enabled": "false"}},
            Reason.SETTINGS_DIFFER,
            "ansi.enabled is false in this session, but not set in the view's settings",
        ),
        ({"settings": {"spark.sql.unheard.of": "1"}}, Reason.SETTINGS_DIFFER, "unheard.of"),
    ],
)
def test_sessions_in_which_nothing_is_rewritten(
    built: World, session: dict[str, Any], reason: Reason, detail: str
) -> None:
    outcome = decide(built, **session)
    assert not outcome.rewritten
    assert {a.reason for a in outcome.tried} == {reason}
    assert all(detail in a.detail for a in outcome.tried)


def test_a_setting_that_has_its_default_value_is_as_if_not_set(built: World) -> None:
    defaults = {"spark.sql.ansi.enabled": "true"}
    assert decide(built, settings={**defaults, "spark.sql.caseSensitive": "false"}, defaults=defaults).rewritten
    other = decide(built, settings={"spark.sql.ansi.enabled": "false"}, defaults=defaults)
    assert "false in this session, but true in the view" in other.tried[0].detail


def test_how_a_query_is_run_is_no_matter(built: World) -> None:
    assert decide(
        built, settings={"spark.sql.shuffle.partitions": "7", "spark.sql.leafNodeDefaultParallelism": "1"}
    ).rewritten


def test_the_zone_matters_where_times_are_read(built: World) -> None:
    here: dict[str, Any] = {"time_zone": "Asia/Tokyo", "settings": {TIME_ZONE: "Asia/Tokyo"}}
    outcome = rewrite(parse(QUERY, replace(built.session, **here)), built.definitions.thorough, built.relations)
    assert [r.view.name.table for r in outcome.replacements] == ["by_region"]
    assert {a.reason for a in outcome.tried if a.view.table == "by_hour"} == {Reason.NOT_CHOSEN}
    by_hour = decide(built, "SELECT timeseries(ts, 'hour'), sum(n) FROM sales GROUP BY 1", **here)
    assert not by_hour.rewritten
    assert Reason.ZONE_NOT_PROVED in {a.reason for a in by_hour.tried if a.view.table == "by_hour"}
    filtered = "SELECT timeseries(ts, 'hour'), sum(n) FROM sales WHERE ts >= '2024-01-01' GROUP BY 1"
    assert decide(built, filtered, **here).rewritten


def test_times_without_zone_are_the_same_in_every_zone() -> None:
    schema = "CREATE TABLE sales (local TIMESTAMP_NTZ, d DATE, n INT)"
    views = {"by_day": "SELECT timeseries(local, 'day') AS day, year(d) AS y, sum(n) AS s FROM sales GROUP BY 1, 2"}
    elsewhere = {"time_zone": "Europe/Berlin", "settings": {TIME_ZONE: "Europe/Berlin"}}
    query = "SELECT timeseries(local, 'year'), sum(n) FROM sales GROUP BY 1"
    assert decide(world(GoldenFile(Path(), schema=schema, views=views)), query, **elsewhere).rewritten


@pytest.mark.parametrize(("zone", "rewritten"), [("Europe/Berlin", True), ("Asia/Manila", False)])
def test_midnights_of_dates_are_those_of_their_months_where_no_date_was_left_out(zone: str, rewritten: bool) -> None:
    """Manila had no 31 December 1844: Spark takes that date for the next day, which is in another year."""
    views = {"by_month": "SELECT timeseries(d, 'month') AS m, sum(n) AS s FROM sales GROUP BY 1"}
    here = {TIME_ZONE: zone}
    built = world(GoldenFile(Path(), schema="CREATE TABLE sales (d DATE, n INT)", settings=here, views=views))
    assert decide(built, "SELECT date_trunc('year', d), sum(n) FROM sales GROUP BY 1").rewritten is rewritten


@pytest.mark.parametrize("call", ["date_trunc(month, d)", "date_trunc(u.month, s.d)"])
def test_a_column_that_is_called_as_a_unit_is_none(call: str) -> None:
    views = {"by_month": "SELECT trunc(d, 'MONTH') AS m, k, month, sum(n) AS n FROM s GROUP BY 1, 2, 3"}
    schema = "CREATE TABLE s (d DATE, k INT, month STRING, n INT); CREATE TABLE u (k INT, month STRING)"
    built = world(GoldenFile(Path(), schema=schema, views=views))
    tables = "s JOIN u ON s.k = u.k" if "u." in call else "s"
    assert not decide(built, f"SELECT {call}, sum(n) FROM {tables} GROUP BY 1").rewritten


def test_a_view_of_another_tool_answers_only_what_depends_on_no_setting(built: World) -> None:
    views = tuple(replace(view, settings=None) for view in built.definitions.views)
    outcome = rewrite(parse(QUERY, built.session), Definitions(views).thorough, built.relations)
    assert [r.view.name.table for r in outcome.replacements] == ["by_region"]
    assert {a.reason for a in outcome.tried if a.view.table == "by_hour"} == {Reason.SETTINGS_DIFFER}


def test_a_temporary_view_of_the_tables_name_is_not_the_table(built: World) -> None:
    assert not decide(built, temporary_views=frozenset({"sales"})).tried


def test_a_rule_that_breaks_costs_a_rewriting_and_not_the_answer(
    built: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(answer, "RULES", (broken,))
    outcome = decide(built)
    assert outcome.sql() == QUERY
    assert "the rewriter failed with an internal error" in outcome.tried[0].detail
    assert "sum(n) FROM sales" in caplog.text


def test_an_unknown_table_is_left_to_spark(built: World) -> None:
    relations = dict.fromkeys(built.relations)
    assert not rewrite(parse(QUERY, built.session), built.definitions, relations).rewritten


def test_a_filter_of_a_thousand_parts_is_read_at_once() -> None:
    """Each operand was once compared and copied with all before it, which delayed all clients by minutes."""
    built = world(read(FOLDER / "traps.sql"))
    parts = " OR ".join(f"k = {i}" for i in range(120))
    for condition in (parts, f"NOT ({parts})", f"k IN ({', '.join(map(str, range(5000)))})"):
        assert built.rewrite(f"SELECT g, sum(k) FROM a WHERE {condition} GROUP BY g").rewritten


def test_not_all_ways_are_tried_in_which_a_view_of_many_self_joins_fits() -> None:
    def joined(occurrences: int) -> str:
        on = (f" JOIN sales s{i} ON s{i - 1}.n = s{i}.n" for i in range(1, occurrences))
        return "SELECT s0.region FROM sales s0" + "".join(on)

    built = world(GoldenFile(Path(), schema=SCHEMA, views={"five": joined(5).replace("region", "region AS r")}))
    (attempt,) = decide(built, joined(12)).tried
    assert (attempt.reason, attempt.detail) == (
        Reason.SHAPE,
        "the view's tables can be mapped to the query's tables in more than 500 ways, because both read the same "
        "table several times: create a view with fewer self-joins",
    )


def test_not_all_ways_are_tried_in_which_such_a_view_has_the_rows_that_exists_tests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    joined = "sales a JOIN sales b ON a.region <> b.region JOIN sales c ON b.region <> c.region"
    views = {
        "three": f"SELECT a.n, count(*) AS cnt FROM {joined} GROUP BY a.n",
        "by_name": "SELECT n, name, count(*) AS cnt FROM numbers GROUP BY n, name",
    }
    built = world(GoldenFile(Path(), schema=f"{SCHEMA}; CREATE TABLE numbers (n INT, name STRING)", views=views))
    tried = count(1)
    monkeypatch.setattr(tested, "read_view", lambda *asked: (next(tried), read_view(*asked))[1])
    monkeypatch.setattr(tested, "MAPPINGS", 4)
    exists = f"EXISTS (SELECT * FROM {joined} WHERE c.n = numbers.n AND a.ts IS NULL)"
    assert decide(built, f"SELECT name, count(*) FROM numbers WHERE {exists} GROUP BY name").rewritten
    assert next(tried) == 5


def test_tables_that_double_with_each_common_table_expression_are_not_all_read(
    built: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice = "SELECT x.region, y.n FROM {0} x JOIN {0} y ON x.n = y.n"
    tables = ["c0 AS (SELECT region, n FROM sales)", *(f"c{i} AS ({twice.format(f'c{i - 1}')})" for i in range(1, 17))]
    read, real = count(), from_clause.read_from

    def counted(*arguments: Any) -> Any:
        assert next(read) < 5000, "each common table expression is read many times"
        return real(*arguments)

    monkeypatch.setattr("rewriter.block.resolve.read_from", counted)
    outcome = decide(built, f"WITH {', '.join(tables)} SELECT region, sum(n) FROM c16 GROUP BY region")
    assert not outcome.rewritten
    assert "FROM names more than 100 tables, which is not supported: split the query" in {
        attempt.detail for attempt in outcome.tried
    }


@pytest.mark.parametrize(
    "level",
    [
        "SELECT DISTINCT region, n FROM {}",
        "SELECT region, sum(n) AS n FROM {} GROUP BY region",
        "SELECT region, sum(n) OVER (PARTITION BY region) AS n FROM {}",
        "SELECT region, n FROM {} ORDER BY region LIMIT 10",
        "SELECT {0}.region, sum({0}.n) AS n FROM {0} JOIN sales s ON s.region = {0}.region GROUP BY {0}.region",
    ],
)
def test_each_level_of_nested_groups_is_read_a_few_times_only(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    views = {**VIEWS, "large": "SELECT region, sum(n) AS s FROM sales GROUP BY region HAVING sum(n) > 3"}
    built = world(GoldenFile(Path(), schema=SCHEMA, views=views))
    levels = 20
    above = [f"c{i} AS ({level.format(f'c{i - 1}')})" for i in range(1, levels)]
    read, real = count(), from_clause.read_from

    def counted(*arguments: Any) -> Any:
        assert next(read) < 10 * levels * levels, "the time doubles with each level"
        return real(*arguments)

    monkeypatch.setattr("rewriter.block.resolve.read_from", counted)
    asked = f"SELECT s.region, sum(s.n) FROM sales s JOIN c{levels - 1} y ON s.region = y.region GROUP BY s.region"
    decide(built, f"WITH {', '.join(('c0 AS (SELECT region, n FROM sales)', *above))} {asked}")


def test_what_is_nested_too_deeply_is_left_alone() -> None:
    built = world(read(FOLDER / "traps.sql"))
    deep = " OR ".join(f"(k = {i} AND g = 'x')" for i in range(5000))
    outcome = built.rewrite(f"SELECT g, sum(k) FROM a WHERE {deep} GROUP BY g")
    assert not outcome.rewritten


def test_a_plan_that_is_nested_too_deeply_to_be_printed_is_not_used() -> None:
    rows = world(GoldenFile(Path(), schema=SCHEMA, views={"rows": "SELECT region, n FROM sales"}))
    tuples = ", ".join(f"({i}, 'x')" for i in range(500))
    outcome = decide(rows, f"SELECT n FROM sales WHERE (n, region) IN ({tuples})")
    assert outcome.sql() == outcome.original
    attempts = [(attempt.reason, attempt.detail) for attempt in outcome.tried]
    assert attempts == [(Reason.UNSUPPORTED, "the query is nested too deeply: simplify the query")]


def test_a_view_that_is_nested_too_deeply_fills_no_log(
    built: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def deep(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr("rewriter.engine.tried.access_path_of", deep)
    outcome = decide(built)
    assert not outcome.rewritten
    assert "the query is nested too deeply: simplify the query" in [attempt.detail for attempt in outcome.tried]
    assert caplog.text == ""


def test_an_error_in_a_rule_for_whole_views_costs_that_view_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    view = "SELECT region, n FROM sales UNION ALL SELECT region, n FROM sales WHERE n > 3"
    built = world(GoldenFile(Path(), schema=SCHEMA, views={"both": view}))

    def broken(*_: object) -> None:
        raise KeyError("surprise")

    monkeypatch.setattr("rewriter.engine.answer.read_alike", broken)
    outcome = decide(built, "SELECT n FROM sales UNION ALL SELECT n FROM sales WHERE n > 3")
    assert not outcome.rewritten
    assert "the rewriter failed with an internal error: see the log of Viewgate" in [
        attempt.detail for attempt in outcome.tried
    ]
    assert "match failed view=lake.demo.both" in caplog.text


def test_the_query_of_a_statement_that_fills_a_table_is_answered(built: World) -> None:
    head = "CREATE TABLE lake.demo.copy USING iceberg COMMENT 'SELECT' AS "
    filled = decide(built, head + QUERY)
    assert filled.sql() == head + decide(built).sql()
    assert decide(built, f"INSERT OVERWRITE lake.demo.copy (region, s) {QUERY}").rewritten
    common = decide(built, f"WITH x AS ({QUERY}) INSERT INTO lake.demo.copy SELECT * FROM x")
    assert common.rewritten
    assert common.sql().startswith("WITH x AS (SELECT v.")
    of_rows = "SELECT v.`region` AS region, v.`s` AS `sum(n)` FROM lake.demo.by_region__storage AS v"
    assert common.sql().endswith(f") INSERT INTO lake.demo.copy {of_rows}")
    assert not decide(
        built, f"MERGE INTO copy USING ({QUERY}) AS q ON copy.region = q.region WHEN MATCHED THEN DELETE"
    ).rewritten


def test_a_float_sum_is_not_written_with_other_last_bits() -> None:
    schema, views = "CREATE TABLE sales (k INT, x DOUBLE)", {"by_k": "SELECT k, sum(x) AS s FROM sales GROUP BY k"}
    query = "SELECT sum(x) FROM sales"
    floats = world(GoldenFile(Path(), schema=schema, views=views))
    assert decide(floats, query).rewritten
    written = decide(floats, f"INSERT INTO copy {query}")
    assert [a.reason for a in written.tried] == [Reason.FLOAT_SUM_DECIDES_ROWS]


def test_a_filter_that_a_view_says_twice_is_no_other_than_itself() -> None:
    filters = "NOT (n = length(region)) AND NOT (n = length(region))"
    filtered = f"SELECT region, timeseries(ts, 'hour') AS h, sum(n) AS s FROM sales WHERE {filters} GROUP BY 1, 2"
    built = world(GoldenFile(Path(), schema=SCHEMA, views={"twice": filtered}))
    (attempt,) = decide(built, "SELECT sum(n) FROM sales").tried
    assert (attempt.reason, attempt.detail) == (Reason.VIEW_FILTERS_MORE, "NOT n = length(region)")


def test_a_select_without_from_may_stand_around_what_is_answered(built: World) -> None:
    for query in (
        "SELECT (SELECT sum(n) FROM sales) AS total",
        "SELECT 1 AS one, (SELECT sum(n) FROM sales) + 1 AS more",
    ):
        assert decide(built, query).rewritten


@pytest.mark.parametrize(("output", "rolls_up"), [("avg(b)", True), ("sum(wide)", False)])
def test_without_ansi_only_sums_that_may_have_overflowed_are_left(output: str, rolls_up: bool) -> None:
    schema = "CREATE TABLE t (a STRING, c STRING, b BIGINT, wide DECIMAL(38,2))"
    plain = world(GoldenFile(Path(), schema=schema, views={"v": f"SELECT a, c, {output} AS x FROM t GROUP BY a, c"}))
    settings = {"spark.sql.ansi.enabled": "false"}
    definitions = Definitions(tuple(replace(view, settings=settings) for view in plain.definitions.views))
    session = replace(plain.session, settings=settings)
    outcome = rewrite(parse(f"SELECT a, {output} FROM t GROUP BY a", session), definitions, plain.relations)
    assert outcome.rewritten == rolls_up
    assert rolls_up or {a.reason for a in outcome.tried} == {Reason.AGGREGATE_DOES_NOT_ROLL_UP}


@pytest.mark.parametrize(
    "query",
    [
        "SELECT region, count(*) FROM (SELECT region FROM sales UNION ALL VALUES ('eu')) u GROUP BY region",
        "WITH u AS (SELECT region FROM sales UNION ALL VALUES ('eu')) SELECT region, count(*) FROM u GROUP BY region",
        "SELECT r FROM (SELECT region AS r FROM sales UNION ALL FROM sales SELECT region) u",
    ],
)
def test_a_branch_that_is_no_select_of_the_text_leaves_the_statement_as_it_is(built: World, query: str) -> None:
    assert not decide(built, query).rewritten


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(DISTINCT) FROM sales",
        "SELECT region, count(DISTINCT) FROM sales GROUP BY region",
        "SELECT sum(n) FROM sales GROUP BY",
        "SELECT sum(n) FROM sales GROUP BY window()",
        "SELECT sum(n) FROM sales GROUP BY window(ts)",
        "SELECT sum(n) FROM sales GROUP BY window(, '1 hour')",
    ],
)
def test_a_text_that_spark_refuses_is_left_to_it(built: World, query: str) -> None:
    assert not decide(built, query).rewritten


@pytest.mark.parametrize("call", ["trunc(ts)", "date_trunc('hour',)", "make_date(year(ts))", "from_unixtime()"])
def test_a_call_with_too_few_arguments_surprises_nobody(
    built: World, call: str, caplog: pytest.LogCaptureFixture
) -> None:
    decide(built, f"SELECT sum(n) FROM sales GROUP BY {call}")
    assert not caplog.records
