"""The JDBC form of a column's type: number in java.sql.Types, size, digits, radix, as Spark reports them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from proxy.hs2.types import TypeName


@dataclass(frozen=True, slots=True)
class SqlType:
    """A type by Spark's SQL name, `STRUCT<x: INT>`, with the types of its fields if it is a struct."""

    name: str
    fields: tuple[SqlType, ...] = ()


class JdbcType(NamedTuple):
    """DATA_TYPE, COLUMN_SIZE, DECIMAL_DIGITS and NUM_PREC_RADIX of GetColumns."""

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
_LONG_DIGITS = 18  # a decimal of so many digits fits eight bytes


@lru_cache(maxsize=1024)  # a catalog has a hundred thousand columns, of few types
def jdbc_type(sql_type: SqlType) -> JdbcType:
    """Return the JDBC form of a type; a struct is as large as its fields, where those have a size.

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
