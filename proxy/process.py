"""The process: the configuration of its log, its memory, and its end in words.

Objects of the start are exempt from garbage collection, and freed memory is kept for reuse.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import signal


def begin_log() -> None:
    """Log the warnings of all packages, and the INFO lines of our own."""
    logging.basicConfig(level=logging.WARNING)
    # What no line of ours tells, and each would look up; as the manual of logging has it.
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    name_log("")
    for package in ("proxy", "rewriter", "viewgate"):
        logging.getLogger(package).setLevel(logging.INFO)


def name_log(name: str) -> None:
    """Begin each message with the name, where several processes write to one log."""
    for handler in logging.getLogger().handlers:
        handler.setFormatter(logging.Formatter(f"%(asctime)s %(levelname)s {name}%(message)s"))


# glibc's parameters, by their numbers in malloc.h; other libraries have no such function.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_KEPT = 64 * 1024 * 1024
_LARGE = 32 * 1024 * 1024  # the most that glibc takes


def settle_memory() -> None:
    """Exempt the objects of now from garbage collection, which would stop all work for a tenth of a second."""
    gc.collect()
    gc.freeze()
    _keep()


def _keep() -> None:
    """Return only free memory over 64 MB to the system: else the pages of each block of rows are mapped again."""
    try:
        set_parameter = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    set_parameter(_TRIM_THRESHOLD, _KEPT)
    set_parameter(_MMAP_THRESHOLD, _LARGE)


def ended_by(code: int) -> str:
    """Return the name of the signal that ended a process, or its exit code.

    >>> ended_by(-9), ended_by(1)
    ('SIGKILL', 'exit code 1')
    """
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
