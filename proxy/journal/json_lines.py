"""The journal as a file: a line of JSON for each statement and each refresh, written by a thread of its own.

A statement only puts its record into a queue. Where the file cannot keep up, records are lost and counted; where it
cannot be written, the log says so once, and again when it can. A file that was moved away, as by logrotate, is opened
anew. Several processes may append to one file.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from queue import Empty, Full, Queue

from proxy.journal.record import Record
from proxy.journal.refresh import Refresh

_log = logging.getLogger(__name__)

# Records that wait, and those that are written at once: statements go on between two writes.
_WAITING, _AT_A_TIME = 10_000, 50
_PATIENCE = 2.0  # seconds for what is left at the end
_REST = 5.0  # seconds after which a file that could not be written is tried again


class JsonLines:
    """A sink that appends to a file; `lost` counts the records that could not be written."""

    def __init__(self, path: Path, waiting: int = _WAITING, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self.lost = 0
        self._clock = clock
        self._queue: Queue[Record | Refresh | None] = Queue(waiting)
        self._descriptor: int | None = None
        self._torn = False  # a part of a line was written
        self._failing = False
        self._rests_until = 0.0
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    def ended(self, record: Record) -> None:
        """Do nothing: more may come."""

    def closed(self, record: Record) -> None:
        """Have a statement written."""
        self._put(record)

    def refreshed(self, refresh: Refresh) -> None:
        """Have a refresh written."""
        self._put(refresh)

    def close(self) -> None:
        """Write what waits, as far as that is done in two seconds."""
        try:
            self._queue.put(None, timeout=_PATIENCE)
        except Full:
            return
        self._thread.join(_PATIENCE)

    def _put(self, record: Record | Refresh) -> None:
        try:
            self._queue.put_nowait(record)
        except Full:
            self.lost += 1

    def _work(self) -> None:
        ended = False
        while not ended:
            records = [self._queue.get()]
            try:
                while len(records) < _AT_A_TIME:
                    records.append(self._queue.get_nowait())
            except Empty:
                pass
            ended = None in records
            self._write([record for record in records if record is not None])
        self._closed()

    def _write(self, records: Sequence[Record | Refresh]) -> None:
        if self._clock() < self._rests_until:
            self.lost += len(records)
            return
        try:
            self._append("".join(line(record) for record in records).encode())
        except OSError as error:
            self.lost += len(records)
            self._rests_until = self._clock() + _REST
            if not self._failing:
                _log.error("journal cannot be written file=%s error=%s; statements go on", self.path, error.strerror)
            self._failing = True
            self._closed()
        else:
            if self._failing:
                _log.info("journal is written again file=%s lost=%d", self.path, self.lost)
            self._failing = False

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
            self._closed()
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

    def _closed(self) -> None:
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
