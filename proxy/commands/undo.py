"""Undoes the completed steps of a statement that fails or is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from proxy.catalog import Catalogs
from proxy.hs2 import SqlError
from proxy.session import Log
from rewriter.model import TableName


@dataclass(frozen=True)
class Step:
    """The undo of one completed step of a statement: `act` runs the undo, and returns whether there was anything to
    undo.

    `what` is the text of the statement that undoes the step, such as `DROP VIEW demo.v`: the user must run this
    statement if `act` fails.
    """

    what: str
    act: Callable[[], Awaitable[bool]]


@asynccontextmanager
async def undone_on_failure(catalogs: Catalogs, view: TableName, log: Log) -> AsyncIterator[list[Step]]:
    """Yield a list to which the `async with` block adds an undo step for each completed step of the statement.

    The statement creates or replaces `view`, whose catalog is read again by the next statement.

    If the block fails or is cancelled, run the undo steps in reverse order. If an undo step fails, too, add its
    description to the message of the statement's SqlError.
    """
    undo: list[Step] = []
    try:
        yield undo
    except BaseException as failure:
        left = await asyncio.shield(_undo(undo, log))
        if left and isinstance(failure, SqlError):
            raise SqlError(
                f"{failure.message}\nThese steps of the undo failed; run them yourself: {'; '.join(left)}",
                failure.sql_state,
            ) from failure
        raise
    finally:
        catalogs.invalidate([view])


async def _undo(steps: list[Step], log: Log) -> list[str]:
    """Run the undo steps in reverse order; return the description of each step that failed, with its error."""
    left = []
    for step in reversed(steps):
        try:
            if await step.act():
                log(f"undone by {step.what}")
        except Exception as failure:  # the statement's own error is reported
            left.append(f"{step.what} ({failure})")
    return left
