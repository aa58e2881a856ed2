"""Adapts a view's block to a session in a time zone other than that in which the view's rows were computed.

An instant (a TIMESTAMP) is the same in all zones, and can be used. A stored bucket is used as a bucket of the view's
zone. Other values that depend on the zone, such as dates and texts of instants, are hidden from the session's queries.

law: a TIMESTAMP, its minimum, maximum and count are the same in each zone in which they are read
law: a stored bucket of a TIMESTAMP is a bucket in the zone in which it was computed
no:  a date, a label or a text of an instant, because it depends on the zone in which it was computed
"""

from __future__ import annotations

from sqlglot import exp

from rewriter.block.changed import changed, mapped
from rewriter.block.form import Block, remembered
from rewriter.block.scope import Scope
from rewriter.block.traits import aggregate_of, depends_on_zone
from rewriter.functions.registry import AGGREGATES
from rewriter.functions.trees import call_of
from rewriter.model import MaterializedView
from rewriter.timeseries import as_bucket, bucket_elsewhere, moved_elsewhere, offset_of

Tree = exp.Expr

_HIDDEN = "elsewhere"
_COMPARED = (exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)


def same_zone(one: str, other: str) -> bool:
    """Return whether two zone names mean the same zone: the names are equal, or both have the same fixed offset.

    >>> same_zone("UTC", "Etc/UTC"), same_zone("UTC", "Europe/London")
    (True, False)
    """
    offset = offset_of(one)
    return one == other or (offset is not None and offset == offset_of(other))


def read_in(zone: str, view: MaterializedView, block: Block) -> Block | None:
    """Return a view's block adapted to a session in time zone `zone`.

    The block is unchanged if the view was computed in the same zone, or if the view records no settings. Return None if
    a filter, a join, ORDER BY or a derived table of the view depends on the zone, so that the view would have other
    rows in the zone `zone`.
    """
    if view.settings is None or same_zone(view.zone, zone):
        return block
    return computed_elsewhere(block, view.zone)


@remembered
def computed_elsewhere(block: Block, zone: str) -> Block | None:
    """Return a block that was computed in time zone `zone`, adapted to sessions in other zones.

    Each bucket of a TIMESTAMP gets `zone` as an argument. An output or grouping key that depends on the zone in another
    way is wrapped in a call that equals no expression of a query, so that no query is answered from this output. Return
    None if a filter, a join, ORDER BY or a derived table depends on the zone.
    """
    if any(depends_on_zone(tree, Scope(inner.tables)) for inner in block.derived for tree in inner.expressions):
        return None
    scope = Scope(block.tables)

    def moved(node: Tree) -> Tree:
        bucket = as_bucket(node)
        return moved_elsewhere(bucket, zone) if bucket is not None and _is_instant(bucket.source, scope) else node

    read = mapped(block, moved)  # filters and joins too: a bucket in them is in the view's zone, not in the session's
    on = (conjunct for join in read.joins for conjunct in join.on)
    if not all(_is_settled(tree, scope) for tree in (*read.where, *on, *read.having, *(i.key for i in read.order))):
        return None
    hidden = {
        tree: call_of(_HIDDEN, exp.Literal.string(zone), tree)
        for tree in (*read.outputs, *(read.keys or ()))
        if not _is_instant(tree, scope) and not _is_settled(tree, scope)
    }
    return mapped(read, lambda node: hidden.get(node, node))


def hidden_zone(tree: Tree) -> str:
    """Return the time zone in which a hidden output or key of a view was computed; empty for any other expression.

    `computed_elsewhere` hides outputs and keys that depend on the zone from sessions in other zones, by wrapping them
    in a call.
    """
    return str(tree.expressions[0].name) if isinstance(tree, exp.Anonymous) and tree.name == _HIDDEN else ""


def _is_settled(tree: Tree, scope: Scope) -> bool:
    """Return whether an expression certainly has the same value in all time zones.

    Return True for `t < u`, `t IS NULL`, `min(t)`, `max(t)` and `count(t)` with TIMESTAMPs t and u. `scope` gives the
    types of columns.
    """
    return not depends_on_zone(changed(tree, lambda node: _settled(node, scope)), scope)


def _settled(node: Tree, scope: Scope) -> Tree:
    """Return NULL for a node that has the same value in all time zones; return any other node unchanged.

    In `t < u OR date(t) > d`, with TIMESTAMPs t and u, `t < u` becomes NULL, so that only `date(t)` still depends on
    the zone.
    """
    if aggregate_of(node) is node and len(node.expressions) == 1 and AGGREGATES[node.name].of_key in ("same", "count"):
        return exp.null() if _is_instant(node.expressions[0], scope) else node
    if isinstance(node, exp.Is):
        return exp.null() if _is_instant(node.this, scope) else node
    if isinstance(node, _COMPARED):
        return exp.null() if _is_instant(node.this, scope) and _is_instant(node.expression, scope) else node
    return node


def _is_instant(tree: Tree, scope: Scope) -> bool:
    """Return whether an expression is a TIMESTAMP column, or a bucket of such a column with the zone as an argument.

    Such a bucket is a call of `timeseries` with four arguments, for example `timeseries(t, 'day', 'timestamp',
    'Asia/Tokyo')`. `scope` gives the types of columns.
    """
    bucket = bucket_elsewhere(tree)
    column = scope.type_of(tree if bucket is None else bucket.source)
    return column is not None and column.type == "timestamp"
