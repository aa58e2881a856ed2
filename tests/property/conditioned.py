"""Random views with aggregates of the rows in which a condition is true, and queries for such aggregates in other
spellings or of the rows that a filter keeps.
"""

from __future__ import annotations

from random import Random

from tests.property.joined_groups import OF_KEYS

_KEYS = ("region", "dim_id", "d")
_BAND = "CASE WHEN n < 2 THEN 'few' WHEN n < 5 THEN 'some' ELSE 'many' END"
_OF_BANDS = ("n < 2", "n < 5", "n >= 5", "n BETWEEN 2 AND 4", "n > 4 OR n <= 1", "n < 3")
_CONDITIONS = ("sex = 'm'", "n > 2", "price < 3")
_VALUES = ("n", "n", "n", "big", "price", "d")
_ONES = (
    "sum(CASE WHEN {0} THEN 1 ELSE 0 END)", "count(CASE WHEN {0} THEN 1 END)", "count(*) FILTER (WHERE {0})",
    "sum(CASE WHEN {0} THEN 1 END)", "sum(if({0}, 1, 0))", "count(if({0}, n, NULL))",
)  # fmt: skip
_FURTHER_ONES = (
    "sum(CASE WHEN {0} THEN 0 ELSE 1 END)", "sum(CASE WHEN {0} THEN 100 ELSE 0 END)", "sum(CASE WHEN {0} THEN 2 END)",
    "avg(CASE WHEN {0} THEN 1 ELSE 0 END)", "count(*) - count(CASE WHEN {0} THEN 1 END)",
    "count(DISTINCT CASE WHEN {0} THEN dim_id END)", "max(CASE WHEN {1} AND {0} THEN region END)",
    "count(DISTINCT d) FILTER (WHERE {0})", "count(*) FILTER (WHERE {0} AND {1})",
    "sum(CASE WHEN {1} AND {0} THEN 1 ELSE 0 END)",
)  # fmt: skip
_OF_VALUES = (
    "{name}({x}) FILTER (WHERE {p})", "{name}(CASE WHEN {p} THEN {x} END)", "{name}(if({p}, {x}, NULL))",
    "{name}(CASE WHEN {p} THEN {x} ELSE NULL END)",
)  # fmt: skip


def view(random: Random) -> str:
    """Return a grouped view with aggregates of one or two conditions."""
    keys = random.sample(_KEYS, random.randint(2, 3))
    keys += [_BAND] * (random.random() < 0.4)
    held = ["count(*)"] * (random.random() < 0.8)
    for condition in random.sample(_CONDITIONS, random.randint(1, 3)):
        held += [random.choice(_ONES).format(condition)] * (random.random() < 0.9)
        held += [_of_value(random, condition) for _ in range(random.randint(3, 9))]
    named = [f"{key} AS band" if key == _BAND else key for key in keys]
    outputs = [*named, *(f"{each} AS a{i}" for i, each in enumerate(dict.fromkeys(held)))]
    return f"SELECT {', '.join(outputs)} FROM fact GROUP BY {', '.join(keys)}"


def query(random: Random) -> str:
    """Return a query with aggregates of a condition, or of the rows that a filter by this condition keeps."""
    keys = random.sample(_KEYS, random.choice((0, 1, 1, 2)))
    condition, further = random.choice(_CONDITIONS), random.choice(OF_KEYS[random.choice(("region", "dim_id", "d"))])
    filters = [further] if random.random() < 0.3 else []
    filters += [random.choice(_OF_BANDS)] * (random.random() < 0.15)
    if random.random() < 0.4:
        filters.append(condition)
        of_rows = ["count(*)", "count(DISTINCT dim_id)", "max(region)", *(_plain(random) for _ in range(2))]
        measured = random.sample(of_rows, random.randint(1, 2))
    else:
        ones = random.choice((*_ONES, *_FURTHER_ONES)).format(condition, further)
        measured = random.sample([ones, _of_value(random, condition), _zeroed(random, condition)], random.randint(1, 2))
    named = ", ".join(f"{each} AS c{i}" for i, each in enumerate((*keys, *measured)))
    where = f" WHERE {' AND '.join(filters)}" if filters else ""
    grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
    having = f" HAVING count(*) FILTER (WHERE {condition}) > 1" if keys and random.random() < 0.1 else ""
    if random.random() < 0.15:
        band = random.choice(_OF_BANDS)
        further_one = random.choice((*_ONES, "sum(CASE WHEN {0} THEN n ELSE 0 END)", "max(n) FILTER (WHERE {0})"))
        named += f", {further_one.format(band)} AS b"
    return f"SELECT {named} FROM fact{where}{grouped}{having}"


def _of_value(random: Random, condition: str) -> str:
    name, value = _aggregate(random)
    return random.choice(_OF_VALUES).format(name=name, x=value, p=condition)


def _plain(random: Random) -> str:
    name, value = _aggregate(random)
    return f"{name}({value})"


def _aggregate(random: Random) -> tuple[str, str]:
    value = random.choice(_VALUES)
    return random.choice(("min", "max", "count") if value == "d" else ("sum", "sum", "min", "max", "count")), value


def _zeroed(random: Random, condition: str) -> str:
    return f"sum(CASE WHEN {condition} THEN {random.choice(_VALUES[:-1])} ELSE 0 END)"
