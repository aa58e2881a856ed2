"""SHOW VIEWGATE DIGESTS: the recent statements by their texts without literals, those that took most time first."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from proxy.answering import ANSWERED
from proxy.commands.context import Context
from proxy.commands.parser import alone
from proxy.hs2 import ResultSet
from proxy.journal import Record, digest
from proxy.session import ClientSession, Log, OperationState

EXAMPLE = "SHOW VIEWGATE DIGESTS"
COLUMNS = (
    "statements int",
    "from_views int",
    "failed int",
    "milliseconds bigint",
    "slowest bigint",
    "answer",
    "digest",
)


@dataclass(frozen=True)
class ShowDigests:
    """One row for each text, over the statements that the user may see and that have ended."""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        ended = [record for record in ctx.journal if record.operation is None and ctx.may_see(session, record.user)]
        rows = await asyncio.to_thread(_grouped, ended)  # a thousand long texts take seconds to be read
        return ResultSet.of(*COLUMNS, rows=rows)


def _grouped(records: Iterable[Record]) -> list[tuple[int | str | None, ...]]:
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(digest(record.sql), []).append(record)
    rows = [_row(text, alike) for text, alike in groups.items()]
    return sorted(rows, key=lambda row: -int(row[3] or 0))


def _row(text: str, records: Iterable[Record]) -> tuple[int | str | None, ...]:
    """The figures of the statements of one text, the latest first, and what was last decided about them."""
    latest, *_ = records = list(records)
    times = [record.milliseconds for record in records]
    return (
        len(records),
        sum(record.answer.startswith(ANSWERED) for record in records),
        sum(record.state in (OperationState.ERROR, OperationState.TIMEDOUT) for record in records),
        sum(times),
        max(times),
        latest.answer or None,
        text,
    )


parse = alone(ShowDigests())
