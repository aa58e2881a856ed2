"""The console's pages over HTTP: who may read them, what they refuse, and that all values are escaped."""

from __future__ import annotations

import asyncio
import base64
import re
import ssl
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from proxy.authentication import Authentication, Denied
from proxy.catalog import Unavailable
from proxy.console import statements
from proxy.hs2 import SqlError
from proxy.session import OperationState
from rewriter.model import TableName
from tests.unit.catalog.lake import Lake
from tests.unit.commands.house import House
from tests.unit.console.http import Answer, request, sent, served
from tests.unit.console.site import HOSTILE, console, furnish, statement

OWN = {"sec_fetch_site": "same-origin"}


class Known:
    """Accepts a user's name spelled backwards as the password."""

    changed = ""

    def version(self, user: str) -> str:
        return self.changed

    def check(self, user: str, password: str) -> bool:
        return password == user[::-1]


class Named:
    """Accepts a user's name as a token or ticket."""

    def user(self, token: str) -> str | None:
        return token if token in ("ann", "bob") else None


class Ticketed:
    def login(self) -> object:
        raise NotImplementedError

    def user(self, token: bytes) -> tuple[str, bytes]:
        if token != b"ann":
            raise Denied("The ticket is not accepted")
        return "ann", b""


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[House]:
    """A house whose console requires a login."""
    lake = Lake(tmp_path)
    house = House(lake)
    house.context = replace(house.context, open_to_all=False, operators=lambda: {"olga"})
    yield house
    lake.close()


def asked(
    house: House, ask: Callable[[int], Awaitable[Answer]], authentication: Authentication | None = None
) -> Answer:
    """Return the last answer of a series of requests to a console."""

    async def test() -> Answer:
        async with asyncio.timeout(10), served(console(house, authentication)) as port:
            return await ask(port)

    return asyncio.run(test())


def cookie(answer: Answer) -> str:
    return answer.headers["set-cookie"].split(";")[0]


async def logged_in(port: int, user: str) -> str:
    """Return the session cookie of a user."""
    return cookie(await request(port, "/login", "POST", f"user={user}&password={user[::-1]}", **OWN))


def test_without_logins_everybody_sees_all_statements(guarded: House) -> None:
    guarded.context = replace(guarded.context, open_to_all=True)
    furnish(guarded)
    answer = asked(guarded, lambda port: request(port, "/statements"))
    assert answer.status == 200
    assert all(text in answer.body for text in ("ann", "bob", "lake.demo.agg", "tables: STALE", "running"))
    assert "Log out" not in answer.body


def test_a_view_that_cannot_be_read_is_shown_with_the_reason(guarded: House) -> None:
    guarded.context = replace(guarded.context, open_to_all=True)
    guarded.lake.put_view(TableName(("lake", "demo", "odd")), b"no json")
    listed = asked(guarded, lambda port: request(port, "/views"))
    assert all(text in listed.body for text in ("lake.demo.odd", "unreadable"))
    answer = asked(guarded, lambda port: request(port, "/views/lake.demo.odd"))
    assert answer.status == 200
    assert "lake.demo.odd is unreadable: the view&#39;s metadata cannot be read" in answer.body
    assert asked(guarded, lambda port: request(port, "/graph")).status == 200


def test_a_login_ends_with_the_password_that_it_was_made_with(guarded: House) -> None:
    async def ask(port: int) -> Answer:
        kept = await logged_in(port, "olga")
        assert (await request(port, "/statements", cookie=kept)).status == 200
        users.changed = "since"
        return await request(port, "/statements", cookie=kept)

    users = Known()
    users.changed = "before"
    assert asked(guarded, ask, Authentication(users)).headers["location"].startswith("/login")


def test_what_users_write_is_text(guarded: House) -> None:
    guarded.context = replace(guarded.context, open_to_all=True)
    id_ = statement(guarded, HOSTILE, user="<img src=x>").handle.id
    for path in ("/statements", f"/statements/{id_}", "/statements?q=%3Cscript%3E%22"):
        answer = asked(guarded, lambda port, path=path: request(port, path))  # type: ignore[misc]
        assert answer.status == 200
        assert "<script>document" not in answer.body
        assert "<img src=x>" not in answer.body


def test_where_users_log_in_each_sees_ones_own_and_operators_see_all(guarded: House) -> None:
    furnish(guarded)
    login = Authentication(Known())
    for user, seen, unseen in (("ann", "avg(amount)", "nothing"), ("olga", "nothing", None)):

        async def ask(port: int, user: str = user) -> Answer:
            return await request(port, "/statements", cookie=await logged_in(port, user))

        answer = asked(guarded, ask, login)
        assert answer.status == 200
        assert f"<span>{user}</span>" in answer.body
        assert seen in answer.body
        assert unseen is None or unseen not in answer.body


def test_nobody_reads_or_ends_the_statement_of_another(guarded: House) -> None:
    running = statement(guarded, "SELECT secret", user="bob")

    async def ask(port: int) -> Answer:
        kept = await logged_in(port, "ann")
        ended = await request(port, f"/statements/{running.handle.id}/end", "POST", cookie=kept, **OWN)
        assert ended.status == 409
        assert "belongs to another user" in ended.body
        return await request(port, f"/statements/{running.handle.id}", cookie=kept)

    answer = asked(guarded, ask, Authentication(Known()))
    assert answer.status == 404
    assert "secret" not in answer.body


def test_while_the_catalog_is_down_the_pages_of_views_say_so(guarded: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def down() -> None:
        raise Unavailable("the catalog lake cannot be reached")

    guarded.context = replace(guarded.context, open_to_all=True)
    monkeypatch.setattr(guarded.catalogs, "definitions", down)
    answers = [asked(guarded, lambda port, path=path: request(port, path))  # type: ignore[misc]
               for path in ("/views", "/views/lake.demo.agg", "/graph", "/statements")]  # fmt: skip
    assert [answer.status for answer in answers] == [503, 503, 503, 200]
    assert "the catalog lake cannot be reached" in answers[0].body


def test_a_page_is_gone_on_to_after_the_login(guarded: House) -> None:
    async def ask(port: int) -> Answer:
        first = await request(port, "/statements?q=a%26b&page=2")
        assert (first.status, first.headers["location"]) == (303, "/login?next=/statements%3Fq%3Da%2526b%26page%3D2")
        form = await request(port, first.headers["location"])
        assert 'name="next" value="/statements?q=a%26b&amp;page=2"' in form.body
        return await request(port, "/login", "POST", "user=ann&password=nna&next=/statements%3Fpage=2", **OWN)

    answer = asked(guarded, ask, Authentication(Known()))
    assert (answer.status, answer.headers["location"]) == (303, "/statements?page=2")
    kept = answer.headers["set-cookie"]
    assert all(word in kept for word in ("HttpOnly", "SameSite=Strict", "Max-Age=28800"))


@pytest.mark.parametrize("wanted", ["//evil.example/", "///evil.example/", "////evil.example", "https://evil.example/"])
def test_no_login_leads_to_another_site(guarded: House, wanted: str) -> None:
    guarded.context = replace(guarded.context, open_to_all=True)
    answer = asked(guarded, lambda port: request(port, f"/login?next={wanted}"))
    assert (answer.status, answer.headers["location"]) == (303, "/")


def test_a_login_over_https_is_kept_by_a_secure_cookie(guarded: House) -> None:
    authority, own, client = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    authority.issue_cert("localhost").configure_cert(own)
    authority.configure_trust(client)
    furnish(guarded)

    async def test() -> tuple[Answer, Answer, Answer]:
        secured = console(guarded, Authentication(Known()), tls=own)
        async with asyncio.timeout(10), served(secured) as port:
            entered = await sent(port, client, "/login", "POST", "user=ann&password=nna", OWN)
            page = await sent(port, client, "/statements", "GET", "", {"cookie": cookie(entered)})
            return entered, page, await sent(port, client, "/metrics", "GET", "", {})

    entered, page, metrics = asyncio.run(test())
    assert "; Secure" in entered.headers["set-cookie"]
    assert (page.status, metrics.status) == (200, 200)
    assert "<span>ann</span>" in page.body


@pytest.mark.parametrize("form", ["user=ann&password=x", "user=ann", "password=nna", ""])
def test_a_wrong_password_is_refused(guarded: House, form: str, caplog: pytest.LogCaptureFixture) -> None:
    answer = asked(guarded, lambda port: request(port, "/login", "POST", form, **OWN), Authentication(Known()))
    assert answer.status == 403
    assert "set-cookie" not in answer.headers
    assert "Error validating the login: " in answer.body
    assert "console login refused" in caplog.text


def test_a_long_user_name_does_not_fill_the_log(guarded: House, caplog: pytest.LogCaptureFixture) -> None:
    form = f"user={'a' * 60_000}&password=wrong"
    asked(guarded, lambda port: request(port, "/login", "POST", form, **OWN), Authentication(Known()))
    assert len(caplog.text) < 1000


def test_a_logout_takes_the_cookie(guarded: House) -> None:
    answer = asked(guarded, lambda port: request(port, "/logout", "POST", **OWN), Authentication(Known()))
    assert (answer.status, cookie(answer)) == (303, "viewgate-console=")
    assert "Max-Age=0" in answer.headers["set-cookie"]


def test_a_cookie_of_the_port_for_sql_is_none_of_ours(guarded: House) -> None:
    async def ask(port: int) -> Answer:
        value = (await logged_in(port, "ann")).partition("=")[2]
        return await request(port, "/statements", cookie=f"hive.server2.auth={value}")

    assert asked(guarded, ask, Authentication(Known())).status == 303


@pytest.mark.parametrize(
    ("given", "status"),
    [("Bearer bob", 200), ("Bearer eve", 401), (f"Negotiate {base64.b64encode(b'ann').decode()}", 200),
     (f"Negotiate {base64.b64encode(b'eve').decode()}", 401), ("Negotiate ?", 401), ("Negotiate é", 401),
     ("Basic YTpi", 303)],
)  # fmt: skip
def test_tokens_and_tickets_are_accepted_as_on_the_port_for_sql(guarded: House, given: str, status: int) -> None:
    login = Authentication(tokens=Named(), tickets=Ticketed())  # type: ignore[arg-type]
    answer = asked(guarded, lambda port: request(port, "/statements", authorization=given), login)
    assert answer.status == status


def test_a_browser_with_a_ticket_is_asked_for_it(guarded: House) -> None:
    login = Authentication(Known(), tickets=Ticketed())  # type: ignore[arg-type]
    answer = asked(guarded, lambda port: request(port, "/login"), login)
    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Negotiate")
    assert "<form" in answer.body


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"sec_fetch_site": "cross-site"}, 403), ({"origin": "http://evil.example"}, 403), ({}, 403),
     ({"sec_fetch_site": "same-site"}, 403), ({"sec_fetch_site": "same-origin"}, 303), ({"origin": "null"}, 403),
     ({"origin": "http://[x"}, 403)],
)  # fmt: skip
def test_a_form_from_another_site_is_refused(guarded: House, headers: dict[str, str], status: int) -> None:
    running = furnish(guarded)

    async def ask(port: int) -> Answer:
        kept = await logged_in(port, "ann")
        return await request(port, f"/statements/{running.handle.id}/end", "POST", cookie=kept, **headers)

    answer = asked(guarded, ask, Authentication(Known()))
    assert answer.status == status
    assert running.done is (status == 303)
    if running.done:
        assert running.error is not None
        assert "ended by ann" in running.error.message


def test_an_older_browser_tells_its_origin(guarded: House) -> None:
    async def ask(port: int) -> Answer:
        return await request(port, "/logout", "POST", origin=f"http://127.0.0.1:{port}")

    assert asked(guarded, ask).status == 303


@pytest.mark.parametrize(("host", "status"), [("evil.example", 421), ("localhost", 200), ("viewgate:1", 200),
                                                ("127.0.0.1:1", 200), ("[::1]:1", 200)])  # fmt: skip
def test_without_logins_no_name_of_others_leads_here(guarded: House, host: str, status: int) -> None:
    assert asked(guarded, lambda port: request(port, "/statements", host=host)).status == status


@pytest.mark.parametrize("path", ["/statements", "/login", "/static/console.css", "/metrics", "/nothing"])
def test_each_answer_has_the_headers_that_protect_it(guarded: House, path: str) -> None:
    headers = asked(guarded, lambda port: request(port, path)).headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")


def test_a_form_too_long_is_refused(guarded: House) -> None:
    answer = asked(guarded, lambda port: request(port, "/login", "POST", "user=" + "x" * 70_000, **OWN))
    assert answer.status == 413


@pytest.mark.parametrize("form", ["content-length: 5\r\n\r\nuser", "transfer-encoding: chunked\r\n\r\nzz\r\n"])
def test_a_form_that_breaks_off_is_no_error_of_the_console(
    guarded: House, form: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def ask(port: int) -> Answer:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"POST /login HTTP/1.1\r\nhost: a\r\norigin: http://a\r\n{form}".encode())
        writer.write_eof()
        await reader.read()
        writer.close()
        return await request(port, "/healthz")

    assert asked(guarded, ask).status == 200
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize(
    ("query", "first", "count"),
    [("", "SELECT 0", 100), ("?page=2", "SELECT 99", 50), ("?page=9", "SELECT 99", 50), ("?page=x", "SELECT 0", 100),
     ("?show=running", "SELECT 0", 1), ("?q=select+77", "SELECT 77", 1), ("?q=eve", None, 0),
     ("?show=x", "SELECT 0", 100)],
)  # fmt: skip
def test_the_list_is_searched_and_comes_in_parts(guarded: House, query: str, first: str | None, count: int) -> None:
    statement(guarded, "SELECT 0", state=OperationState.RUNNING)
    for number in range(50, 199):
        statement(guarded, f"SELECT {number}", ms=2)
    body = asked(guarded, lambda port: request(port, f"/statements{query}")).body
    rows = body.split('class="sql"')[1:]
    assert len(rows) == count
    assert first is None or f">{first}<" in rows[0]


@pytest.mark.parametrize("text", ["roll_up", "no+such+table"])
def test_answers_and_errors_are_searched(guarded: House, text: str) -> None:
    statement(
        guarded, "SELECT 1", answer="answered from lake.demo.agg (roll_up)", error=SqlError("no such table", "42P01")
    )
    statement(guarded, "SELECT 2")
    body = asked(guarded, lambda port: request(port, f"/statements?q={text}")).body
    assert re.findall(r'class="sql"[^>]*>([^<]*)<', body) == ["SELECT 1"]


def test_a_queued_statement_is_not_listed_as_running_and_can_be_ended(guarded: House) -> None:
    statement(guarded, "SELECT 0", state=OperationState.RUNNING)
    queued = statement(guarded, "SELECT 1", state=OperationState.PENDING)
    statement(guarded, "SELECT 2")
    body = asked(guarded, lambda port: request(port, "/statements?show=queued")).body
    assert re.findall(r">(\w+) <b>(\d+)</b>", body)[:3] == [("All", "3"), ("Running", "1"), ("Queued", "1")]
    assert (body.count('class="sql"'), '<span class="mark warn">queued</span>' in body) == (1, True)
    page = asked(guarded, lambda port: request(port, f"/statements/{queued.handle.id}")).body
    assert "End this statement" in page


def test_statements_are_compared_beside_the_event_loop(guarded: House, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = set[threading.Thread]()

    def compared(one: str, other: str) -> tuple[list[statements.Piece], list[statements.Piece]]:
        threads.add(threading.current_thread())
        return [], []

    monkeypatch.setattr(statements, "compared", compared)
    guarded.context = replace(guarded.context, open_to_all=True)
    id_ = furnish(guarded).handle.id
    assert asked(guarded, lambda port: request(port, f"/statements/{id_}")).status == 200
    assert threads
    assert threading.main_thread() not in threads
