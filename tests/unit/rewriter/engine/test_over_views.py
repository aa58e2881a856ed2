"""The question that a match's read of its view becomes."""

from __future__ import annotations

from pathlib import Path

from rewriter.engine.over_views import question_over
from tests.golden.corpus import FOLDER, read, world


def test_a_block_is_read_as_a_query_over_the_view_that_answers_it() -> None:
    built = world(read(Path(FOLDER / "views.sql")))
    outcome = built.rewrite("SELECT region, count(amount) FROM sales WHERE region > 'a' GROUP BY region")
    (replaced,) = outcome.replacements
    assert replaced.view.name.table == "by_day"
    asked = question_over(replaced.view, replaced.match, replaced.query, built.relations, built.session)
    assert asked is not None
    assert [table.name.table for table in asked.block.tables] == ["by_day"]
    assert [str(key) for key in asked.block.keys or ()] == ["by_day_0.region"]
    assert str(asked.block.outputs[1].this).startswith("coalesce")
