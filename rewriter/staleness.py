"""Bounded staleness: answers a statement as of an earlier time, at which a stale view was fresh.

A statement never reads a stale storage table together with newer tables: the whole statement is decided for one time
within the bound, with every table in its state at that time. Which views are fresh, the pinning and the verification
are decided as for a current statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile

from rewriter.expanding import rewrite
from rewriter.freshness import Relations, changes_since
from rewriter.index import Definitions
from rewriter.model import MaterializedView, Relation, Table, TableName
from rewriter.outcome import Outcome
from rewriter.sql import Statement

# The most points in time that are tried for one statement, the latest first.
MOST_MOMENTS = 4


@dataclass(frozen=True)
class Bound:
    """A staleness bound: `seconds` for all views, or None for each view's own bound.

    `now_ms` is the current time in milliseconds since 1970.
    """

    now_ms: int
    seconds: int | None = None

    def allows(self, view: MaterializedView, since_ms: int) -> bool:
        """Return whether a view's storage table may lack a commit made at `since_ms`, in milliseconds since 1970.

        Return False for a commit in the future.
        """
        seconds = view.max_staleness if self.seconds is None else self.seconds
        return 0 <= self.now_ms - since_ms <= 1000 * (seconds or 0)


def moments(definitions: Definitions, relations: Relations, bound: Bound) -> tuple[int, ...]:
    """Return the times within the bound at which stale views were fresh, in milliseconds since 1970, the latest first.

    At most MOST_MOMENTS times are returned.
    """
    found = set[int]()
    for name in relations:
        view = definitions.by_storage.get(name)
        missing = _first_missing(view, definitions, relations) if view is not None else None
        if view is not None and missing is not None and bound.allows(view, missing):
            found.add(missing - 1)
    return tuple(sorted(found, reverse=True)[:MOST_MOMENTS])


def _first_missing(view: MaterializedView, definitions: Definitions, relations: Relations) -> int | None:
    """Return the time of the first commit that a view's storage table lacks, in milliseconds since 1970.

    Return None if the storage table lacks no commit or was never filled, or if a source no longer descends from the
    recorded snapshot.

    law:    an answer from the storage table is as old as the first missing commit: the current time minus the returned
            time
    no:     its age as the difference between the times of the recorded and the current snapshot, because this
            difference does not grow while there are no commits
    no:     its age as the time since the last commit, because earlier commits may be missing, too
    no:     a source that was rolled back to before the recorded snapshot, because no commit is missing
    """
    storage = relations.get(view.storage)
    if not isinstance(storage, Table) or storage.refresh is None:
        return None
    recorded = {source.uuid: source.snapshot_id for source in storage.refresh.sources}
    times: list[int] = []
    for name in definitions.sources[view.name]:
        table = relations.get(name)
        if not isinstance(table, Table) or recorded.get(table.uuid) not in {s.id for s in table.snapshots}:
            return None
        # Writers' clocks may differ: the earliest time of all missing snapshots counts.
        times += (snapshot.timestamp_ms for snapshot in changes_since(table, recorded[table.uuid]))
    return min(times, default=None)


def as_of(definitions: Definitions, relations: Relations, moment: int) -> Mapping[TableName, Relation | None]:
    """Return the relations, with each base table in its state at an earlier time; storage tables stay unchanged.

    `moment` is this time in milliseconds since 1970.
    """

    def then(name: TableName, relation: Relation | None) -> Relation | None:
        if not isinstance(relation, Table) or name in definitions.by_storage:
            return relation
        kept = tuple(dropwhile(lambda snapshot: snapshot.timestamp_ms > moment, relation.snapshots))
        since = relation.snapshots[: len(relation.snapshots) - len(kept)]
        earlier = replace(relation, snapshots=kept)
        # Bounds of the current rows hold for the earlier rows if rows were only added since.
        grown = all(snapshot.operation in ("append", "replace") for snapshot in since)
        return earlier if grown else replace(earlier, records=None, ranges=())

    return {name: then(name, relation) for name, relation in relations.items()}


def rewrite_within(
    statement: Statement, definitions: Definitions, relations: Relations, earlier: Sequence[int]
) -> Outcome:
    """Decide which views answer the statement, with its tables either in their current state or as of an earlier time.

    `earlier` are the possible times in milliseconds since 1970, latest first. The state in which views answer the most
    blocks is chosen. On a tie, prefer a plan that reads no rows appended since the refresh, then the current state,
    then the latest time. For a write, and for a statement that names a storage table, only the current state is used.
    """
    now = rewrite(statement, definitions, relations)
    storages = definitions.by_storage.keys() & statement.tables
    if not earlier or not statement.is_query or storages or not (now.left or now.live):
        return now
    return min(_outcomes(now, statement, definitions, relations, earlier), key=lambda each: (each.left, each.live))


def _outcomes(
    now: Outcome, statement: Statement, definitions: Definitions, relations: Relations, earlier: Sequence[int]
) -> Iterator[Outcome]:
    yield now
    for moment in earlier:
        yield replace(rewrite(statement, definitions, as_of(definitions, relations, moment)), as_of_ms=moment)
