"""Measures how long a rewriting takes over 10 to 10,000 views of mixed shapes, and in which phases.

    python benchmarks/rewrite_latency.py [--views 10 100 1000 10000] [--seconds 10]
    python benchmarks/rewrite_latency.py --beside ../other-tree [--verifier off]

Hits are the queries of TPC-H and SSB that a view answers; misses are the same queries with a filter on a column that no
view has. They are decided in turns, from their texts to the SQL that Spark gets, for SECONDS per line, and then each
once more as a statement that is cached. The line `parts` has queries of which fifty overlapping views hold parts of the
rows: each is answered by a union with the table. Phases are timed in one further decision about each query.

With `--beside` (`git worktree add ../other-tree COMMIT`), a process of each tree decides in turns about the queries
that are hits or misses in both. The output has the medians of all decisions in processor time, their quotient, and the
geometric mean of the quotients per query, which no single query dominates. Each plan is verified `anew`, as for a new
text; by default the verdict on an equal plan is cached.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import views
from rewriter import Definitions, Outcome, Recent, engine, parse, rewrite
from rewriter.engine import choose, tried
from rewriter.script import Workspace
from rewriter.sql import statement

MS = 1000.0
HERE = Path(__file__).resolve().parents[1]
Decider = subprocess.Popen[str]
# What each phase of a decision is done by. None of them is a part of another.
PHASES: tuple[tuple[str, object, str], ...] = (
    ("tokenize", statement, "tokenize"),
    ("parse", statement, "parse_select"),
    ("shortlist", Definitions, "shortlist"),
    ("resolve", choose, "block_of"),
    ("normalize", choose, "predicates_of"),
    ("match", tried, "answer"),
    ("verify", sys.modules[engine.decide.__module__], "verdict_on"),
    ("print", Outcome, "sql"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--views", type=int, nargs="+", default=[10, 100, 1000, 10_000])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--beside", type=Path, metavar="TREE")
    parser.add_argument("--verifier", choices=("off", "remembers", "anew"), default="remembers")
    options = parser.parse_args()
    if options.beside is not None:
        print(f"{'views':>6} {'':6} {'queries':>7} {'rounds':>6} {'here ms':>8} {'there ms':>8} {'p50':>6} {'mean':>6}")
        for number in options.views:
            for parts in (0, min(50, number // 2)):
                compare(options.beside.resolve(), number, parts, options.seconds, options.verifier)
        return
    print(
        f"{'views':>6} {'':6} {'queries':>7} {'runs':>6} {'p50 ms':>8} {'p99 ms':>8} {'again µs':>9}   phases, p50 ms"
    )
    for number in options.views:
        measure(number, options.seconds)
    measure_parts(max(options.views), options.seconds)


def measure(many: int, seconds: float) -> None:
    """Print both lines for one number of views, and their memory."""
    gc.collect()
    before, started = _resident(), time.perf_counter()
    world = views.workspace(many)
    defined = time.perf_counter() - started
    queries = list(views.workload_queries().values())
    hits = [sql for sql in queries if is_answered(world, sql)]
    misses = [changed for sql in queries if not is_answered(world, changed := views.without_answer(sql))]
    gc.collect()
    each = (_resident() - before) / many / 1024
    for kind, chosen in (("hits", hits), ("misses", misses)):
        print(line(many, kind, world, chosen, seconds))
    print(f"{'':14}{each:.1f} KiB a view with all that is kept of it, made in {defined * MS / many:.1f} ms each")


def measure_parts(many: int, seconds: float) -> None:
    """Print the line of queries of which views hold parts, with fifty overlapping views."""
    world = views.workspace(many, parts=min(50, many // 2))
    print(line(many, "parts", world, [sql for sql in views.partial_queries() if is_answered(world, sql)], seconds))


def compare(there: Path, many: int, parts: int, seconds: float, verifier: str) -> None:
    """Print the lines for one number of views beside another tree."""
    options = (str(many), str(parts), verifier)
    with deciding(HERE, *options) as mine, deciding(there, *options) as theirs:
        known = answer_of(theirs)
        for kind, asked in answer_of(mine).items():
            queries = [sql for sql in asked if sql in known[kind]]
            if queries:
                print(compared(many, kind, queries, mine, theirs, seconds))


def compared(many: int, kind: str, queries: list[str], mine: Decider, theirs: Decider, seconds: float) -> str:
    """Return one line of the table beside another tree; both trees decide for SECONDS together."""
    until = time.perf_counter() + seconds
    taken: dict[Decider, list[list[float]]] = {mine: [], theirs: []}
    while not taken[theirs] or time.perf_counter() < until:
        for process, rounds in taken.items():
            assert process.stdin is not None
            print(json.dumps(queries), file=process.stdin, flush=True)
            rounds.append(answer_of(process))
    here, there = ([statistics.median(times) for times in zip(*taken[each], strict=True)] for each in (mine, theirs))
    alone = statistics.geometric_mean(a / b for a, b in zip(here, there, strict=True))
    p50, beside = (statistics.median(t for times in taken[each] for t in times) for each in (mine, theirs))
    return (
        f"{many:>6} {kind:6} {len(queries):>7} {len(taken[mine]):>6} {p50 * MS:>8.2f} {beside * MS:>8.2f} "
        f"{p50 / beside:>6.2f} {alone:>6.2f}"
    )


@contextmanager
def deciding(tree: Path, *options: str) -> Iterator[Decider]:
    """Start a process that decides with the rewriter of a tree."""
    command = [sys.executable, str(HERE / "benchmarks" / "deciding.py"), str(tree), *options]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.terminate()


def answer_of(process: Decider) -> Any:
    """Return the next line that a process writes."""
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def line(many: int, kind: str, world: Workspace, queries: Sequence[str], seconds: float) -> str:
    """Return one line of the table."""
    if not queries:
        return f"{many:>6} {kind:6} {0:>7}"
    first = [_timed(decide, world, sql) for sql in _in_turns(queries, seconds)]
    recent = Recent(world.definitions)
    for sql in queries:
        seen_before(recent, world, sql)
    again = [_timed(seen_before, recent, world, sql) for sql in queries for _ in range(20)]
    parts = "  ".join(f"{name} {statistics.median(times) * MS:.2f}" for name, times in phases(world, queries).items())
    p99 = statistics.quantiles(first, n=100)[98] if len(first) > 1 else first[0]
    return (
        f"{many:>6} {kind:6} {len(queries):>7} {len(first):>6} {statistics.median(first) * MS:>8.2f} "
        f"{p99 * MS:>8.2f} {statistics.median(again) * 1e6:>9.0f}   {parts}"
    )


def is_answered(world: Workspace, sql: str) -> bool:
    """Return whether a view answers any part of a query."""
    return rewrite(parse(sql, world.session), world.definitions, world.relations).rewritten


def decide(world: Workspace, sql: str) -> str:
    """Decide about a statement, from its text to the SQL to run."""
    return rewrite(parse(sql, world.session), world.definitions, world.relations).sql()


def seen_before(recent: Recent, world: Workspace, sql: str) -> str:
    """Decide about a cached statement whose names are looked up again."""
    asked = recent.ask(sql, replace(world.session))
    return asked.decide({name: world.relations.get(name) for name in asked.names}).sql()


def phases(world: Workspace, queries: Sequence[str]) -> dict[str, list[float]]:
    """Return the time of each phase of deciding about each query, and the remaining time."""
    found: dict[str, list[float]] = {}
    for number, query in enumerate(queries):
        times: dict[str, float] = {}
        with ExitStack() as watched:
            for name, owner, function in PHASES:
                watched.enter_context(patch.object(owner, function, _adding(times, name, getattr(owner, function))))
            whole = _timed(decide, world, f"{query} -- phase {number}")
        times["rest"] = whole - sum(times.values())
        for name, time_taken in times.items():
            found.setdefault(name, []).append(time_taken)
    return found


def _adding(times: dict[str, float], name: str, work: Callable[..., object]) -> Callable[..., object]:
    """Return a function that does the same work and adds its time to a phase."""

    def watched(*arguments: object, **named: object) -> object:
        started = time.perf_counter()
        try:
            return work(*arguments, **named)
        finally:
            times[name] = times.get(name, 0.0) + time.perf_counter() - started

    return watched


def _in_turns(queries: Sequence[str], seconds: float) -> Iterator[str]:
    """Yield the queries in turns for some seconds, each time with another comment, so that no text repeats."""
    until = time.perf_counter() + seconds
    for number in count():
        for sql in queries:
            if number and time.perf_counter() > until:
                return
            yield f"{sql} -- {number}"


def _timed(work: Callable[..., object], *arguments: object) -> float:
    started = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - started


def _resident() -> int:
    """Return the resident memory of the process in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


if __name__ == "__main__":
    main()
