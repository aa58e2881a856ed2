"""The recipes of the docs page on time series are golden cases: each is executed, and answered by the page's view."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.golden.corpus import FOLDER, read

PAGE = (Path(__file__).parents[2] / "docs" / "time-series.md").read_text()
RECIPES = [text.strip().rstrip(";").replace("demo.sales", "sales") for text in re.findall(
    r"```sql\n(.*?)```", PAGE.partition("## Recipes")[2], re.DOTALL)]  # fmt: skip
GOLDEN = read(FOLDER / "gap_filling.sql")


def test_the_view_is_the_one_of_the_cases() -> None:
    made, *_ = RECIPES
    (query,) = GOLDEN.views.values()
    assert " ".join(made.partition(" AS\n")[2].split()) == query


@pytest.mark.parametrize("recipe", RECIPES[1:])
def test_each_recipe_is_answered_from_it(recipe: str) -> None:
    (case,) = (case for case in GOLDEN.cases if case.query == recipe)
    assert case.views == GOLDEN.views.keys()
