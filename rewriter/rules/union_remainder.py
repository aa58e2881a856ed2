"""Answers a query from a view's storage table for one part of the rows, and from base tables for the remaining rows.

This is for a view that filters more than the query, and for a query whose time range does not end at borders of the
view's time buckets. The query is divided by a predicate p. Rows for which p is true are read from the view, rows for
which p is false or NULL from the tables; the groups of both are then aggregated once more. A grain is the length of
time buckets; a border is the start of a bucket.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial, reduce

from sqlglot import exp

from rewriter.block import Block, Join, Predicates, Scope, range_of, remembered, renamed
from rewriter.block.since import since_of
from rewriter.block.traits import temporal_type
from rewriter.functions.trees import cast
from rewriter.match import AccessPath, Ask, Miss, Reason, TwoPhase
from rewriter.match.bounds import (
    divides,
    instant_of,
    is_comparable,
    is_unknown,
    last_begin,
    moment_of,
    next_begin,
    stays_steady,
)
from rewriter.match.decompose import (
    decomposed,
    derived_problem,
    groups_problem,
    join_problem,
    joined_groups,
    over_union,
)
from rewriter.match.held_times import at_home
from rewriter.match.joins import filling_join, testing_join
from rewriter.match.open_ranges import OpenRange, open_range
from rewriter.match.reading import files_mislead
from rewriter.timeseries import (
    DATE_GRANULARITIES,
    as_bucket,
    border_behind,
    bucket_elsewhere,
    divides_at,
    floor,
    next_border,
)
from rewriter.timeseries.bucket import Bucket, day_source
from rewriter.timeseries.literals import is_skipped

Tree = exp.Expr

_NEGATED: dict[type[Tree], type[Tree]] = {exp.LT: exp.GTE, exp.LTE: exp.GT, exp.GT: exp.LTE, exp.GTE: exp.LT}
_UNEQUAL: dict[type[Tree], type[Tree]] = {exp.EQ: exp.NEQ, exp.NEQ: exp.EQ}


def union_remainder(ask: Ask) -> TwoPhase | Miss:
    """Plan to unite the view's rows with the remaining rows of the tables.

    Return a Miss if the query or the view does not group, or if no predicate divides the rows. `ask` has the query, the
    access path (the view with its storage table), and the mapping of the view's tables to the query's tables.

    law:    the groups of the query are the groups of `query WHERE p UNION ALL query WHERE p IS NOT TRUE`, aggregated
            again
    view:   SELECT region, day, sum(price) AS total FROM sales WHERE day >= '2024-01-01' GROUP BY region, day
    query:  SELECT region, sum(price) FROM sales GROUP BY region
    gives:  SELECT region, sum(part) FROM (SELECT region, sum(total) AS part FROM view GROUP BY region UNION ALL
            SELECT region, sum(price) FROM sales WHERE day < '2024-01-01' OR day IS NULL GROUP BY region)
    no:     count(DISTINCT user), because a user may occur in both branches
    """
    query, path = ask.question, ask.path
    if not isinstance(query, Predicates) or query.block.keys is None or path.block.keys is None:
        ungrouped = "the view" if path.block.keys is None else "the query"
        return _miss(
            f"{ungrouped} has neither GROUP BY nor aggregates, so rows that the view lacks cannot be added to the "
            "view's rows: create a view that has all rows of the query"
        )
    if path.past:
        return _miss(
            "the rows that the view lacks would be read at a later snapshot than the view's rows: refresh the view"
        )
    if (filling := filling_join(query.block, ask.mapping)) is not None:
        return _joined_side(ask, query, filling)
    if problem := _query_problem(ask, query.block):
        return _miss(problem)
    divided = _cut(query, path, ask.mapping)
    cut = tuple(divided.values())
    # The complement of an equality in the view's own filter is most of a table, so that reading it does not pay; the
    # engine's shortlist of views is not made for it either.
    own = {renamed(conjunct, ask.mapping) for conjunct in path.own or ()}
    of_part = divided.keys() - own if path.own is not None else frozenset[Tree]()
    pays = all(type(conjunct) in _NEGATED or conjunct in of_part for conjunct in divided)
    otherwise = _otherwise(divided, query) if divided and pays else None
    if otherwise is None:
        return _miss(
            "the rows that the query needs and the view lacks cannot be selected by a range of a column: create a view "
            "without the filters that the query lacks"
        )
    applied = Predicates(query.block, cut, query.zone)
    narrowed = (*(c for c in query.conjuncts if c not in divided and not applied.implies(c)), *cut)
    if Predicates(query.block, narrowed, query.zone).impossible:
        return _miss("the view's filter excludes all rows of the query: create a view without the filter")
    edges = all(asked != cut for asked, cut in divided.items())
    open_ended = _open_ended(divided, query, path, ask.mapping) if edges else None
    if open_ended is not None and open_ended.holds_none:
        return _miss(
            "the time range of the query contains no whole time bucket of the view: create a view with shorter buckets"
        )
    groups = decomposed(query.block)
    held = replace(ask, question=Predicates(replace(groups, where=narrowed), narrowed, query.zone))
    others = Predicates(query.block, (otherwise,), query.zone)
    rest = (*(conjunct for conjunct in query.block.where if not others.implies(conjunct)), otherwise)
    lacking = open_ended.lacking if open_ended is not None else None
    return TwoPhase(groups, held, replace(groups, where=rest), edges, lacking)


def _miss(detail: str) -> Miss:
    """Return a Miss that any other rule's Miss replaces, because this rule only adds the rows that a view lacks."""
    return Miss(Reason.SHAPE, detail, apart=True)


def _query_problem(ask: Ask, block: Block) -> str:
    """Return why the rows of a query cannot be divided between a view and its tables, as text for a message.

    Return an empty string if they can be divided. `block` is the query's block.
    """
    if testing_join(block, ask.mapping) is not None:
        return (
            "a SEMI or ANTI join must test the view's rows and the rows that the view lacks together: create a view "
            "that has all rows of the query"
        )
    lacking = "the rows that the view lacks"
    if problem := derived_problem(block, lacking):
        return f"{problem}: create a view that has all rows of the query"
    problem = join_problem(block, lacking)
    return f"{problem}: create a view without the other table" if problem else ""


def _joined_side(ask: Ask, query: Predicates, filling: Join) -> TwoPhase | Miss:
    """Plan to join the left side of `filling`, a LEFT join, with the view's groups and the groups that the view lacks.

    Return a Miss if the view has all rows of the joined side, or if no range selects the rows that the view lacks.
    `ask` has the access path (the view with its storage table); `query` are the query's predicates.

    view:   SELECT day, sum(price) AS total FROM sales WHERE day >= '2024-01-01' GROUP BY day
    query:  SELECT d.day, sum(s.price) FROM dates d LEFT JOIN sales s ON s.day = d.day GROUP BY d.day
    gives:  SELECT d.day, sum(v.total) FROM dates d LEFT JOIN (SELECT day, total FROM view UNION ALL SELECT day,
            sum(price) FROM sales WHERE day < '2024-01-01' OR day IS NULL GROUP BY day) AS v ON v.day = d.day GROUP BY …
    """
    path, view = ask.path, ask.path.block
    within = Predicates(query.block, filling.on, query.zone)
    divided = {each: each for each in view.where if not within.implies(renamed(each, ask.mapping))}
    own = tuple(each for each in view.where if each not in divided)
    of_part = divided.keys() - set(path.own or ()) if path.own is not None else frozenset[Tree]()
    pays = all(type(each) in _NEGATED or each in of_part for each in divided)
    if problem := groups_problem(path, "the groups that the view lacks"):
        return _miss(f"{problem}: create a view that has all rows of the query")
    whole = replace(view, where=own)
    otherwise = _otherwise(divided, Predicates(whole, own, query.zone)) if divided and pays else None
    if otherwise is None:
        joined = ", ".join(table.alias for table in query.block.tables if table.id in filling.tables)
        return _miss(
            f"the rows of {joined} that the view lacks because of its filter cannot be selected by a range of a "
            "column: create a view without the filter"
        )
    groups, union = replace(joined_groups(path), where=own), over_union(path)
    same = {table.id: table.id for table in view.tables}
    held = Ask(Predicates(replace(groups, where=view.where), view.where, query.zone), path, same)
    over = replace(ask, path=replace(union, block=replace(union.block, where=own)))
    return TwoPhase(groups, held, replace(groups, where=(*own, otherwise)), over=over)


def _cut(query: Predicates, path: AccessPath, mapping: Mapping[str, str]) -> Mapping[Tree, Tree]:
    """Return the predicates that select the rows to be read from the view, as the values of a mapping.

    A filter of the view that the query lacks, such as `region = 'eu'`, is mapped to itself. A comparison of the query
    that limits a time is mapped to the comparison narrowed to whole time buckets of the view: with buckets of a day,
    `t >= '2024-01-15 10:30:00'` to `t >= '2024-01-16'`. `mapping` maps the ids of the view's tables to the query's.
    `path` is the access path to the view: the view's block with its storage table.
    """
    filters = (renamed(conjunct, mapping) for conjunct in path.block.where)
    own = {conjunct: conjunct for conjunct in filters if not query.implies(conjunct)}
    ranges = [conjunct for conjunct in query.conjuncts if type(conjunct) in _NEGATED]
    if not ranges or not holds_buckets(path.block):
        return own
    normal = query.equivalence.normalize
    known = [(normal(renamed(time, mapping)), at) for time, at in path.block.since]
    since = partial(since_of, conjuncts=[*map(normal, query.conjuncts)], known=known)
    outputs = [at_home(normal(renamed(output, mapping)), query.zone, since) for output in path.block.outputs]
    narrowed = {c: _whole_buckets(query.equivalence.normalize(c), outputs, query) for c in ranges}
    return own | {conjunct: cut for conjunct, cut in narrowed.items() if cut is not None}


def _open_ended(
    divided: Mapping[Tree, Tree], query: Predicates, path: AccessPath, mapping: Mapping[str, str]
) -> OpenRange | None:
    """Return the time range of a query, if the range has no end or its start depends on the time of execution.

    `divided` maps each comparison of the query to the comparison that limits the whole buckets within the range: `t >=
    '2024-01-15 10:30:00'` to `t >= '2024-01-16'`. Return None unless the comparisons limit a single time, the time has
    exactly one lower bound, and the view has one output that is a bucket of the time. `path` is the access path to
    the view: the view's block with its storage table. `mapping` maps the ids of the view's tables to those of the
    query's tables.
    """
    times = {query.equivalence.normalize(asked.this) for asked in divided}
    held = [
        (bucket, name)
        for output, name in zip(path.block.outputs, path.columns, strict=True)
        if (bucket := _bucket_of(renamed(output, mapping))) and query.equivalence.normalize(bucket.source) in times
    ]
    if len(held) != 1:
        return None
    ((bucket, name),) = held
    last = dict(path.storage.most).get(name)
    return open_range(divided, bucket, last, query)


def _bucket_of(output: Tree) -> Bucket | None:
    day = day_source(output)
    return Bucket(day, "day", "date") if day is not None else as_bucket(output) or bucket_elsewhere(output)


@remembered
def holds_buckets(view: Block) -> bool:
    """Return whether an output of a view is a time bucket or a date."""
    return any(
        as_bucket(output) or bucket_elsewhere(output) or day_source(output) is not None for output in view.outputs
    )


def _whole_buckets(conjunct: Tree, outputs: list[Tree], query: Predicates) -> Tree | None:
    """Return `conjunct`, a comparison that limits a time, narrowed to whole buckets of the view.

    With buckets of a day, `t >= '2024-01-15 10:30:00'` gives `t >= '2024-01-16'`. `outputs` are the view's outputs, and
    `query` are the query's predicates. Return None if the bound is the start of a bucket already, if the view has no
    bucket of the time, or if the bound is not supported.
    """
    if conjunct.this in outputs:
        return None
    time = temporal_type(conjunct.this, Scope(query.block.tables))
    dated = any(day_source(output) == conjunct.this for output in outputs)
    days = [Bucket(conjunct.this, "day", time)] if dated and time is not None else []
    buckets = [b for output in outputs if (b := as_bucket(output)) is not None and b.source == conjunct.this] + days
    if buckets and is_unknown(conjunct.expression, query.zone):
        return _unknown_buckets(conjunct, buckets[0], query.zone)
    moment = moment_of(conjunct.expression, query.zone if time == "timestamp" else None)
    if not buckets or moment is None or range_of(conjunct, query.block, query.zone) is None:
        return None
    bucket = buckets[0]
    try:
        border = _border(conjunct, moment.wall, bucket.grain, bucket.type)
    except (ValueError, OverflowError):  # there is no such border before the year 10000
        return None
    if border is None or (bucket.type == "timestamp" and not divides_at(border, bucket.grain, query.zone)):
        return None
    kind = exp.GTE if isinstance(conjunct, (exp.GT, exp.GTE)) else exp.LT
    # Clocks that skip a lower bound move it forward, past a border that they do not skip; an upper bound that they move
    # forward only leaves whole buckets to the table.
    moved = is_skipped(moment.wall, query.zone) and not is_skipped(border, query.zone)
    if time == "timestamp" and kind is exp.GTE and moved:
        return None
    return kind(this=conjunct.this.copy(), expression=_literal(border, bucket.type))


def _unknown_buckets(conjunct: Tree, bucket: Bucket, zone: str) -> Tree | None:
    """Narrow `time >= bound` or `time < bound`, with a bound such as current_date(), to whole buckets.

    The bound is rounded to the start of a bucket as a SQL expression: `t < now()` gives `t < date_trunc('DAY', now())`
    for buckets of a day. `bucket` is the view's bucket of the time, and `zone` the session's time zone. Return None if
    the zone may split buckets, or if the bound certainly is the start of a bucket already.
    """
    bound, grain, kind = conjunct.expression, bucket.grain, bucket.type
    if instant_of(bound, zone) is not None and isinstance(bound, exp.Literal):
        bound = cast(bound, "timestamp")
    # A bucket shorter than a day ends a fixed number of seconds after its start, even if clocks are changed.
    steady = grain not in DATE_GRANULARITIES and stays_steady(bound, grain, kind, zone)
    if not (steady or is_comparable(bound, kind, zone)) or divides(conjunct, grain, kind, zone):
        return None
    if isinstance(conjunct, (exp.GT, exp.GTE)):
        return exp.GTE(this=conjunct.this.copy(), expression=next_begin(bound, grain, kind))
    return exp.LT(this=conjunct.this.copy(), expression=last_begin(bound, grain, kind))


def _border(conjunct: Tree, wall: datetime, grain: str, kind: str) -> datetime | None:
    """Return the start of a bucket to which the bound in `conjunct` is narrowed, as a local time.

    The result is the first start of a bucket after a lower bound, or the last start before an upper bound: for `t >=
    '2024-01-15 10:30:00'` and the grain day, 2024-01-16 00:00. `conjunct` is a comparison of a time with a bound;
    `wall` is the local time of the bound, `kind` the type of the time. Return None if the bound is the start of a
    bucket already.
    """
    if kind == "date" and isinstance(conjunct, (exp.LTE, exp.GT)):
        wall += timedelta(days=1)  # d <= x is d < x + 1, d > x is d >= x + 1
    if isinstance(conjunct, (exp.GT, exp.GTE)):
        border = border_behind(wall, grain)
        strict = isinstance(conjunct, exp.GT) and kind != "date"
        return next_border(border, grain) if strict and border == wall else None if border == wall else border
    border = floor(wall, grain)
    return border if border != wall or (isinstance(conjunct, exp.LTE) and kind != "date") else None


def _literal(wall: datetime, kind: str) -> Tree:
    text = wall.date().isoformat() if kind == "date" else wall.isoformat(" ", "seconds")
    return cast(exp.Literal.string(text), kind)


def _otherwise(divided: Mapping[Tree, Tree], query: Predicates) -> Tree | None:
    """Return the condition for the rows that are not read from the view, as ranges by which Iceberg can skip files.

    `divided` maps predicates of the query to the predicates that select the rows to be read from the view; the result
    is the complement of the predicates that select these rows. If day may be NULL, `day >= '2024-01-01'` gives `day <
    '2024-01-01' OR day IS NULL`. Return None if a predicate has no complement that is a range.
    """
    arms: list[Tree] = []
    for asked, conjunct in divided.items():
        # No IS NULL arm is needed: the query's own comparison already drops NULLs in the time and in the bound.
        if asked != conjunct and is_unknown(conjunct.expression, query.zone):
            arms.append(_negated(conjunct))
            continue
        ranged = range_of(conjunct, query.block, query.zone)
        rest = _negated(conjunct)
        if ranged is None or files_mislead(rest, query.block):
            return None
        subject, values = ranged
        arms.append(rest)
        # The comparison is unknown only for NULL, unless it is true for NULL.
        if not values.null and query.values(query.equivalence.normalize(subject)).null:
            arms.append(exp.Is(this=subject.copy(), expression=exp.Null()))
    return reduce(lambda left, right: exp.Or(this=left, expression=right), arms)


def _negated(conjunct: Tree) -> Tree:
    opposite = _NEGATED.get(type(conjunct)) or _UNEQUAL.get(type(conjunct))
    if opposite is None:
        return exp.Not(this=conjunct.copy())
    return opposite(this=conjunct.this.copy(), expression=conjunct.expression.copy())
