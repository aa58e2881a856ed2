"""Patterns match in time proportional to the name's length, whatever they contain."""

from __future__ import annotations

import random
import re

import pytest

from proxy.hs2.patterns import matcher

NAME = "sales_by_day_and_country" * 5


@pytest.mark.parametrize("pattern", ["%" * 40 + "x", "%_" * 40 + "!", "%a" * 20 + "%!", "*%" * 20 + "\\*"])
def test_many_wildcards_do_not_make_it_try_every_way(pattern: str) -> None:
    assert not matcher(pattern)(NAME)


def test_it_finds_what_a_search_in_every_way_finds() -> None:
    chance = random.Random(0)
    wild = {"%": ".*", "*": ".*", "_": "."}
    for _ in range(5000):
        pattern = "".join(chance.choice("%*_ab") for _ in range(chance.randint(1, 7)))
        name = "".join(chance.choice("abB%") for _ in range(chance.randint(0, 8)))
        expected = re.fullmatch("".join(wild.get(part, part) for part in pattern), name, re.IGNORECASE)
        assert matcher(pattern)(name) == (expected is not None), (pattern, name)
