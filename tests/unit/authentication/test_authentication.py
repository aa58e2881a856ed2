import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from proxy.authentication import Authentication, Cookies, Denied


class Users:
    """Knows one password, and can be out of order."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.broken = False
        self.changed = ""

    def version(self, user: str) -> str:
        return self.changed

    def check(self, user: str, password: str) -> bool:
        self.asked.append(user)
        if self.broken:
            raise OSError("no directory")
        return password == "right"


class Keys:
    def user(self, token: str) -> str | None:
        return token if token == "ann" else None


def denied(login: Coroutine[Any, Any, str]) -> str:
    with pytest.raises(Denied) as refused:
        asyncio.run(login)
    return str(refused.value)


def test_without_passwords_anybody_is_believed() -> None:
    assert asyncio.run(Authentication().login("ann", "")) == "ann"
    with pytest.raises(Denied, match="This server accepts no tokens"):
        Authentication().bearer("ann")


def test_a_right_password_is_asked_for_once() -> None:
    users = Users()

    async def test() -> None:
        authentication = Authentication(users)
        for _ in range(3):
            assert await authentication.login("ann", "right") == "ann"
        with pytest.raises(Denied):
            await authentication.login("an", "nright")
        with pytest.raises(Denied):
            await authentication.login("ann", "wrong")

    asyncio.run(test())
    assert users.asked == ["ann", "an", "ann"]


def test_what_is_remembered_is_forgotten_in_time() -> None:
    users = Users()

    async def test() -> None:
        authentication = Authentication(users, kept=0)
        for _ in range(2):
            await authentication.login("ann", "right")

    asyncio.run(test())
    assert len(users.asked) == 2


def test_a_password_that_has_changed_is_asked_for_again() -> None:
    users = Users()

    async def test() -> None:
        authentication, cookies = Authentication(users), Cookies()
        of_ticket = cookies.issue("ann", now=0, secure=False, version="")
        for users.changed in ("one", "two"):
            await authentication.login("ann", "right")
            cookie = cookies.issue("ann", now=0, secure=False, version=authentication.version("ann"))
            assert cookies.user(cookie, 1, authentication.version) == "ann"
        users.changed = ""  # the user was removed
        assert cookies.user(cookie, 1, authentication.version) is None
        assert cookies.user(of_ticket, 1, authentication.version) == "ann"

    asyncio.run(test())
    assert users.asked == ["ann", "ann"]


def test_nobody_gets_in_without_a_password_or_while_they_cannot_be_checked() -> None:
    users = Users()
    assert "give a user name and a password" in denied(Authentication(users).login("ann", ""))
    assert "give a user name and a password" in denied(Authentication(users).login("", "right"))
    assert users.asked == []
    users.broken = True
    assert "cannot be checked at present" in denied(Authentication(users).login("ann", "right"))


def test_tokens() -> None:
    authentication = Authentication(tokens=Keys())
    assert authentication.bearer("ann") == "ann"
    with pytest.raises(Denied, match="The token is invalid or has expired: log in with a new token"):
        authentication.bearer("bob")
    assert "with a JSON Web Token" in denied(authentication.login("ann", "right"))


def test_no_more_checks_run_at_a_time_though_those_who_asked_for_them_have_gone() -> None:
    begun, let = threading.Semaphore(0), threading.Event()

    class Slow(Users):
        def check(self, _user: str, _password: str) -> bool:
            begun.release()
            return let.wait(10)

    async def test() -> None:
        authentication = Authentication(Slow())

        def come() -> list[asyncio.Task[str]]:
            return [asyncio.create_task(authentication.login(f"eve{number}", "x")) for number in range(8)]

        first = come()
        for _ in range(4):
            assert await asyncio.to_thread(begun.acquire, timeout=10)
        for login in first:
            login.cancel()
        await asyncio.wait(first)
        second = come()
        assert not await asyncio.to_thread(begun.acquire, timeout=0.1)
        let.set()
        await asyncio.gather(*second)

    asyncio.run(test())
