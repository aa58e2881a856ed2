"""What users see of the views that were tried: near misses first, and once what concerns the SELECT itself."""

from __future__ import annotations

from rewriter import Attempt, Reason, by_closeness
from rewriter.model import TableName
from rewriter.script import read_script

SCRIPT = """
CREATE TABLE sales (country STRING, n INT, price DECIMAL(10,2));
CREATE TABLE lands (name STRING, area BIGINT);
CREATE MATERIALIZED VIEW a_joined AS SELECT name, sum(n) AS n FROM sales JOIN lands ON country = name GROUP BY name;
CREATE MATERIALIZED VIEW b_few AS SELECT country, n, price FROM sales WHERE n > 5;
CREATE MATERIALIZED VIEW c_country AS SELECT country, sum(price) AS total FROM sales GROUP BY country;
"""


def found(query: str, views: str = SCRIPT) -> list[tuple[str, str, str]]:
    findings = read_script(views).explain(query).findings
    return [(finding.view, str(finding.attempt.reason or ""), finding.block) for finding in findings]


def test_the_view_that_lacks_least_comes_first() -> None:
    views = [view for view, *_ in found("SELECT country, max(price) FROM sales GROUP BY country")]
    assert views[0] == "c_country"
    assert set(views) <= {"a_joined", "b_few", "c_country"}


def test_a_stale_view_that_would_answer_after_a_refresh_comes_before_a_view_that_lacks_a_column() -> None:
    few, unlike, stale = (TableName(("lake", "demo", view)) for view in ("a_few", "b_unlike", "c_stale"))
    tried = [
        Attempt(few, "missed", "roll_up", Reason.COLUMN_NOT_IN_VIEW, "id"),
        Attempt(unlike, "missed", "", Reason.STALE, "its table was replaced"),
        Attempt(stale, "missed", "delta_union", Reason.STALE, "its table has changed; together with the rows: dearer"),
    ]
    assert [attempt.view for attempt in by_closeness(tried)] == [stale, few, unlike]


def test_a_view_over_other_tables_is_left_out_beside_one_over_the_same() -> None:
    query = "SELECT country, max(price) FROM sales GROUP BY country"
    assert not [row for row in found(query) if row[1] == "TABLES_DIFFER"]


def test_a_reason_of_the_select_is_given_once_and_names_no_view() -> None:
    query = "SELECT country, rand() FROM sales"
    assert [(view, reason) for view, reason, _ in found(query)] == [("", "UNSUPPORTED")]
    said = str(read_script(SCRIPT).explain(query))
    assert said.count("UNSUPPORTED") == 1
    assert "each of 3 views missed, UNSUPPORTED" in said


def test_views_with_groups_are_the_farthest_from_a_query_of_rows_and_share_a_line() -> None:
    query = "SELECT country, n FROM sales"
    views = f"{SCRIPT}CREATE MATERIALIZED VIEW a_n AS SELECT n, count(*) AS c FROM sales GROUP BY n;"
    assert [(view, reason) for view, reason, _ in found(query, views)] == [
        ("a_joined", "JOIN_DIFFERS"),
        ("b_few", "VIEW_FILTERS_MORE"),
        ("", "GROUPING_TOO_COARSE"),
    ]
    said = str(read_script(views).explain(query))
    assert (
        "each of 2 views missed, GROUPING_TOO_COARSE: the view's groups are too coarse: the view stores groups, and "
        "the query needs rows: create a view without GROUP BY, which has as many rows as its table unless it filters"
    ) in said


def test_one_view_keeps_its_name() -> None:
    one = "CREATE TABLE t (a INT); CREATE MATERIALIZED VIEW v AS SELECT a, count(*) AS c FROM t GROUP BY a"
    assert [(view, reason) for view, reason, _ in found("SELECT a, rand() FROM t", one)] == [("v", "UNSUPPORTED")]


def test_each_select_has_its_place_and_is_shortened() -> None:
    long = " OR ".join(f"n = {i}" for i in range(40))
    query = f"SELECT max(price) FROM sales\nUNION ALL\nSELECT min(price) FROM sales WHERE {long}"
    blocks = list(dict.fromkeys(block for *_, block in found(query)))
    assert blocks[0] == "line 1, column 1: SELECT max(price) FROM sales"
    assert blocks[1].startswith("line 3, column 1: SELECT min(price) FROM sales WHERE n = 0 OR")
    assert blocks[1].endswith(" …")
    assert all(len(block) < 130 for block in blocks)
