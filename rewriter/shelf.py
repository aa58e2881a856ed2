"""The features of all views as bit sets, to find all views with required features at once.

The data structure is Goldstein and Larson's filter tree, inverted: for each column name it has the set of views that
mention the name, as an integer with one bit for each view (a bit set). So each test takes a few operations on whole
sets, however many views there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import count
from operator import or_
from struct import unpack
from typing import NamedTuple, TypeVar

from rewriter.functions.registry import FAMILIES
from rewriter.model import TableName
from rewriter.select_requirements import Values

Names = frozenset[str]
_Key = TypeVar("_Key")


class Folded(NamedTuple):
    """An aggregate of a view.

    `names` has, for each column in the aggregate's arguments, all names that the view equates with this column.
    `function` is the aggregate's name; empty if Viewgate does not know which other aggregates can be derived from this
    aggregate.
    """

    function: str
    names: frozenset[Names]


class Limit(NamedTuple):
    """The values that a predicate of a view allows a column to have.

    `names` are the column's name and all names equated with it.
    """

    names: Names
    values: Values


@dataclass(frozen=True, slots=True)
class Features:
    """The features of a view's query.

    - `tables`: the tables that the query reads; `understood`: false if only these tables are known
    - `grouped`: true if the query has groups; `keys`: the number of grouping keys
    - `inner`: true if all joins are inner
    - `shown`: the column names outside aggregates, which may be columns of the storage table
    - `loose`: the column names in predicates that are not comparisons with constants, and in conditions within
      aggregates
    - `folded`: the aggregates
    - `limits`: the comparisons of columns with constants, one by one
    - `kept`: the comparisons, combined into one Limit for each column and kind of constants
    - `classes`: the sets of column names that the query equates; if one name of a set is in `shown`, all names of the
      set are, and likewise in `loose`
    - `columns`: the column names that certainly belong to a table, with this table
    """

    tables: tuple[TableName, ...]
    understood: bool = False
    grouped: bool = False
    keys: int = 0
    inner: bool = True
    shown: Names = frozenset()
    loose: Names = frozenset()
    folded: frozenset[Folded] = frozenset()
    limits: frozenset[Limit] = frozenset()
    kept: frozenset[Limit] = frozenset()
    classes: frozenset[Names] = frozenset()
    columns: frozenset[tuple[TableName, str]] = frozenset()


@dataclass
class Shelf:
    """The features of all views, inverted: for each feature the set of views that have it.

    - `understood`: the views whose features are known
    - `grouped`: the views with groups
    - `outer`: the views with a join other than an inner join
    - `alone`: the views that read only one table
    - `reads`: for a table and a number n, the views that read the table at least n times
    - `bags`: for a multiset of tables, the views that read exactly these tables
    - `keys`: for a number of grouping keys, the views with this number
    - `shown`, `loose`, `folded`, `kept`: for a column name, the views that have the name in the attribute `shown`,
      `loose`, `folded` or `kept` of their Features
    - `limits`: for a set of equated column names, the views that compare this column with constants
    - `joined`: for a set of equated column names, the views that equate these names

    A set of views is a bit set: bit i stands for the view `views[i]`.
    """

    views: Sequence[TableName] = ()
    understood: int = 0
    grouped: int = 0
    outer: int = 0
    alone: int = 0
    reads: dict[tuple[TableName, int], int] = field(default_factory=dict)
    bags: dict[frozenset[tuple[TableName, int]], int] = field(default_factory=dict)
    keys: dict[int, int] = field(default_factory=dict)
    shown: dict[str, int] = field(default_factory=dict)
    loose: dict[str, int] = field(default_factory=dict)
    folded: dict[str, dict[Folded, int]] = field(default_factory=dict)
    limits: dict[Names, dict[Values, int]] = field(default_factory=dict)
    kept: dict[str, dict[Values, int]] = field(default_factory=dict)
    joined: dict[Names, int] = field(default_factory=dict)

    @classmethod
    def of(cls, views: Mapping[TableName, Features]) -> Shelf:
        """Return the shelf with the features of these views."""
        names = sorted(views)
        shelf = cls(names)
        for i, name in enumerate(names):
            shelf._place(1 << i, views[name])
        return shelf

    def _place(self, bit: int, features: Features) -> None:
        bag = Counter(features.tables)
        _add(self.reads, ((table, n + 1) for table, count in bag.items() for n in range(count)), bit)
        _add(self.keys, (features.keys,), bit)
        if not features.understood:
            return
        self.understood |= bit
        self.grouped |= bit if features.grouped else 0
        self.outer |= bit if not features.inner else 0
        self.alone |= bit if len(features.tables) == 1 else 0
        _add(self.bags, (frozenset(bag.items()),), bit)
        _add(self.shown, features.shown, bit)
        _add(self.loose, features.loose, bit)
        _add(self.joined, features.classes, bit)
        for folded in features.folded:
            for name in frozenset[str]().union(*folded.names):
                _add(self.folded.setdefault(name, {}), (folded,), bit)
        for names, values in features.limits:
            _add(self.limits.setdefault(names, {}), (values,), bit)
        for limit in features.kept:
            for name in limit.names:
                _add(self.kept.setdefault(name, {}), (limit.values,), bit)

    def reading(self, tables: Iterable[TableName]) -> int:
        """Return the views that read any of these tables, as a bit set."""
        return reduce(or_, (self.reads.get((table, 1), 0) for table in tables), 0)

    def keyed_by_more(self, number: int) -> int:
        """Return the views with more than `number` grouping keys, as a bit set."""
        return reduce(or_, (bits for keys, bits in self.keys.items() if keys > number), 0)

    def show(self, names: Iterable[str]) -> int:
        """Return the views that expose a column with one of these names, as a bit set.

        A view exposes a column if the column's name, or a name equated with it, occurs outside aggregates in the view's
        query.
        """
        found = 0
        for name in names:
            found |= self.shown.get(name, 0)
        return found

    def keep(self, names: Names, values: Values | None) -> int:
        """Return the views whose predicates may imply that a column has only values in `values`, as a bit set.

        `names` are the column's name and all names equated with it. If `values` is None (unknown), each view with a
        predicate over the column is included.
        """
        found = 0
        for name in names:
            found |= self.loose.get(name, 0)
            for kept, bits in self.kept.get(name, {}).items():
                if values is None or kept.kind != values.kind or kept.set.within(values.set):
                    found |= bits
        return found

    def fold(self, names: Names, function: str, within: Names) -> int:
        """Return the views with an aggregate from which the required aggregate may be derived, as a bit set.

        The view's aggregate must be over a column with one of `names`. `function` is the name of the required
        aggregate; if the name is empty, every aggregate over such a column is included. `within` are all column names
        in the required aggregate's arguments.
        """
        # An aggregate without a family may be derived from any that has the columns.
        found, made_of = 0, FAMILIES.get(function)
        for name in names:
            for folded, bits in self.folded.get(name, {}).items():
                if made_of is None or (folded.function in made_of and not any(map(within.isdisjoint, folded.names))):
                    found |= bits
        return found

    def join(self, names: Names) -> int:
        """Return, as a bit set, the views whose predicates equate all columns with these names, as `a = b` equates a
        and b.
        """
        return reduce(or_, (bits for members, bits in self.joined.items() if names <= members), 0)

    def pick(self, bits: int) -> list[int]:
        """Return the indexes of the bits that are set, in ascending order; the indexes are positions in `views`."""
        picked: list[int] = []
        if not bits:
            return picked
        # In words of 64 bits, because clearing a bit of the whole set would copy the set.
        words = (bits.bit_length() + 63) // 64
        for start, word in zip(count(0, 64), unpack(f"<{words}Q", bits.to_bytes(8 * words, "little")), strict=False):
            while word:
                lowest = word & -word
                picked.append(start + lowest.bit_length() - 1)
                word ^= lowest
        return picked


def _add(sets: dict[_Key, int], keys: Iterable[_Key], bit: int) -> None:
    for key in keys:
        sets[key] = sets.get(key, 0) | bit
