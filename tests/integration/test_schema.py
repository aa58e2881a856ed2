"""The type oracle's record equals what the Spark of this run reports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.integration import clients
from tests.unit.rewriter.schema.expressions import COLUMNS, Recorded, recorded

AGGREGATE = re.compile(
    r"\b(count|sum|min|max|avg|mean|every|some|any|(bool|bit)_(and|or|xor)|var\w*|std\w*|covar_\w+|corr|skewness|kurtosis|"
    r"regr_\w+|any_value|first\w*|last|last_value|mode|collect_\w+|approx_count_distinct|theta_sketch_agg|bitmap_\w+_agg|"
    r"count_if|median|(approx_)?percentile\w*|(array|string|list)_?agg|(max|min)_by)\(",
    re.IGNORECASE,
)
BATCH = 250  # of so many outputs is a statement that is described: one statement each would take minutes


def source() -> str:
    """Return a relation with the record's columns; not a table, because Iceberg has no TINYINT and SMALLINT."""
    columns = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in COLUMNS.items())
    return f"(SELECT {columns}) AS t"


def kind(line: Recorded) -> str:
    """Return the kind of an expression: aggregates, windows and plain expressions cannot share a SELECT."""
    if " OVER (" in line.text:
        return "windows"
    return "aggregates" if AGGREGATE.search(line.text) else "rows"


def batches() -> Iterator[Sequence[Recorded]]:
    """Yield the record in batches that Spark can describe at once."""
    lines = recorded()
    for wanted in ("rows", "aggregates"):
        chosen = [line for line in lines if kind(line) == wanted]
        yield from (chosen[start : start + BATCH] for start in range(0, len(chosen), BATCH))
    yield from ([line] for line in lines if kind(line) == "windows")


@pytest.mark.parametrize("batch", list(batches()), ids=lambda batch: batch[0].text[:30])
def test_the_record(direct: Any, batch: Sequence[Recorded]) -> None:
    outputs = ", ".join(line.text for line in batch)
    described = clients.rows(direct, f"DESCRIBE QUERY SELECT {outputs} FROM {source()}")
    differing = [
        (line, row) for line, row in zip(batch, described, strict=True) if (line.name, line.type) != (row[0], row[1])
    ]
    assert not differing
