"""Column types: the type names of Spark, and the type ids with which columns are described to clients."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from proxy.hs2.generated import ttypes

# Spark's base type names, and the type ids that are sent. Types without a Hive id are sent as Spark does: TIMESTAMP_NTZ
# as TIMESTAMP, CHAR and VARCHAR as STRING.
TYPE_IDS = {
    "boolean": 0,
    "tinyint": 1,
    "smallint": 2,
    "int": 3,
    "bigint": 4,
    "float": 5,
    "double": 6,
    "string": 7,
    "timestamp": 8,
    "binary": 9,
    "array": 10,
    "map": 11,
    "struct": 12,
    "decimal": 15,
    "void": 16,
    "date": 17,
    "timestamp_ntz": 8,
    "varchar": 7,
    "char": 7,
}
_NAMES = {id_: name for name, id_ in reversed(TYPE_IDS.items())} | {7: "string", 8: "timestamp"}
_STRING = TYPE_IDS["string"]
_NAME = re.compile(r"\s*([a-z_]+)\s*(?:\(\s*(\d+)\s*,\s*(\d+)\s*\)\s*\Z|[(<].*)?", re.IGNORECASE | re.DOTALL)


class TypeName(NamedTuple):
    """A parsed type name of Spark or Iceberg: the base name in lower case and, for a decimal, precision and scale."""

    base: str
    precision: int | None = None
    scale: int | None = None

    @classmethod
    @lru_cache(1024)  # a catalog has a hundred thousand columns, but few types
    def of(cls, text: str) -> TypeName:
        """Parse a type name; the result's base is empty if the text is not a type name.

        >>> TypeName.of("DECIMAL(10, 2)"), TypeName.of("array<decimal(3,1)>").base, TypeName.of("varchar(9)").base
        (TypeName(base='decimal', precision=10, scale=2), 'array', 'varchar')
        """
        found = _NAME.fullmatch(text)
        if found is None:
            return cls("")
        digits = found[2] is not None
        return cls(found[1].lower(), int(found[2]) if digits else None, int(found[3]) if digits else None)

    @property
    def is_decimal(self) -> bool:
        """Whether the type is a decimal with known precision."""
        return self.base == "decimal" and self.precision is not None

    @property
    def known(self) -> bool:
        """Whether the protocol has a type id for the type; values of other types are sent as strings."""
        return self.base in TYPE_IDS


@dataclass(frozen=True, slots=True)
class ColumnDesc:
    """A column of a result: its name, and its type's name in Spark (`bigint`, `decimal(10,2)`)."""

    name: str
    type: str = "string"

    @property
    def type_id(self) -> int:
        """The Thrift type id of the column; the id of STRING if the protocol has no id for the column's type."""
        return TYPE_IDS.get(TypeName.of(self.type).base, _STRING)


def table_schema(columns: Iterable[ColumnDesc], first: int = 0) -> Any:
    """Return the columns as the Thrift schema for GetResultSetMetadata, numbered from `first`.

    Spark numbers columns from 0 for statements, and from 1 for metadata calls.
    """
    return ttypes.TTableSchema(
        columns=[
            ttypes.TColumnDesc(columnName=column.name, typeDesc=_described(column), position=position, comment="")
            for position, column in enumerate(columns, first)
        ]
    )


def columns_of(schema: Any) -> tuple[ColumnDesc, ...]:
    """Return the names and types of the columns that a Thrift schema from GetResultSetMetadata describes.

    >>> columns_of(table_schema([ColumnDesc("a", "decimal(10,2)"), ColumnDesc("b", "int")]))
    (ColumnDesc(name='a', type='decimal(10,2)'), ColumnDesc(name='b', type='int'))
    """
    return tuple(ColumnDesc(column.columnName, _named(column.typeDesc)) for column in schema.columns)


def _described(column: ColumnDesc) -> Any:
    qualifiers = {}  # Spark sends them empty for types that have none
    name = TypeName.of(column.type)
    if name.is_decimal:
        qualifiers["precision"] = ttypes.TTypeQualifierValue(i32Value=name.precision)
        qualifiers["scale"] = ttypes.TTypeQualifierValue(i32Value=name.scale)
    primitive = ttypes.TPrimitiveTypeEntry(
        type=column.type_id, typeQualifiers=ttypes.TTypeQualifiers(qualifiers=qualifiers)
    )
    return ttypes.TTypeDesc(types=[ttypes.TTypeEntry(primitiveEntry=primitive)])


def _named(description: Any) -> str:
    primitive = description.types[0].primitiveEntry
    if primitive is None:
        return "string"
    name = _NAMES.get(primitive.type, "string")
    qualifiers = primitive.typeQualifiers.qualifiers if primitive.typeQualifiers else {}
    if {"precision", "scale"} <= qualifiers.keys():
        return f"{name}({qualifiers['precision'].i32Value},{qualifiers['scale'].i32Value})"
    return name
