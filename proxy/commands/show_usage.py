"""SHOW VIEWGATE VIEWS: what each materialized view was good for since Viewgate started, and what it takes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from proxy.commands.context import Context
from proxy.commands.parser import alone
from proxy.hs2 import ResultSet
from proxy.journal import Refresh, Uses
from proxy.pipeline import status
from proxy.session import ClientSession, Log
from rewriter.model import MaterializedView, Table

EXAMPLE = "SHOW VIEWGATE VIEWS"
COLUMNS = (
    "view",
    "considered bigint",
    "matched bigint",
    "chosen bigint",
    "executed bigint",
    "failed bigint",
    "last_chosen",
    "status",
    "refreshed_at",
    "rows bigint",
    "bytes bigint",
    "last_way",
    "last_milliseconds bigint",
    "last_rows bigint",
)


@dataclass(frozen=True)
class ShowUsage:
    """One row for each view, those that answered most statements first."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        views = await ctx.catalog.definitions()
        storages = await ctx.catalog.current([view.storage for view in views])
        rows = [await _row(ctx, view, storages.get(view.storage)) for view in views]
        return ResultSet.of(*COLUMNS, rows=sorted(rows, key=lambda row: (-int(row[3] or 0), str(row[0]))))


async def _row(ctx: Context, view: MaterializedView, storage: object) -> tuple[str | int | None, ...]:
    now = await status(ctx.catalog, view)
    uses = ctx.journal.usage.views.get(view.name, Uses())
    at = datetime.fromtimestamp(uses.chosen_ms / 1000, UTC) if uses.chosen_ms is not None else None
    size = (storage.records, storage.size) if isinstance(storage, Table) else (None, None)
    return (
        str(view.name),
        uses.considered,
        uses.matched,
        uses.chosen,
        uses.executed,
        uses.failed,
        f"{at:%Y-%m-%d %H:%M:%S} UTC" if at is not None else None,
        now.word,
        now.refreshed_at,
        *size,
        *_last(uses.refresh),
    )


def _last(refresh: Refresh | None) -> tuple[str | int | None, ...]:
    """Return the way, time and rows of the last refresh that this process has made."""
    return (None, None, None) if refresh is None else (refresh.way, refresh.milliseconds, refresh.rows)


parse = alone(ShowUsage())
