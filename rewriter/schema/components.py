"""The components of an aggregate: the aggregates from which it can be computed, such as sum and count for avg.

CREATE MATERIALIZED VIEW stores components in hidden columns: columns of the storage table that the view does not show.
A plan that aggregates in two phases computes the components in the first phase.
"""

from __future__ import annotations

from sqlglot import exp

from rewriter.block import Block
from rewriter.functions.record import Components
from rewriter.functions.registry import AGGREGATES
from rewriter.functions.types import UNKNOWN
from rewriter.schema.columns import expression_type, numeric_type


def argument_types(call: exp.Anonymous, block: Block) -> tuple[str, ...]:
    """Return the types of the arguments of `call`, an aggregate in a block; `unknown` for a type that is not certain.

    The components of some aggregates, such as a variance, must be computed without losing digits. For these aggregates,
    `unknown` also stands for a type that is not numeric, and for a DECIMAL result of more than 38 digits.
    """
    composed = AGGREGATES[call.name].composed
    if composed is None or not composed.lossless:
        return tuple(expression_type(argument, block) for argument in call.expressions)
    return tuple(numeric_type(argument, block) or UNKNOWN for argument in call.expressions)


def components_of(call: exp.Anonymous, block: Block) -> Components:
    """Return the components, by name, of `call`, an aggregate in a block, if it rolls up only through components.

    avg(x), for example, has the components sum(x) and count(x). Return an empty mapping for other aggregates, for
    DISTINCT, and if the argument types make the result inexact.
    """
    composed = AGGREGATES[call.name].composed
    if composed is None or isinstance(call.expressions[0], exp.Distinct):
        return {}
    return composed.components(call, argument_types(call, block))
