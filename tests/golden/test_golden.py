"""Every golden case is decided as expected, and returns the same rows with and without views in DuckDB."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rewriter import Outcome
from rewriter.verify import PROVED
from tests.golden.corpus import Case, golden_files, read, world, write
from tests.golden.execution import database, rows_of, same_rows

UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"


@pytest.mark.parametrize("path", golden_files(), ids=lambda path: path.stem)
def test_golden(path: Path) -> None:
    golden = read(path)
    built = world(golden)
    connection = database(golden.schema, golden.rows, built, golden.appended)
    problems = []
    for case in golden.cases:
        outcome = built.rewrite(case.query)
        verdict, text = decision(outcome)
        if UPDATE:
            case.verdict, case.expected = verdict, text
        if not _agrees(case, verdict, text):
            problems.append(f"{case.title}\n  expected {case.verdict}\n  {case.expected}\n  got {verdict}\n  {text}")
        if outcome.rewritten:
            mine, theirs = rows_of(connection, outcome.sql()), rows_of(connection, outcome.original)
            if not same_rows(mine, theirs, ordered=False, query=outcome.original):
                problems.append(f"{case.title}: other rows\n  {outcome.sql()}\n  {mine}\n  {theirs}")
    if UPDATE:
        write(golden)
    assert not problems, "\n\n".join(problems)


def test_negative_zeros_are_doubles() -> None:
    """The literal -0.0 is a DECIMAL, which a DOUBLE column stores as 0.0."""
    assert not [path.stem for path in golden_files() if re.search(r"(?<!\d)-0\.0(?![\dD])", read(path).rows)]


def decision(outcome: Outcome) -> tuple[str, str]:
    """Return a decision as golden files write it."""
    if outcome.rewritten:
        used = ", ".join(dict.fromkeys(_views(outcome)))
        # What is behind the colon may name the operands of a commutative operation in either order.
        unproved = [r.verdict.reason.partition(":")[0] for r in outcome.replacements if r.verdict.status != PROVED]
        told = f" (not proved: {'; '.join(dict.fromkeys(unproved))})" if unproved else ""
        return f"rewritten using {used}{told}", outcome.sql()
    text = outcome.original if outcome.original != outcome.statement.sql else ""
    if not outcome.tried:
        return "kept: NO_VIEW", text
    several = len({attempt.view for attempt in outcome.tried}) > 1
    reasons = (f"{a.view.table} " * several + f"{a.reason} {a.detail}".strip() for a in outcome.tried)
    return "kept: " + "; ".join(dict.fromkeys(reasons)), text


def _views(outcome: Outcome) -> Iterator[str]:
    """Yield the views that answer, each plan's main view first."""
    for replaced in outcome.replacements:
        yield replaced.view.name.table
        yield from (storage.table.removesuffix("__storage") for storage in replaced.storages)


def _agrees(case: Case, verdict: str, text: str) -> bool:
    return case.verdict == verdict and case.expected == text
