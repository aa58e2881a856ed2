"""Records (names, result types) of functions that choose one of their arguments, or test an argument for NULL."""

from __future__ import annotations

from rewriter.functions.record import Function
from rewriter.functions.results import BOOLEAN, either, first, together

CONDITIONS = (
    Function("coalesce", together),
    Function("nvl", together, ("ifnull",)),
    Function("nvl2", either),
    Function("nullif", first),
    Function("if", either, printed_as="(IF(%s))"),
    Function("greatest", together),
    Function("least", together),
    Function("isnull", BOOLEAN, printed_as="(%s IS NULL)"),
    Function("isnotnull", BOOLEAN, printed_as="(%s IS NOT NULL)"),
)
