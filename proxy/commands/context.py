"""The interface of commands, and the parts of Viewgate that commands use (catalog, pipeline, answers, journal …)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from proxy.answering import Answers, SystemRows
from proxy.answering.system_tables import Ask
from proxy.answering.virtual_tables import Row
from proxy.catalog import Catalogs, NoCurrentCatalog
from proxy.hs2 import ResultSet, SqlError
from proxy.journal import Journal
from proxy.pipeline import OnCommit, Orphans, Pipeline
from proxy.session import ClientSession, Log, Worker
from proxy.upstream import Upstreams
from rewriter.model import MaterializedView, Session, Table, TableName


class Reloaded(NamedTuple):
    """The outcome of RELOAD or RESTART: a message, and whether the request was refused.

    If `refused` is true, nothing was changed, and the message says why.
    """

    message: str
    refused: bool = False


@dataclass(frozen=True)
class Context:
    """The objects that the statements answered by Viewgate use: catalog, pipeline, journal and others.

    - `on_commit`: runs post-commit refreshes
    - `orphans`: removes storage tables without a view
    - `workers`: returns the worker processes by number. The value is None for a worker that has ended; numbers above
      the configured number are workers that are being replaced
    - `restart`: starts to replace the workers one by one
    - `upstreams`, `journal`: the upstreams and the journal of this process
    - `system`: returns the rows of system tables from all workers
    - `ask`: sends a request to each worker and returns the replies
    - `open_to_all`: true if user names are not checked, so that every user has the rights of an operator
    - `operators`: returns the users who have these rights if `open_to_all` is false
    - `settings`: returns the rows of SHOW VIEWGATE CONFIG
    - `reload`: reads the settings file again
    """

    catalogs: Catalogs
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
        """Return None if `user` may see and end the sessions and statements of all users; else return `user`.

        Only operators may do this; without logins, every user counts as an operator.
        """
        return None if self.open_to_all or user in self.operators() else user

    async def told(self, session: ClientSession, table: str) -> Sequence[Row]:
        """Return those rows of a system table that the session's user may see."""
        return await self.system.rows(table, self.whose(session.user))

    def check_operator(self, session: ClientSession) -> None:
        """Raise SqlError 42501 unless the session's user is an operator; without logins, every user counts as an
        operator.
        """
        if not self.open_to_all and session.user not in self.operators():
            raise SqlError(
                f"{session.user} is not an operator of Viewgate: an administrator can add this user to "
                "[authentication] operators",
                "42501",
            )

    async def facts(self, session: ClientSession) -> Session:
        """Return the current state of a client's session: settings, namespace and temporary views."""
        return await self.answers.facts(session)

    async def qualified(self, session: ClientSession, namespace: tuple[str, ...]) -> tuple[str, ...]:
        """Return the full name of a namespace, given as its parts: its catalog comes first.

        Raise NoCurrentCatalog if Spark cannot load the session's current catalog, and the name is not a full one.
        """
        try:
            return (await self.facts(session)).qualified(namespace)
        except NoCurrentCatalog:
            if self.is_full(namespace):
                return namespace
            raise

    def is_full(self, namespace: tuple[str, ...]) -> bool:
        """Return whether a namespace is the same one in every session, because its name begins with a catalog of the
        settings in which the case of names matters.
        """
        catalog = namespace[0] if namespace else ""
        return catalog in self.catalogs and not self.catalogs[catalog].lower_names

    async def resolve(self, session: ClientSession, parts: tuple[str, ...]) -> TableName:
        """Return the full name of the view or table that the name `parts` denotes in the session.

        Raise SqlError 0A000 if the name denotes an object outside the configured catalogs.
        """
        facts = await self.facts(session)
        name = facts.resolve(parts) or TableName((facts.catalog, *facts.namespace, *parts))
        self.catalogs.of(name)  # raises
        return name

    async def existing_view(self, session: ClientSession, parts: tuple[str, ...]) -> MaterializedView:
        """Return the materialized view that the name `parts` denotes in the session, read from the catalog now.

        Raise SqlError 42P01 if no table or view has this name, SQLSTATE 42809 if the name denotes a table or plain
        view, and SQLSTATE 55000 if the view's metadata cannot be used.
        """
        name = await self.resolve(session, parts)
        if view := await self.catalogs.view(name):
            return view
        reason = self.catalogs.broken.get(name)
        if reason:
            raise SqlError(f"materialized view {name} cannot be used: {reason}", "55000")
        relation = (await self.catalogs.current([name]))[name]
        there = "SHOW MATERIALIZED VIEWS lists all materialized views"
        if relation is None:
            raise SqlError(f"materialized view {name} does not exist; {there}", "42P01")
        raise SqlError(f"{name} is a {_kind(relation)}, not a materialized view; {there}", "42809")


def _kind(relation: object) -> str:
    return "table" if isinstance(relation, Table) else "plain view"


class Command(Protocol):
    """A parsed statement that Viewgate answers itself."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        """Run the statement for the session's user, and return its result; raise SqlError if the statement fails.

        `log` adds a line to the client's operation log.
        """
        ...


def done(message: str) -> ResultSet:
    """Return the result of a successful statement: one row with the column `result`, whose value is the message."""
    return ResultSet.of("result", rows=[(message,)])
