"""Checks that tools for Hive can browse Spark's Iceberg tables in sessions that ask for Hive's answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import create_engine, inspect
from sqlalchemy.exc import DBAPIError

from tests.clients import tools
from tests.clients.test_same_answers import compare
from tests.integration import clients
from tests.integration.gate import Gate

pytestmark = pytest.mark.aside

AS_HIVE: dict[str, Any] = {"configuration": {"viewgate.listings": "hive"}}
MADE = (
    "CREATE TABLE demo.parted (n INT, region STRING, at TIMESTAMP) PARTITIONED BY (region, days(at))",
    "INSERT INTO demo.parted VALUES (1, 'eu', TIMESTAMP '2024-01-01'), (2, 'us', TIMESTAMP '2024-01-01'), "
    "(3, 'us', TIMESTAMP '2024-01-02'), (4, NULL, TIMESTAMP '2024-01-02')",
    "CREATE VIEW demo.seen AS SELECT n FROM demo.parted",
)
VALUES = ["region=__HIVE_DEFAULT_PARTITION__", "region=eu", "region=us"]


@pytest.fixture
def parted(pyhive: Any) -> Iterator[None]:
    """Create a table partitioned by a column and by days, and a view over it."""
    for sql in MADE:
        clients.rows(pyhive, sql)
    yield
    clients.rows(pyhive, "DROP VIEW demo.seen")
    clients.rows(pyhive, "DROP TABLE demo.parted PURGE")


@pytest.mark.usefixtures("parted")
def test_an_inspector_of_sqlalchemy(gate: Gate) -> None:
    engine = create_engine(f"hive://ann@127.0.0.1:{gate.port}/demo", connect_args=AS_HIVE)
    try:
        found = inspect(engine)
        tables = found.get_table_names("demo")
        assert {"parted", "sales"} <= set(tables)
        assert not {"demo", "agg_sales__storage"} & set(tables)
        assert [found.has_table(name, schema="demo") for name in ("parted", "nope")] == [True, False]
        columns = [(one["name"], str(one["type"])) for one in found.get_columns("parted", schema="demo")]
        assert columns == [("n", "INTEGER"), ("region", "VARCHAR"), ("at", "TIMESTAMP")]
        assert found.get_indexes("parted", schema="demo")[0]["column_names"] == ["region"]
        with pytest.raises(
            DBAPIError, match="ParseException"
        ):  # pandas.read_sql asks this, and takes an error for "no"
            found.has_table("SELECT max(n) AS n FROM parted")
    finally:
        engine.dispose()
    with clients.pyhive(gate.port, database="demo", **AS_HIVE) as connection:
        assert [row[0] for row in clients.rows(connection, "SHOW PARTITIONS demo.parted")] == VALUES
        views = [row[0] for row in clients.rows(connection, "SHOW VIEWS IN demo")]
        assert {"seen", "agg_sales"} <= set(views)


@pytest.mark.usefixtures("parted")
def test_what_hue_and_simba_send_lists_each_name_once(pyhive: Any) -> None:
    schemas = {row[0] for row in clients.rows(pyhive, "SHOW SCHEMAS")}
    assert "demo" in schemas
    assert {row[0] for row in clients.rows(pyhive, "SELECT SCHEMA_NAME FROM INFORMATION_SCHEMA.SCHEMATA")} == schemas
    tables, views = ([row[1] for row in clients.rows(pyhive, f"SHOW {kind} IN demo")] for kind in ("TABLES", "VIEWS"))
    assert {"sales", "parted"} <= set(tables)
    assert {"agg_sales", "seen"} <= set(views)
    assert len({*tables, *views}) == len(tables) + len(views)


@pytest.mark.usefixtures("parted")
def test_by_superset(gate: Gate) -> None:
    direct, through, as_hive = tools.by_superset(gate.spark_port, gate.port)
    compare("Superset", direct, through)
    for kind, name in (("table", "parted"), ("view", "seen")):
        assert f"'{name}'" in str(as_hive[f"get_all_{kind}_names_in_schema"]), as_hive
    assert "'demo'," not in str(as_hive["get_all_table_names_in_schema"]).replace("'demo', None", "")
    assert as_hive["latest_partition"] == "(['region'], ['us'])"
    assert as_hive["get_columns of partitions"] == ["n", "region", "at"]
    told = as_hive["get_extra_table_metadata"]["partitions"]
    assert (told["cols"], told["latest"]) == (["region"], {"region": "us"})
    assert as_hive["get_df"] == through["get_df"]
