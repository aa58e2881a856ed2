"""Random queries with PIVOT over the keys of grouped views, with names of their own or Spark's, with or without a
filter.
"""

from __future__ import annotations

import re
from random import Random

from tests.property.joined_groups import KEYS, OF_KEYS

_VALUES = {
    "region": ("'eu'", "'us'", "'ap'", "NULL"),
    "sex": ("'m'", "'f'"),
    "n": ("1", "2", "-1", "7"),
    "dim_id": ("0", "1", "5"),
    "d": ("DATE '2024-01-01' AS first", "DATE '2023-12-05' AS other"),
}
_AGGREGATES = (
    "count(*)", "sum(big)", "count(big)", "min(big)", "max(price)", "sum(price)", "avg(price)", "avg(big)",
    "sum(score)", "max(ts)", "bool_or(big > 0)",
)  # fmt: skip
_WORD = re.compile(r"\b(?:big|price|score|ts)\b")


def view(random: Random) -> str:
    """Return a grouped view that holds most of what the queries need."""
    keys = random.sample(KEYS, random.randint(2, 4))
    outputs = [*keys, *(f"{a} AS a{i}" for i, a in enumerate(_AGGREGATES) if random.random() < 0.8)]
    return f"SELECT {', '.join(outputs)} FROM fact GROUP BY {', '.join(keys)}"


def query(random: Random) -> str:
    """Return a query that pivots one or two columns of the table."""
    keys = random.sample(KEYS, random.randint(1, 3))
    by = keys[: 2 if len(keys) > 1 and random.random() < 0.2 else 1]
    aggregates = random.sample(_AGGREGATES, random.randint(1, 3))
    columns = [*keys, *dict.fromkeys(name for each in aggregates for name in _WORD.findall(each))]
    where = f" WHERE {random.choice(OF_KEYS[random.choice(keys)])}" if random.random() < 0.4 else ""
    named = [f"{each} AS f{i}" if len(aggregates) > 1 else each for i, each in enumerate(aggregates)]
    rows = f"(SELECT {', '.join(columns)} FROM fact{where})"
    source = f"{rows} AS s" if random.random() < 0.5 else rows
    of = by[0] if len(by) == 1 else f"({', '.join(by)})"
    return f"SELECT * FROM {source} PIVOT ({', '.join(named)} FOR {of} IN ({_listed(random, by)}))"


def _listed(random: Random, by: list[str]) -> str:
    """Return the values of the IN list, each once, with names if no plain ones exist."""
    if len(by) == 1:
        return ", ".join(random.sample(_VALUES[by[0]], random.randint(1, len(_VALUES[by[0]]))))
    pairs = {tuple(random.choice(_VALUES[name]).split(" AS ")[0] for name in by) for _ in range(3)}
    return ", ".join(f"({', '.join(pair)}) AS v{i}" for i, pair in enumerate(sorted(pairs)))
