"""Splits a view with grouping sets into one access path for each set.

law:    the rows of one grouping set are the groups by that set's keys; a stored grouping_id() tells the rows of the
        sets apart, because NULL in a key may also be a key's own value
view:   SELECT region, sex, sum(price) AS total, grouping_id() AS g FROM sales GROUP BY ROLLUP (region, sex)
query:  SELECT region, sum(price) FROM sales GROUP BY region
gives:  SELECT region, total FROM view WHERE g = 1
no:     the set without keys, because the view has no row for an empty table, but a query without GROUP BY returns one
no:     a set that occurs twice, because both have the same grouping_id()
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from rewriter.block import aggregate_of, set_bits, set_number
from rewriter.functions.registry import GROUPING
from rewriter.match import AccessPath
from rewriter.match.access_path import stored
from rewriter.sql import every

Tree = exp.Expr


def paths_of_sets(path: AccessPath) -> tuple[AccessPath, ...]:
    """Return one access path for each grouping set of the view that `path` reads, sets with fewer keys first.

    The empty grouping set, and sets that occur more than once, are left out. Return an empty tuple if the view does not
    store grouping_id().
    """
    keys, sets = path.block.keys or (), path.block.sets or ()
    if set_bits(keys) not in path.block.outputs:
        return ()
    number = path.columns[path.block.outputs.index(set_bits(keys))]
    times = Counter(map(frozenset, sets))
    single = (each for each in sets if each and times[frozenset(each)] == 1)
    return tuple(_path(path, each, number) for each in sorted(single, key=len))


def _path(path: AccessPath, keys: tuple[Tree, ...], number: str) -> AccessPath:
    """Return the access path to the rows of the grouping set `keys`; `number` is the column that stores grouping_id().

    Outputs that use a key outside the grouping set, and are therefore NULL in these rows, are omitted.
    """
    block, every_key = path.block, path.block.keys or ()
    missing = frozenset(every_key) - frozenset(keys)
    kept = [place for place, output in enumerate(block.outputs) if not _is_missing(output, missing)]
    outputs, names = tuple(block.outputs[i] for i in kept), tuple(block.names[i] for i in kept)
    alone = replace(block, keys=keys, sets=None, outputs=outputs, names=names)
    only = exp.EQ(this=stored(number), expression=exp.Literal.number(set_number(every_key, keys)))
    return replace(path, block=alone, columns=tuple(path.columns[i] for i in kept), only=(only,))


def _is_missing(output: Tree, missing: frozenset[Tree]) -> bool:
    """Return whether an output uses a key outside the grouping set, or calls grouping() or grouping_id().

    `missing` are the keys outside the grouping set.
    """
    return any(call.name in GROUPING for call in every(output, exp.Anonymous)) or any(_outside(output, missing))


def _outside(tree: Tree, missing: frozenset[Tree]) -> Iterator[bool]:
    """Yield, for `tree` and for each of its subexpressions outside aggregates, whether the node is in `missing`.

    `missing` are the keys outside the grouping set.
    """
    if aggregate_of(tree) is None:
        yield tree in missing
        for part in tree.iter_expressions():
            yield from _outside(part, missing)
