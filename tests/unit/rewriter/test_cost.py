"""Which view is the cheapest, and when the tables themselves are."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rewriter import Outcome, Reason, parse, rewrite
from rewriter.block import predicates_of
from rewriter.cost import Costs
from rewriter.engine.questions import block_of, finder
from rewriter.model import Relation, Table, TableName
from rewriter.model.settings import TIME_ZONE
from rewriter.model.statistics import FEW_ROWS, ColumnFiles, FileGroup, Statistics
from rewriter.scans import ROW, SHUFFLE
from tests.golden.corpus import GoldenFile, World, world

SCHEMA = "CREATE TABLE sales (region STRING, sex STRING, day DATE, n INT)"
VIEWS = {
    "fine": "SELECT region, sex, sum(n) AS s FROM sales GROUP BY region, sex",
    "right": "SELECT region, sum(n) AS s FROM sales GROUP BY region",
}
MANY = 10_000_000
SUMS = "SELECT shop, day, sum(n) AS s FROM sales"
# As many rows as a shuffle takes.
SHUFFLED = int(SHUFFLE / ROW)


@pytest.fixture
def built() -> World:
    return world(GoldenFile(Path(), schema=SCHEMA, views=VIEWS))


def sized(built: World, rows: dict[str, int | None]) -> dict[TableName, Relation | None]:
    """Return the relations, with some tables of this many rows and of zero bytes."""
    return {
        name: replace(r, records=rows[name.table], size=None if rows[name.table] is None else 0)
        if isinstance(r, Table) and name.table in rows
        else r
        for name, r in built.relations.items()
    }


def chosen(
    built: World, rows: dict[str, int | None], query: str = "SELECT region, sum(n) FROM sales GROUP BY region"
) -> Any:
    outcome = rewrite(parse(query, built.session), built.definitions.thorough, sized(built, rows))
    return [r.view.name.table for r in outcome.replacements], {a.view.table: a.reason for a in outcome.tried}


def test_grouping_again_takes_as_long_as_some_rows(built: World) -> None:
    assert chosen(built, {"right__storage": SHUFFLED - 1, "fine__storage": 0, "sales": MANY})[0] == ["right"]
    assert chosen(built, {"right__storage": SHUFFLED + 1, "fine__storage": 0, "sales": MANY})[0] == ["fine"]


def test_a_view_with_nearly_the_rows_of_its_table_is_not_used(built: World) -> None:
    rows: dict[str, int | None] = {"right__storage": MANY, "fine__storage": MANY, "sales": MANY}
    query = "SELECT sum(n) FROM sales"
    assert chosen(built, rows, query) == ([], {"right": Reason.DEARER, "fine": Reason.DEARER})
    assert chosen(built, rows | {"right__storage": MANY // 2}, query)[0] == ["right"]


def test_a_view_of_few_rows_is_always_worth_its_while(built: World) -> None:
    assert chosen(built, {"right__storage": FEW_ROWS, "fine__storage": None, "sales": 0})[0] == ["right"]
    assert chosen(built, {"right__storage": FEW_ROWS + SHUFFLED + 1, "fine__storage": MANY, "sales": 0})[0] == []


def test_a_hint_forces_a_view_that_does_not_pay(built: World) -> None:
    fine = TableName(("lake", "demo", "fine"))
    statement = parse("SELECT sum(n) FROM sales", replace(built.session, only=fine))
    outcome = rewrite(statement, built.definitions.thorough, sized(built, {"fine__storage": MANY, "sales": MANY}))
    assert [r.view.name for r in outcome.replacements] == [fine]


def test_columns_that_a_view_leaves_out_need_not_be_read() -> None:
    schema = "CREATE TABLE wide (a INT, b INT, c STRING, d STRING, e STRING, f STRING)"
    built = world(GoldenFile(Path(), schema=schema, views={"narrow": "SELECT a, b FROM wide WHERE a > 0"}))
    tables = {n: replace(r, records=MANY, size=MANY * 80) for n, r in built.relations.items() if isinstance(r, Table)}

    def answers(query: str, bytes_a_row: int) -> bool:
        storage = replace(tables[TableName(("lake", "demo", "narrow__storage"))], size=MANY * bytes_a_row)
        relations = {**built.relations, **tables, storage.name: storage}
        return rewrite(parse(query, built.session), built.definitions, relations).rewritten

    # Of the table's 80 bytes a row, a ninth are read.
    assert answers("SELECT a, b FROM wide WHERE a > 0", 8)
    assert not answers("SELECT a, b FROM wide WHERE a > 0", 16)


@pytest.mark.parametrize(("column", "used"), [("INT", ["sums"]), ("DECIMAL(8,2)", ["sums"]), ("DECIMAL(9,2)", [])])
def test_sums_of_more_than_18_digits_are_dearer_to_read(column: str, used: list[str]) -> None:
    schema = f"CREATE TABLE sales (shop INT, day DATE, n {column})"
    built = world(GoldenFile(Path(), schema=schema, views={"sums": f"{SUMS} GROUP BY shop, day"}))
    rows: dict[str, int | None] = {"sums__storage": MANY * 8 // 10, "sales": MANY}
    assert chosen(built, rows, f"{SUMS} WHERE day > '2024-01-01' GROUP BY shop, day")[0] == used


def test_of_appended_rows_only_the_columns_of_the_query_are_read() -> None:
    columns = ", ".join(f"c{at} INT" for at in range(48))
    schema = f"CREATE TABLE sales (region STRING, n INT, {columns})"
    row = f"INSERT INTO sales VALUES ('eu', 1{', 0' * 48})"
    built = world(GoldenFile(Path(), schema=schema, rows=row, appended=row, views={"right": VIEWS["right"]}))
    name = TableName(("lake", "demo", "sales"))
    sales = built.relations[name]
    assert isinstance(sales, Table)
    tenth = [replace(snapshot, added=4 * 10**9) for snapshot in sales.snapshots]
    grown = replace(sales, records=10 * MANY, size=40 * 10**9, snapshots=tuple(tenth))
    relations = {**built.relations, name: grown}
    query = "SELECT region, sum(n) FROM sales GROUP BY region"
    outcome = rewrite(parse(query, built.session), built.definitions, relations)
    assert [r.view.name.table for r in outcome.replacements] == ["right"], outcome.tried
    assert outcome.live


@pytest.mark.parametrize(("share", "rules"), [(0.05, ["changelog_union"]), (0.25, [])])
def test_changed_rows_are_dearer_than_rows_of_the_table(share: float, rules: list[str]) -> None:
    schema = "CREATE TABLE sales (region STRING, n INT NOT NULL)"
    insert = "INSERT INTO sales VALUES ('eu', 1)"
    view = {"groups": "SELECT region, sum(n) AS s, count(*) AS c FROM sales GROUP BY region"}
    delete = "DELETE FROM sales WHERE n = 1"
    built = world(GoldenFile(Path(), schema=schema, rows=insert, appended=delete, views=view))
    name = TableName(("lake", "demo", "sales"))
    sales = built.relations[name]
    assert isinstance(sales, Table)
    # A change of a file removes the old one and adds a new one.
    changed = [replace(each, added=int(share * 10**9), removed=int(share * 10**9)) for each in sales.snapshots]
    grown = replace(sales, records=MANY, size=10**9, snapshots=tuple(changed))
    query = "SELECT region, sum(n) FROM sales GROUP BY region"
    outcome = rewrite(parse(query, built.session), built.definitions, {**built.relations, name: grown})
    assert [replacement.rule for replacement in outcome.replacements] == rules


def test_the_tables_under_groups_are_what_a_view_over_these_saves() -> None:
    groups = "(SELECT region, sum(n) AS s FROM sales GROUP BY region)"
    query = f"SELECT x.region, y.s FROM {groups} AS x JOIN {groups} AS y ON x.s = y.s"
    built = world(GoldenFile(Path(), schema=SCHEMA, views={"pairs": query}))
    assert chosen(built, {"pairs__storage": MANY, "sales": MANY}, f"{query} WHERE x.region > 'a'")[0] == ["pairs"]
    assert chosen(built, {"pairs__storage": 9 * MANY, "sales": MANY}, f"{query} WHERE x.region > 'a'")[0] == []


def test_what_is_not_known_is_read_last_but_read(built: World) -> None:
    assert chosen(built, {"right__storage": None, "fine__storage": MANY, "sales": 9 * MANY})[0] == ["fine"]
    assert chosen(built, {"right__storage": None, "fine__storage": None, "sales": 0})[0] == ["right"]


def test_equally_good_views_are_taken_by_name(built: World) -> None:
    query = "SELECT sum(n) FROM sales"
    assert chosen(built, {"right__storage": 7, "fine__storage": 7}, query)[0] == ["fine"]


def test_views_with_parts_of_the_rows_are_bounded_by_what_a_union_reads_of_them() -> None:
    views = {"late": "SELECT region, n, max(sex) AS m FROM sales WHERE n > 0 GROUP BY region, n"}
    built = world(GoldenFile(Path(), schema=SCHEMA, views=views))
    relations = sized(built, {"late__storage": MANY, "sales": 50 * MANY})
    statement = parse("SELECT max(sex) FROM sales", built.session)
    (select,) = statement.blocks
    assert select.tree is not None
    block, _ = block_of(select, select.tree, statement, finder(statement, built.definitions, relations))
    costs = Costs(relations, "UTC")
    shortlist, scans = built.definitions.shortlist(statement, select), costs.scans(block)
    least = costs.least(shortlist, predicates_of(block, "UTC"), scans, costs.of_block(block))
    bounds = {view.name: bound for bound, view in least}
    (replaced,) = rewrite(statement, built.definitions, relations).replacements
    assert bounds[replaced.view.name] <= costs.of_match(replaced.match).ms


def tried(built: World, query: str, rows: dict[str, int]) -> list[str]:
    """Return the views tried, over tables of this many rows with 64 bytes each."""
    relations = {
        name: replace(r, size=64 * r.records) if isinstance(r, Table) and r.records is not None else r
        for name, r in sized(built, {**rows}).items()
    }
    return [attempt.view.table for attempt in rewrite(parse(query, built.session), built.definitions, relations).tried]


def test_of_equally_good_views_only_the_first_is_tried() -> None:
    query = "SELECT region, sum(n) AS s FROM sales GROUP BY region"
    wider = query.replace(" FROM", ", max(n) AS m, count(*) AS c FROM")
    built = world(GoldenFile(Path(), schema=SCHEMA, views={f"v{i}": wider for i in range(5)}))
    assert tried(built, query, {"sales": MANY} | {f"v{i}__storage": 10 for i in range(5)}) == ["v0"]


def test_a_view_with_a_further_key_that_the_filter_fixes_needs_no_roll_up() -> None:
    query = "SELECT region, sum(n) FROM sales WHERE sex = 'f' GROUP BY region"
    views = {
        "filtered": "SELECT region, sum(n) AS s FROM sales WHERE sex = 'f' GROUP BY region",
        "keyed": "SELECT region, sex, sum(n) AS s FROM sales GROUP BY region, sex",
    }
    built = world(GoldenFile(Path(), schema=SCHEMA, views=views))
    relations = sized(built, {"filtered__storage": FEW_ROWS, "keyed__storage": 9, "sales": 9 * MANY})
    (replaced,) = rewrite(parse(query, built.session), built.definitions, relations).replacements
    assert replaced.view.name.table == "keyed"


def test_views_that_must_be_joined_to_the_same_table_are_not_tried_after_a_cheaper_one() -> None:
    query = "SELECT area, sum(n) AS s FROM sales JOIN regions ON region = name GROUP BY area"
    schema = f"{SCHEMA};\nCREATE TABLE regions (name STRING, area STRING)"
    built = world(GoldenFile(Path(), schema=schema, views=VIEWS))
    rows = {"sales": 9 * MANY, "regions": MANY, "right__storage": 1, "fine__storage": 9}
    assert tried(built, query, rows) == ["right"]


FIRST = date(2024, 1, 1)
LAST = datetime(2024, 12, 30, 12, tzinfo=UTC)
EPOCH = date(1970, 1, 1)
DAILY = {"daily": "SELECT day, region, sum(n) AS s FROM sales GROUP BY day, region"}


def lake(rows_a_day: int, groups_a_day: int) -> World:
    """Return a year of sales with a file for each day, and a view of it in one file."""
    built = world(GoldenFile(Path(), schema=SCHEMA, views=DAILY))
    days = [(FIRST + timedelta(days=n) - EPOCH).days for n in range(365)]
    of_day = ColumnFiles(sizes=[rows_a_day] * 365, nulls=[0] * 365, lower=days, upper=days)
    group = FileGroup([rows_a_day] * 365, [rows_a_day * 40] * 365, {3: of_day})
    sales = built.relations[TableName(("lake", "demo", "sales"))]
    storage = built.relations[TableName(("lake", "demo", "daily__storage"))]
    assert isinstance(sales, Table)
    assert isinstance(storage, Table)
    total = 365 * rows_a_day
    large = committed(replace(sales, records=total, size=total * 40, statistics=Statistics(1, (group,))))
    small = replace(storage, records=365 * groups_a_day, size=365 * groups_a_day * 20)
    return replace_relations(built, large, small)


def committed(table: Table) -> Table:
    """Return the table with its last commit at LAST."""
    newest, *before = table.snapshots
    return replace(table, snapshots=(replace(newest, timestamp_ms=int(LAST.timestamp()) * 1000), *before))


def replace_relations(built: World, *tables: Table) -> World:
    return World(built.session, {**built.relations, **{t.name: t for t in tables}}, built.definitions)


def decided(built: World, where: str) -> Outcome:
    query = f"SELECT region, sum(n) FROM sales {where} GROUP BY region"
    return rewrite(parse(query, built.session), built.definitions, built.relations)


def told_dearer(built: World, where: str) -> str:
    """Return what is told of the only view, which must cost more than the table."""
    kept = decided(built, where)
    assert not kept.rewritten
    (attempt,) = kept.tried
    assert attempt.reason is Reason.DEARER
    return attempt.detail


def test_a_table_that_is_pruned_to_a_file_is_asked_itself() -> None:
    built = lake(rows_a_day=100_000, groups_a_day=5_000)
    assert decided(built, "").rewritten
    assert decided(built, "WHERE day >= '2024-02-01'").rewritten
    assert "100,000 rows of 1 of 365 files in 1 scan" in told_dearer(built, "WHERE day = '2024-02-01'")


def test_a_bound_that_moves_with_the_clock_prunes_with_its_value_at_the_last_commit() -> None:
    built = lake(rows_a_day=100_000, groups_a_day=5_000)
    assert decided(built, "WHERE day >= current_date() - INTERVAL 300 DAYS").rewritten
    told = told_dearer(built, "WHERE date_add(current_date(), -1) <= day")
    assert "200,000 rows of 2 of 365 files in 1 scan" in told


@pytest.mark.parametrize("zone", ["UTC", "-08:00"])
def test_a_window_up_to_now_reads_the_table_only_before_its_first_whole_day(zone: str) -> None:
    views = {"by_day": "SELECT timeseries(at, 'day') AS d, region, sum(n) AS s FROM events GROUP BY 1, 2"}
    schema = "CREATE TABLE events (at TIMESTAMP, region STRING, n INT)"
    built = world(GoldenFile(Path(), schema=schema, views=views, settings={TIME_ZONE: zone}))
    ends = [int((LAST - timedelta(days=30 * n)).timestamp()) * 1_000_000 for n in range(13)]
    of_month = ColumnFiles(sizes=[MANY] * 12, nulls=[0] * 12, lower=ends[1:], upper=ends[:-1])
    group = FileGroup([MANY // 10] * 12, [MANY] * 12, {1: of_month})
    events, storage = (built.relations[TableName(("lake", "demo", name))] for name in ("events", "by_day__storage"))
    assert isinstance(events, Table)
    assert isinstance(storage, Table)
    large = committed(replace(events, records=12 * MANY // 10, size=12 * MANY, statistics=Statistics(1, (group,))))
    small = committed(replace(storage, records=360 * 8, size=360 * 200))
    built = replace_relations(built, large, small)
    for window in ("INTERVAL 300 DAYS", "INTERVAL '300 days 3 hours'", "INTERVAL 9 MONTHS"):
        query = f"SELECT region, sum(n) FROM events WHERE at >= now() - {window} GROUP BY region"
        assert rewrite(parse(query, built.session), built.definitions, built.relations).rewritten, window


def test_only_filters_that_spark_hands_to_iceberg_prune() -> None:
    built = lake(rows_a_day=100_000, groups_a_day=5_000)
    assert decided(built, "WHERE day + INTERVAL 1 DAY = '2024-02-01'").rewritten
    assert decided(built, "WHERE day = '2024-02-01' OR region = 'eu'").rewritten


def test_a_choice_is_made_for_each_value_of_a_parameter() -> None:
    built = lake(rows_a_day=100_000, groups_a_day=5_000)
    assert not decided(built, "WHERE day BETWEEN '2024-02-01' AND '2024-02-02'").rewritten
    assert decided(built, "WHERE day BETWEEN '2024-02-01' AND '2024-11-02'").rewritten
