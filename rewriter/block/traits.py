"""Properties of canonical expressions, such as whether an expression is constant or depends on the time zone."""

from __future__ import annotations

from sqlglot import exp

from rewriter.block.opaque import OPAQUE, is_opaque
from rewriter.block.scope import Scope
from rewriter.block.vocabulary import CAST_TYPES
from rewriter.functions.registry import AGGREGATES, CLOCK, RESULTS, ZONELESS
from rewriter.functions.results import DATE, TIMESTAMP
from rewriter.sql import every, interval_of, names_called, nodes_of
from rewriter.timeseries.bucket import TEMPORAL, Bucket, as_bucket, label_source

Tree = exp.Expr

_ZONELESS = ZONELESS | OPAQUE


def temporal_type(node: Tree, scope: Scope) -> str | None:
    """Return the type of an expression if the type is certainly DATE, TIMESTAMP or TIMESTAMP_NTZ; else None.

    `scope` gives the types of columns.
    """
    column = scope.type_of(node)
    if column is not None:
        return column.type if column.type in TEMPORAL else None
    if isinstance(node, exp.Cast) and not node.args.get("safe"):
        kind = CAST_TYPES.get(node.to.this)
        return kind if kind in TEMPORAL else None
    bucket = as_bucket(node)
    if bucket is not None:
        return bucket.type
    if isinstance(node, (exp.Add, exp.Sub)) and isinstance(node.expression, exp.Interval):
        kind, step = temporal_type(node.this, scope), interval_of(node.expression)
        # A DATE plus hours is a TIMESTAMP.
        return kind if kind != "date" or (step and step[1] in ("DAY", "WEEK", "MONTH", "YEAR")) else None
    if isinstance(node, exp.Anonymous) and node.name == "timestampadd":
        return temporal_type(node.expressions[-1], scope)
    if isinstance(node, exp.Anonymous) and node.name == "convert_timezone":
        return "timestamp_ntz"
    rule = RESULTS.get(node.name) if isinstance(node, exp.Anonymous) else None
    return "date" if rule is DATE else "timestamp" if rule is TIMESTAMP else None


def is_literal(node: Tree) -> bool:
    """Return whether a canonical tree is a literal, possibly with a minus sign or a cast."""
    if isinstance(node, (exp.Neg, exp.Cast)):
        return is_literal(node.this)
    return isinstance(node, (exp.Literal, exp.Null, exp.Boolean))


def is_constant(node: Tree) -> bool:
    """Return whether a canonical expression has one value throughout the execution of a statement."""
    if isinstance(node, exp.Column):
        return False
    return is_literal(node) or not any(
        isinstance(inner, (exp.Column, exp.Star, exp.Window)) or is_opaque(inner) or aggregate_of(inner) is not None
        for inner in nodes_of(node)
    )


def tells_time(node: Tree) -> bool:
    """Return whether the value of a canonical tree depends on the time of execution, as that of `current_date()`."""
    return not CLOCK.isdisjoint(names_called(node))


def is_window_call(node: Tree) -> bool:
    """Return whether a node is the function before OVER, as `count(*)` in `count(*) OVER ()`."""
    return isinstance(node.parent, exp.Window) and node.arg_key == "this"


def aggregate_of(node: Tree) -> exp.Anonymous | None:
    """Return the call of an aggregate, without FILTER: `sum(x)` and `sum(x) FILTER (WHERE p)` both give `sum(x)`.

    Return None for expressions that are not aggregates, and for window functions (aggregates with OVER).
    """
    if is_window_call(node):
        return None
    call = node.this if isinstance(node, exp.Filter) else node
    return call if isinstance(call, exp.Anonymous) and call.name in AGGREGATES else None


def has_aggregate(node: Tree) -> bool:
    """Return whether an expression contains an aggregate; window functions (aggregates with OVER) do not count."""
    if AGGREGATES.keys().isdisjoint(names_called(node)):
        return False
    return any(aggregate_of(call) is not None for call in every(node, exp.Anonymous))


def depends_on_zone(node: Tree, scope: Scope) -> bool:
    """Return whether the session's time zone may change the value of an expression; True if not certain.

    `scope` gives the types of columns.
    """
    for inner in nodes_of(node):
        column = scope.type_of(inner)
        if column is not None and column.type == "timestamp":
            return True
        if isinstance(inner, exp.Cast) and CAST_TYPES.get(inner.to.this) in (*TEMPORAL, "string"):
            return True
        if isinstance(inner, exp.Anonymous) and inner.name not in _ZONELESS:
            labelled = label_source(inner)
            source = as_bucket(inner) or (labelled and temporal_type(labelled[0], scope) in ("timestamp_ntz", "date"))
            if not source or (isinstance(source, Bucket) and source.type == "timestamp"):
                return True
    return False
