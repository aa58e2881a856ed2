"""Chooses the way of a refresh: the first of WAYS that fits the changes of the sources, else a full refresh.

Each way is a function that returns a Decision, or the reason why the way does not fit. The reason is empty if the way
is for other kinds of views or changes.

An incremental refresh needs all snapshots of each source since the snapshot that the last refresh recorded. The columns
that the view reads must have kept their Iceberg field ids and types; otherwise the view is computed in full.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from rewriter.delta import CHANGED_COST, Added, At, Changed, signed, signed_problem, terms
from rewriter.maintenance.decision import Decision, Delta, full
from rewriter.maintenance.merging import Merging, merging
from rewriter.maintenance.stored import Stored, stored
from rewriter.maintenance.targets import MOST_TARGETS, targets
from rewriter.maintenance.text import block_text, filtered, listed
from rewriter.model import Change, ChangeKind, Column, MaterializedView, Table, TableName
from rewriter.model.refresh_kind import Kind
from rewriter.model.settings import is_ansi
from rewriter.model.statistics import FEW_ROWS

Changes = Mapping[TableName, Change]

# Storage smaller than this many bytes is rewritten faster than the files of the changed groups are found.
SMALL = 32 * 2**20
# MERGE reads the keys of all groups twice, and rewrites each file that holds a changed group. It is faster than
# rewriting all groups only if the delta has less than this share of the stored rows.
FEW = 0.0001
# If the touched partitions have a larger share of the rows, or are more than MOST_TARGETS, a full refresh costs no
# more.
MOST_ROWS = 0.8


@dataclass(frozen=True)
class Situation:
    """A view with its storage table, and the changes of the sources since the refresh that the storage table records.

    `base` is the storage table's current snapshot id.
    """

    stored: Stored
    base: int
    changes: Changes

    @property
    def changed(self) -> tuple[Change, ...]:
        """The changes of the sources with changed rows: all changes except those of the kind UNCHANGED."""
        return tuple(c for c in self.changes.values() if c.kind is not ChangeKind.UNCHANGED)

    @property
    def only_appends(self) -> bool:
        """Whether rows were only added to the sources, and none removed or replaced."""
        return all(change.kind is ChangeKind.APPENDED for change in self.changed)


def plan(view: MaterializedView, storage: Table, changes: Changes) -> Decision:
    """Return the decision on how to bring a storage table up to date with its sources.

    If no source row has changed, the kind is NOTHING: only the new snapshot ids are recorded. If no incremental way is
    possible, the kind is FULL, with the reasons. `changes` has the changes of the sources since the refresh that the
    storage table records.
    """
    unknown = next((change for change in changes.values() if change.kind is ChangeKind.UNKNOWN), None)
    if unknown is not None:
        return full(f"{unknown.name}: {unknown.reason}")
    if storage.snapshot_id is None:
        return full("the storage table records no refresh")
    held = stored(view, storage, {name: change.columns for name, change in changes.items()})
    differing = column_problem(held, changes)
    if differing:
        return full(differing)
    if not any(change.kind is not ChangeKind.UNCHANGED for change in changes.values()):
        return _nothing(storage)
    if isinstance(held, str):
        return full(held)
    reasons = []
    for way in WAYS:
        decision = way(Situation(held, storage.snapshot_id, changes))
        if isinstance(decision, Decision):
            return decision
        reasons.append(decision)
    return full("; ".join(dict.fromkeys(filter(None, reasons))))


def column_problem(held: Stored | str, changes: Changes) -> str:
    """Return a sentence that names the first changed column that the view reads; empty if none has changed.

    `held` is the view with its block. If there is no block, `held` is the reason as text, and all columns that the last
    refresh recorded are compared. `changes` has the changes of the sources. A changed column excludes an incremental
    refresh, because reads of appended rows use the current schema.
    """
    for change in changes.values():
        for name in _used(held, change):
            now, *ends = (_column(columns, name) for columns in _columns_at(change))
            if now is None or any(end is None or (end.field_id, end.type) != (now.field_id, now.type) for end in ends):
                return f"the column {name} of {change.name} has changed"
    return ""


def _columns_at(change: Change) -> tuple[tuple[Column, ...], ...]:
    """Return four lists of a source's columns.

    The first two lists have the current columns, and the columns recorded by the last refresh. The other two lists have
    the columns at the first, and at the last snapshot of the change.
    """
    at_start = change.start_columns if change.start is not None else change.recorded
    return change.columns, change.recorded, at_start, change.end_columns


def _used(held: Stored | str, change: Change) -> frozenset[str]:
    """Return the names of the columns of a source that a view reads, in lower case.

    `held` is the view with its block, and `change` the source's change. If there is no block, `held` is the reason as
    text; then return all columns of the source that the last refresh recorded.
    """
    if isinstance(held, str):
        return frozenset(column.name.lower() for column in change.recorded)
    ids = {table.id for table in held.block.tables if table.name == change.name}
    nodes = (node for tree in held.block.expressions for node in tree.find_all(exp.Column))
    return frozenset(node.name for node in nodes if node.table in ids)


def _column(columns: tuple[Column, ...], name: str) -> Column | None:
    return next((column for column in columns if column.name.lower() == name), None)


def _nothing(storage: Table) -> Decision:
    """Return the decision to insert no rows, so that only the new snapshot ids are recorded.

    The statement is `INSERT INTO … SELECT … WHERE false`. `storage` is the view's storage table.
    """
    columns = listed([column.name for column in storage.columns])
    none = f"SELECT {columns} FROM {storage.name.sql()} WHERE false"
    return Decision(Kind.NOTHING, "no row of the base tables has changed", "INSERT INTO", none)


def _append(now: Situation) -> Decision | str:
    """Return an INSERT of the view's rows for the appended source rows, or the reason why this is not possible.

    The reason is empty for a view with GROUP BY, because other ways are for such views. `now` is the view and the
    changes of its sources.
    """
    if now.stored.block.keys is not None:
        return ""
    if problem := _append_problem(now):
        return problem
    parts = _parts(now)
    kind = Kind.APPEND if len(now.stored.block.tables) == 1 else Kind.DELTA_JOIN
    return Decision(kind, _appended(now), "INSERT INTO", " UNION ALL ".join(parts) or _none(now.stored))


def _append_merge(now: Situation) -> Decision | str:
    """Return a merge of the groups of appended rows into the stored groups, or the reason why this is not possible.

    The reason is empty for a view without GROUP BY, because other ways are for such views. `now` is the view and the
    changes of its sources.
    """
    if now.stored.block.keys is None:
        return ""
    if problem := _append_problem(now):
        return problem
    how = _mergeable(now)
    if isinstance(how, str):
        return how
    kind = Kind.APPEND_MERGE if len(now.stored.block.tables) == 1 else Kind.DELTA_JOIN
    parts = _parts(now)
    if not parts:  # all tables joined to the appended rows are empty
        return Decision(kind, _appended(now), "INSERT INTO", _none(now.stored))
    return Decision(kind, _appended(now), *_written(now, how, parts), delta=_delta(now, parts))


def _delta(now: Situation, parts: Sequence[str]) -> Delta | None:
    """Return the part of a refresh that is computed from the rows of the only table that has grown.

    `parts` are the queries of the appended rows. Return None if several tables have grown, or if there are several
    queries, as for a self-join. `now` is the view and the changes of its sources.
    """
    change, *more = now.changed
    if more or len(parts) > 1 or change.start is None or change.end is None:
        return None
    return Delta(parts[0], f"{change.name.sql()}{Added(change.start, change.end).sql()}", change.added)


def _changelog(now: Situation) -> Decision | str:
    """Return a merge of counts and sums of inserted and deleted rows, or the reason why this is not possible.

    The reason is empty if another way is for this case: for a view without GROUP BY, and if rows were only appended.
    `now` is the view and the changes of its sources.
    """
    if now.stored.block.keys is None or now.only_appends:
        return ""
    how = _mergeable(now, signed=True)
    if isinstance(how, str):
        return how
    (table, *more), changes = now.stored.block.tables, now.changed
    if more:
        return "the view reads more than one table"
    types = now.stored.types
    if problem := signed_problem(now.stored.block, types, recomputed=True):
        return problem
    change = changes[0]
    if change.row_deletes:
        return f"{table.name} has delete files, so its changed rows cannot be listed"
    changed, dear = change.added + change.removed, CHANGED_COST if change.records > FEW_ROWS else 1
    if dear * changed >= change.records:
        return (
            f"the files of {table.name} that were replaced and added hold {changed} rows, which take longer to compare "
            f"than all its {change.records} rows take to read"
        )
    if not now.stored.rows:
        return "the storage table has no count of the rows of each group"
    assert change.start is not None
    assert change.end is not None
    outputs = tuple(signed(output, table.id, types[output]) for output in now.stored.block.outputs)
    part = block_text(replace(now.stored.block, outputs=outputs), now.stored.names, [Changed(change.start, change.end)])
    reason = f"{change.name} had rows removed or replaced; counts and sums subtract them"
    return Decision(Kind.CHANGELOG, reason, *_written(now, how, [part], signed=True))


def _mergeable(now: Situation, signed: bool = False) -> Merging | str:
    if problem := _dearer(now):
        return problem
    if now.stored.block.having:
        return "the view's query has HAVING, so that some groups are not stored"
    decimal_sum = any(
        kind.startswith("decimal") for output, kind in now.stored.types.items() if output.find(exp.Anonymous)
    )
    if decimal_sum and not is_ansi(now.stored.view.settings):
        return "without ANSI mode a DECIMAL sum that has overflowed looks like a sum of no values"
    return merging(now.stored, signed)


def _written(now: Situation, how: Merging, parts: list[str], signed: bool = False) -> tuple[str, str]:
    """Return the merging statement, as the text before and the text after the table's name.

    If the storage partitions of the changed rows are known, the statement rewrites these partitions (REPLACE WHERE).
    Otherwise the statement is a MERGE of the changed groups. If a MERGE cannot find the groups by their keys, or would
    be slower, the statement is an INSERT OVERWRITE of all groups. `parts` are the queries of the changed rows; with
    `signed`, these queries also subtract deleted rows. `how` has the merging SQL. `now` is the view and the changes of
    its sources.
    """
    if where := _touched(now):
        return how.replace(now.base, parts, signed, where)
    merges = how.joins and (now.stored.storage.partitioned_by or (_large(now) and _few(now)))
    return how.merge(now.base, parts, signed) if merges else how.overwrite(now.base, parts, signed)


def _large(now: Situation) -> bool:
    size = now.stored.storage.size
    return size is None or size > SMALL


def _few(now: Situation) -> bool:
    """Return whether the number of changed rows is at most the share FEW (0.0001) of the number of stored rows.

    Return True if the number of stored rows is not known. `now` is the view and the changes of its sources.
    """
    records = now.stored.storage.records
    return records is None or sum(change.added + change.removed for change in now.changed) <= FEW * records


def _dearer(now: Situation) -> str:
    """Return the reason why a full refresh costs no more than the merge; empty if the merge costs less.

    `now` is the view and the changes of its sources.
    """
    storage, changed = now.stored.storage, sum(change.added + change.removed for change in now.changed)
    rows = sum(now.changes[table.name].records for table in now.stored.block.tables)
    if storage.partitioned_by or storage.records is None or not _large(now) or _few(now):
        return ""
    return "the storage table has at least as many rows as the base tables" if storage.records + changed >= rows else ""


def _touched(now: Situation) -> str:
    """Return the SQL condition for the storage rows in the targets of the changed source partitions.

    The target of a source partition is the storage partition to which the source partition's rows contribute. Return an
    empty string if the targets are unknown or more than MOST_TARGETS (1000), or if several sources have changed. `now`
    is the view and the changes of its sources.
    """
    change, *more = now.changed
    if more or change.touched is None:
        return ""
    found = targets(now.stored, change.name, change.touched)
    if isinstance(found, str) or len(found.touched) > MOST_TARGETS:
        return ""
    return found.condition_of_touched


def _parts(now: Situation) -> list[str]:
    block = now.stored.block
    states = [now.changes[table.name] for table in block.tables]
    return [block_text(block, now.stored.names, reads) for reads in terms(states)]


def _none(held: Stored) -> str:
    return f"SELECT {listed(held.names)} FROM {held.storage.name.sql()} WHERE false"


def _appended(now: Situation) -> str:
    grown = ", ".join(f"{change.name} ({change.added} rows)" for change in now.changed)
    return f"only appends since the last refresh: {grown}"


def _append_problem(now: Situation) -> str:
    """Return the reason why a refresh cannot simply add the view's rows for appended source rows; empty if it can.

    `now` is the view and the changes of its sources.

    law:    rows appended to a table only add result rows if the view has no FULL join, and if the table is not on the
            joined side of a LEFT, SEMI or ANTI join
    no:     a table on the joined side of an ANTI join, because a new row may remove rows from the result
    """
    changed = next((change for change in now.changed if change.kind is not ChangeKind.APPENDED), None)
    if changed is not None:
        return f"{changed.name} had rows removed or replaced"
    names = {change.name for change in now.changed}
    grown = {table.id for table in now.stored.block.tables if table.name in names}
    for join in now.stored.block.joins:
        if join.kind == "FULL" or join.tables & grown:
            return f"rows were appended to a table of which a {join.kind} join does not return all rows"
    return ""


def _partitions(now: Situation) -> Decision | str:
    """Return a Decision that recomputes the storage partitions of changed source partitions, or why that is not
    possible.

    The reason is empty if the changed files are not known, because this way is then not considered. `now` is the view
    and the changes of its sources.
    """
    change, *more = now.changed
    if more:
        return "more than one base table has changed"
    if change.files is None:
        return ""
    found = targets(now.stored, change.name, change.files)
    if isinstance(found, str):
        return found
    if len(found.touched) > MOST_TARGETS or found.share > MOST_ROWS:
        return "most partitions of the storage table are affected"
    where = found.condition_of_touched
    block = filtered(now.stored.block, " OR ".join(found.source_conditions) or "false")
    reads = [At(now.changes[table.name].end) for table in block.tables]
    content = f"REPLACE WHERE {where} {block_text(block, now.stored.names, reads)}"
    reason = f"{change.name} has changed only in rows that belong to these partitions of the storage table: {where}"
    return Decision(Kind.PARTITIONS, reason, "INSERT INTO", content)


Way = Callable[[Situation], Decision | str]
WAYS: tuple[Way, ...] = (_append, _append_merge, _changelog, _partitions)
