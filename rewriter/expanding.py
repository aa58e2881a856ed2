"""Decides how to answer a statement in which views are named, with and without expanding the names.

The decision is made for each form of the statement: the view names in FROM left for Spark to resolve, or expanded. The
form that leaves the fewest blocks to base tables is used.

Expanding replaces a view's name in FROM by the view's query. Plain views are expanded first, because the tables in
their queries may be answered by materialized views. A materialized view in FROM is read from its storage table, or from
a coarser view over it; if neither is fresh, its query is expanded, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter

from rewriter.block import Unsupported
from rewriter.engine import decide
from rewriter.freshness import Relations
from rewriter.index import Definitions, Expansions
from rewriter.match import Reason
from rewriter.model import TableName
from rewriter.outcome import Attempt, Outcome
from rewriter.pivots import grouped_before
from rewriter.sql import Expanded, Statement


def rewrite(statement: Statement, definitions: Definitions, relations: Relations) -> Outcome:
    """Decide which blocks of a statement to answer from views; raise Unsupported for an invalid `timeseries` call.

    A block stays unchanged if no view provably answers it. If a view answers the grouping that a PIVOT contains, this
    grouping is moved into a derived table first (see rewriter.pivots).
    """
    own = _rewritten(statement, definitions, relations)
    grouped = grouped_before(statement, definitions, relations)
    pivoted = _rewritten(grouped, definitions, relations) if grouped is not None else None
    if pivoted is None or (own.rewritten and (own.left < pivoted.left or not pivoted.rewritten)):
        return own
    if not pivoted.rewritten:
        # The SELECT around PIVOT is always unsupported, so that this reason says nothing.
        tried = pivoted.tried or own.tried
        return replace(own, tried=tuple(attempt for attempt in tried if attempt.reason is not Reason.UNSUPPORTED))
    return replace(pivoted, typed=own.original)


def _rewritten(statement: Statement, definitions: Definitions, relations: Relations) -> Outcome:
    """Return the decision about a statement whose PIVOT clauses stay unchanged.

    View names in FROM are kept or expanded: the form that leaves the fewest blocks to base tables is used.
    """
    own = decide(statement, definitions, relations)
    expansions = definitions.expansions(statement)
    if len(expansions) == 1:
        return _explained(own, [own], expansions, definitions)
    outcomes = [_expanded(e, definitions, relations) if e.views else own for e in expansions]
    tried = [outcome for outcome in outcomes if outcome is not None]
    # The decision that leaves the fewest blocks to base tables is the best one.
    best = min((outcome for outcome in tried if outcome.rewritten), key=attrgetter("left"), default=None)
    if best is None:
        return _explained(own, tried, expansions, definitions)
    return best if best is own else replace(best, typed=own.expanded)


def _explained(own: Outcome, tried: Sequence[Outcome], expansions: Expansions, definitions: Definitions) -> Outcome:
    """Return the outcome `own`, by which no block is rewritten, with the attempts from all outcomes in `tried`.

    `tried` are the outcomes of the statement's expansions. If all views are tried for an explanation, the reasons why
    views could not be expanded are added.
    """
    attempts = [*_attempts(tried)] if len(tried) > 1 else [*own.tried]
    refused = {name: why for expanded in expansions for name, why in expanded.refused.items()}
    if definitions.exhaustive:
        attempts += (Attempt(name, "missed", "", Reason.UNSUPPORTED, why) for name, why in refused.items())
    return replace(own, tried=tuple(attempts)) if len(attempts) != len(own.tried) or len(tried) > 1 else own


def _expanded(expanded: Expanded, definitions: Definitions, relations: Relations) -> Outcome | None:
    """Return the decision about a statement with its views expanded.

    Return None if a view has changed since its definition was read, or if the expanded statement is unsupported.
    """
    if any(relations.get(view.name) != view.state for view in expanded.views):
        return None
    try:
        return decide(expanded.statement, definitions, relations)
    except Unsupported:
        return None


def _attempts(outcomes: Sequence[Outcome]) -> Iterator[Attempt]:
    """Yield the attempts of all outcomes; for each view, only the attempts of the first outcome that tried the view.

    An outcome in which the view reads only other tables than the blocks does not count if there is another one.
    """
    told: dict[TableName, list[Attempt]] = {}
    for outcome in outcomes:
        tried: dict[TableName, list[Attempt]] = {}
        for attempt in outcome.tried:
            tried.setdefault(attempt.view, []).append(attempt)
        told |= {view: found for view, found in tried.items() if not any(map(_is_near, told.get(view, ())))}
    yield from chain.from_iterable(told.values())


def _is_near(attempt: Attempt) -> bool:
    return attempt.reason is not Reason.TABLES_DIFFER
