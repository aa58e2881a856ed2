"""Random top-N queries by row_number(), whose outputs are the same whichever of several equal rows are chosen."""

from __future__ import annotations

from random import Random

from tests.property.joined_groups import KEYS, OF_KEYS

_FIGURES = ("sum(n)", "count(*)", "min(n)", "max(big)", "sum(price)")
_TAKEN = ("rn <= 2", "rn = 1", "rn < 4", "rn BETWEEN 2 AND 3", "rn > 1")


def query(random: Random) -> str:
    """Return a random query."""
    keys = random.sample(KEYS, random.randint(1, 3))
    part = keys[: random.randint(0, len(keys))]
    figure = random.choice(_FIGURES)
    where = f" WHERE {random.choice(OF_KEYS[random.choice(keys)])}" if random.random() < 0.5 else ""
    by = f"PARTITION BY {', '.join(part)} " if part else ""
    order = f"{figure} {random.choice(('ASC', 'DESC'))}"
    inner = (
        f"SELECT {', '.join(keys)}, {figure} AS figure, row_number() OVER ({by}ORDER BY {order}) AS rn "
        f"FROM fact{where} GROUP BY {', '.join(keys)}"
    )
    shown, taken = ", ".join((*part, "figure", "rn")), random.choice(_TAKEN)
    if random.random() < 0.5:
        return f"WITH x AS ({inner}) SELECT {shown} FROM x WHERE {taken}"
    return f"SELECT {shown} FROM ({inner}) AS x WHERE {taken}"
