"""Compares the decisions of the current rewriter with the frozen ones; fails if a hit is lost.

python -m tests.frozen.decisions                # golden cases, workloads and 20,000 seeds: some minutes on two cores
python -m tests.frozen.decisions --seeds 0:300  # some seeds only
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.frozen import storage
from tests.frozen.statements import Decision, decided, units

DATA = Path(__file__).with_name("decisions.txt.gz")
SEEDS = range(20_000)
_SHOWN = 5
# Rules that had other names then.
RENAMED = {
    "union_with_tables": "union_remainder",
    "roll_up_by_bucket": "roll_up_bitmaps",
    "verbatim": "text_match",
}

# The ways in which a decision differs from the frozen one, the worst last; those of FATAL fail the run.
KINDS = (
    "equal",
    "newly hit",
    "other view or rule",
    "other reason",
    "other statement",
    "not frozen",
    "lost hit",
    "error",
)
_QUIET = frozenset({"equal", "not frozen"})
FATAL = frozenset({"lost hit", "error"})

Compared = Mapping[str, list[tuple[Decision | None, Decision]]]


def main() -> int:
    """Compare all units on all cores, or freeze them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", metavar="FIRST:LAST", help=f"{SEEDS.start}:{SEEDS.stop} unless told")
    parser.add_argument("--freeze", action="store_true", help="write the frozen data anew: meant for d88dfa3 alone")
    options = parser.parse_args()
    seeds = range(*map(int, options.seeds.split(":"))) if options.seeds else SEEDS
    started = time.perf_counter()
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        now = [found for unit in pool.map(decided, units(seeds)) for found in unit]
    if options.freeze:
        DATA.write_bytes(gzip.compress("".join(f"{line}\n" for line in now).encode(), mtime=0))
        storage.freeze()
        return 0
    then = frozen()
    compared = compare(then, now)
    sys.stdout.write(f"{table(compared)}\n{len(now)} statements in {time.perf_counter() - started:.0f} s\n")
    gone = [name for name in then.keys() - {found.name for found in now} if not name.startswith("seed ")]
    sys.stdout.write("".join(f"compared no more: {name}\n" for name in sorted(gone)))
    return 1 if FATAL & compared.keys() else 0


def frozen() -> dict[str, Decision]:
    """Return the frozen decisions by the names of their statements."""
    text = gzip.decompress(DATA.read_bytes()).decode()
    for was, is_now in RENAMED.items():
        text = text.replace(f":{was}", f":{is_now}")
    lines = text.splitlines()
    return {found.name: found for found in map(Decision.read, lines)}


def compare(then: Mapping[str, Decision], now: Iterable[Decision]) -> Compared:
    """Return the current decisions, by how each differs from the frozen one."""
    found: dict[str, list[tuple[Decision | None, Decision]]] = defaultdict(list)
    for decision in now:
        known = then.get(decision.name)
        found[difference(known, decision)].append((known, decision))
    return found


def difference(then: Decision | None, now: Decision) -> str:
    """Return the kind of difference between two decisions about one statement.

    >>> difference(Decision("q", "1a", "hit", 0, "mv0:roll_up"), Decision("q", "1a", "miss", 1, "mv0:SHAPE"))
    'lost hit'
    >>> difference(Decision("q", "1a", "hit", 0, "mv0:roll_up"), Decision("q", "1a", "hit", 1, "mv0:roll_up"))
    'lost hit'
    """
    if now.verdict == "error":
        return "error"
    if then is None:
        return "not frozen"
    if then.digest != now.digest:
        return "other statement"
    if then.hit:
        lost = not now.hit or now.left > then.left
        return "lost hit" if lost else "equal" if now == then else "other view or rule"
    return "newly hit" if now.hit else "equal" if now == then else "other reason"


def table(compared: Compared) -> str:
    """Return a table with the number of each kind of difference, and the first few statements of each."""
    lines = [f"{kind:20}{len(compared.get(kind, ())):>7}" for kind in KINDS]
    for kind in KINDS:
        if kind in _QUIET:
            continue
        for then, now in compared.get(kind, ())[:_SHOWN]:
            before = f"{then.verdict} {then.detail}" if then is not None else "-"
            lines.append(f"{kind}: {now.name}\n    then {before}\n    now  {now.verdict} {now.detail}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
