"""The interface to a Spark that runs refresh jobs, and its implementation on the Spark Thrift Server of the clients.

Each job has a session of its own with the job's settings.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from proxy.hs2 import ResultSet
from proxy.upstream import Stage
from rewriter.model import ticked


class Watchable(Protocol):
    """Work whose Spark stages can be shown."""

    async def stages(self) -> tuple[Stage, ...] | None:
        """Return the stages of the job so far; None if they are unknown."""
        ...


class Job(Watchable, Protocol):
    """One Spark session, closed when its context ends; cancelling the awaiting task cancels the statement in Spark."""

    async def run(self, sql: str) -> None:
        """Execute one statement to its end; raise SqlError with Spark's message."""
        ...

    async def columns(self, query: str) -> tuple[tuple[str, str], ...]:
        """Return the names and types of the columns that a query would return, without running the query."""
        ...


class Runner(Protocol):
    """A Spark on which jobs run."""

    def job(self, settings: Mapping[str, str]) -> AbstractAsyncContextManager[Job]:
        """Return a new session with these settings and otherwise Spark's own."""
        ...


class ThriftSession(Protocol):
    """An upstream session for a job; closing it stops its running statements."""

    async def query(self, sql: str) -> ResultSet:
        """Run one statement to its end."""
        ...

    async def close(self) -> None:
        """Close the session."""
        ...


class ThriftRunner:
    """Opens a session for each job."""

    def __init__(self, open_session: Callable[[], Awaitable[ThriftSession]]) -> None:
        self._open = open_session

    @asynccontextmanager
    async def job(self, settings: Mapping[str, str]) -> AsyncIterator[ThriftJob]:
        """Yield a session with the settings, closed at the end."""
        session = await self._open()
        try:
            for key, value in settings.items():
                await session.query(f"SET {ticked(key)}={ticked(value)}")
            yield ThriftJob(session)
        finally:
            await session.close()


class ThriftJob:
    """Runs the statements of one job in its session."""

    def __init__(self, session: ThriftSession) -> None:
        self._session = session

    async def run(self, sql: str) -> None:
        """Execute one statement to its end."""
        await self._session.query(sql)

    async def columns(self, query: str) -> tuple[tuple[str, str], ...]:
        """Return the names and types of the columns that a query would return."""
        rows = (await self._session.query(f"DESCRIBE QUERY\n{query}")).rows
        return tuple((str(name), str(kind)) for name, kind, *_ in rows)

    async def stages(self) -> None:
        """Return None: a remote Spark Thrift Server does not report stages."""
        return
