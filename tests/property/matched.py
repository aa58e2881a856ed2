"""Random queries for rows with a match, by inner joins with filters, over the views of `unmatched`.

A filter drops the rows without a match of a view's outer join, or nearly.
"""

from __future__ import annotations

from random import Random

from tests.property.unmatched import AGGREGATES, KEYS, OF_ROWS, ON

_FILTERS = (
    "weight > 1", "name = 'd1'", "name IS NOT NULL", "name <> 'd0'", "NOT weight = 2", "name IN ('d0', 'd2')",
    "weight + 1 > 2", "name = 'd1' OR weight > 2", "weight BETWEEN 0 AND 3", "id > 1", "id IS NOT NULL", "dim_id > 1",
    "name IS NULL", "name = 'd1' OR n > 2", "coalesce(weight, 1) = 1", "name NOT IN ('d1')", "weight IS NULL OR id = 1",
    "weight IN (SELECT dim_id FROM fact)", "weight NOT IN (SELECT id FROM dim WHERE id > 9)",
    "CASE WHEN n > 1 THEN weight END > 0",
)  # fmt: skip


def query(random: Random) -> str:
    """Return a query for the rows, or groups of the rows, with a match."""
    join = random.choice(("JOIN", "JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN"))
    where = random.sample(_FILTERS, random.choice((0, 1, 1, 1, 2)))
    source = f"fact {join} dim ON {random.choice(ON)}"
    filtered = f"{source} WHERE {' AND '.join(f'({each})' for each in where)}" if where else source
    if random.random() < 0.4:
        return f"SELECT {', '.join(random.sample(OF_ROWS, 3))} FROM {filtered}"
    keys = random.sample((*KEYS, "name"), random.randint(0, 2))
    outputs = ", ".join((*keys, *random.sample(AGGREGATES, 2)))
    return f"SELECT {outputs} FROM {filtered}" + (f" GROUP BY {', '.join(keys)}" if keys else "")
