"""Each rewriting of a random query over random views returns what the query itself returns."""

from __future__ import annotations

import sys
from collections import Counter

from tests.property.checking import check, hits_enough
from tests.property.generator import (
    COMMUTED,
    IMPLIED,
    IN_SETS,
    JOINED_GROUPS,
    LIVE,
    MEMBERS,
    PIVOTED,
    TIMED,
    TOP_ROWS,
    UNITED,
    generate,
)

SEEDS = (
    *range(1000),
    *range(COMMUTED, COMMUTED + 200),
    *range(IMPLIED, IMPLIED + 150),
    *range(IN_SETS, IN_SETS + 100),
    *range(LIVE, LIVE + 250),
    *range(TIMED, TIMED + 200),
    *range(UNITED, UNITED + 100),
    *range(JOINED_GROUPS, JOINED_GROUPS + 150),
    *range(MEMBERS, MEMBERS + 100),
    *range(TOP_ROWS, TOP_ROWS + 100),
    *range(PIVOTED, PIVOTED + 100),
)


def test_rewritten_queries_return_the_same_rows() -> None:
    hits: Counter[str] = Counter()
    for seed in SEEDS:
        hits.update(check(generate(seed)))
    sys.stdout.write(f"{len(SEEDS)} seeds: {dict(hits)}\n")
    assert hits_enough(hits, len(SEEDS)), "the generator must produce hits, or it proves nothing"
