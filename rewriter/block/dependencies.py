"""Functional dependencies: the expressions that have only one value within each group of a block.

| the block has                                | so in each group there is only one value of                           |
|----------------------------------------------|-----------------------------------------------------------------------|
| a grouping key k, not floating point         | k, and every deterministic expression of k                            |
| a filter such as `c = 5` or `c IS NULL`      | c                                                                     |
| a key `CAST(c AS t)` with a wider type t     | c                                                                     |
| the primary key of a table as grouping keys, | every column of this table                                            |
| NOT NULL, and no outer join of the table     |                                                                       |
| a LEFT join of a table ON its primary key,   | every column of this table                                            |
| equal to expressions of grouping keys        |                                                                       |
| a time bucket as a key                       | coarser buckets, and texts and numbers that are constant in a bucket, |
|                                              | such as year(t); a day bucket also determines the date                |
| `year(t)` and `month(t)` as keys             | `date_trunc('month', t)`; with `day(t)` as a third key, the date of t |

No dependency applies under GROUPING SETS, where a row is not grouped by all keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlglot import exp

from rewriter.block.form import Block, Join, Occurrence
from rewriter.block.predicates import equated
from rewriter.block.since import since_of
from rewriter.block.traits import is_literal
from rewriter.functions.types import FRACTIONS, holds_all
from rewriter.sql import columns_in
from rewriter.timeseries import as_bucket, factor_of, fields_of, nests, told_by

Tree = exp.Expr
# Returns the primary key columns of a table, in lower case; empty if the table has no trusted primary key.
KeyOf = Callable[[Occurrence], tuple[str, ...]]


class Dependencies:
    """The functional dependencies of a block that is grouped by `keys`.

    `key_of` returns the columns of a table's primary key (empty if the table has none). `pinned` returns whether the
    filter allows a column only one value. `zone` is the session's time zone.
    """

    def __init__(
        self, block: Block, keys: Iterable[Tree], zone: str, key_of: KeyOf, pinned: Callable[[Tree], bool]
    ) -> None:
        self._block, self._zone, self._key_of, self._pinned = block, zone, key_of, pinned
        self._keys = frozenset(keys)
        self._casts = [key for key in self._keys if isinstance(key, exp.Cast) and not key.args.get("safe")]
        self._single: dict[str, bool] = {}

    @property
    def single(self) -> frozenset[str]:
        """The ids of the tables in FROM of which each group has at most one row."""
        return frozenset(table.id for table in self._block.tables if self._is_single(table.id))

    def determine(self, tree: Tree) -> bool:
        """Return whether an expression has only one value in each group.

        The columns of the expression must be replaced by the representatives of their equivalence classes, as in
        `keys`.
        """
        return tree in self._keys or self._is_computed(tree)

    def _is_computed(self, tree: Tree) -> bool:
        """Return whether an expression can be computed from constants, grouping keys, and columns with one value in
        each group.

        A grouping key whose equal values may differ, such as 0.0 and -0.0 of a DOUBLE, does not count.
        """
        if is_literal(tree) or (tree in self._keys and self._is_exact(tree)):
            return True
        if isinstance(tree, exp.Column):
            read_back = any(self._is_within(tree, key) for key in self._casts)
            return read_back or self._is_single(tree.table) or self._pinned(tree)
        if any(self._follows(tree, key) for key in self._keys) or self._is_dated(tree):
            return True
        operands = [o for o in tree.iter_expressions() if not isinstance(o, (exp.DataType, exp.Identifier, exp.Var))]
        return bool(operands) and all(map(self._is_computed, operands))

    def _is_within(self, column: Tree, key: exp.Cast) -> bool:
        """Return whether `key` casts `column` to a type that represents each of the column's values exactly."""
        declared = self._block.type_of(column)
        if declared is None or key.this != column:
            return False
        return holds_all(key.to.sql("spark").lower().replace(", ", ","), declared.type)

    def _is_exact(self, key: Tree) -> bool:
        """Return whether equal values of a grouping key are identical.

        Equal values may differ in floating point (-0.0 = 0.0) and in strings with a collation.
        """
        declared = self._block.type_of(key)
        return as_bucket(key) is not None or (declared is not None and declared.type not in FRACTIONS)

    def _is_single(self, table: str) -> bool:
        """Return whether each group has at most one row of the table with the id `table`; the result is cached."""
        known = self._single.get(table)
        if known is None:
            self._single[table] = False  # ends the recursion: a table does not determine itself
            own = [each for each in self._block.tables if each.id == table]  # empty for a column of another block
            known = self._single[table] = any(self._has_key(each, self._key_of(each)) for each in own)
        return known

    def _has_key(self, table: Occurrence, key: tuple[str, ...]) -> bool:
        """Return whether the primary key of a table proves that each group has at most one row of the table.

        `key` are the columns of the primary key. Without an outer join of the table, each of these columns must be NOT
        NULL, and either a grouping key or restricted to one value by the filter. With a LEFT join of the table, all
        rows of a group must find the same row of the table, or none. Return False if `key` is empty, or for other joins
        of the table.
        """
        joins = [join for join in self._block.joins if table.id in join.tables]
        if not key or joins:
            return bool(key) and len(joins) == 1 and self._is_found_once(table, key, joins[0])
        declared = [table.column(name) for name in key]
        if any(column is None or column.nullable for column in declared):
            return False
        return all(map(self._is_fixed, (exp.column(name, table.id) for name in key)))

    def _is_found_once(self, table: Occurrence, key: tuple[str, ...], join: Join) -> bool:
        """Return whether `join` is a LEFT join that finds the same row of `table`, or no row, for all rows of a group.

        ON must equate each column of the primary key, `key`, with a column of another table, and all columns of other
        tables in ON must have one value within each group.
        """
        if join.kind != "LEFT" or len(join.tables) > 1:
            return False
        beside = {c for conjunct in join.on for c in columns_in(conjunct) if c.table != table.id}
        pairs = [pair for conjunct in join.on if (pair := equated(conjunct, self._block)) is not None]
        equal = {mine for pair in pairs for mine, other in (pair, pair[::-1]) if other in beside}
        whole = {exp.column(name, table.id) for name in key} <= equal
        return whole and all(map(self._is_computed, beside))

    def _is_fixed(self, column: Tree) -> bool:
        """Return whether a column is a grouping key, or the filter allows it only one value."""
        return column in self._keys or self._pinned(column)

    def _follows(self, tree: Tree, key: Tree) -> bool:
        """Return whether `key` is a time bucket or a date, and each value of `key` determines the value of `tree`.

        `date_trunc('month', t)` determines `year(t)`.
        """
        told = told_by(key, self._kind, self._since)
        asked = told_by(tree, self._kind, self._since) or factor_of(tree, self._kind, self._zone, self._since)
        if told is None or asked is None:
            return False
        return asked.source in (told.source, key) and nests(
            told.grain, asked.grain, told.type, self._zone, self._since(told.source)
        )

    def _is_dated(self, tree: Tree) -> bool:
        """Return whether an expression can be computed from date fields that are all grouping keys.

        If year(t) and month(t) are keys, `date_trunc('month', t)` can be computed from them.
        """
        asked = told_by(tree, self._kind, self._since)
        fields = fields_of(asked.source, asked.grain) if asked is not None else ()
        return bool(fields) and self._keys.issuperset(fields)

    def _since(self, source: Tree) -> int | None:
        return since_of(source, self._block.where, self._block.since, self._zone, self._kind(source))

    def _kind(self, tree: Tree) -> str | None:
        declared = self._block.type_of(tree)
        bucket = as_bucket(tree)
        return declared.type if declared is not None else bucket.type if bucket is not None else None
