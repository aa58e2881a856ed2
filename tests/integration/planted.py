"""Starts a Viewgate with a bug, for the race to find: `python -m tests.integration.planted BUG serve …`.

The verifier is switched off, because it would refute the plans.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

from proxy.__main__ import main
from rewriter.match import Delta, UnionAll
from rewriter.model import Change, Relation, SourceState, Table, TableName


def module(name: str) -> Any:
    """Return a module of the rewriter; some modules have the name of a function in them."""
    return import_module(f"rewriter.{name}")


consistency, freshness, printing = module("consistency"), module("freshness"), module("match.printing")
decide = module("engine.decide")


def plant(where: Any, name: str, wrong: Callable[..., Any]) -> None:
    """Replace a function by a wrong one."""
    assert callable(getattr(where, name))
    setattr(where, name, wrong)


def unpinned() -> None:
    """Read storage, and the tables beside it, at whatever snapshots Spark finds."""
    plant(printing, "_pinned", lambda name, pins: name.sql())
    plant(consistency, "_edit", lambda statement, table, relations: [])


def inclusive_start() -> None:
    """Read the rows of the snapshot that storage already has together with newer rows."""
    changed = freshness._changed

    def with_start(name: TableName, table: Relation | None, recorded: Mapping[str, SourceState]) -> Any:
        change = changed(name, table, recorded)
        if not isinstance(change, Change) or not isinstance(table, Table):
            return change
        line = [snapshot.id for snapshot in table.snapshots]
        before = line[line.index(change.start) + 1 :] if change.start is not None else []
        return replace(change, start=before[0]) if before else change

    plant(freshness, "_changed", with_start)


def delta_twice() -> None:
    """Read the appended rows twice; in the SQL only, because a plan with more terms may cost too much."""

    def twice(parts: UnionAll, pins: Mapping[TableName, int]) -> str:
        branches = (*parts.branches, *(branch for branch in parts.branches if isinstance(branch, Delta)))
        names = [column.name for column in parts.columns]
        return f"({' UNION ALL '.join(printing._branch_text(branch, parts, names, pins) for branch in branches)})"

    plant(printing, "_union_text", twice)


def two_ranges() -> None:
    """Read changed rows of a table since two refreshes in one statement, of which Spark reads the first range twice."""
    plant(decide, "_second_range", lambda answers: None)


BUGS: Mapping[str, Callable[[], None]] = {
    bug.__name__: bug for bug in (unpinned, inclusive_start, delta_twice, two_ranges)
}


if __name__ == "__main__":
    _, name, *arguments = sys.argv
    plant(decide, "_verified", lambda made, *_: made)
    BUGS[name]()
    sys.exit(main(arguments))
