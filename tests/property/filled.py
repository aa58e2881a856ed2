"""Random queries that LEFT JOIN the table of views, whose rows a stale view has in part."""

from __future__ import annotations

from random import Random

_KEYS = ("region", "sex", "n", "dim_id", "d", "trunc(d, 'MONTH')", "date_trunc('DAY', ts)")
_AGGREGATES = (
    "count(*)",
    "sum(n)",
    "max(big)",
    "count(big)",
    "min(price)",
    "avg(price)",
    "count(DISTINCT n)",
    "bit_or(n)",
)
_ON = (
    *["id = dim_id"] * 5,
    "id = n",
    "id >= n",
    "id = dim_id AND region = 'eu'",
    "id = dim_id AND weight > 1",
    "name = sex",
)
_OF_VIEW = ("region = 'eu'", "sex IS NOT NULL", "n > 2")


def view(random: Random) -> str:
    """Return a view of groups, or rarely of rows, of the fact table."""
    where = f" WHERE {random.choice(_OF_VIEW)}" if random.random() < 0.15 else ""
    if random.random() < 0.15:
        return f"SELECT region, sex, n, dim_id, big, price FROM fact{where}"
    keys = ["dim_id", *random.sample(_KEYS, random.randint(0, 2))]
    keys = list(dict.fromkeys(random.choice((keys, keys, keys[1:] or keys))))
    items = [*keys, *random.sample(_AGGREGATES, random.randint(2, 4))]
    named = (f"{each} AS a{i}" for i, each in enumerate(items))
    return f"SELECT {', '.join(named)} FROM fact{where} GROUP BY {', '.join(keys)}"


def query(random: Random) -> str:
    """Return a query of the other table with what there is, or is not, in the fact table."""
    on = random.choice(_ON)
    on += f" AND {random.choice(_OF_VIEW)}" if random.random() < 0.2 else ""
    source = random.choice((f"dim LEFT JOIN fact ON {on}", f"fact RIGHT JOIN dim ON {on}"))
    if random.random() < 0.2:
        series = "(SELECT explode(sequence(0, 5)) AS id) AS s"
        source = f"{series} LEFT JOIN fact ON id = dim_id"
    where = f" WHERE {random.choice(('id > 1', 'id IN (1, 2, 3)', 'region IS NULL', 'n IS NULL'))}"
    source += where if random.random() < 0.25 else ""
    keys = random.sample(("id", "region", "sex", "coalesce(region, 'none')"), random.choice((0, 1, 1, 1, 2)))
    more = ("coalesce(sum(n), 0)", "count(id)", "sum(coalesce(n, 0))", "sum(CASE WHEN sex = 'm' THEN n ELSE 0 END)")
    outputs = [*keys, *random.sample((*_AGGREGATES, *more), random.randint(1, 3))]
    grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
    having = (
        f" HAVING {random.choice(('count(*) > 1', 'sum(n) IS NULL', 'max(big) > 0'))}" if random.random() < 0.1 else ""
    )
    return f"SELECT {', '.join(outputs)} FROM {source}{grouped}{having}"
