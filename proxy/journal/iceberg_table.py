"""Writes the journal to Iceberg tables, which can be queried through Viewgate: one row per statement or refresh."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from proxy.journal.record import Phase, Record
from proxy.journal.refresh import Refresh
from proxy.journal.writer import WAITING, Writer


def _fields(kind: pa.DataType, names: str) -> Iterable[tuple[str, pa.DataType]]:
    return ((name, kind) for name in names.split())


_TEXT, _NUMBER, _MOMENT = pa.string(), pa.int64(), pa.timestamp("us", "UTC")
# The columns of the system table with the same records, except `worker`.
SCHEMAS: Mapping[type[Record] | type[Refresh], pa.Schema] = {
    Record: pa.schema(
        [
            *_fields(_TEXT, "id session user client kind state outcome reason"),
            *_fields(_MOMENT, "started ended"),
            *_fields(_NUMBER, "milliseconds"),
            *_fields(pa.float64(), " ".join(f"{phase}_ms" for phase in Phase)),
            *_fields(_NUMBER, "rows bytes"),
            *_fields(_TEXT, "considered matched chosen tables storages answer sqlstate error"),
            *_fields(_TEXT, "statement rewritten upstream trace_id"),
        ]
    ),
    Refresh: pa.schema(
        [
            *_fields(_TEXT, "view way cause state"),
            *_fields(_MOMENT, "started ended"),
            *_fields(_NUMBER, "milliseconds rows"),
            *_fields(_TEXT, "error"),
        ]
    ),
}


class IcebergTable(Writer):
    """A writer that appends the records of one `kind` (statements or refreshes) to an Iceberg table.

    Records are appended once a minute, or earlier if `at_a_time` records are queued. `append` appends Arrow rows to the
    table.
    """

    at_a_time = 5000
    every = 60.0
    patience = 10.0

    def __init__(
        self,
        kind: type[Record] | type[Refresh],
        name: str,
        append: Callable[[pa.Table], None],
        waiting: int = WAITING,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._kind = kind
        self._append = append
        super().__init__(f"table={name}", waiting, clock)

    def closed(self, record: Record) -> None:
        """Queue the record of a closed statement, if this is the table of statements."""
        if self._kind is Record:
            self._put(record)

    def refreshed(self, refresh: Refresh) -> None:
        """Queue the record of a refresh, if this is the table of refreshes."""
        if self._kind is Refresh:
            self._put(refresh)

    def store(self, records: Sequence[Record | Refresh]) -> None:
        """Append a row for each record."""
        if records:
            rows, schema = [_row(record) for record in records], SCHEMAS[self._kind]
            # By columns: per row, pyarrow takes 80 µs if rows are passed one by one, and 13 µs if they are passed as
            # columns.
            self._append(pa.Table.from_pydict({name: [row[name] for row in rows] for name in schema.names}, schema))


def _row(record: Record | Refresh) -> dict[str, Any]:
    """Return a record as a row: values by column name.

    A list of views becomes one text, separated by commas; an empty text becomes NULL.
    """
    values = {name: ", ".join(value) if isinstance(value, tuple) else value for name, value in record.values().items()}
    return {name: None if value == "" else value for name, value in values.items()}
