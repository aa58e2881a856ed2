"""Random views over grouped derived tables or with HAVING, and queries over the same groups, fewer
groups, or nearly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from tests.property import terms

KEYS = ("region", "sex", "n", "dim_id", "d")
OF_KEYS = {
    "region": ("region = 'eu'", "region <> 'us'", "region IS NOT NULL", "region IN ('eu', 'ap')"),
    "sex": ("sex = 'm'", "sex IS NULL", "sex IS NOT NULL"),
    "n": ("n > 2", "n >= 3", "n BETWEEN 1 AND 6", "n <> 0"),
    "dim_id": ("dim_id < 4", "dim_id <= 2", "dim_id IS NOT NULL"),
    "d": ("d >= DATE '2024-01-01'", "d < DATE '2024-03-01'", "d IS NOT NULL"),
}
OF_GROUPS = (
    "count(*) > 1", "count(*) > 2", "count(*) >= 2", "sum(n) > 3", "sum(n) >= 10", "sum(n) < 20", "max(big) > 0",
    "min(n) <= 4", "sum(score) > 1", "sum(n) IS NOT NULL", "sum(n) > 3 OR count(*) > 4",
)  # fmt: skip


@dataclass(frozen=True)
class Groups:
    """One level of groups: keys `k0` …, aggregates `a0` …."""

    keys: tuple[str, ...]
    aggregates: tuple[str, ...]
    where: tuple[str, ...] = ()
    having: tuple[str, ...] = ()

    @classmethod
    def of(cls, random: Random, keys: tuple[str, ...] | None = None) -> Groups:
        keys = tuple(random.sample(KEYS, random.randint(1, 3))) if keys is None else keys
        where = tuple(terms.predicate(random, False) for _ in range(random.choice((0, 0, 0, 1))))
        aggregates = ["sum(n)", "count(*)", *(terms.aggregate(random, False) for _ in range(random.randint(0, 2)))]
        return cls(keys, tuple(dict.fromkeys(aggregates)), where)

    def sql(self) -> str:
        names = [f"k{i}" for i in range(len(self.keys))] + [f"a{i}" for i in range(len(self.aggregates))]
        outputs = (f"{o} AS {name}" for o, name in zip((*self.keys, *self.aggregates), names, strict=True))
        text = f"SELECT {', '.join(outputs)} FROM fact{_and(' WHERE ', self.where)} GROUP BY {', '.join(self.keys)}"
        return text + _and(" HAVING ", self.having)

    def near(self, random: Random) -> Groups:
        """Return the same groups, fewer groups or, rarely, other groups."""
        found = self
        if random.random() < 0.4:
            found = replace(found, where=(*found.where, random.choice(OF_KEYS[random.choice(self.keys)])))
        if random.random() < 0.3:
            found = replace(found, having=(*found.having, random.choice(OF_GROUPS)))
        if random.random() < 0.1:
            found = replace(found, where=(*found.where, "big > 0"))
        if random.random() < 0.1:
            found = replace(found, keys=self.keys[:-1] or ("sex",))
        return found


@dataclass(frozen=True)
class JoinedGroups:
    """One or two grouped derived tables side by side, and the query over them."""

    groups: tuple[Groups, ...]
    join: str
    where: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    by: tuple[str, ...] = ()

    @classmethod
    def of(cls, random: Random) -> JoinedGroups:
        first = Groups.of(random)
        kind = random.choice(("flat", "one", "over", "two", "two", "two over"))
        if kind == "flat":
            return cls((replace(first, having=(random.choice(OF_GROUPS),)),), "flat")
        if random.random() < 0.2:
            first = replace(first, having=(random.choice(OF_GROUPS),))
        two = kind.startswith("two")
        groups = (first, Groups.of(random, first.keys)) if two else (first,)
        where = tuple(random.sample(_filters(two), random.choice((0, 0, 1))))
        join = random.choice(("JOIN", "JOIN", "LEFT JOIN", "FULL JOIN"))
        if kind.endswith("over"):
            by = ("x.k0",) if random.random() < 0.8 else ("x.a1",)
            outputs = (*by, "sum(x.a0)", "count(*)", "max(x.a1)", *(["sum(y.a0)"] if two else []))
            return cls(groups, join, where, outputs, by)
        return cls(groups, join, where, ("x.k0", "x.a0", "x.a1", *(["y.k0", "y.a0"] if two else [])))

    def sql(self) -> str:
        if self.join == "flat":
            return self.groups[0].sql()
        first, *others = self.groups
        on = " AND ".join(f"x.k{i} = y.k{i}" for i in range(len(first.keys)))
        source = f"({first.sql()}) AS x" + "".join(f" {self.join} ({other.sql()}) AS y ON {on}" for other in others)
        outputs = ", ".join(f"{output} AS c{i}" for i, output in enumerate(self.outputs))
        group = f" GROUP BY {', '.join(self.by)}" if self.by else ""
        return f"SELECT {outputs} FROM {source}{_and(' WHERE ', self.where)}{group}"

    def query(self, random: Random) -> str:
        """Return a query that differs a little."""
        groups = tuple(each.near(random) for each in self.groups)
        if self.join == "flat":
            return self._over_flat(random, groups[0])
        two = len(groups) > 1
        where = (*self.where, *random.sample(_filters(two), random.choice((0, 0, 1))))
        found = replace(self, groups=groups, where=where)
        if random.random() < 0.2:
            found = replace(found, join="JOIN")
        if random.random() < 0.4:
            found = replace(found, outputs=tuple(random.sample(found.outputs, len(found.outputs) - 1)))
        if not self.by and random.random() < 0.4:
            found = replace(found, by=("x.k0",), outputs=("x.k0", "sum(x.a0)", "count(*)"))
        return found.sql()

    def _over_flat(self, random: Random, groups: Groups) -> str:
        kind = random.random()
        if kind < 0.5:
            return groups.sql()
        filtered = _and(" WHERE ", tuple(random.sample(_filters(False), random.randint(0, 2))))
        if kind < 0.8:
            return f"SELECT x.k0, x.a0 FROM ({groups.sql()}) AS x{filtered}"
        return f"SELECT x.k0, count(*), sum(x.a0) FROM ({groups.sql()}) AS x{filtered} GROUP BY x.k0"


def _filters(two: bool) -> tuple[str, ...]:
    one = ("x.a0 > 3", "x.a0 >= 8", "x.a1 > 1", "x.a1 <> 2", "x.k0 IS NOT NULL")
    return (*one, "y.a0 > 5", "x.a0 > y.a0", "y.k0 IS NOT NULL") if two else one


def _and(clause: str, conditions: tuple[str, ...]) -> str:
    return clause + " AND ".join(f"({each})" for each in conditions) if conditions else ""
