from __future__ import annotations

from typing import Any

import pytest

from proxy.catalog.spelling import spark_type


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
