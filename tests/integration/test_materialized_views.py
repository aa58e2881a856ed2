"""Statements on materialized views by real clients on real Spark, and what other readers see of the views."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyhive import hive

from proxy.commands.show import COLUMNS
from tests.integration import clients

pytestmark = pytest.mark.aside

SALES = """
SELECT * FROM VALUES
  (TIMESTAMP '2016-02-23 09:01:30', 'c001', 'male', 'xxx', 100, 2L),
  (TIMESTAMP '2016-02-23 09:01:50', 'c002', 'male', 'yyy', 200, 5L),
  (TIMESTAMP '2016-02-23 09:03:30', 'c003', 'female', 'xxx', 400, 1L),
  (TIMESTAMP '2016-02-23 09:03:50', 'c004', 'male', 'yyy', 300, 5L),
  (TIMESTAMP '2016-02-23 09:07:50', 'c005', 'female', 'xxx', 500, 5L)
AS (order_time, user_id, sex, country, quantity, price)
"""
AGG = "SELECT country, sex, sum(quantity), avg(price) FROM sales GROUP BY country, sex"
Run = Callable[[str], list[tuple[Any, ...]]]


def shown(run: Run, name: str) -> dict[str, Any]:
    """Return a view's row of SHOW MATERIALIZED VIEWS."""
    (row,) = run(f"SHOW MATERIALIZED VIEWS IN mv LIKE '{name}'")
    return dict(zip(COLUMNS, row, strict=True))


def branches(run: Run, storage: str) -> list[str]:
    return [name for (name,) in run(f"SELECT name FROM {storage}.refs") if name != "main"]


@pytest.fixture
def run(pyhive: Any) -> Iterator[Run]:
    """Run a statement through the proxy, in the namespace mv with a new table `sales`."""

    def statement(sql: str) -> list[tuple[Any, ...]]:
        return clients.rows(pyhive, sql)

    statement("CREATE NAMESPACE IF NOT EXISTS lake.mv")
    statement("USE lake.mv")
    statement(f"CREATE OR REPLACE TABLE sales AS {SALES}")
    yield statement
    for row in statement("SHOW MATERIALIZED VIEWS IN mv"):
        statement(f"DROP MATERIALIZED VIEW lake.mv.{row[1]}")


@pytest.fixture
def foreign(direct: Any) -> Run:
    """Run a statement past the proxy, as another engine."""

    def statement(sql: str) -> list[tuple[Any, ...]]:
        return clients.rows(direct, sql)

    return statement


def test_the_view_is_one_for_every_reader(run: Run, foreign: Run) -> None:
    run(f"CREATE MATERIALIZED VIEW agg_sales COMMENT 'it''s' PROPERTIES ('a'='b') AS {AGG}")
    expected = sorted(foreign(AGG.replace("sales", "lake.mv.sales")))
    assert sorted(foreign("SELECT * FROM lake.mv.agg_sales")) == expected
    described = foreign("DESCRIBE lake.mv.agg_sales")
    assert [row[0] for row in described] == ["country", "sex", "sum(quantity)", "avg(price)"]
    properties: dict[str, str] = dict(foreign("SHOW TBLPROPERTIES lake.mv.agg_sales"))
    assert properties["iceberg.materialized.view"] == "true"
    assert properties["iceberg.materialized.view.storage.table"] == "mv.agg_sales__storage"
    assert properties["a"] == "b"
    stored = foreign("SELECT country, sex, `sum(quantity)`, `avg(price)` FROM lake.mv.agg_sales__storage")
    assert sorted(stored) == expected


def test_the_storage_says_what_it_was_computed_from(run: Run, foreign: Run) -> None:
    run(f"CREATE MATERIALIZED VIEW agg_sales AS {AGG}")
    ((snapshot,),) = foreign("SELECT snapshot_id FROM lake.mv.sales.refs WHERE name = 'main'")
    properties: dict[str, str] = dict(foreign("SHOW TBLPROPERTIES lake.mv.agg_sales__storage"))
    bases = {key: value for key, value in properties.items() if key.startswith("iceberg.base.snapshot.")}
    assert list(bases.values()) == [str(snapshot)]
    assert properties["iceberg.view.version"] == "1"
    head = "(SELECT snapshot_id FROM lake.mv.agg_sales__storage.refs WHERE name = 'main')"
    ((state,),) = foreign(
        f"SELECT summary['refresh-state'] FROM lake.mv.agg_sales__storage.snapshots WHERE snapshot_id = {head}"
    )
    (source,) = json.loads(state)["source-states"]
    assert (source["type"], source["name"], source["namespace"]) == ("table", "sales", ["mv"])
    assert source["snapshot-id"] == snapshot
    assert [f"iceberg.base.snapshot.{source['uuid']}"] == list(bases)


def test_a_write_by_another_engine_is_noticed_and_a_refresh_takes_it_in(run: Run, foreign: Run) -> None:
    run(f"CREATE MATERIALIZED VIEW agg_sales WITH DEFERRED REFRESH AS {AGG}")
    assert shown(run, "agg_sales")["status"] == "never refreshed"
    run("REFRESH MATERIALIZED VIEW agg_sales")
    assert shown(run, "agg_sales")["status"] == "fresh"
    foreign("INSERT INTO lake.mv.sales SELECT now(), 'c9', 'male', 'zzz', 7, 7")
    now = shown(run, "agg_sales")
    assert now["status"] == "stale"
    assert "lake.mv.sales has changed since snapshot" in now["reason"]
    assert sorted(run(AGG)) == sorted(foreign(AGG.replace("sales", "lake.mv.sales")))
    run("REFRESH MATERIALIZED VIEW agg_sales")
    assert shown(run, "agg_sales")["status"] == "fresh"
    assert ("zzz", "male", 7, 7.0) in run(AGG)


def test_a_swap_of_column_names_makes_no_snapshot_and_is_noticed(run: Run, foreign: Run) -> None:
    run("CREATE MATERIALIZED VIEW by_user AS SELECT sex, country, count(*) AS n FROM sales GROUP BY sex, country")
    for before, after in (("sex", "x"), ("country", "sex"), ("x", "country")):
        foreign(f"ALTER TABLE lake.mv.sales RENAME COLUMN {before} TO {after}")
    assert shown(run, "by_user")["status"] == "stale"
    run("REFRESH MATERIALIZED VIEW by_user")
    stored = foreign("SELECT sex, country, n FROM lake.mv.by_user__storage")
    assert sorted(stored) == sorted(foreign("SELECT sex, country, count(*) FROM lake.mv.sales GROUP BY sex, country"))


def test_an_empty_source_and_one_with_a_newer_schema(run: Run, foreign: Run) -> None:
    run("CREATE OR REPLACE TABLE t (id INT, v INT)")
    run("CREATE MATERIALIZED VIEW of_t AS SELECT id, sum(v) AS s FROM t GROUP BY id")
    assert shown(run, "of_t")["status"] == "fresh"
    foreign("INSERT INTO lake.mv.t VALUES (1, 1)")
    assert shown(run, "of_t")["status"] == "stale"
    run("ALTER TABLE t ADD COLUMN w INT")
    run("ALTER MATERIALIZED VIEW of_t ADD COLUMNS (max(w) AS w)")
    assert foreign("SELECT id, s, w FROM lake.mv.of_t") == [(1, 1, None)]
    assert shown(run, "of_t")["status"] == "fresh"


def test_storage_is_laid_out_as_its_table_is_or_as_its_user_says(run: Run, foreign: Run) -> None:
    def layout(storage: str) -> tuple[str, str]:
        text = run(f"SHOW CREATE TABLE {storage}")[0][0]
        partitioned = text.split("PARTITIONED BY (")[1].split(")\n")[0] if "PARTITIONED BY" in text else ""
        properties: dict[str, str] = dict(run(f"SHOW TBLPROPERTIES {storage}"))
        return partitioned, properties.get("sort-order", "")

    run(
        "CREATE OR REPLACE TABLE many PARTITIONED BY (d) AS "
        "SELECT date_add(DATE '2024-01-30', int(id % 4)) AS d, xxhash64(id) AS h, id % 3 AS k FROM range(600000)"
    )
    run("ALTER TABLE many WRITE LOCALLY ORDERED BY k DESC, h")
    grouped = "SELECT d, k, count(*) AS c FROM many GROUP BY d, k"
    run(f"CREATE MATERIALIZED VIEW by_day AS {grouped}")
    assert layout("by_day__storage") == ("days(d)", "k DESC NULLS LAST")
    run("CREATE MATERIALIZED VIEW by_key AS SELECT k, count(*) AS c FROM many GROUP BY k")
    assert layout("by_key__storage") == ("", "k DESC NULLS LAST")
    run(f"CREATE MATERIALIZED VIEW given PARTITIONED BY (k) ORDERED BY (c DESC, d) AS {grouped}")
    assert layout("given__storage") == ("k", "c DESC NULLS LAST, d ASC NULLS FIRST")
    assert "ORDERED BY (c DESC, d)" in run("SHOW CREATE MATERIALIZED VIEW given")[0][0]
    run("INSERT INTO many VALUES (DATE '2024-01-30', 1, 2)")
    for view in ("by_day", "given"):
        assert sorted(run(f"SELECT d, k, c FROM {view}__storage")) == sorted(
            foreign(grouped.replace("many", "lake.mv.many"))
        )


def test_a_table_is_adopted_if_it_holds_what_the_query_returns(run: Run, foreign: Run) -> None:
    query = "SELECT country, sum(quantity) AS q FROM sales GROUP BY country"
    view = "CREATE MATERIALIZED VIEW adopted PROPERTIES ('viewgate.adopt' = '{}') AS " + query
    run(f"CREATE OR REPLACE TABLE summary AS {query}")
    run("CREATE OR REPLACE TABLE wrong AS SELECT country, sum(quantity) + 1 AS q FROM sales GROUP BY country")
    run("CREATE OR REPLACE TABLE others AS SELECT country FROM sales")
    for table, why in (
        ("wrong", "2 extra rows, 2 missing rows"),
        ("others", "the table has the columns"),
        ("sales", "the view's query reads lake."),
    ):
        with pytest.raises(hive.OperationalError, match=why):
            run(view.format(table))
    assert run("SHOW MATERIALIZED VIEWS IN mv") == []
    run(view.format("mv.summary"))
    ((plan,),) = run(f"EXPLAIN {query}")
    assert "answered from materialized view lake.mv.adopted" in plan
    assert "lake.mv.summary" in plan
    run("INSERT INTO sales SELECT now(), 'c9', 'male', 'zzz', 7, 7")
    assert sorted(foreign("SELECT * FROM lake.mv.summary")) == [("xxx", 1000), ("yyy", 500), ("zzz", 7)]
    with pytest.raises(hive.OperationalError, match="is the storage table of materialized view"):
        run("INSERT INTO summary VALUES ('a', 1)")
    assert "'viewgate.adopt' = 'mv.summary'" in run("SHOW CREATE MATERIALIZED VIEW adopted")[0][0]
    run(f"CREATE OR REPLACE MATERIALIZED VIEW adopted AS {query}")
    run("DROP MATERIALIZED VIEW adopted")
    assert len(run("SELECT * FROM summary")) == 3
    assert not any("adopted__storage" in name for _, name, _ in run("SHOW TABLES IN lake.mv"))


def test_zeros_of_another_sign_are_not_adopted(run: Run, foreign: Run) -> None:
    run("CREATE OR REPLACE TABLE signed AS SELECT 0.0D AS z, array(0.0D) AS zs")
    view = "CREATE MATERIALIZED VIEW zeros PROPERTIES ('viewgate.adopt' = 'other_signs') AS SELECT z, zs FROM signed"
    for other in ("SELECT -z AS z, zs FROM signed", "SELECT z, array(-z) AS zs FROM signed"):
        run(f"CREATE OR REPLACE TABLE other_signs AS {other}")
        with pytest.raises(hive.OperationalError, match="1 extra rows, 1 missing rows"):
            run(view)
    run("INSERT OVERWRITE other_signs SELECT z, zs FROM signed")
    run(view)
    run("DROP MATERIALIZED VIEW zeros")


def test_a_table_with_maps_is_not_adopted(run: Run, foreign: Run) -> None:
    for table in ("tagged", "other_tags"):
        run(f"CREATE OR REPLACE TABLE {table} AS SELECT 1 AS id, map('a', 1) AS tags")
    with pytest.raises(hive.OperationalError, match="cannot compare columns of these types: tags map<string,int>"):
        run("CREATE MATERIALIZED VIEW maps PROPERTIES ('viewgate.adopt' = 'other_tags') AS SELECT id, tags FROM tagged")


def test_storage_that_a_killed_create_has_left_goes_with_the_next_one(run: Run, foreign: Run) -> None:
    foreign(
        "CREATE TABLE lake.mv.agg_sales__storage (a INT) USING iceberg "
        "TBLPROPERTIES ('viewgate.storage-of' = 'mv.agg_sales')"
    )
    run(f"CREATE MATERIALIZED VIEW agg_sales AS {AGG}")
    tables = {name for _, name, _ in foreign("SHOW TABLES IN lake.mv") if "agg_sales__storage" in name}
    assert tables == {"agg_sales__storage"}
    assert shown(run, "agg_sales")["status"] == "fresh"


def test_a_view_made_from_another_catalog_is_filled_and_answers(run: Run, foreign: Run) -> None:
    named = AGG.replace("sales", "lake.mv.sales")
    run("USE spark_catalog.default")
    run(f"CREATE MATERIALIZED VIEW lake.mv.agg_sales AS {named}")
    run("USE lake.mv")
    assert shown(run, "agg_sales")["status"] == "fresh"
    ((plan,),) = run(f"EXPLAIN {AGG}")
    assert "answered from materialized view lake.mv.agg_sales" in plan
    assert sorted(run(AGG)) == sorted(foreign(named))


def test_replacing_gives_storage_of_its_own_and_drops_the_old(run: Run, foreign: Run) -> None:
    run(f"CREATE MATERIALIZED VIEW agg_sales COMMENT 'old' PROPERTIES ('mine'='1') AS {AGG}")
    run(
        "CREATE OR REPLACE MATERIALIZED VIEW agg_sales (land COMMENT 'a ''land''', `total q`) "
        "PARTITIONED BY (truncate(2, land)) AS SELECT country, sum(quantity) FROM sales GROUP BY country"
    )
    assert sorted(foreign("SELECT * FROM lake.mv.agg_sales")) == [("xxx", 1000), ("yyy", 500)]
    assert foreign("DESCRIBE lake.mv.agg_sales")[0] == ("land", "string", "a 'land'")
    storage = shown(run, "agg_sales")["storage"]
    tables = [name for _, name, _ in foreign("SHOW TABLES IN lake.mv") if name.startswith("agg_sales__storage")]
    assert [f"lake.mv.{name}" for name in tables] == [storage]
    assert "mine" not in dict(foreign("SHOW TBLPROPERTIES lake.mv.agg_sales"))
    ((statement,),) = run("SHOW CREATE MATERIALIZED VIEW agg_sales")
    run("DROP MATERIALIZED VIEW agg_sales")
    run(statement)
    assert foreign("DESCRIBE lake.mv.agg_sales")[0] == ("land", "string", "a 'land'")


def test_replacing_by_the_same_query_fills_the_storage_once(run: Run, foreign: Run) -> None:
    run(f"CREATE MATERIALIZED VIEW agg_sales AS {AGG}")
    run("SET spark.sql.session.timeZone = Asia/Kolkata")
    run(f"CREATE OR REPLACE MATERIALIZED VIEW agg_sales AS {AGG}")
    run("RESET spark.sql.session.timeZone")
    view = shown(run, "agg_sales")
    assert view["status"] == "fresh"
    assert foreign(f"SELECT count(summary['added-records']) FROM {view['storage']}.snapshots") == [(1,)]


def test_a_time_series_is_plain_sql_for_other_readers(run: Run, foreign: Run) -> None:
    by_minute = (
        "SELECT timeseries(order_time, 'minute'), avg(price) FROM sales GROUP BY timeseries(order_time, 'minute')"
    )
    run(f"CREATE MATERIALIZED VIEW by_minute AS {by_minute}")
    means = {mean for _, mean in foreign("SELECT * FROM lake.mv.by_minute")}
    assert means == {3.5, 5.0, 3.0}
    assert {mean for _, mean in run(by_minute)} == means


@pytest.mark.parametrize("head", ["CREATE TABLE copied USING iceberg AS", "CREATE OR REPLACE TABLE copied AS"])
def test_tables_are_filled_from_views_too(run: Run, foreign: Run, pyhive: Any, head: str) -> None:
    by_both = "SELECT country, sex, sum(quantity) AS q, max(price) AS p FROM sales GROUP BY country, sex"
    run(f"CREATE MATERIALIZED VIEW agg AS {by_both}")
    query = "SELECT country, sum(quantity), max(price) AS price FROM lake.mv.sales GROUP BY country"
    expected = sorted(foreign(query))

    def filled(statement: str) -> list[tuple[Any, ...]]:
        cursor = pyhive.cursor()
        cursor.execute(statement)
        assert any("mv.agg (roll_up)" in line for line in cursor.fetch_logs())
        cursor.close()
        return sorted(foreign("SELECT * FROM lake.mv.copied"))

    try:
        assert filled(f"{head} {query}") == expected
        assert foreign("DESCRIBE lake.mv.copied")[:3] == foreign(f"DESCRIBE QUERY {query}")
        assert filled(f"INSERT INTO copied {query}") == sorted(2 * expected)
        assert filled(f"INSERT OVERWRITE copied WITH totals AS ({query}) SELECT * FROM totals") == expected
    finally:
        foreign("DROP TABLE IF EXISTS lake.mv.copied")


def test_drop_leaves_nothing(run: Run, foreign: Run, aside_data: Path) -> None:
    run(f"CREATE MATERIALIZED VIEW agg_sales AS {AGG}")
    files = list((aside_data / "warehouse" / "mv" / "agg_sales__storage" / "data").rglob("*.parquet"))
    assert files
    run("DROP MATERIALIZED VIEW agg_sales")
    assert not [name for _, name, _ in foreign("SHOW TABLES IN lake.mv") if name.startswith("agg_sales")]
    assert not any(file.exists() for file in files)
    assert run("DROP MATERIALIZED VIEW IF EXISTS agg_sales") != []
