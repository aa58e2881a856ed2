"""The journal as an Iceberg table: a row for each statement, appended in batches, to be queried through Viewgate."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from proxy.journal.record import Phase, Record
from proxy.journal.refresh import Refresh
from proxy.journal.writer import WAITING, Writer

_TEXTS = ("id", "session", "user", "kind", "state", "outcome", "reason")
_MORE_TEXTS = (
    "considered",
    "matched",
    "chosen",
    "answer",
    "sqlstate",
    "error",
    "statement",
    "rewritten",
    "upstream",
    "trace_id",
)
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in _TEXTS),
        *((name, pa.timestamp("us", "UTC")) for name in ("started", "ended")),
        ("milliseconds", pa.int64()),
        *((f"{phase}_ms", pa.float64()) for phase in Phase),
        *((name, pa.int64()) for name in ("rows", "bytes")),
        *((name, pa.string()) for name in _MORE_TEXTS),
    ]
)


class IcebergTable(Writer):
    """A writer that has rows appended to a table by `append`, at most once in a minute unless many come."""

    at_a_time = 5000
    every = 60.0
    patience = 10.0

    def __init__(
        self,
        name: str,
        append: Callable[[pa.Table], None],
        waiting: int = WAITING,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._append = append
        super().__init__(f"table={name}", waiting, clock)

    def refreshed(self, refresh: Refresh) -> None:
        """Do nothing: the table has statements alone."""

    def store(self, records: Sequence[Record | Refresh]) -> None:
        """Append a row for each statement."""
        rows = [_row(record) for record in records if isinstance(record, Record)]
        if rows:
            self._append(pa.Table.from_pylist(rows, SCHEMA))


def _row(record: Record) -> dict[str, Any]:
    """Return a statement as a row: lists of views as one text, as the system table has them."""
    values = record.values()
    return {name: ", ".join(value) if isinstance(value, tuple) else value for name, value in values.items()}
