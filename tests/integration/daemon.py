"""A process that runs beside a test until its end, and waiting for conditions without an event."""

from __future__ import annotations

import contextlib
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Event, Thread
from typing import Self, TypeVar

T = TypeVar("T")


class Daemon:
    """A process, used in a `with` statement; a test can wait for its output, and until it listens."""

    def __init__(self, command: Sequence[str | Path], environment: Mapping[str, str], cwd: Path | None = None) -> None:
        self.process = subprocess.Popen(
            list(map(str, command)),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=dict(environment),
            cwd=cwd,
        )
        self._lines: list[str] = []
        self._said = Event()
        # The pipe must be read to the end, or a talkative process would stand still.
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.append(line)
            self._said.set()
        self.process.wait()
        self._said.set()

    @property
    def output(self) -> str:
        """Return all of its output."""
        return "".join(self._lines)

    def until(self, pattern: str | re.Pattern[str], times: int = 1, patience: float = 90) -> None:
        """Wait until this number of lines match; the time limit is for each line."""
        while sum(re.search(pattern, line) is not None for line in self._lines) < times:
            self._check_running()
            assert self._said.wait(patience), self.output
            self._said.clear()

    def listening(self, port: int, patience: float = 120) -> None:
        """Wait until it listens on a port."""

        def heard() -> bool:
            self._check_running()
            with contextlib.suppress(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", port)).close()
                return True
            return False

        eventually(heard, patience)

    def _check_running(self) -> None:
        assert self.process.poll() is None, f"it ended with {self.process.returncode}:\n{self.output}"

    def stop(self, how: int = signal.SIGTERM) -> int:
        """Ask it to end, and return its exit code."""
        self.process.send_signal(how)
        return self.ended()

    def ended(self, patience: float = 60) -> int:
        """Wait for its end, and return its exit code."""
        code = self.process.wait(patience)
        self._reader.join(patience)
        assert not self._reader.is_alive(), f"a process that it started keeps its output open:\n{self.output}"
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def kill(self) -> None:
        """Kill it at once, like a crash."""
        self.stop(signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.stop()
        self.ended()


def eventually(condition: Callable[[], T], patience: float = 60) -> T:
    """Call a function until it returns a true value, and return that value.

    The pauses grow, because most conditions are statements, which would keep the Spark that they wait for busy.
    """
    deadline, pause = time.monotonic() + patience, 0.05
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"not within {patience} s: {condition.__qualname__} is {answer!r}"
        time.sleep(pause)
        pause = min(2 * pause, 0.8)
    return answer


def ended(process: int) -> bool:
    """Return whether a process that is not our child has ended."""
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] == "Z"


def free_ports(count: int) -> list[int]:
    """Return ports on which nobody listens."""
    with contextlib.ExitStack() as held:
        return [held.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1] for _ in range(count)]
