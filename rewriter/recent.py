"""A cache of decisions: dashboards repeat their statements."""

from __future__ import annotations

from functools import cached_property, lru_cache

from rewriter.freshness import Relations
from rewriter.index import Definitions
from rewriter.model import Session, TableName
from rewriter.outcome import Outcome
from rewriter.sql import Statement, parse
from rewriter.staleness import Bound, moments, rewrite_within


class Asked:
    """A statement over these definitions; `names` are the relations to look up before deciding.

    `concerns_views` is False where no view could answer any part of it, of the `over` that read any of its tables.
    """

    def __init__(self, statement: Statement, definitions: Definitions) -> None:
        self.statement = statement
        self.names = definitions.closure(statement)
        self.over = definitions.over(statement)
        self.concerns_views = not self.names <= {*statement.tables} or bool(definitions.shortlisted(statement))
        self._definitions = definitions
        self._decided: tuple[Relations, tuple[int, ...], Outcome] | None = None

    @cached_property
    def base_tables(self) -> tuple[TableName, ...]:
        """The tables that the statement reads; of a materialized view that it names, those below the view."""
        sources = self._definitions.sources
        return tuple(dict.fromkeys(table for name in self.statement.tables for table in sources.get(name, (name,))))

    def decide(self, relations: Relations, bound: Bound | None = None) -> Outcome:
        """Return the decision, from the cache if no relation has changed; raise Unsupported.

        The time of day matters only with a staleness bound, which earlier moments may meet.
        """
        earlier = moments(self._definitions, relations, bound) if bound is not None else ()
        known = self._decided
        if known is not None and (known[0], known[1]) == (relations, earlier):
            return known[2]
        outcome = rewrite_within(self.statement, self._definitions, relations, earlier)
        self._decided = relations, earlier, outcome
        return outcome


class Recent:
    """The cached statements over these definitions, by text and session.

    law:    a remembered decision is the one that `rewrite` would come to now: it depends on the text, the
            session, the definitions and what the names stand for, and is kept with all four.
    """

    def __init__(self, definitions: Definitions, most: int = 1024) -> None:
        self.definitions = definitions
        self.ask = lru_cache(most)(self._ask)

    @cached_property
    def thorough(self) -> Recent:
        """The cached statements over the same views, with every view tried instead of a shortlist."""
        return Recent(self.definitions.thorough)

    def _ask(self, sql: str, session: Session) -> Asked:
        return Asked(parse(sql, session), self.definitions)
