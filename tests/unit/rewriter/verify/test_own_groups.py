"""IN over the groups of a storage table is proved to be a filter only where each row has its own key."""

from __future__ import annotations

import pytest

from rewriter.model import TableName
from rewriter.verify import Leaves, is_filter
from tests.golden.corpus import FOLDER, read, world

MEMBERS = "SELECT order_id FROM items GROUP BY order_id HAVING sum(quantity) > 300"
READ = "SELECT v.`order_id` AS order_id{} FROM lake.demo.{}__storage VERSION AS OF 2000 AS v"
PLAN = READ.format(", v.`quantity`", "by_order") + f" WHERE v.`quantity` < 900 AND (v.`order_id` IN ({MEMBERS}))"
GROUPS = READ.format("", "by_order") + " WHERE v.`quantity` > 300"
FILTERED = READ.format(", v.`quantity`", "by_order") + (
    " WHERE v.`quantity` < 900 AND NOT (v.`order_id` IS NULL) AND v.`quantity` > 300"
)


def is_proved(plan: str = PLAN, groups: str = GROUPS, filtered: str = FILTERED, view: str = "by_order") -> bool:
    built = world(read(FOLDER / "own_groups.sql"))
    (made,) = built.rewrite(f"SELECT order_id FROM items WHERE order_id IN ({MEMBERS}) GROUP BY 1").replacements[:1]
    leaves = Leaves(made.query, built.definitions, built.relations, "UTC")
    return is_filter(plan, MEMBERS, groups, filtered, TableName(("lake", "demo", f"{view}__storage")), leaves)


def test_the_same_rows_are_proved() -> None:
    assert is_proved()


@pytest.mark.parametrize(
    "filtered",
    [
        FILTERED.replace(" AND NOT (v.`order_id` IS NULL)", ""),
        FILTERED.replace(" AND v.`quantity` > 300", ""),
        FILTERED.replace("> 300", ">= 300"),
        FILTERED.replace("v.`quantity` < 900 AND ", ""),
        FILTERED.replace("2000", "1999"),
        FILTERED + " LIMIT 5",
        PLAN + " AND v.`quantity` > 300",
    ],
)
def test_another_filter_is_not_proved(filtered: str) -> None:
    assert not is_proved(filtered=filtered)


@pytest.mark.parametrize(
    "groups",
    [
        GROUPS.replace("2000", "1999"),
        GROUPS.replace("AS v", "AS w").replace("v.", "w."),
        GROUPS + " LIMIT 5",
        GROUPS + " GROUP BY v.`order_id`",
        GROUPS.replace("AS order_id", "AS order_id, 1"),
        GROUPS.replace("v.`order_id`", "v.`order_id` + 1"),
    ],
)
def test_groups_that_are_more_than_a_filter_are_not_proved(groups: str) -> None:
    assert not is_proved(groups=groups)


def test_a_key_with_several_rows_is_not_proved() -> None:
    plan, groups, filtered = (text.replace("by_order__", "by_order_and_part__") for text in (PLAN, GROUPS, FILTERED))
    assert not is_proved(plan, groups, filtered, "by_order_and_part")
    assert not is_proved(plan, groups, filtered)


def test_another_list_is_not_proved() -> None:
    assert not is_proved(plan=PLAN.replace("> 300", "> 301"))
    assert not is_proved(plan=PLAN.replace("(v.`order_id` IN", "(NOT v.`order_id` IN"))
    assert not is_proved(plan=f"{PLAN} OR v.`quantity` > 300")
