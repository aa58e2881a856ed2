"""Random views with disjunctions as filters, and queries whose filters imply them, or nearly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from random import Random

from tests.property import terms
from tests.property.select import Select

Branches = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Filtered:
    """A view whose filter is a disjunction of branches; each branch is a conjunction of comparisons."""

    view: Select
    branches: Branches

    @classmethod
    def of(cls, random: Random, view: Select) -> Filtered:
        """Return the view with such a filter, and with the compared columns among its outputs."""
        branches = tuple(tuple(atom(random) for _ in range(random.randint(1, 2))) for _ in range(random.randint(1, 3)))
        shown = ("region", "n", "big", "score", "d", "ts", "price")
        if view.keys is None:
            view = replace(view, rows=tuple(dict.fromkeys((*view.rows, *shown))))
        else:
            view = replace(view, keys=tuple(dict.fromkeys((*view.keys, "region", "n"))))
        return cls(replace(view, where=(disjunction(branches),)), branches)

    def query(self, random: Random) -> Select:
        """Return a query with some of the branches, narrower or wider, or in conjunctive form."""
        some = random.sample(self.branches, random.randint(1, len(self.branches)))
        kind = random.random()
        if kind < 0.25:
            clauses = {"(" + " OR ".join(dict.fromkeys(choice)) + ")" for choice in product(*self.branches)}
            return replace(self.view, where=tuple(sorted(clauses)))
        if kind < 0.4:
            atoms = " AND ".join(f"NOT ({' AND '.join(branch)})" for branch in some)
            return replace(self.view, where=(f"NOT ({atoms})",))
        if kind < 0.55:
            some = [tuple(_moved(random, each) for each in branch) for branch in some]
        elif kind < 0.85:
            some = [(*branch, atom(random)) for branch in some]
        return replace(self.view, where=(disjunction(tuple(some)),))


def disjunction(branches: Branches) -> str:
    """Return the branches as one predicate.

    >>> disjunction((("a = 1", "b"), ("c",)))
    '((a = 1 AND b) OR (c))'
    """
    return "(" + " OR ".join(f"({' AND '.join(branch)})" for branch in branches) + ")"


def atom(random: Random) -> str:
    """Return a comparison in one of the many ways to compare strings, times and numbers of different types."""
    number, region = random.randint(-3, 9), random.choice(terms.REGIONS).replace("'", "''")
    month = random.choice(("2023-12-01", "2024-01-01", "2024-02-01", "2024-02-05"))
    comparison = random.choice(("=", "<", "<=", ">", ">=", "<>"))
    return random.choice(
        [
            f"n {comparison} {number}",
            f"n {comparison} {number}.5",
            f"n {comparison} {number}D",
            f"n NOT IN ({number}, {number + 2})",
            f"n + 0 {comparison} {number}",
            f"CAST(n AS BIGINT) {comparison} {number}",
            f"big {comparison} {random.choice(('1e5', '-2.5e5', '1000'))}",
            f"big <=> {number}",
            f"coalesce(big, {number}) {comparison} {random.choice((number, 0))}",
            f"coalesce(region, '{region}') {random.choice(('=', '<>'))} '{region}'",
            f"region LIKE '{region[:1]}%'",
            f"NOT (region LIKE '{region[:1]}%')",
            f"region LIKE '{region[:1]}%{region[-1:]}'",
            f"startswith(region, '{region[:1]}')",
            f"region {comparison} '{region}'",
            f"region IN ('{region}', 'us')",
            f"region IS {random.choice(('', 'NOT '))}NULL",
            f"score {random.choice(('<', '<=', '='))} {random.choice(('0.1', '0.25', '5', '1e6'))}",
            f"price {comparison} {number}.5 + 0.25",
            f"d {comparison} DATE '{month}' + INTERVAL {random.randint(1, 3)} MONTH",
            f"d {comparison} date_sub(DATE '{month}', {random.randint(0, 9)})",
            f"year(d) {comparison} 2024",
            f"CAST(ts AS DATE) {comparison} DATE '{month}'",
            f"date_trunc('MONTH', ts) {comparison} TIMESTAMP '{month} 00:00:00'",
            f"ts {comparison} TIMESTAMP '{month} 00:00:00'",
            f"(n > {number}) IS {random.choice(('', 'NOT '))}TRUE",
            f"n < big + {number}",
        ]
    )


def _moved(random: Random, predicate: str) -> str:
    """Return the comparison with another number."""
    for digit in "0123456789":
        if predicate.endswith(f" {digit}"):
            return f"{predicate[:-1]}{random.randint(0, 9)}"
    return predicate
