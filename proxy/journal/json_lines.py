"""The journal as a file: a line of JSON for each statement and each refresh.

A file that was moved away, as by logrotate, is opened anew. Several processes may append to one file.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from proxy.journal.record import Record
from proxy.journal.refresh import Refresh
from proxy.journal.writer import WAITING, Writer


class JsonLines(Writer):
    """A writer that appends to a file."""

    def __init__(self, path: Path, waiting: int = WAITING, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self._descriptor: int | None = None
        self._torn = False  # a part of a line was written
        super().__init__(f"file={path}", waiting, clock)

    def store(self, records: Sequence[Record | Refresh]) -> None:
        """Append a line for each record."""
        self._append("".join(line(record) for record in records).encode())

    def _append(self, data: bytes) -> None:
        descriptor = self._opened()
        data = b"\n" + data if self._torn else data
        written = os.write(descriptor, data)
        self._torn = 0 < written < len(data)
        if written < len(data):
            raise OSError(28, "No space left on device")

    def _opened(self) -> int:
        """Return the descriptor of the file that is there now, opened if need be."""
        if self._descriptor is not None and not self._is_there():
            self.rest()
        if self._descriptor is None:
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return self._descriptor

    def _is_there(self) -> bool:
        assert self._descriptor is not None
        try:
            there, ours = self.path.stat(), os.fstat(self._descriptor)
        except FileNotFoundError:
            return False
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

    def rest(self) -> None:
        """Close the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def line(record: Record | Refresh) -> str:
    """Return a record as a line of JSON, without what it has no value for."""
    kind = "refresh" if isinstance(record, Refresh) else "statement"
    values = {name: value for name, value in record.values().items() if value not in (None, "", ())}
    return json.dumps({"event": kind, **values}, default=_text, ensure_ascii=False) + "\n"


def _text(value: object) -> str:
    return value.isoformat(timespec="milliseconds") if isinstance(value, datetime) else str(value)
