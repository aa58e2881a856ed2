"""Converts Iceberg types to Spark's DDL (`struct<x:int>`), to type names in JDBC (`STRUCT<x: INT>`) and to JDBC codes.

The JDBC form of a type is its code in java.sql.Types, its size, its digits and its radix, as Spark reports them in
GetColumns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from proxy.hs2.types import TypeName
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
    """Return the Spark DDL type for an Iceberg type, given as in Iceberg's metadata JSON.

    >>> spark_type("timestamptz"), spark_type("decimal(10, 2)")
    ('timestamp', 'decimal(10,2)')
    >>> spark_type({"type": "list", "element": "long", "element-id": 3, "element-required": False})
    'array<bigint>'
    """
    if isinstance(iceberg, str):
        return _primitive(iceberg)
    return _NESTED[iceberg["type"]](iceberg)


def described_type(text: str) -> str:
    """Convert a type from the output of DESCRIBE to DDL, with field names quoted where needed.

    Text that cannot be parsed as a type is returned unchanged.

    >>> described_type("struct<x:int,y z:array<struct<a,b:decimal(3,1)>>>")
    'struct<x:int,`y z`:array<struct<`a,b`:decimal(3,1)>>>'
    """
    found = _described(text)
    return found[0] if found is not None and not found[1] else text


def _described(text: str) -> tuple[str, str] | None:
    """Parse the type at the start of a text; return the type as DDL, and the rest of the text.

    For example, `int,b:date>` gives `int` and `,b:date>`. Return None if the text does not start with a type.
    """
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
    """Return the type that Spark reports to clients for an Iceberg type, given as in Iceberg's metadata JSON.

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


@dataclass(frozen=True, slots=True)
class SqlType:
    """A type with its SQL name in Spark, such as `STRUCT<x: INT>`; `fields` has the types of a struct's fields."""

    name: str
    fields: tuple[SqlType, ...] = ()


class JdbcType(NamedTuple):
    """The JDBC form of a type: the values of DATA_TYPE, COLUMN_SIZE, DECIMAL_DIGITS and NUM_PREC_RADIX in GetColumns.

    A value that Spark does not report is None.
    """

    code: int
    size: int | None = None
    digits: int | None = None
    radix: int | None = None


_TYPES = {
    "BOOLEAN": JdbcType(16, 1, 0),
    "TINYINT": JdbcType(-6, 1, None, 10),
    "SMALLINT": JdbcType(5, 2, None, 10),
    "INT": JdbcType(4, 4, 0, 10),
    "BIGINT": JdbcType(-5, 8, None, 10),
    "FLOAT": JdbcType(6, 4, 7, 10),
    "DOUBLE": JdbcType(8, 8, 15, 10),
    "STRING": JdbcType(12),
    "BINARY": JdbcType(-2),
    "DATE": JdbcType(91, 4),
    "TIMESTAMP": JdbcType(93, 8, 6),
    "TIMESTAMP_NTZ": JdbcType(93, 8, 6),
    "ARRAY": JdbcType(2003),
    "MAP": JdbcType(2000),
    "STRUCT": JdbcType(2002),
}
_OTHER = JdbcType(1111)
_LONG_DIGITS = 18  # a decimal with this many digits fits eight bytes


@lru_cache(maxsize=1024)  # a catalog has a hundred thousand columns, but few types
def jdbc_type(sql_type: SqlType) -> JdbcType:
    """Return the JDBC form of a type: the code in java.sql.Types (1111 for an unknown type), size, digits and radix.

    The size of a struct is the sum of the sizes of its fields, or None if a field has no size.

    >>> jdbc_type(SqlType("DECIMAL(10,2)"))
    JdbcType(code=3, size=8, digits=2, radix=10)
    >>> jdbc_type(SqlType("STRUCT<x: INT, y: BIGINT>", (SqlType("INT"), SqlType("BIGINT")))).size
    12
    """
    name = TypeName.of(sql_type.name)
    if name.is_decimal:
        return JdbcType(3, 8 if (name.precision or 0) <= _LONG_DIGITS else 16, name.scale, 10)
    found = _TYPES.get(sql_type.name.partition("<")[0], _OTHER)
    if not sql_type.fields:
        return found
    sizes = [jdbc_type(field).size for field in sql_type.fields]
    known = [size for size in sizes if size is not None]
    return found._replace(size=sum(known) if len(known) == len(sizes) else None)
