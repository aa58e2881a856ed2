"""HAVING of a derived table is moved to the outer query, or the obstacle is named."""

from __future__ import annotations

import pytest

from rewriter.block import Block
from rewriter.layers import Obstacle, all_groups
from tests.unit.rewriter.engine.test_leaves import block

JOINED = "SELECT names.id, d.x FROM names {} JOIN (SELECT id, {} FROM facts GROUP BY {} HAVING count(*) > 1) AS d ON {}"
EQUAL = "d.id = names.id"


@pytest.mark.parametrize(
    ("query", "obstacle"),
    [
        (JOINED.format("", "rank() OVER (ORDER BY sum(n)) AS x", "id", EQUAL), Obstacle.WINDOW),
        (JOINED.format("LEFT", "sum(n) + 1 AS x", "id", EQUAL), Obstacle.COMPUTED),
        (JOINED.format("FULL", "sum(n) AS x", "id", EQUAL), Obstacle.FULL_JOIN),
        (JOINED.format("", "sum(n) AS x", "ROLLUP (id)", EQUAL), Obstacle.GROUPING_SETS),
    ],
)
def test_the_obstacle_is_returned(query: str, obstacle: Obstacle) -> None:
    assert all_groups(block(query)) is obstacle


def test_having_is_moved_to_where() -> None:
    moved = all_groups(block(JOINED.format("", "sum(n) AS x", "id", EQUAL)))
    assert isinstance(moved, Block)
    assert len(moved.where) == 2
    assert not any(table.inner.having for table in moved.tables if table.inner is not None)
