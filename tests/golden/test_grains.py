"""For every pair of a stored and a requested grain, a view answers if the former divides the latter, with the table's
rows.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from rewriter.timeseries import DATE_GRANULARITIES, GRANULARITIES, rolls_up
from rewriter.verify import PROVED
from tests.golden.corpus import GoldenFile, world
from tests.golden.execution import connect, fill, rows_of, same_rows

SCHEMA = "CREATE TABLE events (at TIMESTAMP, local TIMESTAMP_NTZ, day DATE, n BIGINT)"
TIMES = (
    "1969-12-31 23:59:59.999999", "1970-01-01 00:00:00", "2023-12-31 23:45:00", "2024-01-01 00:00:00",
    "2024-02-29 10:04:59.999999", "2024-02-29 10:05:00", "2024-02-29 10:10:00", "2024-02-29 10:15:01",
    "2024-02-29 10:30:00", "2024-03-01 00:00:00", "2024-03-04 00:00:00", "2024-03-31 23:59:59", "2024-04-01 00:00:00",
)  # fmt: skip
ROWS = ", ".join(f"(TIMESTAMP '{t}', TIMESTAMP_NTZ '{t}', DATE '{t[:10]}', {2**i})" for i, t in enumerate(TIMES))
GRAINS = {
    "at": GRANULARITIES,
    "local": GRANULARITIES,
    "day": tuple(grain for grain in GRANULARITIES if grain in DATE_GRANULARITIES),
}


@pytest.mark.parametrize("column", GRAINS)
def test_a_grain_answers_those_that_it_divides(column: str) -> None:
    connection = connect()
    for stored in GRAINS[column]:
        golden = GoldenFile(Path(), schema=SCHEMA, rows=f"INSERT INTO events VALUES {ROWS}, (NULL, NULL, NULL, 8192)")
        golden.views = {"stored": f"SELECT timeseries({column}, '{stored}') AS b, sum(n) AS s FROM events GROUP BY 1"}
        built = world(golden)
        fill(connection, golden.schema, golden.rows, built)
        for asked in GRAINS[column]:
            outcome = built.rewrite(f"SELECT timeseries({column}, '{asked}') AS b, sum(n) AS s FROM events GROUP BY 1")
            assert outcome.rewritten == rolls_up(stored, asked), (stored, asked)
            if outcome.rewritten:
                assert all(replaced.verdict.status == PROVED for replaced in outcome.replacements), (stored, asked)
                mine, theirs = rows_of(connection, outcome.sql()), rows_of(connection, outcome.original)
                assert same_rows(mine, theirs, ordered=False), (stored, asked, mine, theirs)


def test_of_all_pairs_so_many_are_answered() -> None:
    answered = [pair for pair in product(GRANULARITIES, repeat=2) if rolls_up(*pair)]
    assert (len(answered), len(GRANULARITIES) ** 2) == (74, 144)
