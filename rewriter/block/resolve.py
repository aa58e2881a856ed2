"""Builds the query block (the normal form) of a SELECT: resolves names, output aliases and ordinals (`GROUP BY 1`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

from sqlglot import exp

from rewriter.block.conjuncts import conjuncts_of
from rewriter.block.expressions import call_problem, canonical
from rewriter.block.form import Block, Ordering, Unsupported, around
from rewriter.block.from_clause import (
    MOST_NODES,
    Build,
    Common,
    Derive,
    Find,
    Found,
    FromClause,
    from_problem,
    known_scope,
    read_from,
    simplified,
)
from rewriter.block.group_by import grouping_ids, read_group_by
from rewriter.block.opaque import SCALAR, opaque_within, shown, text_of
from rewriter.block.scope import Scope
from rewriter.block.subqueries import read_where
from rewriter.block.traits import aggregate_of, has_aggregate
from rewriter.block.unmatched import with_anti_joins
from rewriter.block.windows import refuse_ties
from rewriter.block.words import words
from rewriter.functions.registry import AGGREGATES, GROUPING, meant
from rewriter.functions.trees import ROWS, number
from rewriter.model import Column, TableName
from rewriter.sql import (
    CommonTable,
    SelectBlock,
    Statement,
    columns_in,
    every,
    excerpt,
    holds,
    names_called,
    nodes_of,
    windows_in,
)

Tree = exp.Expr
# Returns the canonical tree of an outer reference: a column that no table of the block has.
Outer = Callable[[exp.Column], Tree]
# Clauses whose SQL name differs from the parser's.
_CLAUSES = {
    "laterals": "LATERAL VIEW",
    "sort": "SORT BY",
    "cluster": "CLUSTER BY",
    "distribute": "DISTRIBUTE BY",
    "windows": "WINDOW",
}
_ROW_CLAUSES = frozenset({"expressions", "from_", "joins", "where"})
READ_CLAUSES = _ROW_CLAUSES | frozenset({"group", "having", "order", "limit", "offset", "distinct"})


class Texts(NamedTuple):
    """The parameters for reading subqueries and derived tables that a block contains as SQL text.

    - `of`: returns the SQL text of a subquery, as the statement contains it
    - `levels`: limits how deeply subqueries may be nested
    - `known`: the texts of subqueries that are known to be supported, and are not checked again
    - `derive`: reads a derived table that cannot be merged into the block; if it is None, such a derived table raises
      Unsupported
    - `names`: returns the output names of a derived table's block, including the names that Spark generates; None for
      a name that is not known for certain. If `names` is None, generated names are unknown
    """

    of: Callable[[exp.Select], str]
    levels: int = 3
    known: frozenset[str] = frozenset()
    derive: Derive | None = None
    names: Callable[[exp.Select, Block], tuple[str | None, ...]] | None = None


def build_block(
    tree: exp.Select,
    find: Find,
    common: Common | None = None,
    taken: frozenset[str] = frozenset(),
    texts: Texts | None = None,
    outer: Outer | None = None,
    *,
    ties: bool = False,
    exists: bool = False,
    decides: bool = True,
) -> Block:
    """Return the block of a SELECT; raise Unsupported for SQL that a block cannot represent.

    `find` looks up a table's name and columns, `common` looks up a CTE. The ids of the tables are none of those in
    `taken`. Without `texts`, only subqueries that become semi or anti joins are supported. `outer` resolves outer
    references in WHERE; without `outer`, outer references raise Unsupported. With `ties`, window functions such as
    row_number() may distinguish rows that are equal under their ORDER BY. With `exists`, the SELECT is the subquery of
    EXISTS, whose outputs do not matter: `*` becomes one constant instead of all columns. `decides` is true if an outer
    query may filter, join, group or deduplicate rows by the outputs, or if the statement writes the rows.
    """
    if problem := clause_problem(tree):
        raise Unsupported(problem)

    def build(inner: exp.Select, taken: frozenset[str]) -> Block:
        return _named(build_block(inner, find, common, taken, texts), inner, texts)

    def read(inner: exp.Select, taken: frozenset[str]) -> FromClause:
        return read_from(inner, find, common or _no_common, build, taken, texts.derive if texts is not None else None)

    sources = read(tree, taken)
    if texts is not None:
        constant = partial(_constant, find=find, common=common, texts=texts)
        sources = sources._replace(scope=sources.scope.using(constant=constant))
    within = sources if outer is None else sources._replace(scope=sources.scope.using(outer=outer))
    where = read_where(tree.args.get("where"), within, read, taken)
    joined = where.on(sources)
    source = simplified(joined, where.conjuncts)
    one = _SelectList(source.scope, [(number(1), None, False)]) if exists and _takes_all(tree) else None
    select = one or _select_list(tree, source.scope)
    plain = Block(source.tables, source.where, select.outputs, select.names, joins=source.joins, decides=decides)
    block = _grouped(tree, select, plain, ties)
    for conjunct in block.where:
        if has_aggregate(conjunct) or calls(conjunct, GROUPING):
            call = "an aggregate" if has_aggregate(conjunct) else "grouping() or grouping_id()"
            raise Unsupported(f"WHERE contains {call} in {words(conjunct)}: put this condition into HAVING")
    return with_anti_joins(block, joined.tables)


def _named(block: Block, tree: exp.Select, texts: Texts | None) -> Block:
    """Return the block of a derived table or CTE with the names that Spark generates for outputs without an alias.

    `tree` is the SELECT of the block, and `texts` has the function that returns the names.
    """
    if None not in block.names or texts is None or texts.names is None:
        return block
    return replace(block, names=texts.names(tree, block))


def syntax_problem(tree: exp.Select) -> str:
    """Return why a SELECT is unsupported whatever tables it reads: because of a clause, an item of FROM or a function.

    Return an empty string if there is no such reason.
    """
    return clause_problem(tree) or from_problem(tree) or call_problem(tree)


def clause_problem(tree: exp.Select) -> str:
    """Return why a SELECT is unsupported because of one of its clauses, such as a hint; empty if there is no such
    clause.
    """
    clause = _unread_clause(tree)
    if clause == "HINT":
        return "a hint of Spark is not supported: remove the hint"
    return "" if clause is None else f"the clause {clause} is not supported: {_remedy(clause)}"


def _unread_clause(tree: exp.Select) -> str | None:
    clause = next((name for name, value in tree.args.items() if value and name not in READ_CLAUSES), None)
    return None if clause is None else _CLAUSES.get(clause, clause.rstrip("_").upper())


def _remedy(clause: str) -> str:
    if clause in ("SORT BY", "CLUSTER BY", "DISTRIBUTE BY"):
        return "remove the clause, or write ORDER BY"
    return "write each window in OVER (…)" if clause == "WINDOW" else around(f"write {clause}")


def _constant(query: Tree, find: Find, common: Common | None, texts: Texts) -> str:
    """Return the text of an uncorrelated subquery; raise Unsupported if the subquery is correlated or not supported.

    `find` looks up tables, `common` looks up CTEs, and `texts` has the parameters for reading subqueries.
    """
    select = query.unnest()
    if not isinstance(select, exp.Select):
        raise Unsupported(f"{shown(query)} is not supported: write the subquery as a single SELECT, without UNION")
    if texts.known and (text := texts.of(select)) in texts.known:
        return text
    deeper = texts._replace(levels=texts.levels - 1) if texts.levels > 1 else None

    def outer(node: exp.Column) -> Tree:
        raise Unsupported(
            f"{shown(query)} refers to {node.sql('spark')}, a column of the outer query, which is supported only with "
            "EXISTS or IN in WHERE: write the subquery as a join"
        )

    block = build_block(select, find, common, texts=deeper, outer=outer)
    if block.limit is not None or block.offset is not None:
        clause = "LIMIT" if block.limit is not None else "OFFSET"
        raise Unsupported(
            f"{shown(query)} has {clause}, which is not supported in a subquery: remove {clause}, if the subquery's "
            f"rows do not depend on {clause}"
        )
    return texts.of(select)


def find_among(statement: Statement, columns: Mapping[TableName, tuple[Column, ...]]) -> Find:
    """Return a function that looks up a statement's tables in `columns`; the function returns None for other tables."""

    def find(table: exp.Table) -> Found | None:
        name = statement.resolve(table)
        return Found(name, columns[name]) if name is not None and name in columns else None

    return find


def scope_of(tree: exp.Select, find: Find, common: Common) -> Scope:
    """Return the scope of a SELECT's FROM clause; unknown and unsupported items of FROM are left out.

    `find` looks up tables, and `common` looks up CTEs.
    """

    def plain(item: exp.Table) -> tuple[exp.Select, Build] | None:
        named = common(item)
        return (_unfiltered(named[0]), named[1]) if named is not None else None

    return known_scope(tree, find, plain, lambda inner, taken: build_block(_unfiltered(inner), find, common, taken))


def _unfiltered(tree: exp.Select) -> exp.Select:
    """Return a copy of the SELECT without WHERE clauses, which affect neither names nor types."""
    plain = tree.copy()
    for select in every(plain, exp.Select):
        select.set("where", None)
    return plain


def full_scope(tree: exp.Select, find: Find, common: Common) -> Scope:
    """Return the scope of a SELECT's FROM clause; raise Unsupported if the names of some columns are unknown.

    `find` looks up tables, and `common` looks up CTEs.
    """
    if (clause := _unread_clause(tree)) is not None:
        raise Unsupported(
            f"the outer SELECT has the clause {clause}, which is not supported, so not all columns of the outer "
            "SELECT are known: write the outer SELECT without this clause, if its rows do not depend on the clause"
        )
    build: Build = lambda inner, taken: build_block(inner, find, common, taken)  # noqa: E731
    return read_from(tree, find, common, build, frozenset()).scope


def _no_common(_: exp.Table) -> None:
    """Return None: there are no CTEs, so that no item of FROM names a CTE."""


def common_tables(statement: Statement, find: Find, texts_of: Callable[[SelectBlock], Texts] | None = None) -> Common:
    """Return a function that looks up the CTE that an item of FROM names; the function returns None for other items.

    `find` looks up the tables that CTEs read. `texts_of` returns the parameters for reading the subqueries and the
    unmerged derived tables of a CTE's SELECT. Without `texts_of`, building the block of a CTE with a subquery or with
    an unmerged derived table raises Unsupported.
    """

    def build_of(table: CommonTable) -> Build:
        def build(tree: exp.Select, taken: frozenset[str]) -> Block:
            if table.block.tree is None:
                raise Unsupported(table.block.problem)
            texts = texts_of(table.block) if texts_of is not None else None
            return _named(build_block(tree, find, common, taken, texts), tree, texts)

        return build

    def common(item: exp.Table) -> tuple[exp.Select, Build] | None:
        table = statement.common_of(item)
        # A set operation has no single SELECT: with an empty one instead, FROM reads the CTE as a derived table.
        return (table.block.tree or exp.Select(), build_of(table)) if table is not None else None

    return common


@dataclass(frozen=True)
class _SelectList:
    """The outputs of a SELECT, among which aliases and ordinals are resolved.

    `items` has each output's canonical expression, its name (None if unknown), and whether the name is an alias.
    `made` are the places of the outputs that use aliases of outputs before them.
    """

    scope: Scope
    items: Sequence[tuple[Tree, str | None, bool]]
    made: frozenset[int] = frozenset()

    @property
    def outputs(self) -> tuple[Tree, ...]:
        return tuple(tree for tree, _, _ in self.items)

    @property
    def names(self) -> tuple[str | None, ...]:
        return tuple(name for _, name, _ in self.items)

    def read(self, node: Tree) -> Tree:
        """Return an expression of HAVING in canonical form; a name in HAVING is a column or an output alias."""
        return canonical(node, self._aliased)

    @cached_property
    def _aliased(self) -> Scope:
        return self.scope.using(self.alias)

    def read_key(self, node: Tree) -> Tree:
        """Return an item of GROUP BY in canonical form; a column takes precedence over an output alias.

        Raise Unsupported, as Spark does, for an alias or position of an output that uses an alias before it.
        """
        if self.made:
            self._refuse_made(node)
        return self._item(node, self._before_aliases)

    def _refuse_made(self, node: Tree) -> None:
        unqualified = {column.name.lower() for column in columns_in(node) if not column.table}
        position = int(node.name) - 1 if isinstance(node, exp.Literal) and node.name.isdigit() else None
        for place in self.made:
            _, name, aliased = self.items[place]
            named = aliased and name is not None and name.lower() in unqualified and not self.scope.has(name)
            if named or place == position:
                raise Unsupported(
                    f"GROUP BY {excerpt(node)} names an output that uses the alias of another output, which Spark "
                    "refuses: write the expression of the output in GROUP BY"
                )

    @cached_property
    def _before_aliases(self) -> Scope:
        return self.scope.using(lambda name: None if self.scope.has(name) else self.alias(name))

    def read_order(self, node: Tree) -> Tree:
        """Return an item of ORDER BY in canonical form.

        An output takes precedence over a column of the same name, except if the item contains an aggregate.
        """
        aggregates = any(meant(call.name) in AGGREGATES for call in every(node, exp.Anonymous))
        return self._item(node, self._aliased if aggregates else self.scope.using(self._output))

    def _item(self, node: Tree, scope: Scope) -> Tree:
        """Return the output at a position such as the 2 of `GROUP BY 2`; return any other expression in canonical form.

        Raise Unsupported if there is no output at the position.
        """
        if isinstance(node, exp.Literal) and not node.is_string:
            position = int(node.name) if node.name.isdigit() else 0
            if not 1 <= position <= len(self.items):
                raise Unsupported(
                    f"{node.name} in GROUP BY or ORDER BY is not a position in the SELECT list: "
                    f"give a number from 1 to {len(self.items)}"
                )
            return self.items[position - 1][0]
        found = canonical(node, scope)
        if isinstance(node, exp.Neg) and not holds(found, (exp.Column, exp.Anonymous)):
            raise Unsupported(
                f"{excerpt(node)} in GROUP BY or ORDER BY is not a position in the SELECT list: "
                f"give a number from 1 to {len(self.items)}"
            )
        return found

    def _output(self, name: str) -> Tree | None:
        """Return the output with this name; None if no output has the name.

        Raise Unsupported if two different outputs have the name.
        """
        named = {tree for tree, label, _ in self.items if label and label.lower() == name.lower()}
        if len(named) > 1:
            raise Unsupported(f"{name} is ambiguous, because two outputs have this name: rename one output")
        return next(iter(named), None)

    def alias(self, name: str) -> Tree | None:
        """Return the expression of an output alias; None if no output has the alias `name`.

        Raise Unsupported if two different outputs have the alias, or if the alias is also the name of a column and
        means another expression.
        """
        named = {tree for tree, label, aliased in self.items if aliased and label and label.lower() == name.lower()}
        if not named:
            return None
        if len(named) > 1:
            raise Unsupported(f"{name} is ambiguous, because two outputs have this name: rename one output")
        if self.scope.has(name) and not self._is_that_column(name, next(iter(named))):
            raise Unsupported(f"{name} is ambiguous, because an output and a column have this name: rename the output")
        return next(iter(named))

    def _is_that_column(self, name: str, tree: Tree) -> bool:
        return tree == self.scope.column(exp.column(name))


def _takes_all(tree: exp.Select) -> bool:
    """Return whether a SELECT is `SELECT *` without clauses other than FROM (with joins) and WHERE."""
    plain = all(clause in _ROW_CLAUSES for clause, value in tree.args.items() if value)
    return plain and all(isinstance(item, exp.Star) for item in tree.expressions)


def _select_list(tree: exp.Select, scope: Scope) -> _SelectList:
    """Return the outputs of a SELECT, each with its name, and whether the name is an alias.

    The name is None if the output has no alias and is not a plain column, because Spark then generates the name. An
    output may use the aliases of outputs before it, as in `SELECT a + 1 AS b, b * 2 AS c`.
    """
    earlier = _Earlier()
    within = scope
    items: list[tuple[Tree, str | None, bool]] = []
    made = set[int]()
    for item in tree.expressions:
        if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
            items += _star(item, scope)
            continue
        output = canonical(item.unalias(), within)
        if earlier.used:
            earlier.check(item)
            made.add(len(items))
        if isinstance(item, exp.Alias):
            if within is scope:
                within = scope.using(lateral=earlier.meant)
            items.append((output, item.alias, True))
            earlier.add(item.alias, output)
        else:
            items.append((output, item.name if isinstance(item, exp.Column) else None, False))
    return _SelectList(scope, items, frozenset(made))


class _Earlier:
    """The aliases of a SELECT list before the output that is being read; `used` are those that this output uses.

    law: a name is a column of FROM, else an alias before it in the SELECT list, else an outer reference
    no:  a name within an aggregate or a window function, where Spark refuses such an alias
    """

    def __init__(self) -> None:
        self._outputs: dict[str, list[Tree]] = {}
        self.used: set[str] = set()

    def add(self, alias: str, output: Tree) -> None:
        self._outputs.setdefault(alias.lower(), []).append(output)

    def meant(self, name: str) -> Tree | None:
        """Return the output with this alias, which must be in lower case; None if no output before has the alias.

        Raise Unsupported if several outputs have the alias, or if the output is too large.
        """
        found = self._outputs.get(name, ())
        if len(found) > 1:
            raise Unsupported(f"{name} is ambiguous, because two outputs have this alias: rename one output")
        if not found:
            return None
        # A column added to itself in each of several outputs doubles.
        if len(nodes_of(found[0])) > MOST_NODES:
            raise Unsupported(
                f"{name} stands for an expression with more than {MOST_NODES} operators and operands, which is not "
                "supported: compute it in a derived table"
            )
        self.used.add(name)
        return found[0].copy()

    def check(self, item: Tree) -> None:
        """Raise Unsupported if the output `item`, just read, uses an alias within an aggregate or a window function.

        Clear `used` for the next output.
        """
        used, self.used = self.used, set()
        calls_of_many = (
            node
            for node in item.walk()
            if isinstance(node, exp.Window) or (isinstance(node, exp.Anonymous) and meant(node.name) in AGGREGATES)
        )
        within = {column.name.lower() for call in calls_of_many for column in columns_in(call) if not column.table}
        if not used.isdisjoint(within):
            name = min(used & within)
            raise Unsupported(
                f"{excerpt(item)} uses the output alias {name} in an aggregate or a window function, which Spark "
                f"refuses: write the expression of {name}"
            )


def _star(item: Tree, scope: Scope) -> Iterator[tuple[Tree, str | None, bool]]:
    star = item.this if isinstance(item, exp.Column) else item
    columns = [(tree, name, False) for name, tree in scope.star(item.table if isinstance(item, exp.Column) else None)]
    without = star.args.get("except_") or ()
    left_out = sorted(column.name.lower() for column in without if len(column.parts) == 1)
    found = sorted(name.lower() for _, name, _ in columns if name and name.lower() in left_out)
    changed = star.args.get("replace") or star.args.get("rename")
    if changed or len(left_out) < len(without) or found != left_out:
        raise Unsupported(f"{excerpt(item)} is not supported: list the columns instead of *")
    yield from (column for column in columns if (column[1] or "").lower() not in left_out)


def _grouped(tree: exp.Select, select: _SelectList, block: Block, ties: bool) -> Block:
    """Return the block with GROUP BY and the clauses that are evaluated after it: HAVING, DISTINCT, ORDER BY, LIMIT.

    `block` is the block without these clauses, and `select` has the outputs, whose aliases and positions the clauses
    may name. With `ties`, window functions such as row_number() may distinguish rows that are equal under their ORDER
    BY. Raise Unsupported for clauses that a block cannot represent.
    """
    group, having_clause = tree.args.get("group"), tree.args.get("having")
    by = read_group_by(group, select.read_key, select.outputs) if group is not None else None
    order = tuple(_ordering(item, select) for item in (tree.args.get("order") or exp.Order()).expressions)
    keys, sets = (by.keys, by.sets) if by is not None else (None, None)
    result = Block(
        block.tables, block.where, block.outputs, block.names, keys,
        tuple(conjuncts_of(select.read(having_clause.this))) if having_clause is not None else (), order,
        _count(tree.args.get("limit")), _count(tree.args.get("offset")), block.joins, sets, decides=block.decides,
    )  # fmt: skip
    if by is not None and by.constant:
        result = replace(result, having=(*result.having, _any_rows()))
    if sets is not None:
        result = _with_grouping_ids(result)
    if keys is None and (result.having or any(has_aggregate(e) for e in _behind_groups(result))):
        result = replace(result, keys=())
    if tree.args.get("distinct"):
        result = _distinct(tree, result)
    _check(result, ties)
    return result


def _any_rows() -> Tree:
    return exp.GT(this=ROWS.copy(), expression=exp.Literal.number(0))


def _behind_groups(block: Block) -> tuple[Tree, ...]:
    """Return the expressions that are evaluated after grouping: outputs, HAVING and ORDER BY."""
    return (*block.outputs, *block.having, *(item.key for item in block.order))


def _with_grouping_ids(block: Block) -> Block:
    keys = block.keys or ()
    return replace(
        block,
        outputs=tuple(grouping_ids(tree, keys) for tree in block.outputs),
        having=tuple(grouping_ids(tree, keys) for tree in block.having),
        order=tuple(replace(item, key=grouping_ids(item.key, keys)) for item in block.order),
    )


def _distinct(tree: exp.Select, block: Block) -> Block:
    """Return the block with DISTINCT.

    Without groups and windows, DISTINCT becomes grouping by all outputs that are not constants; else `distinct` is set.
    Raise Unsupported for DISTINCT ON, and if ORDER BY names an expression that is not an output.
    """
    if tree.args["distinct"].args.get("on"):
        raise Unsupported("DISTINCT ON is not supported: filter by row_number() instead")
    outputs = tuple(dict.fromkeys(output for output in block.outputs if columns_in(output)))
    if block.keys is None and outputs and block.plain:
        return replace(block, keys=outputs)
    left_out = next((item.key for item in block.order if item.key not in block.outputs), None)
    if left_out is not None:
        raise Unsupported(
            f"ORDER BY names {words(left_out)}, which is not an output of the SELECT DISTINCT: add {words(left_out)} "
            "to the outputs"
        )
    return replace(block, distinct=True)


def _check(block: Block, ties: bool) -> None:
    """Raise Unsupported for expressions that Spark rejects, or whose value depends on the order of rows.

    With `ties`, window functions whose value depends on the order of equal rows are allowed.
    """
    for tree in _behind_groups(block):
        if block.keys is not None:
            _check_grouped(tree, block.keys)
        if block.sets is None and calls(tree, GROUPING):
            raise Unsupported(
                "grouping() and grouping_id() are supported, as in Spark, only with GROUPING SETS, ROLLUP or CUBE: "
                "write one of these in GROUP BY"
            )
        if not ties:
            refuse_ties(tree, block.keys if block.sets is None else None)
    _check_subqueries(block)
    if any(windows_in(item.key) and item.key not in block.outputs for item in block.order):
        raise Unsupported(
            "ORDER BY has a window function that is not an output: add the window function to the outputs, which "
            "adds a column to the result"
        )
    on = [conjunct for join in block.joins for conjunct in join.on]
    for clause, trees in (("WHERE", block.where), ("HAVING", block.having), ("ON", on)):
        if any(map(windows_in, trees)):
            raise Unsupported(
                f"{clause} has a window function: compute the window function in a subquery, and filter in the outer "
                "SELECT"
            )


def _check_subqueries(block: Block) -> None:
    """Raise Unsupported for a subquery in a clause in which Spark might reject the rewritten query.

    Scalar subqueries are refused in GROUP BY and ON, subqueries of IN and EXISTS in all clauses except WHERE and
    HAVING.
    """
    on = [conjunct for join in block.joins for conjunct in join.on]
    for clause, trees in (("GROUP BY", block.keys or ()), ("the ON clause of a join", on)):
        if any(True for tree in trees for _ in opaque_within(tree)):
            raise Unsupported(f"a subquery in {clause} is not supported: write the subquery as a derived table in FROM")
    outside = (*block.outputs, *(item.key for item in block.order))
    for call in (call for tree in outside for call in opaque_within(tree) if call.name != SCALAR):
        raise Unsupported(
            f"IN or EXISTS with the subquery {excerpt(text_of(call))} is supported only in WHERE and HAVING: move the "
            "condition to WHERE or HAVING"
        )


def _check_grouped(expression: Tree, keys: tuple[Tree, ...]) -> None:
    """Raise Unsupported for a column that is neither a grouping key nor within an aggregate, as Spark does."""
    if expression in keys or aggregate_of(expression) is not None:
        return
    if isinstance(expression, exp.Column):
        raise Unsupported(
            f"the column {expression.name} is neither grouped nor aggregated: add {expression.name} to GROUP BY, or "
            f"use {expression.name} only in aggregates"
        )
    for child in expression.iter_expressions():
        if not isinstance(child, (exp.DataType, exp.Identifier)):
            _check_grouped(child, keys)


def calls(tree: Tree, names: frozenset[str]) -> bool:
    """Return whether an expression calls a function with one of these names."""
    return not names.isdisjoint(names_called(tree))


def _ordering(item: Tree, select: _SelectList) -> Ordering:
    if not isinstance(item, exp.Ordered) or item.args.get("with_fill"):
        raise Unsupported(
            f"ORDER BY {excerpt(item)} has an option that is not supported: write an expression, and optionally ASC "
            "or DESC, and NULLS FIRST or NULLS LAST"
        )
    if isinstance(item.this, exp.Var):
        raise Unsupported(f"ORDER BY {item.this.name} is not supported: name the outputs by which to sort")
    return Ordering(select.read_order(item.this), bool(item.args.get("desc")), bool(item.args.get("nulls_first")))


def _count(clause: Tree | None) -> str | None:
    if clause is None:
        return None
    value = clause.expression
    if (
        not isinstance(clause, (exp.Limit, exp.Offset))
        or not isinstance(value, exp.Literal)
        or not value.name.isdigit()
    ):
        raise Unsupported(f"{excerpt(clause)} is not supported: LIMIT and OFFSET take a whole number")
    name: str = value.name
    return name
