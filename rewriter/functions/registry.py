"""Looks up the records of functions by name; derived sets and mappings are computed once, at import."""

from __future__ import annotations

from collections.abc import Mapping

from rewriter.functions import aggregates, conditions, numbers, others, sketches, text, times, windows
from rewriter.functions.record import Aggregate, Function, Rule, WindowFunction
from rewriter.functions.results import of_text, texts

AGGREGATES: Mapping[str, Aggregate] = {record.name: record for record in aggregates.AGGREGATES}
WINDOWS: Mapping[str, WindowFunction] = {record.name: record for record in windows.WINDOW_FUNCTIONS}
FUNCTIONS: Mapping[str, Function] = {
    record.name: record
    for record in (
        *text.TEXT_FUNCTIONS,
        *numbers.NUMBER_FUNCTIONS,
        *conditions.CONDITIONS,
        *times.TIME_FUNCTIONS,
        *times.CLOCK_FUNCTIONS,
        *sketches.SET_FUNCTIONS,
        *others.UNSETTLED_FUNCTIONS,
        *others.GROUPING_FUNCTIONS,
        *others.CASTS,
        *others.OTHER_FUNCTIONS,
        others.COUNT_IF,
        *aggregates.AGGREGATES,
    )
}
_SYNONYMS = {synonym: record.name for record in FUNCTIONS.values() for synonym in record.synonyms}


def meant(name: str) -> str:
    """Return the canonical name of a function, in lower case: a synonym is replaced by the name of its record.

    A name without a record is returned in lower case.

    >>> meant("SUBSTR"), meant("sum")
    ('substring', 'sum')
    """
    lower = name.lower()
    return _SYNONYMS.get(lower, lower)


# READABLE: the scalar functions that a block may contain. SETTLED: the functions that a view's query may contain.
READABLE = frozenset(name for name, record in FUNCTIONS.items() if record.readable) - AGGREGATES.keys()
UNSETTLED: Mapping[str, str] = {name: record.unsettled for name, record in FUNCTIONS.items() if record.unsettled}
CLOCK = frozenset(record.name for record in times.CLOCK_FUNCTIONS)
SETTLED = (FUNCTIONS.keys() | {name for name, record in WINDOWS.items() if record.settled}) - UNSETTLED.keys() - CLOCK
TEXTS = frozenset(
    name
    for record in FUNCTIONS.values()
    if record.result in (of_text, texts)
    for name in (record.name, *record.synonyms)
)
# The functions that return NULL if an argument is NULL: those of times, and floor(), by which buckets are counted.
STRICT = frozenset({"floor", *(record.name for record in times.TIME_FUNCTIONS)}) - {"named_struct"}
# The functions that return a field of a time, whose unit is their first argument.
FIELDS = frozenset(name for name, record in FUNCTIONS.items() if record.form == "field")
UNITS: Mapping[str, str] = {unit: name for name, record in FUNCTIONS.items() for unit in record.units.split()}

# The functions whose first argument may be a unit of time: whether the unit is added to a time or counted.
OF_UNITS: Mapping[str, str] = {name: record.of_unit for name, record in FUNCTIONS.items() if record.of_unit}

# ZONELESS: the functions whose value does not depend on the session time zone. Functions of the current time are among
# them, because the rewritten query runs in the same session as the original one.
GROUPING = frozenset(record.name for record in others.GROUPING_FUNCTIONS)
REPLACED = others.REPLACED
ZONELESS = frozenset(name for name in READABLE if not FUNCTIONS[name].zoned).union(CLOCK, AGGREGATES, GROUPING, WINDOWS)

RESULTS: Mapping[str, Rule] = {
    **{name: record.result for name, record in WINDOWS.items() if record.result},
    **{name: record.result for name, record in FUNCTIONS.items() if record.result},
}
ROUNDING = frozenset(name for name, record in FUNCTIONS.items() if record.rounds)
OPERATORS: Mapping[str, str] = {name: record.operator for name, record in FUNCTIONS.items() if record.operator}

# Aggregates that depend only on which values occur, not on how often (sketches, bitmaps); UNITED: the aggregate that
# merges their results.
SETS = frozenset(name for name, record in AGGREGATES.items() if record.of_key == "set")
UNITED: Mapping[str, str] = {
    name: record.combine for name, record in AGGREGATES.items() if name in SETS and record.combine
}
# Aggregates whose values over finer groups can be combined, and those of them that ignore repeated values.
FOLDED = frozenset(name for name, record in AGGREGATES.items() if record.combine) - SETS
IDEMPOTENT = frozenset(name for name in FOLDED if not AGGREGATES[name].repeats)
COMPOSED = frozenset(name for name, record in AGGREGATES.items() if record.composed)
# Aggregates whose last bits may depend on the order in which rows are added.
INEXACT = frozenset(name for name, record in AGGREGATES.items() if not record.exact("double"))
# Aggregates that are also supported with OVER.
WINDOWED = frozenset(name for name, record in AGGREGATES.items() if record.windowed)
SUCCESSIONS = frozenset(name for name, record in WINDOWS.items() if record.kind == "succession")
# By aggregate: all aggregates of its family.
FAMILIES: Mapping[str, frozenset[str]] = {
    name: frozenset(other for other, beside in AGGREGATES.items() if beside.family == record.family)
    for name, record in AGGREGATES.items()
    if record.family
}
