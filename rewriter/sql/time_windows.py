"""Spark's time windows: `window(t, '1 hour')` adds a struct column `window`, with `start` and `end`, to FROM's rows.

If a SELECT has a single window, reads of the struct and its fields are replaced by calls of internal functions, whose
names contain a blank so that no user's function has these names. `window start` and `window end` take a time, a length,
an offset and a slide (in seconds); `window struct` takes the same arguments and replaces an output that is the struct
itself, as in `SELECT window`. As in Spark, rows whose time is NULL are dropped.

    query:  SELECT window.start, count(*) FROM t GROUP BY window(ts, '1 hour')
    gives:  SELECT `window start`(ts, 3600, 0, 3600) AS start, count(*) FROM t WHERE ts IS NOT NULL
            GROUP BY `window start`(…)

If the slide is shorter than the window, a row is in several windows: the last window that starts at or before the row's
time, and the windows that start 1, 2, … slides earlier. FROM is therefore cross-joined with a table of slides. The
table has a single column, `back`, and one row for each of these windows: the seconds from the window's start to the
last window's start. `window start` stands for the start of the last window minus `back`;
`rewriter.block.time_windows` adds the subtraction. After `no:` are the windows that are not supported.

    query:  SELECT window.start, count(*) FROM t GROUP BY window(ts, '1 hour', '15 minutes')
    gives:  SELECT `window start`(ts, 3600, 0, 900) AS start, count(*)
            FROM t CROSS JOIN (SELECT explode(sequence(0, 2700, 900)) AS back) AS `window slides` WHERE …
    no:     a length that is not a multiple of the slide; two windows in one SELECT; a window in WHERE
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sqlglot import exp

Tree = exp.Expr

NAME, SESSION = "window", "session_window"
START, END = "window start", "window end"
STRUCT = "window struct"
# The names of the clauses after the keys of GROUP BY: GROUP BY a, b WITH ROLLUP.
TRAILING = ("rollup", "cube", "grouping_sets")
# The alias of the table of slides, and its only column.
SLIDES, BACK = "window slides", "back"
_FIELDS = {"start": START, "end": END}
_DURATION = re.compile(r"\s*(?:interval\s+)?((?:[+-]?\d{1,9}\s+[a-z]+\s*)+)\Z", re.IGNORECASE)
_PIECE = re.compile(r"([+-]?\d+)\s+([a-z]+)", re.IGNORECASE)
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}


def split_windows(tree: exp.Select) -> None:
    """Replace reads of the time window in each SELECT of a tree, nested ones included, by internal calls, in place.

    `window.start` becomes `` `window start`(ts, 3600, 0, 3600)`` for `window(ts, '1 hour')`. For a sliding window, a
    table with one row for each of the windows that contain a time is joined to FROM. If a window is not supported, such
    as session_window(), a read of one of its fields is replaced by the window's call, so that a message can name the
    call.
    """
    for select in list(tree.find_all(exp.Select)):
        clauses = [*select.expressions, *(select.args.get(name) for name in ("group", "having", "order"))]
        found = [node for clause in clauses if clause is not None for node in _within(clause)]
        _name_session(found)
        calls = {node for node in found if _is_call(node)}
        others = (select.args.get("where"), *(select.args.get("joins") or ()))
        if len(calls) != 1 or any(_is_call(node) for clause in others if clause for node in _within(clause)):
            continue
        (call,) = calls
        lengths = _lengths(call)
        if lengths is None:
            for node in found:
                if node is not call and _field(node) is not None and isinstance(node, exp.Column):
                    node.replace(call.copy())
        elif not any(_is_whole(node, select) for node in found):
            _replace(select, found, call.expressions[0].copy(), lengths)
            if lengths.slide < lengths.length:
                select.append("joins", exp.Join(this=_slides(lengths), kind="CROSS"))


def _name_session(found: list[Tree]) -> None:
    """Replace each read of a field of `session_window` by the first call of session_window() in `found`, in place.

    `session_window.start` becomes `session_window(ts, '5 minutes')`, so that a message can name the call. Without a
    call, nothing is replaced.
    """
    calls = (node for node in found if isinstance(node, exp.Anonymous) and node.name.lower() == SESSION)
    call = next(calls, None)
    for node in found:
        if call is not None and isinstance(node, exp.Column) and node.table.lower() == SESSION:
            node.replace(call.copy())


def is_slides(item: Tree) -> bool:
    """Return whether an item of FROM is the table of slides that `split_windows` adds for a sliding window."""
    return bool(item.meta.get(SLIDES))


def unread(call: Tree) -> str:
    """Return the message that says why a call of window() or session_window() is not supported."""
    if call.name.lower() == SESSION:
        return (
            "session_window() is not supported: the end of a session depends on each single time, not on time buckets"
        )
    if len(call.expressions) > 2 and _lengths(call) is None:
        return "window() takes a length that is a multiple of its slide, both in seconds, minutes, hours, days or weeks"
    if _lengths(call) is None:
        return "window() takes a duration in seconds, minutes, hours, days or weeks"
    return "window() is supported only once in a SELECT, by its start and end or as an output, and not in WHERE"


def _within(clause: Tree) -> list[Tree]:
    """Return the nodes of a clause, without the nodes of nested queries."""
    return list(clause.walk(prune=lambda node: isinstance(node, exp.Query)))


def _is_call(node: Tree) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() == NAME and 2 <= len(node.expressions) <= 4


def _is_window(node: Tree) -> bool:
    """Return whether a node is a window's struct, not a field of it: a call of window(), or the column `window`."""
    named = isinstance(node, exp.Column) and not node.table and node.name.lower() == NAME
    return named or _is_call(node)


def _field(node: Tree) -> str | None:
    """Return the name of the internal function that stands for a window field: `window.start` gives `window start`.

    Return None for a node that reads no field of a window.
    """
    if isinstance(node, exp.Dot) and _is_call(node.this):
        return _FIELDS.get(node.expression.name.lower())
    if isinstance(node, exp.Column) and node.table.lower() == NAME and not node.args.get("db"):
        return _FIELDS.get(node.name.lower())
    return None


def _is_whole(node: Tree, select: exp.Select) -> bool:
    """Return whether a node is a window's struct (`window` or `window(…)`) where the struct is not supported.

    The struct is supported in GROUP BY, in ORDER BY, before a field name (`window.start`), and as an output.
    """
    if not _is_window(node) or (isinstance(node.parent, exp.Dot) and _field(node.parent) is not None):
        return False
    return not isinstance(node.parent, (exp.Group, exp.Ordered)) and not _is_output(node, select)


def _is_output(node: Tree, select: exp.Select) -> bool:
    """Return whether a node is a window's struct, not a field of it, and an output of `select`, maybe with an alias."""
    item = node.parent if isinstance(node.parent, exp.Alias) else node
    return _is_window(node) and item.parent is select and item.arg_key == "expressions"


class _Lengths(NamedTuple):
    """The length, offset and slide of a window in seconds; if windows do not overlap, the slide equals the length."""

    length: int
    offset: int
    slide: int


def _lengths(call: Tree) -> _Lengths | None:
    """Return the length, offset and slide of a window() call.

    Return None if a duration is not supported, or if Spark refuses the call.
    """
    texts = call.expressions[1:]
    if not texts or not all(isinstance(text, exp.Literal) and text.is_string for text in texts):
        return None
    length, *rest = (seconds_of(text.name) for text in texts)
    slide = rest[0] if rest else length
    offset = rest[1] if len(rest) > 1 else 0
    if length is None or slide is None or offset is None or slide <= 0 or length < slide or length % slide:
        return None
    return _Lengths(length, offset % slide, slide) if abs(offset) < slide else None


def _slides(lengths: _Lengths) -> Tree:
    """Return the table of slides as an item of FROM: `(SELECT explode(sequence(0, 2700, 900)) AS back)`.

    A row of the table is the distance, in seconds, from the start of one window that contains a time to the start of
    the last window that contains the time. `lengths` are the length, offset and slide of the window.
    """
    distances = (exp.Literal.number(n) for n in (0, lengths.length - lengths.slide, lengths.slide))
    exploded = exp.Explode(this=exp.Anonymous(this="sequence", expressions=[*distances]))
    table = exp.Subquery(this=exp.Select(expressions=[exp.alias_(exploded, BACK)]))
    table.set("alias", exp.TableAlias(this=exp.to_identifier(SLIDES, quoted=True)))
    table.meta[SLIDES] = True
    return table


def seconds_of(text: str) -> int | None:
    """Return a duration in seconds; None if the text has fractions, months or an unknown unit.

    >>> [seconds_of(text) for text in ("1 day", "1 hour 30 minutes", "interval 10 seconds", "1 month", "90m")]
    [86400, 5400, 10, None, None]
    """
    found = _DURATION.match(text)
    pieces = _PIECE.findall(found[1]) if found is not None else []
    units = [_SECONDS.get(unit.lower().removesuffix("s")) for _, unit in pieces]
    if not units or None in units:
        return None
    return sum(int(number) * unit for (number, _), unit in zip(pieces, units, strict=True) if unit is not None)


def _replace(select: exp.Select, found: list[Tree], time: Tree, lengths: _Lengths) -> None:
    """Replace the nodes in `found` that read the window of a SELECT by internal calls, in place.

    `time` is the first argument of window(), and `lengths` are the length, offset and slide. In GROUP BY, the window
    becomes `window start` and, if the SELECT also reads the window's end, `window end`. WHERE gets the condition that
    the time is not NULL. Before WITH ROLLUP or WITH CUBE, a window whose start and end are both read becomes one key,
    the struct.
    """
    numbers = [exp.Literal.number(seconds) for seconds in lengths]

    def made(field: str) -> Tree:
        return exp.Anonymous(this=field, expressions=[time.copy(), *(number.copy() for number in numbers)])

    whole = any(_is_output(node, select) for node in found)
    read = {START, END} if whole else {field for node in found if (field := _field(node))}
    for node in found:
        field = _field(node)
        if field is not None:
            named = isinstance(node, exp.Column) and node.parent is select
            node.replace(exp.alias_(made(field), node.name) if named else made(field))
        elif _is_output(node, select):
            node.replace(made(STRUCT) if isinstance(node.parent, exp.Alias) else exp.alias_(made(STRUCT), NAME))
        elif _is_window(node) and isinstance(node.parent, exp.Group):
            group = node.parent
            keys = [made(field) for field in (START, END) if field == START or field in read]
            if len(keys) > 1 and any(group.args.get(clause) for clause in TRAILING):
                keys = [made(STRUCT)]  # one key, for which ROLLUP and CUBE make one subtotal
            group.set("expressions", [k for each in group.expressions for k in (keys if each is node else [each])])
        elif _is_window(node) and isinstance(node.parent, exp.Ordered):
            node.replace(made(START))
    where = select.args.get("where")
    kept = exp.Not(this=exp.Is(this=time, expression=exp.Null()))
    select.set("where", exp.Where(this=exp.And(this=exp.Paren(this=where.this), expression=kept) if where else kept))
