"""The smallest change to a view: each suggestion was tried, and adds no more than is needed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewriter.match import Reason
from rewriter.model import Snapshot, Table, TableName
from rewriter.model.settings import ANSI, TIME_ZONE
from rewriter.model.statistics import ColumnFiles, FileGroup, Statistics
from rewriter.remedy import Suggestion
from rewriter.script import Workspace, read_script

TABLES = """
CREATE TABLE sales (id INT NOT NULL, country STRING, sex STRING, n INT, price DECIMAL(10,2), at TIMESTAMP, land INT);
CREATE TABLE lands (id INT, name STRING, area BIGINT);
"""
VIEWS = """
CREATE MATERIALIZED VIEW by_country AS SELECT country, sum(price) AS total, count(*) AS cnt FROM sales GROUP BY country;
CREATE MATERIALIZED VIEW by_day AS SELECT timeseries(at, 'day') AS d, sum(n) AS n FROM sales GROUP BY 1;
CREATE MATERIALIZED VIEW by_land AS
  SELECT name, sum(price) AS total FROM sales s JOIN lands l ON s.land = l.id GROUP BY name;
CREATE MATERIALIZED VIEW rows AS SELECT country, n FROM sales WHERE n > 5;
"""


def suggestion(query: str, views: str = VIEWS) -> Suggestion | None:
    return read_script(TABLES + views).explain(query).suggestion


@pytest.mark.parametrize(
    ("query", "view", "add"),
    [
        ("SELECT country, max(price) FROM sales GROUP BY country", "by_country", ("max(price)",)),
        ("SELECT country, sum(price) FROM sales WHERE sex = 'm' GROUP BY country", "by_country", ("sex",)),
        ("SELECT sum(price) FROM sales WHERE sex = 'm'", "sales_by_sex", ("sum(price)", "sex")),
        ("SELECT timeseries(at, 'hour'), sum(n) FROM sales GROUP BY 1", "by_day", ("timeseries(at, 'hour')",)),
        ("SELECT country, id FROM sales WHERE n > 7", "rows", ("id",)),
        ("SELECT name, min(n) FROM sales JOIN lands ON land = lands.id GROUP BY name", "by_land", ("min(s.n)",)),
        ("SELECT country, sex, sum(price) FILTER (WHERE n > 3) FROM sales GROUP BY 1, 2", "by_country", ("sex", "n")),
    ],
)
def test_what_is_missing(query: str, view: str, add: tuple[str, ...]) -> None:
    found = suggestion(query)
    assert found is not None
    assert str(found.view) == view
    assert len(found.add) <= len(add)
    if len(add) == 1:
        assert found.add == add


@pytest.mark.parametrize(
    "query",
    [
        "SELECT country, max(price), min(n) FROM sales WHERE sex = 'f' GROUP BY country",
        "SELECT name, area, avg(n) FROM sales JOIN lands ON land = lands.id GROUP BY name, area",
        "SELECT timeseries(at, 'minute'), count(DISTINCT sex) FROM sales WHERE country = 'de' GROUP BY 1",
    ],
)
def test_the_changed_view_answers_and_every_part_is_needed(query: str) -> None:
    found = suggestion(query)
    assert found is not None
    changed = f"CREATE MATERIALIZED VIEW changed AS {found.sql};"
    assert read_script(TABLES + changed).explain(query).views == ("changed",)
    for part in found.add:
        lacking = found.sql.replace(f", {part}", "")
        assert lacking != found.sql


@pytest.mark.parametrize(
    "query",
    [
        "SELECT country, sum(price) FROM sales GROUP BY country",  # a view answers it
        "SELECT area FROM lands",  # the view joins more, and no key says that no row is lost
        "SELECT a.id FROM sales a JOIN sales b ON a.id = b.land",  # which occurrence would have to be guessed
        "SELECT country FROM sales WHERE rand() > 0.5",
    ],
)
def test_nothing_is_suggested_where_nothing_was_found_to_help(query: str) -> None:
    assert suggestion(query) is None


@pytest.mark.parametrize(
    ("query", "name", "add"),
    [
        ("SELECT country, sum(price) AS p FROM sales GROUP BY country ORDER BY p LIMIT 3", "sales_by_country",
         ("sum(price)", "country")),
        ("SELECT s.sex, avg(n) FROM sales AS s WHERE s.at >= '2024-01-15 10:30:00' GROUP BY 1",
         "sales_by_sex_timeseries_at", ("avg(n)", "sex", "timeseries(at, 'day')")),
        ("SELECT name, count(*) FROM sales JOIN lands ON land = lands.id WHERE sex = 'f' GROUP BY name",
         "sales_by_name_sex", ("lands.name", "sales.sex")),
        ("SELECT max(n) FROM sales", "sales_by_all", ("max(n)",)),
    ],
)  # fmt: skip
def test_of_tables_without_views_a_view_of_the_query_is_suggested(query: str, name: str, add: tuple[str, ...]) -> None:
    found = suggestion(query, "")
    assert found is not None
    assert (str(found.made), found.new, found.add) == (name, found.view, add)
    assert read_script(f"{TABLES}{found.statement};").explain(query).views == (name,)


@pytest.mark.parametrize(
    ("query", "name", "add"),
    [
        ("SELECT c FROM (SELECT country AS c FROM sales) AS t GROUP BY c", "sales_by_country", ("country",)),
        ("WITH t AS (SELECT country AS c, n FROM sales) SELECT c, sum(n) FROM t GROUP BY c", "sales_by_country",
         ("sum(n)", "country")),
        # The derived table groups: columns of the join condition become keys, and both SELECTs are answered.
        ("SELECT sum(s.n) FROM sales s JOIN (SELECT land, max(at) AS last FROM sales GROUP BY land) AS t"
         " ON s.land = t.land AND s.at = t.last", "sales_by_land_at", ("sum(n)", "land", "at")),
    ],
)  # fmt: skip
def test_a_view_of_the_query_reads_the_table_of_a_derived_table(query: str, name: str, add: tuple[str, ...]) -> None:
    found = suggestion(query, "")
    assert found is not None
    assert (str(found.made), found.add, found.left) == (name, add, 0)
    assert read_script(f"{TABLES}{found.statement};").explain(query).views == (name,)


@pytest.mark.parametrize(
    ("query", "view"),
    [
        # A median cannot be computed from groups by the columns of the filter.
        ("SELECT name, percentile(price, 0.5) AS m FROM sales JOIN lands ON land = lands.id WHERE sex = 'm' "
         "GROUP BY name ORDER BY m LIMIT 3",
         "CREATE MATERIALIZED VIEW sales_by_name AS SELECT name, percentile(price, 0.5) AS m FROM sales JOIN lands ON "
         "land = lands.id WHERE sex = 'm' GROUP BY name"),
        ("SELECT count(DISTINCT name) FROM lands LEFT JOIN sales ON land = lands.id WHERE sales.id IS NULL",
         "CREATE MATERIALIZED VIEW lands_by_all AS SELECT count(DISTINCT name) FROM lands LEFT JOIN sales ON "
         "land = lands.id WHERE sales.id IS NULL"),
        ("SELECT area > 1 AS big, count(*) FROM lands LEFT JOIN sales ON land = lands.id WHERE sales.id IS NULL "
         "GROUP BY area > 1",
         "CREATE MATERIALIZED VIEW lands_by_area_key AS SELECT area > 1 AS big, count(*) FROM lands LEFT JOIN sales ON "
         "land = lands.id WHERE sales.id IS NULL GROUP BY area > 1"),
    ],
)  # fmt: skip
def test_the_query_itself_is_suggested_if_no_view_without_its_filter_helps(query: str, view: str) -> None:
    found = suggestion(query, "")
    assert found is not None
    assert found.statement == view
    assert "of the query itself, with its filters, would answer the query, but few other queries:" in str(found)
    assert len(read_script(f"{TABLES}{view};").explain(query).views) == 1


GAPS = "SELECT id, lag(at) OVER (PARTITION BY country ORDER BY at) AS before, at FROM sales"
BY_SEX = "CREATE MATERIALIZED VIEW by_sex AS SELECT sex, sum(n) AS n FROM sales GROUP BY sex;"


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT count(*) AS sessions FROM ({GAPS}) AS t\nWHERE before IS NULL OR at > before + INTERVAL 30 MINUTES;",
        f"WITH t AS ({GAPS}) SELECT max(id) - min(id) AS span FROM t WHERE at > before",
        f"SELECT id, count(*) AS c FROM ({GAPS}) AS t WHERE at > before GROUP BY id ORDER BY c LIMIT 5",
        "SELECT country, sum(CAST(n AS DOUBLE) / 3) AS x FROM sales GROUP BY country ORDER BY x DESC LIMIT 10",
    ],
)
@pytest.mark.parametrize("views", ["", BY_SEX])
def test_a_view_of_the_text_is_suggested_for_few_rows_by_unsupported_sql(query: str, views: str) -> None:
    found = suggestion(query, views)
    assert found is not None
    told = "a new view sales_view with the text of the query would answer the query, but few other queries:"
    assert found.told == told
    assert read_script(f"{TABLES}{views}{found.statement};").explain(query).views == ("sales_view",)


@pytest.mark.parametrize(
    "query",
    [
        GAPS,  # as many rows as the table
        f"SELECT country, lag(id) OVER (ORDER BY at) AS before FROM ({GAPS}) AS t WHERE at > before",
        f"SELECT id, count(*) AS c FROM ({GAPS}) AS t WHERE at > before GROUP BY id ORDER BY c",  # unknown size
        f"SELECT id, count(*) AS c FROM ({GAPS}) AS t WHERE at > before GROUP BY id LIMIT 5",  # any groups
        f"SELECT id, count(*) AS c FROM ({GAPS}) AS t WHERE at > before GROUP BY id ORDER BY c LIMIT 50000",
        "SELECT approx_percentile(n, 0.5) AS p FROM sales",  # depends on the order of rows
        "SELECT sum(n) OVER (PARTITION BY soundex(country)) AS s FROM sales",
    ],
)
def test_no_view_of_the_text_is_suggested_for_many_rows_or_rows_that_may_differ(query: str) -> None:
    assert suggestion(query, "") is None


@pytest.mark.parametrize(
    ("alias", "name"), [("`s.Steps`", "s_steps"), ("price", "price_key"), ("sum(price)", "price_key")]
)
def test_a_computed_key_does_not_get_the_name_of_a_column(alias: str, name: str) -> None:
    output = f"floor(price / 10) * 10 AS {alias}" if "(" not in alias else alias
    found = suggestion(f"SELECT {output} FROM sales GROUP BY floor(price / 10) * 10", "")
    assert found is not None
    assert name in found.names
    assert str(found.made) == f"sales_by_{name}"


def test_a_query_with_two_outputs_of_one_name_is_not_suggested_as_a_view() -> None:
    query = "SELECT name AS m, percentile(price, 0.5) AS m FROM sales JOIN lands ON land = lands.id GROUP BY name"
    assert suggestion(query, "") is None


def test_a_view_for_the_whole_query_is_preferred_to_a_view_for_a_part() -> None:
    query = (
        "SELECT sum(s.n) FROM sales s JOIN (SELECT country, max(at) AS last FROM sales GROUP BY country) AS t"
        " ON s.country = t.country AND s.at = t.last"
    )
    found = suggestion(query)
    assert found is not None
    assert found.left == 0
    assert len(read_script(f"{TABLES}{found.statement};").explain(query).views) == 1


def test_the_view_of_a_query_over_tables_without_views_gets_a_free_name() -> None:
    taken = "CREATE MATERIALIZED VIEW sales_by_country AS SELECT area, count(*) AS n FROM lands GROUP BY area;"
    found = suggestion("SELECT country, sum(n) FROM sales GROUP BY country", taken)
    assert found is not None
    assert str(found.made) == "sales_by_country_2"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT country FROM sales WHERE n > 5",  # rows
        "SELECT country, max(n) FROM (SELECT * FROM sales LIMIT 5) GROUP BY country",
        "SELECT country, sum(rand()) FROM sales GROUP BY country",
    ],
)
def test_without_groups_of_tables_no_view_of_the_query_is_suggested(query: str) -> None:
    assert suggestion(query, "") is None


def test_a_view_that_filters_more_is_not_widened() -> None:
    view = "CREATE MATERIALIZED VIEW few AS SELECT country, n FROM sales WHERE n > 5;"
    assert suggestion("SELECT country FROM sales", view) is None


KEYED = """
CREATE TABLE products (id INT PRIMARY KEY, category STRING);
CREATE TABLE orders (id INT PRIMARY KEY, customer INT, at TIMESTAMP, channel STRING);
CREATE TABLE lines (order_id INT NOT NULL REFERENCES orders (id), product INT NOT NULL REFERENCES products (id), n INT);
"""
SALES = """
CREATE MATERIALIZED VIEW sales AS
  SELECT timeseries(o.at, 'day') AS d, o.channel, p.category, sum(l.n) AS n
  FROM lines l JOIN orders o ON l.order_id = o.id JOIN products p ON l.product = p.id GROUP BY 1, 2, 3;
"""
BY_CHANNEL = """
CREATE MATERIALIZED VIEW by_channel AS SELECT channel, customer, count(*) AS cnt FROM orders GROUP BY channel, customer;
"""


@pytest.mark.parametrize(
    ("query", "name", "add"),
    [
        ("SELECT o.channel, max(n) FROM lines l JOIN orders o ON order_id = o.id GROUP BY 1", "sales", ("max(l.n)",)),
        # More keys could make a group of each row of the view, which joins products, too.
        ("SELECT date_format(o.at, 'HH:mm'), sum(n) FROM lines l JOIN orders o ON order_id = o.id GROUP BY 1",
         "lines_by_date_format_at", ("sum(l.n)", "date_format(o.at, 'HH:mm')")),
    ],
)  # fmt: skip
def test_a_view_that_joins_one_table_more_by_a_trusted_key(query: str, name: str, add: tuple[str, ...]) -> None:
    found = read_script(KEYED + SALES + BY_CHANNEL).explain(query).suggestion
    assert found is not None
    assert (str(found.made), found.add) == (name, add)


def test_a_key_as_the_query_has_it_rather_than_the_column_that_makes_a_group_of_each_row() -> None:
    query = """SELECT channel, category, timeseries(o.at, 'day'), date_format(o.at, 'HH:mm'), sum(n)
        FROM lines l JOIN orders o ON order_id = o.id JOIN products p ON product = p.id GROUP BY 1, 2, 3, 4"""
    found = read_script(KEYED + SALES).explain(query).suggestion
    assert found is not None
    assert (str(found.view), found.add) == ("sales", ("date_format(o.at, 'HH:mm')",))


@pytest.mark.parametrize("head", ["named (land, total)", "plain", "`my view`"])
def test_the_statement_of_a_suggestion_can_be_run(head: str) -> None:
    view = f"CREATE MATERIALIZED VIEW {head} AS SELECT country, sum(price) AS total FROM sales GROUP BY country;"
    query = "SELECT country, max(price) FROM sales GROUP BY country"
    found = suggestion(query, view)
    assert found is not None
    name = head.split(" (")[0]
    assert found.statement == f"ALTER MATERIALIZED VIEW {name} ADD COLUMNS (max(price) AS max_price)"
    assert read_script(f"{TABLES}{view}{found.statement};").explain(query).views == (name.strip("`"),)


@pytest.mark.parametrize(("head", "columns"), [("named (land)", " (land, sex)"), ("plain", "")])
def test_a_view_whose_outputs_cannot_be_appended_is_replaced(head: str, columns: str) -> None:
    view = f"CREATE MATERIALIZED VIEW {head} AS SELECT DISTINCT country FROM sales;"
    query = "SELECT DISTINCT country, sex FROM sales"
    found = suggestion(query, view)
    assert found is not None
    name = head.split()[0]
    assert found.statement.startswith(f"CREATE MATERIALIZED VIEW {name}_sex{columns} AS SELECT DISTINCT ")
    assert read_script(f"{TABLES}{view}{found.statement};").explain(query).views == (f"{name}_sex",)


def test_no_summary_with_a_group_for_each_row_of_its_table() -> None:
    query = "SELECT o.id, count(*) FROM orders o GROUP BY o.id"
    by_channel = "CREATE MATERIALIZED VIEW by_channel AS SELECT channel, count(*) AS cnt FROM orders GROUP BY channel;"
    assert read_script(KEYED + by_channel).explain(query).suggestion is None
    unkeyed = "CREATE TABLE orders (id INT, channel STRING);"
    assert read_script(unkeyed + by_channel).explain(query).suggestion is not None


def test_where_only_a_part_would_be_answered_it_is_said() -> None:
    part = "SELECT country, max(price) AS m FROM sales GROUP BY country"
    whole = suggestion(part)
    assert whole is not None
    assert (whole.left, str(whole).splitlines()[0]) == (0, "by_country would answer the query with max(price) added:")
    found = suggestion(f"{part} UNION ALL SELECT name, area FROM lands")
    assert found is not None
    assert found.left == 1
    assert "1 SELECT would still read tables" in str(found)


@pytest.mark.parametrize("view", [
    "SELECT sum(price) AS total FROM sales JOIN (VALUES ('us'), ('de')) AS v(c) ON country = v.c",
    "SELECT count(*) AS cnt FROM sales WHERE NOT isnan(price)",
])  # fmt: skip
def test_a_view_that_answers_only_its_own_text_hides_no_suggestion(view: str) -> None:
    found = suggestion(
        "SELECT country, max(price) FROM sales GROUP BY country", f"{VIEWS}CREATE MATERIALIZED VIEW own AS {view};"
    )
    assert found is not None
    assert found.add == ("max(price)",)


def test_a_disabled_view_that_would_not_answer_hides_no_suggestion() -> None:
    world = read_script(TABLES + VIEWS)
    off = tuple(replace(view, rewrite=view.name.table != "by_day") for view in world.definitions.views)
    world = replace(world, definitions=replace(world.definitions, views=off))
    assert world.explain("SELECT sex, stddev(n) FROM sales GROUP BY sex").suggestion is not None


def test_a_select_over_derived_tables_alone_is_not_counted() -> None:
    found = suggestion("SELECT max(m) FROM (SELECT country, max(price) AS m FROM sales GROUP BY country) t")
    assert found is not None
    assert found.left == 0


def in_zone(zone: str, query: str, views: str) -> Suggestion | None:
    """Return the suggestion for a session in another time zone, where the views were made in UTC."""
    script = read_script(TABLES + views)
    here = replace(script.session, time_zone=zone, settings={**script.session.settings, TIME_ZONE: zone})
    return replace(script, session=here).explain(query).suggestion


BY_DAY = """
CREATE MATERIALIZED VIEW by_day AS SELECT timeseries(at, 'day') AS d, country, sum(n) AS n FROM sales GROUP BY 1, 2;
"""
DAYS = "SELECT timeseries(at, 'day') AS d, {} AS m FROM sales GROUP BY 1"


@pytest.mark.parametrize(
    ("zone", "query", "new", "add"),
    [
        ("Asia/Kolkata", DAYS.format("max(n)"), "by_day_max_n_asia_kolkata", ("max(n)",)),
        ("Asia/Kolkata", DAYS.format("sum(n)"), "by_day_asia_kolkata", ()),  # the zone is all that it lacks
        ("Etc/UTC", DAYS.format("max(n)"), "by_day", ("max(n)",)),
    ],
)
def test_no_view_is_moved_to_another_zone(zone: str, query: str, new: str, add: tuple[str, ...]) -> None:
    found = in_zone(zone, query, BY_DAY)
    assert found is not None
    assert (str(found.view), str(found.made), found.add) == ("by_day", new, add)
    assert found.statement.startswith("CREATE MATERIALIZED" if found.new else "ALTER MATERIALIZED")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (DAYS.format("max(n)"), "by_day would answer the query with max(n) added:"),
        (DAYS.format("sum(n)").replace("'day'", "'hour'"),
         "a new view by_day_timeseries_at, like by_day with timeseries(at, 'hour') added, would answer the query if "
         "its hint named the new view:"),
    ],
)  # fmt: skip
def test_a_hint_that_names_another_view_than_the_new_one_is_said(query: str, said: str) -> None:
    script = read_script(TABLES + BY_DAY)
    hinted = replace(script, session=replace(script.session, only=TableName(("", "by_day"))))
    found = hinted.explain(query).suggestion
    assert found is not None
    assert found.told == said


def test_a_new_view_has_a_free_name() -> None:
    taken = "CREATE MATERIALIZED VIEW by_day_asia_kolkata AS SELECT area, count(*) AS n FROM lands GROUP BY area;"
    found = in_zone("Asia/Kolkata", DAYS.format("sum(n)"), BY_DAY + taken)
    assert found is not None
    assert str(found.new) == "by_day_asia_kolkata_2"
    assert str(found).startswith("a new view by_day_asia_kolkata_2, like by_day, would answer the query:\nCREATE MAT")


def written(script: Workspace, table: str, *, filled: bool = True, operation: str = "overwrite") -> Workspace:
    """Return a script's workspace after a change of a table; the storage was `filled` before, or never."""
    relations = dict(script.relations)
    for name, relation in script.relations.items():
        if isinstance(relation, Table) and name.table == table:
            relations[name] = replace(relation, snapshots=(Snapshot(99, 9, operation, 0), *relation.snapshots))
        elif isinstance(relation, Table) and relation.refresh is not None and not filled:
            relations[name] = replace(relation, snapshots=(), refresh=None, records=None)
    return replace(script, relations=relations)


@pytest.mark.parametrize("filled", [True, False])
def test_a_view_that_lacks_a_refresh_alone_is_refreshed_and_none_is_changed(filled: bool) -> None:
    world = written(read_script(TABLES + VIEWS), "sales", filled=filled)
    explanation = world.explain("SELECT timeseries(at, 'month'), sum(n) FROM sales GROUP BY 1")
    assert not explanation.rewritten
    found = explanation.suggestion
    assert found is not None
    assert str(found) == "by_day would answer the query once it is refreshed:\nREFRESH MATERIALIZED VIEW by_day;"
    assert explanation.as_json()["suggestion"] == {"view": "by_day", "add": [], "sql": found.statement}


def test_a_stale_view_with_the_text_of_the_query_is_told_only_as_stale() -> None:
    for query in (
        "SELECT country, n, sum(n) OVER (PARTITION BY country) AS s FROM sales",
        "SELECT country FROM sales UNION ALL SELECT name FROM lands",
        "SELECT country FROM sales WHERE n = (SELECT max(n) FROM sales)",
        "SELECT c, count(*) AS k FROM (SELECT country, count(*) AS c FROM sales GROUP BY country) t GROUP BY c",
    ):
        script = read_script(f"{TABLES}CREATE MATERIALIZED VIEW own AS {query};")
        assert script.explain(query).views == ("own",)
        for operation in ("append", "overwrite"):
            explanation = written(script, "sales", operation=operation).explain(query)
            first = explanation.findings[0].attempt
            assert (first.reason, "refresh the view" in first.detail) == (Reason.STALE, True)
            assert str(explanation).endswith("REFRESH MATERIALIZED VIEW own;")
            assert Reason.VIEW_UNSUPPORTED not in {finding.attempt.reason for finding in explanation.findings}


@pytest.mark.parametrize(
    ("query", "view"),
    [
        ("SELECT max(n) FROM big GROUP BY country", "tops"),  # a plain view
        ("SELECT country, n FROM tops", "tops"),
        ("SELECT max(n) FROM tops", "tops"),
        ("SELECT country, sum(n) FROM sales GROUP BY 1", "coarse"),  # which has less to read than `fine`
        ("SELECT sex, sum(n) FROM sales GROUP BY 1", "upon"),  # which has less to read than `fine`, the view below it
    ],
)
def test_of_stale_views_the_best_also_where_views_are_named(query: str, view: str) -> None:
    views = """
    CREATE VIEW big AS SELECT * FROM sales WHERE n > 5;
    CREATE MATERIALIZED VIEW coarse AS SELECT country, sum(n) AS n FROM sales GROUP BY country;
    CREATE MATERIALIZED VIEW fine AS SELECT country, sex, land, sum(n) AS n FROM sales GROUP BY country, sex, land;
    CREATE MATERIALIZED VIEW upon AS SELECT sex, sum(n) AS n FROM fine GROUP BY sex;
    CREATE MATERIALIZED VIEW tops AS SELECT country, max(n) AS n FROM big GROUP BY country;
    """
    found = written(read_script(TABLES + views), "sales").explain(query).suggestion
    assert found is not None
    assert (str(found.view), found.refresh, found.left) == (view, True, 0)


@pytest.mark.parametrize(("part", "helps"), [("", True), ("country > 'fr'", False)])
def test_a_refresh_is_suggested_for_stale_partitions_but_not_for_rows_that_it_does_not_store(
    part: str, helps: bool
) -> None:
    views = "CREATE MATERIALIZED VIEW coarse AS SELECT country, sum(n) AS n FROM sales GROUP BY country;"
    script = written(read_script(TABLES + views), "sales")
    (view,) = script.definitions.views
    storage = script.relations[view.storage]
    assert isinstance(storage, Table)
    assert storage.refresh is not None
    current = tuple(replace(source, snapshot_id=99) for source in storage.refresh.sources)
    whole = replace(storage.refresh, only=part)
    fresh = part or "country <> 'de'"
    narrowed = replace(whole, sources=current, only=fresh, behind="its table has changed", whole=whole)
    relations = {**script.relations, view.storage: replace(storage, refresh=narrowed)}
    explanation = replace(script, relations=relations).explain("SELECT sum(n) FROM sales WHERE country = 'de'")
    assert not explanation.rewritten
    assert [finding.attempt.reason for finding in explanation.findings] == [Reason.STALE]
    assert (explanation.suggestion is not None and explanation.suggestion.refresh) is helps


def test_a_refresh_is_not_suggested_where_the_view_would_not_answer_for_all_that() -> None:
    world = written(read_script(TABLES + VIEWS), "sales")
    found = world.explain("SELECT country, max(price) FROM sales GROUP BY country").suggestion
    assert found is not None
    assert not found.refresh
    assert found.add == ("max(price)",)
    disabled = replace(world.definitions, views=tuple(replace(v, rewrite=False) for v in world.definitions.views))
    query = "SELECT country, sum(price) FROM sales GROUP BY country"
    assert replace(world, definitions=disabled).explain(query).suggestion is None
    other_settings = tuple(replace(v, settings={**(v.settings or {}), ANSI: "false"}) for v in world.definitions.views)
    elsewhere = replace(world, definitions=replace(world.definitions, views=other_settings))
    found = elsewhere.explain(query).suggestion
    assert found is None or not found.refresh


@pytest.mark.parametrize(
    ("query", "new", "outputs"),
    [
        ("SELECT country, max(price) FROM sales GROUP BY country", None, "max(price) AS `max_price`"),
        ("SELECT country, sex, sum(price) FROM sales GROUP BY 1, 2", "by_country_sex", ""),  # more groups
        ("SELECT country, id FROM sales WHERE n > 7", None, "id"),  # as many rows
    ],
)
def test_only_what_adds_no_row_is_added_to_the_view_itself(query: str, new: str | None, outputs: str) -> None:
    found = suggestion(query)
    assert found is not None
    assert (str(found.new) if found.new else None, found.outputs.replace("`", "")) == (new, outputs.replace("`", ""))
    made = read_script(f"{TABLES}{VIEWS}{found.statement};").explain(query)
    assert made.views == (str(found.made),)


def test_a_view_of_distinct_rows_is_left_as_it_is() -> None:
    view = "CREATE MATERIALIZED VIEW seen AS SELECT DISTINCT country FROM sales;"
    found = suggestion("SELECT DISTINCT country, sex FROM sales", view)
    assert found is None or str(found.new) == "seen_sex"


MANY = 50_000_000


def measured(
    days: int = 400, *, statistics: bool = True, views: str = VIEWS, rows: int = 20, n: int = 10**8
) -> Workspace:
    """Return the tables with a large `sales` whose files have bounds of three columns, and the first view with so many
    rows.
    """
    made = read_script(TABLES.replace("at TIMESTAMP", "at TIMESTAMP, day DATE") + views)
    tables = {table.name.table: table for table in made.relations.values() if isinstance(table, Table)}
    first = made.definitions.views[0].storage.table
    sales, storage = tables["sales"], replace(tables[first], records=rows)
    columns = tuple(column._replace(field_id=n) for n, column in enumerate(sales.columns))
    greatest = {"id": MANY, "day": days, "n": n}
    of = {c.field_id: ColumnFiles([9], [0], [1], [greatest[c.name]]) for c in columns if c.name in greatest}
    known = Statistics(1, (FileGroup([MANY], [10**9], of),)) if statistics else None
    large = replace(sales, columns=columns, records=MANY, statistics=known)
    return replace(made, relations={**made.relations, sales.name: large, storage.name: storage})


def told(query: str, made: Workspace) -> str:
    found = made.explain(query).suggestion
    return found.told if found is not None else ""


def test_a_suggestion_says_how_many_rows_more_keys_make() -> None:
    daily = "SELECT country, day, sum(price) FROM sales GROUP BY country, day"
    assert "day added (about 8,000 rows; the table has 50,000,000)" in told(daily, measured())
    assert "rows" not in told(daily, measured(statistics=False))
    monthly = "SELECT country, trunc(day, 'MM'), sum(price) FROM sales GROUP BY country, trunc(day, 'MM')"
    assert "(about 300 rows" in told(monthly, measured())


def test_keys_whose_values_nobody_counts_are_named() -> None:
    query = "SELECT sex, day, sum(price) FROM sales GROUP BY sex, day"
    said = "(size unknown: about 400 rows times the number of values of sex, which Iceberg does not count)"
    assert said in told(query, measured())


def test_no_summary_is_suggested_that_is_nearly_as_large_as_its_table() -> None:
    assert told("SELECT country, id, sum(price) FROM sales GROUP BY country, id", measured()) == ""
    assert told("SELECT country, day, sum(price) FROM sales GROUP BY country, day", measured(days=10**8)) == ""


def test_a_view_of_the_query_alone_is_suggested_where_one_with_further_keys_would_be_nearly_the_table() -> None:
    views = "CREATE MATERIALIZED VIEW daily AS SELECT day, country, sum(price) AS p FROM sales GROUP BY day, country;"
    query = "SELECT day, n, max(id) FROM sales GROUP BY day, n"
    large = told(query, measured(views=views, rows=30_000_000, n=5_000))
    assert large.startswith("a new view sales_by_day_n of max(id), day, n (about 2,00")


def test_a_view_of_the_query_alone_is_suggested_where_further_keys_would_make_it_larger() -> None:
    """By country and day 8,000 rows, so that n would make 8,000 times 5,000 of them."""
    views = (
        "CREATE MATERIALIZED VIEW daily AS SELECT country, day, sum(price) AS price FROM sales GROUP BY country, day;"
    )
    made = measured(views=views, rows=8_000, n=4_999)
    query = "SELECT n, sum(price), count(*) FROM sales WHERE n > 7 GROUP BY n"
    found = made.explain(query).suggestion
    assert found is not None
    assert found.told.startswith("a new view sales_by_n of sum(price), n (about 4,999 rows; ")
    assert read_script(f"{TABLES}{found.statement};").explain(query).views == ("sales_by_n",)
    # Without statistics, too; where a further key makes few rows, the view's own keys stay.
    again = measured(views=views, rows=8_000, n=4_999, statistics=False).explain(query).suggestion
    assert again is not None
    assert again.statement == found.statement
    few = measured(views=views, rows=1, n=4_999).explain(query).suggestion
    assert few is not None
    assert not few.alone


def test_no_view_is_extended_or_copied_that_is_nearly_as_large_as_its_table() -> None:
    views = "CREATE MATERIALIZED VIEW daily AS SELECT day, country, sum(price) AS p FROM sales GROUP BY day, country;"
    large, small = (measured(views=views, rows=rows, statistics=False) for rows in (MANY * 3 // 5, MANY // 5))
    query = "SELECT day, country, sex, sum(price) FROM sales GROUP BY day, country, sex"
    assert told(query, small).startswith("a new view daily_sex, like daily with sex added")
    assert told(query, large) == ""
    coarser = "SELECT country, sex, sum(price) FROM sales GROUP BY country, sex"
    assert told(coarser, large).startswith("a new view sales_by_country_sex of")


WIDE = """
CREATE MATERIALIZED VIEW wide AS
  SELECT country, sex, n, land, day, trunc(day, 'MM') AS m, trunc(day, 'YEAR') AS y, id % 9 AS part, sum(price) AS total
  FROM sales GROUP BY country, sex, n, land, day, trunc(day, 'MM'), trunc(day, 'YEAR'), id % 9;
"""


@pytest.mark.parametrize("records", [2_000, MANY])
def test_a_view_with_many_keys_is_not_taken_for_larger_than_its_table(records: int) -> None:
    world = measured(statistics=False, views=WIDE)
    (sales,) = (table for name, table in world.relations.items() if name.table == "sales")
    assert isinstance(sales, Table)
    world = replace(world, relations={**world.relations, sales.name: replace(sales, records=records)})
    assert "wide would answer" in told("SELECT country, max(price) FROM sales GROUP BY country", world)
