"""Writing the journal beside statements: a queue, and a thread that takes records from it.

A statement only puts its record into the queue. Where the thread cannot keep up, records are lost and counted; where it
cannot write, the log says so once, and again when it can.
"""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from queue import Empty, Full, Queue

from proxy.journal.record import Record
from proxy.journal.refresh import Refresh

_log = logging.getLogger(__name__)

WAITING = 10_000  # records that wait
_REST = 5.0  # seconds after which a writer that has failed tries again


class Writer(ABC):
    """A sink with a thread of its own; `lost` counts the records that could not be written.

    It writes at most `at_a_time` records at once, and what has come in `every` seconds. `where` names its place in the
    log, `patience` is how many seconds the end of Viewgate waits for what is left.
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
        """Write records; raise any error if that fails."""

    def rest(self) -> None:  # noqa: B027 - most have nothing to let go
        """Release open resources before a pause in writing."""

    def ended(self, record: Record) -> None:  # noqa: B027 - more may come
        """Do nothing until a statement is closed."""

    def closed(self, record: Record) -> None:
        """Have a statement written."""
        self._put(record)

    def refreshed(self, refresh: Refresh) -> None:
        """Have a refresh written."""
        self._put(refresh)

    def close(self) -> None:
        """Write the waiting records, as far as that is done in `patience` seconds."""
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
        """Return the next records; None among them is the end."""
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
        except Exception as error:  # whatever it is, statements go on
            self.lost += len(records)
            self._rests_until = self._clock() + _REST
            if not self._failing:
                what = (error.strerror if isinstance(error, OSError) else None) or repr(error)
                _log.error("journal cannot be written %s error=%s; statements go on", self.where, what)
            self._failing = True
            self.rest()
        else:
            if self._failing:
                _log.info("journal is written again %s lost=%d", self.where, self.lost)
            self._failing = False
