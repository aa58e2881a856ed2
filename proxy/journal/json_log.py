"""Formats log lines as JSON; the lines of statements and refreshes have the same keys as the journal's file."""

from __future__ import annotations

import logging
from typing import Any

from proxy.journal.record import Record, moment
from proxy.journal.refresh import Refresh
from proxy.journal.writer import as_json, known


class JsonLog(logging.Formatter):
    """A log formatter that writes JSON; `worker` is the number of this process, None if there is only one process.

    >>> given = {"created": 0, "levelname": "INFO", "msg": "went %s", "args": ("on",)}
    >>> print(JsonLog(2).format(logging.makeLogRecord(given)))
    {"time": "1970-01-01T00:00:00.000+00:00", "level": "INFO", "worker": 2, "event": "log", "message": "went on"}
    """

    def __init__(self, worker: int | None = None) -> None:
        super().__init__()
        self._worker = {} if worker is None else {"worker": worker}

    def format(self, record: logging.LogRecord) -> str:
        """Return a log record as JSON on one line."""
        told = record.args[0] if isinstance(record.args, tuple) and record.args else None
        more: dict[str, Any] = {"event": "log", "message": record.getMessage()}
        if isinstance(told, Record | Refresh):
            more = known(told)
        if record.exc_info:
            more["exception"] = self.formatException(record.exc_info)
        at = moment(round(record.created * 1000))
        return as_json({"time": at, "level": record.levelname, **self._worker, **more})


def log_as_json(worker: int | None = None) -> None:
    """Make all handlers of the root logger write JSON lines from now on.

    `worker` is the number of this process, None if there is only one process.
    """
    for handler in logging.getLogger().handlers:
        handler.setFormatter(JsonLog(worker))
