"""Which way a refresh takes, by the view's shape and by the changes of its sources."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from sqlglot import exp

from rewriter import Decision, Kind, define, dependencies, plan, stale_files, stored
from rewriter.block import Block, Occurrence
from rewriter.delta import signed_problem
from rewriter.functions.registry import AGGREGATES
from rewriter.functions.trees import call_of
from rewriter.model import (
    Change,
    ChangeKind,
    Column,
    DataFile,
    Files,
    MaterializedView,
    PartitionField,
    RefreshState,
    Session,
    Snapshot,
    Table,
    TableName,
)

SESSION = Session("lake", ("demo",))
SALES, DIM = (TableName(("lake", "demo", name)) for name in ("sales", "dim"))
COLUMNS = {
    SALES: (
        Column("k", "string", field_id=1), Column("n", "int", field_id=2), Column("m", "decimal(10,2)", field_id=3),
        Column("y", "double", field_id=4), Column("d", "int", field_id=5),
        Column("sure", "int", nullable=False, field_id=6), Column("big", "bigint", field_id=7),
    ),
    DIM: (Column("d", "int", field_id=1), Column("name", "string", field_id=2)),
}  # fmt: skip
TYPES = {"k": "string", "name": "string", "y": "double", "mx": "double", "sm": "decimal(20,2)", "sy": "double"}
MERGED = Kind.APPEND_MERGE
APPENDED, CHANGED, UNCHANGED = ChangeKind.APPENDED, ChangeKind.CHANGED, ChangeKind.UNCHANGED


def happened(name: TableName, kind: ChangeKind = UNCHANGED, **more: Any) -> Change:
    columns = COLUMNS[name]
    made = Change(name, kind, 1, 1 if kind is UNCHANGED else 2, columns, columns, columns, columns, records=100)
    return replace(made, **more)


def view_of(query: str, settings: dict[str, str] | None = None, hidden: bool = True) -> tuple[MaterializedView, Table]:
    """Return the view and its storage, whose columns have the types that their names say."""
    tables = {
        name: Table(name, name.table, columns, (Snapshot(1, 0, "append", 0),)) for name, columns in COLUMNS.items()
    }
    defined = define(query, SESSION, tables, hidden=hidden)
    name, storage = (TableName(("lake", "demo", table)) for table in ("v", "v__storage"))
    names = [*(label or "x" for label in defined.names), *defined.hidden]
    columns = tuple(Column(label, TYPES.get(label, "bigint")) for label in names)
    view = MaterializedView(
        name, "v", 1, query, defined.storage_query, storage, columns, "lake", ("demo",), settings or {}
    )
    return view, Table(storage, "s", columns, (Snapshot(7, 0, "append", 0),), size=1000)


def planned(query: str, *changes: Change, size: int = 1000, settings: dict[str, str] | None = None) -> Decision:
    view, storage = view_of(query, settings)
    return plan(view, replace(storage, size=size), {change.name: change for change in changes})


COUNTS = "SELECT k, count(*) AS c, count(n) AS cn, sum(n) AS s FROM sales GROUP BY k"
EXTREMES = "SELECT k, min(n) AS mn, max(y) AS mx FROM sales GROUP BY k"
ROWS = "SELECT k, n FROM sales WHERE n > 1"
JOINED = "SELECT name, sum(n) AS s FROM sales JOIN dim ON sales.d = dim.d GROUP BY name"
LEFT_JOINED = "SELECT sales.k, dim.name FROM sales LEFT JOIN dim ON sales.d = dim.d"


@pytest.mark.parametrize(
    ("query", "changes", "kind"),
    [
        (COUNTS, [happened(SALES)], Kind.NOTHING),
        (COUNTS, [happened(SALES, APPENDED)], Kind.APPEND_MERGE),
        (EXTREMES, [happened(SALES, APPENDED)], Kind.APPEND_MERGE),
        ("SELECT k, corr(n, n + 1) AS c, var_pop(n) AS v FROM sales GROUP BY k", [happened(SALES, APPENDED)], MERGED),
        ("SELECT k, theta_sketch_agg(n) AS s FROM sales GROUP BY k", [happened(SALES, APPENDED)], MERGED),
        (ROWS, [happened(SALES, APPENDED)], Kind.APPEND),
        (JOINED, [happened(SALES, APPENDED), happened(DIM)], Kind.DELTA_JOIN),
        (JOINED, [happened(SALES, APPENDED), happened(DIM, APPENDED)], Kind.DELTA_JOIN),
        (LEFT_JOINED, [happened(SALES, APPENDED), happened(DIM)], Kind.DELTA_JOIN),
        (LEFT_JOINED, [happened(SALES), happened(DIM, APPENDED)], Kind.FULL),
        (COUNTS, [happened(SALES, CHANGED, added=1, removed=1)], Kind.CHANGELOG),
        (COUNTS, [happened(SALES, CHANGED, added=10**6, removed=10**6, records=9 * 10**6)], Kind.CHANGELOG),
        ("SELECT k, sum(sure) AS s FROM sales GROUP BY k", [happened(SALES, CHANGED)], Kind.CHANGELOG),
        ("SELECT k, sum(n) AS s FROM sales GROUP BY k", [happened(SALES, CHANGED)], Kind.CHANGELOG),
        ("SELECT k, avg(n) AS mx, count(*) c FROM sales GROUP BY k", [happened(SALES, CHANGED)], Kind.CHANGELOG),
        ("SELECT k, avg(big) AS mx, sum(n) AS s FROM sales GROUP BY k", [happened(SALES, CHANGED)], Kind.CHANGELOG),
        (ROWS, [happened(SALES, CHANGED)], Kind.FULL),
        (JOINED, [happened(SALES), happened(DIM, CHANGED)], Kind.FULL),
    ],
)  # fmt: skip
def test_the_way_follows_the_change(query: str, changes: list[Change], kind: Kind) -> None:
    assert planned(query, *changes).kind is kind


@pytest.mark.parametrize(
    ("query", "change", "why"),
    [
        (EXTREMES, happened(SALES, CHANGED), "a deleted row cannot be subtracted from min"),
        ("SELECT k, sum(n) AS s, max(n) AS m FROM sales GROUP BY k", happened(SALES, CHANGED), "subtracted from max"),
        ("SELECT k, sum(n) AS s FROM sales GROUP BY k HAVING sum(n) > 1", happened(SALES, CHANGED), "HAVING"),
        ("SELECT k, count(y) AS c, sum(y) AS sy FROM sales GROUP BY k", happened(SALES, CHANGED), "floating-point"),
        (COUNTS, happened(SALES, CHANGED, row_deletes=True), "delete files"),
        (COUNTS, happened(SALES, CHANGED, added=60, removed=60), "120 rows, which take longer to compare"),
        (COUNTS, happened(SALES, CHANGED, added=10**6, removed=10**6, records=8 * 10**6), "than all its 8000000 rows"),
        (COUNTS, happened(SALES, ChangeKind.UNKNOWN, reason="rolled back"), "rolled back"),
        (f"{COUNTS} HAVING count(*) > 1", happened(SALES, APPENDED), "HAVING"),
        ("SELECT k, n FROM sales LIMIT 3", happened(SALES, APPENDED), "LIMIT"),
        ("SELECT k, count(DISTINCT n) AS c FROM sales GROUP BY k", happened(SALES, APPENDED), "cannot be merged"),
        (("SELECT k, rank() OVER (ORDER BY n) AS r "
"FROM sales"), happened(SALES, APPENDED), "depend on several rows: window"),
        ("SELECT k, count(*) AS c FROM sales GROUP BY ROLLUP (k)", happened(SALES, APPENDED), ""),
        ("SELECT k, sum(count(*)) OVER () AS c FROM sales GROUP BY k", happened(SALES, APPENDED), ""),
        ("SELECT DISTINCT count(*) AS c FROM sales GROUP BY k", happened(SALES, APPENDED), ""),
        (("SELECT k FROM sales UNION ALL SELECT k "
"FROM sales"), happened(SALES, APPENDED), "the query is not a single SELECT"),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_in_by_its_change_is_computed_anew_with_the_reason(
    query: str, change: Change, why: str
) -> None:
    decision = planned(query, change)
    assert decision.kind is Kind.FULL
    assert why in decision.reason


@pytest.mark.parametrize(
    ("outputs", "lack"),
    [
        ("sum(n) AS s", "a deleted value cannot be subtracted from sum(n) without the count of the same argument"),
        ("count(n) AS cn, avg(n) AS mx", "avg(n) (add its sum and count to the view)"),
        # Such a CAST makes NULL of a number that is too long, where ANSI mode is off.
        (
            "count(n) AS cn, sum(CAST(n AS DECIMAL(9,0))) AS sm",
            "a deleted value cannot be subtracted from sum(CAST(n AS DECIMAL(9, 0)))",
        ),
        (
            "count(k) AS cn, sum(CAST(k AS DECIMAL(38,0))) AS sm",
            "a deleted value cannot be subtracted from sum(CAST(k AS DECIMAL(38, 0)))",
        ),
    ],
)
def test_storage_without_what_a_value_is_taken_back_by_is_computed_anew(outputs: str, lack: str) -> None:
    view, storage = view_of(f"SELECT k, {outputs}, count(*) AS c FROM sales GROUP BY k", hidden=False)
    decision = plan(view, storage, {SALES: happened(SALES, CHANGED)})
    assert (decision.kind, lack in decision.reason) == (Kind.FULL, True), decision.reason


def test_an_aggregate_composed_of_a_sum_needs_the_exact_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGGREGATES, "try_avg", AGGREGATES["avg"])
    number, composed = (call_of(name, exp.column("y", "sales_0")) for name in ("count", "try_avg"))
    sales = Occurrence("sales_0", SALES, "sales", COLUMNS[SALES])
    block = Block((sales,), (), (number, composed), ("c", "b"), ())
    problem = signed_problem(block, {number: "bigint", composed: "double"}, recomputed=True)
    assert problem == "a deleted value cannot be subtracted from try_avg(y) without the exact sum of the same argument"


@pytest.mark.parametrize(("output", "count"), [("sum(sure) AS s", "rows_0"), ("avg(big) AS mx", "count_2")])
def test_a_sum_whose_last_value_has_gone_is_null(output: str, count: str) -> None:
    content = planned(f"SELECT {output} FROM sales WHERE d > 5", happened(SALES, CHANGED)).content
    assert f"CASE WHEN coalesce(sum(v.`viewgate_{count}`), 0) = 0 THEN NULL ELSE " in content


def test_what_went_is_negated_as_what_it_is_summed_to() -> None:
    """Without ANSI mode, -x of the least INT is the least INT again."""
    taken = planned(COUNTS, happened(SALES, CHANGED)).content
    assert "THEN sales_0.n ELSE -CAST(sales_0.n AS BIGINT) END" in taken


@pytest.mark.parametrize("moment", ["recorded", "start_columns", "end_columns"])
def test_a_column_that_was_another_one_before_computes_anew(moment: str) -> None:
    other = tuple(c._replace(field_id=9) if c.name == "n" else c for c in COLUMNS[SALES])
    decision = planned(COUNTS, happened(SALES, APPENDED, **{moment: other}))
    assert (decision.kind, decision.reason) == (Kind.FULL, "the column n of lake.demo.sales has changed")
    unused = tuple(c._replace(field_id=9) if c.name == "y" else c for c in COLUMNS[SALES])
    assert planned(COUNTS, happened(SALES, APPENDED, **{moment: unused})).kind is Kind.APPEND_MERGE


def test_decimal_sums_are_merged_under_ansi_only() -> None:
    query = "SELECT k, sum(m) AS sm FROM sales GROUP BY k"
    assert planned(query, happened(SALES, APPENDED)).kind is Kind.APPEND_MERGE
    assert planned(query, happened(SALES, APPENDED), settings={"spark.sql.ansi.enabled": "false"}).kind is Kind.FULL


def test_small_storage_is_written_anew_large_is_merged_into_by_key_where_few_rows_change() -> None:
    small = planned(COUNTS, happened(SALES, APPENDED)).statement("target")
    assert small.startswith("INSERT OVERWRITE target SELECT")
    assert "FROM lake.demo.v__storage VERSION AS OF 7 UNION ALL" in small
    assert "FROM lake.demo.sales WITH ('start-snapshot-id' = '1', 'end-snapshot-id' = '2') AS sales_0" in small
    large = planned(COUNTS, happened(SALES, APPENDED), size=2**40).statement("target")
    assert large.startswith("MERGE INTO target AS t USING (")
    assert "ON t.k <=> s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *" in large
    view, storage = view_of(COUNTS)
    large_storage = replace(storage, size=2**40, records=10**6)
    for added, write in ((100, "MERGE INTO"), (101, "INSERT OVERWRITE")):
        change = happened(SALES, APPENDED, added=added, records=10**7)
        assert plan(view, large_storage, {SALES: change}).write == write
    as_many = plan(view, large_storage, {SALES: happened(SALES, APPENDED, added=1000, records=10**6 + 1000)})
    assert (as_many.kind, as_many.reason) == (
        Kind.FULL,
        "the storage table has at least as many rows as the base tables",
    )
    by_float = "SELECT y, count(*) AS c FROM sales GROUP BY y"
    assert planned(by_float, happened(SALES, APPENDED), size=2**40).write == "INSERT OVERWRITE"


def test_a_group_that_has_lost_its_last_row_goes() -> None:
    small = planned(COUNTS, happened(SALES, CHANGED)).statement("target")
    assert small.endswith("AS s WHERE s.c > 0")
    large = planned(COUNTS, happened(SALES, CHANGED), size=2**40).statement("target")
    assert "WHEN MATCHED AND s.c = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET *" in large


def test_each_term_of_a_join_is_read_at_exact_snapshots() -> None:
    content = planned(JOINED, happened(SALES, APPENDED), happened(DIM, APPENDED)).content
    assert "FROM lake.demo.sales WITH ('start-snapshot-id' = '1', 'end-snapshot-id' = '2') AS sales_0, " in content
    assert "lake.demo.dim VERSION AS OF 2 AS dim_0" in content
    assert "FROM lake.demo.sales VERSION AS OF 1 AS sales_0, lake.demo.dim WITH ('start-snapshot-id' = '1'" in content


def test_a_table_that_was_empty_is_read_whole_and_joins_nothing_old() -> None:
    content = planned(JOINED, happened(SALES, APPENDED), happened(DIM, APPENDED, start=None)).content
    assert "FROM lake.demo.sales VERSION AS OF 1 AS sales_0, lake.demo.dim VERSION AS OF 2 AS dim_0" in content
    both = planned(JOINED, happened(SALES, APPENDED, start=None), happened(DIM, APPENDED)).content
    assert "dim WITH" not in both


def day(text: str) -> int:
    return (date.fromisoformat(text) - date(1970, 1, 1)).days


def years(*touched: str, **more: Any) -> tuple[MaterializedView, Table, Change]:
    """Return a view by year over a table partitioned by date, with files in 2021, 2022, 2022 and 2023."""
    columns = (Column("column0", "string", field_id=1), Column("date", "date", field_id=2))
    t1 = TableName(("lake", "demo", "t1"))
    query = "SELECT max(column0) AS m, year(date) AS year FROM t1 GROUP BY year(date)"
    defined = define(query, SESSION, {t1: Table(t1, "t1", columns, (Snapshot(1, 0, "append", 0),))})
    name, storage = (TableName(("lake", "demo", table)) for table in ("m1", "m1__storage"))
    columns_stored = (Column("m", "string"), Column("year", "int"), Column("viewgate_rows_0", "bigint"))
    view = MaterializedView(name, "v", 1, query, defined.storage_query, storage, columns_stored, "lake", ("demo",), {})
    by = (PartitionField("year", "identity", "year"),)
    held = Table(storage, "s", columns_stored, (Snapshot(7, 0, "append", 0),), partitioned_by=by)
    live = (("a", "2021-01-01"), ("b", "2022-02-02"), ("c", "2022-02-03"), ("d", "2023-03-03"))
    files = Files(
        (PartitionField("date", "identity"),),
        tuple(DataFile(path, (day(text),), 1) for path, text in live),
        tuple(DataFile("new", (day(text),), 1) for text in touched),
    )
    change = Change(t1, CHANGED, 1, 2, columns, columns, columns, columns, records=4, files=files)
    return view, held, replace(change, **more)


def by_year(*touched: str, **more: Any) -> Decision:
    view, held, change = years(*touched, **more)
    return plan(view, held, {change.name: change})


def test_only_targets_whose_source_files_changed_are_computed_anew() -> None:
    decision = by_year("2022-02-02")
    assert decision.kind is Kind.PARTITIONS
    assert decision.statement("target") == (
        "INSERT INTO target REPLACE WHERE (year = 2022) "
        "SELECT max(t1_0.column0) AS m, year(t1_0.date) AS year, count(*) AS viewgate_rows_0 "
        "FROM lake.demo.t1 VERSION AS OF 2 AS t1_0 "
        "WHERE ((t1_0.date = DATE '2022-02-02') OR (t1_0.date = DATE '2022-02-03')) GROUP BY year(t1_0.date)"
    )


def test_appended_groups_are_merged_into_their_targets_alone() -> None:
    view, held, change = years("2022-02-02", "2022-02-03", kind=APPENDED)
    assert change.files is not None
    touched = replace(change.files, live=())
    decision = plan(view, held, {change.name: replace(change, touched=touched)})
    assert decision.kind is Kind.APPEND_MERGE
    statement = decision.statement("target")
    assert statement.startswith("INSERT INTO target REPLACE WHERE (year = 2022) SELECT CAST(max(v.`m`) AS string) AS m")
    assert "FROM lake.demo.m1__storage VERSION AS OF 7 WHERE (year = 2022) UNION ALL SELECT" in statement
    unknown = plan(view, held, {change.name: replace(change, touched=Files(None, ()))})
    assert unknown.write == "MERGE INTO"


def test_a_target_without_source_files_is_emptied() -> None:
    assert "REPLACE WHERE (year = 1999) SELECT" in by_year("1999-01-01").content
    assert "WHERE (false)" in by_year("1999-01-01").content


def test_most_partitions_or_unknown_ones_are_computed_in_full() -> None:
    assert "most partitions of the storage table" in by_year("2021-01-01", "2022-02-02", "2023-03-03").reason
    assert "have more than one partition specification" in by_year(files=Files(None, ())).reason
    months = Files((PartitionField("date", "bucket[4]"),), (DataFile("a", (3,), 1),), (DataFile("b", (3,), 1),))
    assert "more than one partition of the storage table" in by_year(files=months).reason
    elsewhere = Files((PartitionField("column0", "identity"),), (DataFile("a", ("x",), 1),))
    assert "do not correspond" in by_year(files=elsewhere).reason


def test_the_build_graph_tells_the_target_of_each_file() -> None:
    view, held, change = years("2022-02-02")
    assert change.files is not None
    known = stored(view, held, {change.name: change.columns})
    graph = [(found.target, found.file.path) for found in dependencies(known, "s3://m1", {change.name: change.files})]
    assert graph == [
        ("s3://m1/data/year=2021/", "a"),
        ("s3://m1/data/year=2022/", "b"),
        ("s3://m1/data/year=2022/", "c"),
        ("s3://m1/data/year=2023/", "d"),
    ]
    stale = [(f.target, f.file.path, f.change) for f in stale_files(known, "s3://m1", {change.name: change.files})]
    assert stale == [("s3://m1/data/year=2022/", "new", "added")]


@pytest.mark.parametrize(
    ("part", "held"),
    [
        ("year >= 2022", ["2022", "2022", "2023"]),
        ("year = 2021 OR year = 2023", ["2021", "2023"]),
        ("m >= 'x'", ["2021", "2022", "2022", "2023"]),
    ],
)
def test_storage_of_a_part_has_the_targets_of_that(part: str, held: list[str]) -> None:
    view, storage, change = years("2021-01-01")
    assert change.files is not None
    storage = replace(storage, refresh=RefreshState(1, (), only=part))
    known, files = stored(view, storage, {change.name: change.columns}), {change.name: change.files}
    assert [found.target.split("=")[1][:4] for found in dependencies(known, "s3://m1", files)] == held
    assert [found.target for found in stale_files(known, "s3://m1", files)] == [
        f"s3://m1/data/year={year}/" for year in held if year == "2021"
    ]


def test_where_no_partition_follows_every_file_may_go_anywhere() -> None:
    view, held, change = years()
    assert change.files is not None
    whole = stored(view, replace(held, partitioned_by=()), {change.name: change.columns})
    assert {f.target for f in dependencies(whole, "s3://m1", {change.name: change.files})} == {"s3://m1/"}
    assert {f.target for f in dependencies("not read", "s3://m1", {change.name: change.files})} == {"s3://m1/"}
