import pytest

from proxy.wire import FrameReader, WireError, frame


def test_whole_byte_by_byte_and_with_a_tail() -> None:
    data = frame(b"one") + frame(b"") + frame(b"three") + b"\x00\x00"
    whole = FrameReader(10)
    whole.receive_data(data)
    slow = FrameReader(10)
    events = []
    for byte in data:
        slow.receive_data(bytes([byte]))
        events += list(iter(slow.next_event, None))
    assert events == list(iter(whole.next_event, None)) == [b"one", b"", b"three"]
    assert whole.buffered == slow.buffered == 2


def test_a_frame_over_the_limit_is_refused_at_its_length() -> None:
    reader = FrameReader(10)
    reader.receive_data(bytes.fromhex("7fffffff"))
    with pytest.raises(WireError, match="exceeds the limit of 10"):
        reader.next_event()
