"""The operators and the target types of casts that a block may contain.

All are deterministic, and printing them does not change their meaning.
"""

from __future__ import annotations

from sqlglot import exp

OPERATORS = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.DPipe)
COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.Like)
CONNECTORS = (exp.And, exp.Or)

_TYPE = exp.DataType.Type
CAST_TYPES = {
    _TYPE.TINYINT: "tinyint",
    _TYPE.SMALLINT: "smallint",
    _TYPE.INT: "int",
    _TYPE.BIGINT: "bigint",
    _TYPE.FLOAT: "float",
    _TYPE.DOUBLE: "double",
    _TYPE.DECIMAL: "decimal",
    _TYPE.BINARY: "binary",
    _TYPE.BOOLEAN: "boolean",
    _TYPE.TEXT: "string",
    _TYPE.DATE: "date",
    _TYPE.TIMESTAMPTZ: "timestamp",
    _TYPE.TIMESTAMPNTZ: "timestamp_ntz",
}
