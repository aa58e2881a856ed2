"""A query has the text of a view's query, however each names its tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.corpus import GoldenFile, world

SCHEMA = "CREATE TABLE usage (day DATE, seconds INT); CREATE TABLE limits (day DATE, most INT)"
LONGEST = "SELECT day, sum(seconds) AS seconds FROM {} GROUP BY day ORDER BY seconds DESC LIMIT 2"
NAMES = ("usage", "demo.usage", "lake.demo.usage", "`usage`", "lake.`demo`.`usage`")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("of_view", NAMES)
def test_names_of_one_table_are_the_same_text(of_view: str, name: str) -> None:
    built = world(GoldenFile(Path(), schema=SCHEMA, views={"longest": LONGEST.format(of_view)}))
    (made,) = built.rewrite(LONGEST.format(name)).replacements
    assert made.rule == "text_match"
    assert str(made.verdict) == "proved"


def test_a_name_of_another_table_is_another_text() -> None:
    built = world(GoldenFile(Path(), schema=SCHEMA, views={"longest": LONGEST.format("usage")}))
    query = f"WITH usage AS (SELECT day, most AS seconds FROM limits) {LONGEST.format('usage')}"
    assert not built.rewrite(query).rewritten
