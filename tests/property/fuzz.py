"""Tries more random queries than CI, chunk by chunk; records each chunk without a difference in the ledger at once.

python -m tests.property.fuzz 9000:109000
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.property.checking import answers_enough, check
from tests.property.generator import generate

LEDGER = Path(__file__).with_name("rewriting.ledger")
CHUNK = 5000
TOLD = 1000

Say = Callable[[str], object]


def main() -> int:
    """Try the range of seeds given on the command line."""
    first, last = (int(n) for n in sys.argv[1].split(":"))
    commit = _git("describe", "--always", "--dirty", "--exclude=*")
    clean = [_tried(chunk, commit) for chunk in chunks(first, last)]
    return 0 if all(clean) else 1


def chunks(first: int, last: int) -> Iterator[range]:
    """Return the range divided into chunks.

    >>> list(chunks(9000, 15000))
    [range(9000, 14000), range(14000, 15000)]
    """
    return (range(start, min(start + CHUNK, last)) for start in range(first, last, CHUNK))


def _tried(chunk: range, commit: str) -> bool:
    hits, differences = tried(chunk, sys.stderr.write)
    if differences:
        return False
    if not answers_enough(hits, len(chunk)):
        sys.stderr.write(f"{chunk.start}:{chunk.stop} proves little: few queries are answered\n")
        return False
    LEDGER.write_text(extended(LEDGER.read_text(), chunk, commit))
    return True


def tried(seeds: range, say: Say) -> tuple[Counter[str], int]:
    """Try seeds; return the rules and shapes that were answered, and the number of wrong answers."""
    hits: Counter[str] = Counter()
    differences, started = 0, time.perf_counter()
    for done, seed in enumerate(seeds, start=1):
        try:
            hits.update(check(generate(seed)))
        except Exception as difference:  # of any kind: the rewriter's, DuckDB's, or another answer
            differences += 1
            say(f"seed {seed}: {type(difference).__name__}: {difference}\n")
        if done % TOLD == 0 or done == len(seeds):
            speed = done / (time.perf_counter() - started)
            say(f"{seeds.start}:{seeds.start + done}, {speed:.0f} a second, {differences} differ: {dict(hits)}\n")
    return hits, differences


def extended(ledger: str, tried: range, commit: str) -> str:
    """Return the ledger with a further range added; a range that continues the last line extends that line.

    >>> extended("0:5 at abc", range(5, 9), "abc")
    '0:9 at abc\\n'
    >>> extended("0:5 at abc", range(5, 9), "def")
    '0:5 at abc\\n5:9 at def\\n'
    """
    lines, first = ledger.splitlines(), tried.start
    start, _, rest = (lines or [""])[-1].partition(":")
    if rest == f"{first} at {commit}":
        first = int(start)
        lines.pop()
    return "\n".join([*lines, f"{first}:{tried.stop} at {commit}"]) + "\n"


def _git(*words: str) -> str:
    return subprocess.check_output(["git", *words], cwd=LEDGER.parent, text=True).strip()


if __name__ == "__main__":
    sys.exit(main())
