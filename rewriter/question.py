"""The requirements of one block of a statement, and the views that may meet them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import NamedTuple

from rewriter.model import Declared, TableName
from rewriter.needs import Values
from rewriter.shelf import Names, Shelf


@dataclass(frozen=True, slots=True)
class Need:
    """Names of which a view must expose one; `owners` are the tables that each can belong to, None if unknown."""

    names: Names
    owners: tuple[frozenset[TableName], ...]

    @property
    def tables(self) -> frozenset[TableName] | None:
        """All tables that can have any of the names; None if unknown."""
        if len(self.owners) == 1:
            return self.owners[0] or None
        return frozenset[TableName]().union(*self.owners) if all(self.owners) else None

    def met(self, shelf: Shelf) -> int:
        """Return the views that have one of the names themselves."""
        return shelf.show(self.names)


@dataclass(frozen=True, slots=True)
class Filtered(Need):
    """A filter on one of these names, which keeps rows with certain values if no other condition uses the name."""

    values: Values | None = None

    def met(self, shelf: Shelf) -> int:
        """Return the views that expose a name, or hold no other rows."""
        return shelf.show(self.names) | shelf.keep(self.names, self.values)


@dataclass(frozen=True, slots=True)
class Aggregated(Need):
    """An aggregate over a column: a view may expose the aggregate instead; `within` are all names in its arguments."""

    function: str = ""
    within: Names = frozenset()

    def met(self, shelf: Shelf) -> int:
        """Return the views that expose a name, or an aggregate from which this one can be derived."""
        return shelf.show(self.names) | shelf.fold(self.names, self.function, self.within)


class Possible(NamedTuple):
    """Two sets of views as bits: the views that could answer, and among them the views that may hold only some of the
    rows.

    `beside` has, by table, the views to which just this table must be joined back.
    """

    views: int
    partial: int
    beside: Mapping[TableName, int]


@dataclass(frozen=True)
class Question:
    """A block's needs, and the predicates by which it may imply a view's filter.

    `tables` are all that it may read, in any block under it, `core` those of its FROM: a view over none of them
    answers a block under it, if any. `whole` is False where its FROM may read more, or
    where its columns may belong to a block around it. `joins` are the names that it equates; one where the other is
    of a block around. `restriction` gives for all names of a column whether the block may restrict it to given values,
    `mentions` whether a name stands anywhere in the block.
    """

    tables: Mapping[TableName, int]
    core: Mapping[TableName, int]
    whole: bool
    grouped: bool
    needs: tuple[Need, ...]
    joins: tuple[tuple[Need, ...], ...]
    classes: Mapping[str, frozenset[str]]
    restriction: Callable[[frozenset[str]], Callable[[Values], bool]]
    mentions: Callable[[str], bool]

    def possible(self, shelf: Shelf, declared: Declared | None = None) -> Possible:
        """Return the views that could answer the question."""
        beside: dict[TableName, int] = {}
        bits = shelf.understood & shelf.reading(self.core)
        if not self.grouped:
            bits &= ~shelf.grouped
        # What only inner joins bring stands for tables of FROM; a SEMI join's table may be a subquery's.
        inner = self._serving(shelf, bits & ~shelf.outer, self.core, declared, beside)
        outer = self._serving(shelf, bits & shelf.outer, self.tables, declared, beside)
        bits, partial = self._within_limits(shelf, inner | outer)
        bits &= ~self._losing(shelf, bits, declared)
        return Possible(bits, bits & partial, beside)

    def _losing(self, shelf: Shelf, bits: int, declared: Declared | None) -> int:
        """Return the views that join further tables without a known key that keeps all rows."""
        lost = 0
        for bag, members in shelf.bags.items() if declared is not None else ():
            if not bits & members:
                continue
            beside = [table for table, count in bag if count > self.core.get(table, 0)]
            if declared is not None and beside:
                spare = {table for table, count in bag if count > self.tables.get(table, 0)}
                # Of what a subquery asks about by the whole key, an inner join finds the same rows.
                rest = [table for table in beside if table in spare or not self._keyed(table, declared)]
                if not declared.may_join(rest, (table for table, _ in bag)):
                    lost |= members & ~shelf.outer
                if not spare <= declared.primary.keys():
                    lost |= members & shelf.outer
        return lost

    def _keyed(self, table: TableName, declared: Declared) -> bool:
        """Return whether a table has a key whose columns all occur in the block."""
        key = declared.primary.get(table, ())
        return bool(key) and all(self.mentions(column.lower()) for column in key)

    def _serving(
        self,
        shelf: Shelf,
        bits: int,
        tables: Mapping[TableName, int],
        declared: Declared | None,
        beside: dict[TableName, int],
    ) -> int:
        """Return the views that mention the required names of the tables that they read."""

        def all_of(some: Iterable[TableName]) -> int:
            return reduce(and_, [shelf.reads.get((table, tables.get(table, 1)), 0) for table in some])

        everything = all_of(tables) if self.whole and tables else 0
        found: dict[frozenset[TableName] | None, dict[TableName, int]] = {}

        def backs_of(tables: frozenset[TableName] | None) -> dict[TableName, int]:
            if tables not in found:
                found[tables] = self._joined_back(tables, shelf, declared)
            return found[tables]

        def lacking(need: Need) -> int:
            without = bits & ~need.met(shelf)
            if not without:
                return 0
            tables = need.tables
            # The views that must serve it, and no table beside them.
            without &= everything if tables is None else everything | all_of(tables)
            backs = backs_of(tables) if without else {}
            for table, joining in backs.items() if len(backs) == 1 else ():
                beside[table] = beside.get(table, 0) | without & joining
            return without & ~reduce(or_, backs.values(), 0)

        for need in self.needs:
            if not bits:
                return 0
            bits &= ~lacking(need)
        for pair in self.joins:
            without = reduce(or_, map(lacking, pair), 0)
            bits &= ~(without & ~_joining(pair, shelf)) if without else bits
        return bits

    def _joined_back(
        self, tables: frozenset[TableName] | None, shelf: Shelf, declared: Declared | None
    ) -> dict[TableName, int]:
        """Map each table that may have a required column to the views that it can be joined to by its key."""
        found = {}
        for table in self.tables.keys() & (self.tables.keys() if tables is None else tables):
            key = declared.primary.get(table) if declared is not None else ()
            if key is not None:
                # A single table itself has less to read.
                several = shelf.understood & ~shelf.alone & shelf.reading((table,))
                found[table] = reduce(and_, (self._shown(column, shelf) for column in key), several)
        return found

    def _shown(self, column: str, shelf: Shelf) -> int:
        name = column.lower()
        return shelf.show(self.classes.get(name, (name,)))

    def _within_limits(self, shelf: Shelf, bits: int) -> tuple[int, int]:
        """Return the views whose filters can keep a row of the question, and those that may keep only some."""
        partial = 0
        for names, limits in shelf.limits.items():
            restricted: Callable[[Values], bool] | None = None
            for values, filtered in limits.items():
                if not bits & filtered:
                    continue
                if restricted is None:
                    same = names.union(*(self.classes[name] for name in names if name in self.classes))
                    restricted = self.restriction(same)
                if not restricted(values):
                    # The tables have the other rows, where a range divides groups.
                    kept = filtered & shelf.grouped if self.grouped and values.divides else 0
                    bits &= ~filtered | kept
                    partial |= kept
        return bits, partial


def _joining(pair: tuple[Need, ...], shelf: Shelf) -> int:
    """Return the views that equate both sides of a pair of columns from tables that they read."""
    found = shelf.join(frozenset[str]().union(*(side.names for side in pair))) if len(pair) == 2 else 0
    for side in pair:
        if found and side.tables is not None:
            found &= shelf.reading(side.tables)
    return found
