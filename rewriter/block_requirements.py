"""Collects the requirements of a block, including those of its derived tables and CTEs, as a Question.

A block is one SELECT of a statement. A Question describes a block by tables, column names and predicates, without
looking up any name in the catalog; the view index compares the Question with the features of views.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from itertools import chain

from sqlglot import exp

from rewriter.block import RangeSet, equate
from rewriter.block.from_clause import MOST_TABLES
from rewriter.block.resolve import READ_CLAUSES
from rewriter.model import Declared, TableName
from rewriter.question import Aggregated, Filtered, Question, Requirement
from rewriter.select_requirements import Reference, Requirements, Values, folds, requirements_of
from rewriter.sql import (
    Membership,
    SelectBlock,
    Statement,
    every,
    holds,
    membership_of,
    offering,
)

Known = Mapping[str, frozenset[TableName]]


def question_of(
    statement: Statement,
    select: SelectBlock,
    known: Known,
    declared: Declared | None = None,
    *,
    folded: bool = False,
) -> Question | None:
    """Return the Question of a block: its requirements, by which the view index looks up views.

    Return None if the block is unsupported, nested too deeply, or reads too many tables. `known` maps a column name to
    the tables that have a column of this name; `declared` has the declared keys and the columns of tables, and is None
    if no declarations are known.

    With `folded`, return the Question of the block over the rows of its derived tables' groups, as
    rewriter.match.flattened makes it; None if the block does not read such groups. For a block that does not group
    them, this is the Question of its derived table, without the outputs that the block does not use.
    """
    if select.tree is None:
        return None
    try:
        if folded and not _reads_groups(statement, select):
            return None
        requirements = _Requirements(statement, select, known, declared, folded)
        if requirements.own.grouped or not folded:
            return requirements.question()
        used = _derived_as_used(statement, select, requirements.own)
        if used is None:
            return None
        within = question_of(statement, used, known, declared, folded=True)
        return within or question_of(statement, used, known, declared)
    except (RecursionError, _TooMany):  # nested too deeply, or too many tables
        return None


def readable(statement: Statement, select: SelectBlock) -> bool:
    """Return whether a SELECT has only clauses and FROM items that can be matched with the parts of a view's query.

    Any other SELECT, for example one with LATERAL VIEW, is answered only from a view whose query has the same text.
    """
    tree = select.tree
    if tree is None or not tree.args.get("from_") or any(v for c, v in tree.args.items() if c not in READ_CLAUSES):
        return False
    for item in select.items:
        derived = item.this if isinstance(item, exp.Subquery) else None
        named = statement.common_of(item) if isinstance(item, exp.Table) else None
        if named is not None:
            derived = named.block.tree
        if not isinstance(item, (exp.Table, exp.Subquery)) or not isinstance(derived, exp.Query | None):
            return False
    return True


def is_branch(statement: Statement, select: SelectBlock) -> bool:
    """Return whether a block is a branch, at any depth, of a set operation that is a CTE or a derived table in FROM."""
    if any(table.block.tree is None and select.span.within(table.block.span) for table in statement.common):
        return True
    around = next(reversed(statement.around(select)), None)
    if around is None or select.tree is None:
        return False
    return any(found == select.tree for query in set_operations(around) for found in query.find_all(exp.Select))


def set_operations(select: SelectBlock) -> Sequence[exp.SetOperation]:
    """Return the set operations among the derived tables in a block's FROM."""
    return [
        item.this for item in select.items if isinstance(item, exp.Subquery) and isinstance(item.this, exp.SetOperation)
    ]


def reads_derived(statement: Statement, select: SelectBlock) -> bool:
    """Return whether a block reads a derived table in its FROM or a CTE."""
    return any(isinstance(item, exp.Subquery) for item in select.items) or bool(statement.common_within(select))


def _reads_groups(statement: Statement, select: SelectBlock) -> bool:
    """Return whether a block reads a derived table or CTE, at any depth, that may group its rows."""
    within = [found for found, whole in _from_blocks(statement, select) if whole and found.tree is not None]
    return any(not _merges(found.tree) or _reads_groups(statement, found) for found in within)


def _derived_as_used(statement: Statement, select: SelectBlock, own: Requirements) -> SelectBlock | None:
    """Return the only derived table or CTE in a block's FROM with NULL for each output that the block does not use.

    `own` are the block's requirements. `*` is left out if it may have other columns, so that it requires nothing.
    Return None if the block uses all outputs, so that it has the Question of the derived table, or if its FROM has
    other items.

    block:  SELECT id FROM (SELECT id, max(n) AS top FROM sales GROUP BY id)
    gives:  SELECT id, NULL AS top FROM sales GROUP BY id
    """
    found = [*_from_blocks(statement, select)]
    if len(found) != 1 or len(select.items) > 1:
        return None
    ((derived, whole),) = found
    if derived.tree is None or not whole:
        return None
    within = chain.from_iterable(aggregate.within for aggregate in own.aggregates)
    references = (*own.rows, *own.filters, *own.loose, *own.limits, *chain.from_iterable(own.joins), *within)
    # Other qualifiers are those of outer references.
    qualifiers = "", select.items[0].alias_or_name.lower()
    named = {name for qualifier, name in references if qualifier in qualifiers}
    excluded = frozenset[str]().union(*own.stars.values())
    outputs: list[exp.Expr] = []
    for output in derived.tree.expressions:
        name = output.alias_or_name.lower()
        if (name not in excluded) if own.stars else (name in named):
            outputs.append(output)
        elif not output.is_star:
            outputs.append(exp.alias_(exp.Null(), name or "unused"))
    if outputs == derived.tree.expressions:
        return None
    tree = derived.tree.copy()
    tree.set("expressions", [output.copy() for output in outputs])
    return replace(derived, tree=tree)


def _merges(derived: exp.Expr | None, *, folded: bool = False) -> bool:
    """Return whether a derived table can be merged into its outer block.

    Only a SELECT without GROUP BY, HAVING, DISTINCT, LIMIT, OFFSET, aggregates and window functions can be merged. With
    `folded`, GROUP BY, DISTINCT, aggregates and window functions are no obstacle.
    """
    clauses = ("having", "limit", "offset", *(() if folded else ("group", "distinct")))
    if not isinstance(derived, exp.Select) or any(derived.args.get(clause) for clause in clauses):
        return False
    return folded or not any(_computes_over_rows(output) for output in derived.expressions)


def _computes_over_rows(output: exp.Expr) -> bool:
    """Return whether an output contains a window function, or a call that is or may be an aggregate.

    An unknown function may be an aggregate.
    """
    return holds(output, exp.Window) or any(folds(call) for call in every(output, exp.Anonymous))


class _TooMany(Exception):
    """Raised for a block that reads more than MOST_TABLES tables."""


class _Source:
    """One of the SELECTs whose requirements are collected for a block: the block, or a subquery merged into the block.

    The merged subqueries are derived tables and CTEs. `tree` is the SELECT, `required` are its requirements.
    `qualifiers` maps the aliases in the SELECT's FROM to tables, and the aliases of derived tables and CTEs to None.
    """

    def __init__(self, statement: Statement, select: SelectBlock) -> None:
        assert select.tree is not None
        self.tree = select.tree
        self.required = requirements_of(self.tree)
        self.qualifiers = dict(_qualifiers(statement, select))
        # The aliases of tables that a plan may leave out.
        self.unused: frozenset[str] = frozenset()

    def without(self, aliases: frozenset[str]) -> Requirements:
        """Return the requirements of the SELECT if a plan leaves out the tables with these aliases."""
        # Only the ON of outer joins is left out. Reading each SELECT again made misses 1.3 times slower.
        return self.required if self.required.inner or not aliases else requirements_of(self.tree, aliases)

    def has(self, reference: Reference) -> bool:
        """Return whether a column reference may belong to this SELECT.

        Return False for a qualifier that the SELECT's FROM does not define, which makes the reference an outer
        reference.
        """
        return not reference.qualifier or reference.qualifier in self.qualifiers


class _Requirements:
    """A collector of the requirements of one block; `question` returns them as a Question."""

    def __init__(
        self, statement: Statement, select: SelectBlock, known: Known, declared: Declared | None, folded: bool
    ) -> None:
        self.statement, self.select, self.known, self.declared = statement, select, known, declared
        self.folded = folded
        self.tables = _occurrences(statement, select)
        self.asked = membership_of(statement, select)
        self.source = _Source(statement, select)
        self.own = self.source.required
        derived, apart = _derived(statement, select, folded)
        self.from_ = [self.source, *(_Source(statement, block) for block in derived if block.tree is not None)]
        self.under = [source.required for source in self.from_[1:]]
        read = [select, *derived]
        trees = [block.tree for block in read if block.tree is not None]
        items = [item for block in read for item in block.items]
        names = [statement.resolve(item) if isinstance(item, exp.Table) else None for item in items]
        self.core = Counter(name for name in names if name is not None)
        self.whole = len(trees) == len(read) and names.count(None) == len(derived) and all(map(_plain, read))
        enclosed = bool(statement.around(select))
        self.whole &= not enclosed or (declared is not None and self.core.keys() <= declared.columns.keys())
        # Whether a column name that none of the block's tables has is an outer reference.
        self.enclosed = enclosed and self.whole
        assert select.tree is not None
        self.aliases = _aliases(self.under) | dict.fromkeys((*_renamed(statement, select), *apart))
        if derived or apart:
            self.aliases |= dict.fromkeys(_generated([self.own, *self.under]))
        self.classes = _classes([self.own, *self.under])
        self._owners: dict[str, frozenset[TableName]] = {}
        self._having: dict[str, frozenset[TableName]] = {}

    def question(self) -> Question:
        for source in self.from_:
            self._attribute(source)
            source.unused = self._unused(source)
        grouped = self.own.grouped or bool(self.under) or self.asked is not None or self.own.asks
        required = tuple(dict.fromkeys([*self._rows(), *self._filters(), *self._aggregates()]))
        joins = tuple(dict.fromkeys(self._joins()))
        return Question(
            self.tables,
            self.core,
            self.whole,
            grouped,
            required,
            joins,
            self.classes,
            self._restriction(),
            self._mentions,
        )

    def _has(self, reference: Reference, source: _Source) -> bool:
        """Return whether a column reference may belong to `source`; False for an outer reference."""
        return source.has(reference) and (reference.qualifier != "" or not self._is_outer(reference.name))

    def _is_outer(self, name: str) -> bool:
        return self.enclosed and name not in self.aliases and not self._known(name)

    def _attribute(self, source: _Source) -> None:
        """Record, for each column name that the SELECT `source` uses, the tables to which the name can belong."""
        required = source.required
        pairs = (reference for pair in required.joins for reference in pair)
        for qualifier, name in (
            *required.rows,
            *required.filters,
            *(c for a in required.aggregates for c in a.columns),
            *pairs,
        ):
            table = source.qualifiers.get(qualifier)
            owners = frozenset({table}) if table is not None else self._known(name)
            self._owners[name] = self._owners.get(name, frozenset()) | owners

    def _known(self, name: str) -> frozenset[TableName]:
        """Return the tables of the block that have, or may have, a column with this name."""
        found = self._having.get(name)
        if found is None:
            tables = self.core if self.whole else self.statement.tables
            found = self._having[name] = self.known.get(name, frozenset()).intersection(tables)
        return found

    def _of(self, names: frozenset[str]) -> tuple[frozenset[TableName], ...]:
        """Return, for each of the column names, the set of tables to which the name can belong.

        The set is empty for a name that no known table has.
        """
        return tuple(self._owners.get(name) or self._known(name) for name in names)

    def _rows(self) -> Iterator[Requirement]:
        if self.asked is Membership.EXISTS and not self.own.grouped:
            return  # EXISTS ignores the subquery's outputs
        for reference in self.own.rows:
            if self._has(reference, self.source):
                for names in self._alternatives(reference.name, frozenset()):
                    yield Requirement(names, self._of(names))
        stars, meant = self.own.stars, self.source.qualifiers
        if stars and None not in meant.values():
            assert self.select.tree is not None
            # law: `*` has no columns of a table that a SEMI or ANTI join only asks
            named = {*stars, *(alias for alias, _ in offering(self.select.tree) if "" in stars)}
            starred = frozenset(table for qualifier, table in meant.items() if table and qualifier in named)
            without = frozenset[str]().union(*stars.values())
            for name, tables in self.known.items():
                if name not in without and not tables.isdisjoint(starred):
                    yield Requirement(frozenset({name}), (tables.intersection(starred),))

    def _filters(self) -> Iterator[Requirement]:
        for source in self.from_:
            for reference in source.without(source.unused).filters:
                if self._has(reference, source):
                    values = _met(source.required.limits.get(reference, ()))
                    for names in self._alternatives(reference.name, frozenset()):
                        yield Filtered(names, self._of(names), values)

    def _aggregates(self) -> Iterator[Requirement]:
        for function, columns, within, shadowed in self.own.aggregates:
            if not all(self._has(c, self.source) for c in within):
                continue
            around = {c.name: list(self._alternatives(c.name, frozenset())) for c in within}
            # If a column's table is uncertain, an aggregate of a view may be over another column of the same name. If a
            # name may be an alias, the aggregate may be over other columns, too.
            # In a folded block, a sum may be a sum of counts.
            made_of = function if all(around.values()) and not shadowed and not self.folded else ""
            names_within = frozenset[str]().union(*chain.from_iterable(around.values()))
            for reference in columns:
                if not function and self._is_key(reference.name):
                    continue  # count(DISTINCT k) of a primary key k may be the number of rows
                for names in around[reference.name]:
                    yield Aggregated(names, self._of(names), made_of, names_within)

    def _is_key(self, name: str) -> bool:
        """Return whether a table that has a column with this name declares the column as a part of its primary key."""
        keys = self.declared.primary if self.declared is not None else {}
        owners = self._owners.get(name) or self._known(name)
        return any(name in map(str.lower, keys.get(table, ())) for table in owners)

    def _joins(self) -> Iterator[tuple[Requirement, ...]]:
        for source in self.from_:
            for pair in source.required.joins:
                if source.unused and any(not source.unused.isdisjoint(self._aliases_of(s, source)) for s in pair):
                    continue
                sides = tuple(self._side(side, source) for side in pair if self._has(side, source))
                if self.aliases.keys().isdisjoint({side.name for side in pair}):
                    yield sides

    def _unused(self, source: _Source) -> frozenset[str]:
        """Return the aliases of the tables that a plan may leave out of `source`, a SELECT.

        Each of these tables is joined by its declared primary key, and no other column of the table is read: dim in
        `SELECT f.x FROM f LEFT JOIN dim ON f.d = dim.id`. So a view need not expose the columns in the ON of these
        joins, here d and id.
        """
        required, aliases = source.required, frozenset(source.qualifiers)
        if required.inner:  # most such SELECTs use each table also outside its joins
            aliases = self._not_used(aliases, required, source)
        if not aliases or not required.joins or "" in required.stars:
            return frozenset()
        joined: dict[str, set[str]] = {}
        for side in chain.from_iterable(required.joins):
            for alias in self._aliases_of(side, source):
                joined.setdefault(alias, set()).add(side.name)
        tables = ((alias, source.qualifiers.get(alias), names) for alias, names in joined.items())
        found = aliases.intersection(
            alias for alias, table, names in tables if table is not None and self._may_find_one(table, names, source)
        )
        return found if required.inner or not found else self._not_used(found, source.without(found), source)

    def _not_used(self, aliases: frozenset[str], required: Requirements, source: _Source) -> frozenset[str]:
        """Return the subset of `aliases` whose tables have no columns in `required` except in `required.joins`.

        `aliases` are in the FROM of `source`, a SELECT; `required` are its requirements.
        """
        used = {
            *required.rows,
            *required.filters,
            *required.loose,
            *chain.from_iterable(a.within for a in required.aggregates),
        }
        named = [self._aliases_of(reference, source) for reference in used]
        return aliases.difference(required.stars, *named)

    def _aliases_of(self, reference: Reference, source: _Source) -> Set[str]:
        """Return the aliases in the FROM of `source` to which a column reference may belong."""
        if reference.qualifier:
            return {reference.qualifier}
        known = self._known(reference.name)
        return {alias for alias, table in source.qualifiers.items() if table in known}

    def _may_find_one(self, table: TableName, names: Set[str], source: _Source) -> bool:
        """Return whether declared keys may guarantee that each row of `source` has exactly one match in a joined table.

        The joined columns of the table, `names`, must contain the table's primary key. If all joins of `source` are
        inner, a foreign key must also reference the table.
        """
        key = self.declared.primary.get(table) if self.declared is not None else None
        if self.declared is None or key is None or not {name.lower() for name in key} <= names:
            return False
        return not source.required.inner or self.declared.may_join([table], self.core)

    def _side(self, reference: Reference, source: _Source) -> Requirement:
        """Return the requirement that a view expose one column of an equality of two columns, such as a in `a = b`.

        `reference` is the column, `source` the SELECT with the equality. The requirement does not apply to a view that
        equates the same two columns.
        """
        table, names = source.qualifiers.get(reference.qualifier), frozenset({reference.name})
        return Requirement(names, (frozenset({table}),) if table is not None else self._of(names))

    def _alternatives(self, name: str, seen: frozenset[str]) -> Iterator[frozenset[str]]:
        """Yield sets of column names: if the block uses `name`, a view must expose at least one name of each set.

        A column yields one set: the column and the names that the block equates with it, such as {a, b} for a if the
        block has `a = b`. An output alias of a derived table yields the sets of the columns in its expression: s in
        `FROM (SELECT a + b AS s …)` yields {a} and {b}. An ambiguous alias yields nothing. `seen` are the aliases that
        the recursion has already replaced.
        """
        same = frozenset(n for n in self.classes.get(name, (name,)) if not self._is_outer(n))
        if name not in self.aliases or name in seen:
            yield same
            return
        means = self.aliases[name]
        for column in means or ():
            for names in self._alternatives(column, seen | {name}):
                yield names | same if self._known(name) else names

    @cached_property
    def _mentioned(self) -> frozenset[str] | None:
        """All identifiers in the block and in the CTEs that the block reads, in lower case.

        None if there is an `IN (SELECT *)`, which reads columns without naming them.
        """
        common = [table.block for table in self.statement.common_within(self.select)]
        trees = [block.tree for block in (self.select, *common) if block.tree is not None]
        asked = [query for tree in trees for each in tree.find_all(exp.In) if (query := each.args.get("query"))]
        if any(query.find(exp.Star) for query in asked):
            return None
        return frozenset(name.name.lower() for tree in trees for name in tree.find_all(exp.Identifier))

    def _mentions(self, name: str) -> bool:
        return self._mentioned is None or name in self._mentioned

    def _restriction(self) -> Callable[[frozenset[str]], Callable[[Values], bool]]:
        """Return the function `restriction` of the Question, for this block.

        The function takes a column, as the set of its name and all names equated with it, and returns a test. The test
        takes a set of values, and returns whether the block's conditions may restrict the column to these values.
        """
        loose = {reference.name for reference in self.own.loose}
        for required in self.under:
            loose |= required.constrained
        meant = [self.aliases[name] for name in loose | {r.name for r in self.own.limits} if name in self.aliases]
        anything = None in meant
        loose |= {name for names in meant for name in names or ()}
        limits = self.own.limits

        def restriction(same: frozenset[str]) -> Callable[[Values], bool]:
            found = [reference for reference in limits if reference.name in same]
            # If a table occurs twice, it is unclear to which occurrence a name belongs.
            twice = len({reference.name for reference in found}) < len(found)
            if anything or twice or not same.isdisjoint(loose):
                return lambda values: True
            if not found:
                return lambda values: False
            met = _met([each for reference in found for each in limits[reference]])
            return lambda values: met is None or met.kind != values.kind or met.set.within(values.set)

        return restriction


def _occurrences(statement: Statement, select: SelectBlock) -> Counter[TableName]:
    """Return how often a block and its nested blocks read each table.

    Raise _TooMany if these blocks together read more than MOST_TABLES tables.
    """
    found: Counter[TableName] = Counter()
    for block in statement.blocks:
        for item in block.tables if block.span.within(select.span) else ():
            name = statement.resolve(item)
            if name is not None:
                found[name] += 1
            elif (common := statement.common_of(item)) is not None:
                found += _occurrences(statement, common.block)
            if found.total() > MOST_TABLES:
                raise _TooMany
    return found


def _plain(select: SelectBlock) -> bool:
    if select.tree is None or any(select.tree.args.get(clause) for clause in ("laterals", "pivots")):
        return False
    return all(isinstance(item, (exp.Table, exp.Subquery)) for item in select.items)


def _qualifiers(statement: Statement, select: SelectBlock) -> Iterator[tuple[str, TableName | None]]:
    """Yield each qualifier in a block's FROM with its table; the table is None for a derived table or CTE."""
    for node in select.items:
        yield node.alias_or_name.lower(), statement.resolve(node) if isinstance(node, exp.Table) else None


def _derived(statement: Statement, select: SelectBlock, folded: bool) -> tuple[list[SelectBlock], list[str]]:
    """Return the derived tables and CTEs that can be merged into a block, at any depth of nesting.

    The second list has the column names, in lower case, of the derived tables and CTEs in the block's own FROM that
    cannot be merged. With `folded`, grouped derived tables can be merged.
    """
    parts: list[SelectBlock] = []
    names: list[str] = []
    for found, whole in _from_blocks(statement, select):
        if whole and _merges(found.tree, folded=folded):
            parts += [found, *_derived(statement, found, folded)[0]]
        elif found.tree is not None:
            names += [output.alias_or_name.lower() for output in found.tree.expressions]
    return parts, names


def _from_blocks(statement: Statement, select: SelectBlock) -> Iterator[tuple[SelectBlock, bool]]:
    """Yield the block of each derived table and CTE in a block's FROM, with a flag.

    The flag is True if the block is the whole derived table or CTE. A derived table that is a set operation has one
    block for each branch: only the block of the first branch is yielded, with the flag False.
    """
    for node in select.items:
        found: SelectBlock | None = None
        if isinstance(node, exp.Table) and (common := statement.common_of(node)) is not None:
            found = common.block
        elif isinstance(node, exp.Subquery):
            first = node.this
            while isinstance(first, exp.SetOperation):
                first = first.this.unnest()
            found = next((b for b in statement.inside(select) if b.tree is not None and b.tree == first), None)
        if found is not None:
            yield found, isinstance(node, exp.Table) or isinstance(node.this, exp.Select)


def _renamed(statement: Statement, select: SelectBlock) -> Iterator[str]:
    """Yield the column names that table aliases in a block define, such as a and b in `FROM (…) AS x (a, b)`."""
    assert select.tree is not None
    if statement.inside(select):
        aliases = select.tree.find_all(exp.TableAlias)
    else:
        aliases = (alias for item in select.items if (alias := item.args.get("alias")) is not None)
    for alias in aliases:
        yield from (column.name.lower() for column in alias.args.get("columns") or ())


def _met(limits: Sequence[Values]) -> Values | None:
    """Return the intersection of `limits`, each of which has the values of a column that satisfy one comparison.

    Return None if `limits` is empty, or if the constants of the comparisons are of different kinds (number, time,
    text).
    """
    kinds = {values.kind for values in limits}
    return Values(kinds.pop(), RangeSet.met([values.set for values in limits])) if len(kinds) == 1 else None


def _aliases(under: list[Requirements]) -> dict[str, frozenset[str] | None]:
    """Return, by output alias of the merged derived tables, the names of the columns in the output's expression.

    `under` are the requirements of these derived tables. The value is None for an alias that occurs with different
    expressions.
    """
    found: dict[str, frozenset[str] | None] = {}
    for required in under:
        for alias, means in required.aliases:
            found[alias] = means if found.get(alias, means) == means else None
    return found


def _generated(blocks: list[Requirements]) -> Iterator[str]:
    """Yield the column names in `blocks` that may be generated: Spark names an output without an alias `sum(x)`."""
    for required in blocks:
        within = chain.from_iterable(aggregate.within for aggregate in required.aggregates)
        sides = chain.from_iterable(required.joins)
        for reference in (*required.rows, *required.filters, *required.limits, *required.loose, *within, *sides):
            if not reference.name.isidentifier():
                yield reference.name


def _classes(blocks: list[Requirements]) -> dict[str, frozenset[str]]:
    """Return, for each column name, the names that equalities connect with it, directly or through other names.

    `blocks` are the requirements of the block and of the derived tables merged into it.
    """
    classes: dict[str, frozenset[str]] = {}
    for required in blocks:
        equate(classes, required.equated)
    return classes
