"""Outputs, HAVING and ORDER BY of a grouped query, over its computed keys and aggregates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from rewriter.block import Ordering, aggregate_of
from rewriter.block.predicates import INTEGERS
from rewriter.match.candidate import Match, Miss, Reason, Rewriting
from rewriter.match.reading import Reading
from rewriter.match.words import words

Tree = exp.Expr


@dataclass(frozen=True)
class Groups:
    """How a query's keys and aggregates read: computed keys by (normalized) key, and what an aggregate becomes."""

    reading: Reading
    keys: Mapping[Tree, Tree]
    aggregate: Callable[[Tree], Tree | Miss]

    def over(self, tree: Tree) -> Tree | Miss:
        """An expression over groups: keys and aggregates replaced, everything between them kept."""
        if (key := self.keys.get(tree)) is not None:
            return key.copy()
        if aggregate_of(tree) is not None:
            return self.aggregate(tree)
        if tree.find(exp.Column) is None and not _any_aggregate(tree):
            return tree.copy()
        result = tree.copy()
        for argument, value in tree.args.items():
            operands = value if isinstance(value, list) else [value]
            computed: list[object] = []
            for operand in operands:
                is_operand = isinstance(operand, exp.Expr) and not isinstance(operand, exp.DataType | exp.Identifier)
                part = self.over(operand) if is_operand else operand
                if isinstance(part, Miss):
                    return part
                computed.append(part)
            result.set(argument, computed if isinstance(value, list) else computed[0])
        return result


def group_keys(reading: Reading) -> Mapping[Tree, Tree] | Miss:
    """The query's keys, normalized, with what each is over the storage."""
    keys: dict[Tree, Tree] = {}
    for key in reading.block.keys or ():
        normalized = reading.normalize(key)
        computed = reading.compute(normalized)
        if isinstance(computed, Miss):
            return computed
        keys[normalized] = computed
    return keys


def finish(
    reading: Reading, over: Callable[[Tree], Tree | Miss], group: tuple[Tree, ...] | None, rolled_up: bool
) -> Match | Miss:
    """The rewriting whose outputs, HAVING and ORDER BY are the query's, each read by `over`."""
    block, normalize = reading.block, reading.normalize
    outputs: list[Tree] = []
    for output in block.outputs:
        computed = over(normalize(output))
        if isinstance(computed, Miss):
            return computed
        outputs.append(computed)
    having: list[Tree] = []
    for conjunct in block.having:
        computed = over(normalize(conjunct))
        if isinstance(computed, Miss):
            return computed
        having.append(computed)
    order: list[Ordering] = []
    for item in block.order:
        computed = over(normalize(item.key))
        if isinstance(computed, Miss):
            return computed
        order.append(replace(item, key=computed))
    # Without groups HAVING is one more filter of the storage's rows.
    where = reading.residual if group is not None else (*reading.residual, *having)
    return Match(
        Rewriting(
            reading.candidate.storage, reading.extra, tuple(outputs), where, group,
            tuple(having) if group is not None else (), tuple(order), block.limit, block.offset,
        ),
        rolled_up,
    )  # fmt: skip


def inexact_decision(reading: Reading) -> Miss | None:
    """A sum or average whose last bits may differ must not decide which rows come back.

    law: HAVING and ORDER BY with LIMIT only over exact aggregates; outputs only by arithmetic, which keeps
         a small difference small, never by rounding or comparing
    """
    block = reading.block
    deciding = [*block.having, *(item.key for item in block.order if block.limit or block.offset)]
    within = [part for output in block.outputs for part in _beyond_arithmetic(output)]
    for tree in (*deciding, *within):
        for node in tree.walk():
            if aggregate_of(node) is not None and isinstance(node, exp.Anonymous) and not _exact(node, reading):
                return Miss(Reason.FLOAT_SUM_DECIDES_ROWS, words(node))
    return None


def _beyond_arithmetic(tree: Tree) -> Iterator[Tree]:
    """The parts of an output in which aggregates are put to another use than arithmetic."""
    if isinstance(tree, exp.Add | exp.Sub | exp.Mul | exp.Div):
        yield from _beyond_arithmetic(tree.this)
        yield from _beyond_arithmetic(tree.expression)
    elif aggregate_of(tree) is None:
        yield tree


def _exact(call: exp.Anonymous, reading: Reading) -> bool:
    if call.name not in ("sum", "avg"):
        return True
    argument = call.expressions[0]
    if isinstance(argument, exp.Distinct):
        argument = argument.expressions[0]
    return _exact_arithmetic(argument, reading, integers=call.name == "sum")


def _exact_arithmetic(tree: Tree, reading: Reading, integers: bool) -> bool:
    """Whether an expression is of integers and decimals only; an average of integers is itself a sum of doubles."""
    if isinstance(tree, exp.Add | exp.Sub | exp.Mul):
        return all(_exact_arithmetic(side, reading, integers) for side in (tree.this, tree.expression))
    if isinstance(tree, exp.Literal):
        return not tree.is_string and tree.name.replace(".", "", 1).isdigit()
    declared = reading.block.type_of(tree)
    return declared is not None and ((integers and declared.type in INTEGERS) or declared.type.startswith("decimal("))


def _any_aggregate(tree: Tree) -> bool:
    return any(aggregate_of(node) is not None for node in tree.walk())
