"""The interface to a Spark for refresh jobs: a session for each job, with the settings of the job."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from proxy.upstream import Stage


class Watchable(Protocol):
    """Work whose stages can be told."""

    async def stages(self) -> tuple[Stage, ...] | None:
        """Return the stages of the job so far; None if they are unknown."""
        ...


class Job(Watchable, Protocol):
    """One Spark session, closed when its context ends; cancelling the awaiting task cancels the statement in Spark."""

    async def run(self, sql: str) -> None:
        """Execute one statement to its end; raises SqlError with Spark's own text."""
        ...

    async def columns(self, query: str) -> tuple[tuple[str, str], ...]:
        """Return the names and types of the columns that a query would return, without running the query."""
        ...


class Runner(Protocol):
    """Somewhere that jobs run."""

    def job(self, settings: Mapping[str, str]) -> AbstractAsyncContextManager[Job]:
        """Return a fresh session in which nothing but these settings differs from Spark's own."""
        ...
