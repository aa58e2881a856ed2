"""Results that Viewgate computes itself, and the encoding of results as Thrift row sets.

Row sets are columnar since protocol version 6, and row-based before.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from proxy.hs2.codec import columnar, read_reply
from proxy.hs2.generated import ttypes
from proxy.hs2.status import SqlError, check
from proxy.hs2.types import ColumnDesc
from proxy.wire import WireError

Value = bool | int | float | str | bytes | None


@dataclass(frozen=True, slots=True)
class ResultSet:
    """The columns and rows of a result.

    Dates, timestamps, decimals and nested values are strings, as the protocol sends them.

    >>> ResultSet.of("name", "size bigint", rows=[("a", 1)]).columns
    (ColumnDesc(name='name', type='string'), ColumnDesc(name='size', type='bigint'))
    """

    columns: tuple[ColumnDesc, ...]
    rows: tuple[tuple[Any, ...], ...] = ()

    @classmethod
    def of(cls, *columns: str, rows: Sequence[Sequence[Any]] = ()) -> ResultSet:
        """Return a result with the given columns and `rows`.

        A column is given as in DDL (`size bigint`); a column without a type is a string.
        """
        described = (column.partition(" ") for column in columns)
        return cls(
            tuple(ColumnDesc(name, kind or "string") for name, _, kind in described), tuple(tuple(row) for row in rows)
        )


# A function that runs a statement to its end and returns the whole result.
Query = Callable[[str], Awaitable[ResultSet]]


@dataclass(frozen=True, slots=True)
class _Layout:
    """The encoding of the values of a column type in Thrift, such as that of INT.

    - `field`: the field of Thrift's unions TColumn and TColumnValue (`i32Val`)
    - `column`: the struct in TColumn for columnar results (`TI32Column`)
    - `value`: the struct in TColumnValue for row-based results (`TI32Value`)
    - `convert`: the Python type to which values are converted (`int`)
    - `null`: the placeholder that is sent for NULL (0)
    """

    field: str
    column: str
    value: str
    convert: type
    null: Value


_STRINGS = _Layout("stringVal", "TStringColumn", "TStringValue", str, "")
_BYTES = _Layout("binaryVal", "TBinaryColumn", "TStringValue", bytes, b"")
_DOUBLES = _Layout("doubleVal", "TDoubleColumn", "TDoubleValue", float, 0.0)

# By type id; values of all other types are sent as strings.
_LAYOUTS = {
    0: _Layout("boolVal", "TBoolColumn", "TBoolValue", bool, False),
    1: _Layout("byteVal", "TByteColumn", "TByteValue", int, 0),
    2: _Layout("i16Val", "TI16Column", "TI16Value", int, 0),
    3: _Layout("i32Val", "TI32Column", "TI32Value", int, 0),
    4: _Layout("i64Val", "TI64Column", "TI64Value", int, 0),
    5: _DOUBLES,
    6: _DOUBLES,
    9: _BYTES,
}
_CELL_FIELDS = ("boolVal", "byteVal", "i16Val", "i32Val", "i64Val", "doubleVal", "stringVal")
_COLUMN_FIELDS = (*_CELL_FIELDS, "binaryVal")
_NONE = type(None)


def encode_rows(columns: Sequence[ColumnDesc], rows: Sequence[Sequence[Any]], start: int, version: int) -> Any:
    """Return rows as a Thrift row set: columnar for a protocol version since V6, row-based for older versions.

    `start` is the index of the first row within the result.
    """
    if not columnar(version):
        return ttypes.TRowSet(startRowOffset=start, rows=[_row(columns, row) for row in rows])
    values = zip(*rows, strict=True) if rows else ((),) * len(columns)
    encoded = [_column(column, of_column) for column, of_column in zip(columns, values, strict=True)]
    return ttypes.TRowSet(startRowOffset=start, rows=[], columns=encoded)


def decode_rows(row_set: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a Thrift row set, columnar or (before protocol version 6) row-based; NULL is None.

    >>> columns = [ColumnDesc("a", "int"), ColumnDesc("b")]
    >>> decode_rows(encode_rows(columns, [(1, "x"), (None, None)], 0, version=10))
    [(1, 'x'), (None, None)]
    >>> decode_rows(encode_rows(columns, [(1, "x"), (None, None)], 0, version=4))
    [(1, 'x'), (None, None)]
    """
    if row_set.rows:
        return [tuple(_cell(cell) for cell in row.colVals) for row in row_set.rows]
    return list(zip(*(_values(column) for column in row_set.columns or ()), strict=True))


def _column(column: ColumnDesc, values: Sequence[Any]) -> Any:
    layout, count = _LAYOUTS.get(column.type_id, _STRINGS), len(values)
    kinds = set(map(type, values))  # one pass in C: a listing has 23 columns for each of 100,000 rows
    if kinds <= {_NONE}:
        filled, nulls = [layout.null] * count, b"\xff" * (count // 8) + bytes([(1 << count % 8) - 1])
    else:
        filled, nulls = _filled(values, layout.null) if _NONE in kinds else (list(values), b"\0")
        if kinds - {_NONE} != {layout.convert}:
            filled = [_converted(layout, value) for value in filled]
    encoded = getattr(ttypes, layout.column)(values=filled, nulls=nulls)
    return ttypes.TColumn(**{layout.field: encoded})


def _filled(values: Sequence[Any], null: Any) -> tuple[list[Any], bytes]:
    r"""Return the values of a column with `null` in place of each None, and the bit set that marks the NULLs.

    The bit set is as long as Spark makes it: one byte, and one more for every eight rows up to the last NULL.

    >>> _filled(["a", None, "b"], "")
    (['a', '', 'b'], b'\x02')
    """
    filled, absent = list(values), [index for index, value in enumerate(values) if value is None]
    nulls = bytearray(1 + (absent[-1] + 1) // 8)
    for index in absent:
        nulls[index // 8] |= 1 << index % 8
        filled[index] = null
    return filled, bytes(nulls)


def _row(columns: Sequence[ColumnDesc], row: Sequence[Any]) -> Any:
    cells = []
    for column, value in zip(columns, row, strict=True):
        layout = _LAYOUTS.get(column.type_id, _STRINGS)
        if layout is _BYTES:  # these versions have no binary values
            layout, value = _STRINGS, value if value is None else bytes(value).decode("utf-8", "replace")
        cell = getattr(ttypes, layout.value)(value=None if value is None else _converted(layout, value))
        cells.append(ttypes.TColumnValue(**{layout.field: cell}))
    return ttypes.TRow(colVals=cells)


def _converted(layout: _Layout, value: Any) -> Any:
    if layout.convert is str and isinstance(value, bool):
        return str(value).lower()
    return layout.convert(value)


def _cell(cell: Any) -> Any:
    return next(data for field in _CELL_FIELDS if (data := getattr(cell, field)) is not None).value


def _values(column: Any) -> list[Any]:
    """Return the values of a Thrift column, None for NULL.

    The bit set of NULLs may be shorter than the column: values after the end of the bit set are not NULL.
    """
    data = next(data for field in _COLUMN_FIELDS if (data := getattr(column, field)) is not None)
    nulls = data.nulls or b""
    marked = {8 * at + bit for at, byte in enumerate(nulls) if byte for bit in range(8) if byte >> bit & 1}
    return [None if index in marked else value for index, value in enumerate(data.values)]


def fetch_error(reply: bytes) -> SqlError | None:
    """Return the error that a reply to FetchResults reports, or Unreachable if the reply is invalid; None without an
    error.
    """
    try:
        check(read_reply(reply, ttypes.TFetchResultsResp).status)
    except SqlError as error:
        return error
    except WireError:
        pass
    return None
