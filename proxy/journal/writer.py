"""Writes the journal in the background: a queue, a thread that takes records from it, and a file of JSON lines.

A statement only puts its record into the queue. If the thread cannot keep up, records are lost and counted. If the
thread cannot write, the log says so once, and says once more when writing works again.

The file has a line for each statement and each refresh. A file that was moved, for example by logrotate, is created
again. Several processes may append to one file.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from queue import Empty, Full, Queue
from typing import Any

from proxy.journal.record import Record
from proxy.journal.refresh import Refresh

_log = logging.getLogger(__name__)

WAITING = 10_000  # the most records in the queue
_REST = 5.0  # seconds after a failure until the next try


class Writer(ABC):
    """A sink that writes records in a thread of its own; `lost` counts the records that could not be written.

    The thread writes at most `at_a_time` records at once, and waits up to `every` seconds to collect them. `where`
    names the writer in the log. `waiting` is the largest number of records in the queue; further records are lost.
    `clock` returns seconds. `patience` limits the waits of `close`, in seconds.
    """

    at_a_time = 50
    every = 0.0
    patience = 2.0

    def __init__(self, where: str, waiting: int = WAITING, clock: Callable[[], float] = time.monotonic) -> None:
        self.where = where
        self.lost = 0
        self._clock = clock
        self._queue: Queue[Record | Refresh | None] = Queue(waiting)
        self._failing = False
        self._rests_until = 0.0
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    @abstractmethod
    def store(self, records: Sequence[Record | Refresh]) -> None:
        """Write records; raise an exception of any class if writing fails. The records are then counted as lost."""

    def rest(self) -> None:  # noqa: B027 - most have nothing to let go
        """Release open resources before a pause in writing."""

    def ended(self, record: Record) -> None:  # noqa: B027 - more may come
        """Do nothing: a statement is written only when it is closed."""

    def closed(self, record: Record) -> None:
        """Queue the record of a closed statement to be written."""
        self._put(record)

    def refreshed(self, refresh: Refresh) -> None:
        """Queue the record of a refresh to be written."""
        self._put(refresh)

    def close(self) -> None:
        """Write the queued records, and stop the thread; called at shutdown.

        Wait at most `self.patience` seconds for room in a full queue, and at most as long for the thread to end.
        """
        try:
            self._queue.put(None, timeout=self.patience)
        except Full:
            return
        self._thread.join(self.patience)

    def _put(self, record: Record | Refresh) -> None:
        try:
            self._queue.put_nowait(record)
        except Full:
            self.lost += 1

    def _work(self) -> None:
        ended = False
        while not ended:
            batch = self._batch()
            ended = None in batch
            self._write([record for record in batch if record is not None])
        self.rest()

    def _batch(self) -> list[Record | Refresh | None]:
        """Wait for the next records, and return them; a None at the end means that no more records will come."""
        batch = [self._queue.get()]
        until = time.monotonic() + self.every
        try:
            while len(batch) < self.at_a_time and batch[-1] is not None:
                batch.append(self._queue.get(timeout=max(until - time.monotonic(), 0.0)))
        except Empty:
            pass
        return batch

    def _write(self, records: Sequence[Record | Refresh]) -> None:
        if self._clock() < self._rests_until:
            self.lost += len(records)
            return
        try:
            self.store(records)
        except Exception as error:  # whatever the error is, statements go on
            self.lost += len(records)
            self._rests_until = self._clock() + _REST
            if not self._failing:
                _log.error(
                    "journal cannot be written %s error=%s: statements are not affected, but records are lost until "
                    "writing works again",
                    self.where,
                    _reason(error),
                )
            self._failing = True
            self.rest()
        else:
            if self._failing:
                _log.info(
                    "journal writing resumed %s lost_records=%d: the lost records are not written later",
                    self.where,
                    self.lost,
                )
            self._failing = False


def _reason(error: Exception) -> str:
    """Return the reason for a failure to write.

    The reason never quotes the records, although the message of UnicodeEncodeError does.
    """
    if isinstance(error, UnicodeError):
        return type(error).__name__
    return (error.strerror if isinstance(error, OSError) else None) or repr(error)


class JsonLines(Writer):
    """A writer that appends a JSON line per record to a file."""

    def __init__(self, path: Path, waiting: int = WAITING, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self._descriptor: int | None = None
        self._torn = False  # only a part of a line was written
        super().__init__(f"file={path}", waiting, clock)

    def store(self, records: Sequence[Record | Refresh]) -> None:
        """Append a line for each record."""
        self._append("".join(line(record) for record in records).encode(errors="backslashreplace"))  # JSON's escape

    def _append(self, data: bytes) -> None:
        descriptor = self._opened()
        data = b"\n" + data if self._torn else data
        written = os.write(descriptor, data)
        self._torn = 0 < written < len(data)
        if written < len(data):
            raise OSError(28, "No space left on device")

    def _opened(self) -> int:
        """Return the descriptor of the file; open the file first if it is closed, was moved or was deleted."""
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
        """Close the file until the next write."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def line(record: Record | Refresh) -> str:
    """Return a record as a line of JSON, with the line break."""
    return as_json(known(record)) + "\n"


def known(record: Record | Refresh) -> dict[str, Any]:
    """Return the values of a record by key, without empty values; the key `event` is "statement" or "refresh"."""
    kind = "refresh" if isinstance(record, Refresh) else "statement"
    return {"event": kind, **{name: value for name, value in record.values().items() if value not in (None, "", ())}}


def as_json(values: Mapping[str, Any]) -> str:
    """Return values as a JSON object on one line, with times in ISO 8601."""
    return json.dumps(values, default=_text, ensure_ascii=False)


def _text(value: object) -> str:
    return value.isoformat(timespec="milliseconds") if isinstance(value, datetime) else str(value)
