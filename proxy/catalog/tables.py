"""Converts table metadata documents (Iceberg's metadata.json) to immutable values."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Any, TypeVar

from proxy.catalog.documents import Document
from proxy.catalog.refresh_state import OURS, SUMMARY, from_properties, from_summary, speaks
from proxy.hs2.status import nearest
from proxy.sql_types import spark_type
from rewriter.model import (
    Column,
    ConstraintError,
    ForeignKey,
    PartitionField,
    RefreshState,
    Snapshot,
    SortField,
    Table,
    TableName,
)
from rewriter.model.constraints import FOREIGN_KEYS, PRIMARY_KEY, TRUST, read_foreign_keys, read_primary_key

_Key = TypeVar("_Key")
_log = logging.getLogger(__name__)


def table(name: TableName, document: Document) -> Table:
    """Return the table that a metadata document describes, at its current snapshot, with its refresh state
    if recorded.
    """
    line = tuple(ancestry(document))
    schema_id = document.get("current-schema-id", 0)
    properties: Mapping[str, str] = document.get("properties", {})
    return Table(
        name=name,
        uuid=document["table-uuid"],
        columns=columns_of(document),
        snapshots=tuple(_snapshot(raw, schema_id) for raw in line),
        schema_id=schema_id,
        refresh=_refresh(line, properties, name.catalog),
        records=_total(line, "total-records"),
        size=_total(line, "total-files-size"),
        primary_key=primary_key(name, properties),
        foreign_keys=foreign_keys(name, properties),
        trusted=properties.get(TRUST, "").lower() == "true",
        partitioned_by=partition_fields(document),
        delete_files=_total(line, "total-delete-files"),
        current_since_ms=next((e["timestamp-ms"] for e in reversed(document.get("snapshot-log") or ())), None),
        diverged=tuple(_diverged(line, document.get("snapshot-log") or ())),
    )


def misspelled(properties: Mapping[str, str]) -> Iterator[str]:
    """Yield each property whose name looks like a misspelled constraint property, followed by the likely name.

    >>> list(misspelled({"viewgate.primray-key": "id", "viewgate.primary-key": "id", "owner": "ann"}))
    ['viewgate.primray-key (did you mean viewgate.primary-key?)']
    """
    known = (PRIMARY_KEY, FOREIGN_KEYS, TRUST)
    return (f"{key}{meant}" for key in properties if key not in known and (meant := nearest(key, known)))


def primary_key(name: TableName, properties: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns of the primary key that a table's properties declare; empty if no valid key is declared."""
    return _keys(name, properties.get(PRIMARY_KEY, ""), read_primary_key)


def foreign_keys(name: TableName, properties: Mapping[str, str]) -> tuple[ForeignKey, ...]:
    """Return the foreign keys that a table's properties declare; empty if no valid foreign key is declared."""
    return _keys(name, properties.get(FOREIGN_KEYS, ""), lambda text: read_foreign_keys(text, name))


def _keys(name: TableName, text: str, read: Callable[[str], tuple[_Key, ...]]) -> tuple[_Key, ...]:
    """Return the keys declared in a property's `text`, parsed by `read`; log an invalid text, and return an empty
    tuple.
    """
    try:
        return read(text) if text.strip() else ()
    except ConstraintError as problem:
        _log.warning("declared keys not used table=%s reason=%s", name, problem)
        return ()


def partition_fields(document: Document, spec_id: int | None = None) -> tuple[PartitionField, ...]:
    """Return the fields of the partition spec with this id (None: the table's default spec); empty if no such spec
    exists.
    """
    wanted = document.get("default-spec-id", 0) if spec_id is None else spec_id
    fields = next((spec["fields"] for spec in document.get("partition-specs") or () if spec["spec-id"] == wanted), ())
    names = {column.field_id: column.name for column in columns_of(document)}
    return tuple(
        PartitionField(names.get(field["source-id"], ""), field["transform"], field["name"]) for field in fields
    )


def sort_fields(document: Document) -> tuple[SortField, ...]:
    """Return the fields by which a table's new files are sorted; empty if new files are not sorted."""
    wanted = document.get("default-sort-order-id", 0)
    fields = next((o["fields"] for o in document.get("sort-orders") or () if o["order-id"] == wanted), ())
    names = {column.field_id: column.name for column in columns_of(document)}
    return tuple(
        SortField(
            names.get(field["source-id"], ""),
            field["transform"],
            field["direction"] == "desc",
            field["null-order"] == "nulls-first",
        )
        for field in fields
    )


def columns(schema: Mapping[str, Any]) -> tuple[Column, ...]:
    """Return the top-level columns of a table schema in JSON, with Spark's type names."""
    return tuple(
        Column(field["name"], spark_type(field["type"]), not field["required"], field["id"])
        for field in schema["fields"]
    )


def columns_of(document: Document, schema_id: int | None = None) -> tuple[Column, ...]:
    """Return the columns of the schema with this id (None: the current schema), with Spark's type names.

    For an unknown id, return the columns of the last schema in the metadata.
    """
    return columns(current_schema(document) if schema_id is None else _schema(document, schema_id))


def current_schema(document: Document) -> Mapping[str, Any]:
    """Return the current schema of a table, as JSON."""
    return _schema(document, document.get("current-schema-id", 0))


def _schema(document: Document, schema_id: int) -> Mapping[str, Any]:
    schemas = document.get("schemas") or [document["schema"]]  # format version 1 may have a single schema
    found: Mapping[str, Any] = next((s for s in schemas if s.get("schema-id", 0) == schema_id), schemas[-1])
    return found


def ancestry(document: Document) -> Iterator[dict[str, Any]]:
    """Yield the current snapshot and its unexpired ancestors as JSON, newest first.

    A snapshot that is its own ancestor, in malformed metadata, is yielded once.
    """
    by_id = {raw["snapshot-id"]: raw for raw in document.get("snapshots") or ()}
    at = document.get("current-snapshot-id")
    while raw := by_id.pop(at, None):
        yield raw
        at = raw.get("parent-snapshot-id")


def _diverged(line: Sequence[Mapping[str, Any]], log: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, int]]:
    """Yield the periods in which the then current snapshot was not the newest snapshot of `line` at that time.

    An example is the time from a wrong commit to its rollback. `line` are the table's current snapshot and its
    ancestors, newest first; `log` is the snapshot log. The time before the first entry of the log is such a period,
    too, if `line` has an older snapshot: the expiry of a snapshot removes its entry and all earlier entries from the
    log. A period is its start and its end, in milliseconds since 1970.
    """
    until: dict[int, float] = {}  # the time of the first of all later snapshots
    earliest = math.inf
    for raw in line:
        until[raw["snapshot-id"]] = earliest
        earliest = min(earliest, raw["timestamp-ms"])
    if line and log and line[-1]["timestamp-ms"] < log[0]["timestamp-ms"]:
        yield 0, log[0]["timestamp-ms"]
    for entry, after in pairwise(log):
        start, end = max(entry["timestamp-ms"], until.get(entry["snapshot-id"], 0)), after["timestamp-ms"]
        if start < end:
            yield int(start), end


def _snapshot(raw: dict[str, Any], schema_id: int) -> Snapshot:
    return Snapshot(
        id=raw["snapshot-id"],
        timestamp_ms=raw["timestamp-ms"],
        operation=_effect(raw),
        schema_id=raw.get("schema-id", schema_id),
        added=_count(raw, "added-files-size"),
        removed=_count(raw, "removed-files-size"),
        delete_files=_count(raw, "total-delete-files"),
    )


def _effect(raw: Mapping[str, Any]) -> str:
    """Return the operation of the snapshot `raw`; for an append that also removed files or rows, return "overwrite"."""
    called = operation(raw)
    takes = ("deleted-data-files", "added-delete-files", "removed-delete-files")
    return "overwrite" if called == "append" and any(_count(raw, key) for key in takes) else called


def operation(raw: Mapping[str, Any]) -> str:
    """Return the operation of the snapshot `raw`: append, overwrite, delete or replace (compaction).

    If the snapshot records no operation, return overwrite.
    """
    summary: dict[str, str] = raw.get("summary") or {}
    return summary.get("operation", "overwrite")  # format version 1 may omit it; overwrite means any change


def _total(ancestry: tuple[dict[str, Any], ...], key: str) -> int | None:
    return _count(ancestry[0], key) if ancestry else None


def _count(raw: Mapping[str, Any], key: str) -> int | None:
    """Return the number under `key` in a snapshot's summary; None if the summary has no number under this key."""
    count: str | None = (raw.get("summary") or {}).get(key)
    return int(count) if count is not None and count.isdecimal() else None


def recorded_summary(document: Document) -> Mapping[str, str]:
    """Return the snapshot summary entries that record the refresh of a storage table's current content.

    Return an empty mapping if the refresh is not recorded in a summary.
    """
    heads = _heads(tuple(ancestry(document)))
    summary: Mapping[str, str] = (heads[-1].get("summary") or {}) if heads else {}
    return {key: summary[key] for key in (SUMMARY, OURS) if key in summary}


def _heads(ancestry: tuple[dict[str, Any], ...]) -> tuple[dict[str, Any], ...]:
    """Return the snapshots that have the same rows as the current snapshot, newest first; empty if the table has no
    snapshot.

    These are the current snapshot and, if it is a compaction, its ancestors up to and including the first one that is
    not a compaction. A compaction that records a refresh state also ends the list. `ancestry` are the current snapshot
    and its ancestors, newest first.
    """
    compactions = tuple(takewhile(lambda raw: operation(raw) == "replace" and not speaks(raw["summary"]), ancestry))
    return ancestry[: len(compactions) + 1]


def _refresh(ancestry: tuple[dict[str, Any], ...], properties: Mapping[str, str], catalog: str) -> RefreshState | None:
    heads = _heads(ancestry)
    summary: Mapping[str, str] = (heads[-1].get("summary") or {}) if heads else {}
    if speaks(summary):
        return from_summary(summary, catalog)
    return from_properties(properties, [raw["snapshot-id"] for raw in heads]) if heads else None
