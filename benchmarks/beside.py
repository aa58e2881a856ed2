"""Compares the cost of a statement in this tree with another tree, for example `git worktree add ../before HEAD~1`.

    python benchmarks/beside.py ../before [--statements 2000]

A proxy of each tree runs before one stand-in for Spark that answers at once. Both get the same statements in turns of
ten, in an order that is drawn anew for each turn. The output has the time of a statement through each proxy, the ratio
of the two with its 95 % confidence interval, and the ratio of the processor times of the two processes. The goal is
1.02.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import uvloop
from pyiceberg.catalog.sql import SqlCatalog

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.overhead import WARM_UP, Interval, in_rows, processor_seconds, show
from benchmarks.sessions import SETTINGS, Session
from tests.integration.daemon import Daemon
from tests.integration.gate import READY

HERE = Path(__file__).parents[1]
STATEMENTS = {
    "SELECT 1": "SELECT 1",
    "the same query": "SELECT name FROM people",
    "new queries": "SELECT name, {} FROM people",
}


@contextmanager
def stand_in(folder: str) -> Iterator[Path]:
    """Return the settings of a proxy before a stand-in for Spark and an empty catalog."""
    command = [sys.executable, str(HERE / "benchmarks" / "stand_in.py"), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        settings = Path(folder, "viewgate.toml")
        SqlCatalog("lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"{folder}/warehouse")
        settings.write_text(SETTINGS.format(port=int(server.stdout.readline()), folder=folder))
        try:
            yield settings
        finally:
            server.terminate()


@contextmanager
def proxy(tree: Path, settings: Path) -> Iterator[tuple[int, int]]:
    """Start the proxy of a tree; return its port and its process."""
    command = [sys.executable, "-m", "proxy", "serve", "--port", "0", "--config", str(settings)]
    with Daemon(command, {**os.environ, "PYTHONPATH": str(tree)}, cwd=tree) as running:
        running.until(READY, patience=60)
        found = re.search(READY, running.output)
        assert found is not None
        yield int(found[1]), running.process.pid


def table(kind: str, sql: str, ways: dict[str, tuple[int, int]], count: int) -> Iterator[tuple[str, str]]:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sessions = [Session(number, port) for number, (port, _) in enumerate(ways.values())]
        for session in sessions:
            runner.run(session.open())

        def sends(session: Session) -> Callable[[], Any]:
            numbers = itertools.count()
            return lambda: runner.run(session.run(sql.format(next(numbers))))

        senders = [sends(session) for session in sessions]
        in_rows(WARM_UP, senders)
        used = [processor_seconds(process) for _, process in ways.values()]
        here, there = in_rows(count, senders)
        here_used, there_used = (
            processor_seconds(process) - at_first for (_, process), at_first in zip(ways.values(), used, strict=True)
        )
        for session in sessions:
            runner.run(session.leave())
    yield f"{kind}: here, µs", Interval.of(here).scaled(1e6, 0)
    yield f"{kind}: there, µs", Interval.of(there).scaled(1e6, 0)
    ratio = Interval.of([a / b for a, b in zip(here, there, strict=True)])
    yield f"{kind}: here / there (goal: 1.02)", ratio.scaled(1)
    yield f"{kind}: processor time, here / there", f"{here_used / there_used:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("there", type=Path, help="the other tree")
    parser.add_argument("--statements", type=int, default=2000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        settings = stack.enter_context(stand_in(folder))
        trees = {"here": HERE, "there": options.there.resolve()}
        ways = {name: stack.enter_context(proxy(tree, settings)) for name, tree in trees.items()}
        for kind, sql in STATEMENTS.items():
            show(table(kind, sql, ways, options.statements))


if __name__ == "__main__":
    main()
