"""Computes aggregates of a query from aggregates of a view: directly if the groups are the same, else rolled up.

A partial aggregate is an aggregate over the base rows that one storage row aggregates. Rolling up combines the partial
aggregates of several storage rows into one group of the query.

| aggregate of the query | columns needed in the storage table       | rolled up                                    |
|------------------------|-------------------------------------------|----------------------------------------------|
| count(*), count(x)     | the same count                            | coalesce(sum(c), 0): 0 if there are no rows  |
| sum(x)                 | sum(x); or x as a key, and count(*)       | sum, cast to the type of the query's sum     |
| min(x), max(x)         | the same aggregate; or x as a key         | the same function                            |
| bool_and, bit_and, …   | the same aggregate                        | the same function                            |
| f(CASE …)              | f of each branch; count(*) for constants  | f of a CASE over these columns               |
| count of x IS NULL     | count(*) and count(x)                     | the sum of their difference                  |
| avg(x)                 | sum(x) and count(x)                       | the quotient, rounded as Spark's avg()       |
| var, stddev            | sum(u) and sum(u * u)                     | from exact sums; only the result is a DOUBLE |
| covar, corr, regr      | the same for x and y, and the sum of x*y  | from exact sums; only the result is a DOUBLE |
| f(DISTINCT k)          | k as a key                                | f(DISTINCT k)                                |
| count(DISTINCT i)      | bitmaps, and the bitmap bucket as a key   | the sum of the bitmaps' bit counts           |
| bitmap, sketch of x    | the same, of the same size; or x as a key | the union; or the same function              |
| approx_count_distinct  | the argument as a key                     | the same function                            |

Here u is the unscaled integer of a DECIMAL x, as 125 for 1.25.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

from sqlglot import exp

from rewriter.block import aggregate_of, meaning
from rewriter.block.words import words
from rewriter.functions.record import Composition
from rewriter.functions.registry import AGGREGATES, COMPOSED, FOLDED, SETS, UNITED
from rewriter.functions.trees import call_of, cast, number
from rewriter.functions.types import INTEGERS, as_decimal, is_numeric
from rewriter.match.access_path import stored
from rewriter.match.numbers import sum_type, summed_type
from rewriter.match.partials import PartialAggregate, PartialAggregates, missing
from rewriter.match.reading import Reading, of_own_type
from rewriter.match.reasons import Miss, Reason
from rewriter.schema import argument_types, expression_type

Tree = exp.Expr
# Maps a function name and its partial aggregate to the result: the partial aggregate if the groups are the same, else
# the aggregate that combines it.
Total = Callable[[str, PartialAggregate], Tree]


class Aggregates:
    """A converter of a query's aggregates to expressions over the columns of a view's storage table.

    Arguments and results are canonical expressions, in which each column is replaced by one representative of its equal
    columns.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.partials = PartialAggregates(reading)

    def direct(self, tree: Tree) -> Tree | Miss:
        """Derive an aggregate of a query whose groups are single storage rows: `avg(x)` gives `v.s / v.n`.

        Here s and n are the storage columns of sum(x) and count(x). Return a Miss if the storage table lacks the
        aggregate or one of its components.
        """
        held = self.partials.held(tree)
        if held is not None:
            return of_own_type(held.name, held.type)
        call = aggregate_of(tree)
        assert call is not None
        if isinstance(tree, exp.Filter):
            within = _within_argument(call, tree.expression.this) if not _is_distinct(call) else None
            found = missing(tree) if within is None else self._ended(within, None, rolled=False)
            return missing(tree) if isinstance(found, Miss) else found
        return missing(tree) if _is_distinct(call) else self._ended(call, None, rolled=False)

    def rolled(self, tree: Tree) -> Tree | Miss:
        """Derive an aggregate of a query whose groups may combine several storage rows: `count(*)` gives
        `coalesce(sum(v.n), 0)`.

        Here n is the storage column of count(*). If the query reads at most one storage row, the stored value is used
        for an aggregate that does not roll up, or that is computed from others, such as avg(x). Return a Miss if the
        storage table does not determine the aggregate.
        """
        call = aggregate_of(tree)
        assert call is not None
        found = self._rolled(tree)
        if isinstance(found, Miss) or AGGREGATES[call.name].composed is not None:
            # TPC-H 17 on Spark: 1.47 of the time of hand-written SQL instead of 2.21 with avg from its sum and count.
            single = self._of_one_group(tree) if self._is_one_group else None
            return single if single is not None else found
        return found

    @cached_property
    def _is_one_group(self) -> bool:
        """Whether the query reads at most one storage row: it has a single group, and its filter fixes each key of the
        view.
        """
        reading = self.reading
        if reading.block.keys != () or reading.extra or reading.block.sets is not None or reading.path.scattered:
            return False
        return bool(reading.view_keys) and all(map(reading.dependencies(()).determine, reading.view_keys))

    def _of_one_group(self, tree: Tree) -> Tree | None:
        """Return the aggregate `tree` of a query that reads at most one storage row: max() of the stored aggregate.

        Return None if the storage table lacks the aggregate, if the aggregate of no rows is neither NULL nor 0, or if
        the aggregate is neither numeric nor DISTINCT.

        law:    max() of one value is that value; coalesce(…, 0) is added for an aggregate that is 0 over no rows (a
                count), which is never NULL in a storage row
        view:   SELECT region, count(DISTINCT user_id) AS users FROM sales GROUP BY region
        query:  SELECT count(DISTINCT user_id) FROM sales WHERE region = 'eu'
        gives:  SELECT coalesce(max(users), 0) FROM view WHERE region = 'eu'
        """
        call, held = aggregate_of(tree), self.partials.held(tree)
        assert call is not None
        of_nothing = AGGREGATES[call.name].of_nothing
        if held is None or of_nothing is None or (not is_numeric(held.type) and not _is_distinct(call)):
            return None
        value = call_of("max", of_own_type(held.name, held.type))
        return call_of("coalesce", value, number(0)) if of_nothing == "zero" else value

    def _rolled(self, tree: Tree) -> Tree | Miss:
        call = aggregate_of(tree)
        assert call is not None
        condition: Tree | None = None
        if isinstance(tree, exp.Filter):
            held = self.partials.held(tree)
            if held is not None and call.name in FOLDED and not _is_distinct(call):
                return _fold(
                    call.name, PartialAggregate(of_own_type(held.name, held.type), summed_type(held.type)), None
                )
            computed = self.reading.condition(tree.expression.this)
            if isinstance(computed, Miss):
                within = _within_argument(call, tree.expression.this)
                found = self._rolled(within) if within is not None else computed
                return computed if isinstance(found, Miss) else found
            condition = computed
        if _is_distinct(call):
            found = self._from_keys(call, condition)
            counted = self._from_bitmaps(call, condition) if isinstance(found, Miss) else None
            return counted or found
        if call.name in SETS:
            return self._of_set(call, condition)
        return self._ended(call, condition, rolled=True)

    def _ended(self, call: exp.Anonymous, condition: Tree | None, rolled: bool) -> Tree | Miss:
        """Return the aggregate `call`, computed from partial aggregates: avg(x) from the stored sum(x) and count(x).

        If `rolled`, the partial aggregates of several storage rows are combined first, with the FILTER `condition`
        (None without FILTER). Return a Miss if the storage table lacks a partial aggregate.
        """

        def total(name: str, partial: PartialAggregate) -> Tree:
            return _fold(name, partial, condition) if rolled else _typed(name, partial.tree, partial)

        record = AGGREGATES[call.name]
        if record.composed is not None:
            composed = self._composed(call, record.composed, total)
            return composed if composed is not None else self._unrolled(call, missing(call))
        partial = self.partials.of(call.name, call.expressions[0]) if record.combine is not None else missing(call)
        return self._unrolled(call, partial) if isinstance(partial, Miss) else total(call.name, partial)

    def _unrolled(self, call: exp.Anonymous, miss: Miss) -> Miss:
        """Return `miss` if the view lacks the aggregate `call`; else a Miss with the reason why `call` cannot be rolled
        up.
        """
        if self.partials.held(call) is None:
            return miss
        lacking = " (add the sums from which it is computed to the view)" if AGGREGATES[call.name].composed else ""
        return Miss(
            Reason.AGGREGATE_DOES_NOT_ROLL_UP,
            f"{words(call)} (add its sum and count to the view)" if call.name == "avg" else words(call) + lacking,
        )

    def _composed(self, call: exp.Anonymous, composed: Composition, total: Total) -> Tree | None:
        """Return the aggregate `call`, computed from its components, such as avg from sum and count.

        `composed` names the components and the formula, and `total` combines the stored values of a component. Return
        None if the storage table lacks a component or if the result would be inexact.
        """
        kinds = argument_types(call, self.reading.block) if composed.lossless else (self._summed_type(call),)
        values: dict[str, Tree] = {}
        for label, component in composed.components(call, kinds).items():
            calls = (component.call, *component.same)
            held = next((p for c in calls if isinstance(p := self._partial(c), PartialAggregate)), None)
            if held is None:
                return None
            values[label] = total(component.call.name, replace(held, kind=component.kind or held.kind))
        return composed.finish(values, kinds) if values else None

    def _partial(self, call: exp.Anonymous) -> PartialAggregate | Miss:
        return self.partials.of(call.name, call.expressions[0])

    def _summed_type(self, call: exp.Anonymous) -> str:
        """Return the type of the values that `call` aggregates; if unknown, derive it from the type of their stored
        sum.
        """
        (kind,) = argument_types(call, self.reading.block)
        held = self.partials.held(call_of("sum", call.expressions[0])) if not is_numeric(kind) else None
        return (summed_type(held.type) if held is not None else None) or kind

    def _of_set(self, call: exp.Anonymous, condition: Tree | None) -> Tree | Miss:
        """Return the aggregate `call`, which depends only on the set of its values, such as a sketch or a bitmap.

        The result is the union of stored sketches or bitmaps, or is computed from a key of the view. `condition` is the
        aggregate's FILTER (None without FILTER). Return a Miss if the storage table has neither such sketches or
        bitmaps nor such a key.

        law: a theta sketch consists of the k smallest hashes of its values, so that the union of sketches is the sketch
             of all their values
        no:  an HLL sketch, because its estimate varies by 1.5 % with the number of tasks that built it
        """
        argument, *size = call.expressions
        held, union = self.partials.held(call), UNITED.get(call.name)
        if held is not None and union is not None:
            return _filtered(call_of(union, stored(held.name), *size), condition)
        partial = self.partials.key(call.name, argument)
        if isinstance(partial, Miss):
            return self._unrolled(call, missing(call))
        return _filtered(call_of(call.name, partial.tree, *size), condition)

    def _from_bitmaps(self, call: exp.Anonymous, condition: Tree | None) -> Tree | Miss | None:
        """Return count(DISTINCT i) of an integer as the sum of the bit counts of stored bitmaps.

        `condition` is the aggregate's FILTER (None without FILTER). Return None if the storage table has no bitmaps of
        the integer. Return a Miss if bitmaps would have to be united before they are counted, for example because the
        view has keys besides the bitmap bucket that are not keys of the query.

        law:    each integer is one bit in the bitmap of one bucket; so if the storage table has one bitmap per bucket
                in each group of the query, the number of distinct integers is the sum of the bit counts
        view:   SELECT k, bitmap_bucket_number(i), bitmap_construct_agg(bitmap_bit_position(i)) AS bits … GROUP BY 1, 2
        query:  SELECT k, count(DISTINCT i) … GROUP BY k
        gives:  SELECT k, coalesce(sum(bitmap_count(bits)), 0) FROM view GROUP BY k
        """
        value, reading = call.expressions[0].expressions[0], self.reading
        held = self.partials.held(bits_of(value))
        if call.name != "count" or len(call.expressions[0].expressions) != 1 or held is None:
            return None
        beside = reading.view_keys - {meaning(bucket_of(value))}
        asked = {meaning(reading.normalize(key)) for key in reading.block.keys or ()}
        told = ""
        if expression_type(value, reading.block) not in INTEGERS:
            told = f"{words(value)} is not an integer: add {words(value)}"
        elif len(beside) == len(reading.view_keys):
            told = f"the view has one bitmap for several buckets of integers: add {words(bucket_of(value))}"
        elif reading.extra or reading.block.sets is not None:
            clause = "joins further tables" if reading.extra else "has GROUPING SETS"
            told = f"the query {clause}, so that bitmaps would be counted twice: add {words(value)}"
        if told:
            return Miss(
                Reason.AGGREGATE_DOES_NOT_ROLL_UP,
                f"{words(call)} cannot be computed from the view's bitmaps: {told} to the view's GROUP BY",
            )
        if not beside <= asked:
            finer = ", ".join(sorted(map(words, beside - asked)))
            return Miss(
                Reason.AGGREGATE_DOES_NOT_ROLL_UP,
                f"{words(call)}: the view has a bitmap for each {finer}, which the query does not group by: remove "
                f"{finer} from the view's GROUP BY",
            )
        return call_of(
            "coalesce",
            _filtered(call_of("sum", call_of("bitmap_count", stored(held.name))), condition),
            number(0),
        )

    def _from_keys(self, call: exp.Anonymous, condition: Tree | None) -> Tree | Miss:
        """Return a DISTINCT aggregate computed from keys of the view: `count(DISTINCT k)` from the storage column of
        the key k.

        `condition` is the aggregate's FILTER (None without FILTER). Return a Miss if an argument of the aggregate
        cannot be computed from keys.
        """
        values = []
        for value in call.expressions[0].expressions:
            computed = self.reading.compute(value)
            if isinstance(computed, Miss):
                computed = self.partials.conditional.key_of_rows(value) or computed
            if isinstance(computed, Miss) or not self.reading.path.block.keys:
                held = self.partials.held(call) is not None
                return Miss(Reason.AGGREGATE_DOES_NOT_ROLL_UP, words(call)) if held else missing(call)
            values.append(computed)
        return _filtered(call_of(call.name, exp.Distinct(expressions=values)), condition)


def bits_of(value: Tree) -> exp.Anonymous:
    """Return `bitmap_construct_agg(bitmap_bit_position(value))`, the bitmap of the integers of one bitmap bucket."""
    return call_of("bitmap_construct_agg", call_of("bitmap_bit_position", value))


def bucket_of(value: Tree) -> exp.Anonymous:
    """Return `bitmap_bucket_number(value)`, the number of the bitmap bucket of an integer."""
    return call_of("bitmap_bucket_number", value)


def _is_distinct(call: exp.Anonymous) -> bool:
    return isinstance(call.expressions[0], exp.Distinct)


def _within_argument(call: exp.Anonymous, condition: Tree) -> exp.Anonymous | None:
    """Return an aggregate with its FILTER condition as a CASE in the argument.

    `count(*)` and the condition p give `count(CASE WHEN p THEN 1 END)`. Return None for an aggregate that does not
    ignore NULLs, or has several arguments.
    """
    if call.name not in FOLDED | COMPOSED or len(call.expressions) != 1:
        return None
    argument = call.expressions[0]
    values = argument.expressions if isinstance(argument, exp.Distinct) else [argument]
    if len(values) != 1:
        return None
    value = number(1) if isinstance(values[0], exp.Star) else values[0].copy()
    case = exp.Case(ifs=[exp.If(this=condition.copy(), true=value)])
    return call_of(call.name, exp.Distinct(expressions=[case]) if isinstance(argument, exp.Distinct) else case)


def _fold(name: str, partial: PartialAggregate, condition: Tree | None) -> Tree:
    """Return the aggregate over storage rows that combines the partial aggregate `partial` of each row, such as sum(c)
    for counts c.

    `name` is the query's aggregate function. `condition` becomes a FILTER (None: no FILTER).
    """
    combine = AGGREGATES[name].combine
    assert combine is not None  # only functions that combine have partial aggregates
    combined = _filtered(call_of(combine, partial.tree), condition)
    return call_of("coalesce", combined, number(0)) if name == "count" else _typed(name, combined, partial)


def _typed(name: str, tree: Tree, partial: PartialAggregate) -> Tree:
    """Return a sum cast to the type of the query's sum if the two types may differ; return other aggregates unchanged.

    `name` is the query's aggregate function, and `partial` the partial aggregate from which `tree` is computed. Without
    the cast, a sum of DECIMAL sums would have ten digits more than the query's sum.
    """
    wanted = sum_type(partial.kind) if name == "sum" and partial.kind is not None else None
    return cast(tree, wanted) if wanted is not None and (partial.wide or as_decimal(wanted) is not None) else tree


def _filtered(call: Tree, condition: Tree | None) -> Tree:
    return call if condition is None else exp.Filter(this=call, expression=exp.Where(this=condition.copy()))
