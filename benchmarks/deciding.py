"""A process that decides about queries with the rewriter of one tree, for rewrite_latency.py --beside.

python benchmarks/deciding.py TREE VIEWS PARTS VERIFIER

The views and queries are those of this tree, whatever the other tree's benchmarks have. The first output line, in JSON,
has the hits and the misses, or the queries of which views hold parts. After that, each input line is a list of queries,
and its output line has the seconds of processor time of one decision about each. VERIFIER is off, remembers (verdicts
on plans are cached), or judges (each plan is verified again).
"""

from __future__ import annotations

import gc
import json
import sys
import time
from itertools import count
from pathlib import Path
from unittest.mock import patch

HERE = Path(__file__).resolve().parents[1]


def main() -> None:
    tree, many, parts, verifier = sys.argv[1:]
    sys.path[0] = tree
    import rewriter
    from rewriter import parse, rewrite

    sys.path[0] = str(HERE)
    from benchmarks import views

    assert Path(rewriter.__file__).is_relative_to(Path(tree).resolve())
    world = views.workspace(int(many), parts=int(parts)) if int(parts) else views.workspace(int(many))

    def decide(sql: str) -> rewriter.Outcome:
        outcome = rewrite(parse(sql, world.session), world.definitions, world.relations)
        outcome.sql()
        return outcome

    verifying = sys.modules.get("rewriter.engine.decide")  # none in trees of the time before the verifier
    if verifier == "off" and verifying is not None:
        patch.object(verifying, "_verified", lambda made, *_: made).start()
    queries = list(views.workload_queries().values())
    asked = {"hits": queries, "misses": [*map(views.without_answer, queries)]}
    asked = {"parts": views.partial_queries()} if int(parts) else asked
    tell({kind: [s for s in each if decide(s).rewritten == (kind != "misses")] for kind, each in asked.items()})
    gc.collect()
    gc.freeze()
    for turn, line in zip(count(), sys.stdin, strict=False):
        taken = []
        for sql in json.loads(line):
            text = f"{sql} -- {turn}"
            if verifier == "anew" and verifying is not None:
                sys.modules["rewriter.verify.proofs"]._KNOWN.clear()
            started = time.process_time()
            decide(text)
            taken.append(time.process_time() - started)
        tell(taken)


def tell(value: object) -> None:
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    main()
