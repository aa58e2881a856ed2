"""Computes the outputs, HAVING and ORDER BY of a grouped query from the keys and aggregates in the storage table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, permutations

from sqlglot import exp

from rewriter.block import Block, Ordering, aggregate_of, has_aggregate, meaning
from rewriter.block.words import words
from rewriter.functions.registry import GROUPING, INEXACT
from rewriter.match.access_path import STORAGE_ALIAS
from rewriter.match.derive import rebuilt
from rewriter.match.inexact import unrounded
from rewriter.match.joined_back import Back
from rewriter.match.reading import Reading, decides_by_floats, files_mislead
from rewriter.match.reasons import Miss, Reason
from rewriter.match.rewriting import Match, Rewriting
from rewriter.match.whole_sums import is_exact
from rewriter.sql import columns_in, names_called, nodes_of

Tree = exp.Expr
# The detail of the Miss of each view with GROUP BY for a query without.
NEEDS_ROWS = "the view stores groups, and the query needs rows: create a view without GROUP BY"


@dataclass(frozen=True)
class Groups:
    """The keys and aggregates of a query over storage columns.

    `keys` maps the canonical form of each key of the query to the key's expression over storage columns;
    `aggregate` derives an aggregate from the storage table, or returns a Miss.
    """

    reading: Reading
    keys: Mapping[Tree, Tree]
    aggregate: Callable[[Tree], Tree | Miss]

    def over(self, tree: Tree) -> Tree | Miss:
        """Return an expression with keys and aggregates replaced by their expressions over storage columns.

        `sum(x) / 2` gives `sum(v.total) / 2`, if the column total stores sum(x). Return a Miss if the storage table
        lacks a key or an aggregate.
        """
        if (key := self.keys.get(meaning(tree))) is not None:
            return key
        if aggregate_of(tree) is not None:
            return self.aggregate(tree)
        if not columns_in(tree) and not has_aggregate(tree):
            return tree
        return rebuilt(tree, self.over)


def group_keys(reading: Reading) -> Mapping[Tree, Tree] | Miss:
    """Return a mapping from the canonical form of each GROUP BY key of the query to an expression over storage columns.

    The view may store groups or rows. Return a Miss if a key cannot be derived. With GROUPING SETS, also return a Miss
    if the expressions of two keys over storage columns are equal, or if one contains the other. `reading` is the query,
    expressed over the view's storage table.
    """
    keys: dict[Tree, Tree] = {}
    for key in reading.block.keys or ():
        normalized = reading.normalize(key)
        computed = reading.compute(normalized)
        if isinstance(computed, Miss):
            return computed
        keys[meaning(normalized)] = computed
    entangled = _entangled(reading, keys) if reading.block.sets is not None else None
    return keys if entangled is None else Miss(Reason.SHAPE, entangled)


def _entangled(reading: Reading, keys: Mapping[Tree, Tree]) -> str | None:
    """Return a message that names two keys whose expressions over storage columns are equal or contain one another.

    For example, if the view stores `day`, the keys `day` and `year(day)`. GROUPING SETS over storage columns would then
    set only one of the two keys to NULL. Return None if there are no such keys. `keys` maps the canonical form of each
    key of the query to the key's expression over storage columns. `reading` is the query, expressed over the view's
    storage table.
    """
    computed = [(key, keys[meaning(reading.normalize(key))]) for key in reading.block.keys or ()]
    for (one, mine), (other, theirs) in permutations(computed, 2):
        if mine == theirs:
            told = f"the keys {words(one)} and {words(other)} of the query's GROUPING SETS are equal"
        elif theirs in nodes_of(mine):
            told = f"the key {words(one)} of the query's GROUPING SETS is computed from the key {words(other)}"
        else:
            continue
        return f"{told}, which is not supported: remove {words(one)} or {words(other)}"
    return None


def finish(
    reading: Reading, over: Callable[[Tree], Tree | Miss], keys: Mapping[Tree, Tree] | None, rolled_up: bool
) -> Match | Miss:
    """Return the rewriting of a query as a Match: its outputs, HAVING and ORDER BY are derived by `over`.

    `reading` is the query, expressed over the view's storage table. `keys` maps the query's keys to the expressions by
    which storage rows are grouped; None if the rewriting does not group. `rolled_up` tells whether a group of the query
    combines several groups of the view. Return a Miss if an expression cannot be derived, if the result could differ
    from the query's, or if Spark could not run the rewriting.
    """
    inexact = inexact_decision(reading) or _misled(reading.block)
    if inexact is not None:
        return inexact
    block = reading.block
    computed: list[Tree] = []
    for tree in (*block.outputs, *block.having, *(item.key for item in block.order)):
        part = over(reading.normalize(tree))
        if isinstance(part, Miss):
            return part
        computed.append(part)
    parts = iter(computed)
    outputs = tuple(islice(parts, len(block.outputs)))
    having = tuple(islice(parts, len(block.having)))
    order = tuple(Ordering(key, o.descending, o.nulls_first) for o, key in zip(block.order, parts, strict=True))
    if (having or block.sets is not None) and keys is not None:
        named = _by_names(block, order, outputs)
        if isinstance(named, Miss):
            return named
        order = named
    of_keys = next((part for part in block.having if _names_keys(part)), None) if block.sets is not None else None
    if of_keys is not None:
        # In HAVING over GROUPING SETS, Spark resolves a key only by the name of its output.
        return Miss(
            Reason.SHAPE,
            f"HAVING uses a key of GROUPING SETS ({words(of_keys)}), which is not supported: compute the groups in a "
            "subquery, and filter in the outer SELECT",
        )
    # Without groups, HAVING is one more filter on the storage's rows.
    where, kept = (reading.residual, having) if keys is not None else ((*reading.residual, *having), ())
    group, sets = _grouping(reading, keys)
    backs = _joined_back(reading, (*outputs, *where, *(group or ()), *kept, *(item.key for item in order)))
    if len(backs) == len(reading.path.block.tables):
        used = (*outputs, *where, *(group or ()), *kept, *(item.key for item in order))
        ids = {back.table.id for back in backs}
        lacking = ", ".join(
            sorted({column.name for tree in used for column in columns_in(tree) if column.table in ids})
        )
        return Miss(
            Reason.DEARER,
            f"the view lacks {lacking}, and joining all tables of the view again to read {lacking} would cost as much "
            f"as the query itself: add {lacking} to the view",
        )
    where = (*where, *(equality for back in backs for equality in back.on))
    tables = (*reading.extra, *(back.table for back in backs))
    rewriting = Rewriting(
        reading.path.storage, tables, outputs, where, group, kept, order, block.limit, block.offset,
        reading.joins, None, sets, block.distinct,
    )  # fmt: skip
    return Match(rewriting, rolled_up)


def _by_names(block: Block, order: tuple[Ordering, ...], outputs: tuple[Tree, ...]) -> tuple[Ordering, ...] | Miss:
    """Return the ORDER BY items of a rewriting in a form that Spark resolves with HAVING or GROUPING SETS.

    Spark then resolves ORDER BY only by the items of the SELECT list. An item is therefore an output, or an expression
    over the names of outputs: with the output `sum(x) AS s`, `ORDER BY sum(x) / 2` gives `s / 2`. `order` and `outputs`
    are the query's ORDER BY items and outputs over storage columns; `block` is the query's block. Return a Miss if
    an item cannot be expressed by outputs.
    """
    found = []
    for asked, item in zip(block.order, order, strict=True):
        key = item.key if item.key in outputs else _by_name(asked.key, block)
        if key is None:
            clause = "HAVING" if block.sets is None else "GROUPING SETS"
            return Miss(
                Reason.SHAPE,
                f"{words(asked.key)} in ORDER BY of a query with {clause} is not an output with a name of its own: "
                f"add {words(asked.key)} to the SELECT list with an alias, which adds a column to the result",
            )
        found.append(replace(item, key=key))
    return tuple(found)


def _by_name(tree: Tree, block: Block) -> Tree | None:
    """Return an expression of ORDER BY with the query's outputs replaced by their names.

    With the output `sum(x) AS s`, `sum(x) / 2` gives `s / 2`. Return None if the expression uses a column or an
    aggregate that is not an output with a unique name.
    """
    if tree in block.outputs:
        name = block.names[block.outputs.index(tree)] or ""
        alone = [other.lower() for other in block.names if other].count(name.lower()) == 1
        return exp.column(exp.Identifier(this=name, quoted=True)) if alone else None
    grouping = isinstance(tree, exp.Anonymous) and tree.name in GROUPING
    if grouping or isinstance(tree, (exp.Column, exp.Window)) or aggregate_of(tree) is not None:
        return None
    built = rebuilt(tree, lambda part: _by_name(part, block) or Miss(Reason.SHAPE, ""))
    return None if isinstance(built, Miss) else built


def _joined_back(reading: Reading, trees: tuple[Tree, ...]) -> list[Back]:
    """Return the joins by key of the view's tables whose columns the rewriting uses, but the storage table lacks.

    `trees` are the expressions of the rewriting, without the ON conditions of joins. `reading` is the query, expressed
    over the view's storage table.
    """
    on = (conjunct for join in reading.joins for conjunct in join.on)
    used = {column.table for tree in (*trees, *on) for column in columns_in(tree)}
    if used <= {STORAGE_ALIAS, *(table.id for table in reading.extra)}:
        return []
    known = (reading.back(table.id) for table in reading.block.tables)
    return [back for back in known if back is not None and back.table.id in used]


def _names_keys(tree: Tree) -> bool:
    """Return whether an expression names a column outside its aggregates, as `k + sum(x)` names k."""
    if aggregate_of(tree) is not None:
        return False
    return isinstance(tree, exp.Column) or any(_names_keys(child) for child in tree.iter_expressions())


def _grouping(
    reading: Reading, keys: Mapping[Tree, Tree] | None
) -> tuple[tuple[Tree, ...] | None, tuple[tuple[Tree, ...], ...] | None]:
    """Return the GROUP BY keys and the grouping sets of the rewriting.

    `keys` maps the query's keys to expressions over storage columns; if `keys` is None, the rewriting does not group,
    and both results are None. The grouping sets are also None if the query has none. `reading` is the query, expressed
    over the view's storage table.
    """
    if keys is None or reading.block.sets is None:
        return (None if keys is None else tuple(keys.values())), None
    return tuple(keys.values()), tuple(
        tuple(keys[meaning(reading.normalize(k))] for k in each) for each in reading.block.sets
    )


def keys_over_groups(reading: Reading) -> Mapping[Tree, Tree] | Miss:
    """Return the mapping of `group_keys` for a view with GROUP BY: from the query's keys to storage columns.

    Return a Miss if the view or the query has no GROUP BY, or if the view has a single group of all rows. Return a
    Miss, too, if a key cannot be derived, because the view's groups are then too coarse. `reading` is the query,
    expressed over the view's storage table.
    """
    if reading.tested:
        return Miss(
            Reason.SHAPE,
            "a SEMI or ANTI join only tests the view's rows, so that they cannot be grouped",
            apart=True,
        )
    if reading.path.block.keys is None:
        return Miss(
            Reason.SHAPE, "the view has no GROUP BY, so it stores no groups to combine: create a view with GROUP BY"
        )
    if reading.block.keys is None:
        return Miss(Reason.GROUPING_TOO_COARSE, NEEDS_ROWS)
    if not reading.path.block.keys and (reading.block.keys or reading.extra):
        # A view without keys has a row even for an empty table: the rewriting would have a group, the query none.
        if reading.block.keys:
            remedy = f"add {', '.join(map(words, reading.block.keys))} to the view's GROUP BY"
        else:
            remedy = f"create a view with GROUP BY to join it with {', '.join(table.alias for table in reading.extra)}"
        return Miss(Reason.GROUPING_TOO_COARSE, f"the view stores a single group of all rows: {remedy}")
    keys = group_keys(reading)
    if isinstance(keys, Miss):
        return Miss(Reason.GROUPING_TOO_COARSE, keys.detail) if keys.reason is Reason.COLUMN_NOT_IN_VIEW else keys
    return keys


def inexact_decision(reading: Reading) -> Miss | None:
    """Return a Miss if an inexact aggregate, such as a sum of DOUBLEs, decides which rows the query returns; else None.

    `reading` is the query, expressed over the view's storage table.

    law: HAVING, DISTINCT, the keys and order of windows, and ORDER BY with LIMIT need exact aggregates. Outputs may use
         inexact ones only in arithmetic, which keeps a small difference small, and in an outermost rounding; never in a
         comparison, here or in an outer query
    """
    block = reading.block
    deciding = [*block.having, *(item.key for item in block.order if block.limit or block.offset)]
    deciding += block.outputs if block.distinct or block.decides else ()
    within = (part for output in block.outputs for part in _beyond_arithmetic(unrounded(output)))
    for tree in (tree for tree in (*deciding, *within) if not INEXACT.isdisjoint(names_called(tree))):
        for node in nodes_of(tree):
            if isinstance(node, exp.Anonymous) and node.name in INEXACT and not is_exact(node, block):
                return Miss(Reason.FLOAT_SUM_DECIDES_ROWS, words(node))
    return None


def _misled(block: Block) -> Miss | None:
    """Return a Miss if a filter on a floating-point key could make Iceberg skip files with matching rows; else None.

    The filter may be in HAVING or in an outer query. Iceberg's file statistics treat NaN and -0.0 differently from
    Spark.
    """
    filters = (condition for condition in block.having if not has_aggregate(condition))
    found = next((condition for condition in filters if files_mislead(condition, block)), decides_by_floats(block))
    return None if found is None else Miss(Reason.FLOAT_COMPARED, words(found))


def _beyond_arithmetic(tree: Tree) -> Iterator[Tree]:
    """Yield the subexpressions of an output outside arithmetic and aggregates: the CASE of `sum(x) + CASE … END`.

    The PARTITION BY and ORDER BY expressions of windows are yielded, too.
    """
    rest = [tree]
    while rest:
        node = rest.pop()
        if isinstance(node, (exp.Add, exp.Sub, exp.Mul, exp.Div)):
            rest += (node.expression, node.this)
        elif isinstance(node, exp.Window):
            rest += node.this.expressions
            yield from node.args["partition_by"]
            yield from (item.this for item in (node.args.get("order") or exp.Order()).expressions)
        elif aggregate_of(node) is None:
            yield node
