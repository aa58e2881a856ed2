"""The plan of a statement: forwarded as it is or rewritten, or answered here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from proxy.hs2 import ResultSet, SqlError
from proxy.session.session import ClientSession
from proxy.statements import Replay
from rewriter.model import TableName

# Adds a line to an operation's log or to the server's.
Log = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Choice:
    """The views that were tried for a statement, that matched, and that were chosen.

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
    """The upstream runs the statement; without `sql`, the client's own bytes are sent.

    With `fallback`, an upstream error before the first row makes the client's own statement run instead, and the client
    gets its result or error: not after a cancel or time-out, and within one time limit. For a statement that writes,
    only an error that Spark raises before it executes anything does so.
    `fell_back` is called with Spark's error if the rewritten statement has failed and the original has succeeded.
    `ended` is called once: with True when the operation has finished successfully, else False.
    `after` is awaited after a successful end on the upstream, with a function that adds a line to the operation's log.
    The client sees RUNNING meanwhile; a failure here is not the statement's. A cancel cancels it; if the client leaves,
    or its time is over, it continues.
    `replay` says how another upstream session gets the statement's effect on its session.
    `brief`: the statement ends quickly, so that a waiting client's need not be watched; `constant`: also, its columns
    are always the same. `choice` is the decision for the journal.
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
        """Record that this plan's statement was not started, and will not be."""
        if self.ended is not None:
            self.ended(False)


@dataclass(frozen=True)
class Local:
    """Viewgate answers the statement: `run` gets a function that adds a line to the operation's log."""

    run: Callable[[Log], Awaitable[ResultSet]]


Plan = Forward | Local


class Answering(Protocol):
    """Plans each statement before it runs."""

    async def plan(self, session: ClientSession, sql: str) -> Plan:
        """Return the plan for a statement in a session."""
        ...

    def moved(self, session: ClientSession) -> None:
        """Forget a session's settings, because it has moved to another upstream whose defaults may differ."""
        ...
