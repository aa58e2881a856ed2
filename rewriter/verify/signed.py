"""Groups of changed rows, in which deleted rows count negatively, and their sum with the stored groups.

law:    over inserted rows with the sign + and deleted rows with the sign -, sum(x) and count(x) are linear: the values
        over the rows at a snapshot and over the rows changed since then add up to the values over the current rows
law:    a group of the current rows exists if and only if its count(*) is greater than 0; sum(x) is NULL if and only if
        count(x) is 0
no:     floating-point sums, because the additions are rounded
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block, has_aggregate
from rewriter.delta import CHANGE_TYPE
from rewriter.functions.trees import call_of, number
from rewriter.functions.types import INTEGERS, as_decimal
from rewriter.schema import expression_type
from rewriter.verify.forms import ROWS, ZERO, Mode
from rewriter.verify.moments import Misread, moment_of
from rewriter.verify.normal import normal_block
from rewriter.verify.printed import Scan, Select, Union

Tree = exp.Expr
_INSERTED, _DELETED = "INSERT", "DELETE"


def netted_union(select: Select) -> Union | None:
    """Return the UNION ALL that a SELECT reads, if one of its branches reads changed rows; else None."""
    for source in select.sources.values():
        if isinstance(source, Union) and any(map(_reads_changes, source.branches)):
            return source
    return None


def _reads_changes(branch: Select) -> bool:
    return any(isinstance(source, Scan) and source.changed for source in branch.sources.values())


def unsigned(block: Block) -> Block:
    """Return a block over changed rows with plain sums and counts in place of signed ones; any other block unchanged.

    `sum(CASE WHEN _change_type = 'INSERT' THEN x ELSE -x END)` gives `sum(x)`. The block's table of changed rows then
    stands for the inserted rows minus the deleted rows. Raise Misread if the block computes anything but its grouping
    keys, and signed sums and counts.
    """
    changed = [table.id for table in block.tables if (moment := moment_of(table.name)) is not None and moment.changed]
    if not changed:
        return block
    if len(changed) > 1 or block.keys is None or not _is_plain(block):
        raise Misread("the rewritten query reads changed rows without grouping them: the view is not used")
    column = exp.column(CHANGE_TYPE, changed[0])
    outputs = tuple(o if o in block.keys else _unsigned(o, column, block) for o in block.outputs)
    plain = replace(block, outputs=outputs)
    if any(node == column for tree in plain.expressions for node in tree.find_all(exp.Column)):
        raise Misread(
            f"the rewritten query uses {CHANGE_TYPE} for more than the sign of a changed row: the view is not used"
        )
    return plain


def _is_plain(block: Block) -> bool:
    """Return whether a block only groups: no HAVING, LIMIT, DISTINCT, grouping sets or window functions."""
    return block.plain and block.sets is None and not (block.having or block.order or block.limit or block.offset)


def _unsigned(output: Tree, column: Tree, block: Block) -> Tree:
    """Return the plain sum or count that a signed sum over changed rows contributes to.

    `column` is the column `_change_type`, `block` the block of the output. Raise Misread for any other expression.
    """
    value = output.expressions[0] if isinstance(output, exp.Anonymous) and output.name == "sum" else None
    branch = _branch(value)
    if branch is not None and branch[1:] == (number(1), exp.Neg(this=number(1))) and _is_insertion(branch[0], column):
        return call_of("count", exp.Star())
    if branch is not None and _is_insertion(branch[0], column):
        came, went = branch[1], branch[2]
        if isinstance(went, exp.Neg) and came in (went.this, _narrow(went.this, block)):
            return call_of("sum", came)
    if branch is not None and branch[1] == ZERO and isinstance(branch[0], exp.Is):
        counted = _unsigned(call_of("sum", branch[2]), column, block)
        absent = branch[0].this if branch[0].expression == exp.Null() else None
        if absent is not None and counted == call_of("count", exp.Star()):
            return call_of("count", absent)
    if branch is not None and branch[2] == ZERO:
        counted = _unsigned(call_of("sum", branch[1]), column, block)
        if counted.name == "count" and isinstance(counted, exp.Anonymous):
            return exp.Filter(this=counted, expression=exp.Where(this=branch[0]))
    raise Misread(f"the rewritten query does not subtract deleted rows from an aggregate: {output.sql('spark')}")


def _branch(value: Tree | None) -> tuple[Tree, Tree, Tree] | None:
    """Return the parts of `CASE WHEN p THEN a ELSE b END`: p, a and b; None for other expressions."""
    if not isinstance(value, exp.Case) or value.this is not None or len(value.args["ifs"]) != 1:
        return None
    (only,), default = value.args["ifs"], value.args.get("default")
    return None if default is None else (only.this, only.args["true"], default)


def _is_insertion(condition: Tree, column: Tree) -> bool:
    """Return whether a condition is true for inserted rows, and false for deleted rows."""
    if not isinstance(condition, exp.In) or condition.this != column or condition.args.get("query") is not None:
        return False
    kinds = [value.name for value in condition.expressions if isinstance(value, exp.Literal) and value.is_string]
    return len(kinds) == len(condition.expressions) and _INSERTED in kinds and _DELETED not in kinds


def _narrow(tree: Tree, block: Block) -> Tree:
    """Return an integer expression without a cast to BIGINT, in which -x does not overflow."""
    if not isinstance(tree, exp.Cast) or expression_type(tree, block) != "bigint":
        return tree
    return tree.this if expression_type(tree.this, block) in INTEGERS else tree


def net_block(select: Select, union: Union, blocks: Sequence[Block], whole: Block, mode: Mode) -> Block:
    """Return the block over base tables that a SELECT over stored groups and groups of changed rows computes.

    `union` is the UNION ALL of these groups, whose branches unfold to `blocks`; `whole` is the block to which the
    branches add up. Raise Misread if the SELECT does not add up the branches' sums and counts, does not remove a group
    whose count(*) is 0, or does not give NULL for a sum of no values.
    """
    outer = select.block
    (table,) = outer.tables if len(outer.tables) == 1 else (None,)
    alone = table is not None and not (outer.where or outer.joins) and _is_plain(replace(outer, having=()))
    if table is None or not alone or not union.whole or not all(map(_is_plain, blocks)) or whole.keys is None:
        raise Misread("the rewritten query does not add up the groups of changed rows: the view is not used")
    names = [column.name.lower() for column in table.columns]
    columns: list[Tree] = [exp.column(name, table.id) for name in names]
    held = dict(zip(columns, whole.outputs, strict=True))
    # A key that WHERE restricts to one value may be missing in `whole`.
    keys = {column for column, output in held.items() if not has_aggregate(output)}
    # Columns that WHERE makes equal have the same output in `whole`; one of these columns is enough as a key.
    needed, grouped = {held[key] for key in keys}, {held.get(key) for key in outer.keys or ()}
    if outer.keys is None or not keys.issuperset(outer.keys) or not grouped == needed >= {*whole.keys}:
        raise Misread("the rewritten query does not group by the keys of the changed rows: the view is not used")
    kinds = dict(zip(columns, (column.type for column in table.columns), strict=True))
    added = tuple(
        held[output] if output in keys else _added(output, held, kinds, whole, mode) for output in outer.outputs
    )
    rows = [column for column, output in held.items() if output == ROWS]
    left = [exp.GT(this=_zeroed(column), expression=ZERO) for column in rows]
    if outer.having and (len(outer.having) > 1 or outer.having[0] not in left or not keys):
        raise Misread(
            "the rewritten query removes groups by another condition than that no row is left: the view is not used"
        )
    if keys and not outer.having:
        raise Misread("the rewritten query keeps groups whose rows were all deleted: the view is not used")
    return replace(whole, outputs=added, names=outer.names)


def _zeroed(column: Tree) -> Tree:
    return call_of("coalesce", call_of("sum", column), ZERO)


def _added(output: Tree, held: Mapping[Tree, Tree], kinds: Mapping[Tree, str], whole: Block, mode: Mode) -> Tree:
    """Return the output of `whole` to which an output over the UNION ALL adds up.

    `held` has the outputs of `whole`, and `kinds` their types, by column of the UNION ALL. `mode` has the session's
    time zone and ANSI mode. Raise Misread if the output is not the sum of a column.
    """
    for column, value in held.items():
        bare = _bare(output, kinds[column])
        if bare == _zeroed(column) and _is_zeroed_sum(value, whole):
            return value
        branch = _branch(bare)
        if branch is not None and _bare(branch[2], kinds[column]) == call_of("sum", column):
            summed = _summed(value, whole)
            # A sum of values that are never NULL is 0 for no values; a group has at least one row.
            zeroed = whole.keys and _is_zeroed_sum(value.this if isinstance(value, exp.Cast) else value, whole)
            none = ROWS if zeroed else _count_of(summed, whole, mode) if summed is not None else None
            empty = [exp.EQ(this=_zeroed(other), expression=ZERO) for other, each in held.items() if each == none]
            if branch[1] == exp.Null() and branch[0] in empty:
                return value
    raise Misread(f"the rewritten query does not add up an output over changed rows: {output.sql('spark')}")


def _bare(tree: Tree, kind: str) -> Tree:
    """Return an expression without a cast to the type `kind`."""
    return tree.this if isinstance(tree, exp.Cast) and _kind(tree) == kind else tree


def _kind(tree: exp.Cast) -> str:
    return str(tree.to.sql("spark")).lower().replace(", ", ",")


def _is_zeroed_sum(value: Tree, whole: Block) -> bool:
    """Return whether an output is an exact sum that is 0 for no values, as count(x) = coalesce(sum(CASE …), 0) is."""
    if not isinstance(value, exp.Anonymous) or value.name != "coalesce" or value.expressions[1:] != [ZERO]:
        return False
    return _summed(value.expressions[0], whole) is not None


def _summed(value: Tree, whole: Block) -> Tree | None:
    """Return the argument of an exact sum, or of such a sum that is cast to an exact type; None for other outputs."""
    kinds = [expression_type(value, whole)]
    if isinstance(value, exp.Cast):
        value = value.this
        kinds.append(expression_type(value, whole))
    exact = all(kind in INTEGERS or as_decimal(kind) is not None for kind in kinds)
    return value.expressions[0] if exact and isinstance(value, exp.Anonymous) and value.name == "sum" else None


def _count_of(argument: Tree, whole: Block, mode: Mode) -> Tree:
    """Return the count of an argument, in normal form."""
    counted = replace(whole, outputs=(call_of("count", argument),), names=(None,))
    return normal_block(counted, mode).outputs[0]
