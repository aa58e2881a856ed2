"""No wrong plan is proved: a sample of what `python -m tests.property.mutants` tries at length."""

from __future__ import annotations

from collections import Counter

import pytest

from rewriter.verify import PROVED, UNDECIDED
from tests.golden.corpus import FOLDER
from tests.property.mutants import OTHER_ROWS, mutants, of_file, of_seed


@pytest.mark.parametrize("name", ["roll_up", "union", "subqueries", "outer_joins", "time_spellings"])
def test_golden_plans(name: str) -> None:
    counted, wrong = of_file(FOLDER / f"{name}.sql", most=6)
    assert not wrong
    assert counted[UNDECIDED] > counted[PROVED]
    assert counted[OTHER_ROWS] > counted[PROVED]


def test_random_plans() -> None:
    counted: Counter[str] = Counter()
    for seed in range(60):
        found, wrong = of_seed(seed, most=6)
        assert not wrong
        counted += found
    assert counted[OTHER_ROWS] > 40


def test_a_plan_has_mutants_of_many_kinds() -> None:
    plan = "SELECT v.a, sum(v.n) FROM s AS v LEFT JOIN t AS u ON v.a = u.a AND u.b > 1 WHERE v.b = 'x' GROUP BY v.a"
    kinds = {kind for kind, _ in mutants(plan, most=1000)}
    assert kinds == {
        "fewer", "other call", "other operator", "other literal", "other join", "other column", "finer key", "DISTINCT",
    }  # fmt: skip
