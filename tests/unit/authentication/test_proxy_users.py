import pytest

from proxy.authentication import ProxyUsers
from proxy.hs2 import SqlError

ALLOWED = ProxyUsers({"superset": frozenset({"ann", "bob"}), "root": frozenset({"*"}), "*": frozenset({"*"})})


@pytest.mark.parametrize(
    ("principal", "wanted", "user"),
    [("eve", "", "eve"), ("eve", "eve", "eve"), ("superset", "ann", "ann"), ("root", "anybody", "anybody")],
)
def test_who_may(principal: str, wanted: str, user: str) -> None:
    assert ALLOWED.acting(principal, wanted) == user


@pytest.mark.parametrize(("principal", "wanted"), [("eve", "ann"), ("superset", "root"), ("superset", "*")])
def test_who_may_not(principal: str, wanted: str) -> None:
    with pytest.raises(SqlError, match=r"may not act for .*\[authentication\.proxy_users\]") as raised:
        ALLOWED.acting(principal, wanted)
    assert raised.value.sql_state == "28000"
