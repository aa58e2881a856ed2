"""Iceberg types by Spark's SQL names for them, as GetColumns tells them: `DECIMAL(10,2)`, `STRUCT<x: INT>`."""

from __future__ import annotations

import re
from typing import Any

from proxy.catalog.spelling import spark_type
from proxy.hs2.jdbc_types import SqlType
from rewriter.model import ticked

_PLAIN = re.compile(r"[a-zA-Z_][\w]*\Z", re.ASCII)


def sql_type(iceberg: str | dict[str, Any]) -> SqlType:
    """Return the type that Spark tells clients for an Iceberg type in metadata JSON.

    >>> sql_type("timestamptz").name, sql_type("decimal(10, 2)").name
    ('TIMESTAMP', 'DECIMAL(10,2)')
    >>> sql_type({"type": "struct", "fields": [{"name": "a b", "type": "long", "required": True}]}).name
    'STRUCT<`a b`: BIGINT NOT NULL>'
    """
    if isinstance(iceberg, str):
        return SqlType(spark_type(iceberg).upper())
    if iceberg["type"] == "list":
        return SqlType(f"ARRAY<{sql_type(iceberg['element']).name}>")
    if iceberg["type"] == "map":
        return SqlType(f"MAP<{sql_type(iceberg['key']).name}, {sql_type(iceberg['value']).name}>")
    fields = tuple(sql_type(field["type"]) for field in iceberg["fields"])
    described = (_described(field, kind.name) for field, kind in zip(iceberg["fields"], fields, strict=True))
    return SqlType(f"STRUCT<{', '.join(described)}>", fields)


def _described(field: dict[str, Any], kind: str) -> str:
    name = field["name"] if _PLAIN.match(field["name"]) else ticked(field["name"])
    comment = field.get("doc")
    said = " COMMENT '" + comment.replace("\\", "\\\\").replace("'", "\\'") + "'" if comment else ""
    return f"{name}: {kind}{' NOT NULL' if field['required'] else ''}{said}"
