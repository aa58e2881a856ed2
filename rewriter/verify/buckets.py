"""Replaces Spark expressions for time buckets by the `timeseries` calls from which they were printed."""

from __future__ import annotations

from functools import cache

from sqlglot import exp

from rewriter.sql import parse_select
from rewriter.timeseries import bucket_call, translate_bucket
from rewriter.timeseries.granularity import GRANULARITIES

Tree = exp.Expr
_SOURCE = "bucket_source"


def raised(tree: exp.Select) -> exp.Select:
    """Return a parsed SELECT with time buckets that are printed in Spark's functions replaced by `timeseries(…)` calls.

    `CAST(trunc(CAST(t AS DATE), 'WEEK') AS TIMESTAMP_NTZ)` gives `timeseries(t, 'week', 'timestamp_ntz')`. Buckets that
    are printed as date_trunc() stay, because building a block from the SELECT recognizes them.
    """
    shapes = [
        (pattern, grain, kind)
        for grain in GRANULARITIES
        for kind in ("timestamp", "timestamp_ntz")
        if (pattern := _pattern(grain, kind)) is not None
    ]

    def raise_(node: Tree) -> Tree:
        if not isinstance(node, (exp.Anonymous, exp.Cast)):
            return node
        for pattern, grain, kind in shapes:
            source = _source(pattern, node, None)
            if source is not None:
                return bucket_call(source.copy().transform(raise_), grain, kind)
        return node

    if not _may_hold(tree):
        return tree
    changed = tree.transform(raise_)
    assert isinstance(changed, exp.Select)
    return changed


def _may_hold(tree: exp.Select) -> bool:
    zoneless = exp.DataType.Type.TIMESTAMPNTZ
    return any(node.name.lower() in _CALLS for node in tree.find_all(exp.Anonymous)) or any(
        cast.to.this is zoneless for cast in tree.find_all(exp.Cast)
    )


_CALLS = frozenset({"timestamp_seconds", "make_timestamp_ntz"})


@cache
def _pattern(grain: str, kind: str) -> Tree | None:
    """Return the SQL expression of a printed time bucket, with a placeholder in place of the bucket's time.

    `grain` is the length of the bucket, and `kind` the type of the time. Return None if the bucket is printed as
    date_trunc(), because building a block recognizes such buckets.
    """
    tree: Tree = parse_select(f"SELECT {translate_bucket(_SOURCE, grain, kind)}").expressions[0]
    return None if isinstance(tree, exp.Anonymous) and tree.name == "date_trunc" else tree


def _source(pattern: Tree, node: Tree, source: Tree | None) -> Tree | None:
    """Return the subtree of `node` at the place of the pattern's placeholder; None if `node` does not match `pattern`.

    The pattern `trunc(placeholder, 'WEEK')` and the node `trunc(t, 'WEEK')` give `t`. All occurrences of the
    placeholder must have the same subtree, which must equal `source` unless `source` is None. Return `_NOTHING` if the
    pattern matches and contains no placeholder.
    """
    if isinstance(pattern, exp.Column) and pattern.name == _SOURCE:
        return node if source is None or source == node else None
    if type(pattern) is not type(node):
        return None
    mine, theirs = list(pattern.iter_expressions()), list(node.iter_expressions())
    if len(mine) != len(theirs):
        return None
    if not mine:
        return (source or _NOTHING) if pattern == node else None
    if isinstance(pattern, exp.Anonymous) and pattern.name.lower() != node.name.lower():
        return None
    for one, other in zip(mine, theirs, strict=True):
        found = _source(one, other, source)
        if found is None:
            return None
        source = found if found is not _NOTHING else source
    return source or _NOTHING


_NOTHING = exp.Null()
