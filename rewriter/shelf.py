"""Views over the same tables, side by side: bit sets that tell at once which of them have what a query needs.

Goldstein and Larson's filter tree, its inner levels turned round: for each name the set of views that
mention it, a bit for each view, so that a level costs one AND however many views there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import NamedTuple

from rewriter.block import equate
from rewriter.model import TableName
from rewriter.needs import Values

Tables = Mapping[TableName, int]

# Which aggregates of a view an aggregate of a query can be made of; all others of any that has the columns.
_MADE_OF: Mapping[str, frozenset[str]] = {
    "sum": frozenset({"sum", "avg"}),
    "avg": frozenset({"sum", "avg"}),
    "min": frozenset({"min"}),
    "max": frozenset({"max"}),
}


class Folded(NamedTuple):
    """An aggregate of a view and the names that it is of."""

    function: str
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Features:
    """What a view's query mentions. `understood` is False for a query of which only the tables are known.

    `inner` tells that all its joins are. `rows` are all names outside aggregates, `shown` those that may be columns
    of the storage.
    """

    tables: tuple[TableName, ...]
    understood: bool = False
    grouped: bool = False
    inner: bool = True
    rows: frozenset[str] = frozenset()
    shown: frozenset[str] = frozenset()
    folded: frozenset[Folded] = frozenset()
    limits: frozenset[tuple[str, Values]] = frozenset()
    equated: frozenset[tuple[str, str]] = frozenset()
    columns: frozenset[tuple[TableName, str]] = frozenset()


class Need(NamedTuple):
    """Names of which a view must mention one; for an aggregate's column, its function and all names within it.

    `owners` are the tables that each name can belong to; none for a name that no view mentions. A need
    `among` tables that are joined is one of each table that has any of the names.
    """

    names: frozenset[str]
    owners: tuple[frozenset[TableName], ...]
    function: str | None = None
    within: frozenset[str] = frozenset()
    among: bool = False

    def concerns(self, mine: frozenset[TableName], everything: bool) -> bool:
        """Whether a view over these tables must serve it, and not another table beside the view."""
        if self.among:
            return any(owner and owner <= mine for owner in self.owners)
        return everything or all(owner and owner <= mine for owner in self.owners)


@dataclass
class Shelf:
    """The views over one bag of tables."""

    tables: Tables
    views: Sequence[TableName]
    everyone: int = 0
    understood: int = 0
    grouped: int = 0
    outer: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    shown: dict[str, int] = field(default_factory=dict)
    folded: dict[str, dict[Folded, int]] = field(default_factory=dict)
    limits: dict[tuple[str, Values], int] = field(default_factory=dict)
    classes: dict[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, tables: Iterable[TableName], views: Iterable[tuple[TableName, Features]]) -> Shelf:
        """The shelf of these views."""
        placed = sorted(views, key=lambda view: view[0])
        shelf = cls(Counter(tables), tuple(name for name, _ in placed), (1 << len(placed)) - 1)
        for i, (_, features) in enumerate(placed):
            shelf._place(1 << i, features)
        return shelf

    def _place(self, bit: int, features: Features) -> None:
        if not features.understood:
            return
        self.understood |= bit
        if features.grouped:
            self.grouped |= bit
        if not features.inner:
            self.outer |= bit
        for name in features.rows:
            self.rows[name] = self.rows.get(name, 0) | bit
        for name in features.shown:
            self.shown[name] = self.shown.get(name, 0) | bit
        for folded in features.folded:
            for name in folded.names:
                held = self.folded.setdefault(name, {})
                held[folded] = held.get(folded, 0) | bit
        equate(self.classes, features.equated)
        for limit in features.limits:
            self.limits[limit] = self.limits.get(limit, 0) | bit

    def same(self, names: frozenset[str]) -> frozenset[str]:
        """The names, and those that any of the views equates with them."""
        return names.union(*(self.classes[name] for name in names if name in self.classes))

    def have(self, need: Need, spare: bool) -> int:
        """The views that mention what is needed; where they may join more tables, by any name that this makes equal."""
        found = 0
        within = self.same(need.within) if spare else need.within
        for name in self.same(need.names) if spare else need.names:
            found |= self.rows.get(name, 0)
            if need.function is not None:
                made_of = _MADE_OF.get(need.function)
                for folded, bits in self.folded.get(name, {}).items():
                    if made_of is None or (folded.function in made_of and folded.names <= within):
                        found |= bits
        return found

    def show(self, names: frozenset[str]) -> int:
        """The views that have a column of one of these names, or of a name that any of the views equates with them."""
        return reduce(or_, (self.shown.get(name, 0) for name in self.same(names)), 0)

    def pick(self, bits: int) -> list[TableName]:
        """The names behind a bit set, in order."""
        picked = []
        while bits:
            lowest = bits & -bits
            picked.append(self.views[lowest.bit_length() - 1])
            bits ^= lowest
        return picked
