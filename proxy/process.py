"""Configures the log, garbage collection and memory allocation of this process; describes how another process ended."""

from __future__ import annotations

import ctypes
import gc
import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _OneLine(logging.Formatter):
    r"""A log formatter that escapes line breaks and control characters, which names and statements may contain.

    Unescaped, these characters could forge a log line, or change earlier lines in a terminal. Only a traceback has
    several lines.

    >>> print(_OneLine().format(logging.makeLogRecord({"msg": "view=%s", "args": ("a\nb\x1b[2Ké",)})))
    view=a\nb\x1b[2Ké
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return a log record as one line, without the record's traceback."""
        return _escaped(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        """Return a traceback with control characters escaped, because the exception's message may quote a statement."""
        return "\n".join(map(_escaped, super().formatException(ei).split("\n")))


def _escaped(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in line)


def begin_log() -> None:
    """Configure the log: warnings of all packages, and INFO messages of Viewgate's own packages."""
    logging.basicConfig(level=logging.WARNING)
    # No message shows its source line, whose lookup costs time; this is the logging manual's way to skip it.
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging.getLogger().addFilter(_is_told_once)
    name_log("")
    for package in ("proxy", "rewriter", "viewgate"):
        logging.getLogger(package).setLevel(logging.INFO)


def _is_told_once(record: logging.LogRecord) -> bool:
    """Return whether to log a record: False only for py4j's record of a call that failed because a JVM has ended.

    py4j logs a traceback for each such call, and also raises the error in the caller; Viewgate logs the end of its JVM
    in one line. A filter of the root logger suffices, because py4j logs this record with the root logger.
    """
    return record.msg != "Exception while sending command."


@contextmanager
def silent_log() -> Iterator[None]:
    """Log nothing during the `with` block, for a command that prints each problem once, at its end."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def name_log(name: str) -> None:
    """Prefix each log message of this process with `name`, such as "worker 1: ".

    The prefix tells apart the messages of several processes that write to one log.
    """
    for handler in logging.getLogger().handlers:
        handler.setFormatter(_OneLine(f"%(asctime)s %(levelname)s {name}%(message)s"))


# glibc's mallopt parameters, by their numbers in malloc.h; other C libraries have no such function.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_KEPT = 64 * 1024 * 1024
_LARGE = 32 * 1024 * 1024  # the maximum that glibc accepts


def settle_memory() -> None:
    """Exempt all present objects from garbage collection, and let the allocator keep freed memory.

    A full collection of these objects would stop all work for a tenth of a second.
    """
    gc.collect()
    gc.freeze()
    _keep()


def _keep() -> None:
    """Make glibc's allocator keep up to 64 MiB of freed memory; do nothing with another C library.

    Without this setting, glibc returns the memory of each block of rows to the system, and the next block costs page
    faults.
    """
    try:
        set_parameter = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    set_parameter(_TRIM_THRESHOLD, _KEPT)
    set_parameter(_MMAP_THRESHOLD, _LARGE)


def ended_by(code: int) -> str:
    """Return the name of the signal that ended a process, or its exit code, as text.

    >>> ended_by(-9), ended_by(1)
    ('SIGKILL', 'exit code 1')
    """
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
