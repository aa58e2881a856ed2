"""Iceberg types by the names of Spark's DDL, `struct<x:int>`, and as GetColumns tells them, `STRUCT<x: INT>`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from proxy.hs2.types import TypeName
from proxy.sql_types.jdbc import SqlType
from rewriter.model import ticked

_PRIMITIVES = {
    "long": "bigint",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp",
    "timestamp_ns": "timestamp_ntz",
    "timestamptz_ns": "timestamp",
    "uuid": "string",
}
_NESTED_NAME = re.compile(r"(struct|array|map)<")
_PLAIN_NAME = re.compile(r"\w[\w ]*(?:\([^)]*\))?")
_PLAIN = re.compile(r"[a-zA-Z_][\w]*\Z", re.ASCII)


def spark_type(iceberg: str | dict[str, Any]) -> str:
    """Return the Spark DDL type of an Iceberg type in metadata JSON.

    >>> spark_type("timestamptz"), spark_type("decimal(10, 2)")
    ('timestamp', 'decimal(10,2)')
    >>> spark_type({"type": "list", "element": "long", "element-id": 3, "element-required": False})
    'array<bigint>'
    """
    if isinstance(iceberg, str):
        return _primitive(iceberg)
    return _NESTED[iceberg["type"]](iceberg)


def described_type(text: str) -> str:
    """Return a type that DESCRIBE shows as DDL, with field names quoted where needed; unchanged if it cannot be read.

    >>> described_type("struct<x:int,y z:array<struct<a,b:decimal(3,1)>>>")
    'struct<x:int,`y z`:array<struct<`a,b`:decimal(3,1)>>>'
    """
    found = _described(text)
    return found[0] if found is not None and not found[1] else text


def _described(text: str) -> tuple[str, str] | None:
    """Return the type at the beginning of a text, and the rest of the text."""
    nested = _NESTED_NAME.match(text)
    if nested is None:
        plain = _PLAIN_NAME.match(text)
        return (plain[0], text[plain.end() :]) if plain else None
    parts: list[str] = []
    rest = text[nested.end() :]
    while not rest.startswith(">"):
        name, colon, rest = rest.partition(":") if nested[1] == "struct" else ("", "", rest)
        inner = _described(rest)
        if inner is None or bool(name) != bool(colon):
            return None
        parts.append((f"{_field_name(name)}:" if name else "") + inner[0])
        rest = inner[1].removeprefix(",")
    return f"{nested[0]}{','.join(parts)}>", rest[1:]


def _primitive(name: str) -> str:
    parsed = TypeName.of(name)
    if parsed.is_decimal:
        return f"decimal({parsed.precision},{parsed.scale})"
    if name.startswith("fixed"):
        return "binary"
    return _PRIMITIVES.get(name, name)


def _struct(iceberg: dict[str, Any]) -> str:
    fields = (f"{_field_name(field['name'])}:{spark_type(field['type'])}" for field in iceberg["fields"])
    return f"struct<{','.join(fields)}>"


def _field_name(name: str) -> str:
    return name if re.fullmatch(r"\w+", name) else ticked(name)


_NESTED: Mapping[str, Callable[[dict[str, Any]], str]] = {
    "struct": _struct,
    "list": lambda iceberg: f"array<{spark_type(iceberg['element'])}>",
    "map": lambda iceberg: f"map<{spark_type(iceberg['key'])},{spark_type(iceberg['value'])}>",
}


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
    described = (_told(field, kind.name) for field, kind in zip(iceberg["fields"], fields, strict=True))
    return SqlType(f"STRUCT<{', '.join(described)}>", fields)


def _told(field: dict[str, Any], kind: str) -> str:
    name = field["name"] if _PLAIN.match(field["name"]) else ticked(field["name"])
    comment = field.get("doc")
    said = " COMMENT '" + comment.replace("\\", "\\\\").replace("'", "\\'") + "'" if comment else ""
    return f"{name}: {kind}{' NOT NULL' if field['required'] else ''}{said}"
