"""Records (names, result types, operators) of the numeric functions."""

from __future__ import annotations

from rewriter.functions.record import Function
from rewriter.functions.results import float_or_double, magnitude, number, whole

NUMBER_FUNCTIONS = (
    Function("abs", number),
    Function("ceil", whole, ("ceiling",), printed=False, rounds=True),
    Function("floor", whole, printed=False, rounds=True),
    Function("round", printed_arity=2, rounds=True),
    Function("bround", printed_arity=2, rounds=True),
    Function("signum", magnitude, ("sign",), printed=False),
    Function("sqrt", magnitude, printed="SQRT"),
    Function("exp", magnitude, printed="EXP"),
    Function("ln", magnitude),
    Function("log10", magnitude, printed="LOG10"),
    Function("log2", magnitude, printed=False),
    Function("power", magnitude, ("pow",), printed="POWER", unprinted=("pow",)),
    Function("nanvl", float_or_double),
    Function("mod", operator="%"),
    Function("pmod", operator="%"),
    Function("try_add", operator="+", printed=False),
    Function("try_subtract", operator="-", printed=False),
    Function("try_multiply", operator="*", printed=False),
    Function("try_divide", operator="/", printed=False),
    Function("try_mod", operator="%"),
)
