"""The child processes of work in a thread, which another thread can end at any moment.

A thread cannot be interrupted, but a wait for a process ends with the process. So a start of Spark, which takes many
seconds in a thread, ends at once when its processes are killed.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Sequence
from contextlib import suppress
from subprocess import PIPE, STDOUT, Popen
from typing import Any


class Stopped(Exception):
    """The error raised in the thread that starts child processes, after another thread has called `stop`."""


class Children:
    r"""The child processes that one thread starts, and that another thread can kill.

    >>> children = Children()
    >>> children.run(["echo", "there"]), children.stop()
    ('there\n', None)
    >>> children.run(["echo", "again"])
    Traceback (most recent call last):
    proxy.children.Stopped
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._started: list[Popen[Any]] = []
        self._stopped = False

    def check(self) -> None:
        """Raise Stopped if `stop` was called."""
        if self._stopped:
            raise Stopped

    def start(self, command: Sequence[str], **how: Any) -> Popen[Any]:
        """Start a process with these options of Popen; raise Stopped if `stop` was called.

        The process is the leader of a process group, so that it gets no Ctrl-C, and `stop` also kills its children.
        """
        with self._lock:
            self.check()
            process = Popen(command, start_new_session=True, **how)
            self._started.append(process)
        return process

    def run(self, command: Sequence[str]) -> str:
        """Run a command to its end, and return its output; raise Stopped if `stop` was or is called."""
        with self.start(command, stdout=PIPE, stderr=STDOUT, text=True) as process:
            try:
                output: str = process.communicate()[0]
            except BaseException:  # Ctrl-C in this thread
                self.stop()
                raise
        self.check()
        return output

    def stop(self) -> None:
        """Kill all processes that still run, with their children; `start`, `run` and `check` now raise Stopped."""
        with self._lock:
            self._stopped = True
            for process in self._started:
                if process.poll() is None:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
