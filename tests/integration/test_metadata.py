"""What browsing tools see by Hive JDBC, compared with what Spark says of the same objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration import clients
from tests.integration.gate import Gate

COLUMNS = """
  a INT COMMENT 'it''s', B STRING, c DECIMAL(10,2), d TIMESTAMP, e TIMESTAMP_NTZ, f ARRAY<INT>,
  g MAP<STRING, INT>, h STRUCT<x: INT, `y z`: DECIMAL(20,0)>, i BINARY, j BOOLEAN, m BIGINT, n FLOAT, o DOUBLE, p DATE
"""
TABLE_AND_VIEW = ["TABLE", "VIEW"]


@pytest.fixture(scope="module", autouse=True)
def relations(gate: Gate) -> Iterator[None]:
    """The same table in both catalogs, a view, a table with a foreign key, and a temporary view of another session."""
    with clients.pyhive(gate.port) as connection:
        for statement in (
            "CREATE NAMESPACE IF NOT EXISTS lake.browsed",
            f"CREATE TABLE lake.browsed.wide ({COLUMNS}) USING iceberg COMMENT 'all types'",
            "CREATE TABLE lake.browsed.strict (id INT NOT NULL, wide_a INT) USING iceberg TBLPROPERTIES "
            "('viewgate.primary-key' = 'id', 'viewgate.foreign-keys' = '(wide_a) REFERENCES wide (a)')",
            "CREATE VIEW lake.browsed.seen COMMENT 'a look' AS SELECT a FROM lake.browsed.wide",
            "CREATE MATERIALIZED VIEW lake.browsed.kept AS SELECT B, count(*) AS n FROM lake.browsed.wide GROUP BY B",
            "CREATE DATABASE IF NOT EXISTS spark_catalog.browsed",
            f"CREATE TABLE spark_catalog.browsed.wide ({COLUMNS}) USING parquet COMMENT 'all types'",
        ):
            clients.rows(connection, statement)
        yield
        for statement in (
            "DROP MATERIALIZED VIEW lake.browsed.kept",
            "DROP VIEW lake.browsed.seen",
            "DROP TABLE lake.browsed.strict",
            "DROP TABLE lake.browsed.wide",
            "DROP NAMESPACE lake.browsed",
            "DROP DATABASE spark_catalog.browsed CASCADE",
        ):
            clients.rows(connection, statement)


@pytest.fixture
def metadata(jdbc: Any) -> Any:
    return jdbc.java.getMetaData()


def types(jdbc: clients.Jdbc, *names: str) -> Any:
    """Return a Java array."""
    array = jdbc.machine.gateway.new_array(jdbc.machine.jvm.java.lang.String, len(names))
    for at, name in enumerate(names):
        array[at] = name
    return array


def test_catalogs_and_schemas(jdbc: Any, metadata: Any) -> None:
    assert jdbc.read(metadata.getCatalogs()) == [("lake",), ("spark_catalog",)]
    schemas = jdbc.read(metadata.getSchemas())
    assert {("browsed", "lake"), ("browsed", "spark_catalog"), ("demo", "lake")} <= set(schemas)
    assert jdbc.read(metadata.getSchemas("lake", "brow%")) == [("browsed", "lake")]


def test_relations_by_kind(jdbc: Any, metadata: Any) -> None:
    found = jdbc.read(metadata.getTables(None, "browsed", "%", None))
    assert [row[:5] for row in found] == [
        ("lake", "browsed", "kept", "MATERIALIZED VIEW", ""),
        ("lake", "browsed", "strict", "TABLE", ""),
        ("lake", "browsed", "wide", "TABLE", "all types"),
        ("spark_catalog", "browsed", "wide", "TABLE", "all types"),
        ("lake", "browsed", "seen", "VIEW", "a look"),
    ]
    # This driver does not pass on in which catalog it is to look for tables.
    two = jdbc.read(metadata.getTables("lake", "browsed", "k%", types(jdbc, *TABLE_AND_VIEW)))
    assert [row[2:4] for row in two] == [("kept", "VIEW")]
    storage = jdbc.read(metadata.getTables("lake", "browsed", "%", types(jdbc, "SYSTEM TABLE")))
    assert [row[2] for row in storage] == ["kept__storage"]


@pytest.mark.parametrize(
    ("schema", "table", "found"),
    [
        ("browsed", None, {"kept", "seen", "strict", "wide"}),
        ("BROWSED", "", {"kept", "seen", "strict", "wide"}),
        ("browse_", "_i%", {"wide"}),
        ("browse\\_", "%", set()),
        ("browsed", "kept__storage", set()),
        ("browsed", "w\\%", set()),
        ("browsed", "wid\\e", {"wide"}),
        ("", "kept", {"kept"}),
        (None, "kep_", {"kept"}),
    ],
)
def test_patterns_escapes_and_nulls(jdbc: Any, metadata: Any, schema: str, table: str, found: set[str]) -> None:
    assert {row[2] for row in jdbc.read(metadata.getTables(None, schema, table, None))} == found
    columns = jdbc.read(metadata.getColumns(None, schema, table, None))
    # A storage table that is named as it is has columns, so that what knows its name can read them.
    assert {row[2] for row in columns} == found or table == "kept__storage"


def test_columns_are_what_spark_says_of_the_same_table(jdbc: Any, metadata: Any) -> None:
    ours = jdbc.read(metadata.getColumns("lake", "browsed", "wide", "%"))
    sparks = jdbc.read(metadata.getColumns("spark_catalog", "browsed", "wide", "%"))
    assert len(ours) == 14
    assert [row[1:] for row in ours] == [row[1:] for row in sparks]
    assert {row[0] for row in ours} == {"lake"}
    named = jdbc.read(metadata.getColumns(None, "browsed", "strict", None))
    assert [(row[3], row[10], row[17]) for row in named] == [("id", "0", "NO"), ("wide_a", "1", "YES")]
    kept = jdbc.read(metadata.getColumns(None, "browsed", "kept", "%"))
    assert [row[3] for row in kept] == ["B", "n"]


def test_keys(jdbc: Any, metadata: Any) -> None:
    assert jdbc.read(metadata.getPrimaryKeys(None, "browsed", "strict")) == [
        ("lake", "browsed", "strict", "id", "1", None)
    ]
    referring = jdbc.read(metadata.getCrossReference(None, "browsed", "wide", None, "browsed", "strict"))
    assert [row[:9] for row in referring] == [
        ("lake", "browsed", "wide", "a", "lake", "browsed", "strict", "wide_a", "1")
    ]


def test_types_and_functions_are_sparks(gate: Gate, java: Any, jdbc: Any, metadata: Any) -> None:
    past = java.connect(f"jdbc:hive2://127.0.0.1:{gate.spark_port}/")
    assert jdbc.read(metadata.getTypeInfo()) == past.read(past.java.getMetaData().getTypeInfo())
    past.close()
    assert {row[2] for row in jdbc.read(metadata.getFunctions(None, None, "abs%"))} == {"abs"}


def test_what_has_no_catalog_is_what_spark_says(gate: Gate, java: Any, jdbc: Any, metadata: Any) -> None:
    past = java.connect(f"jdbc:hive2://127.0.0.1:{gate.spark_port}/")
    direct = past.java.getMetaData()
    assert jdbc.read(metadata.getSchemas("", "browsed")) == past.read(direct.getSchemas("", "browsed"))
    assert jdbc.read(metadata.getColumns("", "browsed", "%", "%")) == past.read(
        direct.getColumns("", "browsed", "%", "%")
    )
    past.close()
