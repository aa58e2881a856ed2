"""The canonical form of functions whose first argument is a unit: `dateadd(DAY, -7, t)`, `timestampdiff(MONTH, a, b)`.

law:    dateadd(unit, n, t) is t plus an interval of n days, months or years; a DATE is first cast to TIMESTAMP
law:    timestampdiff(unit, a, b) counts the whole units from a to b on the clock of the session's time zone
no:     dateadd(DAY, 1, t) is not t plus 24 hours: Spark adds a day, even if that day has 23 hours in the zone
no:     a unit in quotes, because Spark refuses it
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from rewriter.block.form import Unsupported
from rewriter.block.scope import Scope
from rewriter.block.traits import temporal_type
from rewriter.block.words import words
from rewriter.functions.registry import CLOCK, OF_UNITS, RESULTS
from rewriter.functions.trees import cast
from rewriter.sql.time_windows import BACK
from rewriter.timeseries.steady import LENGTHS

Tree = exp.Expr

# For each unit: the unit of the interval, and how many of those it is.
_ADDED = {
    **{unit: (unit, 1) for unit in ("DAY", "MONTH", "YEAR")},
    "WEEK": ("DAY", 7),
    "QUARTER": ("MONTH", 3),
}
# Units whose intervals have a fixed length: a day or more depends on the time zone.
_SHORT = frozenset({"SECOND", "MINUTE", "HOUR"})
_COUNTED = frozenset({"SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"})


def of_unit(name: str, unit: Tree, arguments: Sequence[Tree], scope: Scope) -> Tree:
    """Return the canonical tree of a call of the function `name`, whose first argument is a unit of time.

    For a TIMESTAMP t, `dateadd(DAY, -7, t)` gives `t - INTERVAL 7 DAY`; timestampdiff() stays a call. Raise Unsupported
    for an unknown unit, if the type of a time is not known, and if the number of units is not a literal.
    """
    named = unit.name if isinstance(unit, exp.Var) else ""
    added = OF_UNITS[name] == "added"
    called = "dateadd" if added else name
    if named not in _COUNTED:
        raise Unsupported(
            f"{called}(): the unit {unit.sql('spark')} is not supported: write SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, "
            "QUARTER or YEAR"
        )
    kinds = [kind_of(argument, scope) for argument in arguments]
    if None in kinds[added:]:
        time = arguments[kinds.index(None, int(added))]
        raise Unsupported(
            f"{called}(): {words(time)} is not certainly a DATE or TIMESTAMP: write a CAST to one of these types"
        )
    if added:
        return _added(named, arguments[0], arguments[1], str(kinds[1]))
    return exp.Anonymous(this="timestampdiff", expressions=[exp.Var(this=named), *arguments])


def kind_of(tree: Tree, scope: Scope) -> str | None:
    """Return the type of a date or timestamp, such as timestamp for current_timestamp(); None if not certain.

    `scope` gives the types of columns.
    """
    clock = RESULTS[tree.name] if isinstance(tree, exp.Anonymous) and tree.name in CLOCK else None
    if isinstance(tree, exp.Anonymous) and tree.name == "date_trunc":
        return "timestamp"
    return clock([]) if clock is not None else temporal_type(tree, scope)


def _added(unit: str, count: Tree, time: Tree, kind: str) -> Tree:
    back, digits = (True, count.this) if isinstance(count, exp.Neg) else (False, count)
    if back and kind == "timestamp_ntz" and isinstance(digits, exp.Column) and digits.name == BACK:
        return exp.Anonymous(this="timestampadd", expressions=[exp.Var(this=unit), count, time])  # a sliding window
    whole = isinstance(digits, exp.Literal) and not digits.is_string and digits.name.isdigit()
    if not whole:
        raise Unsupported(f"dateadd(): the number of units, {words(count)}, must be a literal: write a whole number")
    moved = cast(time, "timestamp") if kind == "date" else time
    if unit in _SHORT and int(digits.name) * LENGTHS[unit.lower()] < LENGTHS["day"]:
        name, times = unit, 1
    elif unit in _ADDED:
        name, times = _ADDED[unit]
    else:
        return exp.Anonymous(this="timestampadd", expressions=[exp.Var(this=unit), count, moved])
    interval = exp.Interval(this=exp.Literal.string(str(int(digits.name) * times)), unit=exp.Var(this=name))
    return (exp.Sub if back else exp.Add)(this=moved, expression=interval)
