"""Tries views on one block: keeps the cheapest match (plan), and for each other view the reason why it is not used.

A view may lack some of the block's rows, for example because its storage table has only a part of the view's rows. The
missing rows are called the remainder. The plan is then a UNION ALL, whose branches are called tiles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import NamedTuple, TypeVar

from rewriter.block import Block, Predicates, predicates_of
from rewriter.correlation import Correlation
from rewriter.cost import Costs, cost_problem
from rewriter.engine.access_paths import access_path_of, readable_storage, settings_problem
from rewriter.engine.answer import Answer, Remainder, answer, from_tables
from rewriter.engine.guard import guarded
from rewriter.engine.over_views import question_over
from rewriter.engine.tested import Test, tested_from
from rewriter.engine.tiles import rows_of
from rewriter.freshness import Live, Relations, live_storage
from rewriter.index import Definitions
from rewriter.match import AccessPath, Match, Miss, Reason, Rewriting, Shared
from rewriter.match.flattened import flattened_path, nested_problem
from rewriter.model import Change, ChangeKind, MaterializedView, Session, Table, TableName
from rewriter.outcome import Attempt
from rewriter.scans import NOTHING, SCAN, SHUFFLE, Estimate
from rewriter.sql import SelectBlock, columns_in

T = TypeVar("T")

# Reasons why a view with partly stale storage does not answer, although a refresh would help.
_OF_PARTS = (Reason.VIEW_FILTERS_MORE, Reason.HOLDS_A_PART, Reason.DEARER)

# Why the changed rows are not combined with a view for a query that names a view: no form of the query is answered.
_NAMED = "the query names a view in FROM, and cannot be answered over the definition of that view either"

# Limits per block, because trying a view on a remainder takes as long as trying it on the block: the views whose
# remainder is read from other views, the views tried on one remainder, the views in one plan, and all such trials.
MOST_HEADS, MOST_OTHERS, MOST_TILES, MOST_ASKS = 2, 4, 5, 16


class Best(NamedTuple):
    """The cheapest match (plan) so far, its view, rule and estimated cost, and the access path that the plan reads.

    `price` is the sort key by which matches are compared: estimated milliseconds, then the view's name.
    """

    price: tuple[float, TableName]
    view: MaterializedView
    rule: str
    match: Match
    path: AccessPath
    estimate: Estimate


class Matched(NamedTuple):
    """The name of the rule by which a view answers, and the cost estimate of the plan."""

    rule: str
    estimate: Estimate


@dataclass
class Tried:
    """The views tried on one block, and their results.

    - `best`: the cheapest match so far; None without a match
    - `matches`: the views that can answer
    - `missed`: the attempts at views that cannot answer
    - `stale`: the stale views, and the views of which only some partitions are fresh
    - `testing`: the views in place of tables that a SEMI or ANTI join tests, each with a description
    """

    select: SelectBlock
    session: Session
    definitions: Definitions
    relations: Relations
    costs: Costs
    correlation: Correlation | None = None
    refuted: Mapping[TableName, Miss] = field(default_factory=dict)
    matches: dict[TableName, Matched] = field(default_factory=dict)
    missed: list[Attempt] = field(default_factory=list)
    stale: list[MaterializedView] = field(default_factory=list)
    testing: dict[TableName, str] = field(default_factory=dict)
    best: Best | None = None
    # By view and by the names of the block's tables: if the block names the view, the path has the view's columns, else
    # its query.
    _paths: dict[tuple[TableName, tuple[TableName, ...]], AccessPath | Miss] = field(default_factory=dict)
    _lacking: list[TableName] = field(default_factory=list)
    # The first views on the shortlist after the best match, which were not tried.
    _others: Sequence[MaterializedView] = ()
    _asked: int = 0

    def beats(self, bound: float, view: MaterializedView) -> bool:
        """Return whether the best match costs at most `bound` milliseconds, the least possible cost of `view`.

        At equal cost, the view whose name comes first is preferred. Return False without a match.
        """
        return self.best is not None and self.best.price <= (bound, view.name)

    def add(self, view: MaterializedView, query: Predicates, tables: Estimate) -> None:
        """Try a view, then the views defined over the view; record each match or miss.

        `query` is the block to answer, `tables` the cost of reading the base tables instead.
        """
        found = self._add(view, query, query, self._path(view, query.block), tables)
        behind = self._behind(view.name)
        if isinstance(found.result, Match):
            self.stale += [view] if behind else []
            self._add_upon(view, found.result, query, tables)
            return
        self.miss(view, found.result, found.rule)
        if found.result.reason is Reason.STALE:
            self.stale.append(view)
        elif found.result.reason in _OF_PARTS and behind:
            self.stale.append(view)
            why = found.result.reason.told(found.result.detail)
            detail = f"{behind}; with the fresh partitions alone: {why}"
            self.missed[-1] = replace(self.missed[-1], reason=Reason.STALE, detail=detail)

    def add_live(self, query: Predicates, tables: Estimate) -> None:
        """Try the stale views together with the changes of their tables, unless a fresh view has already matched.

        A plan that reads only the fresh partitions of a view is kept if it is cheaper. `query` is the block to answer,
        `tables` the cost of reading the base tables instead.
        """
        fresh = self.best is not None and not self._behind(self.best.view.name)
        for view in () if fresh or self.correlation is not None else self.stale:
            storage = live_storage(view, self.definitions.sources[view.name], self.relations)
            stale = next((attempt for attempt in self.missed if attempt.view == view.name), None)
            if isinstance(storage, Miss):
                if stale is not None and storage.reason is Reason.STALE and storage.detail not in stale.detail:
                    self.missed[self.missed.index(stale)] = _with_changes_unread(stale, storage)
                continue
            found = self._add(view, query, query, self._live_path(view, query.block, storage), tables)
            if isinstance(found.result, Miss) and stale is not None:
                self.missed.remove(stale)
                self.miss(view, found.result, found.rule)
                refreshed = self._answer(view, query, self._refreshed_path(view, query.block, storage))
                self.missed[-1] = _refreshable(self.missed[-1], stale, refreshed, storage)

    def test_groups(self, match: Match, tests: Iterable[tuple[Test, Iterable[MaterializedView]]]) -> Match:
        """Return the match with views in place of the tables that its SEMI and ANTI joins test, where that is cheaper.

        `tests` are these joins, each with the views that could answer the rows that the join tests.
        """
        rewriting = match.rewriting
        for test, views in tests:
            for view in views:
                path = self._path(view, test.rows)
                found = (
                    self.guarded(view, partial(tested_from, rewriting, test, path, self.session.time_zone))
                    if isinstance(path, AccessPath)
                    else None
                )
                if isinstance(found, Rewriting) and self._gains(found, rewriting):
                    rewriting = found
                    kind = test.join.kind
                    self.testing[view.name] = f"read in place of the table on the right side of the {kind} join"
                    break
        return match if rewriting is match.rewriting else replace(match, rewriting=rewriting)

    def _gains(self, plan: Rewriting, other: Rewriting) -> bool:
        return self.costs.of_match(Match(plan)).gains_on(self.costs.of_match(Match(other)))

    def tile(self, query: Predicates, tables: Estimate, untried: Iterator[MaterializedView]) -> None:
        """Try plans that read a part of the block's rows from one view, and the other rows from other views.

        The plans are a UNION ALL. One plan is tried for each of the smallest views (at most MOST_HEADS) that match but
        lack rows of the block. A plan that is cheaper than `best` replaces `best`. `query` is the block to answer,
        `tables` the cost of reading the base tables instead. `untried` yields the views that were not tried because
        `best` is cheaper than any plan over one of them alone.
        """
        heads = self._by_size(self._lacking) if self.correlation is None else ()
        self._others = tuple(islice(untried, MOST_ASKS)) if heads else ()
        for name in heads[:MOST_HEADS]:
            view = self.definitions.by_name[name]
            path = self._path(view, query.block)
            found = self._answer(view, query, path, self._remainder(frozenset({name})))
            if isinstance(path, AccessPath) and isinstance(found.result, Match):
                self._offer(view, found.rule, found.result, path, tables)

    def guarded(self, view: MaterializedView, attempt: Callable[[], T]) -> T | Miss:
        """Return the result of `attempt`, which tries a view.

        If `attempt` raises an exception, log the exception and return a Miss.
        """
        return guarded(view.name, self.select.text, attempt)

    def report(self) -> list[Attempt]:
        """Return the attempts at all views tried: first the misses, then the matches, both sorted by view name."""
        chosen = self._tiles()
        best = self.best.view.name if self.best is not None else None
        text = self.select.text
        matched = [
            Attempt(name, "chosen", self.best.rule, None, self._detail(name, chosen[name]), text, self.best.estimate)
            if name in chosen and self.best is not None
            else Attempt(name, "not chosen", matched.rule, Reason.NOT_CHOSEN, f"{best} is cheaper", text,
                         matched.estimate)
            for name, matched in sorted((dict.fromkeys(chosen, Matched("", NOTHING)) | self.matches).items())
        ]  # fmt: skip
        missed = (attempt for attempt in self.missed if attempt.view not in chosen)
        return sorted(missed, key=lambda attempt: attempt.view) + matched

    def _add(
        self, view: MaterializedView, query: Predicates, asked: Predicates, path: AccessPath | Miss, tables: Estimate
    ) -> Answer:
        """Try a view, keep its match if it is cheaper than the base tables, and return the result.

        `asked` is the query itself or, for a view over another view, the query over that other view. `path` is the
        access path to the view; if it is a Miss, this Miss is the result. `tables` is the cost of reading the base
        tables.
        """
        found = self._answer(view, asked, path)
        if isinstance(path, Miss) or isinstance(found.result, Miss):
            return found
        if found.result.rewriting.union is not None and found.result.rewriting.union.rest:
            self._lacking.append(view.name)
        dearer = self._offer(view, found.rule, found.result, path, tables)
        return found if dearer is None else Answer(found.rule, dearer)

    def _offer(
        self, view: MaterializedView, rule: str, match: Match, path: AccessPath, tables: Estimate
    ) -> Miss | None:
        """Keep a match that is cheaper than the base tables, or whose view a hint names, and return None.

        Return a Miss for any other match. `path` is the access path that the match reads, `tables` the cost of reading
        the base tables. `rule` is the name of the rule that gave the match.
        """
        estimate = self.costs.of_match(match)
        if (dearer := cost_problem(estimate, tables, view, self.session)) is not None:
            return dearer
        self.matches.setdefault(view.name, Matched(rule, estimate))
        self.missed = [attempt for attempt in self.missed if attempt.view != view.name]
        best = Best((estimate.ms, view.name), view, rule, match, path, estimate)
        if self.best is None or best.price < self.best.price:
            self.best = best
        return None

    def _add_upon(self, view: MaterializedView, match: Match, query: Predicates, tables: Estimate) -> None:
        """Try the views that are defined over `view`, which answers the block by `match`.

        Try none if the block has outer references, or if the storage table of `view` has only part of the view's rows.
        """
        upon = [other for other in self.definitions.upon(view.name) if other.name not in self.matches]
        # Partial storage omits the query's own condition, so that a view over it cannot be asked.
        if not upon or self.correlation is not None or match.rewriting.storage.only:
            return
        asked = self.guarded(view, partial(question_over, view, match, query.block, self.relations, self.session))
        if asked is None or isinstance(asked, Miss):
            return
        for other in upon:
            found = self._add(other, query, asked, self._path(other, asked.block), tables)
            if isinstance(found.result, Match):
                self._add_upon(other, found.result, query, tables)

    def miss(self, view: MaterializedView, miss: Miss, rule: str = "") -> None:
        """Record why a view does not answer the block; `rule` is the rule that gave the Miss, empty if none did."""
        self.missed.append(Attempt(view.name, "missed", rule, miss.reason, miss.detail, self.select.text))

    def _answer(
        self, view: MaterializedView, query: Predicates, path: AccessPath | Miss, remainder: Remainder = from_tables
    ) -> Answer:
        """Return a view's answer to a query, read through the access path `path`.

        The result is a Miss if `path` is a Miss, if trying the view raises an exception, or if the plan would change
        the meaning of outer references. `remainder` returns the branches that read the rows that the storage table
        lacks.
        """
        if isinstance(path, Miss):
            return Answer("", path)
        found = self.guarded(view, partial(answer, query, path, remainder))
        if isinstance(found, Miss):
            return Answer("", found)
        if self.correlation is not None and isinstance(found.result, Match):
            return Answer(found.rule, self.correlation.placed(found.result))
        return found

    def _path(self, view: MaterializedView, query: Block) -> AccessPath | Miss:
        """Return the access path to a view for the block `query`: a block and the view's storage table.

        Return a Miss if the view is stale or unusable. The result is cached.
        """
        key = view.name, tuple(table.name for table in query.tables)
        if key not in self._paths:
            self._paths[key] = self.guarded(view, lambda: self._fresh_path(view, query))
        return self._paths[key]

    def _fresh_path(self, view: MaterializedView, query: Block) -> AccessPath | Miss:
        storage = readable_storage(view, self.session, self.definitions, self.relations, self.refuted, partial=True)
        return storage if isinstance(storage, Miss) else self._path_of(view, query, storage)

    def _refreshed_path(self, view: MaterializedView, query: Block, live: Live) -> AccessPath | Miss:
        """Return the access path to a stale view for the block `query`, as if the view had been refreshed.

        `live` has the view's storage table. Return a Miss if the view could not answer after a refresh either.
        """
        return self.guarded(view, lambda: self._path_of(view, query, live.storage))

    def _live_path(self, view: MaterializedView, query: Block, live: Live) -> AccessPath | Miss:
        """Return the access path to a stale view, with the changes of its tables, for the block `query`.

        `live` has the view's storage table and these changes. Return a Miss if the changed rows cannot be combined with
        the view, for example because a derived table of the view has HAVING.
        """
        path = self._refreshed_path(view, query, live)
        if isinstance(path, Miss):
            return path
        if not all(table.text or isinstance(self.relations.get(table.name), Table) for table in query.tables):
            return self._miss_of_named(view, query, live)
        flat = flattened_path(path)
        if isinstance(flat, str):
            return _not_combined(flat)
        return replace(flat, grown=live.grown)

    def _miss_of_named(self, view: MaterializedView, query: Block, live: Live) -> Miss:
        """Return the Miss of a stale view for a query that names a view in FROM.

        The statement is also decided with the names of views expanded, and the Miss is shown only if the expanded
        statement is not answered either. `live` has the view's storage table and the changes of its tables.
        """
        own = self._refreshed_path(view, replace(query, tables=()), live)
        if isinstance(own, Miss):
            return own
        used = {column.name.lower() for tree in query.expressions for column in columns_in(tree)}
        return _not_combined(nested_problem(own, used) or _NAMED)

    def _path_of(self, view: MaterializedView, query: Block, storage: Table) -> AccessPath | Miss:
        path = access_path_of(view, query, storage, self.definitions, self.relations, self.session.time_zone)
        if isinstance(path, Miss):
            return path
        return settings_problem(path, query, self.session, self.definitions, self.relations) or path

    def _remainder(self, used: frozenset[TableName]) -> Remainder:
        """Return a function that plans how to read the rows that the views of a plan do not have.

        The function takes these rows as a block, and returns the UNION ALL branches that read the rows: from views that
        are not in `used` if that is cheaper, else from the base tables. `used` are the views that the plan reads
        already.
        """

        def read(rest: Block) -> Sequence[Shared]:
            tables = from_tables(rest)
            price = self._price(tables)
            helping = self._helping(rest) - used if len(used) < MOST_TILES and price > 2 * SCAN + SHUFFLE else ()
            query = predicates_of(rest, self.session.time_zone)
            for name in self._by_size(helping)[:MOST_OTHERS]:
                if self._asked == MOST_ASKS:
                    break
                self._asked += 1
                view = self.definitions.by_name[name]
                result = self._answer(view, query, self._path(view, rest), self._remainder(used | {name})).result
                branches = _branches(result.rewriting) if isinstance(result, Match) else ()
                if branches and self._price(branches) < price:
                    return branches
            return tables

        return read

    def _helping(self, rest: Block) -> Set[TableName]:
        """Return the names of views that may supply the rows of `rest`: the views that matched, and untried views.

        An untried view is included only if it has an access path. The number of untried views is limited such that at
        most MOST_ASKS views are tried in all.
        """
        untried = self._others[: max(0, MOST_ASKS - len(self.matches) - len(self.missed))]
        readable = {view.name for view in untried if isinstance(self._path(view, rest), AccessPath)}
        return self.matches.keys() | readable

    def _by_size(self, names: Iterable[TableName]) -> list[TableName]:
        return sorted(names, key=lambda name: (self.costs.of_storage(self.definitions.by_name[name].storage), name))

    def _price(self, branches: Sequence[Shared]) -> float:
        return sum(self.costs.of_branch(each).ms for each in branches)

    def _tiles(self) -> Mapping[TableName, str]:
        """Return the views that the best plan reads, each with a description of the rows read from the view.

        The description is empty if the plan reads only one view and no base table; the mapping is empty without a
        match.
        """
        if self.best is None:
            return {}
        union = self.best.match.rewriting.union
        branches = union.views if union is not None and len(union.shared) > 1 else ()
        tiles = {self.definitions.by_storage[tile.storage.name].name: rows_of(tile) for tile in branches}
        others = [f"{_tables(rest)}: {rows_of(rest)}" for rest in union.rest] if union is not None and branches else []
        head = self.best.view.name
        return self.testing | {head: ""} | tiles | {head: "; the rest from ".join([tiles.get(head, ""), *others])}

    def _detail(self, name: TableName, rows: str) -> str:
        """Return the `detail` of the chosen view `name`, for EXPLAIN REWRITE: which rows of the view are read.

        `rows` is a description of the rows read, empty if all rows are read. For a stale view, the result also says
        that changed rows are read, too, or that only the fresh partitions are read. The result is empty if `rows` is
        empty and the view is fresh.
        """
        grown = self.best.path.grown if self.best is not None and self.best.view.name == name else ()
        changes = " and ".join(f"{_how(c)} {c.name} since snapshot {c.start}" for c in grown)
        live = f"live: the stale view is read together with the rows {changes}" if changes else ""
        behind = "" if changes else self._behind(name)
        fresh = f"live: only the partitions that are still fresh are read, since {behind}" if behind else ""
        return "; ".join(filter(None, (rows, live, fresh)))

    def _behind(self, name: TableName) -> str:
        """Return, as text, the source changes that the partly stale storage table of the view `name` lacks.

        Return an empty string for a storage table that is not partly stale.
        """
        storage = self.relations.get(self.definitions.by_name[name].storage)
        return storage.behind if isinstance(storage, Table) else ""


def _not_combined(problem: str) -> Miss:
    """Return the Miss of a stale view that cannot be read together with the changes of its tables."""
    return Miss(Reason.SHAPE, f"these rows cannot be combined with the view, because {problem}")


def _how(change: Change) -> str:
    """Return how a table has changed, as text before the table's name."""
    return "appended to" if change.kind is ChangeKind.APPENDED else "inserted into and deleted from"


def _tables(block: Block) -> str:
    return " and ".join(dict.fromkeys(str(table.name) for table in block.tables))


def _branches(rewriting: Rewriting) -> Sequence[Shared]:
    """Return the branches of a plan's UNION ALL; the plan itself as the only branch if it has no UNION ALL."""
    if rewriting.union is None or len(rewriting.union.shared) == 1:
        return (Shared(rewriting, 1.0),)
    return rewriting.union.shared


def _with_changes_unread(stale: Attempt, miss: Miss) -> Attempt:
    """Return the attempt at a stale view, with the reason why Spark cannot read the changed rows of its tables."""
    return replace(stale, detail=f"{stale.detail}; the changed rows cannot be added: {miss.detail}")


def _refreshable(missed: Attempt, stale: Attempt, refreshed: Answer, live: Live) -> Attempt:
    """Return the attempt to report for a stale view that cannot be used together with the changes of its tables.

    `stale` is the attempt at the stale storage table alone, `missed` the attempt with the changed rows, `refreshed`
    the answer that the view would give after a refresh, and `live` has the changes of the tables. Return

    - an attempt with the reason in `refreshed`, if the view could not answer after a refresh either
    - `stale` with the reason of `missed` added otherwise
    """
    if isinstance(refreshed.result, Miss):
        return replace(missed, rule=refreshed.rule).missed(refreshed.result)
    rows = "appended" if live.only_appends else "inserted and deleted"
    why = missed.detail if missed.reason in (None, Reason.SHAPE) else missed.reason.told(missed.detail)
    if missed.reason is Reason.AGGREGATE_NOT_IN_VIEW and not live.only_appends:
        why += f", without which deleted rows cannot be subtracted: add {missed.detail} to the view"
    return replace(stale, rule=missed.rule, detail=f"{stale.detail}; together with the {rows} rows: {why}")
