"""The messages of a login by tickets, with a fake GSSAPI; the integration tests have a real Key Distribution Center."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proxy.authentication import Denied
from proxy.authentication.gssapi import GssError
from proxy.authentication.kerberos import Kerberos, SaslLogin

OFFER = b"wrapped:" + bytes([1, 0, 0, 0])


class Played:
    """A fake context that is established after some tokens; it answers the last one if the client wants mutual
    authentication.
    """

    def __init__(self, tokens: int = 1, *, mutual: bool = True) -> None:
        self.left, self.mutual = tokens, mutual
        self.complete = False

    def accept(self, token: bytes) -> bytes:
        if token == b"bad":
            raise GssError("Invalid token was supplied")
        self.left -= 1
        self.complete = not self.left
        return b"answer" if self.left or self.mutual else b""

    def user(self) -> str:
        return "ann"

    def wrap(self, data: bytes) -> bytes:
        return b"wrapped:" + data

    def unwrap(self, data: bytes) -> bytes:
        if not data.startswith(b"wrapped:"):
            raise GssError("A token had an invalid MIC")
        return data.removeprefix(b"wrapped:")


def test_a_client_that_wants_to_be_sure_of_the_server_says_nothing_before_it_is_made_an_offer() -> None:
    login: Any = SaslLogin(Played(tokens=2))
    assert [login.step(said) for said in (b"ticket", b"more", b"")] == [b"answer", b"answer", OFFER]
    assert not login.user
    assert login.step(OFFER) == b""
    assert (login.user, login.acting_for) == ("ann", "")


def test_one_that_does_not_is_made_the_offer_at_once() -> None:
    login = SaslLogin(Played(mutual=False))
    assert login.step(b"ticket") == OFFER
    login.step(OFFER)
    assert login.user == "ann"


@pytest.mark.parametrize(
    ("name", "wish"), [(b"ann", ""), (b"ann@EXAMPLE.ORG", ""), (b"bob", "bob"), (b"annabel", "annabel")]
)
def test_a_client_may_say_whom_it_acts_for(name: bytes, wish: str) -> None:
    login = SaslLogin(Played(mutual=False))
    login.step(b"ticket")
    login.step(OFFER + name)
    assert (login.user, login.acting_for) == ("ann", wish)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ([b"bad"], "Invalid token"),
        ([b"ticket", OFFER.removeprefix(b"wrapped:")], "invalid MIC"),
        ([b"ticket", b"wrapped:" + bytes([4, 0, 255, 255])], "only the SASL protection"),
        ([b"ticket", b"wrapped:"], "only the SASL protection"),
    ],
)
def test_what_is_not_in_order_lets_nobody_in(said: list[bytes], why: str) -> None:
    login = SaslLogin(Played(mutual=False))
    *before, last = said
    for token in before:
        login.step(token)
    with pytest.raises(Denied, match=why):
        login.step(last)
    assert login.user is None


def test_keys_that_are_not_there_are_found_out_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(GssError, match=r"nowhere is nonexistent|cannot be loaded"):
        Kerberos(tmp_path / "nowhere")
