"""What partial storage holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewriter import Unsupported, covers, narrowed, united
from rewriter.maintenance.partial_storage import MOST_RANGES
from rewriter.model import Column, MaterializedView, TableName

SALES, VIEW, STORAGE = (TableName(("lake", "demo", name)) for name in ("sales", "v", "v__storage"))
COLUMNS = {
    SALES: (
        Column("day", "date"), Column("region", "string"), Column("n", "int"), Column("ts", "timestamp"),
        Column("y", "double"), Column("m", "decimal(10,2)"),
    )
}  # fmt: skip
UTC = {"spark.sql.session.timeZone": "UTC"}


def view_of(query: str, columns: str, settings: dict[str, str] | None = UTC) -> MaterializedView:
    """Return a view with these columns, each given as `name type`."""
    pairs = (column.split() for column in columns.split(", "))
    shown = tuple(Column(name, kind) for name, kind in pairs)
    return MaterializedView(VIEW, "v", 1, query, query, STORAGE, shown, "lake", ("demo",), settings)


BY_DAY = view_of(
    "SELECT day AS d, region AS r, ts AS t, sum(n) AS s, count(*) AS viewgate_rows_0 FROM sales "
    "WHERE n > 0 GROUP BY day, region, ts",
    "d date, r string, t timestamp, s bigint",
)
ROWS = view_of("SELECT n * 2 AS twice, y, n FROM sales", "twice int, y double, n int")


def where(view: MaterializedView, only: str, without: str = "") -> str:
    """Return the WHERE clause of the query that fills the storage."""
    return narrowed(view, only, COLUMNS, without).storage_query.split(" WHERE ")[1].split(" GROUP BY ")[0]


def test_the_condition_is_one_of_the_rows_that_are_read() -> None:
    assert where(BY_DAY, "d >= DATE '2024-01-31' AND r IN ('eu', 'u''s')") == (
        "sales_0.n > 0 AND sales_0.day >= CAST('2024-01-31' AS DATE) AND sales_0.region IN ('eu', 'u\\'s')"
    )
    assert where(ROWS, "twice BETWEEN 1 AND 5") == "(sales_0.n * 2) >= 1 AND (sales_0.n * 2) <= 5"
    assert where(BY_DAY, "d IS NULL OR NOT r LIKE 'e%'").startswith("sales_0.n > 0 AND (")


def test_rows_that_are_held_are_left_out_also_where_that_is_unknown() -> None:
    text = where(BY_DAY, "d >= DATE '2023-01-01'", "d >= DATE '2024-01-01'")
    assert "sales_0.day >= CAST('2023-01-01' AS DATE) AND NOT (" in text
    assert text.endswith("(sales_0.day >= CAST('2024-01-01' AS DATE)) IS TRUE)")


@pytest.mark.parametrize(
    ("grain", "zone", "bound", "read"),
    [
        ("day", "UTC", "TIMESTAMP '2024-01-01'", "sales_0.ts >= CAST('2024-01-01' AS TIMESTAMP)"),
        ("day", "+05:30", "DATE '2024-01-01'", "sales_0.ts >= CAST('2024-01-01' AS DATE)"),
        ("month", "UTC", "TIMESTAMP '2024-01-02'", "timeseries(sales_0.ts, 'month', 'timestamp') >= "),
        ("day", "Europe/Berlin", "TIMESTAMP '2024-01-01'", "timeseries(sales_0.ts, 'day', 'timestamp') >= "),
    ],
)
def test_a_border_of_buckets_is_one_of_their_times(grain: str, zone: str, bound: str, read: str) -> None:
    settings = {"spark.sql.session.timeZone": zone}
    query = f"SELECT timeseries(ts, '{grain}', 'timestamp') AS t, count(*) AS c FROM sales GROUP BY 1"
    assert where(view_of(query, "t timestamp, c bigint", settings), f"t >= {bound}").startswith(read)


@pytest.mark.parametrize(
    ("view", "only", "why"),
    [
        (BY_DAY, "s > 5", "s is an aggregate"),
        (BY_DAY, "viewgate_rows_0 > 1", "viewgate_rows_0 is not a column of lake.demo.v, whose columns are d, r, t, s"),
        (BY_DAY, "day > DATE '2024-01-01'", "day is not a column of lake.demo.v, whose columns are d, r, t, s"),
        (BY_DAY, "v.`days` > 1", "days` is not a column of lake.demo.v"),
        (BY_DAY, "d > current_date()", "compare columns of the view with constants"),
        (BY_DAY, "d > 'today'", "another day at each refresh"),
        (BY_DAY, "d > DATE 'now'", "another day at each refresh"),
        (BY_DAY, "d IN (SELECT day FROM sales)", "is not supported: compare columns"),
        (BY_DAY, "d > (SELECT max(day) FROM sales)", "is not supported: compare columns"),
        (BY_DAY, "upper(r) = 'EU'", "compare columns of the view with constants"),
        (BY_DAY, "rand() < 0.5", "compare columns of the view with constants"),
        (BY_DAY, "CAST(r AS INT) = 1", "compare columns of the view with constants"),
        (BY_DAY, "true", "names no column"),
        (BY_DAY, "d > DATE '2024-01-01' GROUP BY d", "is not supported: compare columns"),
        (BY_DAY, "d > DATE '2024-01-01' LIMIT 1", "is not supported: compare columns"),
        (BY_DAY, "d = ) OR (", "is not supported: compare columns"),
        (ROWS, "y > 0", "DOUBLE"),
        (replace(BY_DAY, settings=None), "r = 'eu'", "another tool"),
        (view_of("SELECT n FROM sales LIMIT 3", "n int"), "n = 1", "has LIMIT or OFFSET; run REFRESH without WHERE"),
        (view_of("SELECT n FROM sales UNION ALL SELECT n FROM sales", "n int"), "n = 1", "cannot store only a part"),
        (view_of("SELECT n, rank() OVER (ORDER BY n) AS k FROM sales", "n int, k int"), "n = 1", "window"),
        (view_of("SELECT n, count(*) AS c FROM sales GROUP BY n HAVING c > 1", "n int, c bigint"), "n = 1", "HAVING"),
    ],
)  # fmt: skip
def test_what_is_no_part_of_its_rows_is_refused_with_what_to_change(
    view: MaterializedView, only: str, why: str
) -> None:
    with pytest.raises(Unsupported, match=why):
        narrowed(view, only, COLUMNS)


@pytest.mark.parametrize(
    ("held", "asked", "covered"),
    [
        ("", "d > DATE '2024-01-01'", True),
        ("d > DATE '2024-01-01'", "", False),
        ("d > DATE '2024-01-01'", "d >= DATE '2024-01-02' AND r = 'eu'", True),
        ("d > DATE '2024-01-01'", "d >= DATE '2024-01-01'", False),
        ("d > DATE '2024-01-01' OR r = 'eu'", "r = 'eu'", True),
        ("(d > DATE '2024-01-01' AND r = 'eu') OR r = 'us'", "d > DATE '2024-01-01'", False),
        ("d IS NULL OR d > DATE '2024-01-01'", "d IS NULL", True),
    ],
)
def test_one_part_lies_in_another(held: str, asked: str, covered: bool) -> None:
    assert covers(BY_DAY, held, asked, COLUMNS) is covered


@pytest.mark.parametrize(
    ("held", "asked", "both"),
    [
        ("d >= DATE '2024-01-01'", "d >= DATE '2023-01-01'", "d >= DATE '2023-01-01'"),
        ("d >= DATE '2023-01-01'", "d >= DATE '2024-01-01'", "d >= DATE '2023-01-01'"),
        (
            "d >= DATE '2024-01-01' AND d < DATE '2024-02-01'", "d BETWEEN DATE '2024-02-01' AND DATE '2024-02-29'",
            "d >= DATE '2024-01-01' AND d <= DATE '2024-02-29'",
        ),
        ("d < DATE '2024-01-01'", "d > DATE '2024-01-01'", "(d <= DATE '2023-12-31') OR (d >= DATE '2024-01-02')"),
        ("r < 'b'", "r >= 'b' AND r < 'it''s'", "r < 'it\\'s'"),
        ("r = 'eu'", "d IS NULL", "(r = 'eu') OR (d IS NULL)"),
        ("r = 'eu'", "r IN ('us', 'it''s') OR r IS NULL", "(r IN ('eu', 'it\\'s', 'us')) OR (r IS NULL)"),
        ("r > 'x'", "r = 'eu' OR r < 'b'", "(r = 'eu') OR (r < 'b') OR (r > 'x')"),
    ],
)  # fmt: skip
def test_two_parts_together_are_one_range_where_they_can_be(held: str, asked: str, both: str) -> None:
    assert united(BY_DAY, held, asked, COLUMNS) == both
    assert covers(BY_DAY, both, held, COLUMNS)
    assert covers(BY_DAY, both, asked, COLUMNS)


def test_parts_do_not_nest_without_end() -> None:
    held = "r = 'v0'"
    for number in range(1, 2 * MOST_RANGES):
        held = united(BY_DAY, held, f"r = 'v{number}'", COLUMNS)
    assert held.startswith("r IN ('v0', 'v1', 'v10'")
    assert narrowed(BY_DAY, held, COLUMNS)
    held, other = "r = 'eu'", "r = '{}' AND d = DATE '2024-01-01'"
    for number in range(MOST_RANGES):
        held = united(BY_DAY, held, other.format(number), COLUMNS)
    assert narrowed(BY_DAY, held, COLUMNS)
    with pytest.raises(Unsupported, match="more than 32 conditions joined by OR"):
        united(BY_DAY, held, other.format("us"), COLUMNS)
