"""Random grouped views, and queries of another table that test by EXISTS and IN which rows the views' table has."""

from __future__ import annotations

from random import Random

from tests.property import terms
from tests.property.joined_groups import KEYS, OF_GROUPS, OF_KEYS

_COMPARED = (
    "dim_id = id",
    "dim_id = id",
    "dim_id = weight",
    "n = weight",
    "dim_id >= id",
    "n < weight",
    "d IS NULL OR n = id",
)


def view(random: Random) -> str:
    """Return a random grouped view."""
    keys = ("dim_id", *random.sample(tuple(key for key in KEYS if key != "dim_id"), random.randint(0, 3)))
    where = f" WHERE {terms.predicate(random, False)}" if random.random() < 0.2 else ""
    having = f" HAVING {random.choice(OF_GROUPS)}" if random.random() < 0.2 else ""
    listed = ", ".join(keys)
    figures = "count(*) AS rows, sum(n) AS total, min(n) AS least"
    return f"SELECT {listed}, {figures} FROM fact{where} GROUP BY {listed}{having}"


def query(random: Random) -> str:
    """Return a random query."""
    asked = random.choice((" AND ", " OR ")).join(_asked(random) for _ in range(random.choice((1, 1, 2))))
    if random.random() < 0.3:
        return f"SELECT name, count(*), max(weight) FROM dim WHERE {asked} GROUP BY name"
    if random.random() < 0.3:
        figure = random.choice(("sum(n)", "count(*)", "min(n) + 1"))
        return f"SELECT id, (SELECT {figure} FROM fact WHERE dim_id = id) AS figure FROM dim WHERE {asked}"
    return f"SELECT id, name FROM dim WHERE {asked}"


def _asked(random: Random) -> str:
    where = [random.choice(OF_KEYS[random.choice(KEYS)]) for _ in range(random.randint(0, 2))]
    negated = "NOT " if random.random() < 0.3 else ""
    if random.random() < 0.6:
        where = [f"({random.choice(_COMPARED)})", *where]
        if random.random() < 0.1:
            where.append("big > 0")
        outputs = random.choice(("1", "*", "n"))
        return f"{negated}EXISTS (SELECT {outputs} FROM fact WHERE {' AND '.join(where)})"
    filtered = f" WHERE {' AND '.join(where)}" if where else ""
    kind = random.random()
    if kind < 0.2:
        filtered += f" GROUP BY dim_id HAVING {random.choice(OF_GROUPS)}"
    elif kind < 0.3:
        filtered += " ORDER BY n, dim_id"
    distinct = "DISTINCT " if kind > 0.9 else ""
    operand, column = (
        random.choice((("id", "dim_id"), ("weight", "dim_id"), ("weight", "n"))) if kind >= 0.2 else ("id", "dim_id")
    )
    return f"{operand} {negated}IN (SELECT {distinct}{column} FROM fact{filtered})"
