"""The interface to a Spark that runs refresh jobs, and its implementation on the clients' Spark Thrift Server.

A job runs its statements in a Spark session of its own, with the job's settings.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from proxy.hs2 import ResultSet
from proxy.upstream import Stage
from rewriter.model import ticked


class Watchable(Protocol):
    """The interface of a running job that can report its Spark stages."""

    async def stages(self) -> tuple[Stage, ...] | None:
        """Return the stages of the job so far; None if they are unknown."""
        ...


class Job(Watchable, Protocol):
    """A refresh job: one Spark session, which is closed at the end of the job's context.

    Cancelling a task that waits for a statement cancels the statement in Spark.
    """

    async def run(self, sql: str) -> None:
        """Execute one statement to its end; raise SqlError with Spark's message if the statement fails."""
        ...

    async def columns(self, query: str) -> tuple[tuple[str, str], ...]:
        """Return the names and types of a query's columns without running the query."""
        ...


class Runner(Protocol):
    """A provider of Spark sessions in which refresh jobs run their statements."""

    def job(self, settings: Mapping[str, str]) -> AbstractAsyncContextManager[Job]:
        """Return a context with a job in a new session; `settings` override Spark's defaults in that session."""
        ...


class ThriftSession(Protocol):
    """A session on the Spark Thrift Server for a refresh job; closing the session stops its running statements."""

    async def query(self, sql: str) -> ResultSet:
        """Run one statement to its end and return its result; raise SqlError if the statement fails."""
        ...

    async def close(self) -> None:
        """Close the session."""
        ...


class ThriftRunner:
    """A Runner that gives each job a new session on the Spark Thrift Server, opened by `open_session`."""

    def __init__(self, open_session: Callable[[], Awaitable[ThriftSession]]) -> None:
        self._open = open_session

    @asynccontextmanager
    async def job(self, settings: Mapping[str, str]) -> AsyncIterator[ThriftJob]:
        """Yield a job in a new session with the settings; close the session at the end."""
        session = await self._open()
        try:
            for key, value in settings.items():
                await session.query(f"SET {ticked(key)}={ticked(value)}")
            yield ThriftJob(session)
        finally:
            await session.close()


class ThriftJob:
    """A job in a session of the Spark Thrift Server."""

    def __init__(self, session: ThriftSession) -> None:
        self._session = session

    async def run(self, sql: str) -> None:
        """Execute one statement to its end; raise SqlError with Spark's message if the statement fails."""
        await self._session.query(sql)

    async def columns(self, query: str) -> tuple[tuple[str, str], ...]:
        """Return the names and types of a query's columns without running the query."""
        rows = (await self._session.query(f"DESCRIBE QUERY\n{query}")).rows
        return tuple((str(name), str(kind)) for name, kind, *_ in rows)

    async def stages(self) -> None:
        """Return None: a remote Spark Thrift Server does not report stages."""
        return
