import pytest

from proxy.wire import WireError, read_map, write_map


def test_entries_survive_in_their_order() -> None:
    entries = [(b"b", b"1"), (b"a", b""), (b"", "ü".encode())]
    assert read_map(write_map(entries)) == entries
    assert read_map(write_map([])) == []
    assert read_map(bytes(6)) == []


@pytest.mark.parametrize("value", ["0b08 00000001 00000000 00000000", "0b0b 7fffffff", "0b0b ffffffff"])
def test_other_maps_are_refused(value: str) -> None:
    with pytest.raises(WireError):
        read_map(bytes.fromhex(value))
