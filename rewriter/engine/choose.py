"""The cheapest plan for one block, among the paths of the views on its shortlist."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import NamedTuple

from rewriter.asking import set_operations
from rewriter.block import Block, Find, Predicates, Unsupported, predicates_of
from rewriter.block.words import words
from rewriter.correlation import Correlation
from rewriter.cost import SCAN, UNKNOWN, cost, cost_of_branch, least_costs, original_cost, scan_of
from rewriter.engine.access_paths import candidate_of, settings_problem
from rewriter.engine.answer import Remainder, Shared, answer, from_tables, of_branches, over_parts
from rewriter.engine.questions import block_of
from rewriter.freshness import Live, Relations, fresh_storage, live_storage
from rewriter.index import Definitions, Shortlist
from rewriter.match import Candidate, Match, Miss, Reason, Rewriting
from rewriter.match.parts import in_parts
from rewriter.match.printing import print_block
from rewriter.metadata import counted_by_metadata
from rewriter.model import MaterializedView, Session, Table, TableName
from rewriter.outcome import Attempt
from rewriter.rematch import asked_of
from rewriter.rules import DIVISIONS
from rewriter.rules.delta_union import delta_union
from rewriter.sql import SelectBlock, Statement, parse
from rewriter.verify import Verdict

log = logging.getLogger(__name__)

# Views that a plan is made for again with other views for what they lack, views asked for one remainder, views in one
# plan, and all that are so asked for one block: each asks about as much as a view does at first.
MOST_HEADS, MOST_OTHERS, MOST_TILES, MOST_ASKS = 2, 4, 5, 16


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
    stale: list[MaterializedView] = field(default_factory=list)
    live: dict[TableName, str] = field(default_factory=dict)
    best: tuple[tuple[int, TableName], MaterializedView, str, Match] | None = None
    # The views behind the best match, which were not tried.
    others: Sequence[MaterializedView] = ()
    _paths: dict[TableName, Candidate] = field(default_factory=dict)
    _lacking: list[TableName] = field(default_factory=list)
    _asked: int = 0

    def beats(self, bound: int, view: MaterializedView) -> bool:
        """Whether a match is at hand that is no dearer than the view could be, nor any behind it."""
        return self.best is not None and self.best[0] <= (bound, view.name)

    def add_live(self, query: Predicates, limit: int) -> None:
        """Try the stale views with what was appended to their tables since they were refreshed."""
        for view in () if self.best is not None or self.correlation is not None else self.stale:
            storage = live_storage(view, self.definitions.sources[view.name], self.relations)
            if isinstance(storage, Live):
                stale = next(attempt for attempt in self.missed if attempt.view == view.name)
                self.missed.remove(stale)
                self.live[view.name] = " and ".join(f"{c.name} since snapshot {c.start}" for c in storage.grown)
                self.add(view, query, limit, live=storage)
                self.missed = [_refreshable(each, stale) if each.view == view.name else each for each in self.missed]

    def add(
        self,
        view: MaterializedView,
        query: Predicates,
        limit: int,
        read: Predicates | None = None,
        live: Live | None = None,
    ) -> None:
        """Try one more view; a surprise in a rule costs that view's chance, never the answer.

        Where the query is `read` as one over another view that answers it, views over that are matched with it so.
        """
        try:
            rule, result = self._try(view, read or query, live)
        except RecursionError:
            rule, result = "", Miss(Reason.NOT_READ, "it is nested too deeply")
        except Exception:
            log.exception("trying %s on %r failed; the statement is answered without it", view.name, self.select.text)
            rule, result = "", Miss(Reason.NOT_READ, "an error in the rewriter, see the log")
        if isinstance(result, Miss) and result.reason is Reason.STALE and read is None and live is None:
            self.stale.append(view)
        if isinstance(result, Match):
            price = cost(result, query.block, self.relations)
            if price <= limit or price >= UNKNOWN:
                self.matches[view.name] = rule
                if result.rewriting.parts is not None and result.rewriting.parts.rest:
                    self._lacking.append(view.name)
                self.missed = [attempt for attempt in self.missed if attempt.view != view.name]
                if self.best is None or (price, view.name) < self.best[0]:
                    self.best = (price, view.name), view, rule, result
                if live is None:
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
        chosen = self._tiles()
        best = self.best[1].name if self.best is not None else None
        matched = [
            Attempt(name, "chosen", self.best[2], None, self._detail(name, chosen[name]), self.select.text)
            if name in chosen and self.best is not None
            else Attempt(name, "not chosen", rule, Reason.NOT_CHOSEN, f"{best} has less to read", self.select.text)
            for name, rule in sorted((dict.fromkeys(chosen, "") | self.matches).items())
        ]
        missed = (attempt for attempt in self.missed if attempt.view not in chosen)
        return sorted(missed, key=lambda attempt: attempt.view) + matched

    def _tiles(self) -> Mapping[TableName, str]:
        """The views that the plan reads, each with the rows that it has where others have the rest."""
        if self.best is None:
            return {}
        _, view, _, match = self.best
        parts = match.rewriting.parts
        branches = parts.views if parts is not None and len(parts.branches) > 1 else ()
        tiles = {self.definitions.by_storage[tile.storage.name].name: _filter(tile) for tile in branches}
        return {view.name: ""} | tiles

    def _detail(self, name: TableName, rows: str) -> str:
        """What a chosen view answers for, and that it is stale where it is."""
        live = (
            f"live: it is stale, and is read with the rows appended to {self.live[name]}" if name in self.live else ""
        )
        return "; ".join(filter(None, (rows, live)))

    def _try(self, view: MaterializedView, query: Predicates, live: Live | None) -> tuple[str, Match | Miss]:
        path = self._path(view, query.block, live)
        if isinstance(path, Miss):
            return "", path
        if live is None:
            self._paths[view.name] = path
        rule, result = answer(query, path)
        if self.correlation is not None and isinstance(result, Match):
            return rule, self.correlation.placed(result)
        return rule, result

    def tile(self, query: Predicates) -> None:
        """Make the plans of the smallest views that lack rows again, with other views for these."""
        heads = self._by_size(self._lacking) if self.best is not None and self.correlation is None else ()
        for name in heads[:MOST_HEADS]:
            found = answer(query, self._paths[name], self._remainder(frozenset({name})))
            if isinstance(found.result, Match) and self.best is not None:
                price = cost(found.result, query.block, self.relations)
                if (price, name) < self.best[0]:
                    self.best = (price, name), self.definitions.by_name[name], found.rule, found.result

    def path(self, view: TableName) -> Candidate:
        """A view that was tried, as something to read."""
        return self._paths[view]

    def _by_size(self, names: Iterable[TableName]) -> list[TableName]:
        return sorted(names, key=lambda name: (scan_of(self._paths[name].storage), name))

    def _path(self, view: MaterializedView, query: Block, live: Live | None = None) -> Candidate | Miss:
        """The view as something to read now, if it is stale with what was appended to its tables."""
        if view.name in self.refuted:
            return Miss(Reason.PLAN_REFUTED, self.refuted[view.name].reason)
        sources = self.definitions.sources[view.name]
        storage = live.storage if live else fresh_storage(view, sources, self.relations, part=True)
        if isinstance(storage, Miss):
            return storage
        candidate = candidate_of(view, query, storage, self.definitions, self.relations)
        if isinstance(candidate, Miss):
            return candidate
        if live and not all(isinstance(self.relations.get(t.name), Table) for t in candidate.block.tables):
            return Miss(Reason.SHAPE, "rows have been appended to the tables of a view that the query names")
        differing = settings_problem(candidate, query, self.session, self.definitions, self.relations)
        return differing or replace(candidate, grown=live.grown if live else ())

    def _remainder(self, used: frozenset[TableName]) -> Remainder:
        """What reads the rows that plans over these views lack: other views, where that costs less than the tables."""

        def read(rest: Block) -> Sequence[Shared]:
            tables = from_tables(rest)
            price = self._price(tables)
            others = self._helping(rest) - used if len(used) < MOST_TILES and price > 2 * SCAN else ()
            query = predicates_of(rest, self.session.time_zone)
            for name in self._by_size(others)[:MOST_OTHERS]:
                if self._asked == MOST_ASKS:
                    break
                self._asked += 1
                result = answer(query, self._paths[name], self._remainder(used | {name})).result
                branches = _branches(result.rewriting) if isinstance(result, Match) else ()
                if branches and self._price(branches) < price:
                    return branches
            return tables

        return read

    def _helping(self, rest: Block) -> Set[TableName]:
        """The views that may answer a remainder: those that match, and those that were not tried."""
        for view in self.others[: MOST_ASKS - len(self._paths)]:
            path = self._path(view, rest) if view.name not in self._paths else None
            if isinstance(path, Candidate):
                self._paths[view.name] = path
        return self.matches.keys() | {view.name for view in self.others if view.name in self._paths}

    def _price(self, branches: Sequence[Shared]) -> int:
        return sum(cost_of_branch(branch, share, self.relations) for branch, share in branches)


def _filter(tile: Rewriting) -> str:
    """The rows that a branch reads, in words."""
    return "where " + " AND ".join(map(words, tile.where)) if tile.where else ""


def _branches(rewriting: Rewriting) -> Sequence[Shared]:
    """A plan for parts as the branches of a union: one in parts is their branches, for parts of parts are the same."""
    if rewriting.parts is None or len(rewriting.parts.branches) == 1:
        return (Shared(rewriting, 1.0),)
    return tuple(map(Shared, rewriting.parts.branches, rewriting.parts.shares))


def _refreshable(missed: Attempt, stale: Attempt) -> Attempt:
    """Why a stale view does not answer with what was appended; that it is stale, where a refresh would help."""
    if missed.rule != delta_union.__name__ and missed.reason is not Reason.DEARER:
        return missed
    return replace(stale, rule=missed.rule, detail=f"{stale.detail}; with what was appended: {missed.detail}")


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
    if not shortlist and not set_operations(select):
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
    _try_all(tried, query, shortlist)
    if tried.best is None and correlation is None:
        chosen = _divided(query, statement, tried)
        if chosen is not None:
            return chosen, [*_answering(chosen, definitions, select), *tried.report()]
    return tried.chosen(block), tried.report()


def _try_all(tried: _Tried, query: Predicates, shortlist: Shortlist) -> None:
    """Try the views of a shortlist, the cheapest first."""
    block, definitions, relations = query.block, tried.definitions, tried.relations
    limit = original_cost(block, relations)
    bounds = sorted(least_costs(shortlist, block, relations), key=itemgetter(0))
    for i, (bound, view) in enumerate(bounds):
        beaten = not definitions.exhaustive and tried.beats(bound, view)
        if beaten and not definitions.stacked:
            tried.others = [other for _, other in bounds[i:]]
            break
        if view.name not in tried.matches and (not beaten or definitions.upon(view.name)):
            tried.add(view, query, limit)
    tried.tile(query)
    tried.add_live(query, limit)


def _divided(query: Predicates, statement: Statement, tried: _Tried) -> Chosen | None:
    """A question in parts that are questions of their own, answered by views, or else from the tables."""
    rule, divided = next(((rule, found) for rule in DIVISIONS if (found := rule(query.block))), (None, ()))
    if rule is None:
        return None
    answers = [_answer_to(replace(part, decides=query.block.decides), statement, tried) for part in divided]
    first = next((each for each in answers if each.best is not None), None)
    if first is None or first.best is None:
        return None
    view = first.best[1]
    whole = over_parts(query, in_parts(query.block), first.path(view.name))
    if isinstance(whole, Miss):
        return None
    pairs = zip(divided, answers, strict=True)
    branches = [Shared(each.best[3].rewriting if each.best is not None else part, 1.0) for part, each in pairs]
    return Chosen(view, rule.__name__, of_branches(whole, branches), query.block)


def _answer_to(part: Block, statement: Statement, tried: _Tried) -> _Tried:
    """The views tried on a block that stands in no statement."""
    session = statement.session
    text = print_block(part, [f"c{i}" for i in range(len(part.outputs))])
    catalogs = session.catalogs | {table.name.catalog for table in part.tables if not table.text}
    alone = parse(text, replace(session, catalogs=catalogs, temporary_views=frozenset()))
    found = _Tried(alone.blocks[0], session, tried.definitions, tried.relations, refuted=tried.refuted)
    shortlist = tried.definitions.shortlist(alone, alone.blocks[0])
    _try_all(found, predicates_of(part, session.time_zone), shortlist)
    return found


def _answering(chosen: Chosen, definitions: Definitions, select: SelectBlock) -> Iterator[Attempt]:
    """The views of a plan by branches."""
    for storage in sorted(chosen.match.rewriting.reads & definitions.by_storage.keys()):
        name = definitions.by_storage[storage].name
        yield Attempt(name, "chosen", chosen.rule, block=select.text)
