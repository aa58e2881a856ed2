"""One operation of a session: its handle, its state, its log."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from proxy.hs2 import SqlError
from proxy.session.foreseen import Foreseen
from proxy.session.handles import Handle
from proxy.session.states import LEGAL, TERMINAL, OperationState

if TYPE_CHECKING:
    from proxy.session.sessions import ClientSession


class OperationLog:
    """Lines for the client, each of which it reads once, or again after going back to the first.

    >>> log = OperationLog()
    >>> log.add("a"), log.add("b")
    (None, None)
    >>> log.read(1), log.read(10), log.read(10), log.read(10, first=True)
    (['a'], ['b'], [], ['a', 'b'])
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._next = 0

    @property
    def empty(self) -> bool:
        """Whether there is no line."""
        return not self._lines

    @property
    def lines(self) -> tuple[str, ...]:
        """All lines, whether they were read or not."""
        return tuple(self._lines)

    def add(self, line: str) -> None:
        self._lines.append(line)

    def read(self, limit: int, *, first: bool = False) -> list[str]:
        """The next lines that were not read yet."""
        start = 0 if first else self._next
        lines = self._lines[start : start + max(limit, 0)]
        self._next = start + len(lines)
        return lines


class Operation(ABC):
    """Something that a session runs or has run; how, is what the subclasses know. `watcher` is called at its end."""

    def __init__(self, session: ClientSession, kind: int, ended: Callable[[bool], None] | None = None) -> None:
        self.handle = Handle.new(session.handle.mark)
        self.session = session
        self.kind = kind
        self.has_result_set = True
        self.state = OperationState.RUNNING
        self.error: SqlError | None = None
        self.log = OperationLog()
        self.started_ms = time.time_ns() // 1_000_000
        self.completed_ms: int | None = None
        self.watcher: Callable[[Operation], None] | None = None
        self.told = asyncio.Event()  # of its end, the client
        self.foreseen = Foreseen()
        self._ended = ended

    @property
    def done(self) -> bool:
        """Whether it has ended, in whichever way."""
        return self.state in TERMINAL

    def advance(self, state: OperationState, error: SqlError | None = None) -> None:
        """Take note of a state; one that cannot follow is not taken (a late report of what was overtaken)."""
        if state not in LEGAL[self.state]:
            return
        self.state = state
        self.error = error or self.error
        if self.done and self.completed_ms is None:
            self.completed_ms = time.time_ns() // 1_000_000
            if self.watcher is not None:
                self.watcher(self)
        if self.done and self._ended is not None:
            ended, self._ended = self._ended, None
            ended(state is OperationState.FINISHED)

    def release(self) -> None:
        """Give back what others share, once nobody can ask for more of it."""
        return

    @abstractmethod
    async def abandon(self, error: SqlError | None = None) -> None:
        """Stop what still runs, because the client closes it or is gone, or because of an error; never raises."""
