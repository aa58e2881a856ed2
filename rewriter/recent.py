"""Caches parsed statements and the decisions about them, because dashboards repeat their statements."""

from __future__ import annotations

from functools import cached_property, lru_cache
from types import MappingProxyType

from rewriter.block import syntax_problem
from rewriter.freshness import Relations
from rewriter.index import Definitions
from rewriter.model import Session, TableName
from rewriter.outcome import Outcome
from rewriter.sql import Statement, parse
from rewriter.staleness import Bound, Earlier, Moment, earlier_states, moments, rewrite_within

_NONE: Earlier = MappingProxyType({})


class Asked:
    """A parsed statement, with the last decision about it: which blocks are answered from which views.

    The views are those in `definitions`. `names` are the tables and views whose state the caller looks up for `decide`.
    `concerns_views` is false if no view could answer any part of the statement; `over` is the number of views that read
    any of the statement's tables.
    """

    def __init__(self, statement: Statement, definitions: Definitions) -> None:
        self.statement = statement
        self.names = definitions.closure(statement)
        self.over = definitions.over(statement)
        self.concerns_views = not self.names <= {*statement.tables} or bool(definitions.shortlisted(statement))
        self.definitions = definitions
        self._decided: tuple[Relations, Earlier, Outcome] | None = None
        self._states: tuple[Relations, tuple[Moment, ...], Earlier] | None = None

    @cached_property
    def unread(self) -> str:
        """The reason why the statement, or a SELECT in it, is not supported whatever tables and views there are.

        Empty if there is no such reason.
        """
        problems = (syntax_problem(block.tree) for block in self.statement.blocks if block.tree is not None)
        return self.statement.unread or next(filter(None, problems), "")

    @cached_property
    def base_tables(self) -> tuple[TableName, ...]:
        """The base tables that the statement reads; for a materialized view that it names, the view's base tables."""
        sources = self.definitions.sources
        return tuple(dict.fromkeys(table for name in self.statement.tables for table in sources.get(name, (name,))))

    def earlier(self, relations: Relations, bound: Bound) -> Earlier:
        """Return earlier states of the relations, the latest first: states in which a view that is stale now was fresh.

        Only states within the staleness bound are returned. The states of the last call are returned again if no
        relation has changed since then, and if the bound allows the same times.
        """
        times = moments(self.definitions, relations, bound)
        if not times:
            return _NONE
        known = self._states
        if known is None or (known[0], known[1]) != (relations, times):
            known = self._states = relations, times, earlier_states(self.definitions, relations, times)
        return known[2]

    def decide(self, relations: Relations, earlier: Earlier = _NONE) -> Outcome:
        """Return which blocks are answered from which views.

        The decision comes from the cache if no argument has changed since the last call. `relations` is the current
        state of the statement's tables and views, `earlier` has their earlier states within a staleness bound (none
        without a bound). The decision uses one of these states for the whole statement. Raise Unsupported for an
        invalid `timeseries` call.
        """
        known = self._decided
        if known is not None and (known[0], known[1]) == (relations, earlier):
            return known[2]
        outcome = rewrite_within(self.statement, self.definitions, relations, earlier)
        self._decided = relations, earlier, outcome
        return outcome


class Recent:
    """A cache of parsed statements and the decisions about them, by text and session, over the views in `definitions`.

    The `most` latest statements are kept.

    law:    a cached decision equals the decision that `rewrite` would make now: a decision depends on the text, the
            session, the definitions and the relations, and the cache compares all four.
    """

    def __init__(self, definitions: Definitions, most: int = 1024) -> None:
        self.definitions = definitions
        self.ask = lru_cache(most)(self._ask)

    @cached_property
    def thorough(self) -> Recent:
        """Another cache, over the same views, for explanations: every view over a block's tables is tried.

        Without `thorough`, only the views that the index selects for the block are tried.
        """
        return Recent(self.definitions.thorough)

    def _ask(self, sql: str, session: Session) -> Asked:
        return Asked(parse(sql, session), self.definitions)
