"""Converts a FROM clause to tables, joins, predicates, and the scope in which names are resolved.

Derived tables (subqueries in FROM) and CTEs that only select, filter and join are merged into the outer block. Other
derived tables and CTEs become tables of the block, named by their SQL text, if their columns are known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import NamedTuple

from sqlglot import exp

from rewriter.block.conjuncts import conjuncts_of
from rewriter.block.expressions import canonical
from rewriter.block.form import Block, Join, Occurrence, Unsupported
from rewriter.block.scope import Scope, Source
from rewriter.block.strict import columns_of, never_true
from rewriter.functions.registry import AGGREGATES, meant
from rewriter.model import Column, Table, TableName
from rewriter.sql import excerpt, from_items, nodes_of
from rewriter.sql.time_windows import BACK, SLIDES, is_slides

Tree = exp.Expr


class Found(NamedTuple):
    """A table found in the catalog: full name, columns, and its current state in `contents` (None if not known)."""

    name: TableName
    columns: tuple[Column, ...]
    contents: Table | None = None


Find = Callable[[exp.Table], Found | None]
# Builds the block of a SELECT; no table gets one of the given ids.
Build = Callable[[exp.Select, frozenset[str]], Block]


class Derived(NamedTuple):
    """A derived table or CTE that is not merged into the outer block: its SQL text in FROM, and its columns.

    `branches` are the blocks of a UNION ALL, or `inner` is the block of a single SELECT; both are empty for a query of
    another form, such as INTERSECT.
    """

    text: str
    columns: tuple[Column, ...]
    branches: tuple[Block, ...] = ()
    inner: Block | None = None


# Reads a derived table or CTE as a table of the block; raises Unsupported.
Derive = Callable[[Tree], Derived]
# Returns the SELECT of the CTE that a FROM item names, with the function that builds its block; None for other items.
Common = Callable[[exp.Table], tuple[exp.Select, Build] | None]

# A limit for the tables of a block: in a chain of CTEs that each join the previous one to itself, they double.
MOST_TABLES = 100
# A limit for the nodes of an expression: a column added to itself in each of several nested SELECTs doubles them.
MOST_NODES = 1000

_PLAIN = re.compile(r"[A-Za-z]\w*", re.ASCII)
REJECTING = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like, exp.In)


class _TooMany(Unsupported):
    """Raised if FROM has more tables than MOST_TABLES.

    After any other Unsupported error, a derived table that could not be merged into the outer block is read a second
    time, as a table of its own. After _TooMany there is no second attempt, because the attempt would take as long and
    fail again.
    """


class FromClause(NamedTuple):
    """The content of a FROM clause: tables, predicates of inner joins, other joins, and the scope for names."""

    tables: tuple[Occurrence, ...]
    where: tuple[Tree, ...]
    joins: tuple[Join, ...]
    scope: Scope


class _Item(NamedTuple):
    """One item of FROM: the source of its column names, its tables, and the predicates and joins within the item."""

    source: Source
    tables: tuple[Occurrence, ...]
    where: tuple[Tree, ...] = ()
    joins: tuple[Join, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(table.id for table in self.tables)

    @property
    def plain(self) -> bool:
        """Whether all outputs of the item are plain columns and all joins within the item are inner joins.

        An output of such an item is NULL only where its column is NULL.
        """
        return not self.joins and all(isinstance(tree, exp.Column) for _, tree in self.source.derived)


def read_from(
    tree: exp.Select,
    find: Find,
    common: Common,
    build: Build,
    taken: frozenset[str],
    derive: Derive | None = None,
) -> FromClause:
    """Return the content of a SELECT's FROM clause; raise Unsupported for SQL that a block cannot represent.

    `find` looks up tables, `common` looks up CTEs, and `build` builds the blocks of derived tables. `derive` reads a
    derived table that cannot be merged into the block; without `derive`, a derived table of this kind raises
    Unsupported. The ids of the tables are none of those in `taken`.
    """
    source = tree.args.get("from_")
    if source is None:
        raise Unsupported(f"{excerpt(tree)} has no FROM, so no view can answer this SELECT")
    reader = _Reader(find, common, build, taken, derive)
    reader.start(source.this)
    for join in tree.args.get("joins") or ():
        reader.join(join)
    aliases = [s.alias.lower() for s in reader.sources]
    if len(set(aliases)) != len(aliases):
        raise Unsupported(
            f"two tables in FROM are named {next(a for a in aliases if aliases.count(a) > 1)}: give one of "
            "them an alias"
        )
    return reader.result()


def from_problem(tree: exp.Select) -> str:
    """Return why a FROM clause is unsupported whatever tables it names, such as TABLESAMPLE; empty if it may be
    supported.
    """
    source, joins = tree.args.get("from_"), tree.args.get("joins") or ()
    try:
        for join in joins:
            _kind(join)
        for node in (*((source.this,) if source is not None else ()), *(join.this for join in joins)):
            # PIVOT may be supported: see rewriter.pivots
            pivots = () if any(pivot.args.get("unpivot") for pivot in node.args.get("pivots") or ()) else ("pivots",)
            if isinstance(node, exp.Table):
                _refuse_extras(node, (*_OF_TABLES, *pivots))
            elif isinstance(node, exp.Subquery):
                _refuse_extras(node, ("this", "alias", *pivots), renames=True)
            elif not is_slides(node):
                raise Unsupported(_not_named(node))
    except Unsupported as problem:
        return str(problem)
    return ""


@dataclass
class _Reader:
    """A converter of a FROM clause, item by item from left to right, into the tables and joins of a block."""

    find: Find
    common: Common
    build: Build
    taken: frozenset[str]
    derive: Derive | None
    tables: list[Occurrence] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    where: list[Tree] = field(default_factory=list)
    joins: list[Join] = field(default_factory=list)
    merged: tuple[tuple[str, Tree], ...] = ()
    hidden: frozenset[tuple[str, str]] = frozenset()
    plain: bool = True

    def result(self) -> FromClause:
        return FromClause(tuple(self.tables), tuple(self.where), tuple(self.joins), self._scope())

    def start(self, node: Tree) -> None:
        item = self._item(node)
        self._add(item)
        self.where += item.where
        self.joins += item.joins

    def join(self, node: exp.Join) -> None:
        """Add one more join to the tables read so far; raise Unsupported for a join that a block cannot represent."""
        kind = _kind(node)
        item = self._item(node.this)
        if kind == "LEFT" and not item.plain and self.derive is not None and _is_derived(node.this, self.common):
            item = _derived_table(node.this, self._taken, self.derive)
        using = node.args.get("using") or ()
        before = self._scope() if using else None
        self._add(item)
        on = self._on(node) if before is None else self._using(using, kind, before, item.source)
        if kind != "INNER" and not on:
            raise Unsupported(f"a {kind} join without a condition is not supported: add ON or USING")
        _JOINS[kind](self, item, on)

    def _on(self, node: exp.Join) -> tuple[Tree, ...]:
        if (condition := node.args.get("on")) is None:
            return ()
        read = canonical(condition, self._scope())
        # Only an inner join may lose its condition: any other join with ON TRUE still adds NULL rows or filters.
        return tuple(conjuncts_of(read)) or (() if _kind(node) == "INNER" else (read,))

    def _using(self, names: Sequence[Tree], kind: str, left: Scope, right: Source) -> tuple[Tree, ...]:
        """Return the equalities of USING, and merge the two columns of each name into one column of the scope.

        `names` are the columns in USING, `kind` is the kind of the join, `left` is the scope before the join, and
        `right` the joined item. The merged column is the left side's, also for a LEFT join. Raise Unsupported for a
        join that is neither INNER nor LEFT, and if a side lacks a column.
        """
        if kind not in ("INNER", "LEFT"):
            raise Unsupported(f"USING in a {kind} join is not supported: write the condition with ON")
        on: list[Tree] = []
        for name in (n.name for n in names):
            mine, theirs = left.column(exp.column(name)), right.column(name)
            if theirs is None:
                raise Unsupported(
                    f"USING ({name}): {right.alias} has no column {name}: write the condition of the join with ON"
                )
            on.append(exp.EQ(this=mine, expression=theirs))
            hiding = {(s.alias, name.lower()) for s in self.sources if s.column(name) is not None}
            self.hidden |= hiding
            if all(label.lower() != name.lower() for label, _ in self.merged):
                self.merged = (*self.merged, (_spelling(self.sources, name), mine.copy()))
        # Each USING puts its columns before those of earlier joins.
        here = {n.name.lower() for n in names}
        self.merged = tuple(sorted(self.merged, key=lambda pair: pair[0].lower() not in here))
        return tuple(on)

    def _inner(self, item: _Item, on: tuple[Tree, ...]) -> None:
        self.where += (*item.where, *on)
        self.joins += item.joins
        self.plain &= item.plain

    def _left(self, item: _Item, on: tuple[Tree, ...]) -> None:
        if not item.plain:
            problem = (
                f"has a {item.joins[0].kind} join: write this join in the outer query"
                if item.joins
                else "computes a column: select only columns in the derived table, and compute in the outer query"
            )
            raise Unsupported(
                f"a LEFT join of {item.source.alias or 'a derived table'} is not supported, because this derived table "
                f"{problem}"
            )
        self.joins.append(Join("LEFT", item.ids, (*item.where, *on)))

    def _right(self, item: _Item, on: tuple[Tree, ...]) -> None:
        """Add `A RIGHT JOIN B ON …` as `B LEFT JOIN A ON …`; `item` is B, and `on` are the conjuncts of ON.

        Raise Unsupported if A contains outer joins or computed outputs, or if B contains joins.
        """
        if self.joins or item.joins or not self.plain:
            place = (
                f"after a {self.joins[0].kind} join"
                if self.joins
                else f"of the derived table {item.source.alias}, which has a {item.joins[0].kind} join,"
                if item.joins
                else "after a derived table that computes a column"
            )
            raise Unsupported(
                f"a RIGHT join {place} is not supported: exchange the two sides of the join, and write LEFT JOIN"
            )
        before = frozenset(t.id for t in self.tables) - item.ids
        self.joins.append(Join("LEFT", before, (*self.where, *on)))
        self.where = [*item.where]

    def _full(self, item: _Item, on: tuple[Tree, ...]) -> None:
        if len(self.tables) != 2 or self.where or self.joins or item.where or not (self.plain and item.plain):
            sides = (
                "in a FROM clause with more than two tables"
                if len(self.tables) != 2
                else "of a derived table that filters rows"
                if self.where or item.where
                else "of a derived table that computes a column"
            )
            raise Unsupported(
                f"a FULL join {sides} is not supported: write FROM with only two tables, joined by FULL JOIN"
            )
        self.joins.append(Join("FULL", frozenset(t.id for t in self.tables), on))

    def _semi(self, item: _Item, on: tuple[Tree, ...]) -> None:
        self._filtering("SEMI", item, on)

    def _anti(self, item: _Item, on: tuple[Tree, ...]) -> None:
        self._filtering("ANTI", item, on)

    def _filtering(self, kind: str, item: _Item, on: tuple[Tree, ...]) -> None:
        if item.joins:
            raise Unsupported(
                f"a {kind} join of the derived table {item.source.alias}, which has a {item.joins[0].kind} join, is "
                "not supported: write inner joins in the derived table, if the result is the same"
            )
        self.sources.remove(item.source)
        self.joins.append(Join(kind, item.ids, (*item.where, *on)))

    def _add(self, item: _Item) -> None:
        if not self.tables:
            self.plain = item.plain
        self.tables += item.tables
        if len(self.tables) > MOST_TABLES:
            raise _TooMany(f"FROM names more than {MOST_TABLES} tables, which is not supported: split the query")
        self.sources.append(item.source)

    def _scope(self) -> Scope:
        return Scope(tuple(self.tables), tuple(self.sources), self.merged, self.hidden)

    @property
    def _taken(self) -> frozenset[str]:
        return self.taken.union(table.id for table in self.tables)

    def _item(self, node: Tree) -> _Item:
        taken = self._taken
        if is_slides(node):
            return _slides(node, taken, self.derive is not None)
        if self.derive is not None and _stays_apart(_select_of(node, self.common)):
            return _derived_table(node, taken, self.derive)
        try:
            block = _block_of(node, self.common, self.build, taken)
            return _table(node, taken, self.find) if block is None else _merged(block, node.alias_or_name)
        except _TooMany:
            raise
        except Unsupported:
            if self.derive is None or not _is_derived(node, self.common):
                raise
            return _derived_table(node, taken, self.derive)


_JOINS: Mapping[str, Callable[[_Reader, _Item, tuple[Tree, ...]], None]] = {
    "INNER": _Reader._inner,
    "LEFT": _Reader._left,
    "RIGHT": _Reader._right,
    "FULL": _Reader._full,
    "SEMI": _Reader._semi,
    "ANTI": _Reader._anti,
}


def _kind(join: exp.Join) -> str:
    for clause in ("method", "hint", "match_condition", "global_", "pivots"):
        if join.args.get(clause):
            raise Unsupported(f"{excerpt(join)} is not supported: write JOIN … ON or JOIN … USING")
    side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
    if kind in ("SEMI", "ANTI") and side in ("", "LEFT"):
        return kind
    if kind in ("", "OUTER") and side in ("LEFT", "RIGHT", "FULL"):
        return side
    if kind in ("", "INNER", "CROSS") and not side:
        return "INNER"
    raise Unsupported(
        f"the join {excerpt(join)} is not supported: write an inner, LEFT, RIGHT, FULL, LEFT SEMI or LEFT ANTI join"
    )


def _spelling(sources: Sequence[Source], name: str) -> str:
    """Return a column's name with the letter case of the leftmost source that has the column."""
    labels = (label for source in sources for label, _ in source.columns())
    return next(label for label in labels if label is not None and label.lower() == name.lower())


# The parser's names of what an item of FROM may have besides its name and alias.
_EXTRAS = {
    "pivots": "PIVOT or UNPIVOT",
    "sample": "TABLESAMPLE",
    "when": "TIMESTAMP AS OF",
    "joins": "a join in parentheses",
    "laterals": "LATERAL VIEW",
}


def _refuse_extras(node: Tree, read: tuple[str, ...], *, renames: bool = False) -> None:
    if node.args.get("version"):
        raise Unsupported(
            f"{excerpt(node)} in FROM reads an earlier state: views answer time travel only if each table of the "
            "statement has VERSION AS OF or TIMESTAMP AS OF with a literal that names a state of the table, the same "
            "one wherever the table is named"
        )
    alias = node.args.get("alias")
    extras = [arg for arg, value in node.args.items() if value and arg not in read]
    if extras or (alias is not None and alias.args.get("columns") and not renames):
        extra = _EXTRAS.get(extras[0], extras[0].rstrip("_").upper()) if extras else "column aliases"
        raise Unsupported(
            f"{excerpt(node)} in FROM has {extra}, which is not supported: name a table or a subquery without {extra}"
        )


# The parser's names of the parts of a table in FROM that a block can represent.
_OF_TABLES = ("this", "db", "catalog", "alias")


def _not_named(node: Tree) -> str:
    return f"{excerpt(node)} in FROM is not supported: name a table or a subquery"


def _table(node: Tree, taken: frozenset[str], find: Find) -> _Item:
    if not isinstance(node, exp.Table):
        raise Unsupported(_not_named(node))
    _refuse_extras(node, _OF_TABLES)
    found = find(node)
    if found is None and not isinstance(node.this, exp.Identifier):
        raise Unsupported(_not_named(node))
    if found is None:
        raise Unsupported(f"{excerpt(node)} in FROM is not a table of the Iceberg catalog: check the name")
    name = found.name
    occurrence = Occurrence(
        _free_id(name.table, taken), name, node.alias or name.table, found.columns, contents=found.contents
    )
    return _Item(Source(occurrence.alias, occurrence), (occurrence,))


def _is_derived(node: Tree, common: Common) -> bool:
    named = isinstance(node, exp.Table) and common(node) is not None
    return named or (isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query))


def _select_of(node: Tree, common: Common) -> exp.Select | None:
    """Return the SELECT of a derived table or CTE; None for other items of FROM.

    A set operation such as UNION has no single SELECT: return None for a derived table that is a set operation, and an
    empty SELECT for a CTE that is one. `common` looks up CTEs.
    """
    if isinstance(node, exp.Subquery):
        return node.this if isinstance(node.this, exp.Select) else None
    named = common(node) if isinstance(node, exp.Table) else None
    return named[0] if named is not None else None


_APART = ("group", "having", "distinct", "limit", "offset")


def _stays_apart(select: exp.Select | None) -> bool:
    """Return whether a SELECT groups, deduplicates or limits its rows, or has window functions; False for None.

    Such a SELECT cannot be merged into the outer block. Without this check, each nested level would be read twice, once
    for merging and once as a table of its own, and the time would double with each level.
    """
    if select is None:
        return False
    if any(select.args.get(clause) for clause in _APART):
        return True
    outer = (node for item in select.expressions for node in item.walk(prune=lambda node: isinstance(node, exp.Query)))
    return any(isinstance(node, exp.Window) or (_is_call(node) and meant(node.name) in AGGREGATES) for node in outer)


def _is_call(node: Tree) -> bool:
    return isinstance(node, exp.Anonymous) and isinstance(node.this, str)


def _derived_table(node: Tree, taken: frozenset[str], derive: Derive) -> _Item:
    """Return a derived table that is not merged into the outer block, as an item of FROM with one table.

    `derive` reads the derived table, whose id is not in `taken`. Raise Unsupported if two columns have the same name,
    or if the alias renames the columns.
    """
    _refuse_extras(node, ("this", "alias"), renames=True)
    text, columns, branches, inner = derive(node)
    alias = node.alias_or_name
    names = tuple(node.alias_column_names) or tuple(column.name for column in columns)
    if len({name.lower() for name in names}) != len(columns):
        lower = [name.lower() for name in names]
        raise Unsupported(
            f"{alias or 'a derived table'} has two columns named {next(n for n in lower if lower.count(n) > 1)}: give "
            "each column another name"
            if len(names) == len(columns)
            else f"the alias {alias} names {len(names)} columns, but its derived table has {len(columns)}: name each "
            "column once"
        )
    if names != tuple(column.name for column in columns):
        raise Unsupported(
            f"the alias {alias} renames the columns of a derived table that cannot be merged into the outer query, "
            "which is not supported: rename the columns within the derived table"
        )
    name = TableName(("derived table", text))
    occurrence = Occurrence(_free_id(alias, taken), name, alias, columns, text, branches, inner)
    return _Item(Source(alias, occurrence), (occurrence,))


def _slides(node: Tree, taken: frozenset[str], kept: bool) -> _Item:
    """Return the table that the rewriter has added to FROM for a sliding time window, as an item of FROM.

    The table has a row for each window that contains a time. Its only column, `back`, is the number of seconds from the
    start of this window to the start of the last such window; names in the SELECT do not resolve to this column. The id
    of the table is none of those in `taken`. `kept` is true if the block may have derived tables as SQL text; otherwise
    raise Unsupported.
    """
    if not kept:
        raise Unsupported(
            "window() with a slide shorter than the window is not supported in a view's query or in a subquery: in "
            "a view, write a window as long as its slide; in a query, call window() in the outermost SELECT"
        )
    text = f"({node.this.sql('spark', normalize_functions='lower')})"
    columns = (Column(BACK, "int", nullable=False),)
    occurrence = Occurrence(_free_id("slides", taken), TableName((SLIDES, text)), SLIDES, columns, text)
    return _Item(Source(SLIDES), (occurrence,))


def _free_id(name: str, taken: frozenset[str]) -> str:
    """Return an occurrence id that is not in `taken`, made from the table's name, such as orders_0.

    Because of the name in the id, a view and a query mostly use the same ids for the same tables.
    """
    plain = name.lower() if _PLAIN.fullmatch(name) else "t"
    return next(free for n in count() if (free := f"{plain}_{n}") not in taken)


def _block_of(node: Tree, common: Common, build: Build, taken: frozenset[str]) -> Block | None:
    """Return the block of a derived table or CTE in FROM; None for other items.

    `common` looks up CTEs, and `build` builds the block, whose tables get ids that are not in `taken`. Raise
    Unsupported if a block cannot represent the SELECT.
    """
    select = _select_of(node, common)
    if select is None:
        return None
    if isinstance(node, exp.Subquery):
        _refuse_extras(node, ("this", "alias"), renames=True)
        return _renamed(node, build(select, taken))
    _refuse_extras(node, ("this", "alias"))
    named = common(node) if isinstance(node, exp.Table) else None
    assert named is not None
    return named[1](select, taken)


def _renamed(node: exp.Subquery, block: Block) -> Block:
    """Return a derived table's block with the column names of its alias, as in `FROM (…) AS x (a, b)`.

    Raise Unsupported if the numbers of columns differ.
    """
    names = tuple(node.alias_column_names)
    if names and len(names) != len(block.names):
        raise Unsupported(
            f"the alias {node.alias} names {len(names)} columns, but its derived table has {len(block.names)}: "
            "name each column once"
        )
    return replace(block, names=names) if names else block


def known_scope(tree: exp.Select, find: Find, common: Common, build: Build) -> Scope:
    """Return the scope of a SELECT's FROM clause; items of FROM that are unknown or unsupported are left out.

    `find` looks up tables, `common` looks up CTEs, and `build` builds the blocks of derived tables.
    """
    tables: list[Occurrence] = []
    sources: list[Source] = []
    for node in from_items(tree):
        taken = frozenset(table.id for table in tables)
        try:
            block = _block_of(node, common, build, taken)
            item = _table(node, taken, find) if block is None else _offered(block, node.alias_or_name)
        except Unsupported:
            continue
        tables += item.tables
        sources.append(item.source)
    return Scope(tuple(tables), tuple(sources))


def _offered(block: Block, alias: str) -> _Item:
    outputs = tuple(zip(block.names, block.outputs, strict=True))
    return _Item(Source(alias, derived=outputs), block.tables, block.where, block.joins)


def _merged(block: Block, alias: str) -> _Item:
    """Return a derived table's block as an item of FROM, named `alias`, that is merged into the outer block.

    Raise Unsupported if the block groups, deduplicates or limits its rows, if it has window functions, or if an output
    has more than MOST_NODES nodes.
    """
    if block.keys is not None or block.limit is not None or block.offset is not None or not block.plain:
        clause = (
            "groups its rows"
            if block.keys is not None
            else "has LIMIT or OFFSET"
            if block.plain
            else "has DISTINCT or a window function"
        )
        raise Unsupported(
            f"{alias or 'a derived table'} {clause}, so the derived table cannot be merged into the outer query: write "
            "the outer query over the tables that the derived table reads"
        )
    if any(len(nodes_of(output)) > MOST_NODES for output in block.outputs):
        raise Unsupported(
            f"{alias or 'a derived table'} has an expression with more than {MOST_NODES} operators and operands, so "
            "the derived table cannot be merged into the outer query: simplify the expression"
        )
    # The outer query may reject the rows that an outer join has filled with NULLs: see `simplified`.
    return _offered(replace(block, tables=tuple(map(_as_declared, block.tables))), alias)


def simplified(clause: FromClause, where: Sequence[Tree]) -> FromClause:
    """Return the clause with each LEFT join made inner if the filter rejects the rows that the join fills with NULLs.

    `a LEFT JOIN b … WHERE b.x > 1` gives `a JOIN b`. `where` are the conjuncts of WHERE. A FULL join becomes a LEFT
    join if the filter rejects the NULLs of one side. Columns that a remaining outer join may fill with NULLs become
    nullable.

    law: a filter that is never true for NULL in a column of a table drops all rows in which the join filled this table
         with NULLs; so a LEFT join is then an inner join, and a FULL join is a LEFT join that preserves the side of
         this table
    """
    conjuncts, joins = [*clause.where, *where], [_kept_side(j, [*clause.where, *where]) for j in clause.joins]
    while True:
        inner = next((j for j in joins if j.kind == "LEFT" and any(_rejects(c, j) for c in conjuncts)), None)
        if inner is None:
            break
        joins.remove(inner)
        conjuncts += inner.on
    filled = frozenset[str]().union(*(j.tables for j in joins if j.kind in ("LEFT", "FULL")))
    if not filled:
        return clause._replace(where=tuple(conjuncts), joins=tuple(joins))
    tables = tuple(_nullable(t) if t.id in filled else t for t in clause.tables)
    return FromClause(tables, tuple(conjuncts), tuple(joins), replace(clause.scope, tables=tables))


def _kept_side(join: Join, conjuncts: Sequence[Tree]) -> Join:
    """Return a FULL join as a LEFT join if a filter rejects NULLs of one of its tables; else the same join.

    `conjuncts` are the conjuncts of the filter.
    """
    for table in sorted(join.tables) if join.kind == "FULL" else ():
        if any(_rejects(conjunct, replace(join, tables=frozenset({table}))) for conjunct in conjuncts):
            return replace(join, kind="LEFT", tables=join.tables - {table})
    return join


def _rejects(conjunct: Tree, join: Join) -> bool:
    return never_true(conjunct, columns_of(join.tables))


def rejected(conjunct: Tree) -> tuple[Tree, ...]:
    """Return the operands of a conjunct that cannot be NULL where the conjunct is true; empty if none is known.

    `a < b` gives (a, b), and `NOT a IS NULL` gives (a,).
    """
    if isinstance(conjunct, REJECTING):
        return (conjunct.this,) if isinstance(conjunct, exp.In) else (conjunct.this, conjunct.expression)
    inner = conjunct.this if isinstance(conjunct, exp.Not) else None
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return (inner.this,)
    return rejected(inner) if isinstance(inner, REJECTING) else ()


def _nullable(table: Occurrence) -> Occurrence:
    columns = tuple(column._replace(nullable=True) for column in table.columns)
    return replace(table, columns=columns, declared=table.declared or table.columns)


def _as_declared(table: Occurrence) -> Occurrence:
    return replace(table, columns=table.declared, declared=()) if table.declared else table
