import pytest

from proxy.wire import Authenticated, Credentials, Refused, SaslClient, SaslServer, Token, WireError
from proxy.wire.sasl import Status, negotiation

JAVA = bytes.fromhex("01 00000005") + b"PLAIN" + bytes.fromhex("05 0000000d") + b"\0alice\0secret"
PYTHON = bytes.fromhex("01 00000005") + b"PLAIN" + bytes.fromhex("02 00000006") + b"\0bob\0x"


@pytest.mark.parametrize(
    ("data", "credentials"), [(JAVA, Credentials("alice", "secret")), (PYTHON, Credentials("bob", "x"))]
)
def test_logins_whole_byte_by_byte_and_with_a_tail(data: bytes, credentials: Credentials) -> None:
    whole = SaslServer()
    whole.receive_data(data + b"tail")
    assert whole.next_event() == credentials
    assert whole.rest() == b"tail"
    slow = SaslServer()
    for byte in data[:-1]:
        slow.receive_data(bytes([byte]))
        assert slow.next_event() is None
    slow.receive_data(data[-1:])
    assert slow.next_event() == credentials
    assert slow.next_event() is None


def test_an_authorization_id_is_told_from_the_user() -> None:
    server = SaslServer()
    server.receive_data(negotiation(Status.START, b"PLAIN") + negotiation(Status.OK, b"zed\0bob\0pw"))
    assert server.next_event() == Credentials("bob", "pw", "zed")


def test_tickets_take_as_many_steps_as_they_need() -> None:
    start = negotiation(Status.START, b"GSSAPI")
    server = SaslServer(tickets=True)
    for data in (
        start + negotiation(Status.OK, b"one"),
        negotiation(Status.OK),
        negotiation(Status.COMPLETE, b"three"),
    ):
        for byte in data[:-1]:
            server.receive_data(bytes([byte]))
            assert server.next_event() is None
        server.receive_data(data[-1:])
        assert server.next_event() == Token(data.rpartition(b"GSSAPI")[2][5:])
        assert server.proceed(b"go on") == negotiation(Status.OK, b"go on")
    assert server.accept() == negotiation(Status.COMPLETE)
    server.receive_data(b"tail")
    assert server.next_event() is None
    assert server.rest() == b"tail"


@pytest.mark.parametrize(
    ("data", "status", "reason"),
    [
        (negotiation(Status.START, b"GSSAPI"), Status.BAD, "Unsupported mechanism type GSSAPI"),
        (bytes.fromhex("80010001 00"), Status.ERROR, "Invalid status 128"),
        (negotiation(Status.OK, b"PLAIN"), Status.ERROR, "Invalid status 2"),
        (negotiation(Status.START, b"PLAIN") + negotiation(Status.START), Status.ERROR, "Invalid status 1"),
        (
            negotiation(Status.START, b"PLAIN") + negotiation(Status.OK, b"\0bob\0"),
            Status.BAD,
            "a user name and a password",
        ),
        (
            negotiation(Status.START, b"PLAIN") + negotiation(Status.OK, b"bob"),
            Status.BAD,
            "a user name and a password",
        ),
    ],
)
def test_refusals(data: bytes, status: int, reason: str) -> None:
    server = SaslServer()
    server.receive_data(data)
    event = server.next_event()
    assert isinstance(event, Refused)
    assert reason in event.reason
    assert event.reply[0] == status


def test_long_credentials_are_refused_at_their_length() -> None:
    server = SaslServer()
    server.receive_data(bytes.fromhex("01 7fffffff"))
    with pytest.raises(WireError, match="exceeds the limit"):
        server.next_event()


def test_client_against_server() -> None:
    server, client = SaslServer(), SaslClient("bob", "pässword")
    server.receive_data(client.greeting)
    assert server.next_event() == Credentials("bob", "pässword")
    for byte in server.accept():
        assert client.next_event() is None
        client.receive_data(bytes([byte]))
    client.receive_data(b"tail")
    assert client.next_event() == Authenticated(b"tail")


def test_client_hears_the_reason() -> None:
    client = SaslClient("bob", "x")
    client.receive_data(SaslServer().refuse("no such user"))
    assert client.next_event() == Refused("no such user")
