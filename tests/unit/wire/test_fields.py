import pytest

from proxy.wire import WireError, find, read_string, value_bytes, with_field
from proxy.wire.message import BOOL, I32, STRING
from tests.unit.wire.messages import EXECUTE

STATEMENT = (1, 2)


def test_find_by_path() -> None:
    statement = find(EXECUTE, STATEMENT)
    guid = find(EXECUTE, (1, 1, 1, 1))
    assert statement is not None
    assert guid is not None
    assert read_string(EXECUTE, statement) == "SELECT 1"
    assert value_bytes(EXECUTE, guid) == b"G" * 16
    assert find(EXECUTE, (1, 4)) is None
    assert find(EXECUTE, (2, 1)) is None
    assert find(EXECUTE, (1, 2, 1)) is None


def test_a_replaced_statement_leaves_every_other_byte() -> None:
    longer = "SELECT 'ü'".encode()
    assert with_field(EXECUTE, STATEMENT, STRING, longer) == EXECUTE.replace(
        b"\x00\x00\x00\x08SELECT 1", len(longer).to_bytes(4, "big") + longer
    )


def test_an_absent_field_is_added_at_the_end_of_its_struct() -> None:
    added = with_field(EXECUTE, (1, 4), BOOL, b"\x01")
    assert added == EXECUTE[:-2] + bytes.fromhex("02 0004 01") + EXECUTE[-2:]
    assert with_field(added, (1, 4), BOOL, b"\x00") == EXECUTE[:-2] + bytes.fromhex("02 0004 00") + EXECUTE[-2:]


def test_what_cannot_be_set() -> None:
    with pytest.raises(WireError, match="has the Thrift type 11"):
        with_field(EXECUTE, STATEMENT, I32, bytes(4))
    with pytest.raises(WireError, match="is missing"):
        with_field(EXECUTE, (7, 1), I32, bytes(4))


def test_a_truncated_message_is_an_error_at_every_length() -> None:
    for length in range(len(EXECUTE) - 1):
        with pytest.raises(WireError):
            with_field(EXECUTE[:length], (1, 4), BOOL, b"\x01")
