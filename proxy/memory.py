"""Memory settings of a serving process: objects of the start are frozen, and freed memory is kept for reuse."""

from __future__ import annotations

import ctypes
import gc

# glibc's parameters, by their numbers in malloc.h; other libraries have no such function.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_KEPT = 64 * 1024 * 1024
_LARGE = 32 * 1024 * 1024  # the most that glibc takes


def settle() -> None:
    """Look no more for garbage in what is there now, which would stop everything for a tenth of a second."""
    gc.collect()
    gc.freeze()
    _keep()


def _keep() -> None:
    """Give back only what is over 64 MB: else the pages of a block of rows go with it, and come anew for the next."""
    try:
        set_parameter = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    set_parameter(_TRIM_THRESHOLD, _KEPT)
    set_parameter(_MMAP_THRESHOLD, _LARGE)
