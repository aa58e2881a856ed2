from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proxy.hs2 import SqlError
from rewriter.model import Session, Table, TableName
from tests.unit.catalog.lake import AGG, SALES, STORAGE
from tests.unit.commands.house import House

CREATE = "CREATE MATERIALIZED VIEW agg AS SELECT region, sum(amount) FROM sales GROUP BY region"
REPLACE = CREATE.replace("CREATE", "CREATE OR REPLACE")


def created(house: House, sql: str = CREATE) -> dict[str, str]:
    """Return the new view's properties."""
    asyncio.run(house.run(sql))
    return house.lake.view_properties(AGG)


def test_the_view_points_to_storage_that_was_refreshed(house: House) -> None:
    properties = created(house)
    assert properties["iceberg.materialized.view"] == "true"
    assert properties["iceberg.materialized.view.storage.table"] == "demo.agg__storage"
    storage = asyncio.run(house.catalogs.current([STORAGE]))[STORAGE]
    assert isinstance(storage, Table)
    assert storage.refresh is not None
    assert [source.name for source in storage.refresh.sources] == [SALES]
    assert [column.name for column in storage.columns] == [
            "region", "sum(amount)", "viewgate_rows_0", "viewgate_count_1",
        ]  # fmt: skip
    assert house.upstream.statements[-1].startswith("CREATE VIEW")


def test_the_view_keeps_what_a_refresh_and_show_create_need(house: House) -> None:
    properties = created(house)
    assert json.loads(properties["viewgate.settings"]) == {
        "spark.sql.ansi.enabled": "false",
        "spark.sql.session.timeZone": "Asia/Tokyo",
    }
    assert house.spark.settings["spark.sql.session.timeZone"] == "Asia/Tokyo"
    assert properties["viewgate.query"] == "SELECT region, sum(amount) FROM sales GROUP BY region"
    assert "count(*) AS viewgate_rows_0" in properties["viewgate.storage-query"]


def test_deferred_storage_has_no_content(house: House) -> None:
    created(house, CREATE.replace(" AS ", " WITH DEFERRED REFRESH AS ", 1))
    storage = asyncio.run(house.catalogs.current([STORAGE]))[STORAGE]
    assert isinstance(storage, Table)
    assert storage.snapshot_id is None
    assert house.spark.statements == []


@pytest.mark.parametrize(
    ("clause", "said"),
    [
        (
            "PARTITIONED BY (region, nope)",
            "PARTITIONED BY names nope, which is not a column of lake.demo.agg: its columns are region,",
        ),
        (
            "PARTITIONED BY (days(region))",
            r"days\(region\): region has the type STRING, but days\(\) takes DATE or TIMESTAMP",
        ),
        ("ORDERED BY (region DESC NULLS LAST, zz ASC)", "ORDERED BY names zz, which is not a column"),
        ("ORDERED BY (bucket(4, zz))", "ORDERED BY names zz, which is not a column"),
    ],
)
def test_a_layout_that_storage_cannot_have_is_refused_before_anything_is_made(
    house: House, clause: str, said: str
) -> None:
    with pytest.raises(SqlError, match=said):
        asyncio.run(house.run(CREATE.replace(" AS ", f" {clause} AS ", 1)))
    assert not [sql for sql in house.upstream.statements if sql.startswith("CREATE")]


def test_rows_of_one_moment_are_in_no_view(house: House) -> None:
    with pytest.raises(SqlError, match=r"mv_dependencies\(\) returns the current rows"):
        asyncio.run(house.run("CREATE MATERIALIZED VIEW agg AS SELECT * FROM mv_dependencies('agg')"))


@pytest.mark.parametrize("replaced", [False, True])
def test_a_retention_that_no_refresh_could_keep_is_refused_at_once(house: House, replaced: bool) -> None:
    before = created(house) if replaced else None
    retained = " WITH DEFERRED REFRESH PROPERTIES ('viewgate.retention' = '20 days') AS "
    with pytest.raises(SqlError, match="is not partitioned by a time column"):
        asyncio.run(house.run((REPLACE if replaced else CREATE).replace(" AS ", retained, 1)))
    assert house.tables() == ({"sales", "agg__storage"} if replaced else {"sales"})
    assert (house.lake.view_properties(AGG) if asyncio.run(house.catalogs.view(AGG)) else None) == before


def test_storage_is_written_as_its_one_table_unless_said_otherwise(house: House) -> None:
    given = {
        "write.parquet.compression-codec": "gzip",
        "write.target-file-size-bytes": "1000",
        "write.data.path": "/elsewhere",
    }
    with house.lake.iceberg.load_table("demo.sales").transaction() as transaction:
        transaction.set_properties(given)
    created(house, CREATE.replace(" AS ", " PROPERTIES ('write.target-file-size-bytes' = '7') AS ", 1))
    (statement,) = (sql for sql in house.upstream.statements if sql.startswith("CREATE TABLE"))
    assert (
        "'write.parquet.compression-codec' = 'gzip', 'write.target-file-size-bytes' = '7', 'viewgate.storage-of'"
        in statement
    )
    assert "elsewhere" not in statement
    assert "'write.metadata.delete-after-commit.enabled' = 'true'" in statement


def test_columns_and_comments_are_named_in_the_view(house: House) -> None:
    created(house, CREATE.replace(" AS ", " (land COMMENT 'a ''land''', `the sum`) COMMENT 'x' AS ", 1))
    (statement,) = (sql for sql in house.upstream.statements if sql.startswith("CREATE VIEW"))
    assert statement.startswith(r"CREATE VIEW lake.demo.agg (land COMMENT 'a \'land\'', `the sum`) COMMENT 'x' ")


def test_without_a_list_the_columns_are_left_to_spark(house: House) -> None:
    created(house)
    (statement,) = (sql for sql in house.upstream.statements if sql.startswith("CREATE VIEW"))
    assert statement.startswith("CREATE VIEW lake.demo.agg TBLPROPERTIES")


def test_if_not_exists_and_exists_already(house: House) -> None:
    created(house)
    before = list(house.upstream.statements)
    result = asyncio.run(house.run(CREATE.replace("VIEW", "VIEW IF NOT EXISTS")))
    assert "exists already" in result.rows[0][0]
    with pytest.raises(SqlError, match="exists already; use CREATE OR REPLACE") as refused:
        asyncio.run(house.run(CREATE))
    assert refused.value.sql_state == "42P07"
    assert house.upstream.statements == before


def test_a_table_is_not_replaced(house: House) -> None:
    with pytest.raises(SqlError, match="is not a materialized view; choose another name") as refused:
        asyncio.run(house.run(REPLACE.replace("agg", "sales", 1)))
    assert refused.value.sql_state == "42P07"


def test_a_replacement_is_filled_before_the_view_points_to_it(house: House) -> None:
    created(house)
    house.spark.statements.clear()
    house.upstream.statements.clear()
    pointed_to: list[str] = []

    async def note() -> None:
        pointed_to.append(house.lake.view_properties(AGG)["iceberg.materialized.view.storage.table"])

    house.spark.before_insert = note
    properties = created(house, REPLACE)
    storage = properties["iceberg.materialized.view.storage.table"]
    assert storage != "demo.agg__storage"
    assert pointed_to == ["demo.agg__storage"]
    assert house.tables() == {"sales", storage.removeprefix("demo.")}


@pytest.mark.parametrize("replaced_by", [REPLACE, REPLACE.replace("AS SELECT", "AS SELECT  ")])
def test_a_replacement_is_filled_once_whatever_number_its_version_gets(house: House, replaced_by: str) -> None:
    """Iceberg gives a version with an unchanged query its former number; settings are no part of a version."""
    for sql in (CREATE, REPLACE.replace("sum(amount)", "sum(amount + 1)"), REPLACE):
        asyncio.run(house.run(sql))
    house.session = replace(house.session, time_zone="UTC")
    house.spark.statements.clear()
    house.log.clear()
    asyncio.run(house.run(replaced_by))
    assert [line for line in house.log if "refresh (" in line] == [
        "lake.demo.agg: refresh (full): the storage table records no refresh"
    ]
    assert len([sql for sql in house.spark.statements if sql.startswith("INSERT OVERWRITE")]) == 1
    assert "fresh already" in asyncio.run(house.run("REFRESH MATERIALIZED VIEW agg")).rows[0][0]


def test_content_is_not_carried_over_to_a_view_that_another_client_has_defined(house: House) -> None:
    """The other view names the same storage with another query, so that the storage is filled again."""
    created(house)
    put = house.lake.put_view

    def otherwise(name: TableName, document: dict[str, Any]) -> str:
        settings = json.dumps({"spark.sql.session.timeZone": "Asia/Kolkata"})
        document["properties"]["viewgate.settings"] = settings
        return put(name, document)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(house.lake, "put_view", otherwise)
        house.log.clear()
        asyncio.run(house.run(REPLACE))
    assert [line.split(": ", 1)[1] for line in house.log if "refresh (" in line] == [
        "refresh (full): the storage table records no refresh",
        "refresh (full): the stored rows were computed for another version of the view",
    ]


def test_of_two_replacements_at_once_the_storage_of_the_later_is_left(house: House) -> None:
    created(house)

    async def another() -> None:
        house.spark.before_insert = None
        await house.run(REPLACE.replace(" AS ", " PROPERTIES ('viewgate.refresh.every' = '1 hour') AS ", 1))

    house.spark.before_insert = another
    properties = created(house, REPLACE)
    storage = properties["iceberg.materialized.view.storage.table"]
    assert house.tables() == {"sales", storage.removeprefix("demo.")}
    assert any("UNSET TBLPROPERTIES ('viewgate.refresh.every')" in sql for sql in house.upstream.statements)


def test_a_replacement_that_fails_leaves_the_old_view_as_it_was(house: House) -> None:
    before = created(house)

    async def fail() -> None:
        raise SqlError("[DIVIDE_BY_ZERO] Division by zero", "22012")

    house.spark.before_insert = fail
    with pytest.raises(SqlError, match="DIVIDE_BY_ZERO"):
        asyncio.run(house.run(REPLACE))
    assert house.lake.view_properties(AGG) == before
    assert house.tables() == {"sales", "agg__storage"}


@pytest.mark.parametrize("cut", [SqlError("the connection is lost", "08S01"), asyncio.CancelledError()])
def test_a_replacement_that_spark_has_made_keeps_its_storage_whatever_follows(house: House, cut: BaseException) -> None:
    created(house)
    house.upstream.cut = {"^CREATE OR REPLACE VIEW": cut}
    with pytest.raises(type(cut)):
        asyncio.run(house.run(REPLACE.replace("sum(amount)", "sum(amount + 1)")))
    storage = house.lake.view_properties(AGG)["iceberg.materialized.view.storage.table"]
    assert storage != "demo.agg__storage"
    assert storage.removeprefix("demo.") in house.tables()
    assert "fresh already" in asyncio.run(house.run("REFRESH MATERIALIZED VIEW agg")).rows[0][0]


def test_storage_is_left_where_nobody_knows_if_the_view_points_to_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    created(house)

    async def away(_name: object) -> None:
        raise OSError("the catalog is away")

    async def fail() -> None:
        monkeypatch.setattr(house.catalogs, "view", away)
        raise SqlError("[DIVIDE_BY_ZERO] Division by zero", "22012")

    house.spark.before_insert = fail
    left = r"(?s)\[DIVIDE_BY_ZERO\].*: DROP TABLE .* PURGE, unless lake\.demo\.agg points to it \(the catalog is away\)"
    with pytest.raises(SqlError, match=left):
        asyncio.run(house.run(REPLACE))
    assert len(house.tables()) == 3


def test_what_a_user_has_turned_off_stays_off_when_replaced(house: House) -> None:
    created(house)
    asyncio.run(house.run("ALTER MATERIALIZED VIEW agg DISABLE REWRITE"))
    assert created(house, REPLACE)["viewgate.rewrite"] == "off"


@pytest.mark.parametrize("step", ["CREATE VIEW", "INSERT"])
def test_a_failure_takes_back_what_was_made(house: House, step: str) -> None:
    error = SqlError("[BROKEN] no", "58000")

    async def fail() -> None:
        raise error

    house.upstream.broken = {"^CREATE VIEW": error} if step == "CREATE VIEW" else {}
    house.spark.before_insert = fail
    with pytest.raises(SqlError, match="BROKEN"):
        asyncio.run(house.run(CREATE))
    assert house.tables() == {"sales"}
    assert asyncio.run(house.catalogs.current([AGG])) == {AGG: None}


def test_what_could_not_be_taken_back_is_said(house: House) -> None:
    house.upstream.broken = {"^CREATE VIEW": SqlError("[A] no", "58000"), "^DROP TABLE": SqlError("[B] no", "58000")}
    with pytest.raises(SqlError, match=r"(?s)\[A\] no.*run them yourself: DROP TABLE .* PURGE \(\[B\] no\)"):
        asyncio.run(house.run(CREATE))


def test_storage_left_by_a_killed_create_is_not_taken(house: House) -> None:
    asyncio.run(house.upstream.query("CREATE TABLE lake.demo.agg__storage (a int) USING iceberg"))
    properties = created(house)
    assert properties["iceberg.materialized.view.storage.table"].startswith("demo.agg__storage_")
    assert "agg__storage" in house.tables()


@pytest.mark.parametrize("sql", [CREATE, REPLACE])
def test_storage_whose_metadata_is_gone_keeps_its_name(house: House, sql: str) -> None:
    """A refresh error recommends CREATE OR REPLACE, and Spark could not drop the old storage."""
    created(house)
    Path(house.lake.iceberg.load_table("demo.agg__storage").metadata_location.removeprefix("file://")).unlink()
    house.upstream.broken = {
        "(?s)^(CREATE|DROP) TABLE .*agg__storage( |$)": SqlError("Failed to open input stream", "X")
    }
    if sql == CREATE:
        house.lake.drop_view(AGG)  # by another engine
    properties = created(house, sql)
    assert properties["iceberg.materialized.view.storage.table"].startswith("demo.agg__storage_")


def test_sparks_own_error_comes_first(house: House) -> None:
    house.upstream.broken = {"DESCRIBE QUERY\nSELECT a FROM nowhere": SqlError("[TABLE_OR_VIEW_NOT_FOUND] …", "42P01")}
    with pytest.raises(SqlError, match="TABLE_OR_VIEW_NOT_FOUND") as refused:
        asyncio.run(house.run("CREATE MATERIALIZED VIEW agg AS SELECT a FROM nowhere"))
    assert refused.value.sql_state == "42P01"


@pytest.mark.parametrize(
    ("described", "query", "state", "message"),
    [
        ([("a", "int"), ("A", "int")], "SELECT region a, amount A FROM sales", "42711", "two columns are named"),
        (
            [("a", "interval day to second")],
            "SELECT region a FROM sales",
            "0A000",
            "interval day to second, which Iceberg",
        ),
        ([("a", "double")], "SELECT rand() a FROM sales", "0A000", "cannot define a materialized view"),
        ([("a", "int")], "SELECT 1 AS a", "0A000", "the query reads no table"),
        (
            [("a", "int")],
            "SELECT /*+ VIEWGATE(off) */ amount AS a FROM sales",
            "0A000",
            "cannot have the hint VIEWGATE",
        ),
        ([("a", "int")], "SELECT amount AS a FROM elsewhere", "0A000", "is not an Iceberg table"),
    ],
)
def test_refusals(house: House, described: list[tuple[str, str]], query: str, state: str, message: str) -> None:
    house.upstream.described = described
    with pytest.raises(SqlError, match=message) as refused:
        asyncio.run(house.run(f"CREATE MATERIALIZED VIEW agg AS {query}"))
    assert refused.value.sql_state == state
    assert house.tables() == {"sales"}


def test_another_catalog_is_refused(house: House) -> None:
    house.session = Session("spark_catalog", ("demo",))
    with pytest.raises(SqlError, match="not in the catalog lake") as refused:
        asyncio.run(house.run(CREATE))
    assert refused.value.sql_state == "0A000"


def test_a_namespace_that_nobody_made_is_not_made_unasked(house: House) -> None:
    with pytest.raises(
        SqlError, match=r"the namespace lake\.x\.y does not exist: run CREATE NAMESPACE lake\.x\.y first"
    ) as refused:
        asyncio.run(house.run("CREATE MATERIALIZED VIEW x.y.v AS SELECT region FROM sales"))
    assert refused.value.sql_state == "42704"
