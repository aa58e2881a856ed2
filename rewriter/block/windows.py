"""Converts window functions whose value does not depend on the order in which Spark reads the rows.

`rank() OVER (ORDER BY x)` is supported; `row_number() OVER (ORDER BY x)` is not, if two rows may have the same x.

law: rows that are equal in ORDER BY share a rank, and a RANGE frame includes all of them or none. Functions that
     distinguish such rows (row_number(), lag(), a ROWS frame) are supported only if no two rows of a partition are
     equal in ORDER BY: over groups, if PARTITION BY and ORDER BY name every grouping key.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from rewriter.block.form import Unsupported, around
from rewriter.functions.registry import SUCCESSIONS, WINDOWED, WINDOWS, meant
from rewriter.sql import excerpt, windows_in

Tree = exp.Expr

_WHOLE = ("UNBOUNDED", "PRECEDING", "UNBOUNDED", "FOLLOWING")


def read_window(node: exp.Window, read: Callable[[Tree], Tree]) -> exp.Window:
    """Return a call with OVER in canonical form; `read` converts the arguments, PARTITION BY and ORDER BY.

    Raise Unsupported for functions, frames and clauses that a block cannot represent.
    """
    extras = [arg for arg, value in node.args.items() if value and arg not in _READ]
    if extras or str(node.args.get("over")).upper() != "OVER" or not isinstance(node.this, exp.Anonymous):
        clause = _CLAUSES.get(type(node.this), "a named window")
        raise Unsupported(
            f"{_text(node)}: {clause} is not supported in a window function: {around('call the window function')}"
        )
    order = node.args.get("order")
    window = exp.Window(
        this=_call(node, read),
        partition_by=[read(key) for key in node.args.get("partition_by") or ()],
        order=exp.Order(expressions=[_ordered(item, read) for item in order.expressions]) if order else None,
        spec=_frame(node),
        over="OVER",
    )
    if len(windows_in(window)) > 1:
        raise Unsupported(
            f"{_text(node)} contains another window function, which is not supported: compute the inner window "
            "function in a derived table"
        )
    return window


def refuse_ties(tree: Tree, keys: tuple[Tree, ...] | None) -> None:
    """Raise Unsupported for a window function that may distinguish rows equal under PARTITION BY and ORDER BY.

    `keys` are the block's grouping keys, which identify its rows. If the block does not group (None), each window
    function that can distinguish equal rows raises Unsupported.
    """
    for window in windows_in(tree):
        spec, order = window.args.get("spec"), window.args.get("order")
        by_rows = spec is not None and spec.args["kind"] == "ROWS" and _bounds(spec) != _WHOLE
        if not by_rows and window.this.name not in SUCCESSIONS:
            continue
        named = {*window.args["partition_by"], *(item.this for item in (order.expressions if order else ()))}
        if keys is None or not named.issuperset(keys):
            remedy = (
                "add all keys of GROUP BY to this ORDER BY"
                if keys is not None
                else "such a window function is supported only over the groups of a GROUP BY without grouping sets"
            )
            raise Unsupported(
                f"{_text(window)} depends on the order of rows with equal values in its ORDER BY: {remedy}"
            )


_READ = frozenset({"this", "partition_by", "order", "spec", "over"})
_CLAUSES = {exp.Filter: "FILTER", exp.IgnoreNulls: "IGNORE NULLS", exp.RespectNulls: "RESPECT NULLS"}


def _call(node: exp.Window, read: Callable[[Tree], Tree]) -> exp.Anonymous:
    call = node.this
    name = meant(str(call.this))
    if name not in WINDOWED and name not in WINDOWS:
        raise Unsupported(f"{_text(node)}: {name}() is not supported as a window function: {around(f'call {name}()')}")
    if any(isinstance(a, exp.Distinct) for a in call.expressions):
        raise Unsupported(
            f"{_text(node)}: DISTINCT is not supported in a window function, and Spark refuses it, too: remove the "
            "repeated values in a derived table with SELECT DISTINCT"
        )
    if name == "count" and all(isinstance(a, (exp.Star, exp.Literal)) for a in call.expressions):
        return exp.Anonymous(this=name, expressions=[exp.Star()])
    return exp.Anonymous(this=name, expressions=[read(argument) for argument in call.expressions])


def _ordered(item: Tree, read: Callable[[Tree], Tree]) -> exp.Ordered:
    if not isinstance(item, exp.Ordered) or item.args.get("with_fill"):
        raise Unsupported(
            f"ORDER BY {_text(item)} has an option that is not supported: write an expression, and optionally ASC or "
            "DESC, and NULLS FIRST or NULLS LAST"
        )
    desc, nulls_first = bool(item.args.get("desc")), bool(item.args.get("nulls_first"))
    return exp.Ordered(this=read(item.this), desc=desc, nulls_first=nulls_first)


def _frame(node: exp.Window) -> exp.WindowSpec | None:
    """Return the frame of a window; None if the window has no frame.

    Raise Unsupported for a bound that is neither a number nor an interval of one.
    """
    spec = node.args.get("spec")
    if spec is None:
        return None
    kind = str(spec.args.get("kind")).upper()
    if kind not in ("ROWS", "RANGE") or spec.args.get("exclude"):
        raise Unsupported(
            f"{_text(node)}: the window frame is not supported, and Spark refuses it, too: write ROWS or RANGE, "
            "without EXCLUDE"
        )
    if not all(map(_is_bound, (spec.args.get("start"), spec.args.get("end")))):
        raise Unsupported(
            f"{_text(node)}: the bounds of the window frame must be constants: write numbers, or intervals of numbers"
        )
    return exp.WindowSpec(**{**spec.args, "kind": kind})


def _is_bound(bound: Tree | str | None) -> bool:
    """Return whether a bound of a frame is a constant (`6`, `INTERVAL 6 DAYS`) or words (UNBOUNDED)."""
    if isinstance(bound, exp.Interval):
        return isinstance(bound.this, exp.Literal)
    return isinstance(bound, exp.Literal) or not isinstance(bound, exp.Expr)


def _bounds(spec: exp.WindowSpec) -> tuple[str, ...]:
    start, end = spec.args.get("start"), spec.args.get("end") or "CURRENT ROW"
    sides = (spec.args.get("start_side") or "", spec.args.get("end_side") or "")
    bounds = (str(start), sides[0], str(end), sides[1])
    return tuple(bound.upper() for bound in bounds)


def _text(node: Tree) -> str:
    plain = node.transform(lambda inner: exp.column(inner.name) if isinstance(inner, exp.Column) else inner)
    return excerpt(plain)
