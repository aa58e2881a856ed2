"""The changes of a table between two snapshots, from their summaries, and from manifests where files matter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proxy.catalog.documents import Document
from proxy.catalog.tables import ancestry, columns_of, operation
from rewriter.model import Change, ChangeKind, Column, SourceState, TableName

_TOUCHING = ("added-data-files", "deleted-data-files", "added-delete-files", "removed-delete-files")


def change(name: TableName, document: Document, recorded: SourceState, end: int | None) -> Change:
    """Return the effect of the snapshots after the recorded one up to `end`, which a refresh is going to read."""
    start = recorded.snapshot_id
    snapshots = {raw["snapshot-id"]: raw for raw in document.get("snapshots") or ()}
    kind, reason, between = _between(document, start, end)
    return Change(
        name=name,
        kind=kind,
        start=start,
        end=end,
        columns=columns_of(document),
        recorded=recorded.columns or (),
        start_columns=_columns_at(document, snapshots.get(start)),
        end_columns=_columns_at(document, snapshots.get(end)),
        reason=reason,
        added=sum(_number(raw, "added-records") for raw in between),
        removed=sum(_number(raw, "deleted-records") for raw in between),
        records=_number(snapshots.get(end) or {}, "total-records"),
        row_deletes=any(
            _number(raw, "total-delete-files")
            for raw in (*between, snapshots.get(start) or {}, snapshots.get(end) or {})
        ),
    )


def _between(
    document: Document, start: int | None, end: int | None
) -> tuple[ChangeKind, str, tuple[dict[str, Any], ...]]:
    if start == end:
        return ChangeKind.UNCHANGED, "", ()
    line = list(ancestry(document))
    ids = [raw["snapshot-id"] for raw in line]
    if end not in ids:
        return ChangeKind.UNKNOWN, f"it is no longer at snapshot {end}", ()
    line = line[ids.index(end) :]
    if start is None:  # there was no row: whatever is there now has been added
        return ChangeKind.APPENDED, "", tuple(line)
    if start not in ids:
        return ChangeKind.UNKNOWN, f"snapshot {start} is no ancestor of it: rolled back, replaced or expired", ()
    between = tuple(_until(line, start))
    return _kind(between, snapshot_of(document, start)), "", between


def snapshot_of(document: Document, snapshot_id: int) -> dict[str, Any]:
    """Return the snapshot of an id, as the metadata holds it."""
    return next(raw for raw in document["snapshots"] if raw["snapshot-id"] == snapshot_id)


def _until(line: list[dict[str, Any]], start: int) -> Iterator[dict[str, Any]]:
    for raw in line:
        if raw["snapshot-id"] == start:
            return
        yield raw


def _kind(between: tuple[dict[str, Any], ...], start: Mapping[str, Any]) -> ChangeKind:
    parents = (*between[1:], start)
    kinds = {_effect(raw, parent) for raw, parent in zip(between, parents, strict=True)}
    for kind in (ChangeKind.CHANGED, ChangeKind.APPENDED):
        if kind in kinds:
            return kind
    return ChangeKind.UNCHANGED


def _effect(raw: Mapping[str, Any], parent: Mapping[str, Any]) -> ChangeKind:
    """Return the effect of one snapshot; "no files touched" is proof only if the writer counts files at all."""
    if operation(raw) == "replace":
        return ChangeKind.UNCHANGED
    counts = "total-data-files" in _summary(raw) and "total-data-files" in _summary(parent)
    same = counts and _number(raw, "total-data-files") == _number(parent, "total-data-files")
    if same and not any(_number(raw, key) for key in _TOUCHING):
        return ChangeKind.UNCHANGED
    if operation(raw) == "append" and not any(_number(raw, key) for key in _TOUCHING[1:]):
        return ChangeKind.APPENDED
    return ChangeKind.CHANGED


def _summary(raw: Mapping[str, Any]) -> Mapping[str, str]:
    return raw.get("summary") or {}


def _number(raw: Mapping[str, Any], key: str) -> int:
    value = _summary(raw).get(key, "0")
    return int(value) if value.isdecimal() else 0


def _columns_at(document: Document, snapshot: Mapping[str, Any] | None) -> tuple[Column, ...]:
    if snapshot is None:
        return columns_of(document)
    return columns_of(document, snapshot.get("schema-id"))
