"""The index of views: returns, for each block of a statement, a shortlist of the views that could answer it.

A block is one SELECT. The shortlist may have views that turn out not to match; the engine decides.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from rewriter.block import RangeSet, equate, remembered
from rewriter.block_requirements import Known, is_branch, question_of, readable
from rewriter.match.texts import Text, texts_of
from rewriter.model import Declared, MaterializedView, PlainView, Session, TableName
from rewriter.select_requirements import Reference, Requirements, Values, requirements_of
from rewriter.shelf import Features, Folded, Limit, Shelf
from rewriter.sql import Expanded, SelectBlock, Statement, by_name, expand, parse, storage_tree

if TYPE_CHECKING:
    import networkx as nx

_READ = (
    "by_name",
    "by_storage",
    "plain_by_name",
    "features",
    "over_views",
    "sources",
    "texts",
    "set_operations",
    "layered",
    "graph",
    "shelf",
    "_shelved",
)

# Occurs in the text of a storage query with grouping sets, which has more rows than its finest groups.
_SETS = " GROUP BY GROUPING SETS ("

_OPERATORS = re.compile(r"\b(UNION|INTERSECT|EXCEPT|MINUS)\b", re.IGNORECASE)
_LAYERS = re.compile(r"\bHAVING\b|\bSELECT\b.*\bSELECT\b", re.IGNORECASE | re.DOTALL)

# A statement in up to three forms: plain views expanded, nothing expanded, all views expanded; equal texts once.
Expansions = tuple[Expanded, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Bag:
    """The base tables that a view reads, with repetition for self-joins.

    All views over the same tables share one object, so that bags are compared by identity.
    """

    tables: tuple[TableName, ...]


class Group(NamedTuple):
    """The views on a shortlist whose plans read the same tables in addition to the storage table.

    - `views`: the views, as a bit set
    - `bag`: the base tables of each of these views, with repetition for a self-join; None if `partial` or `named`
    - `partial`: true if the views may hold only a part of the block's rows
    - `named`: true if the block names the view
    - `beside`: the base tables that must be joined to the storage table by their keys, because the views lack columns
      of these tables
    """

    views: int
    bag: Bag | None = None
    partial: bool = False
    named: bool = False
    beside: tuple[TableName, ...] = ()


@dataclass(frozen=True, eq=False)
class Shortlist:
    """The views that could answer a block, in groups; a view is in one group only.

    The cost of a plan is bounded for a whole group, so that most groups need not be looked at view by view.
    """

    definitions: Definitions
    groups: tuple[Group, ...]

    def views(self) -> list[MaterializedView]:
        """Return the views, ordered by name."""
        return self.definitions.at(reduce(or_, (group.views for group in self.groups), 0))

    def only(self, names: Set[TableName]) -> Shortlist:
        """Return the shortlist without the views whose names are not in `names`."""
        kept = reduce(or_, (self.definitions.bit_of(view.name) for view in self.views() if view.name in names), 0)
        groups = (group._replace(views=group.views & kept) for group in self.groups)
        return Shortlist(self.definitions, tuple(group for group in groups if group.views))


@dataclass(frozen=True, eq=False)
class Definitions:
    """The definitions of all views and their sources, with the index over them; definitions change only by DDL.

    - `exhaustive`: true if all views over a block's tables are on the block's shortlist (the list of views to try), for
      explanations
    - `declared`: the keys and columns of the tables looked up so far; None if there are none. These keys and columns
      determine which further tables a view may join, which tables can be joined to a storage table by their keys, and
      to which table a column name belongs
    - `plain`: the views without a storage table

    law:    a view that could answer a block is on the block's shortlist, if the keys and columns in `declared` are
            right; a table that is not in `declared` is assumed to have the columns that views use of this table
    """

    views: tuple[MaterializedView, ...]
    exhaustive: bool = False
    declared: Declared | None = None
    plain: tuple[PlainView, ...] = ()

    @cached_property
    def thorough(self) -> Definitions:
        """The same definitions with `exhaustive` set, for explanations.

        The shortlist of a block (the views to try) then has every view over the block's tables, also those views that
        the index would exclude.
        """
        return self if self.exhaustive else self._with(Definitions(self.views, True, self.declared, self.plain))

    def knowing(self, declared: Declared) -> Definitions:
        """Return these definitions with `declared`, the keys and columns of tables, in place of the previous ones."""
        return self._with(Definitions(self.views, self.exhaustive, declared, self.plain))

    def _with(self, other: Definitions) -> Definitions:
        """Return `other` after copying the parsed features of views to it, so that no view is parsed again."""
        vars(other).update((name, vars(self)[name]) for name in _READ if name in vars(self))
        return other

    def read(self) -> None:
        """Parse the queries of all views now, instead of at the first statement; a query takes a few milliseconds."""
        for name in _READ:
            getattr(self, name)

    @cached_property
    def by_name(self) -> dict[TableName, MaterializedView]:
        """The materialized views by their names."""
        return {view.name: view for view in self.views}

    @cached_property
    def by_storage(self) -> dict[TableName, MaterializedView]:
        """The materialized views by the names of their storage tables."""
        return {view.storage: view for view in self.views}

    @cached_property
    def plain_by_name(self) -> dict[TableName, PlainView]:
        """The views without a storage table, by name."""
        return {view.name: view for view in self.plain}

    @cached_property
    def over_views(self) -> dict[TableName, Features]:
        """The features (tables, columns, predicates …) of the queries of views that read views, by view name.

        In these queries, the names of the views in FROM are not expanded.
        """
        return {view.name: features_of(view.over_views, view.session) for view in self.views if view.over_views}

    @cached_property
    def features(self) -> dict[TableName, Features]:
        """The features (tables, columns, predicates …) of each materialized view's storage query, by view name."""
        return {view.name: features_of(view.storage_query, view.session) for view in self.views}

    @cached_property
    def sources(self) -> dict[TableName, tuple[TableName, ...]]:
        """The base tables that each view's storage query reads, by view name."""
        return {name: tuple(dict.fromkeys(features.tables)) for name, features in self.features.items()}

    @cached_property
    def texts(self) -> dict[Text, tuple[MaterializedView, bool]]:
        """The texts of the queries whose rows are the stored rows of a view, each with the view and a flag.

        The flag is true for the text of the view's whole query, false for this text without its ORDER BY. A query with
        one of these texts is answered by the whole storage table of the view.
        """
        return {
            text: (view, limited)
            for view in self.views
            for query in _whole_texts(view)
            for text, limited in texts_read(query, view.session)
        }

    @cached_property
    def set_operations(self) -> dict[frozenset[TableName], list[MaterializedView]]:
        """The views whose query is a set operation, by the set of tables that the query reads."""
        found: dict[frozenset[TableName], list[MaterializedView]] = {}
        for view in self.views:
            if _OPERATORS.search(view.storage_query) and storage_tree(view) is None:
                found.setdefault(frozenset(self.sources[view.name]), []).append(view)
        return found

    @cached_property
    def layered(self) -> frozenset[TableName]:
        """The names of the views that may group in several levels: with derived tables, or with HAVING."""
        return frozenset(view.name for view in self.views if _LAYERS.search(view.storage_query))

    @cached_property
    def graph(self) -> nx.DiGraph[TableName]:
        """The dependency graph: edges from each table and view to the views defined over it."""
        import networkx as nx  # imported here: `viewgate explain` saves 50 ms of processor time

        graph: nx.DiGraph[TableName] = nx.DiGraph()
        graph.add_edges_from((table, view) for view, tables in self.sources.items() for table in tables)
        graph.add_edges_from((state.name, view.name) for view in self.views for state in view.through)
        return graph

    def upon(self, name: TableName) -> list[MaterializedView]:
        """Return the materialized views defined over the given view, ordered by name; empty if there are none."""
        return self._upon.get(name, [])

    @property
    def stacked(self) -> bool:
        """Whether any materialized view is defined over another one."""
        return bool(self._upon)

    @cached_property
    def _upon(self) -> dict[TableName, list[MaterializedView]]:
        found: dict[TableName, list[MaterializedView]] = {}
        for view in sorted(self.views, key=lambda view: view.name):
            for table in dict.fromkeys(self.over_views[view.name].tables if view.over_views else ()):
                found.setdefault(table, []).append(view)
        return {name: views for name, views in found.items() if name in self.by_name}

    @cached_property
    def shelf(self) -> Shelf:
        """The features of all views as bit sets.

        For a view over other views, the features are only the tables and views that it reads, and the number of keys.
        """
        below = {name: (*self.features[name].tables, *over.tables) for name, over in self.over_views.items()}
        return Shelf.of(
            self.features
            | {
                name: Features(tuple(dict.fromkeys(read)), keys=self.features[name].keys)
                for name, read in below.items()
            }
        )

    @cached_property
    def known(self) -> Known:
        """The tables that have a column of a given name, by column name.

        A table without declared columns counts if the query of some view uses the name as a column of this table.
        """
        columns = self.declared.columns if self.declared is not None else {}
        known: dict[str, set[TableName]] = {}
        for table, declared in columns.items():
            for column in declared:
                known.setdefault(column.name.lower(), set()).add(table)
        for table, name in {
            column for each in (self.features, self.over_views) for f in each.values() for column in f.columns
        }:
            if table not in columns:
                known.setdefault(name, set()).add(table)
        return {name: frozenset(tables) for name, tables in known.items()}

    @cached_property
    def _shelved(self) -> tuple[list[MaterializedView], dict[Bag, int]]:
        """The views in the order of the shelf's bits, and by their base tables the views as a bit set."""
        bags: dict[tuple[TableName, ...], Bag] = {}
        members: dict[Bag, int] = {}
        for place, name in enumerate(self.shelf.views):
            tables = tuple(sorted(self.features[name].tables))
            bag = bags.setdefault(tables, Bag(tables))
            members[bag] = members.get(bag, 0) | 1 << place
        return [self.by_name[name] for name in self.shelf.views], members

    def at(self, bits: int) -> list[MaterializedView]:
        """Return the views in a bit set, ordered by name."""
        views, _ = self._shelved
        return [views[place] for place in self.shelf.pick(bits)]

    def placed(self, place: int) -> MaterializedView:
        """Return the view that a bit of the shelf stands for, by the position of the bit."""
        return self._shelved[0][place]

    def bit_of(self, name: TableName) -> int:
        """Return the bit set with only the view `name`."""
        return 1 << bisect_left(self.shelf.views, name)

    def shortlist(self, statement: Statement, select: SelectBlock) -> Shortlist:
        """Return the views that could answer a block, and the views that the block names."""
        return _shortlist(statement, select, self)

    def shortlisted(self, statement: Statement) -> tuple[MaterializedView, ...]:
        """Return the views that could answer any block of a statement.

        Both the blocks of the statement as written and its blocks after the expansion of views in FROM count, and
        blocks over groups also as blocks over the rows of these groups.
        """
        statements = [expanded.statement for expanded in self.expansions(statement)]
        blocks = [(each, select) for each in statements for select in each.blocks]
        found = {view.name: view for each, select in blocks for view in self.shortlist(each, select).views()}
        found |= {view.name: view for each, select in blocks for view in _over_rows(each, select, self)}
        # PIVOT groups by columns that are not known here.
        pivoted = {name for each in statements if each.pivots for name in each.tables}
        more = self.at(self.shelf.reading(pivoted))
        return (*found.values(), *(view for view in more if view.name not in found))

    def over(self, statement: Statement) -> int:
        """Return the number of views that read any of a statement's tables."""
        return self.shelf.reading(statement.tables).bit_count()

    def expansions(self, statement: Statement) -> Expansions:
        """Return up to three forms of a statement: as written, with plain views in FROM expanded, and with all views
        expanded.

        The form with plain views expanded comes first. Equal forms occur only once.
        """
        return _expansions(statement, self)

    def listed(self, bits: int, tables: Set[TableName], partial: int, beside: Mapping[TableName, int]) -> Shortlist:
        """Return the shortlist with the views in the bit set `bits` and the views whose names are in `tables`.

        `tables` are the names in a block's FROM. The views in the bit set `partial` are in groups with `partial` set,
        the views in `tables` in groups with `named` set. `beside` maps each base table to the bit set of the views to
        which the table must be joined.
        """
        named = reduce(or_, map(self.bit_of, self.by_name.keys() & tables), 0)
        # By partial, named and beside: the views.
        kinds: dict[tuple[bool, bool, tuple[TableName, ...]], int] = {}
        for is_partial, some in ((False, (bits | named) & ~partial), (True, (bits | named) & partial)):
            kinds |= {(is_partial, False, ()): some & ~named, (is_partial, True, ()): some & named}
        for table, joining in beside.items():
            for (is_partial, is_named, others), some in [*kinds.items()]:
                if joined := some & joining & bits:
                    kinds[is_partial, is_named, others] = some ^ joined
                    kinds[is_partial, is_named, (*others, table)] = joined
        groups = []
        for kind, some in kinds.items():
            if some and (kind[0] or kind[1]):
                groups.append(Group(some, None, *kind))
            elif some:
                _, members = self._shelved
                groups += [Group(found, bag, *kind) for bag, each in members.items() if (found := some & each)]
        return Shortlist(self, tuple(groups))

    @cached_property
    def _together(self) -> dict[TableName, frozenset[TableName]]:
        """By table, all tables that some view reads together with this table, including the table itself."""
        found: dict[TableName, frozenset[TableName]] = {}
        for bag in self.shelf.bags:
            tables = frozenset(table for table, _ in bag)
            found |= {table: found.get(table, tables) | tables for table in tables}
        return found

    def _above(self, view: MaterializedView) -> set[TableName]:
        """Return the names of the views that are defined over a view, directly or through other views."""
        import networkx as nx

        return nx.descendants(self.graph, view.name)

    def closure(self, statement: Statement) -> frozenset[TableName]:
        """Return the names of all relations on whose state the decision about a statement depends.

        The names include the statement's own relations, and the views that could answer a block of the statement, with
        the storage tables, the base tables and the views that these views read.
        """
        names: set[TableName] = set(statement.tables_outside)
        for expanded in self.expansions(statement):
            names.update(expanded.statement.tables, (view.name for view in expanded.views))
        if self.declared is not None:
            names.update(*(self._together[table] for table in names if table in self._together))
        listed = {view.name: view for view in self.shortlisted(statement)}
        if self.stacked:
            for view in [*listed.values()]:
                listed |= {name: self.by_name[name] for name in self._above(view)}
        for view in listed.values():
            below = (state.name for state in view.through)
            names.update((view.name, view.storage), self.sources[view.name], below)
        return frozenset(names)


@remembered
def _expansions(statement: Statement, definitions: Definitions) -> Expansions:
    named = set(statement.tables)
    if definitions.plain_by_name.keys().isdisjoint(named) and definitions.by_name.keys().isdisjoint(named):
        return (Expanded(statement),)
    plain = expand(statement, definitions.plain_by_name)
    every = expand(statement, by_name(definitions.plain, definitions.views))
    own = Expanded(statement, refused=plain.refused)
    made = {expanded.statement.sql: expanded for expanded in (every, own, plain)}
    order = (plain.statement.sql, statement.sql, every.statement.sql)
    return tuple(made[text] for text in dict.fromkeys(order))


@remembered
def _shortlist(statement: Statement, select: SelectBlock, definitions: Definitions) -> Shortlist:
    tables, shelf = statement.tables_within(select), definitions.shelf
    bits, partial = shelf.reading(tables), 0
    beside: Mapping[TableName, int] = {}
    if not definitions.exhaustive:
        if is_branch(statement, select):
            # The outer block may group the rows of the branch, so that the branch's Question is not enough.
            return definitions.listed(bits, tables, partial, beside)
        # A view that the index does not understand may still match by text.
        others = bits & ~shelf.understood
        declared = definitions.declared
        question = question_of(statement, select, definitions.known, declared) if bits != others else None
        if bits != others and not readable(statement, select):
            bits = others
        elif question is not None:
            bits, partial, beside = question.possible(shelf, declared)
            bits |= others
    return definitions.listed(bits, tables, partial, beside)


@remembered
def _over_rows(statement: Statement, select: SelectBlock, definitions: Definitions) -> Sequence[MaterializedView]:
    """Return the views that could answer a block over groups as a block over the rows of these groups."""
    question = question_of(statement, select, definitions.known, definitions.declared, folded=True)
    return definitions.at(question.possible(definitions.shelf, definitions.declared).views) if question else ()


def _whole_texts(view: MaterializedView) -> Iterable[str]:
    """Return the texts of the queries whose result is exactly the stored rows of a view.

    Columns of the storage table that are not columns of the view, which only the rewriter reads, are ignored.
    """
    if view.written == view.query:
        return dict.fromkeys((view.storage_query, view.written))
    return (view.query,) if _SETS in view.storage_query else ()


@lru_cache(maxsize=32_768)
def texts_read(storage_query: str, session: Session) -> tuple[tuple[Text, bool], ...]:
    """Return the texts of the queries that the rows of a storage query answer as a whole, each with a flag.

    The storage query's own text has the flag True. The text without ORDER BY has the flag False; this text is not
    returned if the query has a LIMIT. Names in the query are resolved in `session`. The result is cached.
    """
    return tuple(texts_of(parse(storage_query, session)))


@lru_cache(maxsize=32_768)
def features_of(storage_query: str, session: Session) -> Features:
    """Return the features of a view's query: its tables, columns, predicates and aggregates.

    If the index does not support the query, the features are only its tables. Names in the query are resolved in
    `session`. The result is cached.
    """
    statement = parse(storage_query, session)
    occurrences = [table for block in statement.blocks for table in block.tables]
    resolved = {table.alias_or_name.lower(): statement.resolve(table) for table in occurrences}
    tables = tuple(name for table in occurrences if (name := statement.resolve(table)) is not None)
    tree = statement.blocks[0].tree if len(statement.blocks) == 1 else None
    try:
        required = requirements_of(tree) if tree is not None else Requirements(simple=False)
    except RecursionError:  # nested too deeply
        required = Requirements(simple=False)
    if not required.simple or required.stars or None in resolved.values():
        return Features(statement.tables)
    of_aggregates = (column for a in (*required.aggregates, *required.deciding) for column in a.columns)
    references = (
        *required.rows,
        *required.filters,
        *of_aggregates,
        *(column for pair in required.joins for column in pair),
    )
    columns = {(table, r.name) for r in references if (table := _table(r, resolved)) is not None}
    classes: dict[str, frozenset[str]] = {}
    equate(classes, ((left.name, right.name) for left, right in required.joins))
    limits = [Limit(_closed((r.name,), classes), each) for r, values in required.limits.items() for each in values]
    return Features(
        tables,
        understood=True,
        grouped=required.grouped,
        keys=required.keys,
        inner=required.inner,
        shown=_closed((r.name for r in required.rows), classes),
        loose=_closed((r.name for r in (*required.loose, *required.conditions)), classes),
        folded=frozenset(
            Folded(a.function, frozenset(_closed((c.name,), classes) for c in a.columns))
            for a in (*required.aggregates, *required.deciding)
        ),
        limits=frozenset(limits),
        kept=frozenset(_kept(limits)),
        classes=frozenset(classes.values()),
        columns=frozenset(columns),
    )


def _closed(names: Iterable[str], classes: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return the names together with all names that `classes` equates with them."""
    return frozenset[str]().union(*(classes.get(name, (name,)) for name in names))


def _kept(limits: Iterable[Limit]) -> Iterator[Limit]:
    """Yield one Limit for each column and kind of constants: the values that satisfy all comparisons of the column.

    `x > 3` and `x <= 9` give the values in (3, 9].
    """
    found: dict[tuple[frozenset[str], str], list[RangeSet]] = {}
    for names, (kind, values) in limits:
        found.setdefault((names, kind), []).append(values)
    for (names, kind), sets in found.items():
        yield Limit(names, Values(kind, RangeSet.met(sets)))


def _table(reference: Reference, resolved: dict[str, TableName | None]) -> TableName | None:
    """Return the table of a column, by its qualifier or because there is only one table; None if unknown.

    `resolved` has the tables in FROM by their qualifiers; None stands for a CTE or temporary view.
    """
    if reference.qualifier:
        return resolved.get(reference.qualifier)
    return next(iter(resolved.values())) if len(resolved) == 1 else None
