"""Makes an access path to the rows in which a condition is true, of whose groups a view stores aggregates.

law:    if a view stores how many rows of each group satisfy p, the groups of the rows with p are the groups in which
        this number is not 0, and f(CASE WHEN p THEN x END) is f(x) of these rows
view:   SELECT day, page, sum(CASE WHEN kind = 'click' THEN 1 ELSE 0 END) AS clicks FROM events GROUP BY day, page
query:  SELECT day, count(*), count(DISTINCT page) FROM events WHERE kind = 'click' GROUP BY day
gives:  SELECT day, sum(clicks), count(DISTINCT page) FROM view WHERE clicks > 0 GROUP BY day
no:     a view that stores no count of the rows with p, because a group without such rows would be one of the query's
no:     `weight > 1` of a DOUBLE, because a filter makes Iceberg skip files by statistics that ignore NaN, and a count
        does not
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp

from rewriter.block import Block, has_aggregate, meaning
from rewriter.block.conjuncts import conjuncts_of
from rewriter.block.form import remembered
from rewriter.functions.trees import call_of, number
from rewriter.match import AccessPath
from rewriter.match.access_path import stored
from rewriter.match.conditional import Conditional, conditionals
from rewriter.match.reading import files_mislead

Tree = exp.Expr


class Conditioned(NamedTuple):
    """The block of a view's rows in which a condition is true, over the same groups.

    - `condition`: the conjuncts of the condition
    - `counted`: the position, among the view's outputs, of the number of rows in which the condition is true
    - `places`: the positions of the view's outputs that the block has
    """

    condition: tuple[Tree, ...]
    block: Block
    counted: int
    places: tuple[int, ...]


def paths_of_conditions(path: AccessPath) -> Iterator[tuple[tuple[Tree, ...], AccessPath]]:
    """Yield, for each condition of which the view stores the number of rows, the conjuncts of the condition and the
    access path to these rows.
    """
    if path.only or path.grown or path.scattered or path.own is not None:
        return
    for each in _conditioned(path.block):
        columns = tuple(path.columns[place] for place in each.places)
        only = exp.GT(this=stored(path.columns[each.counted]), expression=number(0))
        yield each.condition, replace(path, block=each.block, columns=columns, only=(only,))


@remembered
def _conditioned(block: Block) -> tuple[Conditioned, ...]:
    """Return the block of each condition of which the view's block counts the rows; the result is cached."""
    if not block.keys or block.having or block.sets is not None:
        return ()
    found: dict[Tree, dict[int, Conditional]] = {}
    for place, output in enumerate(block.outputs):
        for call, _ in conditionals(output, output):
            found.setdefault(meaning(call.condition), {})[place] = call
    made = (_over_rows(block, calls) for calls in found.values())
    return tuple(each for each in made if each is not None)


def _over_rows(block: Block, calls: dict[int, Conditional]) -> Conditioned | None:
    """Return the block of the rows in which the condition of `calls` is true.

    Return None if none of the calls counts these rows, and if the statistics of files could make Iceberg skip some of
    them where the condition is a filter.

    `calls` are the aggregates of the view's block with this condition, by their position among the outputs.
    """
    counted = next((place for place, call in calls.items() if _counts_rows(call)), None)
    if counted is None:
        return None
    plain = {
        place: call_of(call.name, exp.Star() if _counts_rows(call) else call.value) for place, call in calls.items()
    }
    kept = {i: plain.get(i, o) for i, o in enumerate(block.outputs) if i in plain or not has_aggregate(o)}
    condition = tuple(conjuncts_of(calls[counted].condition))
    if any(files_mislead(conjunct, block) for conjunct in condition):
        return None
    names = tuple(block.names[place] for place in kept)
    where = tuple(dict.fromkeys((*block.where, *condition)))
    return Conditioned(
        condition, replace(block, where=where, outputs=tuple(kept.values()), names=names), counted, tuple(kept)
    )


def _counts_rows(call: Conditional) -> bool:
    return call.name == "count" and isinstance(call.value, (exp.Star, exp.Literal, exp.Boolean))
