"""Each rewriting of a random query over random views returns the rows of the query itself."""

from __future__ import annotations

import sys
from collections import Counter

from tests.property.checking import check, lacking
from tests.property.generator import (
    ASKED,
    CHANGED,
    COMMUTED,
    CONDITIONED,
    COUNTED,
    FILLED,
    IMPLIED,
    IN_SETS,
    JOINED_GROUPS,
    LIVE,
    MATCHED,
    MEASURES,
    MEMBERS,
    MERGED,
    OPERANDS,
    PIVOTED,
    REFRESHES,
    TIMED,
    TOP_ROWS,
    UNITED,
    UNMATCHED,
    ZEROS,
    generate,
)

SEEDS = (
    *range(500),
    *range(COMMUTED, COMMUTED + 100),
    *range(IMPLIED, IMPLIED + 75),
    *range(IN_SETS, IN_SETS + 50),
    *range(LIVE, LIVE + 125),
    *range(TIMED, TIMED + 100),
    *range(UNITED, UNITED + 50),
    *range(JOINED_GROUPS, JOINED_GROUPS + 75),
    *range(MEMBERS, MEMBERS + 50),
    *range(TOP_ROWS, TOP_ROWS + 50),
    *range(PIVOTED, PIVOTED + 50),
    *range(UNMATCHED, UNMATCHED + 50),
    *range(FILLED, FILLED + 50),
    *range(MEASURES, MEASURES + 75),
    *range(MERGED, MERGED + 50),
    *range(ZEROS, ZEROS + 50),
    *range(ASKED, ASKED + 50),
    *range(CHANGED, CHANGED + 100),
    *range(MATCHED, MATCHED + 75),
    *range(CONDITIONED, CONDITIONED + 75),
    *range(COUNTED, COUNTED + 75),
    *range(OPERANDS, OPERANDS + 25),
    *range(REFRESHES, REFRESHES + 40),
)


def test_rewritten_queries_return_the_same_rows() -> None:
    hits: Counter[str] = Counter()
    for seed in SEEDS:
        hits.update(check(generate(seed)))
    sys.stdout.write(f"{len(SEEDS)} seeds: {dict(hits)}\n")
    assert not (problem := lacking(hits, len(SEEDS))), problem
