"""Measures what journal, metrics and spans cost and lose: with and without them, in turns, before one stand-in for
Spark.

    python benchmarks/journal.py [--statements 2000] [--many 20000] [--spark-ms 0]

Two proxies of this tree get the same statements in turns of ten, in an order drawn anew for each turn. One writes its
journal to a file and an Iceberg table, and sends spans to a collector; the other's journal does nothing. The output has
the time of a statement through each, their ratio with its 95 % confidence interval (the goal is at most 1.03), and the
ratio of the processor times of the two processes. The stand-in answers after `--spark-ms` milliseconds.

Then `--many` statements are sent on 32 connections at once, as fast as possible (the goal: at least 1,000 a second), by
clients and to a server that need little processor time (`benchmarks/prepared.py`). Next to the rate, the output has the
proxy's processor time per statement; that of the proxy without a journal is not the journal's. Each statement must be
in the file, in the table, in the spans and in the counts of /metrics. At the end the disk is full, the catalog
unavailable and the collector down: statements must go on, and one log line must report each.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import uvloop
from pyiceberg.catalog.sql import SqlCatalog

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.beside import table
from benchmarks.overhead import processor_seconds, show
from benchmarks.prepared import Client
from benchmarks.sessions import SETTINGS, resident
from tests.integration.daemon import Daemon
from tests.integration.gate import READY
from tests.unit.console.http import figure, get
from tests.unit.journal.test_spans import Collector

HERE = Path(__file__).parents[1]
CONNECTIONS = 32
_SOON = 3.0  # seconds in which spans have left, which are sent every two
_CONSOLE = re.compile(r"console listening url=http://127\.0\.0\.1:(\d+)/")
# A Viewgate that takes note of nothing: what it passes to its journal is a record that forgets.
SILENT = """
import sys
import proxy.composing
from proxy.journal import Journal, Record

class Forgetful(Record):
    def __init__(self): self.fell_back = False
    def planned(self, plan, seconds): pass
    def begun(self, upstream=""): pass

class Silent(Journal):
    _nothing = Forgetful()
    def receive(self, session, sql, traceparent=""): return self._nothing
    def begin(self, operation, record): pass
    def end(self, operation): pass
    def fetched(self, operation, reply): pass
    def close(self, operation): pass
    def refuse(self, record, error, state=None): pass

proxy.composing.Journal = Silent
from proxy.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@contextmanager
def serving(program: str, *arguments: str) -> Iterator[int]:
    """Start a server of this folder; yield its port."""
    command = [sys.executable, str(HERE / "benchmarks" / program), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.terminate()


@contextmanager
def collector() -> Iterator[Collector]:
    with Collector() as serving:
        thread = threading.Thread(target=ThreadingHTTPServer.serve_forever, args=(serving,))
        thread.start()
        try:
            yield serving
        finally:
            serving.shutdown()
            thread.join()


@contextmanager
def proxy(folder: Path, upstream: int, more: str = "", program: tuple[str, ...] = ("-m", "proxy")) -> Iterator[Daemon]:
    """Start a proxy before the stand-in, with a catalog of its own."""
    folder.mkdir()
    SqlCatalog("lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"{folder}/warehouse").close()
    settings = folder / "viewgate.toml"
    settings.write_text(more + SETTINGS.format(port=upstream, folder=folder))
    command = [sys.executable, *program, "serve", "--port", "0", "--config", str(settings)]
    with Daemon(command, {**os.environ, "PYTHONPATH": str(HERE)}, cwd=folder) as running:
        running.until(READY, patience=60)
        yield running


def port_of(running: Daemon, pattern: re.Pattern[str] = READY) -> int:
    found = re.search(pattern, running.output)
    assert found is not None
    return int(found[1])


async def many(port: int, count: int) -> float:
    """Run this number of statements on all connections, and return the statements per second."""
    opening = (Client.open(number, port, count // CONNECTIONS) for number in range(CONNECTIONS))
    clients = await asyncio.gather(*opening)
    began = time.perf_counter()
    await asyncio.gather(*(client.work() for client in clients))
    rate = count / (time.perf_counter() - began)
    for client in clients:
        client.leave()
    return rate


def kept(running: Daemon, folder: Path, spans: Collector, count: int) -> Iterator[tuple[str, str]]:
    """Yield how many of the statements are in each place of the journal, and the memory that they take."""
    process, file = running.process.pid, folder / "journal.jsonl"
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(many(port_of(running), count))  # which fills the ring of the last thousand, and loads pyarrow
        time.sleep(_SOON)
        before, already, seen = resident(process), file.read_text().count("\n"), roots(spans)
        _, former = runner.run(get(port_of(running, _CONSOLE), "/metrics"))
        used, rate = processor_seconds(process), runner.run(many(port_of(running), count))
        time.sleep(_SOON)
        used, after = processor_seconds(process) - used, resident(process)
        _, text = runner.run(get(port_of(running, _CONSOLE), "/metrics"))
    counts = [figure(each, "viewgate_statements_total", kind="query") for each in (former, text)]
    yield "statements a second (goal: 1,000)", f"{rate:,.0f}"
    yield "processor time of the proxy for each, µs", f"{1e6 * used / count:.0f}"
    yield f"of {count:,} in the file", f"{file.read_text().count(chr(10)) - already:,}"
    yield f"of {count:,} at the collector", f"{roots(spans) - seen:,}"
    yield f"of {count:,} in /metrics", f"{counts[1] - counts[0]:,.0f}"
    yield "lost, by viewgate_journal_lost_total", f"{figure(text, 'viewgate_journal_lost_total'):.0f}"
    yield "memory, MiB more", f"{(after - before) / 2**20:.1f}"
    assert running.stop() == 0  # writes the rows that wait for the table
    catalog = SqlCatalog("lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"{folder}/warehouse")
    rows = catalog.load_table("ops.statements").scan("kind = 'query'").count()
    catalog.close()
    yield f"of {2 * count:,} in the table", f"{rows:,}"


def without(running: Daemon, count: int) -> Iterator[tuple[str, str]]:
    """Yield the figures of the proxy without a journal."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(many(port_of(running), count // 10))
        used, rate = processor_seconds(running.process.pid), runner.run(many(port_of(running), count))
    used = processor_seconds(running.process.pid) - used
    yield "statements a second without a journal", f"{rate:.0f}"
    yield "processor time of the proxy for each, µs", f"{1e6 * used / count:.0f}"


def roots(spans: Collector) -> int:
    return sum(span.name == "SELECT" for span in spans.taken)


def broken(running: Daemon, count: int) -> Iterator[tuple[str, str]]:
    """Yield what is logged if nothing can be written, and check that statements go on."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        rate = runner.run(many(port_of(running), count))
    assert running.stop() == 0
    said = [line for line in running.output.splitlines() if "journal cannot be written" in line]
    yield "statements a second", f"{rate:.0f}"
    yield "lines that say so", f"{len(said)}"
    yield from ((f"  {number}", line.partition("journal ")[2]) for number, line in enumerate(said, 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--statements", type=int, default=2000)
    parser.add_argument("--many", type=int, default=20_000)
    parser.add_argument("--spark-ms", type=float, default=0.0)
    options = parser.parse_args()
    options.many -= options.many % CONNECTIONS
    with tempfile.TemporaryDirectory() as name, collector() as spans:
        folder = Path(name)

        def all_on(name: str) -> str:
            file = folder / name / "journal.jsonl"
            return f"""[journal]\nfile = "{file}"\ntable = "ops.statements"\n[tracing]\nendpoint = "{spans.url}"\n"""

        with ExitStack() as stack:
            upstream = stack.enter_context(serving("stand_in.py", str(options.spark_ms / 1000)))
            noted = stack.enter_context(proxy(folder / "on", upstream, all_on("on")))
            silent = stack.enter_context(proxy(folder / "off", upstream, program=("-c", SILENT)))
            ways: dict[str, Any] = {
                "with": (port_of(noted), noted.process.pid),
                "without": (port_of(silent), silent.process.pid),
            }
            show(table("SELECT 1", "SELECT 1", ways, options.statements))
        with serving("prepared.py") as upstream:
            with proxy(folder / "many", upstream, all_on("many")) as noted:
                show(kept(noted, folder / "many", spans, options.many))
            with proxy(folder / "silent", upstream, program=("-c", SILENT)) as silent:
                show(without(silent, options.many))
            down = (
                '[journal]\nfile = "/dev/full"\ntable = "ops.statements"\n[tracing]\nendpoint = "http://127.0.0.1:1/"\n'
            )
            with proxy(folder / "lost", upstream, down) as lost:
                (folder / "lost" / "catalog.db").unlink()
                (folder / "lost" / "catalog.db").mkdir()
                show(broken(lost, 2000))


if __name__ == "__main__":
    main()
