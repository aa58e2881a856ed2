"""The representation of random views and queries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Select:
    """A SELECT as lists of texts, so that it can be changed piece by piece."""

    joined: bool
    where: tuple[str, ...]
    keys: tuple[str, ...] | None
    aggregates: tuple[str, ...]
    rows: tuple[str, ...] = ()
    having: str = ""
    order: bool = False
    limit: bool = False
    distinct: bool = False
    sets: str = "{0}"
    windows: tuple[str, ...] = ()
    join: str = "JOIN"
    derived: str = ""

    def outputs(self) -> list[str]:
        """The output expressions: keys and aggregates, or rows."""
        return [*(self.rows if self.keys is None else (*self.keys, *self.aggregates)), *self.windows]

    def sql(self, aliased: bool = False) -> str:
        """Return the SQL; the outputs of a view get names."""
        items = [f"{o} AS c{i}" if aliased else o for i, o in enumerate(self.outputs())]
        source = f"fact {self.join} dim ON fact.dim_id = dim.id" if self.joined else "fact"
        where, before = self.where, ""
        if self.derived:
            inner = f"SELECT * FROM {source}" + (f" WHERE {where[0]}" if where else "")
            source, where = f"({inner}) AS x", where[1:]
            if self.derived == "WITH":
                before, source = f"WITH x AS ({inner}) ", "x"
        text = f"{before}SELECT {'DISTINCT ' if self.distinct else ''}{', '.join(items)} FROM {source}"
        if where:
            text += " WHERE " + " AND ".join(where)
        if self.keys:
            text += " GROUP BY " + self.sets.format(", ".join(self.keys), self.keys[0])
        if self.having:
            text += f" HAVING {self.having}"
        if self.order:
            text += " ORDER BY " + ", ".join(str(i + 1) for i in range(len(items)))
        if self.limit:
            text += " LIMIT 5"
        return text
