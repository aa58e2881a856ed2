"""All transports on one port: which logins succeed, and the messages in each transport."""

import asyncio
import gzip
from typing import Any

import pytest
from thrift.transport.THttpClient import THttpClient

from proxy.authentication import Authentication, Cookies, ProxyUsers
from proxy.hs2 import ResultSet, encode_call, read_reply
from proxy.hs2.generated import ttypes
from proxy.server import Limits
from proxy.session import OperationState
from proxy.wire import SaslClient, Transport
from proxy.wire.sasl import Status, negotiation
from tests.integration.daemon import free_ports
from tests.unit.support.proxied import Proxied, RawClient, until, with_proxy
from tests.unit.support.transports import BareClient, HttpClient, basic

CLOSE = "Connection: close\r\n"


class OnePassword:
    """Accepts the password `right` for every user, and counts the checks."""

    asked = 0
    changed = ""

    def version(self, user: str) -> str:
        return self.changed

    def check(self, user: str, password: str) -> bool:
        self.asked += 1
        return password == "right"


def guarded(**more: Any) -> dict[str, Any]:
    return {"authentication": Authentication(OnePassword()), **more}


OPEN = encode_call("OpenSession", 1, ttypes.TOpenSessionReq(client_protocol=9))


# --- NOSASL ---


def test_bare_messages_name_their_user_in_open_session() -> None:
    async def test(proxied: Proxied) -> None:
        async with BareClient(proxied.port) as client, BareClient(proxied.port) as other:
            session = (await client.open("ann")).sessionHandle
            assert list(proxied.spark.sessions.values()) == ["ann"]
            operation = (await client.execute(session, "SELECT 1", run_async=False)).operationHandle
            assert await client.first_column(operation) == ["SELECT 1"]
            assert (await other.execute(session, "SELECT 1")).status.sqlState == "08003"
            assert (await client.open("bob")).status.sqlState == "28000"
            await other.open()
            assert sorted(proxied.spark.sessions.values()) == ["ann", "anonymous"]
        await until(lambda: not proxied.spark.sessions)

    with_proxy(test)


def test_bare_messages_are_checked_too() -> None:
    async def test(proxied: Proxied) -> None:
        async with BareClient(proxied.port) as client:
            for user, password in (("ann", "wrong"), ("ann", None), (None, None), ("", "right"), (None, "right")):
                status = (await client.open(user, password)).status
                assert (status.statusCode, status.sqlState) == (3, "28000")
            assert (await client.open("ann", "right")).status.statusCode == 0
            assert list(proxied.spark.sessions.values()) == ["ann"]

    with_proxy(test, **guarded())


# --- SASL ---


def test_a_wrong_password_is_refused_in_words() -> None:
    async def test(proxied: Proxied) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxied.port)
        writer.write(SaslClient("bob", "x").greeting)
        assert (
            negotiation(Status.BAD, b"Error validating the login: the user name or the password is wrong")
            in await reader.read()
        )
        writer.close()
        assert not proxied.spark.sessions

    with_proxy(test, **guarded())


def test_the_log_says_who_was_refused(caplog: pytest.LogCaptureFixture) -> None:
    async def test(proxied: Proxied) -> None:
        sasl = RawClient(proxied.port)
        with pytest.raises(AssertionError):
            await sasl.__aenter__()
        await sasl.__aexit__()
        async with BareClient(proxied.port) as bare:
            await bare.open("bob", "wrong")
        async with HttpClient(proxied.port, basic("bob", "wrong")) as http:
            await http.call(OPEN)

    with_proxy(test, **guarded())
    assert [message.partition(": ")[2].split(": ", 1)[1] for message in caplog.messages] == [
        "'bob': Error validating the login: the user name or the password is wrong"
    ] * 3


# --- HTTP ---


@pytest.mark.parametrize("target", ["/cliservice", "/cliservice/", "/cliservice?x=1", "/sql/protocolv1/o/0/cluster"])
def test_sessions_over_http_outlive_their_connection(target: str) -> None:
    async def test(proxied: Proxied) -> None:
        async with HttpClient(proxied.port, basic("ann"), target) as client:
            session = await client.open_session()
            operation = (await client.execute(session, "SELECT 1", run_async=False)).operationHandle
        async with HttpClient(proxied.port, basic("ann"), target) as client:
            assert await client.first_column(operation) == ["SELECT 1"]
            request = ttypes.TCloseSessionReq(sessionHandle=session)
            async with HttpClient(proxied.port, basic("eve")) as eve:
                assert (await eve.execute(session, "SELECT 1")).status.sqlState == "08003"
            await client.ask("CloseSession", request, ttypes.TCloseSessionResp)
            assert not proxied.spark.sessions

    with_proxy(test)


def test_http_asks_for_a_password_and_then_gives_a_cookie_for_it() -> None:
    async def test(proxied: Proxied) -> None:
        checks = proxied.server._entrance.authentication._passwords
        async with HttpClient(proxied.port) as client:
            assert await client.call(OPEN)
            assert (client.code, client.answered["www-authenticate"]) == (401, 'Basic realm="Viewgate"')
            for bad in (
                basic("ann", "wrong"),
                basic("", "right"),
                "Authorization: Basic ?\r\n",
                "Authorization: x\r\n",
                "Authorization: Basic \u00e9\r\n",
            ):
                client.headers = bad
                await client.call(OPEN)
                assert client.code == 401
            client.headers = basic("ann")
            asked = checks.asked  # type: ignore[union-attr]
            assert await client.open_session()
            assert await client.open_session()  # the same header on the same connection
        async with HttpClient(proxied.port, basic("ann")) as client:
            assert await client.open_session()
            assert "Secure" not in client.answered["set-cookie"]
            cookie = "Cookie: a=b; " + client.answered["set-cookie"].split(";")[0] + "\r\n"
        for headers in (cookie, cookie + basic("ann")):
            async with HttpClient(proxied.port, headers) as client:
                assert await client.open_session()
                assert "set-cookie" not in client.answered
        assert checks.asked == asked + 1  # type: ignore[union-attr]
        assert set(proxied.spark.sessions.values()) == {"ann"}
        for headers in (cookie + basic("bob", "wrong"), cookie.replace("=", "=x")):
            async with HttpClient(proxied.port, headers) as client:
                await client.call(OPEN)
                assert client.code == 401

    with_proxy(test, **guarded())


def test_calls_of_several_users_on_one_connection_are_each_ones_own() -> None:
    """As a proxy before Viewgate may send them."""

    async def test(proxied: Proxied) -> None:
        async with HttpClient(proxied.port, basic("ann")) as client:
            await client.open_session()
            cookie = "Cookie: " + client.answered["set-cookie"].split(";")[0] + "\r\n"
        async with HttpClient(proxied.port) as shared:
            for headers in (basic("bob"), cookie, basic("bob"), basic("ann"), basic("bob")):
                shared.headers = headers
                await shared.open_session()
        assert list(proxied.spark.sessions.values()) == ["ann", "bob", "ann", "bob", "ann", "bob"]

    with_proxy(test, **guarded())


def test_a_password_that_is_right_no_more_ends_on_a_connection_that_goes_on_as_well() -> None:
    async def test(proxied: Proxied) -> None:
        passwords = proxied.server._entrance.authentication._passwords
        async with HttpClient(proxied.port, basic("ann")) as client:
            assert await client.open_session()
            passwords.check = lambda _user, _password: False  # type: ignore[union-attr, method-assign]
            await client.call(OPEN)
            assert client.code == 401

    with_proxy(test, authentication=Authentication(OnePassword(), kept=0.0))


def test_a_cookie_ends_with_the_password_that_it_was_given_for() -> None:
    async def test(proxied: Proxied) -> None:
        async with HttpClient(proxied.port, basic("ann")) as client:
            await client.open_session()
            client.headers = "Cookie: " + client.answered["set-cookie"].split(";")[0] + "\r\n"
            await client.call(OPEN)
            assert client.code == 200
            users.changed = "since"
            await client.call(OPEN)
            assert client.code == 401

    users = OnePassword()
    users.changed = "before"
    with_proxy(test, authentication=Authentication(users))


def test_a_cookie_lives_as_long_as_it_says() -> None:
    async def test(proxied: Proxied) -> None:
        async with HttpClient(proxied.port, basic("ann")) as client:
            await client.open_session()
            cookie = "Cookie: " + client.answered["set-cookie"].split(";")[0] + "\r\n"
        async with HttpClient(proxied.port, cookie) as client:
            await client.call(OPEN)
            assert client.code == 401

    with_proxy(test, **guarded(cookies=Cookies(lifetime=-1)))


def test_http_chunks_gzip_and_expect() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.spark.script = lambda sql: ResultSet.of("sql", rows=[["x" * 200]] * 600)
        async with HttpClient(proxied.port, "Accept-Encoding: deflate, gzip\r\n") as client:
            session = await client.open_session()
            assert "content-encoding" not in client.answered  # too short to be worth it
            operation = (await client.execute(session, "SELECT 1", run_async=False)).operationHandle
            assert await client.first_column(operation) == ["x" * 200] * 600
            assert int(client.answered["content-length"]) < 5000
            head = "POST /cliservice HTTP/1.1\r\nHost: h\r\n"
            chunks = b"".join(
                b"%x\r\n%s\r\n" % (len(OPEN[at : at + 9]), OPEN[at : at + 9]) for at in range(0, len(OPEN), 9)
            )
            client.writer.write(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + chunks + b"0\r\n\r\n")
            assert read_reply(await client.reply(), ttypes.TOpenSessionResp).status.statusCode == 0
            packed = gzip.compress(OPEN)
            expecting = f"Content-Encoding: gzip\r\nExpect: 100-continue\r\nContent-Length: {len(packed)}\r\n\r\n"
            client.writer.write(f"{head}{expecting}".encode())
            assert (await client.reply(), client.code) == (b"", 100)
            client.writer.write(packed)
            assert read_reply(await client.reply(), ttypes.TOpenSessionResp).status.statusCode == 0

    with_proxy(test)


def test_http_requests_sent_ahead_are_answered_in_order() -> None:
    async def test(proxied: Proxied) -> None:
        async with HttpClient(proxied.port) as client:
            head = f"POST /cliservice HTTP/1.1\r\nHost: h\r\nContent-Length: {len(OPEN)}\r\n\r\n".encode()
            client.writer.write((head + OPEN) * 20)
            handles = {
                read_reply(await client.reply(), ttypes.TOpenSessionResp).sessionHandle.sessionId.guid
                for _ in range(20)
            }
            assert len(handles) == 20

    with_proxy(test)


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ("GET /cliservice HTTP/1.1\r\nHost: h\r\n\r\n", 405),
        ("POST /other HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", 404),
        ("POST http://[/cliservice HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", 404),
        ("POST /cliservice HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 400),
        ("POST /cliservice HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc", 400),
        ("POST /cliservice HTTP/1.1\r\nHost: h\r\nContent-Encoding: br\r\nContent-Length: 3\r\n\r\nabc", 400),
        ("POST /cliservice HTTP/1.1\r\nHost: h\r\nContent-Length: 20000\r\n\r\n" + "a" * 20000, 413),
        ("PUT /\r\n\r\n", 400),
    ],
)
def test_what_http_is_not_for(request_: str, status: int) -> None:
    async def test(proxied: Proxied) -> None:
        async with HttpClient(proxied.port) as client:
            client.writer.write(request_.encode())
            await client.reply()
            assert client.code == status
            assert await client.reader.read() == b""

    with_proxy(test, Limits(message=10_000, grace=0.2))


def test_do_as_is_a_wish_to_act_for_somebody() -> None:
    async def test(proxied: Proxied) -> None:
        proxied.server.service.proxy_users = ProxyUsers({"superset": frozenset({"ann"})})
        async with HttpClient(proxied.port, basic("superset"), "/cliservice?doAs=ann") as client:
            session = await client.open_session()
            assert list(proxied.spark.sessions.values()) == ["ann"]
            client.target = "/cliservice"
            assert (await client.execute(session, "SELECT 1")).status.statusCode == 0
            client.target = "/cliservice?doAs=bob"
            response = read_reply(await client.call(OPEN), ttypes.TOpenSessionResp)
            assert response.status.sqlState == "28000"

    with_proxy(test)


def test_a_session_that_no_connection_holds_ends_when_it_is_idle() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as held, HttpClient(proxied.port) as client:
            session = await held.open_session()
            await client.open_session()
            await until(lambda: len(proxied.spark.sessions) == 1)
            assert (await held.execute(session, "SELECT 1")).status.statusCode == 0

    with_proxy(test, Limits(grace=0.2, idle=0.1))


def test_a_session_whose_client_waits_for_a_statement_is_not_idle() -> None:
    async def test(proxied: Proxied) -> None:
        async with HttpClient(proxied.port) as client, HttpClient(proxied.port) as other:
            waiting = asyncio.create_task(client.execute(await client.open_session(), "HANG", run_async=False))
            await proxied.spark.called("GetOperationStatus")
            await other.open_session()
            await until(lambda: len(proxied.spark.sessions) == 1)  # the other one has been idle for long enough
            (running,) = proxied.spark.history
            running.outcome = ResultSet.of("a", rows=[["done"]])
            running.end(OperationState.FINISHED)
            assert await client.first_column((await waiting).operationHandle) == ["done"]

    with_proxy(test, Limits(grace=0.2, idle=0.1))


def test_a_statement_that_is_stopped_with_its_session_has_not_succeeded() -> None:
    async def test(proxied: Proxied) -> None:
        async with HttpClient(proxied.port) as client, HttpClient(proxied.port) as other:
            session = await client.open_session()
            waiting = asyncio.create_task(client.execute(session, "HANG", run_async=False))
            await proxied.spark.called("GetOperationStatus")
            request = ttypes.TCloseSessionReq(sessionHandle=session)
            await other.ask("CloseSession", request, ttypes.TCloseSessionResp)
            status = (await waiting).status
            assert (status.statusCode, status.sqlState) == (3, "HY008")
            assert status.errorMessage == (
                "The statement was stopped, because its operation or its session was closed: run the statement again "
                "in an open session"
            )

    with_proxy(test)


def test_an_http_client_that_goes_takes_its_waiting_statement_along() -> None:
    async def test(proxied: Proxied) -> None:
        async with HttpClient(proxied.port) as client:
            session = await client.open_session()
            waiting = asyncio.create_task(client.execute(session, "HANG", run_async=False))
            await proxied.spark.called("GetOperationStatus")
            waiting.cancel()
        await until(lambda: proxied.spark.history[0].state == 3)

    with_proxy(test)


def test_thrifts_own_http_client() -> None:
    def talk(port: int) -> bytes:
        client = THttpClient(f"http://127.0.0.1:{port}/cliservice/")
        client.setCustomHeaders({"Authorization": basic("ann").split(": ")[1].strip()})
        client.write(OPEN)
        client.flush()
        reply = b""
        while data := client.read(1000):
            reply += data
        client.close()
        return reply

    async def test(proxied: Proxied) -> None:
        reply = read_reply(await asyncio.to_thread(talk, proxied.port), ttypes.TOpenSessionResp)
        assert reply.status.statusCode == 0

    with_proxy(test)


def test_a_first_call_may_take_longer_than_a_login() -> None:
    async def test(proxied: Proxied) -> None:
        held = proxied.spark.held["OpenSession"] = asyncio.Event()
        asyncio.get_running_loop().call_later(0.3, held.set)
        async with HttpClient(proxied.port) as client:
            message = encode_call("OpenSession", 1, ttypes.TOpenSessionReq(client_protocol=5))
            assert read_reply(await client.call(message), ttypes.TOpenSessionResp).status.statusCode == 0

    with_proxy(test, Limits(handshake=0.05, grace=0.2))


def test_a_port_for_one_transport_alone(caplog: pytest.LogCaptureFixture) -> None:
    (own,) = free_ports(1)

    async def test(proxied: Proxied) -> None:
        for port in (proxied.port, own):
            async with HttpClient(port) as client:
                session = await client.open_session()
                await client.ask(
                    "CloseSession", ttypes.TCloseSessionReq(sessionHandle=session), ttypes.TCloseSessionResp
                )
        async with RawClient(proxied.port) as client:
            await client.open_session()
        reader, writer = await asyncio.open_connection("127.0.0.1", own)
        writer.write(negotiation(Status.START, b"PLAIN"))
        assert b"This port accepts only HTTP" in await reader.read()
        writer.close()

    async def over_http(proxied: Proxied) -> None:
        async with HttpClient(own) as client:
            assert b"This port accepts only SASL" in await client.call(OPEN)
            assert client.code == 403

    with_proxy(over_http, ports={Transport.SASL: own})
    with_proxy(test, ports={Transport.HTTP: own})
    assert "connection closed: This port accepts only HTTP" in caplog.text
