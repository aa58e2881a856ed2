"""SHOW VIEWGATE REFRESHES: the refreshes that run, and the latest that have ended."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.answering import moment_text
from proxy.commands.context import Context
from proxy.commands.parser import alone
from proxy.hs2 import ResultSet
from proxy.journal import Refresh
from proxy.session import ClientSession, Log

EXAMPLE = "SHOW VIEWGATE REFRESHES"
COLUMNS = ("view", "way", "cause", "state", "started", "ended", "milliseconds bigint", "rows bigint", "error")


@dataclass(frozen=True)
class ShowRefreshes:
    """One row for each, those that run first, and then the latest."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        return ResultSet.of(*COLUMNS, rows=[_row(refresh) for refresh in ctx.journal.refreshes])


def _row(refresh: Refresh) -> tuple[str | int | None, ...]:
    return (
        str(refresh.view),
        refresh.way or None,
        refresh.cause,
        refresh.state.name,
        moment_text(refresh.started_ms),
        moment_text(refresh.ended_ms) if refresh.ended_ms is not None else None,
        refresh.milliseconds,
        refresh.rows,
        refresh.error or None,
    )


parse = alone(ShowRefreshes())
