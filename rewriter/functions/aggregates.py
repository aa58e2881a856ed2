"""Records (names, result types, use in rewriting) of the aggregate functions."""

from __future__ import annotations

from rewriter.functions.averages import AVERAGE
from rewriter.functions.moments import spread
from rewriter.functions.pairs import paired, valued
from rewriter.functions.record import Aggregate, Rule, never_exact
from rewriter.functions.results import (
    BIGINT,
    BOOLEAN,
    BYTES,
    average,
    first,
    integral,
    magnitude,
    magnitudes,
    total,
)
from rewriter.functions.types import INTEGERS, VOID, as_decimal

_SKETCH_SIZE = 12


def _exact_average(kind: str) -> bool:
    """Return whether avg() over values of type `kind` is exact in any order of rows.

    True for DECIMALs only: Spark averages integers in DOUBLE, whose last bits depend on the order of additions.
    """
    return as_decimal(kind) is not None


def _exact_sum(kind: str) -> bool:
    return kind in (*INTEGERS, VOID) or _exact_average(kind)


def _extreme(name: str) -> Aggregate:
    # max(-x) is -min(x)
    return Aggregate(name, first, combine=name, repeats=False, of_key="same", family="extreme", windowed=True)


def _truth(name: str, synonyms: tuple[str, ...]) -> Aggregate:
    return Aggregate(name, BOOLEAN, synonyms, combine=name, repeats=False, of_key="same", windowed=True)


def _bits(name: str, *, repeats: bool) -> Aggregate:
    return Aggregate(name, integral, combine=name, repeats=repeats)


def _spread(name: str, synonyms: tuple[str, ...] = ()) -> Aggregate:
    return Aggregate(name, magnitude, synonyms, composed=spread(name), exact=never_exact)


def _paired(name: str, result: Rule = magnitudes) -> Aggregate:
    return Aggregate(name, result, composed=paired(name), exact=never_exact, arity=2, values=valued(name))


def _shape(name: str) -> Aggregate:
    return Aggregate(name, magnitude, exact=never_exact)


def _set(name: str, united_by: str, *, size: int | None = None) -> Aggregate:
    arity = 1 if size is None else 2
    return Aggregate(
        name, BYTES, printed_arity=size and arity, combine=united_by, repeats=False, of_key="set",
        arity=arity, size=size, of_nothing=None,
    )  # fmt: skip


AGGREGATES = (
    Aggregate("count", BIGINT, combine="sum", of_key="count", values=(), linear=True, windowed=True, of_nothing="zero"),
    Aggregate("sum", total, combine="sum", exact=_exact_sum, of_key="weigh", family="sum", linear=True, windowed=True),
    Aggregate(
        "avg", average, ("mean",), composed=AVERAGE, exact=_exact_average, family="sum", linear=True, windowed=True
    ),
    _extreme("min"),
    _extreme("max"),
    _truth("bool_and", ("every",)),
    _truth("bool_or", ("some", "any")),
    _bits("bit_and", repeats=False),
    _bits("bit_or", repeats=False),
    _bits("bit_xor", repeats=True),
    _spread("var_pop"),
    _spread("var_samp", ("variance",)),
    _spread("stddev_pop"),
    _spread("stddev_samp", ("stddev", "std")),
    _paired("covar_pop"),
    _paired("covar_samp"),
    _paired("corr"),
    Aggregate(
        "regr_count", BIGINT, composed=paired("regr_count"), arity=2, values=valued("regr_count"), of_nothing="zero"
    ),
    _paired("regr_avgx", lambda types: average(types[1:])),
    _paired("regr_avgy", average),
    _paired("regr_sxx"),
    _paired("regr_syy"),
    _paired("regr_sxy"),
    _paired("regr_slope"),
    _paired("regr_intercept"),
    _paired("regr_r2"),
    _shape("skewness"),
    _shape("kurtosis"),
    Aggregate("median", magnitude),
    Aggregate("percentile", magnitudes, printed_arity=3, printed_defaults=("1",), arity=2),
    Aggregate("approx_count_distinct", BIGINT, printed_arity=1, repeats=False, of_key="set", of_nothing="zero"),
    _set("theta_sketch_agg", "theta_union_agg", size=_SKETCH_SIZE),
    _set("theta_union_agg", "theta_union_agg", size=_SKETCH_SIZE),
    _set("bitmap_construct_agg", "bitmap_or_agg"),
    _set("bitmap_or_agg", "bitmap_or_agg"),
)
