"""A plan that reads stale partitions of storage beside the tables is refuted."""

from __future__ import annotations

import sys

import pytest

from rewriter.match.printing import print_rewriting
from rewriter.model import Table
from tests.golden.corpus import FOLDER, read, world

QUERY = "SELECT region, sum(qty) AS q FROM sales GROUP BY region"


def test_a_plan_that_reads_stale_rows_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    built = world(read(FOLDER / "fresh_partitions.sql"))
    assert [made.view.name.table for made in built.rewrite(QUERY).replacements] == ["by_day"]

    def forgetful(storage: Table, pins: object) -> str:
        return f"{storage.name.sql()} VERSION AS OF {storage.snapshot_id}"

    monkeypatch.setattr(sys.modules[print_rewriting.__module__], "_held", forgetful)
    outcome = built.rewrite(QUERY)
    assert outcome.replacements == ()
    refuted = {attempt.view.table: attempt.detail for attempt in outcome.tried if attempt.reason == "PLAN_REFUTED"}
    assert refuted["by_day"] == "the rewritten query reads rows of lake.demo.by_day__storage that are stale"
