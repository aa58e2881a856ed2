"""The plan of a statement: forwarded, as it is or rewritten, or answered here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from proxy.hs2 import ResultSet, SqlError
from proxy.session.session import ClientSession
from proxy.statements import Replay
from rewriter.model import TableName

# Adds a line to a log that somebody reads.
Log = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Choice:
    """The views that were considered for a statement, that matched, and that were chosen.

    `reason` is the reason code if no view over its tables answers; empty if one does, or if there is no such view.
    `tables` are the base tables that the statement reads, `storages` the storage tables that its rewriting reads.
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
    """Run by the upstream; without `sql`, the client's own bytes unchanged.

    With `fallback`, an upstream error before the first row makes the client's own statement run instead, whose
    result or error the client gets: never after a cancel or timeout, and within one query timeout. Of a statement that
    writes, only an error that Spark raises before it executes anything does so.
    `fell_back` is called with Spark's error where the rewritten statement has failed and the original has not.
    `ended` is called once: True when the operation is seen to have finished well, else False.
    `after` is awaited when the upstream has ended, with a function that adds a line to the operation's log. The client
    of a statement that went well sees RUNNING meanwhile; nothing that happens here can make that an error any more. A
    cancel cancels it; a client that goes away, or whose time is over, leaves it running.
    `replay` says how another upstream session is given what the statement leaves in its own.
    `brief` says that it ends at once: for a client that waits, it need not be watched. If it is `constant` besides,
    its columns are always the same. `choice` is what the journal keeps of the decision.
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

    def not_started(self) -> None:
        """Take note that the statement was not started, and will not be by this plan."""
        if self.ended is not None:
            self.ended(False)


@dataclass(frozen=True)
class Local:
    """Answered here: `run` gets a function that adds a line to the operation's log."""

    run: Callable[[Log], Awaitable[ResultSet]]


Plan = Forward | Local


class Answering(Protocol):
    """Decides about each statement before it runs."""

    async def plan(self, session: ClientSession, sql: str) -> Plan:
        """Return the plan for a statement in a session."""
        ...

    def moved(self, session: ClientSession) -> None:
        """Note that a session has moved to another upstream, whose defaults may differ."""
        ...
