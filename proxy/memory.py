"""Memory settings of a serving process: objects of the start are frozen, and freed memory is kept for reuse."""

from __future__ import annotations

import ctypes
import gc

# glibc's parameters, by their numbers in malloc.h; other libraries have no such function.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_KEPT = 64 * 1024 * 1024
_LARGE = 32 * 1024 * 1024  # the most that glibc takes


def settle() -> None:
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
