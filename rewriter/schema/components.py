"""The components of aggregates: CREATE stores them as hidden columns, and two-phase plans compute them first."""

from __future__ import annotations

from sqlglot import exp

from rewriter.block import Block
from rewriter.functions.record import Components
from rewriter.functions.registry import AGGREGATES
from rewriter.functions.types import UNKNOWN
from rewriter.schema.columns import expression_type, numeric_type


def argument_types(call: exp.Anonymous, block: Block) -> tuple[str, ...]:
    """Return the types of an aggregate's arguments, as its Composition expects them; `unknown` where uncertain."""
    composed = AGGREGATES[call.name].composed
    if composed is None or not composed.lossless:
        return tuple(expression_type(argument, block) for argument in call.expressions)
    return tuple(numeric_type(argument, block) or UNKNOWN for argument in call.expressions)


def components_of(call: exp.Anonymous, block: Block) -> Components:
    """Return the components of an aggregate that does not roll up by itself; empty for others and for DISTINCT."""
    composed = AGGREGATES[call.name].composed
    if composed is None or isinstance(call.expressions[0], exp.Distinct):
        return {}
    return composed.components(call, argument_types(call, block))
