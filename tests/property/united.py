"""Random views that are set operations, and queries that are the same operations over fewer rows and columns, or
nearly.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.property import terms

OPERATORS = ("UNION ALL", "UNION ALL", "UNION", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL")
COLUMNS = ("region", "sex", "n", "big", "price", "d", "ts", "dim_id", "n * 2", "big + n", "score")


@dataclass(frozen=True)
class United:
    """Several SELECTs over one table under one set operator; `groups` are the aggregates of each, if they group."""

    operator: str
    columns: tuple[str, ...]
    filters: tuple[tuple[str, ...], ...]
    groups: tuple[str, ...] = ()

    @classmethod
    def of(cls, random: Random) -> United:
        """Return a random view."""
        columns = tuple(random.sample(COLUMNS[:8] if random.random() < 0.3 else COLUMNS, random.randint(1, 4)))
        filters = tuple(_filters(random, 2) for _ in range(random.choice((2, 2, 2, 3))))
        groups = tuple(random.sample(("sum(n)", "count(*)", "max(big)"), 2)) if random.random() < 0.2 else ()
        return cls(random.choice(OPERATORS), columns, filters, groups)

    def sql(self) -> str:
        """Return the query of the view, with a name for each output."""
        names = [f"c{i}" for i in range(len(self.columns) + len(self.groups))]
        outputs = ", ".join(f"{column} AS {name}" for column, name in zip(self._outputs, names, strict=True))
        return self._sql(outputs, self.filters)

    def query(self, random: Random) -> str:
        """Return a random query that differs a little from the view's."""
        more = [term for term in _filters(random, 2) if not self.groups]
        if self.groups and random.random() < 0.5:
            more = [f"{self.columns[0]} IS NOT NULL"]
        filters = [(*own, *more) for own in self.filters]
        if random.random() < 0.6:
            random.shuffle(filters)
        if random.random() < 0.1:
            filters[0] = (*filters[0], "n > 0")
        outputs = list(self._outputs)
        if random.random() < 0.5:
            random.shuffle(outputs)
        if random.random() < 0.3:
            del outputs[1:]
        if random.random() < 0.2:
            outputs.append("n + 1" if not self.groups else "sum(n) + 1")
        text = self._sql(", ".join(outputs), filters)
        return f"SELECT * FROM ({text}) AS u" if random.random() < 0.2 else text

    @property
    def _outputs(self) -> tuple[str, ...]:
        return (*self.columns, *self.groups)

    def _sql(self, outputs: str, filters: tuple[tuple[str, ...], ...] | list[tuple[str, ...]]) -> str:
        group = f" GROUP BY {', '.join(self.columns)}" if self.groups else ""
        branches = (f"SELECT {outputs} FROM fact{_where(each)}{group}" for each in filters)
        return f" {self.operator} ".join(branches)


def _filters(random: Random, most: int) -> tuple[str, ...]:
    return tuple(terms.predicate(random, False) for _ in range(random.randint(0, most)))


def _where(terms_: tuple[str, ...]) -> str:
    return f" WHERE {' AND '.join(terms_)}" if terms_ else ""
