"""Misspelled view properties are refused with the name that was probably meant."""

from __future__ import annotations

import pytest

from proxy.commands.properties import SETTABLE, checked
from proxy.hs2 import SqlError


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("viewgate.refresh.evry", "viewgate.refresh.every"),
        ("viewgate.rewite", "viewgate.rewrite"),
        ("viewgte.retention", "viewgate.retention"),
        ("Viewgate.Refresh", "viewgate.refresh"),
    ],
)
def test_a_slip_is_refused_with_the_name_that_was_meant(given: str, meant: str) -> None:
    with pytest.raises(
        SqlError, match=rf"{given} is not a property of materialized views \(did you mean {meant}\?\)"
    ) as refused:
        checked({given: "on"})
    assert refused.value.sql_state == "22023"


@pytest.mark.parametrize("key", ["write.format.default", "team", "rewrite", "refresh.every"])
def test_what_is_for_others_is_left_to_them(key: str) -> None:
    assert checked({key: "orc"}) == {key: "orc"}


def test_no_property_is_taken_for_another() -> None:
    for key in SETTABLE:
        value = {"viewgate.rewrite": "on", "viewgate.refresh": "deferred", "viewgate.maintenance": "followed"}
        assert checked({key: value.get(key, "never")})
