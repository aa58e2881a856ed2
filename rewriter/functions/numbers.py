"""Records (names, result types, operators) of the numeric functions."""

from __future__ import annotations

from rewriter.functions.record import Function
from rewriter.functions.results import float_or_double, magnitude, number, whole

NUMBER_FUNCTIONS = (
    Function("abs", number),
    Function("ceil", whole, ("ceiling",), printed_as="CEIL(%s)", unprinted=("ceiling",), printed_arity=1, rounds=True),
    Function("floor", whole, printed_as="FLOOR(%s)", printed_arity=1, rounds=True),
    Function("round", printed_arity=2, printed_defaults=("0",), rounds=True),
    Function("bround", printed_arity=2, printed_defaults=("0",), rounds=True),
    Function("signum", magnitude, ("sign",), printed_as="SIGNUM(%s)", unprinted=("sign",)),
    Function("sqrt", magnitude, printed_as="SQRT(%s)"),
    Function("exp", magnitude, printed_as="EXP(%s)"),
    Function("ln", magnitude),
    Function("log10", magnitude, printed_as="LOG10(%s)"),
    Function("log2", magnitude, printed_as="LOG2(%s)"),
    Function("power", magnitude, ("pow",), printed_as="POWER(%s)", unprinted=("pow",)),
    Function("nanvl", float_or_double),
    Function("mod", operator="%"),
    Function("pmod", operator="%"),
    Function("try_add", operator="+"),
    Function("try_subtract", operator="-"),
    Function("try_multiply", operator="*"),
    Function("try_divide", operator="/"),
    Function("try_mod", operator="%"),
)
