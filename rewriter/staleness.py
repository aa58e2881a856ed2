"""Bounded staleness: answers a statement as of an earlier time, at which a stale view was fresh.

A statement never reads a stale storage table together with newer tables: the whole statement is decided for one time
within the bound, with every table in its state at that time. Which views are fresh, the pinning and the verification
are decided as for a current statement.

A storage table may be fresh in some of its partitions only. The caller may pass such a table with a condition that
selects the rows of these partitions (`Table.only`); only these rows are then used, also in an earlier state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import NamedTuple

from rewriter.expanding import rewrite
from rewriter.freshness import Relations, changes_since
from rewriter.index import Definitions
from rewriter.model import MaterializedView, Relation, Table, TableName
from rewriter.outcome import Outcome
from rewriter.sql import Statement

# The most points in time that are tried for one statement, the latest first.
MOST_MOMENTS = 4


class Lack(NamedTuple):
    """How far a storage table is behind its sources.

    - `since_ms`: the time of the first commit that the storage table lacks, in milliseconds since 1970
    - `differences_ms`: for each source, the time of the current snapshot minus that of the recorded snapshot
    """

    since_ms: int
    differences_ms: tuple[int, ...]


@dataclass(frozen=True)
class Bound:
    """A staleness bound: `seconds` for all views, or None for each view's own bound.

    `now_ms` is the current time in milliseconds since 1970. The bound is for the age of an answer, or, if `difference`
    is true, for the difference that the specification of materialized views allows to be bounded: between the time of
    the snapshot that a refresh has read and the time of the current snapshot, of each source. This difference does not
    grow while there are no commits, and a commit after a pause makes it as long as the pause.
    """

    now_ms: int
    seconds: int | None = None
    difference: bool = False

    def allows(self, view: MaterializedView, lack: Lack) -> bool:
        """Return whether a view's storage table may be so far behind its sources.

        Return False for a commit in the future, and for a current snapshot that is older than the recorded one.
        """
        seconds = view.max_staleness if self.seconds is None else self.seconds
        ages = lack.differences_ms if self.difference else (self.now_ms - lack.since_ms,)
        return all(0 <= age <= 1000 * (seconds or 0) for age in ages)


class Moment(NamedTuple):
    """A time at which a stale view was fresh, in milliseconds since 1970.

    `storages` are the storage tables of the stale views whose staleness bound allows an answer as of this time. Such an
    answer must read one of these tables, because the bound of a view is for answers from this view.
    """

    ms: int
    storages: frozenset[TableName]


def moments(definitions: Definitions, relations: Relations, bound: Bound) -> tuple[Moment, ...]:
    """Return the times at which views that are stale now were fresh, the latest first.

    Only times within the staleness bound are returned, and at most MOST_MOMENTS times.
    """
    views = ((name, definitions.by_storage[name]) for name in relations if name in definitions.by_storage)
    found = {name: (view, _lack(view, definitions, relations)) for name, view in views}
    stale = {name: (view, lack) for name, (view, lack) in found.items() if lack is not None}
    times = sorted({lack.since_ms for view, lack in stale.values() if bound.allows(view, lack)}, reverse=True)
    return tuple(
        Moment(first - 1, frozenset(name for name, (view, lack) in stale.items() if bound.allows(view, lack)))
        for first in times[:MOST_MOMENTS]
    )


def _lack(view: MaterializedView, definitions: Definitions, relations: Relations) -> Lack | None:
    """Return how far a view's storage table is behind its sources.

    If the storage table lacks commits of 10:00 and 10:20, the first one counts: at 10:30, an answer from the storage
    table is 30 minutes old. Return None if the storage table lacks no commit or was never filled, or if a source no
    longer descends from the recorded snapshot.

    law:    the age of an answer from the storage table is the time since the first commit that the table lacks
    no:     the difference between the times of the recorded and the current snapshot is not the age, because this
            difference does not grow while there are no commits
    no:     the time since the last commit is not the age, because earlier commits may be missing, too
    no:     a source that was rolled back to before the recorded snapshot gives no age, because no commit is missing
    """
    storage = relations.get(view.storage)
    if not isinstance(storage, Table) or storage.refresh is None:
        return None
    recorded = {source.uuid: source.snapshot_id for source in storage.refresh.sources}
    times: list[int] = []
    differences: list[int] = []
    for name in definitions.sources[view.name]:
        table = relations.get(name)
        read = (
            next((s for s in table.snapshots if s.id == recorded.get(table.uuid)), None)
            if isinstance(table, Table)
            else None
        )
        if not isinstance(table, Table) or read is None:
            return None
        # Writers' clocks may differ: the earliest time of all missing snapshots counts.
        times += (snapshot.timestamp_ms for snapshot in changes_since(table, read.id))
        differences.append(table.snapshots[0].timestamp_ms - read.timestamp_ms)
    return Lack(min(times), tuple(differences)) if times else None


# The state of the relations (tables and views) at each earlier time that a staleness bound allows.
Earlier = Mapping[Moment, Relations]


def earlier_states(definitions: Definitions, relations: Relations, times: Iterable[Moment]) -> Earlier:
    """Return the state of the relations at each of the given times.

    In each state, base tables are as of the state's time, and storage tables are unchanged.
    """
    return {moment: _as_of(definitions, relations, moment.ms) for moment in times}


def _as_of(definitions: Definitions, relations: Relations, moment: int) -> Relations:
    """Return the relations, with each base table in its state at an earlier time; storage tables stay unchanged.

    `moment` is this time in milliseconds since 1970. The value is None for a table whose state at this time is not one
    of its snapshots: the snapshot has expired, or the table was rolled back or replaced later.
    """

    def then(name: TableName, relation: Relation | None) -> Relation | None:
        if not isinstance(relation, Table) or name in definitions.by_storage:
            return relation
        kept = tuple(dropwhile(lambda snapshot: snapshot.timestamp_ms > moment, relation.snapshots))
        if (relation.snapshots and not kept) or any(start <= moment < end for start, end in relation.diverged):
            return None
        since = relation.snapshots[: len(relation.snapshots) - len(kept)]
        earlier = replace(relation, snapshots=kept)
        # Bounds of the current rows hold for the earlier rows if rows were only added since.
        grown = all(snapshot.operation in ("append", "replace") for snapshot in since)
        return earlier if grown else replace(earlier, records=None, ranges=())

    return {name: then(name, relation) for name, relation in relations.items()}


def rewrite_within(statement: Statement, definitions: Definitions, relations: Relations, earlier: Earlier) -> Outcome:
    """Decide which views answer the statement, with its tables either in their current state or in an earlier one.

    `earlier` are the possible earlier states, latest first. The state in which views answer the most blocks is chosen.
    On a tie, prefer a plan that reads no changes since the refresh, then the current state, then the latest time. For a
    write, and for a statement that names a storage table, only the current state is used. A plan for an earlier state
    is used only if it reads a stale view that allows an answer of this age.
    """
    now = rewrite(statement, definitions, relations)
    least = _rank(now, relations)
    if not statement.is_query or definitions.by_storage.keys() & statement.tables:
        return now
    for moment, state in earlier.items():
        if not any(least):
            break
        then = replace(rewrite(statement, definitions, state), as_of_ms=moment.ms)
        read = {storage for replaced in then.replacements for storage in replaced.storages}
        if not read.isdisjoint(moment.storages) and (rank := _rank(then, state)) < least:
            now, least = then, rank
    return now


def _rank(outcome: Outcome, relations: Relations) -> tuple[int, bool]:
    """Return the number of blocks that no view answers, and whether a view that answers a block lacks rows.

    Such a view is read together with its base tables: with the rows that have changed since the refresh, or with the
    partitions that have changed since then.
    """
    storages = (relations.get(name) for replaced in outcome.replacements for name in replaced.storages)
    return outcome.left, outcome.live or any(isinstance(each, Table) and each.behind for each in storages)
