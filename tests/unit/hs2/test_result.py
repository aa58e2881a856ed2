from typing import Any

import pytest
from TCLIService import ttypes as pyhive
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TTransport import TMemoryBuffer

from proxy.hs2 import ColumnDesc, ResultSet, columns_of, decode, decode_rows, encode_rows, table_schema
from proxy.hs2.codec import encode
from proxy.hs2.generated import ttypes

TYPES = (
    *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "binary"),
    *("decimal(10,2)", "date", "timestamp", "array<int>", "void"),
)
COLUMNS = tuple(ColumnDesc(f"c_{name}", name) for name in TYPES)
ROW = (True, -1, 300, 70000, 1 << 40, 0.5, 1.25, "ü", b"\xff", "1.50", "2024-01-01", "2024-01-01 00:00:00", "[1]", None)
ROWS = [ROW, (None,) * len(ROW), *[ROW] * 8]


def as_pyhive(kind: Any, struct: Any) -> Any:
    """Return the same bytes as another implementation reads them."""
    other = kind()
    other.read(TBinaryProtocol(TMemoryBuffer(encode(struct))))
    return other


def test_columns_survive_the_way_there_and_back() -> None:
    row_set = encode_rows(COLUMNS, ROWS, 7, version=10)
    assert decode_rows(decode(ttypes.TRowSet, encode(row_set))) == ROWS
    other = as_pyhive(pyhive.TRowSet, row_set)
    assert other.startRowOffset == 7
    assert other.rows == []
    assert other.columns[3].i32Val.values[:3] == [70000, 0, 70000]
    assert other.columns[3].i32Val.nulls == b"\x02"


def test_rows_for_clients_before_columns() -> None:
    other = as_pyhive(pyhive.TRowSet, encode_rows(COLUMNS, ROWS[:2], 0, version=4))
    assert other.columns is None
    cells = other.rows[0].colVals
    assert cells[0].boolVal.value is True
    assert cells[4].i64Val.value == 1 << 40
    assert cells[9].stringVal.value == "1.50"
    assert cells[8].stringVal.value == "\N{REPLACEMENT CHARACTER}"
    assert other.rows[1].colVals[7].stringVal.value is None


@pytest.mark.parametrize("nulls", [b"", b"\x01", b"\x01\x00\x00"])
def test_a_null_bit_set_may_be_short(nulls: bytes) -> None:
    column = ttypes.TColumn(stringVal=ttypes.TStringColumn(values=["a"] * 10, nulls=nulls))
    rows = decode_rows(ttypes.TRowSet(startRowOffset=0, rows=[], columns=[column]))
    assert rows == [(None,) if nulls else ("a",), *[("a",)] * 9]


def test_a_row_set_without_columns_has_no_rows() -> None:
    assert decode_rows(ttypes.TRowSet(startRowOffset=0, rows=[])) == []


def test_schemas_survive_but_for_what_hive_cannot_name() -> None:
    schema = table_schema(COLUMNS)
    types = [column.type for column in columns_of(schema)]
    assert types == [column.type if "<" not in column.type else "array" for column in COLUMNS]
    other = as_pyhive(pyhive.TTableSchema, schema)
    decimal = other.columns[9].typeDesc.types[0].primitiveEntry
    assert decimal.type == pyhive.TTypeId.DECIMAL_TYPE
    assert decimal.typeQualifiers.qualifiers["precision"].i32Value == 10


def test_result_of_ddl_columns() -> None:
    assert ResultSet.of("a", "b int", rows=[["x", 1]]).rows == (("x", 1),)
