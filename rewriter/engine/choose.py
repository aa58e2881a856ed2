"""The cheapest plan for one block, among the paths of the views on its shortlist."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import NamedTuple

from rewriter.block import Block, Find, Predicates, Unsupported, predicates_of
from rewriter.correlation import Correlation
from rewriter.cost import UNKNOWN, cost, least_costs, original_cost
from rewriter.engine.access_paths import candidate_of, settings_problem
from rewriter.engine.answer import answer
from rewriter.engine.questions import block_of
from rewriter.freshness import Relations, fresh_storage
from rewriter.index import Definitions
from rewriter.match import Match, Miss, Reason
from rewriter.metadata import counted_by_metadata
from rewriter.model import MaterializedView, Session, TableName
from rewriter.outcome import Attempt
from rewriter.rematch import asked_of
from rewriter.sql import SelectBlock, Statement
from rewriter.verify import Verdict

log = logging.getLogger(__name__)


class Chosen(NamedTuple):
    """The view that answers a block, by which rule and rewriting; the block as read, and what it takes from around."""

    view: MaterializedView
    rule: str
    match: Match
    block: Block
    correlation: Correlation | None = None


@dataclass
class _Tried:
    """What comes of each view for one block; `best` is the cheapest match so far."""

    select: SelectBlock
    session: Session
    definitions: Definitions
    relations: Relations
    correlation: Correlation | None = None
    refuted: Mapping[TableName, Verdict] = field(default_factory=dict)
    matches: dict[TableName, str] = field(default_factory=dict)
    missed: list[Attempt] = field(default_factory=list)
    best: tuple[tuple[int, TableName], MaterializedView, str, Match] | None = None

    def beats(self, bound: int, view: MaterializedView) -> bool:
        """Whether a match is at hand that is no dearer than the view could be, nor any behind it."""
        return self.best is not None and self.best[0] <= (bound, view.name)

    def add(self, view: MaterializedView, query: Predicates, limit: int, read: Predicates | None = None) -> None:
        """Try one more view; a surprise in a rule costs that view's chance, never the answer.

        Where the query is `read` as one over another view that answers it, views over that are matched with it so.
        """
        try:
            rule, result = self._try(view, read or query)
        except RecursionError:
            rule, result = "", Miss(Reason.NOT_READ, "it is nested too deeply")
        except Exception:
            log.exception("trying %s on %r failed; the statement is answered without it", view.name, self.select.text)
            rule, result = "", Miss(Reason.NOT_READ, "an error in the rewriter, see the log")
        if isinstance(result, Match):
            price = cost(result, query.block, self.relations)
            if price <= limit or price >= UNKNOWN:
                self.matches[view.name] = rule
                self.missed = [attempt for attempt in self.missed if attempt.view != view.name]
                if self.best is None or (price, view.name) < self.best[0]:
                    self.best = (price, view.name), view, rule, result
                self._add_upon(view, result, query, limit)
                return
            result = Miss(Reason.DEARER, "reading it costs more than reading the tables")
        if read is None:
            self.missed.append(Attempt(view.name, "missed", rule, result.reason, result.detail, self.select.text))

    def _add_upon(self, view: MaterializedView, match: Match, query: Predicates, limit: int) -> None:
        """Try the views over one that answers the block."""
        upon = [other for other in self.definitions.upon(view.name) if other.name not in self.matches]
        # Of storage that holds a part of the rows, the query's own condition is no longer asked.
        if not upon or self.correlation is not None or match.rewriting.storage.part:
            return
        try:
            read = asked_of(view, match, query.block, self.relations, self.session)
        except Exception:
            log.exception(
                "reading %r as a query over %s failed; views over that are not tried", self.select.text, view.name
            )
            return
        for other in upon if read is not None else ():
            self.add(other, query, limit, read)

    def chosen(self, block: Block) -> Chosen | None:
        """The view to use, if there is one."""
        return Chosen(*self.best[1:], block, self.correlation) if self.best is not None else None

    def report(self) -> list[Attempt]:
        """What came of each view that was tried: misses, then matches, by name."""
        best = self.best[1].name if self.best is not None else None
        matched = [
            Attempt(name, "chosen", rule, block=self.select.text)
            if name == best
            else Attempt(name, "not chosen", rule, Reason.NOT_CHOSEN, f"{best} has less to read", self.select.text)
            for name, rule in sorted(self.matches.items())
        ]
        return sorted(self.missed, key=lambda attempt: attempt.view) + matched

    def _try(self, view: MaterializedView, query: Predicates) -> tuple[str, Match | Miss]:
        if view.name in self.refuted:
            return "", Miss(Reason.PLAN_REFUTED, self.refuted[view.name].reason)
        storage = fresh_storage(view, self.definitions.sources[view.name], self.relations, part=True)
        if isinstance(storage, Miss):
            return "", storage
        candidate = candidate_of(view, query.block, storage, self.definitions, self.relations)
        if isinstance(candidate, Miss):
            return "", candidate
        differing = settings_problem(candidate, query.block, self.session, self.definitions, self.relations)
        if differing is not None:
            return "", differing
        rule, result = answer(query, candidate)
        if self.correlation is not None and isinstance(result, Match):
            return rule, self.correlation.placed(result)
        return rule, result


def answer_block(
    select: SelectBlock,
    statement: Statement,
    definitions: Definitions,
    relations: Relations,
    find: Find,
    refuted: Mapping[TableName, Verdict],
) -> tuple[Chosen | None, list[Attempt]]:
    """The best view for a block, and what came of the others."""
    shortlist = definitions.shortlist(statement, select)
    if not shortlist:
        return None, []
    try:
        if select.tree is None:
            raise Unsupported(select.problem)
        block, correlation = block_of(select, select.tree, statement, find)
        block = replace(block, decides=statement.decides_by(select))
        query = predicates_of(block, statement.session.time_zone)
    except (Unsupported, RecursionError) as problem:
        unread = "it is nested too deeply" if isinstance(problem, RecursionError) else str(problem)
        return None, [Attempt(v.name, "missed", "", Reason.NOT_READ, unread, select.text) for v, *_ in shortlist]
    if counted_by_metadata(block, relations, statement.session.settings):
        cheaper = "Spark counts the rows by the table's metadata alone"
        return None, [Attempt(v.name, "not chosen", "", Reason.NOT_CHOSEN, cheaper, select.text) for v, *_ in shortlist]
    tried = _Tried(select, statement.session, definitions, relations, correlation, refuted)
    limit = original_cost(block, relations)
    for bound, view in sorted(least_costs(shortlist, block, relations), key=itemgetter(0)):
        beaten = not definitions.exhaustive and tried.beats(bound, view)
        if beaten and not definitions.stacked:
            break
        if view.name not in tried.matches and (not beaten or definitions.upon(view.name)):
            tried.add(view, query, limit)
    return tried.chosen(block), tried.report()
