from __future__ import annotations

import asyncio
import json

import pytest

from proxy.answering.virtual_tables import calls, expand
from proxy.hs2 import SqlError
from rewriter import splice
from rewriter.model import Session, TableName
from tests.unit.catalog.lake import AGG, MATERIALIZED, ROWS, Lake, view_document

SESSION = Session("lake", ("demo",))


def whole(sql: str, lake: Lake) -> str:
    """Return a statement with its calls expanded."""
    return splice(sql, asyncio.run(expand(sql, SESSION, lake.catalogs())))


@pytest.mark.parametrize(
    "sql", ["SELECT 'mv_dependencies(''a'')'", "SELECT stale_files FROM t", "SELECT 1 -- stale_files('a')"]
)
def test_what_is_no_call(sql: str) -> None:
    assert list(calls(sql)) == []
    assert asyncio.run(expand(sql, SESSION, None)) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("sql", ["SELECT * FROM stale_files(a)", "SELECT * FROM MV_DEPENDENCIES(*)"])
def test_a_wrong_call_is_told_what_is_right(sql: str) -> None:
    with pytest.raises(SqlError, match="takes the name of a materialized view in quotes") as refused:
        list(calls(sql))
    assert refused.value.sql_state == "42601"


def test_a_call_becomes_its_rows_wherever_it_stands(lake: Lake) -> None:
    lake.iceberg.create_table("demo.sales", ROWS.schema).append(ROWS)
    storage = lake.iceberg.create_table("demo.agg__storage", ROWS.schema)
    lake.put_view(AGG, view_document(**MATERIALIZED))
    (file,) = lake.iceberg.load_table("demo.sales").inspect.files()["file_path"].to_pylist()
    expanded = whole("SELECT count(*) FROM stale_files('agg') f JOIN u", lake)
    assert expanded.startswith("SELECT count(*) FROM (SELECT `0` AS `target`, ")
    assert "timestamp_millis(`5`) AS `source_last_modified`, `6` AS `change` FROM" in expanded
    assert expanded.endswith("5`: BIGINT, `6`: STRING>>')))) f JOIN u")
    row = {"0": f"{storage.location()}/", "1": "lake", "2": "demo", "3": "sales", "4": file}
    assert json.dumps(row, separators=(",", ":"))[:-1] in expanded
    assert '"6":"added"}]' in expanded


def test_a_name_may_hold_dots_in_back_ticks(lake: Lake) -> None:
    lake.iceberg.create_table("demo.sales", ROWS.schema)
    lake.iceberg.create_table("demo.agg__storage", ROWS.schema)
    lake.put_view(TableName(("lake", "demo", "a.b")), view_document(**MATERIALIZED))
    assert "from_json" in whole("SELECT * FROM mv_dependencies('demo.`a.b`')", lake)


def test_no_files_are_no_rows_and_no_view_is_an_error(lake: Lake) -> None:
    lake.iceberg.create_table("demo.sales", ROWS.schema)
    lake.iceberg.create_table("demo.agg__storage", ROWS.schema)
    lake.put_view(AGG, view_document(**MATERIALIZED))
    assert "replace('[]'" in whole("SELECT * FROM mv_dependencies('demo.agg')", lake)
    with pytest.raises(SqlError, match="materialized view nope does not exist") as refused:
        asyncio.run(expand("SELECT * FROM mv_dependencies('nope')", SESSION, lake.catalogs()))
    assert refused.value.sql_state == "42P01"


@pytest.mark.parametrize("view", ["CREATE VIEW v", "CREATE OR REPLACE TEMPORARY VIEW v (a)", "ALTER VIEW v"])
def test_a_view_would_keep_the_rows_of_one_moment(lake: Lake, view: str) -> None:
    with pytest.raises(SqlError, match=r"stale_files\(\) returns the current rows"):
        asyncio.run(expand(f"{view} AS SELECT * FROM stale_files('demo.agg')", SESSION, lake.catalogs()))
