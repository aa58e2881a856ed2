"""Compares queries with several levels of GROUP BY, level by level.

Each grouped derived table is replaced by a table with one row for each group, and with a column for each key and each
aggregate; filters on groups are moved to the outer level. With g as the table of the groups,
`SELECT max(s) FROM (SELECT k, sum(x) AS s FROM t GROUP BY k HAVING count(*) > 9)` becomes
`SELECT max(g.sum) FROM g WHERE g.count > 9`. Derived tables with equal groups are replaced by the same table, so that
the outer levels can be compared.

law:    a filter on keys or aggregates of a grouped derived table drops the same groups inside the derived table
        (HAVING) and outside it (WHERE)
law:    two grouped derived tables have the same groups if they group the same rows by the same keys
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from rewriter.block import Block, Join, Occurrence, Ordering, has_aggregate
from rewriter.block.changed import changed, mapped, renamed_block
from rewriter.block.predicates import equated
from rewriter.layers import outermost_aggregates, part_of
from rewriter.model import Column, TableName
from rewriter.schema import expression_type
from rewriter.sql import columns_in, windows_in
from rewriter.verify.compare import Comparison, compare, compared_as
from rewriter.verify.forms import Mode
from rewriter.verify.keys import Tables
from rewriter.verify.normal import equalities, normal_block, represented
from rewriter.verify.unfold import Undecided, mappings

Tree = exp.Expr


def has_layers(block: Block) -> bool:
    """Return whether a block has HAVING or reads a derived table of a single SELECT, and so has several levels of
    groups.
    """
    return bool(block.having) or any(table.inner is not None for table in block.tables)


def compare_layers(question: Block, plan: Block, tables: Tables, mode: Mode) -> Comparison:
    """Compare two blocks with several levels of groups, with a table of groups in place of each grouped derived table.

    If the blocks then differ, the comparison is repeated with the GROUP BY of one block, then of both blocks, replaced
    by a table of groups, too. Return the first comparison without a difference, or else the last comparison. Raise
    Undecided if an outer join of groups cannot be compared. `question` is the block to be answered, `plan` the block of
    the plan; `tables` returns the table of a name, or None. `mode` has the session's time zone and ANSI mode.
    """
    layers = _Layers(tables, mode)
    forms = (
        (asked, made)
        for asked in (layers.named(question), layers.lifted(question))
        for made in (layers.named(plan), layers.lifted(plan))
    )
    found = [layers.compared(*next(forms))]
    while found[-1].difference and (pair := next(forms, None)) is not None:
        found.append(layers.compared(*pair))
    return found[-1]


@dataclass
class _Groups:
    """A grouped block, with the name of a table that stands for its groups, and a column name for each key and
    aggregate used.
    """

    block: Block
    name: TableName
    columns: dict[Tree, str] = field(default_factory=dict)

    def column(self, part: Tree) -> str:
        return self.columns.setdefault(part, f"c{len(self.columns)}")


@dataclass(frozen=True)
class _Read:
    """A grouped block as it appears to a block that reads it: as a table with one row for each group.

    `parts` maps each key and aggregate of the grouped block to the column of this table; `outputs`, `order` and
    `filters` are written over these columns.
    """

    groups: _Groups
    parts: Mapping[Tree, Tree]
    outputs: tuple[Tree, ...] = ()
    order: tuple[Ordering, ...] = ()
    filters: tuple[Tree, ...] = ()

    def over(self, tree: Tree) -> Tree:
        return changed(tree, lambda node: part_of(self.parts, node))


class _Layers:
    """A comparison of two blocks, in both of which each grouped derived table is replaced by a table of its groups.

    Derived tables that certainly have the same groups are replaced by the same table.
    """

    def __init__(self, tables: Tables, mode: Mode) -> None:
        self._tables, self._mode = tables, mode
        self._known: list[_Groups] = []
        self.axioms: dict[str, None] = {}

    def compared(self, question: Block, plan: Block) -> Comparison:
        """Compare two blocks, each grouped derived table replaced by a table of its groups.

        The result also names the trusted keys by which two derived tables have the same groups. `question` is the block
        to be answered, `plan` the block of the plan. A difference is not certain if the blocks differ in a condition on
        a column whose possible values are not known, such as a count.
        """
        asked, computed = self.typed(question), self.typed(plan)
        found = compare(asked, computed, self._tables, self._mode)
        axioms = tuple(dict.fromkeys((*self.axioms, *found.axioms)))
        different = {*asked.where} ^ {*computed.where}
        columns = {column for tree in different for column in columns_in(tree)}
        certain = found.certain and all(self._is_free(column, asked) for column in columns)
        return replace(found, certain=certain, axioms=axioms)

    def _is_free(self, column: exp.Column, block: Block) -> bool:
        """Return whether a column of a block may have any value of its type.

        Return False for a column that stands for an aggregate, such as a count, which is never negative. Return False
        also for a key that a filter within the groups' block restricts, and for a column of groups that are computed
        from other groups.
        """
        known = {groups.name: groups for groups in self._known}
        groups = next((known.get(table.name) for table in block.tables if table.id == column.table), None)
        if groups is None:
            return True
        if any(table.name in known for table in groups.block.tables):
            return False
        part = next(part for part, name in groups.columns.items() if name == column.name)
        on = (tree for join in groups.block.joins for tree in join.on)
        limited = {c for tree in (*groups.block.where, *on) for c in columns_in(tree)}
        return part in (groups.block.keys or ()) and isinstance(part, exp.Column) and part not in limited

    def lifted(self, block: Block) -> Block:
        """Return a grouped block as an ungrouped block over a table that has one row for each group.

        Return an ungrouped block with each grouped derived table replaced by such a table. Equal groups get the same
        table name.
        """
        read = self._read(block, "groups")
        if read is None:
            return self.named(block)
        table = Occurrence("groups", read.groups.name, "groups", ())
        rows = replace(
            block, tables=(table,), where=read.filters, outputs=read.outputs, joins=(), keys=None, having=(),
            order=read.order, since=(),
        )  # fmt: skip
        return _distinct_as_groups(rows)

    def typed(self, block: Block) -> Block:
        """Return the block in normal form, with the columns and types of the tables that stand for groups.

        Such a table has one column for each key and aggregate that one of the compared blocks uses.
        """
        return normal_block(self._with_columns(block), self._mode)

    def _with_columns(self, block: Block) -> Block:
        known = {groups.name: groups for groups in self._known}
        tables = (
            replace(table, columns=self._columns(known[table.name])) if table.name in known else table
            for table in block.tables
        )
        return replace(block, tables=tuple(tables))

    def _columns(self, groups: _Groups) -> tuple[Column, ...]:
        block = self._with_columns(groups.block)
        return tuple(Column(name, expression_type(part, block)) for part, name in groups.columns.items())

    def named(self, block: Block) -> Block:
        """Return the block with each grouped derived table replaced by a table that has one row for each group.

        Equal groups get the same table name. Raise Undecided for an outer join of groups that cannot be replaced.
        """
        filled = frozenset[str]().union(*(join.tables for join in block.joins if join.kind in ("LEFT", "FULL")))
        for table in block.tables:
            if table.inner is not None:
                read = self._read(table.inner, table.id, whole=table.id in filled)
                block = _replaced(block, table, read) if read is not None else block
        return block

    def _normal(self, block: Block) -> Block:
        normal = self.typed(self.named(block))
        return represented(normal, equalities(normal), self._mode)

    def _read(self, block: Block, table: str, *, whole: bool = False) -> _Read | None:
        """Return a grouped block as another block reads it: as a table with one row for each group.

        `table` is the id of this table in the other block. The table's columns are the keys and aggregates; outputs are
        computed from these columns. With `whole`, each output is also a column of its own: `whole` is set if an outer
        join fills the table's columns with NULLs in rows without a match. In such a row, the output
        `coalesce(sum(x), 0)` is NULL, but would be 0 if it were computed from the column for `sum(x)`. Return None for
        an ungrouped block, for grouping sets, and for a derived table with LIMIT, DISTINCT or windows.
        """
        block = self._normal(block)
        if block.keys is None or block.sets is not None:
            return None
        if table != "groups" and (block.limit or block.offset or block.distinct or _has_windows(block)):
            return None
        keys = frozenset(block.keys)
        outside = [tree for tree in block.where if keys and equated(tree, block) is None and _is_of(tree, keys)]
        ordering = (item.key for item in block.order)
        aggregates = (part for t in (*block.outputs, *block.having, *ordering) for part in outermost_aggregates(t))
        parts = tuple(dict.fromkeys((*(block.outputs if whole else ()), *block.keys, *aggregates)))
        rest = tuple(tree for tree in block.where if tree not in outside)
        core = replace(
            block, where=rest, outputs=parts, names=(None,) * len(parts), having=(), order=(), limit=None, offset=None,
            distinct=False, decides=False,
        )  # fmt: skip
        groups, same = self._same(core)
        columns = {part: exp.column(groups.column(as_known), table) for part, as_known in zip(parts, same, strict=True)}
        over = _Read(groups, columns).over
        order = tuple(replace(item, key=over(item.key)) for item in block.order)
        filters = (*outside, *block.having)
        return _Read(groups, columns, tuple(map(over, block.outputs)), order, tuple(map(over, filters)))

    def _same(self, core: Block) -> tuple[_Groups, Sequence[Tree]]:
        """Return the groups, among those of blocks read before, that equal the groups of the block `core`.

        If there are none, give the groups of `core` a name of their own, and return these groups. Also return the
        outputs of `core`, as expressions over the tables of the returned groups.
        """
        bare = replace(core, outputs=(), names=())
        for known in self._known:
            block = self._with_columns(known.block)
            for mapping in mappings(bare, block):
                found = compared_as(block, bare, mapping, self._tables, self._mode)
                if not found.difference:
                    self.axioms |= dict.fromkeys(found.axioms)
                    return known, self._outputs(renamed_block(core, mapping))
        new = _Groups(bare, TableName(("groups", str(len(self._known)))))
        self._known.append(new)
        return new, self._outputs(core)

    def _outputs(self, core: Block) -> Sequence[Tree]:
        normal = normal_block(core, self._mode)
        return represented(normal, equalities(normal), self._mode).outputs


def _distinct_as_groups(rows: Block) -> Block:
    """Return a DISTINCT block as a block grouped by all outputs that are not constants; other blocks unchanged."""
    keys = tuple(dict.fromkeys(output for output in rows.outputs if columns_in(output)))
    return replace(rows, keys=keys, distinct=False) if rows.distinct and keys and not _has_windows(rows) else rows


def _has_windows(block: Block) -> bool:
    return any(windows_in(output) for output in block.outputs)


def _is_of(tree: Tree, keys: frozenset[Tree]) -> bool:
    """Return whether an expression is computed only from grouping keys and constants."""
    if tree in keys:
        return True
    if isinstance(tree, exp.Column) or has_aggregate(tree):
        return False
    return all(_is_of(part, keys) for part in tree.iter_expressions() if not isinstance(part, exp.DataType))


def _replaced(block: Block, table: Occurrence, read: _Read) -> Block:
    """Return the block with a derived table replaced by the table of its groups, and with the filters on the groups
    added.

    `read` has the table and the filters. Raise Undecided in two cases: the derived table is on the right side of an
    outer join, and the block uses computed columns of it; or the derived table is in a FULL join, and its groups are
    filtered.
    """
    meant = {column.name.lower(): tree for column, tree in zip(table.columns, read.outputs, strict=True)}
    bringing = next((join for join in block.joins if table.id in join.tables), None)
    used = {c.name.lower() for tree in block.expressions for c in columns_in(tree) if c.table == table.id}
    if bringing is not None and bringing.kind in ("LEFT", "FULL"):
        if not all(isinstance(meant[name], exp.Column) for name in used):
            raise Undecided(
                f"the derived table {table.alias} is on the right side of an outer join and has computed columns, "
                "which the verifier does not support"
            )
        if bringing.kind == "FULL" and read.filters:
            raise Undecided(
                f"the derived table {table.alias} in a FULL join has a filter on its groups, which the verifier does "
                "not support"
            )

    def put(node: Tree) -> Tree:
        own = isinstance(node, exp.Column) and node.table == table.id
        return meant.get(node.name.lower(), node) if own else node

    named = replace(table, name=read.groups.name, inner=None, text="")
    tables = tuple(named if each.id == table.id else each for each in block.tables)
    new = replace(mapped(block, put), tables=tables)
    if bringing is None:
        return replace(new, where=(*new.where, *read.filters))
    joins = (Join(j.kind, j.tables, (*j.on, *read.filters)) if table.id in j.tables else j for j in new.joins)
    return replace(new, joins=tuple(joins))
