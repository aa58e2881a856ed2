"""Computes covariances, correlations and regressions from exact sums over the pairs (y, x) in which neither is NULL.

With n pairs, Sxx and Syy are the sums of squared deviations from the mean, Sxy is the sum of products of deviations.

| covar_pop, covar_samp | Sxy / n, Sxy / (n - 1)     | regr_avgx, regr_avgy   | as avg of x, of y      |
| corr                  | Sxy / sqrt(Sxx * Syy)      | regr_slope             | Sxy / Sxx              |
| regr_sxx, _syy, _sxy  | Sxx, Syy, Sxy              | regr_intercept         | avg y - slope * avg x  |
| regr_count            | n                          | regr_r2                | Sxy² / (Sxx * Syy)     |

As in Spark, all except regr_count are NULL if there is no pair. covar_samp and corr are NULL for one pair. The slope,
the intercept and r2 are NULL if all x are equal; r2 is 1 if all y are equal but not all x. Under ANSI mode, corr
raises a division error if all x or all y are equal, as in Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from rewriter.functions.averages import average_of_digits, unscaled
from rewriter.functions.moments import digits_of, divisor, moment, rows_of, scale_of, squared
from rewriter.functions.record import Component, Components, Composition, Types
from rewriter.functions.trees import call_of, cast, number

Tree = exp.Expr

# By function: the aggregates from which the function is computed. `n` is the number of pairs, xy the sum of x * y.
_NEEDED: Mapping[str, str] = {
    "regr_count": "n",
    "regr_avgx": "n x",
    "regr_avgy": "n y",
    "regr_sxx": "n x xx",
    "regr_syy": "n y yy",
    **dict.fromkeys(("covar_pop", "covar_samp", "regr_sxy"), "n x y xy"),
    **dict.fromkeys(("regr_slope", "regr_intercept"), "n x y xx xy"),
    **dict.fromkeys(("corr", "regr_r2"), "n x y xx yy xy"),
}


@dataclass(frozen=True)
class Pair:
    """The arguments (y, x) of a function of pairs such as corr(y, x), with their integer or DECIMAL types."""

    y: Tree
    x: Tree
    kinds: tuple[str, str]

    @property
    def swapped(self) -> Pair:
        """The same pair with y and x exchanged."""
        return Pair(self.x, self.y, self.kinds[::-1])

    @property
    def scales(self) -> tuple[int, int]:
        """The scales of the types of y and x."""
        (y, x) = map(scale_of, self.kinds)
        assert y is not None
        assert x is not None
        return y, x

    def summed(self, part: str) -> exp.Anonymous:
        """Return the aggregate `part` over the pairs, computed on unscaled digits, in which 1.25 counts as 125.

        `part` is n (the number of pairs), x or y (the sum of x or of y), or xx, yy or xy (the sum of x², y² or x * y).
        """
        whole = {
            "x": digits_of(_where_there(self.x, self.y), self.scales[1]),
            "y": digits_of(_where_there(self.y, self.x), self.scales[0]),
        }
        if part == "n":
            return call_of("count", _where_there(self.x, self.y))
        if part == "xy":
            plain = (digits_of(tree, scale) for tree, scale in zip((self.x, self.y), self.scales[::-1], strict=True))
            return call_of("sum", exp.Mul(this=next(plain), expression=next(plain)))
        return call_of("sum", whole[part] if part in whole else squared(whole[part[0]]))


def pair_of(y: Tree, x: Tree, kinds: tuple[str | None, str | None]) -> Pair | None:
    """Return the arguments of a two-argument aggregate, such as corr(y, x), as a Pair.

    `kinds` are the types of y and x. Return None if one of the types is unknown (None), or if sums of squares of its
    values could have more than 38 digits or are inexact, as for DOUBLE.
    """
    first, second = kinds
    if first is None or second is None or scale_of(first) is None or scale_of(second) is None:
        return None
    return Pair(y, x, (first, second))


def paired(name: str) -> Composition:
    """Return the Composition (components and final formula) of the function of pairs `name`, such as corr."""

    def components(call: exp.Anonymous, kinds: Types) -> Components:
        y, x = call.expressions
        pair = pair_of(y, x, (kinds[0], kinds[1]))
        return {each: _component(pair, each) for each in needed(name)} if pair is not None else {}

    def finish(values: Mapping[str, Tree], kinds: Types) -> Tree | None:
        # The finishing formula needs only the types of the arguments.
        pair = pair_of(exp.Null(), exp.Null(), (kinds[0], kinds[1]))
        assert pair is not None  # there are no components without one
        return of_pairs(name, values, pair)

    return Composition(components, finish)


def _component(pair: Pair, each: str) -> Component:
    call = pair.summed(each)
    # The number of pairs is the same with the arguments swapped.
    return Component(call, call.name, same=(pair.swapped.summed(each),) if each == "n" else ())


def valued(name: str) -> tuple[int, ...]:
    """Return the positions of the arguments whose values matter to the function of pairs `name`; 0 is y, 1 is x.

    For an argument at any other position, only whether it is NULL matters.

    >>> valued("regr_avgx"), valued("corr"), valued("regr_count")
    ((1,), (0, 1), ())
    """
    return tuple(place for place, letter in enumerate("yx") if letter in _NEEDED[name])


def needed(name: str) -> tuple[str, ...]:
    """Return the names of the aggregates over pairs (y, x) from which the function of pairs `name` is computed.

    n is the number of pairs; x and y are the sums of x and of y; xx, yy and xy are the sums of x², y² and x * y.

    >>> needed("covar_pop")
    ('n', 'x', 'y', 'xy')
    """
    return tuple(_NEEDED[name].split())


def of_pairs(name: str, sums: Mapping[str, Tree], pair: Pair) -> Tree:
    """Return the expression that computes the function of pairs `name` from `sums`.

    `sums` has the aggregates over the pairs, by the names that `needed` returns, such as n, x and xy. `pair` has the
    types of the arguments.
    """
    return _ENDS[name](_Totals(sums, pair))


def _where_there(value: Tree, other: Tree) -> Tree:
    """Return the CASE expression that is `value` if `other` is not NULL, else NULL.

    In a sum over pairs (y, x), `value` is y and `other` is x, or vice versa: a pair with a NULL is ignored.
    """
    there = exp.Not(this=exp.Is(this=other.copy(), expression=exp.Null()))
    return exp.Case(this=None, ifs=[exp.If(this=there, true=value.copy())], default=None)


class _Totals:
    """The values of the aggregates over the pairs, with methods that return the terms of the final formulas."""

    def __init__(self, sums: Mapping[str, Tree], pair: Pair) -> None:
        self._sums, self._pair = sums, pair

    @property
    def n(self) -> Tree:
        return self._sums["n"]

    def average(self, which: str) -> Tree:
        """Return the mean of y or x (`which`), in the result type of avg() over that argument."""
        return average_of_digits(self._sums[which], self.n, self._pair.kinds["yx".index(which)])

    def mean(self, which: str) -> Tree:
        """Return the mean of y or x (`which`) as a DOUBLE that is not rounded to the scale of avg()."""
        return unscaled(average_of_digits(self._sums[which], self.n, "int"), self._pair.scales["yx".index(which)])

    def about_mean(self, which: str) -> Tree:
        """Return Sxx, Syy or Sxy for `which` = xx, yy or xy, as a DOUBLE expression.

        Sxx is the sum of the squared deviations of x from the mean of x, Syy the same for y. Sxy is the sum of the
        products of the deviations of x and y.
        """
        first, second = tuple(which)
        y, x = self._pair.scales
        scales = {"x": x, "y": y}
        about = moment(self._sums[which], self._sums[first], self._sums[second], self.n)
        return unscaled(about, scales[first] + scales[second])


def _covariance(totals: _Totals, sample: bool) -> Tree:
    return exp.Div(this=totals.about_mean("xy"), expression=divisor(rows_of(totals.n), sample))


def _correlation(totals: _Totals) -> Tree:
    both = call_of("sqrt", exp.Mul(this=totals.about_mean("xx"), expression=totals.about_mean("yy")))
    one = exp.EQ(this=totals.n.copy(), expression=number(1))
    quotient = exp.Div(this=totals.about_mean("xy"), expression=both)
    return exp.Case(ifs=[exp.If(this=one, true=exp.Null())], default=quotient)


def _slope(totals: _Totals) -> Tree:
    return exp.Div(this=totals.about_mean("xy"), expression=_or_null(totals.about_mean("xx")))


def _intercept(totals: _Totals) -> Tree:
    return exp.Sub(this=totals.mean("y"), expression=exp.Mul(this=_slope(totals), expression=totals.mean("x")))


def _determination(totals: _Totals) -> Tree:
    xx, yy = totals.about_mean("xx"), totals.about_mean("yy")
    ratios = (exp.Div(this=totals.about_mean("xy"), expression=_or_null(about)) for about in (xx, yy))
    level = exp.And(this=exp.GT(this=xx, expression=number(0)), expression=exp.EQ(this=yy, expression=number(0)))
    product = exp.Mul(this=next(ratios), expression=next(ratios))
    return exp.Case(ifs=[exp.If(this=level, true=cast(number(1), "double"))], default=product)


def _or_null(value: Tree) -> Tree:
    return call_of("nullif", value, cast(number(0), "double"))


_ENDS: Mapping[str, Callable[[_Totals], Tree]] = {
    "covar_pop": lambda totals: _covariance(totals, sample=False),
    "covar_samp": lambda totals: _covariance(totals, sample=True),
    "corr": _correlation,
    "regr_count": lambda totals: totals.n,
    "regr_avgx": lambda totals: totals.average("x"),
    "regr_avgy": lambda totals: totals.average("y"),
    "regr_sxx": lambda totals: totals.about_mean("xx"),
    "regr_syy": lambda totals: totals.about_mean("yy"),
    "regr_sxy": lambda totals: totals.about_mean("xy"),
    "regr_slope": _slope,
    "regr_intercept": _intercept,
    "regr_r2": _determination,
}
