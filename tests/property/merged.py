"""Random set operations, nested and with and without ALL, over branches that groups of views may answer."""

from __future__ import annotations

from random import Random

_COLUMNS = ("region", "sex", "n", "dim_id", "d", "score")
_OPERATORS = (
    *["UNION"] * 3,
    *["INTERSECT", "EXCEPT", "MINUS", "UNION DISTINCT"],
    *["UNION ALL", "INTERSECT ALL", "EXCEPT /* few */ ALL"],
)
_FILTERS = ("", "", "", " WHERE n > 2", " WHERE region = 'eu'", " WHERE sex IS NULL", " WHERE dim_id = 1")


def view(random: Random) -> str:
    """Return a view of groups."""
    keys = ", ".join(random.sample(_COLUMNS, random.randint(2, 5)))
    return f"SELECT {keys}, count(*) AS c FROM fact GROUP BY {keys}"


def query(random: Random) -> str:
    """Return a set operation of two to four branches, or the number of its rows."""
    columns = ", ".join(random.sample(_COLUMNS, random.randint(1, 2)))
    branches = [_branch(random, columns) for _ in range(random.randint(2, 4))]
    while len(branches) > 1:
        place = random.randrange(len(branches) - 1)
        joined = f" {random.choice(_OPERATORS)} ".join(branches[place : place + 2])
        branches[place : place + 2] = [f"({joined})" if len(branches) > 2 and random.random() < 0.3 else joined]
    return f"SELECT count(*) FROM ({branches[0]}) AS u" if random.random() < 0.3 else branches[0]


def _branch(random: Random, columns: str) -> str:
    text = f"SELECT {columns} FROM fact{random.choice(_FILTERS)}"
    kind = random.random()
    return f"SELECT * FROM ({text})" if kind < 0.1 else f"({text})" if kind < 0.3 else text
