"""Views over views for some of the random cases: plain views under the query, and a materialized view over another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

COLUMNS = ("region", "sex", "n", "big", "price", "score", "d", "ts", "ntz", "dim_id")
# How groups of a view's groups are made of what its aggregates begin with.
_AGAIN = {"count": "sum", "sum": "sum", "min": "min", "max": "max"}


@dataclass(frozen=True)
class Layers:
    """The plain views, which of the materialized views read them, and a view over `mv0`."""

    plain: tuple[tuple[str, str], ...] = ()
    through: frozenset[int] = frozenset()
    upper: str = ""

    def views(self, views: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        """Return the materialized views with these layers."""
        lower = tuple((n, through(sql) if i in self.through else sql) for i, (n, sql) in enumerate(views))
        return (*lower, ("upper", self.upper)) if self.upper else lower

    def query(self, random: Random, query: str) -> str:
        """Return a query of the table as a query of the view over it, or a query near that of the upper view."""
        if self.upper and random.random() < 0.4:
            text = re.sub(r" AS \w+", "", self.upper)
            key = re.search(r"SELECT (c\d+), ", text)
            where = f" WHERE {key[1]} IS NOT NULL" if key and random.random() < 0.5 else ""
            return text.replace(" FROM mv0", f" FROM mv0{where}")
        return through(query) if self.plain and random.random() < 0.7 else query


def through(sql: str) -> str:
    """Return a query of the table as a query of the view over it.

    >>> through("SELECT fact.n FROM fact")
    'SELECT facts.n FROM facts'
    """
    return re.sub(r"\bfact\b", "facts", sql)


def layers(random: Random, keys: int, aggregates: tuple[str, ...], predicates: tuple[str, str]) -> Layers:
    """Return layers for a first view with these keys and aggregates, or none; most cases need none."""
    kind = random.random()
    if kind > 0.3:
        return Layers()
    plain: tuple[tuple[str, str], ...] = ()
    if kind < 0.2:
        lower, upper = (f" WHERE {p}" if random.random() < 0.4 else "" for p in predicates)
        columns = ", ".join(random.sample(COLUMNS, len(COLUMNS)))
        plain = ("facts0", f"SELECT * FROM fact{lower}"), ("facts", f"SELECT {columns} FROM facts0{upper}")
    over = frozenset(i for i in range(3) if plain and random.random() < 0.5)
    return Layers(plain, over, _upper(random, keys, aggregates) if kind > 0.1 else "")


def _upper(random: Random, keys: int, aggregates: tuple[str, ...]) -> str:
    """Return a view over the first one: some of its keys, and its aggregates aggregated again."""
    kept = sorted(random.sample(range(keys), random.randint(0, min(2, keys))))
    again = [
        f"{_AGAIN.get(aggregate.partition('(')[0], 'count')}(c{keys + i})" for i, aggregate in enumerate(aggregates)
    ]
    items = [*(f"c{i}" for i in kept), *again, "count(*)"]
    text = f"SELECT {', '.join(f'{item} AS a{i}' for i, item in enumerate(items))} FROM mv0"
    return f"{text} GROUP BY {', '.join(f'c{i}' for i in kept)}" if kept else text
