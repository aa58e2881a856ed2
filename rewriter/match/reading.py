"""Expresses a query over a view's storage columns, for one mapping of the view's tables to the query's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from sqlglot import exp

from rewriter.block import (
    Block,
    Dependencies,
    Join,
    Occurrence,
    Predicates,
    aggregate_of,
    has_aggregate,
    meaning,
    opaque_within,
    remembered,
    renamed,
    tells_time,
)
from rewriter.block.equivalence import Equivalence
from rewriter.block.normal_forms import joined
from rewriter.block.predicates import equated
from rewriter.block.since import since_of
from rewriter.block.strict import null_with
from rewriter.block.words import words
from rewriter.functions.registry import FOLDED
from rewriter.functions.trees import ROWS, call_of, cast, number
from rewriter.functions.types import FRACTIONS, INTEGERS, holds_all
from rewriter.match.access_path import STORAGE_ALIAS, AccessPath, stored
from rewriter.match.bands import in_bands
from rewriter.match.derive import derive
from rewriter.match.held_times import at_home
from rewriter.match.joined_back import Back, joined_back
from rewriter.match.joins import Joined, filling_join, in_words, inner_in_view, join_views, testing_join
from rewriter.match.nulls import same_nulls
from rewriter.match.presence import presence
from rewriter.match.reasons import Miss, Reason
from rewriter.model import KEPT_AS, Column
from rewriter.model.settings import is_ansi
from rewriter.schema import expression_type, numeric_type
from rewriter.sql import columns_in, nodes_of, operands, windows_in

Tree = exp.Expr

# Comparisons of floating-point numbers for which skipping files by statistics keeps the right rows.
_BY_FILES = (exp.LT, exp.LTE, exp.EQ, exp.In, exp.Is, exp.NullSafeEQ)


class Reading:
    """A query expressed over a view's storage table, for one mapping of the view's tables to the query's.

    - `extra`: the query's tables that the view does not read, called extra tables
    - `rows`: the storage columns without aggregates, keyed by the canonical form of the expression that each column
      stores
    - `aggregates`: the storage columns of aggregates, keyed in the same way
    - `counted`: the storage column of count(*); None if there is none
    - `residual`: the predicates that the view does not apply, over storage columns and extra tables
    - `joins`: the outer, semi and anti joins of extra tables
    - `filled`: the ids of the view's tables, if a LEFT join of the query fills these tables with NULLs; else empty
    - `tested`: true if a SEMI or ANTI join of the query has the view's tables on its right side. Only the ON condition
      of this join can then use storage columns, so that nothing else is derived from the view

    If `filled` is not empty, the rewriting fills the storage columns with NULLs. Only expressions that are NULL if all
    their columns are NULL, and aggregates of such expressions, can then be derived.
    """

    def __init__(
        self,
        query: Predicates,
        path: AccessPath,
        mapping: Mapping[str, str],
        equivalence: Equivalence,
        filled: frozenset[str] = frozenset(),
        *,
        tested: bool = False,
    ) -> None:
        self.path, self.zone = path, query.zone
        self.filled, self.tested = filled, tested
        self.query, self.block = query, query.block
        self.equivalence = equivalence
        self.extra = tuple(table for table in query.block.tables if table.id not in mapping.values())
        self._extra_ids = {table.id for table in self.extra}
        self._mapping = mapping
        # Both are keyed by the meaning (the form for comparison) of the expression that the column stores.
        self.rows: dict[Tree, Tree] = {}
        self.aggregates: dict[Tree, Column] = {}
        self.counted: Column | None = None
        stored_values = _stored_values(path.block, path.columns, path.storage.columns)
        for output, value in zip(path.block.outputs, stored_values, strict=True):
            if value is None or tested:
                continue
            tree = meaning(at_home(equivalence.normalize(renamed(output, mapping)), self.zone, self.since))
            if isinstance(value, Column) and tree == ROWS:
                self.counted = value
            if filled and not self._is_filled(tree):
                continue
            if isinstance(value, Column):
                self.aggregates.setdefault(tree, value)
            else:
                self.rows.setdefault(tree, value)
        for tree, held in [*self.rows.items()]:
            for inner, value in _computed_back(tree, held, query.block):
                self.rows.setdefault(meaning(inner), value)
        self.stores_computed = not all(isinstance(tree, exp.Column) for tree in self.rows)
        # A sum nested n times is tried n times, once for each operand.
        self._missed: dict[Tree, Miss] = {}
        self.residual: tuple[Tree, ...] = ()
        self.joins: tuple[Join, ...] = ()

    def _is_filled(self, tree: Tree) -> bool:
        """Return whether the stored expression `tree` is NULL if all columns of the view's tables are NULL, as in a row
        that a LEFT join fills with NULLs.
        """
        call = aggregate_of(tree)
        if call is None:
            return not has_aggregate(tree) and null_with(tree, self._is_absent)
        # An aggregate of NULLs is NULL for FOLDED aggregates; a sketch of no values is not NULL.
        return call.name in FOLDED and all(null_with(argument, self._is_absent) for argument in call.expressions)

    def _is_absent(self, column: Tree) -> bool:
        return isinstance(column, exp.Column) and column.table in self.filled

    def under(self, equivalence: Equivalence) -> Reading:
        """Return the same query over the same storage table, with `equivalence` in place of the query's column
        equalities.
        """
        return Reading(self.query, self.path, self._mapping, equivalence, self.filled, tested=self.tested)

    @property
    def row_count(self) -> Tree | None:
        """The SQL expression for the number of base rows that a storage row aggregates; None without a stored count(*).

        If count(*) is stored in the column n, this is `v.n`. If the query LEFT JOINs the view's tables, it is
        `coalesce(v.n, 1)`, because a left row without a match counts as one row.
        """
        if self.counted is None:
            return None
        rows = stored(self.counted.name)
        return call_of("coalesce", rows, number(1)) if self.filled else rows

    def is_filled_key(self, tree: Tree) -> bool:
        """Return whether an expression is a NOT NULL column of one of the view's tables, which a LEFT join of the query
        may fill with NULLs; False if the query has no such join.
        """
        table = next(
            (table for table in self.block.tables if self._is_absent(tree) and table.id == tree.args["table"].name),
            None,
        )
        known = table.contents.by_name if table is not None and table.contents is not None else {}
        return (declared := known.get(tree.name)) is not None and not declared.nullable

    @cached_property
    def view_keys(self) -> set[Tree]:
        """The grouping keys of the view over the query's tables, in the form in which expressions are compared.

        In this form, equal columns are replaced by one of them, and commutative operands have a fixed order.
        """
        keys = self.path.block.keys or ()
        return {meaning(at_home(self.normalize(renamed(key, self._mapping)), self.zone, self.since)) for key in keys}

    def dependencies(self, keys: Iterable[Tree]) -> Dependencies:
        """Return the functional dependencies between columns that hold if the query is grouped by `keys`.

        If the primary key of a table is among the keys, for example, all columns of the table have one value in each
        group. In `keys`, each column must be replaced by the representative of its equal columns.
        """
        known = {table.name: table.primary_key for table in self.path.sources}

        def key_of(table: Occurrence) -> tuple[str, ...]:
            return tuple(name.lower() for name in known.get(table.name, ()))

        def pinned(column: Tree) -> bool:
            return self.query.pins(self.normalize(column))

        return Dependencies(self.block, keys, self.zone, key_of, pinned)

    def since(self, tree: Tree) -> int | None:
        """Return a lower bound of a time expression in all rows read, in seconds since 1970; None if unknown."""
        known = ((self.normalize(renamed(time, self._mapping)), at) for time, at in self.path.block.since)
        declared = self.block.type_of(tree)
        kind = declared.type if declared is not None else None
        return since_of(tree, map(self.normalize, self.query.conjuncts), known, self.zone, kind)

    def normalize(self, tree: Tree) -> Tree:
        """Return an expression with each column replaced by the representative of its equal columns in the query.

        With `a = b` in the query, `b + 1` gives `a + 1`.
        """
        return self.equivalence.normalize(tree)

    def held(self, tree: Tree) -> Tree | None:
        """Return the storage column that stores an expression without aggregates.

        The order of commutative operands is ignored: if the column m stores `a + b`, `b + a` gives `v.m`. Return None
        if no column stores the expression.
        """
        return self.rows.get(meaning(tree))

    def compute(self, tree: Tree) -> Tree | Miss:
        """Return an expression over the query's rows as an expression over storage columns and extra tables.

        If the column m stores `a + b`, `(a + b) * 2` gives `v.m * 2`. Extra tables are the query's tables that the view
        does not read. The columns of `tree` must be replaced by the representatives of their equal columns. Return a
        Miss if the expression cannot be derived.
        """
        missed = self._missed.get(tree)
        if missed is not None:
            return missed
        found = derive(tree, self)
        if isinstance(found, Miss):
            self._missed[tree] = found
        return found

    def banded(self, conjunct: Tree) -> Tree | None:
        """Return a conjunct of a filter, derived from a stored CASE that divides the values of a column into bands.

        Return None if there is no such CASE, and if the rewriting fills the storage columns with NULLs.
        """
        cases = [output for output in self.path.block.outputs if isinstance(output, exp.Case)]
        if self.filled or not cases:
            return None
        known = (self.normalize(renamed(case, self._mapping)) for case in cases)
        pairs = ((case, held) for case in known if (held := self.held(case)) is not None)
        return in_bands(self.normalize(conjunct), pairs, self.block, self.zone)

    @property
    def ansi(self) -> bool:
        """Whether Spark computed the view in ANSI mode, in which an overflow is an error.

        Without ANSI mode, a DECIMAL that overflows becomes NULL, and an integer wraps around.
        """
        return is_ansi(self.path.view.settings)

    def same_nulls(self, tree: Tree) -> Tree:
        """Return the operand of a numeric expression that alone decides where the expression is NULL.

        `2 * x + 1` gives `x`. Return `*` for an expression that is never NULL, and the expression itself if there is no
        such operand.
        """
        return same_nulls(tree, self.block, ansi=self.ansi)

    def is_never_null(self, tree: Tree) -> bool:
        """Return whether an expression over the query's rows is certainly never NULL."""
        return isinstance(self.same_nulls(tree), (exp.Star, exp.Literal, exp.Boolean))

    def condition(self, tree: Tree) -> Tree | Miss:
        """Return a condition of CASE or FILTER over storage columns and extra tables; a Miss if it cannot be derived.

        The condition is true for the same rows; where it is not true, it may be false instead of unknown, because CASE
        and FILTER take only rows in which it is true.
        """
        found = self.compute(tree)
        if not isinstance(found, Miss):
            return found
        parts: list[Tree] = []
        for part in operands(tree, exp.And):
            computed = self.compute(part)
            banded = self.banded(part) if isinstance(computed, Miss) else computed
            if banded is None:
                return found
            parts.append(banded)
        return joined(exp.And, parts)

    def is_normalized(self, tree: Tree) -> bool:
        """Return whether an expression is a floating-point grouping key of the view; GROUP BY stores 0.0 for -0.0 in
        such a key.
        """
        known = self.held(tree)
        if known is None or self.path.block.keys is None:
            return False
        held = self.path.storage.column(known.name)
        return held is not None and held.type in FRACTIONS

    def column(self, column: exp.Column) -> Tree | Miss:
        """Return a column, or a column equal to it, of a table that can be joined to the storage table.

        Such tables are the query's tables that the view does not read, and the view's tables whose primary keys the
        storage table has. Return a Miss if none of these tables has the column or an equal column. Storage columns are
        not tried, because the caller has tried them before.
        """
        members = sorted(self.equivalence.members(column))
        for table, name in members:
            if table in self._extra_ids:
                return exp.column(name, table)
        for table, name in members:
            if (back := self.back(table)) is not None:
                return exp.column(name, back.table.id)
        return Miss(Reason.COLUMN_NOT_IN_VIEW, column.name)

    def back(self, table: str) -> Back | None:
        """Return the join by primary key of one of the view's tables, given by its id, to the storage table.

        The join reads columns that the storage table lacks. Return None if the storage table lacks a column of the
        primary key, if the key is not trusted, or if the view reads no other table.
        """
        if len(self.path.block.tables) == 1 or table in self._extra_ids or self.filled:
            return None
        (mine,) = (t for t in self.block.tables if t.id == table)
        known = next((t for t in self.path.sources if t.name == mine.name), None)
        if known is None:
            return None
        return joined_back(mine, known, self.block, lambda column: self.held(self.normalize(column)))


@remembered
def _stored_values(
    block: Block, names: tuple[str, ...], columns: tuple[Column, ...]
) -> tuple[Tree | Column | None, ...]:
    """Return, for each output of a view, the expression that reads the output from the storage table.

    For an aggregate, return the storage column instead. The expression or column has the type of the view's output; the
    entry is None if this type is not known for certain.
    """
    by_name = {column.name.lower(): column for column in columns}
    held = zip(block.outputs, names, strict=True)
    return tuple(
        (_aggregate if has_aggregate(output) else _as_computed)(block, output, name, by_name.get(name.lower()))
        for output, name in held
    )


def _as_computed(block: Block, output: Tree, name: str, column: Column | None) -> Tree | None:
    """Return a storage column as an expression of the type that the view's query computed.

    Because Iceberg stores a TINYINT as INT, the column of a TINYINT output is cast to TINYINT. Return None if the type
    of the output is not known for certain.
    """
    if column is None or column.type != "int":
        return stored(name)
    declared = block.type_of(output)
    kind = declared.type if declared is not None else expression_type(output, block)
    return of_own_type(name, kind) if kind in (*KEPT_AS, "int", "date") else None


def _computed_back(tree: Tree, held: Tree, block: Block) -> Iterator[tuple[Tree, Tree]]:
    """Yield operands of a stored expression that can be computed from the stored value, each with its expression over
    storage columns.

    `held` is the storage column of the expression `tree`. A stored `n + 1` AS m gives n and `m - 1`, and a stored cast
    to a wider type gives the operand of the cast.
    """
    narrow = _widened(tree, block)
    found = (tree.this, cast(held, narrow)) if narrow is not None else _shifted(tree, held, block)
    if found is not None:
        inner, value = found
        yield inner, value
        yield from _computed_back(inner, value, block)


def _shifted(tree: Tree, held: Tree, block: Block) -> tuple[Tree, Tree] | None:
    """Return the integer operand of a stored sum or difference with a constant, and the operand over storage columns.

    `held` is the storage column of `tree`: a stored `n + 1` AS m gives n and `m - 1`. Return None for other
    expressions.

    law:    x is (x + c) - c for integers of one type, even if a sum wraps around; in ANSI mode an overflow raises an
            error, but the stored x + c was computed without an error, and x is within the range of the type
    view:   SELECT n + 1 AS m FROM t
    query:  SELECT n FROM t
    gives:  SELECT m - 1 FROM view
    """
    if not isinstance(tree, (exp.Add, exp.Sub)):
        return None
    left, right = tree.this, tree.expression
    if isinstance(tree, exp.Add) and _is_whole(left):
        left, right = right, left
    narrow, wide = numeric_type(left, block), numeric_type(tree, block)
    if not _is_whole(right) or narrow not in INTEGERS or wide not in INTEGERS:
        return None
    back = (exp.Sub if isinstance(tree, exp.Add) else exp.Add)(this=held, expression=right.copy())
    return left, back if narrow == wide else cast(back, narrow)


def _is_whole(tree: Tree) -> bool:
    return isinstance(tree, exp.Literal) and not tree.is_string and tree.name.isdigit()


def _widened(tree: Tree, block: Block) -> str | None:
    """Return the original type of an integer or DECIMAL that is cast to a wider type without loss.

    `CAST(n AS BIGINT)` of an INT column n gives int. Return None for other expressions.
    """
    if not isinstance(tree, exp.Cast) or tree.args.get("safe"):
        return None
    narrow, wide = (numeric_type(part, block) for part in (tree.this, tree))
    return narrow if narrow and wide and narrow != wide and holds_all(wide, narrow) else None


def _aggregate(block: Block, output: Tree, name: str, column: Column | None) -> Column | None:
    """Return the storage column of an aggregate, with the type that the view's query computed.

    The type of the column differs if Iceberg stores a wider type, such as INT for TINYINT. Return None if the type of
    the aggregate is not known for certain.
    """
    if column is None or column.type != "int":
        return column
    kind = expression_type(output, block)
    return column._replace(type=kind) if kind in (*KEPT_AS, "int") else None


def of_own_type(name: str, kind: str) -> Tree:
    """Return a storage column as an expression of type `kind`, the type of the view's output.

    The column is cast if Iceberg cannot store that type, such as TINYINT; otherwise it is returned without a cast.
    """
    return cast(stored(name), kind) if kind in KEPT_AS else stored(name)


def files_mislead(conjunct: Tree, block: Block) -> bool:
    """Return whether file statistics could make Iceberg skip matching rows of a filter on a floating-point column.

    Iceberg's statistics order -0.0 below 0.0 and ignore NaN, which Spark orders above all numbers. The result of a
    comparison with 0, or with > or >=, therefore depends on the distribution of rows over files. Spark also pushes down
    such a comparison with the constant on its left, or within `(x < 1) = false` or a CASE.
    """
    floats = _floats(conjunct, block)
    if not floats:
        return False
    zero = any(
        isinstance(literal, exp.Literal) and not literal.is_string and not literal.name.strip("0.eE+-dDfF")
        for literal in nodes_of(conjunct)
    )
    # The value of a subquery or of the current time is unknown, and so may be zero.
    zero |= any(True for _ in opaque_within(conjunct)) or tells_time(conjunct)
    within = any(
        isinstance(node, (exp.Predicate, exp.Connector, exp.Not)) for node in nodes_of(conjunct) if node is not conjunct
    )
    turned = isinstance(conjunct, (exp.LT, exp.LTE)) and not columns_in(conjunct.this)
    return zero or within or turned or not isinstance(conjunct, _BY_FILES)


def decides_by_floats(block: Block) -> Tree | None:
    """Return a floating-point key by which an outer query may filter this block's rows; None if there is none.

    Spark pushes a filter of an outer query down through groups by their keys, and through windows by keys that all
    windows are partitioned by, but not through LIMIT. The pushed filter then makes Iceberg skip files by statistics
    that treat NaN and -0.0 differently from Spark.
    """
    if not block.decides or block.limit or block.offset:
        return None
    windows = [window for output in block.outputs for window in windows_in(output)]
    if windows:
        keys = [key for key in windows[0].args["partition_by"] if all(key in w.args["partition_by"] for w in windows)]
    else:
        grouped = block.keys is not None or block.distinct
        keys = [output for output in block.outputs if grouped and not has_aggregate(output)]
    return next((key for key in keys if _floats(key, block)), None)


def _floats(tree: Tree, block: Block) -> list[exp.Column]:
    return [c for c in columns_in(tree) if (d := block.type_of(c)) and d.type in FRACTIONS]


def read_view(query: Predicates, path: AccessPath, mapping: Mapping[str, str]) -> Reading | Miss:
    """Return a query expressed over a view's storage table, for one mapping of the view's tables to the query's.

    `mapping` maps the ids of the view's tables to those of the query's tables. Return a Miss if the view cannot answer
    the query. `path` is the access path to the view: the view's block with its storage table.

    law:    a view can answer a query if it has every row that the query needs, and if a filter over its columns drops
            all other rows
    view:   SELECT id, region FROM sales WHERE day >= '2024-01-01'
    query:  SELECT id FROM sales WHERE day >= '2024-01-01' AND region = 'eu'
    gives:  residual region = 'eu'
    no:     s JOIN d ON s.d = d.id AND s.weight > 1 from the same LEFT JOIN, because only the inner join filters s by
            weight, where the statistics of files mislead (files_mislead)
    """
    filling = filling_join(query.block, mapping)
    if filling is not None:
        return _read_filled(query, path, mapping, filling)
    testing = testing_join(query.block, mapping)
    if testing is not None:
        return _read_tested(query, path, mapping, testing)
    view_where = tuple(renamed(conjunct, mapping) for conjunct in path.block.where)
    for conjunct in view_where:
        if not query.implies(conjunct):
            differs = inner_in_view(query.block, path.block, mapping)
            return differs or Miss(Reason.VIEW_FILTERS_MORE, words(conjunct))
    joined = join_views(query, path.block, mapping)
    if isinstance(joined, Miss):
        return joined
    misled = next((conjunct for conjunct in joined.narrowed if files_mislead(conjunct, query.block)), None)
    if misled is not None:
        return Miss(Reason.FLOAT_COMPARED, words(misled))
    applied = Predicates(query.block, (*view_where, *joined.matched), query.zone)
    reading = Reading(query, path, mapping, query.equivalence)
    residual = _residual(query.conjuncts, reading, applied)
    joins = _extra_joins(reading, joined)
    tested = () if isinstance(joins, Miss) else (c for join in joins if join.kind == "SEMI" for c in join.on)
    filters = (*(() if isinstance(residual, Miss) else residual), *tested)
    present = presence(joined, query, path, mapping, filters)
    if isinstance(present, Miss):
        return present
    if isinstance(residual, Miss):
        return residual
    if isinstance(joins, Miss):
        return joins
    reading.residual = (*path.only, *present, *residual)
    reading.joins = joins
    return reading


def _read_filled(query: Predicates, path: AccessPath, mapping: Mapping[str, str], filling: Join) -> Reading | Miss:
    """Return a query with a LEFT join whose right side is the tables of a view, expressed over the view's storage
    table.

    `filling` is the LEFT join. `path` is the access path to the view: the view's block with its storage table.
    `mapping` maps the ids of the view's tables to those of the query's tables. Return a Miss if the view cannot answer
    the query.

    law:    if the ON condition reads only GROUP BY keys of the view, a row of the left side matches a row of the view's
            tables if and only if it matches that row's storage row; without a match, the left row occurs once
    view:   SELECT to_date(ts) AS day, sum(n) AS total, count(*) AS cnt FROM events GROUP BY 1
    query:  SELECT d.date, sum(e.n), count(*) FROM dates d LEFT JOIN events e ON to_date(e.ts) = d.date GROUP BY d.date
    gives:  SELECT d.date, sum(v.total), sum(coalesce(v.cnt, 1)) FROM dates d LEFT JOIN view v ON v.day = d.date
            GROUP BY d.date
    no:     coalesce(e.kind, 'none') read from a stored coalesce(e.kind, 'none'), because the stored column is NULL for
            a left row without a match
    """
    on = _on_storage(query, path, mapping, filling)
    return on if isinstance(on, Miss) else _beside(query, path, mapping, filling, on)


def _read_tested(query: Predicates, path: AccessPath, mapping: Mapping[str, str], testing: Join) -> Reading | Miss:
    """Return a query with a SEMI or ANTI join whose right side is the tables of a view, with the view's storage table
    on the right side instead.

    `testing` is the SEMI or ANTI join. `path` is the access path to the view: the view's block with its storage
    table. `mapping` maps the ids of the view's tables to those of the query's tables. Return a Miss if the view cannot
    answer the query.

    law:    a SEMI or ANTI join only tests whether a matching row exists, and a group exists if and only if it has a
            row; so if the ON condition reads only GROUP BY keys of the view, the view's groups can be tested instead
    view:   SELECT l_orderkey, l_suppkey, count(*) AS items FROM lineitem GROUP BY l_orderkey, l_suppkey
    query:  SELECT o.id FROM orders o LEFT SEMI JOIN lineitem l ON l.l_orderkey = o.id AND l.l_suppkey = 7
    gives:  SELECT o.id FROM orders o LEFT SEMI JOIN view v ON v.l_orderkey = o.id AND v.l_suppkey = 7
    no:     a view without keys, because it has a row even if its tables are empty
    """
    if path.block.keys == ():
        return Miss(
            Reason.SHAPE,
            "the view has one row even if its tables are empty, so that a SEMI or ANTI join cannot test this row: add "
            "GROUP BY to the view",
        )
    on = _on_storage(query, path, mapping, testing)
    return on if isinstance(on, Miss) else _beside(query, path, mapping, testing, on)


def _on_storage(
    query: Predicates, path: AccessPath, mapping: Mapping[str, str], bringing: Join
) -> tuple[Tree, ...] | Miss:
    """Return the ON condition of `bringing`, a join with the view's tables on its right side, over storage columns.

    Return a Miss if the view has outer joins, or lacks rows for which ON is true, or columns. `path` is the access
    path to the view, and `mapping` maps the ids of the view's tables to those of the query's tables.
    """
    if path.block.joins:
        other = in_words(path.block.joins[0], path.block)
        return Miss(
            Reason.JOIN_DIFFERS,
            f"the query has {in_words(bringing, query.block)}, but the view has {other}: create a view with inner "
            "joins only",
        )
    within = Predicates(query.block, bringing.on, query.zone)
    view_where = tuple(renamed(conjunct, mapping) for conjunct in path.block.where)
    for conjunct in view_where:
        if not within.implies(conjunct):
            return Miss(Reason.VIEW_FILTERS_MORE, words(conjunct))
    inside = Reading(query, path, mapping, query.equivalence)
    on = _residual(bringing.on, inside, Predicates(query.block, view_where, query.zone))
    if isinstance(on, Miss):
        return on
    if not (on := (*path.only, *on)):
        return Miss(
            Reason.SHAPE,
            f"the ON condition {' AND '.join(map(words, bringing.on))} of the query's "
            f"{'outer' if bringing.kind == 'LEFT' else bringing.kind} join only repeats the view's filter: add an "
            "equality with a column of the view to ON",
        )
    return on


def _beside(
    query: Predicates, path: AccessPath, mapping: Mapping[str, str], bringing: Join, on: tuple[Tree, ...]
) -> Reading | Miss:
    """Return the query with the storage table on the right side of `bringing`, whose ON condition is `on`.

    Return a Miss if another join differs, or if the query needs columns that the view lacks. `path` is the access
    path to the view, and `mapping` maps the ids of the view's tables to those of the query's tables.
    """
    joined = join_views(query, path.block, mapping, bringing)
    if isinstance(joined, Miss):
        return joined
    filled = bringing.tables if bringing.kind == "LEFT" else frozenset[str]()
    reading = Reading(query, path, mapping, query.equivalence, filled, tested=bringing.kind != "LEFT")
    residual = _residual(query.conjuncts, reading, Predicates(query.block, (), query.zone))
    if isinstance(residual, Miss):
        return residual
    reading.residual = residual
    joins = _extra_joins(reading, replace(joined, extra=tuple(join for join in joined.extra if join is not bringing)))
    if isinstance(joins, Miss):
        return joins
    place = joined.extra.index(bringing)
    reading.joins = (*joins[:place], Join(bringing.kind, frozenset({STORAGE_ALIAS}), on), *joins[place:])
    return reading


def _residual(conjuncts: Iterable[Tree], reading: Reading, applied: Predicates) -> tuple[Tree, ...] | Miss:
    """Return the conjuncts that the view does not apply, over storage columns; a Miss if one of them cannot be derived.

    `applied` are the predicates that the view applies. `reading` is the query, expressed over the view's storage table.
    """
    query, residual = reading.query, list[Tree]()
    # An equality that the view lacks is derived for each side separately: under the query's own equivalence both sides
    # would be the same column, and the comparison would vanish.
    beside: Reading | None = None
    for conjunct in conjuncts:
        if applied.implies(conjunct):
            continue
        if files_mislead(conjunct, query.block):
            return Miss(Reason.FLOAT_COMPARED, words(conjunct))
        reader = reading
        if equated(conjunct, query.block) is not None:
            reader = beside = beside or reading.under(applied.equivalence)
        computed = reader.compute(reader.normalize(conjunct))
        if isinstance(computed, Miss):
            computed = _rest(conjunct, applied, reader) or reader.banded(conjunct) or computed
        if isinstance(computed, Miss):
            return computed
        residual.append(computed)
    return tuple(residual)


def _rest(conjunct: Tree, applied: Predicates, reading: Reading) -> Tree | None:
    """Return the part of a conjunct that the view does not apply, as an expression over storage columns.

    If the view applies `a OR b`, the conjunct `(a OR b) AND c` leaves c. `applied` are the predicates that the view
    applies. Return None if the view applies the whole conjunct or no part of it, or if the part cannot be derived.
    `reading` is the query, expressed over the view's storage table.
    """
    rest = applied.rest_of(conjunct)
    computed = reading.compute(reading.normalize(rest)) if rest is not None and rest != conjunct else None
    return None if isinstance(computed, Miss) else computed


def _extra_joins(reading: Reading, joined: Joined) -> tuple[Join, ...] | Miss:
    """Return the query's joins of extra tables (tables that the view does not read), with ON over storage columns.

    `joined` is the result of matching the joins. Return a Miss if an ON condition cannot be derived. `reading` is the
    query, expressed over the view's storage table.
    """
    joins = []
    for join in joined.extra:
        on = []
        for conjunct in join.on:
            if join.kind == "SEMI" and files_mislead(conjunct, reading.block):
                return Miss(Reason.FLOAT_COMPARED, words(conjunct))
            computed = reading.compute(reading.normalize(conjunct))
            if isinstance(computed, Miss):
                return computed
            on.append(computed)
        joins.append(Join(join.kind, join.tables, tuple(on)))
    return tuple(joins)
