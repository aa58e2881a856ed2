from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from proxy.commands.show import COLUMNS, matches
from proxy.hs2 import SqlError
from rewriter.model import TableName
from tests.unit.catalog.lake import AGG, ROWS
from tests.unit.commands.house import House

CREATE = "CREATE MATERIALIZED VIEW agg AS SELECT region, sum(amount) FROM sales GROUP BY region"


def show(house: House, sql: str = "SHOW MATERIALIZED VIEWS") -> list[dict[str, Any]]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in asyncio.run(house.run(sql)).rows]


def test_a_fresh_view_and_a_stale_one(house: House) -> None:
    asyncio.run(house.run(CREATE))
    (row,) = show(house)
    assert row["reason"] is None
    assert (row["namespace"], row["name"], row["rewrite"], row["status"]) == ("demo", "agg", "on", "fresh")
    assert (row["storage"], row["last_error"]) == ("lake.demo.agg__storage", None)
    house.lake.iceberg.load_table("demo.sales").append(ROWS)
    (row,) = show(house)
    assert row["status"] == "stale"
    assert "lake.demo.sales has changed since snapshot" in row["reason"]
    assert row["refreshed_at"].startswith("20")


def test_a_refresh_that_goes_on_is_shown(house: House) -> None:
    asyncio.run(house.run(CREATE))
    seen: list[Any] = []

    async def look() -> None:
        shown = await house.run("SHOW MATERIALIZED VIEWS")
        seen.append(shown.rows[0][COLUMNS.index("reason")])

    house.spark.before_insert = look
    asyncio.run(house.run("REFRESH MATERIALIZED VIEW agg FULL"))
    assert [reason.split(", at ")[0] for reason in seen] == ["being refreshed: reading lake.demo.sales"]


def test_a_view_that_was_never_refreshed(house: House) -> None:
    asyncio.run(house.run(CREATE.replace(" AS ", " WITH DEFERRED REFRESH AS ", 1)))
    (row,) = show(house)
    assert (row["status"], row["refresh"], row["refreshed_at"]) == ("never refreshed", "deferred", None)


def test_how_a_view_is_refreshed_is_shown_and_kept_for_another_create(house: House) -> None:
    asyncio.run(house.run(CREATE.replace(" AS ", " PROPERTIES ('viewgate.refresh.every' = '10 minutes') AS ", 1)))
    assert show(house)[0]["refresh"] == "on-commit, every 10 minutes"
    ((statement,),) = asyncio.run(house.run("SHOW CREATE MATERIALIZED VIEW agg")).rows
    assert "PROPERTIES ('viewgate.refresh.every' = '10 minutes')" in str(statement)
    asyncio.run(house.run("ALTER MATERIALIZED VIEW agg SET PROPERTIES ('viewgate.refresh.every' = 'never')"))
    assert show(house)[0]["refresh"] == "on-commit"
    for key, value, allowed in (
        ("viewgate.refresh.every", "often", "never or to a number of seconds, minutes, hours or days"),
        ("viewgate.refresh.wait", "long", "if-incremental or always or never"),
    ):
        with pytest.raises(SqlError, match=f"{key} cannot be '{value}': set it to {allowed}") as refused:
            asyncio.run(house.run(f"ALTER MATERIALIZED VIEW agg SET PROPERTIES ('{key}' = '{value}')"))
        assert refused.value.sql_state == "22023"


def test_storage_that_something_else_wrote_is_stale(house: House) -> None:
    asyncio.run(house.run(CREATE))
    storage = house.lake.iceberg.load_table("demo.agg__storage")
    storage.append(storage.scan().to_arrow())
    (row,) = show(house)
    assert row["status"] == "stale"
    assert "last written by another tool" in row["reason"]


def test_the_last_error_is_shown_until_a_refresh_succeeds(house: House) -> None:
    asyncio.run(house.run(CREATE))

    async def fail() -> None:
        raise SqlError("[OUT_OF_LUCK] no", "58000")

    house.spark.before_insert = fail
    with pytest.raises(SqlError):
        asyncio.run(house.run("REFRESH MATERIALIZED VIEW agg FULL"))
    assert show(house)[0]["last_error"].endswith(": [OUT_OF_LUCK] no (the stored rows of lake.demo.agg are unchanged)")
    assert show(house)[0]["status"] == "fresh"
    house.spark.before_insert = None
    asyncio.run(house.run("REFRESH MATERIALIZED VIEW agg FULL"))
    assert show(house)[0]["last_error"] is None


def test_a_view_that_cannot_be_read_is_listed_with_the_reason(house: House) -> None:
    house.lake.put_view(TableName(("lake", "demo", "odd")), b"no json")
    (row,) = show(house)
    assert (row["name"], row["status"]) == ("odd", "unreadable")
    with pytest.raises(SqlError, match="cannot be used") as refused:
        asyncio.run(house.run("REFRESH MATERIALIZED VIEW odd"))
    assert refused.value.sql_state == "55000"


@pytest.mark.parametrize(
    ("clause", "listed"),
    [
        ("IN demo", True),
        ("IN lake.demo", True),
        ("IN other", False),
        ("IN lake.other", False),
        ("ON TABLE sales", True),
        ("ON TABLE other.sales", False),
        ("LIKE 'a*'", True),
        ("LIKE 'b*'", False),
    ],
)
def test_filters(house: House, clause: str, listed: bool) -> None:
    asyncio.run(house.run(CREATE))
    house.lake.iceberg.create_namespace("other")
    house.lake.iceberg.create_table("other.sales", ROWS.schema)
    assert bool(show(house, f"SHOW MATERIALIZED VIEWS {clause}")) is listed


@pytest.mark.parametrize("clause", ["IN Demo", "IN lake.DEMO", "ON TABLE Sales"])
def test_the_case_of_a_name_matters_as_in_its_catalog(
    house: House, clause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(house.run(CREATE))
    with pytest.raises(SqlError, match="does not exist"):
        show(house, f"SHOW MATERIALIZED VIEWS {clause}")
    monkeypatch.setattr(type(house.catalogs["lake"]), "lower_names", True)
    house.session = replace(house.session, lower_names=frozenset({"lake"}))
    assert len(show(house, f"SHOW MATERIALIZED VIEWS {clause}")) == 1


@pytest.mark.parametrize(
    ("clause", "state"), [("IN nope", "42704"), ("IN spark_catalog.demo", "42704"), ("ON TABLE nope", "42P01")]
)
def test_what_is_not_there_has_no_views_to_show(house: House, clause: str, state: str) -> None:
    with pytest.raises(SqlError, match="does not exist") as refused:
        show(house, f"SHOW MATERIALIZED VIEWS {clause}")
    assert refused.value.sql_state == state


def test_patterns() -> None:
    assert matches("x|AG*", "agg")
    assert not matches("a.g", "agg")


def test_show_create_makes_the_view_again(house: House) -> None:
    clauses = "(r COMMENT 'x', s) COMMENT 'it''s' WITH DEFERRED REFRESH PARTITIONED BY (r) TBLPROPERTIES ('a'='b')"
    asyncio.run(house.run(CREATE.replace(" AS ", f" {clauses} AS ", 1)))
    before = house.lake.view_properties(AGG)
    ((statement,),) = asyncio.run(house.run("SHOW CREATE MATERIALIZED VIEW agg")).rows
    asyncio.run(house.run("DROP MATERIALIZED VIEW agg"))
    asyncio.run(house.run(statement))
    assert statement.startswith(
        "-- made under spark.sql.ansi.enabled=false, spark.sql.session.timeZone=Asia/Tokyo\nCREATE "
    )
    assert "FROM lake.demo.sales GROUP BY" in statement
    again = house.lake.view_properties(AGG)
    for spelled in ("viewgate.query", "viewgate.definition"):  # now with the table's full name
        assert again.pop(spelled) != before.pop(spelled)
    assert again == before


def test_describe_tells_how_the_view_stands(house: House) -> None:
    asyncio.run(house.run(CREATE))
    facts = {row[0]: row[1] for row in asyncio.run(house.run("DESCRIBE MATERIALIZED VIEW agg")).rows}
    assert (facts["Status"], facts["Sources"]) == ("fresh", "lake.demo.sales")
    assert "spark.sql.session.timeZone=Asia/Tokyo" in facts["Settings"]
    assert facts["Properties"] == ""
    asyncio.run(house.run("ALTER MATERIALIZED VIEW agg SET PROPERTIES ('viewgate.retention' = 'never', team = 'web')"))
    facts = {row[0]: row[1] for row in asyncio.run(house.run("DESCRIBE MATERIALIZED VIEW agg")).rows}
    assert facts["Properties"] == "team=web, viewgate.retention=never"


def test_a_pattern_of_many_wildcards_does_not_make_it_try_every_way() -> None:
    assert not matches("*" * 40 + "x|" + "a*" * 20 + "!", "sales_by_day_and_country" * 5)
