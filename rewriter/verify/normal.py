"""The normal form of blocks: equal blocks written differently get equal expressions, keys, filters and joins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block, Join, aggregate_of, has_aggregate, remembered
from rewriter.block.changed import changed, mapped
from rewriter.block.equivalence import Equivalence
from rewriter.block.points import literal_value
from rewriter.block.predicates import equated, fixed_by_outer
from rewriter.sql import operands
from rewriter.verify.expressions import Expressions
from rewriter.verify.forms import GROUPED_FLOAT, Mode

Tree = exp.Expr


@remembered
def normal_block(block: Block, mode: Mode) -> Block:
    """Return the block in normal form; the result is cached.

    Expressions are normalized, grouping keys are distinct, and HAVING without aggregates is moved to WHERE. `mode` has
    the session's time zone and ANSI mode.
    """
    return _in_form(block, Expressions(block, mode, nonempty=_nonempty(block)))


def folded_block(block: Block, finer: Block, mode: Mode, *, single: bool) -> Block:
    """Return a block that aggregates the groups of the block `finer` as a block over the rows of these groups.

    `sum(s)` over groups with `s = sum(x)` gives `sum(x)` over rows. `single` is true if `finer` has at most one group.
    Raise Unfolded if an aggregate equals no aggregate over rows. `mode` has the session's time zone and ANSI mode.
    """
    inner = Expressions(block, mode, nonempty=_nonempty(finer))
    return _in_form(block, Expressions(block, mode, nonempty=_nonempty(block), finer=inner, single=single))


def _nonempty(block: Block) -> bool:
    return bool(block.keys) and block.sets is None


def _in_form(block: Block, forms: Expressions) -> Block:
    keys = None if block.keys is None else tuple(dict.fromkeys(_bare(forms.normal(key)) for key in block.keys))
    grouped = frozenset(keys or ())
    single = grouped if block.sets is None else frozenset[Tree]()

    def over_groups(tree: Tree) -> Tree:
        return changed(forms.normal(tree), lambda node: _key_of(_least_of_key(node, single), grouped))

    having = [part for tree in block.having for part in _conjuncts(over_groups(tree))]
    of_rows = bool(keys) and block.sets is None
    filters = [tree for tree in having if of_rows and not has_aggregate(tree)]
    where = (part for tree in block.where for part in _conjuncts(forms.normal(tree)))
    return replace(
        block,
        where=tuple(dict.fromkeys((*where, *filters))),
        outputs=tuple(map(over_groups, block.outputs)),
        keys=keys,
        having=tuple(tree for tree in having if tree not in filters),
        order=tuple(replace(item, key=over_groups(item.key)) for item in block.order),
        joins=tuple(_normal_join(join, forms) for join in block.joins),
        sets=None if block.sets is None else tuple(tuple(_bare(forms.normal(k)) for k in each) for each in block.sets),
    )


def _normal_join(join: Join, forms: Expressions) -> Join:
    on = {part: None for tree in join.on for part in _conjuncts(forms.normal(tree))}
    return Join(join.kind, join.tables, tuple(sorted(on, key=hash)))


def _conjuncts(tree: Tree) -> Iterator[Tree]:
    return (part for part in operands(tree, exp.And) if not (isinstance(part, exp.Boolean) and part.this))


def _bare(key: Tree) -> Tree:
    return key.expressions[0] if isinstance(key, exp.Anonymous) and key.name == GROUPED_FLOAT else key


def _least_of_key(node: Tree, keys: frozenset[Tree]) -> Tree:
    """Return k for min(k) or max(k) of a grouping key k, because all values of k in a group are equal.

    Return other nodes unchanged. `keys` are the grouping keys.
    """
    call = aggregate_of(node)
    if call is not node or call.name not in ("min", "max") or isinstance(node.parent, exp.Filter):
        return node
    value: Tree = call.expressions[0]
    return value if value in keys else node


def _key_of(node: Tree, keys: frozenset[Tree]) -> Tree:
    """Return a marked grouping key without its mark if it is one of `keys`; return other nodes unchanged.

    The mark is GROUPED_FLOAT, an internal call around floating-point keys of a grouped derived table; `keys` are the
    grouping keys of the block that reads the derived table, where the mark is not needed.
    """
    return _bare(node) if _bare(node) is not node and _bare(node) in keys else node


def equalities(block: Block) -> Equivalence:
    """Return the equivalence classes of the columns that a block's WHERE equates: `a = b AND b = c` gives {a, b, c}."""
    return Equivalence(pair for tree in block.where if (pair := equated(tree, block)) is not None)


def is_pinned(column: Tree, block: Block, zone: str) -> bool:
    """Return whether a conjunct of WHERE allows a column only one value, as `x = 5`, `x IN (5)` or `x IS NULL` do.

    In a correlated subquery, an outer column is one value.
    """
    declared = block.type_of(column)
    if exp.Is(this=column, expression=exp.Null()) in block.where:
        return True
    if any(column in fixed_by_outer(tree, block) for tree in block.where):
        return True
    sides = (side for tree in block.where for side in _compared(tree))
    literals = (right if left == column else left for left, right in sides if column in (left, right))
    return declared is not None and any(literal_value(one, declared.type, zone) is not None for one in literals)


def _compared(tree: Tree) -> Iterator[tuple[Tree, Tree]]:
    """Yield the two sides of a predicate that is `=`, `<=>`, or IN with one value; nothing for other predicates."""
    if isinstance(tree, (exp.EQ, exp.NullSafeEQ)):
        yield tree.this, tree.expression
    elif isinstance(tree, exp.In) and len(tree.expressions) == 1:
        yield tree.this, tree.expressions[0]


def represented(block: Block, classes: Equivalence, mode: Mode) -> Block:
    """Return the block with each column replaced by one representative of the columns that WHERE equates with it.

    With `a = b` in WHERE, `b` becomes `a` everywhere except in this equality. `classes` are the sets of equated
    columns. `mode` has the session's time zone and ANSI mode.
    """
    kept = tuple(tree for tree in block.where if equated(tree, block) is not None)
    if not kept:
        return block
    rest = replace(block, where=tuple(tree for tree in block.where if tree not in kept))
    put = mapped(rest, lambda node: classes.normalize(node) if isinstance(node, exp.Column) else node)
    normal = normal_block(put, mode)
    return replace(normal, where=(*kept, *normal.where))
