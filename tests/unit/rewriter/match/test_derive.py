"""Expressions derived from the outputs of a view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rewriter.match.derive import derive
from tests.golden.corpus import GoldenFile, world

SCHEMA = "CREATE TABLE sales (region STRING, n INT, x INT)"
VIEWS = {"fine": "SELECT region, n, sum(x) AS s FROM sales GROUP BY region, n"}


def test_a_long_disjunction_is_read_branch_by_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(tree: Any, rows: Any) -> Any:
        asked.append(tree)
        return derive(tree, rows)

    monkeypatch.setattr("rewriter.match.reading.derive", counted)
    branches = " OR ".join(f"(n = {i} AND region = 'r{i}')" for i in range(100))
    outcome = world(GoldenFile(Path(), schema=SCHEMA, views=VIEWS)).rewrite(
        f"SELECT region, sum(x) FROM sales WHERE {branches} GROUP BY region"
    )
    assert outcome.rewritten
    # Both conjunctions of a branch, their columns and constants, and no chain of branches.
    assert len([tree for tree in asked if len(str(tree)) > 1000]) == 2
