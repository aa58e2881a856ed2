from __future__ import annotations

from typing import Any

import pytest

from proxy.sql_types import described_type, spark_type


@pytest.mark.parametrize(
    ("iceberg", "spark"),
    [
        ("long", "bigint"),
        ("int", "int"),
        ("timestamp", "timestamp_ntz"),
        ("timestamptz", "timestamp"),
        ("decimal(10, 2)", "decimal(10,2)"),
        ("fixed[16]", "binary"),
        ("uuid", "string"),
        ({"type": "map", "key": "string", "value": "timestamp"}, "map<string,timestamp_ntz>"),
        (
            {
                "type": "list",
                "element": {
                    "type": "struct",
                    "fields": [{"name": "x", "type": "int"}, {"name": "a b", "type": "decimal(4,1)"}],
                },
            },
            "array<struct<x:int,`a b`:decimal(4,1)>>",
        ),
    ],
)
def test_types_are_spelled_as_spark_does(iceberg: str | dict[str, Any], spark: str) -> None:
    assert spark_type(iceberg) == spark


@pytest.mark.parametrize(
    ("described", "ddl"),
    [
        ("decimal(10,2)", "decimal(10,2)"),
        ("interval day to second", "interval day to second"),
        ("struct<>", "struct<>"),
        ("map<string,array<struct<y z:int,q>r:string>>>", "map<string,array<struct<`y z`:int,`q>r`:string>>>"),
        ("struct<a`b:int>", "struct<`a``b`:int>"),
        ("struct<a:int,... 3 more fields>", "struct<a:int,... 3 more fields>"),
        ("array<", "array<"),
        ("map<string,int", "map<string,int"),
    ],
)
def test_types_that_are_described_become_ddl(described: str, ddl: str) -> None:
    assert described_type(described) == ddl
