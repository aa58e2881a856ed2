"""Random queries for rows without a match, in three spellings, and views of outer, semi and anti joins; nearly all by
the same ON.
"""

from __future__ import annotations

from random import Random

ON = (*["dim_id = id"] * 9, "dim_id = id AND weight > 1", "dim_id = id AND n > 2", "n < id")
_JOINS = ("LEFT JOIN", "LEFT JOIN", "LEFT JOIN", "FULL JOIN", "LEFT ANTI JOIN", "LEFT SEMI JOIN")
OF_ROWS = ("region", "sex", "n", "big", "dim_id", "d")
_MARKS = ("id", "name", "weight")
KEYS = ("region", "sex", "dim_id")
AGGREGATES = ("count(*)", "sum(n)", "max(big)", "count(big)", "min(price)")
_FILTERS = ("n > 2", "region = 'eu'", "sex IS NULL", "dim_id IS NOT NULL", "name IS NULL", "weight > 1", "id IS NULL")


def view(random: Random) -> str:
    """Return a view of rows or groups."""
    join = random.choice(_JOINS)
    marks = [] if join.endswith(("ANTI JOIN", "SEMI JOIN")) else random.sample(_MARKS, random.randint(1, 3))
    source = f"FROM fact {join} dim ON {random.choice(ON)}"
    if random.random() < 0.2:
        source += f" WHERE {random.choice(_FILTERS if marks else _FILTERS[:4])}"
    if random.random() < 0.5:
        return f"SELECT {', '.join((*OF_ROWS, 'price', *marks))} {source}"
    keys = [*random.sample(KEYS, random.randint(1, 3)), *marks]
    named = (f"{each} AS a{i}" for i, each in enumerate(AGGREGATES))
    return f"SELECT {', '.join((*keys, *named))} {source} GROUP BY {', '.join(keys)}"


def query(random: Random) -> str:
    """Return a query for the rows, or groups of the rows, without a match or, rarely, for others."""
    on, more = random.choice(ON), random.choice(("", "", *_FILTERS[:4]))
    where = [more] if more else []
    kind = random.random()
    if kind < 0.3:
        source = "fact"
        where.append(f"NOT EXISTS (SELECT 1 FROM dim WHERE {on})")
    elif kind < 0.5:
        source = f"fact LEFT ANTI JOIN dim ON {on}"
    else:
        source = random.choice((f"fact LEFT JOIN dim ON {on}", f"dim RIGHT JOIN fact ON {on}"))
        where.append(f"{random.choice(('id', 'id', 'id', *_MARKS))} IS NULL")
    filtered = f"{source} WHERE {' AND '.join(where)}" if where else source
    if random.random() < 0.4:
        return f"SELECT {', '.join(random.sample(OF_ROWS, 3))} FROM {filtered}"
    keys = random.sample(KEYS, random.randint(0, 2))
    outputs = ", ".join((*keys, *random.sample(AGGREGATES, 2)))
    return f"SELECT {outputs} FROM {filtered}" + (f" GROUP BY {', '.join(keys)}" if keys else "")
