"""The services that a statement of Viewgate's own uses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from proxy.answering import Answers, SystemRows
from proxy.answering.system_tables import Ask
from proxy.answering.virtual_tables import Row
from proxy.catalog import Catalog
from proxy.hs2 import ResultSet, SqlError
from proxy.journal import Journal
from proxy.pipeline import OnCommit, Orphans, Pipeline
from proxy.session import ClientSession, Log, Worker
from proxy.upstream import Upstreams
from rewriter.model import MaterializedView, Session, Table, TableName


class Reloaded(NamedTuple):
    """The result of a reload or restart; a refused one has changed nothing."""

    message: str
    refused: bool = False


@dataclass(frozen=True)
class Context:
    """The objects that statements of Viewgate use: catalog, pipeline, post-commit refreshes, orphans, answers, journal.

    `workers` tells of the processes that serve clients, by their numbers; None of one that is not there, and larger
    numbers of those that are being replaced. `restart` begins to replace them one by one. `upstreams`
    and the `journal` are those of this process; `system` has the rows of all, and `ask` asks each of them something.
    `open_to_all` says that clients need no password: nobody knows who they are; else `operators` may see and do
    everything. `settings` gives the rows of SHOW VIEWGATE CONFIG, and `reload` reads their file again.
    """

    catalog: Catalog
    pipeline: Pipeline
    on_commit: OnCommit
    orphans: Orphans
    answers: Answers
    workers: Callable[[], Awaitable[Mapping[int, Worker | None]]]
    upstreams: Callable[[], Upstreams]
    open_to_all: bool
    operators: Callable[[], Collection[str]]
    settings: Callable[[], Iterable[tuple[str | bool | None, ...]]]
    system: SystemRows
    ask: Ask
    journal: Journal
    reload: Callable[[], Awaitable[Reloaded]]
    restart: Callable[[], Awaitable[Reloaded]]

    def whose(self, user: str) -> str | None:
        """Return whose sessions and statements a user may see and end; None for everybody's."""
        return None if self.open_to_all or user in self.operators() else user

    async def told(self, session: ClientSession, table: str) -> Sequence[Row]:
        """Return the rows of a system table that a session's user may see."""
        return await self.system.rows(table, self.whose(session.user))

    def check_operator(self, session: ClientSession) -> None:
        """Raise SqlError 42501 unless a session's user may operate Viewgate."""
        if not self.open_to_all and session.user not in self.operators():
            raise SqlError(
                f"{session.user} may not operate Viewgate: [authentication] operators does not name this user", "42501"
            )

    async def facts(self, session: ClientSession) -> Session:
        """Return the state of a client's session."""
        return await self.answers.facts(session)

    async def resolve(self, session: ClientSession, parts: tuple[str, ...]) -> TableName:
        """Return the view or table that a name means in the session; names of other catalogs are refused."""
        facts = await self.facts(session)
        name = facts.resolve(parts) or TableName((facts.catalog, *facts.namespace, *parts))
        if name.catalog != self.catalog.name:
            raise SqlError(
                f"{name} is not in the catalog {self.catalog.name}, in which materialized views are kept; "
                f"qualify the name: {self.catalog.name}.{'.'.join(name.namespace) or '<namespace>'}.{name.table}",
                "0A000",
            )
        return name

    async def existing_view(self, session: ClientSession, parts: tuple[str, ...]) -> MaterializedView:
        """Return the materialized view of a name; raise SqlError 42P01 if none is there, 42809 for another object."""
        name = await self.resolve(session, parts)
        if view := await self.catalog.view(name):
            return view
        reason = self.catalog.broken.get(name)
        if reason:
            hint = f"DROP MATERIALIZED VIEW {name.sql()} removes it"
            raise SqlError(f"materialized view {name} cannot be used: {reason}; {hint}", "55000")
        relation = (await self.catalog.current([name]))[name]
        there = "SHOW MATERIALIZED VIEWS lists those that there are"
        if relation is None:
            raise SqlError(f"materialized view {name} does not exist; {there}", "42P01")
        raise SqlError(f"{name} is a {_kind(relation)}, not a materialized view; {there}", "42809")


def _kind(relation: object) -> str:
    return "table" if isinstance(relation, Table) else "plain view"


class Command(Protocol):
    """A statement that Viewgate answers itself, parsed."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        """Do it on behalf of the session's user; raises SqlError."""
        ...


def done(message: str) -> ResultSet:
    """Return the result of a statement that reports success only."""
    return ResultSet.of("result", rows=[(message,)])
