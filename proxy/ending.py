"""The end of a process, in words."""

from __future__ import annotations

import signal


def told(code: int) -> str:
    """Return the name of the signal that ended a process, or its exit code.

    >>> told(-9), told(1)
    ('SIGKILL', 'exit code 1')
    """
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
