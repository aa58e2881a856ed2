"""Compares Viewgate with Apache Calcite over the same tables, views and queries: time per query, and queries answered.

    python benchmarks/peers/calcite/compare.py [--views 10 100 1000] [--limit 20]

The time is from a query's text to its rewriting, in processor time of the thread, as the median of several runs after a
warm-up. Needs Maven and a JDK of version 17 or newer. The README beside this file describes the set-up of Calcite.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

from benchmarks import views
from benchmarks.peers.calcite.world import world
from benchmarks.rewrite_latency import decide
from rewriter.script import Workspace

HERE = Path(__file__).parent
WAYS = {"rules": "Calcite, rules", "one_pass": "Calcite, one pass", "substitution": "Calcite, substitution"}
OURS, BEST = "Viewgate", "Calcite, the best"
RUNS = 15


@dataclass(frozen=True)
class Measured:
    """The result for one query: the views used, milliseconds, and whether only the time limit was exceeded."""

    used: tuple[str, ...]
    ms: float
    late: bool = False
    failed: str = ""

    def __str__(self) -> str:
        told = f">{self.ms:.0f}" if self.late else f"{self.ms:.2f}"
        return f"{told}{'*' if self.used else ' '}"


Results = Mapping[str, Measured]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--views", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--limit", type=float, default=20.0, help="seconds that Calcite may take for a query")
    options = parser.parse_args()
    theirs = calcite(options.views, options.limit)
    print(f"{'views':>6}  {'':22} {'answered':>10} {'p50 ms':>9} {'worst ms':>9} {'to Viewgate, geometric mean':>28}")
    for number in options.views:
        results = {OURS: viewgate(views.workspace(number)), **theirs[number]}
        results[BEST] = best([theirs[number][way] for way in WAYS.values()])
        for name, measured in results.items():
            print(summary(number, name, measured, results[OURS]))
    print(*each(results), sep="\n")


def viewgate(workspace: Workspace) -> Results:
    """Return Viewgate's times; each run has another comment in the text, so that no text repeats."""
    queries = views.workload_queries()
    times: dict[str, list[float]] = {name: [] for name in queries}
    for run in range(RUNS + 2):
        for name, sql in queries.items():
            started = time.thread_time()
            decide(workspace, f"{sql} -- {run}")
            if run >= 2:
                times[name].append((time.thread_time() - started) * 1000)
    used = {
        name: tuple(sorted({r.view.name.table for r in workspace.rewrite(sql).replacements}))
        for name, sql in queries.items()
    }
    return {name: Measured(used[name], statistics.median(times[name])) for name in queries}


def calcite(numbers: Sequence[int], limit: float) -> dict[int, dict[str, Results]]:
    """Return Calcite's times, by number of views and by way of rewriting."""
    subprocess.run(["mvn", "-q", "-B", "compile"], cwd=HERE, check=True)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(world(views.workspace(max(numbers))), file)
        file.flush()
        command = ["java", "-Xmx3g", "-cp", "target/classes:target/dependency/*", "viewgate.peers.Main", file.name]
        printed = subprocess.check_output([*command, str(limit), *map(str, numbers)], cwd=HERE, text=True)
    found: dict[int, dict[str, dict[str, Measured]]] = {n: {way: {} for way in WAYS.values()} for n in numbers}
    for line in map(json.loads, printed.splitlines()):
        found[line["views"]][WAYS[line["way"]]][line["query"]] = _measured(line)
    return {number: dict(ways) for number, ways in found.items()}


def _measured(line: Mapping[str, Any]) -> Measured:
    used = tuple(name.removeprefix("mv_") for name in line.get("used", ()))
    if "error" in line:
        raise SystemExit(f"Calcite fails even without foreign keys: {line}")
    late = "late" in line
    return Measured(used, line["late"] * 1000 if late else line["ms"], late, line.get("failed", ""))


def best(ways: Sequence[Results]) -> Results:
    """Return for each query the fastest way that answers it; if none does, the fastest."""
    return {name: min((way[name] for way in ways), key=lambda m: (not m.used, m.ms)) for name in ways[0]}


def summary(number: int, name: str, measured: Results, ours: Results) -> str:
    """Return one line of the first table."""
    times = [m.ms for m in measured.values()]
    answered = f"{sum(bool(m.used) for m in measured.values())} of {len(measured)}"
    ratio = statistics.geometric_mean(m.ms / ours[query].ms for query, m in measured.items())
    return f"{number:>6}  {name:22} {answered:>10} {statistics.median(times):>9.2f} {max(times):>9.2f} {ratio:>27.1f}x"


def each(results: Mapping[str, Results]) -> Iterator[str]:
    """Yield the second table: every query with the largest number of views."""
    yield f"\n{'ms; * answered':14}" + "".join(f"{name:>23}" for name in results)
    for query in results[OURS]:
        yield f"{query:14}" + "".join(f"{measured[query]!s:>23}" for measured in results.values())
    missed = [query for query, m in results[BEST].items() if m.used and not results[OURS][query].used]
    yield f"\nanswered by Calcite and not by Viewgate: {', '.join(missed) or 'none'}"
    failed = sorted({query for way in WAYS.values() for query, m in results[way].items() if m.failed})
    yield f"done without foreign keys, for Calcite fails with them: {', '.join(failed) or 'none'}"


if __name__ == "__main__":
    main()
