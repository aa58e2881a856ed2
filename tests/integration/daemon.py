"""A process that runs beside a test, until its end."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event, Thread
from typing import Self


class Daemon:
    """Use it in a `with` statement; what it prints can be waited for."""

    def __init__(self, command: Sequence[str | Path], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(environment)
        )
        self._lines: list[str] = []
        self._said = Event()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.append(line)
            self._said.set()
        self._process.wait()
        self._said.set()

    def until(self, pattern: str, times: int = 1, patience: float = 90) -> None:
        """Return when so many lines that it printed match."""
        while sum(re.search(pattern, line) is not None for line in self._lines) < times:
            assert self._process.poll() is None, self.output
            assert self._said.wait(patience), self.output
            self._said.clear()

    @property
    def output(self) -> str:
        """All that it printed."""
        return "".join(self._lines)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(60)
        self._reader.join(60)
        assert self._process.stdout is not None
        self._process.stdout.close()
