"""Functions of pairs from exact sums."""

from __future__ import annotations

import math
import statistics

import duckdb
import pytest
from sqlglot import exp

from rewriter.functions.pairs import Pair, needed, of_pairs, pair_of
from rewriter.functions.registry import AGGREGATES, COMPOSED
from rewriter.match.printing import expression_text

Tree = exp.Expr
Y, X = exp.column("y"), exp.column("x")
PAIRS = ((1000001, 3), (1000002, 5), (1000004, -2), (-7, 9), (1, None), (None, 1))
LEVEL = ((5, 1), (5, 3), (5, 7))
UPRIGHT = ((1, 5), (3, 5))
PAIRED = frozenset(name for name in COMPOSED if AGGREGATES[name].arity == 2)


def answer(name: str, pairs: tuple[tuple[int | None, int | None], ...], scale: int = 0) -> float | None:
    """Return a function of pairs computed from its sums; y counts units with this number of decimal places."""
    pair = Pair(Y, X, (f"decimal(10,{scale})", "int"))
    values = ", ".join(f"({'NULL' if y is None else y}, {'NULL' if x is None else x})" for y, x in pairs) or "(0, 0)"
    source = f"(SELECT CAST(y AS DECIMAL(18,0)) / {10**scale} AS y, x FROM (VALUES {values}) AS t(y, x)) AS p"
    sums = {part: exp.Var(this=f"s_{part}") for part in needed(name)}
    made = ", ".join(f"{expression_text(pair.summed(part))} AS s_{part}" for part in sums)
    kept = "true" if pairs else "false"
    query = f"SELECT {expression_text(of_pairs(name, sums, pair))} FROM (SELECT {made} FROM {source} WHERE {kept})"
    ((value,),) = duckdb.execute(query).fetchall()
    return None if value is None else float(value)


def plain(name: str) -> float:
    """Return the same function of PAIRS by the standard library."""
    there = [(y, x) for y, x in PAIRS if y is not None and x is not None]
    ys, xs = [y for y, _ in there], [x for _, x in there]
    n, line = len(there), statistics.linear_regression(xs, ys)
    moment = statistics.covariance(xs, ys) * (n - 1)
    found: dict[str, float] = {
        "covar_pop": moment / n,
        "covar_samp": moment / (n - 1),
        "corr": statistics.correlation(xs, ys),
        "regr_count": n,
        "regr_avgx": statistics.fmean(xs),
        "regr_avgy": statistics.fmean(ys),
        "regr_sxx": statistics.pvariance(xs) * n,
        "regr_syy": statistics.pvariance(ys) * n,
        "regr_sxy": moment,
        "regr_slope": line.slope,
        "regr_intercept": line.intercept,
        "regr_r2": statistics.correlation(xs, ys) ** 2,
    }
    return found[name]


@pytest.mark.parametrize("name", sorted(PAIRED))
def test_of_pairs(name: str) -> None:
    assert answer(name, PAIRS) == pytest.approx(plain(name))


@pytest.mark.parametrize(("name", "units"), [("regr_sxy", 100), ("regr_syy", 10_000), ("regr_slope", 100), ("corr", 1)])
def test_of_decimals(name: str, units: int) -> None:
    assert answer(name, PAIRS, scale=2) == pytest.approx(plain(name) / units)


@pytest.mark.parametrize("name", sorted(PAIRED))
def test_of_no_pairs(name: str) -> None:
    assert answer(name, ()) == (0 if name == "regr_count" else None)


def test_of_one_pair() -> None:
    of_one = {name: answer(name, PAIRS[:1]) for name in PAIRED}
    assert {name for name, value in of_one.items() if value is None} == {
        "covar_samp", "corr", "regr_slope", "regr_intercept", "regr_r2",
    }  # fmt: skip
    assert {of_one[name] for name in ("covar_pop", "regr_sxx", "regr_syy", "regr_sxy")} == {0.0}


def test_of_equal_values() -> None:
    lines = ("regr_slope", "regr_intercept", "regr_r2")
    assert [answer(name, UPRIGHT) for name in lines] == [None, None, None]
    assert [answer(name, LEVEL) for name in lines] == [0, 5, 1]
    level = answer("corr", LEVEL)  # 0 / 0, which is an error to Spark
    assert level is not None
    assert math.isnan(level)


def test_both_must_have_exact_sums() -> None:
    assert pair_of(Y, X, ("int", "double")) is None
    assert pair_of(Y, X, (None, "int")) is None
    assert pair_of(Y, X, ("int", "decimal(10,2)")) == Pair(Y, X, ("int", "decimal(10,2)"))
