"""Random grouped views, and queries that test their groups by SEMI and ANTI joins, or count NULLs."""

from __future__ import annotations

from random import Random

from tests.property import terms
from tests.property.joined_groups import KEYS, OF_KEYS

_COMPARED = ("dim_id = id", "dim_id = id", "dim_id = weight", "dim_id >= id", "dim_id <> id", "n = weight")
_COUNTED = ("big", "price", "score", "d")


def view(random: Random) -> str:
    """Return a random grouped view."""
    keys = ("dim_id", *random.sample(tuple(key for key in KEYS if key != "dim_id"), random.randint(0, 3)))
    where = f" WHERE {terms.predicate(random, False)}" if random.random() < 0.2 else ""
    counts = ", ".join(f"count({column}) AS c{i}" for i, column in enumerate(random.sample(_COUNTED, 3)))
    listed = ", ".join(keys)
    return f"SELECT {listed}, count(*) AS rows, sum(n) AS total, {counts} FROM fact{where} GROUP BY {listed}"


def query(random: Random) -> str:
    """Return a random query."""
    return random.choice((_joined, _joined, _tested, _counting, _counting))(random)


def _tested(random: Random) -> str:
    """Return a query for groups of rows, of which other rows of the same table or of another one are there or not."""
    parts = []
    for alias in random.sample(("g", "h"), random.randint(1, 2)):
        column, other = random.choice(("region", "sex", "dim_id")), random.choice(("region", "sex", "dim_id"))
        compared = f"{alias}.{column} {random.choice(('<>', '=', '<'))} f.{column}"
        tested = f"SELECT * FROM fact AS {alias} WHERE {alias}.{other} = f.{other} AND {compared}"
        parts.append(f"{random.choice(('', 'NOT '))}EXISTS ({tested})")
    if random.random() < 0.3:
        parts.append("f.dim_id IN (SELECT id FROM dim WHERE weight > 1)")
    keys = random.sample(("f.dim_id", "f.region", "f.sex"), random.randint(0, 2))
    outputs = ", ".join((*keys, "count(*) AS rows", "sum(f.n) AS total"))
    grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
    return f"SELECT {outputs} FROM fact AS f WHERE {' AND '.join(parts)}{grouped}"


def _joined(random: Random) -> str:
    on = [random.choice(_COMPARED), *(random.choice(OF_KEYS[random.choice(KEYS)]) for _ in range(random.randint(0, 2)))]
    condition = " AND ".join(f"({each})" for each in on)
    kind = random.choice(("LEFT SEMI JOIN", "LEFT ANTI JOIN", "LEFT JOIN"))
    where = [f"{random.choice(('n', 'n', 'dim_id', 'big'))} IS NULL"] if kind == "LEFT JOIN" else []
    if random.random() < 0.3:
        where.append(random.choice(("id > 1", "name IS NOT NULL", "weight < 3")))
    source = f"dim {kind} fact ON {condition}" + (f" WHERE {' AND '.join(where)}" if where else "")
    if random.random() < 0.3:
        return f"SELECT name, count(*), max(weight) FROM {source} GROUP BY name"
    return f"SELECT id, id + 1 AS b, b * 2 AS c FROM {source}"


def _counting(random: Random) -> str:
    keys = random.sample(("dim_id", "region", "sex"), random.randint(0, 2))
    columns = [random.choice((*_COUNTED, "n", "dim_id")) for _ in range(2)]
    outputs = [f"{_null_count(random, column)} AS a{i}" for i, column in enumerate(columns)]
    if random.random() < 0.3:
        outputs.append("count(*) AS rows, a0 / rows AS share")
    grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
    where = f" WHERE {random.choice(('dim_id > 1', 'region IS NULL', 'dim_id = 77'))}" if random.random() < 0.3 else ""
    return f"SELECT {', '.join((*keys, *outputs))} FROM fact{where}{grouped}"


def _null_count(random: Random, column: str) -> str:
    test = f"{column} IS {random.choice(('', '', 'NOT '))}NULL"
    return random.choice(
        (
            f"count(*) FILTER (WHERE {test})",
            f"count(CASE WHEN {test} THEN 1 END)",
            f"sum(CASE WHEN {test} THEN 1 ELSE 0 END)",
            f"sum(CASE WHEN {test} THEN 0 ELSE 1 END)",
            f"sum(CASE WHEN {test} THEN 1 END)",
            f"sum(if({test}, 1, 0))",
        )
    )
