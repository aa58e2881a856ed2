"""What one block of a statement asks of views, with the derived tables and common table expressions under it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import NamedTuple

from sqlglot import exp

from rewriter.block import RangeSet, equate
from rewriter.block.resolve import READ_CLAUSES
from rewriter.model import Declared, TableName
from rewriter.needs import Needs, Reference, Values, needs_of
from rewriter.shelf import Aggregated, Filtered, Need, Shelf
from rewriter.sql import SelectBlock, Statement, from_items, tables_of

Known = Mapping[str, frozenset[TableName]]


class Possible(NamedTuple):
    """Views as bits: those that could answer, those of them that could hold but a part of the rows.

    `beside` has those that need a table joined back to them, and no other one.
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
    of a block around.
    """

    tables: Mapping[TableName, int]
    core: Mapping[TableName, int]
    whole: bool
    grouped: bool
    needs: tuple[Need, ...]
    joins: tuple[tuple[Need, ...], ...]
    classes: Mapping[str, frozenset[str]]
    implies: Callable[[frozenset[str], Values], bool]

    def possible(self, shelf: Shelf, declared: Declared | None = None) -> Possible:
        """The views that could answer."""
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
        """Those of the views that join tables besides of which no key is known that keeps all rows."""
        lost = 0
        for bag, members in shelf.bags.items() if declared is not None else ():
            if not bits & members:
                continue
            beside = [table for table, count in bag if count > self.core.get(table, 0)]
            if declared is not None and beside:
                spare = {table for table, count in bag if count > self.tables.get(table, 0)}
                if not declared.may_join(beside, (table for table, _ in bag)):
                    lost |= members & ~shelf.outer
                if not spare <= declared.primary.keys():
                    lost |= members & shelf.outer
        return lost

    def _serving(
        self,
        shelf: Shelf,
        bits: int,
        tables: Mapping[TableName, int],
        declared: Declared | None,
        beside: dict[TableName, int],
    ) -> int:
        """Those of the views that mention what is needed of the tables that they stand for."""

        def own(table: TableName) -> int:
            return shelf.reads.get((table, tables.get(table, 1)), 0)

        everything = reduce(and_, map(own, tables)) if self.whole and tables else 0

        def lacking(need: Need) -> int:
            without = bits & need.concerned(own, everything) & ~need.met(shelf)
            backs = self._joined_back(need, shelf, declared) if without else {}
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

    def _joined_back(self, need: Need, shelf: Shelf, declared: Declared | None) -> dict[TableName, int]:
        """The tables that may have what is needed, each with the views to which it can be joined by its key."""
        found = {}
        for table in self.tables.keys() & (self.tables.keys() if need.tables is None else need.tables):
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
        """Those of the views whose filters can leave a row, and those that may leave but a part of them."""
        partial = 0
        for (names, values), filtered in shelf.limits.items():
            if bits & filtered:
                same = names.union(*(self.classes[name] for name in names if name in self.classes))
                if not self.implies(same, values):
                    # The tables have the other rows, where a range divides groups.
                    kept = filtered & shelf.grouped if self.grouped and values.divides else 0
                    bits &= ~filtered | kept
                    partial |= kept
        return bits, partial


def _joining(pair: tuple[Need, ...], shelf: Shelf) -> int:
    """The views that equate the two sides of a pair, of tables that they read both."""
    found = shelf.join(frozenset[str]().union(*(side.names for side in pair))) if len(pair) == 2 else 0
    for side in pair:
        if found and side.tables is not None:
            found &= shelf.reading(side.tables)
    return found


def question_of(
    statement: Statement, select: SelectBlock, known: Known, declared: Declared | None = None
) -> Question | None:
    """The question of a block; None where it is not read. `known` are the tables that a name belongs to."""
    if select.tree is None:
        return None
    try:
        return _Asking(statement, select, known, declared).question()
    except RecursionError:  # it is nested too deeply to be read
        return None


def readable(statement: Statement, select: SelectBlock) -> bool:
    """Whether a block can be one as far as its clauses tell: no view answers it otherwise."""
    tree = select.tree
    if tree is None or not tree.args.get("from_") or any(v for c, v in tree.args.items() if c not in READ_CLAUSES):
        return False
    common = {table.name: table.block.tree for table in statement.common_before(select)}
    for item in from_items(tree):
        derived = item.this if isinstance(item, exp.Subquery) else None
        if isinstance(item, exp.Table) and not item.args.get("db"):
            derived = common.get(item.name.lower())
        if not isinstance(item, exp.Table | exp.Subquery) or (derived is not None and not _merges(derived)):
            return False
    return True


def _merges(derived: exp.Expr) -> bool:
    """Whether a derived table can be a part of the block around it: it neither groups nor takes some of its rows."""
    clauses = ("group", "having", "distinct", "limit", "offset")
    return isinstance(derived, exp.Select) and not any(derived.args.get(clause) for clause in clauses)


class _Source:
    """A block whose FROM and WHERE belong to the question: the block itself, or a derived table in its FROM."""

    def __init__(self, statement: Statement, select: SelectBlock) -> None:
        assert select.tree is not None
        self.needs = needs_of(select.tree)
        self.qualifiers = dict(_qualifiers(statement, select.tree))

    def has(self, reference: Reference) -> bool:
        """Whether a column is one of this block: a qualifier that it does not have is one of a block around it."""
        return not reference.qualifier or reference.qualifier in self.qualifiers


class _Asking:
    """Puts one question together."""

    def __init__(self, statement: Statement, select: SelectBlock, known: Known, declared: Declared | None) -> None:
        self.statement, self.known = statement, known
        self.tables = _occurrences(statement, select)
        self.source = _Source(statement, select)
        self.own = self.source.needs
        derived = list(_derived(statement, select))
        self.from_ = [self.source, *(_Source(statement, block) for block in derived if block.tree is not None)]
        self.under = [source.needs for source in self.from_[1:]]
        read = [select, *derived]
        trees = [block.tree for block in read if block.tree is not None]
        items = [item for tree in trees for item in from_items(tree)]
        names = [statement.resolve(item) if isinstance(item, exp.Table) else None for item in items]
        self.core = Counter(name for name in names if name is not None)
        self.whole = len(trees) == len(read) and names.count(None) == len(derived) and all(map(_plain, trees))
        enclosed = bool(statement.around(select))
        self.whole &= not enclosed or (declared is not None and self.core.keys() <= declared.columns.keys())
        # Whether what none of its tables has is of a block around.
        self.enclosed = enclosed and self.whole
        assert select.tree is not None
        self.aliases = _aliases(self.under) | dict.fromkeys(_renamed(select.tree))
        self.classes = _classes([self.own, *self.under])
        self._owners: dict[str, frozenset[TableName]] = {}

    def question(self) -> Question:
        for source in self.from_:
            self._attribute(source)
        grouped = self.own.grouped or bool(self.under)
        needs = tuple(dict.fromkeys([*self._rows(), *self._filters(), *self._aggregates()]))
        joins = tuple(dict.fromkeys(self._joins()))
        return Question(self.tables, self.core, self.whole, grouped, needs, joins, self.classes, self._implies())

    def _has(self, reference: Reference, source: _Source) -> bool:
        """Whether a column is one of a source, and of no block around."""
        return source.has(reference) and (reference.qualifier != "" or not self._is_outer(reference.name))

    def _is_outer(self, name: str) -> bool:
        return self.enclosed and name not in self.aliases and not self._known(name)

    def _attribute(self, source: _Source) -> None:
        """The tables to which each name can belong."""
        needs = source.needs
        pairs = (reference for pair in needs.joins for reference in pair)
        for qualifier, name in (*needs.rows, *needs.filters, *(c for a in needs.aggregates for c in a.columns), *pairs):
            table = source.qualifiers.get(qualifier)
            owners = frozenset({table}) if table is not None else self._known(name)
            self._owners[name] = self._owners.get(name, frozenset()) | owners

    def _known(self, name: str) -> frozenset[TableName]:
        return self.known.get(name, frozenset()).intersection(self.core if self.whole else self.statement.tables)

    def _of(self, names: frozenset[str]) -> tuple[frozenset[TableName], ...]:
        """The tables that each of the names can belong to."""
        return tuple(self._owners.get(name) or self._known(name) for name in names)

    def _rows(self) -> Iterator[Need]:
        for reference in self.own.rows:
            if self._has(reference, self.source):
                for names in self._alternatives(reference.name, frozenset()):
                    yield Need(names, self._of(names))
        stars, meant = self.own.stars, self.source.qualifiers
        if stars and None not in meant.values():
            starred = frozenset(t for qualifier, t in meant.items() if t and not stars.isdisjoint(("", qualifier)))
            for name, tables in self.known.items():
                if not tables.isdisjoint(starred):
                    yield Need(frozenset({name}), (tables.intersection(starred),))

    def _filters(self) -> Iterator[Need]:
        for source in self.from_:
            for reference in source.needs.filters:
                if self._has(reference, source):
                    values = _met(source.needs.limits.get(reference, ()))
                    for names in self._alternatives(reference.name, frozenset()):
                        yield Filtered(names, self._of(names), values)

    def _aggregates(self) -> Iterator[Need]:
        for function, columns, within in self.own.aggregates:
            if not all(self._has(c, self.source) for c in within):
                continue
            around = [names for c in within for names in self._alternatives(c.name, frozenset())]
            for reference in columns:
                for names in self._alternatives(reference.name, frozenset()):
                    yield Aggregated(names, self._of(names), function, frozenset().union(*around))

    def _joins(self) -> Iterator[tuple[Need, ...]]:
        for source in self.from_:
            for pair in source.needs.joins:
                sides = tuple(self._side(side, source) for side in pair if self._has(side, source))
                if self.aliases.keys().isdisjoint({side.name for side in pair}):
                    yield sides

    def _side(self, reference: Reference, source: _Source) -> Need:
        """One side of an equality: it stays one where the other is not the view's."""
        table, names = source.qualifiers.get(reference.qualifier), frozenset({reference.name})
        return Need(names, (frozenset({table}),) if table is not None else self._of(names))

    def _alternatives(self, name: str, seen: frozenset[str]) -> Iterator[frozenset[str]]:
        """For each column that a name needs, the names of which one will do; nothing where that is not certain."""
        same = frozenset(n for n in self.classes.get(name, (name,)) if not self._is_outer(n))
        if name not in self.aliases or name in seen:
            yield same
            return
        means = self.aliases[name]
        for column in means or ():
            for names in self._alternatives(column, seen | {name}):
                yield names | same if self._known(name) else names

    def _implies(self) -> Callable[[frozenset[str], Values], bool]:
        """Whether the block's predicates can leave a column, by any of its names, no more than certain values."""
        loose = set(self.own.loose)
        for needs in self.under:
            loose |= needs.constrained
        meant = [self.aliases[name] for name in loose | {r.name for r in self.own.limits} if name in self.aliases]
        anything = None in meant
        loose |= {name for names in meant for name in names or ()}
        limits = self.own.limits

        def implies(same: frozenset[str], values: Values) -> bool:
            if anything or not same.isdisjoint(loose):
                return True
            found = [reference for reference in limits if reference.name in same]
            if not found:
                return False
            if len({reference.name for reference in found}) < len(found):
                return True  # of two occurrences of a table
            sets = [each for reference in found for each in limits[reference]]
            if any(each.kind != values.kind for each in sets):
                return True
            left = sets[0].set
            for each in sets[1:]:
                left = left.meet(each.set)
            return left.within(values.set)

        return implies


def _occurrences(statement: Statement, select: SelectBlock) -> Counter[TableName]:
    """How often each table is read in a block and under it."""
    found: Counter[TableName] = Counter()
    meant = {common.name: common.block for common in statement.common_before(select)}
    for block in statement.blocks:
        for item in tables_of(block) if block.span.within(select.span) else ():
            name = statement.resolve(item)
            if name is not None:
                found[name] += 1
            elif len(item.parts) == 1 and item.name.lower() in meant:
                found += _occurrences(statement, meant[item.name.lower()])
    return found


def _plain(tree: exp.Select) -> bool:
    plain = all(isinstance(item, exp.Table | exp.Subquery) for item in from_items(tree))
    return plain and not any(tree.args.get(clause) for clause in ("laterals", "pivots"))


def _qualifiers(statement: Statement, tree: exp.Select) -> Iterator[tuple[str, TableName | None]]:
    """What each qualifier of a block means: a table, or something derived."""
    for node in from_items(tree):
        yield node.alias_or_name.lower(), statement.resolve(node) if isinstance(node, exp.Table) else None


def _derived(statement: Statement, select: SelectBlock) -> Iterator[SelectBlock]:
    """The blocks of the derived tables and common table expressions in a block's FROM, and in theirs."""
    if select.tree is None:
        return
    inside = statement.inside(select)
    meant = {common.name: common.block for common in statement.common_before(select)}
    for node in from_items(select.tree):
        found: SelectBlock | None = None
        if isinstance(node, exp.Table) and len(node.parts) == 1 and statement.resolve(node) is None:
            found = meant.get(node.name.lower())
        elif isinstance(node, exp.Subquery):
            found = next((b for b in inside if b.tree is not None and b.tree == node.this), None)
        if found is not None:
            yield found
            yield from _derived(statement, found)


def _renamed(tree: exp.Select) -> Iterator[str]:
    """The names that a block gives to the columns of its sources: `FROM (…) AS x (a, b)`."""
    for alias in tree.find_all(exp.TableAlias):
        yield from (column.name.lower() for column in alias.args.get("columns") or ())


def _met(limits: Sequence[Values]) -> Values | None:
    """What all comparisons of a column leave; None where that is not known."""
    kinds = {values.kind for values in limits}
    return Values(kinds.pop(), RangeSet.met([values.set for values in limits])) if len(kinds) == 1 else None


def _aliases(under: list[Needs]) -> dict[str, frozenset[str] | None]:
    """The names behind each name that is given to an output under the block; None where it is given twice."""
    found: dict[str, frozenset[str] | None] = {}
    for needs in under:
        for alias, means in needs.aliases:
            found[alias] = means if found.get(alias, means) == means else None
    return found


def _classes(blocks: list[Needs]) -> dict[str, frozenset[str]]:
    """Names that are equated anywhere."""
    classes: dict[str, frozenset[str]] = {}
    for needs in blocks:
        equate(classes, needs.equated)
    return classes
