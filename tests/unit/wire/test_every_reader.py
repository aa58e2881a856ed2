"""Readers give the same events however the bytes are split, raise only WireError, and use bounded memory."""

from __future__ import annotations

import itertools
import ssl
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import pytest
import trustme
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.authentication import Cookies
from proxy.hs2 import ResultSet, encode_reply, encode_rows, read_request
from proxy.hs2.generated import ttypes
from proxy.wire import (
    CALL,
    Authenticated,
    BareClient,
    BareTransport,
    Credentials,
    FramedClient,
    FrameReader,
    HttpCall,
    HttpClient,
    HttpTransport,
    MessageReader,
    Refused,
    SaslClient,
    SaslServer,
    SaslTickets,
    SaslTransport,
    TlsServer,
    WireError,
    find,
    frame,
    is_whole,
    packing,
    read_map,
    with_field,
    write_head,
    write_map,
)
from proxy.wire.http import unpacking
from proxy.wire.message import I32
from proxy.wire.sasl import Status, negotiation
from tests.unit.support import corpus
from tests.unit.wire.messages import EXECUTE

LIMIT = 1000
LOGIN = negotiation(Status.START, b"PLAIN") + negotiation(Status.COMPLETE, b"\0bob\0x")
POST = b"POST /cliservice HTTP/1.1\r\nHost: h\r\n"
REQUEST = POST + b"Content-Length: %d\r\n\r\n" % len(EXECUTE) + EXECUTE
CHUNKED = POST + b"Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
ROWS = ResultSet.of("zero int", "text", rows=[[0, "a\0\0"], [None, None]])
FETCHED = encode_reply("F", 1, ttypes.TFetchResultsResp(results=encode_rows(ROWS.columns, ROWS.rows, 0, 10)))
COOKIES = Cookies(key=b"k" * 32)
COOKIE = COOKIES.issue("ann", 0, secure=False, version="").encode()


class Reader(Protocol):
    def receive_data(self, data: bytes) -> object: ...

    def next_event(self) -> Any: ...


def let_in() -> FramedClient:
    """Return a client that has logged in."""
    client = FramedClient(SaslClient("bob", "x"), LIMIT)
    client.receive_data(negotiation(Status.COMPLETE))
    assert client.next_event() == Authenticated()
    return client


def asked() -> HttpClient:
    """Return a client that has sent one request."""
    client = HttpClient("h", "/cliservice", {}, LIMIT)
    assert client.send([EXECUTE])
    return client


READERS: dict[str, tuple[Callable[[], Reader], bytes]] = {
    "frames": (lambda: FrameReader(LIMIT), frame(EXECUTE) + frame(b"") + frame(b"x" * 900)),
    "messages": (lambda: MessageReader(LIMIT), EXECUTE + FETCHED),
    "sasl server": (SaslServer, LOGIN),
    "sasl client": (lambda: SaslClient("bob", "x"), negotiation(Status.OK) + negotiation(Status.COMPLETE)),
    "sasl": (lambda: SaslTransport(LIMIT), LOGIN + frame(EXECUTE[:50]) + frame(EXECUTE[50:]) + frame(EXECUTE)),
    "sasl tickets": (SaslTickets, negotiation(Status.OK, b"offer") + negotiation(Status.COMPLETE)),
    "framed client": (let_in, frame(FETCHED) + frame(FETCHED[:50]) + frame(FETCHED[50:]) + frame(FETCHED * 2)),
    "bare client": (lambda: BareClient(LIMIT), FETCHED * 2),
    "http client": (asked, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"),
    "bare": (lambda: BareTransport(LIMIT), EXECUTE + EXECUTE),
    "http": (lambda: HttpTransport(LIMIT), REQUEST + CHUNKED + REQUEST),
}
# The same for what real clients have sent.
CALLED = b"".join(sent.data for sent in corpus.CALLS)
REAL: dict[str, tuple[Callable[[], Reader], bytes]] = {
    "frames": (lambda: FrameReader(LIMIT), b"".join(frame(sent.data) for sent in corpus.CALLS)),
    "messages": (lambda: MessageReader(LIMIT), CALLED),
    "bare": (lambda: BareTransport(LIMIT), CALLED),
    **{
        f"login of {sent.client}": (lambda: SaslTransport(LIMIT), sent.data + frame(corpus.CALLS[0].data) * 2)
        for sent in corpus.ALL
        if sent.what == "login"
    },
    **{
        f"http of {sent.client}": (lambda: HttpTransport(LIMIT), sent.data * 2)
        for sent in corpus.ALL
        if sent.what == "http"
    },
}


def events(reader: Reader, pieces: Iterable[bytes]) -> list[Any]:
    """Return the events of a reader for these pieces, as a server would continue; the last is a WireError if there was
    one.
    """
    found: list[Any] = []
    coming = iter(pieces)
    try:
        for piece in coming:
            reader.receive_data(piece)
            while (event := reader.next_event()) is not None:
                if isinstance(event, Authenticated):  # what comes behind the handshake is for another reader
                    rest = event.rest + b"".join(coming)
                    return [*found, Authenticated(), *([rest] if rest else [])]
                found.append(event)
                if isinstance(event, Refused) or not hasattr(reader, "accept"):
                    if isinstance(event, Refused | Credentials):
                        return found
                elif isinstance(event, Credentials | HttpCall):
                    reader.accept()
                if isinstance(event, HttpCall) and isinstance(reader, HttpTransport):
                    reader.reply(b"reply")
                    if reader.ends:
                        return found
    except WireError:
        found.append(WireError)
    return found


def cut(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({at % (len(data) + 1) for at in cuts} | {0, len(data)})
    return [data[start:end] for start, end in itertools.pairwise(places)]


@st.composite
def mutated(draw: st.DrawFn, data: bytes) -> bytes:
    """Return valid bytes with some of them changed, removed, repeated or inserted."""
    changed = bytearray(data)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(len(changed) - 1, 0)))
        end = at + draw(st.integers(0, 8))
        changed[at:end] = draw(st.one_of(st.binary(max_size=8), st.sampled_from([b"\xff" * 4, b"\x7f\xff\xff\xff"])))
    return bytes(changed)


@pytest.mark.parametrize("name", READERS)
def test_the_same_events_in_whatever_pieces(name: str) -> None:
    make, good = READERS[name]
    whole = events(make(), [good])
    assert whole
    assert WireError not in whole
    assert not [event for event in whole if isinstance(event, Refused)]
    assert events(make(), [good[at : at + 1] for at in range(len(good))]) == whole
    assert events(make(), [good, good[:7]])[: len(whole)] == whole

    @given(st.lists(st.integers(0, 1 << 16), max_size=6))
    @settings(max_examples=50, deadline=None)
    def in_pieces(cuts: list[int]) -> None:
        assert events(make(), cut(good, cuts)) == whole

    in_pieces()


@pytest.mark.parametrize("name", REAL)
def test_what_real_clients_have_sent_in_whatever_pieces(name: str) -> None:
    make, good = REAL[name]
    whole = events(make(), [good])
    assert len(whole) > 1
    assert not [event for event in whole if isinstance(event, Refused) or event is WireError]
    assert events(make(), [good[at : at + 1] for at in range(len(good))]) == whole
    assert events(make(), [good, good[:7]])[: len(whole)] == whole


@pytest.mark.parametrize("name", READERS)
def test_bad_bytes_are_told_apart_in_whatever_pieces(name: str) -> None:
    make, good = READERS[name]

    @given(mutated(good), st.lists(st.integers(0, 1 << 16), max_size=6))
    @settings(max_examples=300, deadline=None)
    def some(data: bytes, cuts: list[int]) -> None:
        whole, pieces = events(make(), [data]), events(make(), cut(data, cuts))
        common = min(len(whole), len(pieces))
        if not any(isinstance(event, Refused) or event is WireError for event in (*whole, *pieces)):
            assert whole == pieces
        for one, other in zip(whole[:common], pieces[:common], strict=True):
            assert type(one) is type(other) or {one, other} & {WireError} or Refused in (type(one), type(other))

    some()


@pytest.mark.parametrize("name", ["frames", "messages", "bare", "http"])
def test_no_reader_holds_more_than_it_may(name: str) -> None:
    make, _ = READERS[name]

    @given(st.binary(min_size=1, max_size=200), st.integers(20, 60))
    @settings(max_examples=100, deadline=None)
    def endless(piece: bytes, times: int) -> None:
        reader = make()
        for start in (EXECUTE[:30] if name != "http" else REQUEST[:40], *[piece] * times):
            found = events(reader, [start])
            if WireError in found or any(isinstance(event, Refused) for event in found):
                return
            assert getattr(reader, "buffered", 0) <= 64 * 1024 + LIMIT + len(piece)

    endless()


@given(mutated(EXECUTE))
@settings(max_examples=300, deadline=None)
def test_patching_takes_anything_for_a_message(data: bytes) -> None:
    for path in ((1,), (1, 1, 1, 1), (1, 2), (1, 9), (7, 7)):
        try:
            find(data, path)
            changed = with_field(data, path, I32, bytes(4))
            read_request(data, ttypes.TExecuteStatementReq)
        except WireError:
            continue
        assert find(changed, path) is not None


@given(st.one_of(mutated(EXECUTE), mutated(FETCHED), st.binary(max_size=60).map(write_head("x", CALL, 0).__add__)))
@settings(max_examples=300, deadline=None)
def test_two_ways_of_telling_a_whole_message_agree(data: bytes) -> None:
    reader = MessageReader(len(data) + 1)
    try:
        reader.receive_data(data)
        slow = reader.next_event() is not None and not reader.buffered
        fast = is_whole(data)
    except WireError:
        return
    assert fast == slow


@given(mutated(write_map([(b"a", b"1"), (b"b", b"2")])))
def test_maps(data: bytes) -> None:
    try:
        entries = read_map(data)
    except WireError:
        return
    assert read_map(write_map(entries)) == entries


@given(mutated(packing(b"a" * 500)))
def test_packed_bodies(data: bytes) -> None:
    unpacked = unpacking(data, 500)
    assert unpacked is None or len(unpacked) <= 500


@given(mutated(COOKIE))
def test_cookies(data: bytes) -> None:
    assert COOKIES.user(data.decode("latin-1"), 1, str) in (None, "ann")


def test_tls_takes_anything() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("localhost").configure_cert(context)
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    outgoing = ssl.MemoryBIO()
    with pytest.raises(ssl.SSLWantReadError):
        client.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost").do_handshake()
    hello = outgoing.read()

    @given(mutated(hello), st.lists(st.integers(0, 1 << 16), max_size=4))
    @settings(max_examples=100, deadline=None)
    def greeted(data: bytes, cuts: list[int]) -> None:
        server = TlsServer(context)
        try:
            for piece in cut(data, cuts):
                assert server.receive_data(piece) == b""
        except WireError:
            pass
        server.pending()

    greeted()
