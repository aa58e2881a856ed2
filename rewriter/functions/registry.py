"""The function records by name, with frequent lookups precomputed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
    """Return the canonical name of a function.

    >>> meant("SUBSTR"), meant("sum")
    ('substring', 'sum')
    """
    lower = name.lower()
    return _SYNONYMS.get(lower, lower)


def _printed() -> Iterator[tuple[str, str]]:
    for record in FUNCTIONS.values():
        for name in (record.name, *record.synonyms) if record.printed else ():
            if name not in record.unprinted:
                yield name, record.printed if isinstance(record.printed, str) else name


# Functions of one row's values that may stand in blocks, and those that may stand in the query of a view.
READABLE = frozenset(name for name, record in FUNCTIONS.items() if record.readable) - AGGREGATES.keys()
UNSETTLED: Mapping[str, str] = {name: record.unsettled for name, record in FUNCTIONS.items() if record.unsettled}
CLOCK = frozenset(record.name for record in times.CLOCK_FUNCTIONS)
SETTLED = (FUNCTIONS.keys() | {name for name, record in WINDOWS.items() if record.settled}) - UNSETTLED.keys() - CLOCK
# By names as typed: what Spark calls an output without an alias, and with how many arguments only.
PRINTED: Mapping[str, str] = dict(_printed())
PRINTED_ARITY: Mapping[str, int] = {
    name: record.printed_arity
    for record in FUNCTIONS.values()
    for name in (record.name, *record.synonyms)
    if record.printed_arity
}
TEXTS = frozenset(
    name
    for record in FUNCTIONS.values()
    if record.result in (of_text, texts)
    for name in (record.name, *record.synonyms)
)
UNITS: Mapping[str, str] = {unit: name for name, record in FUNCTIONS.items() for unit in record.units.split()}

# Functions that may begin with a unit, with what becomes of it.
OF_UNITS: Mapping[str, str] = {name: record.of_unit for name, record in FUNCTIONS.items() if record.of_unit}

# What tells the time is the same beside storage as beside the tables.
GROUPING = frozenset(record.name for record in others.GROUPING_FUNCTIONS)
ZONELESS = frozenset(name for name in READABLE if not FUNCTIONS[name].zoned).union(CLOCK, AGGREGATES, GROUPING, WINDOWS)

RESULTS: Mapping[str, Rule] = {
    **{name: record.result for name, record in WINDOWS.items() if record.result},
    **{name: record.result for name, record in FUNCTIONS.items() if record.result},
}
OPERATORS: Mapping[str, str] = {name: record.operator for name, record in FUNCTIONS.items() if record.operator}

# Aggregates of sets, with what unites these; of which values there are, not how often, they depend alone.
SETS = frozenset(name for name, record in AGGREGATES.items() if record.of_key == "set")
UNITED: Mapping[str, str] = {
    name: record.combine for name, record in AGGREGATES.items() if name in SETS and record.combine
}
# Aggregates that are folded from themselves, or from counts; those of them in which repeated values change nothing.
FOLDED = frozenset(name for name, record in AGGREGATES.items() if record.combine) - SETS
IDEMPOTENT = frozenset(name for name in FOLDED if not AGGREGATES[name].repeats)
COMPOSED = frozenset(name for name, record in AGGREGATES.items() if record.composed)
# Of these, the last bits may depend on the order in which rows are added.
INEXACT = frozenset(name for name, record in AGGREGATES.items() if not record.exact("double"))
# Window functions.
WINDOWED = frozenset(name for name, record in AGGREGATES.items() if record.windowed)
SUCCESSIONS = frozenset(name for name, record in WINDOWS.items() if record.kind == "succession")
# Aggregates of the same family, with all of it.
FAMILIES: Mapping[str, frozenset[str]] = {
    name: frozenset(other for other, beside in AGGREGATES.items() if beside.family == record.family)
    for name, record in AGGREGATES.items()
    if record.family
}
