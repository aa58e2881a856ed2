"""Random rows with zeros of both signs in a DOUBLE column, views of these rows or of their groups, and queries."""

from __future__ import annotations

from random import Random

from tests.golden.execution import NEGATIVE_ZERO

SCORES = ("0.0D", NEGATIVE_ZERO, "-3.5", "1e6")
_COLUMNS = ("region", "n", "dim_id", "score")
_FILTERS = ("n > 2", "region = 'eu'", "n IS NOT NULL", "dim_id < 4", "score IS NOT NULL", "score >= 0.0")
_AGGREGATES = ("sum(n)", "count(score)", "max(n)")


def view(random: Random) -> str:
    """Return a random view of rows, or of groups whose keys include the column, mostly."""
    columns = list(dict.fromkeys([*random.sample(_COLUMNS, random.randint(1, 3)), "score"]))
    where = f" WHERE {random.choice(_FILTERS)}" if random.random() < 0.2 else ""
    if random.random() < 0.5:
        return f"SELECT {', '.join(_COLUMNS)} FROM fact{where}"
    outputs = ", ".join(f"{each} AS a{i}" for i, each in enumerate(_AGGREGATES))
    return f"SELECT {', '.join(columns)}, {outputs} FROM fact{where} GROUP BY {', '.join(columns)}"


def query(random: Random) -> str:
    """Return a random query for rows or groups."""
    columns = random.sample(_COLUMNS, random.randint(1, 3))
    filters = random.sample(_FILTERS, random.randint(0, 2))
    where = f" WHERE {' AND '.join(filters)}" if filters else ""
    if random.random() < 0.7:
        more = ["score AS s", "score + n AS t", "CAST(score AS STRING) AS u"]
        return f"SELECT {', '.join([*columns, random.choice(more)])} FROM fact{where}"
    return f"SELECT {', '.join(columns)}, {random.choice(_AGGREGATES)} FROM fact{where} GROUP BY {', '.join(columns)}"
