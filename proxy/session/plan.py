"""The plan of a statement: Spark runs the statement, as sent or rewritten, or Viewgate answers it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from proxy.hs2 import ResultSet, SqlError
from proxy.session.session import ClientSession
from proxy.statements import Replay
from rewriter.model import TableName

# A function that adds a line to the log of an operation or of the server.
Log = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Choice:
    """The views considered for a statement, the views that can answer it (`matched`), and the views chosen.

    - `reason`: the reason code if the statement's tables have views, but no view can answer the statement; otherwise
      empty
    - `tables`: the base tables that the statement reads
    - `storages`: the storage tables (with the rows of views) that the rewritten statement reads
    """

    considered: tuple[TableName, ...] = ()
    matched: tuple[TableName, ...] = ()
    chosen: tuple[TableName, ...] = ()
    reason: str = ""
    tables: tuple[TableName, ...] = ()
    storages: tuple[TableName, ...] = ()


NO_CHOICE = Choice()


@dataclass(frozen=True)
class Forward:
    """A plan to run a statement on the upstream: the SQL text `sql`, or if that is None, the client's text unchanged.

    - `fallback`: if true, the client's original statement runs if the rewritten statement fails before its first row,
      and the client gets the result or error of the original
    - `fell_back`: called with the error of the rewritten statement if the original then succeeds
    - `log`: the first lines of the operation's log
    - `ended`: called exactly once, with True when the operation has finished successfully, or with False when it has
      ended otherwise or was not started
    - `after`: the post-commit refresh, which runs when the statement has ended on the upstream; its argument is a
      function that adds a line to the operation's log
    - `replay`: how a new upstream session gets the statement's effect on the session
    - `brief`: true for a statement that ends quickly: if its client waits for the end, the upstream gets the call as
      sent, without polls
    - `constant`: true for a brief statement whose columns are always the same
    - `choice`: the views considered and chosen, for the journal (Viewgate's log of statements)
    - `reworded`: converts the positions and quotations in an error of Spark's from `sql` to the client's text; None if
      no conversion is needed. If the error is returned unchanged, the client gets Spark's own reply

    There is no fallback after a cancel, or after the statement's time limit, which covers both runs. If the statement
    writes, only an error that Spark raises before the execution leads to the fallback.

    After a success, the client sees RUNNING until `after` is over; a failure of `after` does not fail the statement. A
    cancel stops `after`; if the client leaves, or the time limit passes, `after` continues.
    """

    sql: str | None = None
    fallback: bool = False
    fell_back: Callable[[SqlError], None] | None = None
    log: tuple[str, ...] = ()
    ended: Callable[[bool], None] | None = None
    after: Callable[[Log], Awaitable[None]] | None = None
    replay: Replay = Replay.NEEDLESS
    brief: bool = False
    constant: bool = False
    choice: Choice = NO_CHOICE
    reworded: Callable[[SqlError], SqlError] | None = None

    def not_started(self) -> None:
        """Record that the statement will not be started: call `ended` with False."""
        if self.ended is not None:
            self.ended(False)


@dataclass(frozen=True)
class Local:
    """A plan to answer a statement in Viewgate: `run` computes and returns the result.

    The argument of `run` is a function that adds a line to the operation's log.
    """

    run: Callable[[Log], Awaitable[ResultSet]]


Plan = Forward | Local


class Answering(Protocol):
    """The interface of a planner, which decides whether a statement is forwarded, rewritten or answered by Viewgate."""

    async def plan(self, session: ClientSession, sql: str) -> Plan:
        """Return the plan for a statement in a session; raise SqlError if the statement is refused."""
        ...

    def moved(self, session: ClientSession) -> None:
        """Forget the cached settings of a session that has moved to another upstream server with other defaults."""
        ...
