import pytest

from proxy.wire import CALL, Bounds, MessageReader, WireError, check_bounds, write_head
from tests.unit.wire.messages import EXECUTE


def drain(reader: MessageReader) -> list[bytes]:
    return list(iter(reader.next_event, None))


def test_whole_messages_and_a_tail() -> None:
    reader = MessageReader(1000)
    reader.receive_data(EXECUTE + EXECUTE + EXECUTE[:30])
    assert drain(reader) == [EXECUTE, EXECUTE]
    assert reader.buffered == 30
    reader.receive_data(EXECUTE[30:])
    assert drain(reader) == [EXECUTE]


def test_byte_by_byte() -> None:
    reader = MessageReader(1000)
    for byte in EXECUTE[:-1]:
        reader.receive_data(bytes([byte]))
        assert reader.next_event() is None
    reader.receive_data(EXECUTE[-1:])
    assert reader.next_event() == EXECUTE


def test_every_cut_in_two() -> None:
    for cut in range(len(EXECUTE)):
        reader = MessageReader(1000)
        reader.receive_data(EXECUTE[:cut])
        assert reader.next_event() is None
        reader.receive_data(EXECUTE[cut:])
        assert reader.next_event() == EXECUTE


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (bytes.fromhex("0b0001 7fffffff"), "exceeds the limit"),
        (bytes.fromhex("0f0001 08 7fffffff"), "exceeds the limit"),
        (bytes.fromhex("0b0001 ffffffff"), "a length is negative"),
        (bytes.fromhex("0f0001 0c ffffffff"), "a length is negative"),
        (bytes.fromhex("0c0001") * 40, "deep"),
        (bytes.fromhex("0f0001 0f 00000001") + bytes.fromhex("0f 00000001") * 40, "deep"),
        (bytes.fromhex("010001 00"), "unknown type 1"),
    ],
)
def test_bombs_are_refused_before_they_arrive(body: bytes, complaint: str) -> None:
    reader = MessageReader(1000)
    reader.receive_data(write_head("X", CALL, 0) + body)
    with pytest.raises(WireError, match=complaint):
        reader.next_event()


@pytest.mark.parametrize(
    ("body", "bounds", "complaint"),
    [
        (
            "0b0001 00000003 616263 00",
            Bounds(string=2),
            "a string of 3 bytes in a Thrift message exceeds the limit of 2 bytes",
        ),
        (
            "0f0001 02 00000003 010101 00",
            Bounds(container=2),
            "a list, set or map of 3 elements in a Thrift message exceeds the limit of 2",
        ),
        ("0e0001 0c 00000003 000000 00", Bounds(container=2), "a list, set or map of 3 elements"),
        ("0d0001 0202 00000003 010101010101 00", Bounds(container=2), "a list, set or map of 3 elements"),
        ("0c0001 0f0001 0c 00000001 00 00 00", Bounds(nesting=3), "values are nested more than 3 deep"),
    ],
)
def test_what_a_message_holds_has_bounds(body: str, bounds: Bounds, complaint: str) -> None:
    message = write_head("X", CALL, 0) + bytes.fromhex(body)
    reader = MessageReader(1000, bounds)
    reader.receive_data(message)
    with pytest.raises(WireError, match=complaint):
        reader.next_event()
    with pytest.raises(WireError, match=complaint):
        check_bounds(message, bounds)
    check_bounds(message, Bounds(bounds.string + 1, bounds.container + 1, bounds.nesting + 1))


def test_a_message_that_never_ends_is_refused() -> None:
    reader = MessageReader(100)
    reader.receive_data(write_head("X", CALL, 0) + bytes.fromhex("0b0001 00000051") + b"a" * 40)
    with pytest.raises(WireError, match="exceeds the limit"):
        reader.next_event()


def test_old_and_foreign_heads_are_refused() -> None:
    for start in (b"GET / HTTP/1.1\r\n", bytes.fromhex("00000007") + b"GetInfo", bytes.fromhex("80010001 00000000")):
        reader = MessageReader(1000)
        reader.receive_data(start)
        with pytest.raises(WireError, match=r"strict TBinary|the name has 0 bytes"):
            reader.next_event()
