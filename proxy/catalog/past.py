"""Reads tables at earlier snapshots (time travel), and storage tables as of the refreshes that read these snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from proxy.catalog.documents import Document
from proxy.catalog.refresh_state import from_summary, speaks
from proxy.catalog.tables import ancestry, operation, table
from rewriter import AsOf
from rewriter.model import RefreshState, Relation, SourceState, Table, TableName

# Snapshots of tables, by table UUID.
Read = Mapping[str, frozenset[int]]


def tables_then(
    documents: Mapping[TableName, Document], moments: Mapping[TableName, AsOf], zone: str
) -> Mapping[TableName, Table | None]:
    """Return the past state of each table in `moments`, and of each storage table that was refreshed from these states.

    `moments` has the snapshot or time of each table; strings are times in the time zone `zone`. `documents` has the
    metadata of the tables in `moments` and of the storage tables.

    A storage table is returned as of the last refresh that read exactly the rows of these states. If there is none, it
    is returned as of the last refresh that read these or earlier states, so that the rewriter can add the changes made
    since. An earlier state is allowed only for a table whose columns are still the same. The value is None for a table
    whose past state is unknown, and for a storage table without such a refresh.
    """
    tables = {
        name: table_as_of(name, documents[name], as_of, zone) for name, as_of in moments.items() if name in documents
    }
    sources = [table for table in tables.values() if table is not None]
    # Appended and changed rows are read with a table's current columns.
    grown = [table for table in sources if table.schema_id == documents[table.name].get("current-schema-id")]
    same = {table.uuid: frozenset(_unchanged(table)) for table in sources}
    before = same | {table.uuid: frozenset(snapshot.id for snapshot in table.snapshots) for table in grown}
    storages = {
        name: refreshed_at(name, document, (same, before))
        for name, document in documents.items()
        if name not in moments
    }
    return {**storages, **tables}


def table_as_of(name: TableName, document: Document, as_of: AsOf, zone: str) -> Table | None:
    """Return the table that Spark reads for the time travel clause `as_of`; None if its snapshot or schema is unknown.

    A time in `as_of` without a zone is in the time zone `zone`. Spark reads a branch with the table's current schema,
    and a snapshot with the schema of that snapshot. Therefore None is also returned for a branch whose last snapshot
    has a schema other than the table's current schema.
    """
    snapshot = _snapshot_of(document, as_of, zone)
    raw = next((raw for raw in document.get("snapshots") or () if raw["snapshot-id"] == snapshot), None)
    if raw is None:
        return None
    schema = raw.get("schema-id")
    branch = not as_of.by_time and _ref(document, as_of.value).get("type") == "branch"
    if schema is None or (branch and schema != document.get("current-schema-id")):
        return None
    return _at(name, document, raw)


def _snapshot_of(document: Document, as_of: AsOf, zone: str) -> int | None:
    """Return the id of the snapshot to which Iceberg resolves a time travel clause; None if there is no such snapshot.

    The clause has a snapshot id, a tag or branch name, or a time (in the time zone `zone`), which is looked up in the
    table's snapshot log.
    """
    if not as_of.by_time:
        if as_of.value.isdecimal():
            return int(as_of.value)
        found: int | None = _ref(document, as_of.value).get("snapshot-id")
        return found
    # Not imported above, because that takes 0.4 s of processor time, and `viewgate doctor` does not need it.
    from rewriter import moment_ms

    until = moment_ms(as_of.value, zone)
    entries = [e for e in document.get("snapshot-log") or () if until is not None and e["timestamp-ms"] <= until]
    return int(entries[-1]["snapshot-id"]) if entries else None


def _ref(document: Document, name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = (document.get("refs") or {}).get(name) or {}
    return found


def refreshed_at(name: TableName, document: Document, preferred: Sequence[Read]) -> Table | None:
    """Return a storage table as of its last refresh that read allowed snapshots of its sources; None without such a
    refresh.

    Each mapping in `preferred` has the allowed snapshots by table UUID; a source that the mapping lacks may be at any
    snapshot. Return the last refresh that fits the first mapping; if no refresh fits, the last one that fits the second
    mapping, and so on. Ignore refreshes that were not published, and refreshes that did not record the columns that
    they used. Without these columns, the meaning of a column's name at the source's snapshot is not known, because
    renaming a column makes no snapshot.
    """
    refreshes = list(_refreshes(name, document))
    found = (raw for read in preferred for raw, state in refreshes if _has_read(state, read))
    raw = next(found, None)
    return _at(name, document, raw) if raw is not None else None


def rolled_back(relations: Mapping[TableName, Relation | None]) -> list[TableName]:
    """Return the storage tables in `relations` whose last refresh read a snapshot that its source no longer has.

    The snapshot was rolled back or has expired. Only sources in `relations` are checked.
    """
    tables = {relation.uuid: relation for relation in relations.values() if isinstance(relation, Table)}
    return [
        relation.name
        for relation in tables.values()
        if relation.refresh is not None
        and any(source.uuid in tables and _left(tables[source.uuid], source) for source in relation.refresh.sources)
    ]


def _left(table: Table, source: SourceState) -> bool:
    """Return whether the snapshot of `table` that a refresh read is no longer in the table's history.

    Return False if the table had no snapshot when the refresh read it. `source` is the state of the table that the
    refresh recorded.
    """
    read = source.snapshot_id
    return read not in (None, table.snapshot_id) and all(snapshot.id != read for snapshot in table.snapshots)


def before_rollbacks(
    documents: Mapping[TableName, Document], relations: Mapping[TableName, Relation | None]
) -> Mapping[TableName, Table]:
    """Return each storage table in `documents` as of its last refresh from source snapshots that still exist.

    `relations` has the current sources, with their history: a snapshot still exists if it is in the history of its
    source. Storage tables without such a refresh are left out.
    """
    tables = (relation for relation in relations.values() if isinstance(relation, Table))
    past = {table.uuid: frozenset(snapshot.id for snapshot in table.snapshots) for table in tables}
    found = {name: refreshed_at(name, document, [past]) for name, document in documents.items()}
    return {name: table for name, table in found.items() if table is not None}


class Refreshed(NamedTuple):
    """A recorded refresh: its refresh state, and the time when its rows became current (milliseconds since 1970)."""

    at_ms: int
    state: RefreshState


def refreshes_of(name: TableName, document: Document) -> list[Refreshed]:
    """Return the recorded refreshes of a storage table, the earliest first; a refresh whose snapshot has expired is
    left out.
    """
    current_ms = {entry["snapshot-id"]: entry["timestamp-ms"] for entry in document.get("snapshot-log") or ()}
    found = (
        Refreshed(current_ms.get(raw["snapshot-id"], raw["timestamp-ms"]), state)
        for raw in ancestry(document)
        if speaks(summary := raw.get("summary") or {}) and (state := from_summary(summary, name.catalog)) is not None
    )
    return [*found][::-1]


def _refreshes(name: TableName, document: Document) -> Iterator[tuple[Mapping[str, Any], RefreshState]]:
    """Yield the published refreshes of a storage table, the last refresh first: a snapshot and the refresh state.

    The snapshot is the newest one with the rows of the refresh: the snapshot that the refresh made, or the snapshot of
    a compaction after the refresh.
    """
    last: Mapping[str, Any] | None = None
    for raw in ancestry(document):
        last = raw if last is None else last
        summary = raw.get("summary") or {}
        state = from_summary(summary, name.catalog) if speaks(summary) else None
        if state is not None:
            yield last, state
        if state is not None or operation(raw) != "replace":
            last = None


def _has_read(state: RefreshState, snapshots: Read) -> bool:
    """Return whether a refresh read allowed snapshots of its sources; `state` is the recorded state of the refresh.

    `snapshots` has the allowed snapshots by table UUID; sources that `snapshots` does not list are ignored. Return
    False if `snapshots` lists none of the sources, or if the refresh did not record the columns that it used.
    """
    known = [source for source in state.sources if source.uuid in snapshots]
    return bool(known) and all(s.columns is not None and s.snapshot_id in snapshots[s.uuid] for s in known)


def _unchanged(table: Table) -> Iterator[int]:
    """Yield the ids of the snapshots with the same rows as the table's current snapshot.

    These are the current snapshot and, if it is a compaction, the snapshots before it up to and including the first one
    that is not a compaction.
    """
    compactions = list(takewhile(lambda snapshot: snapshot.operation == "replace", table.snapshots))
    yield from (snapshot.id for snapshot in table.snapshots[: len(compactions) + 1])


def _at(name: TableName, document: Document, raw: Mapping[str, Any]) -> Table | None:
    """Return a table at the snapshot `raw`; None if the snapshot's schema is unknown.

    The result has no table properties, because the current properties do not describe an earlier snapshot.
    """
    schema = raw.get("schema-id")
    if schema is None or all(each.get("schema-id") != schema for each in document.get("schemas") or ()):
        return None
    moved = {"current-snapshot-id": raw["snapshot-id"], "current-schema-id": schema, "properties": {}}
    return table(name, {**document, **moved})
