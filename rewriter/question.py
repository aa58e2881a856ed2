"""The requirements of one block of a statement (a Question), and the search for the views that may satisfy them.

A block is one SELECT. A set of views is a bit set, an integer: bit i stands for the i-th view of the Shelf
(rewriter.shelf). A view exposes a column if the column's name, or a name equated with it, occurs outside aggregates in
the view's query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import NamedTuple

from rewriter.model import Declared, TableName
from rewriter.select_requirements import Values
from rewriter.shelf import Names, Shelf


@dataclass(frozen=True, slots=True)
class Requirement:
    """The requirement that a view expose a column with one of `names`, that is, use the column outside aggregates.

    `owners` has one entry for each column name that can satisfy the requirement: the tables to which the name can
    belong, empty if these are unknown.
    """

    names: Names
    owners: tuple[frozenset[TableName], ...]

    @property
    def tables(self) -> frozenset[TableName] | None:
        """The tables that can have a column with one of `names`; None if the tables of a name are unknown."""
        if len(self.owners) == 1:
            return self.owners[0] or None
        return frozenset[TableName]().union(*self.owners) if all(self.owners) else None

    def met(self, shelf: Shelf) -> int:
        """Return, as a bit set, the views that use a column with one of `names` outside aggregates.

        `shelf` has the features of all views.
        """
        return shelf.show(self.names)


@dataclass(frozen=True, slots=True)
class Filtered(Requirement):
    """The requirement of a filter on a column with one of `names`.

    `values` are the values that the filter keeps, None if unknown. A view whose stored rows all have values in `values`
    satisfies the requirement without the column.
    """

    values: Values | None = None

    def met(self, shelf: Shelf) -> int:
        """Return the views that satisfy the requirement, as a bit set.

        These views use a column with one of `names` outside aggregates, or their predicates may imply the filter.
        `shelf` has the features of all views.
        """
        return shelf.show(self.names) | shelf.keep(self.names, self.values)


@dataclass(frozen=True, slots=True)
class Aggregated(Requirement):
    """The requirement of an aggregate over a column; a view may store the aggregate instead of the column.

    `function` is the aggregate's name; if it is empty, any aggregate over the column may yield the required aggregate.
    `within` are all column names in the arguments and the FILTER.
    """

    function: str = ""
    within: Names = frozenset()

    def met(self, shelf: Shelf) -> int:
        """Return the views that satisfy the requirement, as a bit set.

        These views use a column with one of `names` outside aggregates, or store an aggregate from which the required
        aggregate may be computed. `shelf` has the features of all views.
        """
        return shelf.show(self.names) | shelf.fold(self.names, self.function, self.within)


class Possible(NamedTuple):
    """The views that could answer a block, as bit sets.

    `partial` are the views that may have only some of the block's rows. `beside` maps a table to the views for which
    the table must be joined back: joined to the storage table by the table's key.
    """

    views: int
    partial: int
    beside: Mapping[TableName, int]


@dataclass(frozen=True)
class Question:
    """A block's requirements, and the predicates by which the block may imply a view's filter.

    - `tables`: the number of times that the block and its nested blocks may read each table
    - `core`: the number of times that the block's own FROM reads each table; a view over none of these tables can
      answer at most a nested block
    - `whole`: false if the FROM may read further tables, or if columns may be outer references
    - `grouped`: true if the block has groups, ignores duplicate rows, or may have a SEMI or ANTI join
    - `requirements`: the requirements on columns
    - `joins`: the pairs of columns that the block equates; an outer reference is left out of its pair
    - `classes`: for each column name, the names that the block equates with the name
    - `restriction`: a function that takes all names of a column, and returns a function that tests whether the block
      may restrict the column to given values
    - `mentions`: a function that tests whether a name occurs anywhere in the block
    """

    tables: Mapping[TableName, int]
    core: Mapping[TableName, int]
    whole: bool
    grouped: bool
    requirements: tuple[Requirement, ...]
    joins: tuple[tuple[Requirement, ...], ...]
    classes: Mapping[str, frozenset[str]]
    restriction: Callable[[frozenset[str]], Callable[[Values], bool]]
    mentions: Callable[[str], bool]

    def possible(self, shelf: Shelf, declared: Declared | None = None) -> Possible:
        """Return the views that could answer the block, by the features in the shelf and the declared keys.

        Without `declared`, no key is known, and views that join tables beyond those of the block are not excluded.
        """
        beside: dict[TableName, int] = {}
        bits = shelf.understood & shelf.reading(self.core)
        if not self.grouped:
            bits &= ~shelf.grouped
        # Tables that a view joins inner replace tables in FROM; a SEMI join's table may replace a subquery's.
        inner = self._serving(shelf, bits & ~shelf.outer, self.core, declared, beside)
        outer = self._serving(shelf, bits & shelf.outer, self.tables, declared, beside)
        bits, partial = self._within_limits(shelf, inner | outer)
        bits &= ~self._losing(shelf, bits, declared)
        return Possible(bits, bits & partial, beside)

    def _losing(self, shelf: Shelf, bits: int, declared: Declared | None) -> int:
        """Return the views among `bits` that may lose or repeat rows of the block by joining further tables.

        A view may do so if it joins a table that the block does not read, and no declared key guarantees that each row
        has exactly one match in this table. The result is a bit set, empty if `declared` is None. `shelf` has the
        features of all views.
        """
        lost = 0
        for bag, members in shelf.bags.items() if declared is not None else ():
            if not bits & members:
                continue
            beside = [table for table, count in bag if count > self.core.get(table, 0)]
            if declared is not None and beside:
                spare = {table for table, count in bag if count > self.tables.get(table, 0)}
                # For EXISTS or IN on a whole key, an inner join finds the same rows.
                rest = [table for table in beside if table in spare or not self._keyed(table, declared)]
                if not declared.may_join(rest, (table for table, _ in bag)):
                    lost |= members & ~shelf.outer
                if not spare <= declared.primary.keys():
                    lost |= members & shelf.outer
        return lost

    def _keyed(self, table: TableName, declared: Declared) -> bool:
        """Return whether a table has a declared primary key, and the block names all columns of this key."""
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
        """Return the views among `bits` that satisfy all requirements that apply to them, as a bit set.

        A requirement on a column applies to a view that replaces all occurrences of the column's table in FROM.
        `tables` has the number of occurrences of each table that a view may replace. Some views satisfy a requirement
        only if a table is joined to their storage table by the table's key: add these views to `beside`, by table.
        `declared` has the declared keys, None without known keys. `shelf` has the features of all views.
        """

        def all_of(some: Iterable[TableName]) -> int:
            return reduce(and_, [shelf.reads.get((table, tables.get(table, 1)), 0) for table in some])

        everything = all_of(tables) if self.whole and tables else 0
        # By the tables of a requirement: the views that must satisfy it themselves, unless they join a table back.
        bound: dict[frozenset[TableName] | None, int] = {None: everything}
        found: dict[frozenset[TableName] | None, dict[TableName, int]] = {}

        def backs_of(tables: frozenset[TableName] | None) -> dict[TableName, int]:
            if tables not in found:
                found[tables] = self._joined_back(tables, shelf, declared)
            return found[tables]

        def lacking(requirement: Requirement) -> int:
            without = bits & ~requirement.met(shelf)
            if not without:
                return 0
            tables = requirement.tables
            if tables not in bound:
                bound[tables] = everything | all_of(tables or ())
            without &= bound[tables]
            backs = backs_of(tables) if without else {}
            for table, joining in backs.items() if len(backs) == 1 else ():
                beside[table] = beside.get(table, 0) | without & joining
            return without & ~reduce(or_, backs.values(), 0)

        for requirement in self.requirements:
            if not bits:
                return 0
            bits &= ~lacking(requirement)
        for pair in self.joins:
            without = reduce(or_, map(lacking, pair), 0)
            bits &= ~(without & ~_joining(pair, shelf)) if without else bits
        return bits

    def _joined_back(
        self, tables: frozenset[TableName] | None, shelf: Shelf, declared: Declared | None
    ) -> dict[TableName, int]:
        """Return, for each table, the views to which the table can be joined by its primary key, as a bit set.

        `tables` are the tables that may have a required column; None stands for all tables of the block. `declared` has
        the declared keys, None without known keys. `shelf` has the features of all views.
        """
        found = {}
        for table in self.tables.keys() & (self.tables.keys() if tables is None else tables):
            key = declared.primary.get(table) if declared is not None else ()
            if key is not None:
                # For a view of a single table, the table itself is cheaper than a join.
                several = shelf.understood & ~shelf.alone & shelf.reading((table,))
                found[table] = reduce(and_, (self._shown(column, shelf) for column in key), several)
        return found

    def _shown(self, column: str, shelf: Shelf) -> int:
        name = column.lower()
        return shelf.show(self.classes.get(name, (name,)))

    def _within_limits(self, shelf: Shelf, bits: int) -> tuple[int, int]:
        """Return the views in `bits` that may answer the block despite their filters, and those that may lack rows.

        A view may lack rows if its filter may drop rows of the block. Such a view is returned, in both bit sets, only
        if the base tables can supply the other rows: view and block have groups, and the filter is a one-sided range
        such as `day >= '2024-01-01'`. `shelf` has the features of all views.
        """
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
                    # A view with a one-sided range may answer in part: the base tables supply the other rows.
                    kept = filtered & shelf.grouped if self.grouped and values.divides else 0
                    bits &= ~filtered | kept
                    partial |= kept
        return bits, partial


def _joining(pair: tuple[Requirement, ...], shelf: Shelf) -> int:
    """Return the views that equate both columns of a pair and read the tables of both columns, as a bit set.

    `shelf` has the features of all views.
    """
    found = shelf.join(frozenset[str]().union(*(side.names for side in pair))) if len(pair) == 2 else 0
    for side in pair:
        if found and side.tables is not None:
            found &= shelf.reading(side.tables)
    return found
