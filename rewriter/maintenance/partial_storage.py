"""Partial storage tables, which hold only the rows of a view that satisfy a condition over the view's columns.

law:    a partial storage table is the storage table of the view whose query has the condition added to WHERE
view:   SELECT day, sum(price) AS total FROM sales GROUP BY day
only:   day >= DATE '2024-01-01'
gives:  SELECT day, sum(price) AS total FROM sales WHERE day >= DATE '2024-01-01' GROUP BY day
no:     a condition on total, because it selects groups and not the rows from which the groups are computed
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, reduce

from sqlglot import exp

from rewriter.block import Block, Found, Predicates, RangeSet, Scope, Unsupported, build_block, predicates_of
from rewriter.block.traits import temporal_type
from rewriter.block.vocabulary import CAST_TYPES, COMPARISONS, CONNECTORS
from rewriter.functions.types import FRACTIONS, INTEGERS
from rewriter.maintenance.moments import changing_moment
from rewriter.maintenance.stored import block_of
from rewriter.maintenance.values import PLAIN, value_text
from rewriter.match.bounds import moment_of
from rewriter.match.printing import print_block
from rewriter.model import Column, MaterializedView, Table, TableName, quoted
from rewriter.sql import ParseError, excerpt, operands, parse
from rewriter.timeseries import as_bucket, floor, is_fixed_offset
from rewriter.timeseries.bucket import day_source

Tree = exp.Expr
Columns = Mapping[TableName, tuple[Column, ...]]

# The operators allowed in a condition: comparisons of columns with constants, whose truth never changes.
_READ = (
    exp.Column, exp.Identifier, exp.Literal, exp.Null, exp.Boolean, exp.Paren, exp.Not, exp.Neg, exp.Between, exp.In,
    exp.Is, exp.Cast, exp.DataType, exp.DataTypeParam, *CONNECTORS, *COMPARISONS,
)  # fmt: skip
# With more ranges, evaluating the condition takes longer than the view saves.
MOST_RANGES = 32
_WITHOUT_RANGES = ("timestamp", "boolean")
_HINT = (
    "compare columns of the view with constants, computed beforehand (for example by `date` in a shell), "
    "as in day >= DATE '2024-01-31' AND region IN ('eu', 'us')"
)


def narrowed(view: MaterializedView, only: str, columns: Columns, without: str = "") -> MaterializedView:
    """Return the view with the condition `only` added to the query that fills the view's storage table.

    `day >= DATE '2024-01-01'` over the view's column day = date(t) adds `date(t) >= DATE '2024-01-01'` to WHERE. Rows
    that satisfy the condition `without` are excluded, unless `without` is empty. `columns` has the columns of each
    source. Raise Unsupported, with the remedy, if a condition is not supported.
    """
    return _narrowed(view, only, tuple(columns.items()), without)


@lru_cache(maxsize=1000)
def _narrowed(
    view: MaterializedView, only: str, columns: tuple[tuple[TableName, tuple[Column, ...]], ...], without: str
) -> MaterializedView:
    block = block_of(view, dict(columns))
    problem = block if isinstance(block, str) else _shape_problem(view, block)
    if problem or isinstance(block, str):
        raise Unsupported(
            f"{view.name} cannot store only a part of its rows: {problem}; run REFRESH without WHERE, and set "
            "viewgate.retention = 'never'"
        )
    where = [_at_source(_over(view, block, conjunct), block, view.zone) for conjunct in _conjuncts(view, only).where]
    if without:
        left = reduce(lambda a, b: exp.And(this=a, expression=b), _conjuncts(view, without).where)
        where.append(exp.Not(this=exp.Is(this=_over(view, block, left), expression=exp.Boolean(this=True))))
    names = [name for name in block.names if name is not None]
    return replace(view, storage_query=print_block(replace(block, where=(*block.where, *where)), names))


def _shape_problem(view: MaterializedView, block: Block) -> str:
    if view.settings is None:
        return "the view was created by another tool, which recorded no settings under which to evaluate the condition"
    if not block.plain or block.having or block.limit or block.offset:
        having, sets = "HAVING" if block.having else "", "GROUPING SETS" if block.sets is not None else ""
        limit = "LIMIT or OFFSET" if block.limit or block.offset else ""
        return f"the view's query has {having or sets or limit or 'DISTINCT or a window function'}"
    if None in block.names or len(block.outputs) < len(view.columns):
        return "the view's query has an output without a name or alias"
    return ""


def _conjuncts(view: MaterializedView, condition: str) -> Block:
    """Return the conjuncts of a condition over the view's columns as the WHERE of a block.

    Raise Unsupported if the condition cannot be parsed, or is more than comparisons of columns with constants.
    """
    try:
        statement = parse(f"SELECT 1 FROM {view.name.sql()} WHERE {condition}", view.session)
    except ParseError as failure:
        raise Unsupported(f"the condition {condition} cannot be parsed: {failure}") from failure
    tree = statement.blocks[0].tree if len(statement.blocks) == 1 and not statement.problem else None
    clauses = {clause for clause, value in tree.args.items() if value} if tree is not None else set()
    if tree is None or clauses != {"expressions", "from_", "where"}:
        raise Unsupported(f"the condition {condition} is not supported: {_HINT}")
    strange = next((node for node in tree.args["where"].this.walk() if not _is_read(node)), None)
    if strange is not None:
        raise Unsupported(f"{excerpt(strange)} is not supported in the condition {condition}: {_HINT}")
    moment = changing_moment(tree, {view.name: Table(view.name, view.uuid, view.columns, ())})
    if moment is not None:
        raise Unsupported(
            f"{excerpt(moment)} in the condition {condition} can mean another day at each refresh: write a constant "
            "date or time"
        )
    known = {column.name.lower() for column in view.columns}
    for column in tree.find_all(exp.Column):
        if known.isdisjoint(part.name.lower() for part in column.parts):
            there_are = ", ".join(quoted(each.name) for each in view.columns)
            raise Unsupported(
                f"{column.sql('spark')} is not a column of {view.name}, whose columns are {there_are}: name only these "
                f"columns in the condition {condition}"
            )
    block = build_block(tree, lambda table: Found(view.name, view.columns))
    if not all(conjunct.find(exp.Column) for conjunct in block.where) or not block.where:
        raise Unsupported(f"the condition {condition} names no column: {_HINT}")
    return block


def _is_read(node: Tree) -> bool:
    literal = not isinstance(node, exp.Cast) or isinstance(node.this, exp.Literal)
    return isinstance(node, _READ) and literal


def _over(view: MaterializedView, block: Block, conjunct: Tree) -> Tree:
    """Return `conjunct`, a condition over a view's columns, as a condition over the columns of the view's tables.

    For a view `SELECT date(t) AS day …`, `day >= DATE '2024-01-01'` gives `date(t) >= DATE '2024-01-01'`. `block` is
    the view's block. Raise Unsupported for a column that is an aggregate or a floating-point number.
    """
    places = {column.name.lower(): place for place, column in enumerate(view.columns)}

    def behind(node: Tree) -> Tree:
        if not isinstance(node, exp.Column):
            return node
        place = places[node.name.lower()]
        output, kind = block.outputs[place], view.columns[place].type
        if block.keys is not None and output not in block.keys:
            raise Unsupported(
                f"{node.name} is an aggregate, and the rows of {view.name} to store can be selected only by grouping "
                f"keys: name only grouping keys of {view.name} in the condition"
            )
        if kind in FRACTIONS:
            raise Unsupported(
                f"{node.name} has the type {kind.upper()}, whose values are inexact and must not decide which rows of "
                f"{view.name} are stored: name other columns of {view.name} in the condition"
            )
        return output.copy()

    return conjunct.copy().transform(behind)


def _at_source(conjunct: Tree, block: Block, zone: str) -> Tree:
    """Return a comparison of a time bucket or date as a comparison of the time, if the bound is the start of a bucket.

    `date_trunc('DAY', t) >= TIMESTAMP '2024-01-01 00:00:00'` gives `t >= TIMESTAMP '2024-01-01 00:00:00'`. Return
    unchanged any other condition and, in a time zone without a fixed offset, any comparison of a TIMESTAMP. `zone` is
    the view's time zone; `block` has the types of the columns.

    law:    if a bucket starts at b, then bucket(t) >= b is t >= b, and bucket(t) < b is t < b
    """
    bound = conjunct.expression
    if not isinstance(conjunct, (exp.GTE, exp.LT)) or not isinstance(bound, exp.Cast):
        return conjunct
    bucket, day, moment = as_bucket(conjunct.this), day_source(conjunct.this), moment_of(bound)
    source, grain = (bucket.source, bucket.grain) if bucket is not None else (day, "day")
    kind = temporal_type(source, Scope(block.tables)) if source is not None else None
    if source is None or kind is None or moment is None or (kind == "timestamp" and not is_fixed_offset(zone)):
        return conjunct
    typed = CAST_TYPES.get(bound.to.this) in ("date", kind)
    if not typed or floor(moment.wall, grain) != moment.wall:
        return conjunct
    return type(conjunct)(this=source.copy(), expression=bound.copy())


def covers(view: MaterializedView, held: str, asked: str, columns: Columns) -> bool:
    """Return whether the condition `asked` provably implies the condition `held`, both over the view's columns.

    An empty condition selects all rows. `columns` has the columns of each source.
    """
    if not held or not asked or held == asked:
        return held in ("", asked)
    blocks = [block_of(narrowed(view, only, columns), columns) for only in (held, asked)]
    whole, part = blocks
    if isinstance(whole, str) or isinstance(part, str) or (whole.tables, whole.joins) != (part.tables, part.joins):
        return False
    known = predicates_of(part, view.zone)
    return all(_implied(conjunct, known) for conjunct in whole.where)


def excludes(view: MaterializedView, held: str, asked: str) -> bool:
    """Return whether no row of the view can satisfy both conditions, `held` and `asked`.

    Return False if one of the conditions cannot be parsed.
    """
    try:
        both = _conjuncts(view, f"({held}) AND ({asked})")
    except Unsupported:
        return False
    return Predicates(both, both.where, view.zone).impossible


def _implied(condition: Tree, known: Predicates) -> bool:
    if known.implies(condition) or not isinstance(condition, (exp.And, exp.Or)):
        return known.implies(condition)
    parts = (_implied(part, known) for part in operands(condition, type(condition)))
    return all(parts) if isinstance(condition, exp.And) else any(parts)


def united(view: MaterializedView, held: str, asked: str, columns: Columns) -> str:
    """Return the disjunction of two conditions over the view's columns, as ranges of one column if possible.

    `held` and `asked` are the conditions: `day < DATE '2024-02-01'` and `day = DATE '2024-02-01'` give `day <= DATE
    '2024-02-01'`, because Iceberg prunes best by ranges. If one condition implies the second one, the weaker condition
    is returned. `columns` has the columns of each source. Raise Unsupported if the disjunction would have more than
    MOST_RANGES (32) parts.
    """
    if covers(view, held, asked, columns):
        return held
    if covers(view, asked, held, columns):
        return asked
    ranges = [_range(view, condition) for condition in (held, asked)]
    found = [each for each in ranges if each is not None]
    if len(found) == len(ranges) and len({column.name for column, _ in found}) == 1:
        column, together = found[0][0], RangeSet.joined([values for _, values in found])
        discrete = column.type in INTEGERS or column.type == "date"  # where consecutive values are adjacent
        parts = list(_texts(column, together.closed_over_integers() if discrete else together))
        if len(parts) <= MOST_RANGES:
            return " OR ".join(parts) if len(parts) == 1 else " OR ".join(f"({part})" for part in parts)
    if held.upper().count(" OR ") >= MOST_RANGES:
        raise Unsupported(
            f"{view.name} would store the rows of more than {MOST_RANGES} conditions joined by OR: run REFRESH "
            f"MATERIALIZED VIEW {view.name} FULL to store all rows, or with WHERE to store the rows of one condition"
        )
    return f"({held}) OR ({asked})"


def outside(view: MaterializedView, condition: str) -> str:
    """Return the condition that selects the rows for which `condition` is not true, but false or NULL.

    `day = DATE '2024-03-01'` gives `(day < DATE '2024-03-01') OR (day > DATE '2024-03-01') OR (day IS NULL)`. Return an
    empty string if `condition` does not limit one column to a set of values, or if the result would have more than
    MOST_RANGES (32) parts. Raise Unsupported if `condition` cannot be parsed.
    """
    found = _range(view, condition)
    if found is None:
        return ""
    column, values = found
    parts = list(_texts(column, values.complement()))
    return " OR ".join(f"({part})" for part in parts) if len(parts) <= MOST_RANGES else ""


def _range(view: MaterializedView, condition: str) -> tuple[Column, RangeSet] | None:
    """Return the one column that a condition limits, and the set of values allowed; None for other conditions.

    Raise Unsupported if the condition cannot be parsed.
    """
    block = _conjuncts(view, condition)
    known = Predicates(block, block.where, view.zone)
    if known.pairs or known.residuals or len(known.ranges) != 1:
        return None
    ((subject, values),) = known.ranges.items()
    column = block.type_of(subject)
    # The text of a TIMESTAMP depends on the time zone, and a BOOLEAN has no ranges.
    plain = column is not None and column.type in PLAIN and column.type not in _WITHOUT_RANGES
    return (column, values) if column is not None and plain else None


def _texts(column: Column, values: RangeSet) -> Iterator[str]:
    """Yield SQL conditions on a column whose disjunction selects a set of values.

    There is one condition for all single values, one for each range, and one for NULL: `d IN (1, 3)`, `d > 5 AND d <=
    9`, `d IS NULL`.
    """
    name = quoted(column.name)
    ends = [(interval.low.value, interval.high.value) for interval in values.intervals]
    single = [_text(low, column) for low, high in ends if low is not None and low == high]
    if single:
        yield f"{name} IN ({', '.join(single)})" if len(single) > 1 else f"{name} = {single[0]}"
    for low, high in values.intervals:
        if low.value is None or low.value != high.value:
            bounds = ((low, ">=", ">"), (high, "<=", "<"))
            yield (
                " AND ".join(
                    f"{name} {closed if bound.closed else opened} {_text(bound.value, column)}"
                    for bound, closed, opened in bounds
                    if bound.value is not None
                )
                or f"{name} IS NOT NULL"
            )
    if values.null:
        yield f"{name} IS NULL"


def _text(value: object, column: Column) -> str:
    return value_text(value if isinstance(value, str) else int(str(value)), column.type)
