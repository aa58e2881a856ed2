"""A Viewgate as users start it: the process, its ready line, its end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Self

VIEWGATE = Path(sys.prefix, "bin", "viewgate")
READY = re.compile(r"viewgate ready: jdbc:hive2://127\.0\.0\.1:(\d+)/")
SPARK = re.compile(r"Spark Thrift Server of its own at 127\.0\.0\.1:(\d+)")


class Gate:
    """`viewgate serve` as a process; use it in a `with` statement. `settings` are added to its environment."""

    def __init__(self, *arguments: str | Path, port: int = 0, **settings: str) -> None:
        command = [str(VIEWGATE), "serve", "--port", str(port), *map(str, arguments)]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, **settings},
        )
        self.output: list[str] = []
        try:
            self._read_until_ready()
        except BaseException:
            self.kill()
            raise
        # The pipe must be read to the end, or a talkative Viewgate would stand still.
        self._reader = Thread(target=self._read_all, daemon=True)
        self._reader.start()

    def _read_until_ready(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.output.append(line)
            if READY.search(line):
                return
        raise AssertionError(f"viewgate ended with {self.process.wait()} before it was ready:\n{''.join(self.output)}")

    def _read_all(self) -> None:
        assert self.process.stdout is not None
        self.output.extend(self.process.stdout)

    @property
    def port(self) -> int:
        return self._said(READY)

    @property
    def spark_port(self) -> int:
        """Where the Spark behind it listens, past the proxy."""
        return self._said(SPARK)

    def _said(self, what: re.Pattern[str]) -> int:
        return next(int(found[1]) for line in self.output if (found := what.search(line)))

    @property
    def url(self) -> str:
        return f"jdbc:hive2://127.0.0.1:{self.port}/"

    def stop(self, how: int = signal.SIGTERM, patience: float = 60) -> int:
        """Ask it to stop; its exit code."""
        return self._end(lambda: self.process.send_signal(how), patience)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        self._end(self.process.kill, 60)

    def _end(self, signalled: Callable[[], None], patience: float) -> int:
        signalled()
        code = self.process.wait(patience)
        reader = getattr(self, "_reader", None)
        if reader is not None:
            reader.join(patience)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.stop()
