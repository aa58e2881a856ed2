"""Messages that differ only in a handle and a sequence id have one shape; all others differ."""

from __future__ import annotations

import pytest

from proxy.hs2 import encode_call, encode_reply, success
from proxy.hs2.generated import ttypes
from proxy.session import Handle
from proxy.wire import find_handle, is_whole, kept
from proxy.wire.fields import announced_at, example_of, handle_at, shape_of


def fetch(handle: Handle, seqid: int = 0, rows: int = 10) -> bytes:
    identifier = ttypes.THandleIdentifier(guid=handle.guid, secret=handle.secret)
    operation = ttypes.TOperationHandle(operationId=identifier, operationType=0, hasResultSet=True)
    request = ttypes.TFetchResultsReq(operationHandle=operation, orientation=0, maxRows=rows)
    return encode_call("FetchResults", seqid, request)


def closed(seqid: int) -> bytes:
    return encode_reply("CloseOperation", seqid, ttypes.TCloseOperationResp(status=success()))


def announced(handle: Handle, status: object, kind: int = 0) -> bytes:
    identifier = ttypes.THandleIdentifier(guid=handle.guid, secret=handle.secret)
    operation = ttypes.TOperationHandle(operationId=identifier, operationType=kind, hasResultSet=True)
    response = ttypes.TExecuteStatementResp(status=status, operationHandle=operation)
    return encode_reply("ExecuteStatement", 7, response)


ONE, OTHER = (Handle(bytes(range(n, n + 16)), bytes(range(n + 16, n + 32))) for n in (32, 64))


@pytest.mark.parametrize(
    ("message", "same"),
    [
        (fetch(ONE), fetch(OTHER, -1)),
        (closed(0), closed(1 << 30)),
        (announced(ONE, success()), announced(OTHER, success())),
    ],
)
def test_messages_of_one_shape_have_one_example(message: bytes, same: bytes) -> None:
    shape = shape_of(message)
    assert shape is not None
    assert shape == shape_of(same)
    example = example_of(shape)
    assert shape_of(example) == shape
    assert len(example) == len(message)


@pytest.mark.parametrize("other", [fetch(ONE, rows=11), fetch(ONE)[:-1], fetch(ONE) + b"\0", closed(0)])
def test_whatever_else_differs_makes_another_shape(other: bytes) -> None:
    assert shape_of(other) != shape_of(fetch(ONE))


def test_a_reply_that_announces_nothing_never_has_the_shape_of_one_that_does() -> None:
    """Not even a reply that lacks only what all such replies have in common."""
    whole = announced(ONE, success())
    guid, secret = announced_at(whole) or (0, 0)
    lacking = [whole[:guid] + whole[secret + 16 :], whole[: guid + 16] + whole[secret + 16 :], whole[:-1], whole[:guid]]
    assert shape_of(whole) not in [shape_of(reply) for reply in lacking]
    # The second lacks the whole field of the secret, and may.
    assert [is_whole(reply) for reply in (whole, *lacking)] == [True, False, True, False, False]


def test_a_message_is_looked_at_anew_after_another() -> None:
    messages = [fetch(ONE), announced(OTHER, success()), closed(1), fetch(OTHER)]
    seen = [(shape_of(message), handle_at(message), announced_at(message)) for message in messages * 2]
    assert seen[:4] == seen[4:]
    assert [bool(handle) for _, handle, _ in seen[:4]] == [True, False, False, True]
    assert [bool(announcing) for _, _, announcing in seen[:4]] == [False, True, False, False]


def test_a_handle_is_found_where_clients_write_it() -> None:
    message = fetch(ONE)
    places = handle_at(message)
    assert places is not None
    assert [message[place : place + 16] for place in places] == [ONE.guid, ONE.secret]


@pytest.mark.parametrize("cut", range(0, 90, 7))
def test_a_part_of_a_message_has_no_handle_until_all_of_it_is_there(cut: int) -> None:
    places = handle_at(fetch(ONE)[:cut])
    assert places is None or places[1] + 16 < cut


@pytest.mark.parametrize("message", [b"", b"\x80\x01\x00\x01", fetch(ONE)[4:], fetch(ONE) + bytes(1000)])
def test_what_is_cut_off_or_long_has_no_shape(message: bytes) -> None:
    assert shape_of(message) is None


def test_what_is_kept_is_read_once_for_a_shape() -> None:
    read: list[bytes] = []

    def reading(message: bytes) -> int:
        read.append(message)
        return len(message)

    size = kept(reading)
    assert [size(fetch(ONE)), size(fetch(OTHER, 5)), size(fetch(ONE, rows=7)), size(b"x")] == [len(fetch(ONE))] * 3 + [
        1
    ]
    assert len(read) == 3


WORDY = ttypes.TStatus(statusCode=0, infoMessages=["all is well"])


def test_the_handle_of_what_was_started_is_found_where_servers_write_it() -> None:
    reply = announced(ONE, success())
    places = announced_at(reply)
    assert places is not None
    assert [reply[place : place + 16] for place in places] == [ONE.guid, ONE.secret]
    assert find_handle(reply, (0, 2, 1)) == places
    assert [announced_at(reply[:cut]) for cut in range(places[1] + 16)] == [None] * (places[1] + 16)


@pytest.mark.parametrize("reply", [announced(ONE, WORDY), closed(0), fetch(ONE)])
def test_a_handle_that_stands_elsewhere_is_left_to_others(reply: bytes) -> None:
    assert announced_at(reply) is None


def test_a_handle_behind_more_words_is_found_by_its_path() -> None:
    reply = announced(ONE, WORDY)
    places = find_handle(reply, (0, 2, 1))
    assert places is not None
    assert [reply[place : place + 16] for place in places] == [ONE.guid, ONE.secret]
