"""The refresh state of a storage table: the source snapshots and view versions from which its content was computed.

A refresh state is recorded in two places. The *properties* of the storage table (such as
`iceberg.base.snapshot.<uuid>`), as in the Iceberg materialized view specification, stay the same when another writer
changes the rows. The entry `refresh-state` in the *summary* of the snapshot that holds the content, as in the latest
draft of the specification, is committed together with the content. Viewgate writes both, and also reads the properties
and entries of all earlier drafts; if both exist, the summary is used.

Schema changes make no snapshot. To notice them, Viewgate's refreshes also write the entry `viewgate.refresh-state` to
the summary: the view's UUID, the columns that the query uses of each source, and the storage table's columns.

If a storage table is partial (has only some of the view's rows), other tools must not take it for complete. Then
`refresh-state` is not an entry of its own but nested in `viewgate.refresh-state`, together with the condition that the
rows satisfy, and the table gets no refresh properties.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rewriter.model import ChildView, Column, RefreshState, SourceState, TableName, ViewState

SUMMARY = "refresh-state"
OURS = "viewgate.refresh-state"
STORAGE_SNAPSHOT = "viewgate.storage-snapshot"
STORAGE_OF = "viewgate.storage-of"
STATE_PREFIXES = tuple(
    prefix + key
    for prefix in ("iceberg.", "")
    for key in ("base.snapshot.", "view.version", "child.view.version.", "materialized.view.version")
)
_STATE, _ONLY = "state", "only"
_VERSIONS = ("view.version", "materialized.view.version")
_NO_SNAPSHOT = (-1, 0)  # what the drafts write for a source without snapshots


def from_summary(summary: Mapping[str, str], catalog: str) -> RefreshState | None:
    """Return the refresh state in a snapshot's summary; None if the summary has no refresh state that can be parsed.

    `catalog` is the catalog of sources that are recorded without a catalog.
    """
    try:
        ours = json.loads(summary.get(OURS, "{}"))
        return _parsed(json.loads(summary[SUMMARY]) if SUMMARY in summary else ours[_STATE], ours, catalog)
    except (KeyError, ValueError, TypeError, AttributeError):
        return None


def _parsed(state: dict[str, Any], ours: dict[str, Any], catalog: str) -> RefreshState | None:
    entries = _entries(state)
    if any(entry.get("ref", "main") != "main" for entry in entries):
        return None  # a state of another branch says nothing about main
    columns = ours.get("columns", {})
    sources = [_source(entry, catalog, columns) for entry in entries if entry.get("type", "table") == "table"]
    children = [ChildView(entry["uuid"], int(entry["version-id"])) for entry in entries if entry.get("type") == "view"]
    version = state["view-version-id"] if "view-version-id" in state else state["refresh-version-id"]
    return RefreshState(
        view_version=int(version),
        sources=tuple(sources),
        children=tuple(children),
        view_uuid=ours.get("view-uuid"),
        started_ms=state.get("refresh-start-timestamp-ms"),
        stored=_read_columns(ours.get("stored")),
        only=ours.get(_ONLY, ""),
    )


def _entries(state: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the sources in a refresh state as one list of entries, each with its type (`table` or `view`).

    The latest draft of the specification has such a list; earlier drafts have one list of tables and one list of views.
    """
    if "source-states" in state:
        return list(state["source-states"])
    tables = state["source-table-states"]
    views = state.get("source-view-states") or []
    return [{**entry, "type": "table"} for entry in tables] + [{**entry, "type": "view"} for entry in views]


def _source(entry: dict[str, Any], catalog: str, columns: dict[str, Any]) -> SourceState:
    name = TableName((entry.get("catalog") or catalog, *entry["namespace"], entry["name"]))
    return SourceState(name, entry["uuid"], _snapshot(entry["snapshot-id"]), _read_columns(columns.get(entry["uuid"])))


def _read_columns(recorded: list[list[Any]] | None) -> tuple[Column, ...] | None:
    return None if recorded is None else tuple(Column(n, t, bool(null), int(i)) for i, n, t, null in recorded)


def _written_columns(columns: Sequence[Column]) -> list[list[Any]]:
    return [[c.field_id, c.name, c.type, c.nullable] for c in columns]


def _snapshot(recorded: int | str) -> int | None:
    return None if int(recorded) in _NO_SNAPSHOT else int(recorded)


def from_properties(properties: Mapping[str, str], heads: Sequence[int]) -> RefreshState | None:
    """Return the refresh state in a storage table's properties; None if they describe none of the snapshots in `heads`.

    `heads` are the current snapshot and its predecessors that differ only by compaction. The property
    `viewgate.storage-snapshot` is the id of the described snapshot. The specification does not have this property,
    so properties without it are used, too, but only for a storage table that Viewgate did not create. Properties
    identify sources only by UUID, so the source names in the result are empty.
    """
    if not _describe(properties, heads):
        return None
    stated = {key.removeprefix("iceberg."): value for key, value in properties.items()}
    try:
        version = next(int(stated[key]) for key in _VERSIONS if key in stated)
        bases = _by_uuid(stated, "base.snapshot.")
        children = _by_uuid(stated, "child.view.version.")
    except (StopIteration, ValueError):
        return None
    nameless = TableName(("",))
    return RefreshState(
        view_version=version,
        sources=tuple(SourceState(nameless, uuid, _snapshot(snapshot)) for uuid, snapshot in bases.items()),
        children=tuple(ChildView(uuid, child) for uuid, child in children.items()),
    )


def _describe(properties: Mapping[str, str], heads: Sequence[int]) -> bool:
    if STORAGE_SNAPSHOT in properties:
        return properties[STORAGE_SNAPSHOT] in map(str, heads)
    return STORAGE_OF not in properties


def _by_uuid(stated: Mapping[str, str], prefix: str) -> dict[str, int]:
    return {key.removeprefix(prefix): int(value) for key, value in stated.items() if key.startswith(prefix)}


def to_summary(state: RefreshState, children: Sequence[ViewState] = ()) -> dict[str, str]:
    """Return the snapshot summary entries that record a refresh: `refresh-state` and `viewgate.refresh-state`.

    For a partial storage table, only the second entry is returned. `children` are the views that the storage query
    (the query that fills the storage table) reads.
    """
    recorded = {source.uuid: _written_columns(source.columns) for source in state.sources if source.columns is not None}
    draft = {
        "view-version-id": state.view_version,
        "refresh-start-timestamp-ms": state.started_ms or 0,
        "source-states": [
            *({"type": "table", **_named(s.name), "uuid": s.uuid, "snapshot-id": _number(s)} for s in state.sources),
            *({"type": "view", **_named(c.name), "uuid": c.uuid, "version-id": c.version} for c in children),
        ],
    }
    ours: dict[str, Any] = {"view-uuid": state.view_uuid, "columns": recorded}
    if state.stored is not None:
        ours["stored"] = _written_columns(state.stored)
    if state.only:
        return {OURS: _written({**ours, _ONLY: state.only, _STATE: draft})}
    return {SUMMARY: _written(draft), OURS: _written(ours)}


def _written(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))


def speaks(summary: Mapping[str, str]) -> bool:
    """Return whether a snapshot's summary has an entry `refresh-state` or `viewgate.refresh-state`."""
    return SUMMARY in summary or OURS in summary


def to_properties(state: RefreshState) -> dict[str, str]:
    """Return the specification's table properties that record a refresh; empty for a partial storage table."""
    if state.only:
        return {}
    return {
        "iceberg.view.version": str(state.view_version),
        **{f"iceberg.base.snapshot.{source.uuid}": str(_number(source)) for source in state.sources},
        **{f"iceberg.child.view.version.{child.uuid}": str(child.version) for child in state.children},
    }


def _named(name: TableName) -> dict[str, Any]:
    return {"namespace": list(name.namespace), "name": name.table, "catalog": name.catalog}


def _number(source: SourceState) -> int:
    return -1 if source.snapshot_id is None else source.snapshot_id
