"""Converts view metadata documents to immutable values, and parses the durations in views' properties."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from proxy.catalog.documents import Document
from proxy.catalog.tables import columns
from rewriter.model import MaterializedView, PlainView, Session, TableName, ViewState, split_name

MARKERS = ("iceberg.materialized.view", "materialized.view")
STORAGE_QUERY = "viewgate.storage-query"
DEFINITION = "viewgate.definition"
SETTINGS = "viewgate.settings"
REWRITE = "viewgate.rewrite"
REFRESH = "viewgate.refresh"
MAX_STALENESS = "viewgate.max_staleness"


@dataclass(frozen=True, slots=True)
class ViewQuery:
    """The SELECT of a view, with the catalog and namespace in which its names are resolved."""

    sql: str
    session: Session


class Unusable(Exception):
    """The error raised if the metadata of a view cannot be used; its message says why."""


def view_state(name: TableName, document: Document) -> ViewState:
    """Return the name, UUID and current version of a view."""
    return ViewState(name, document["view-uuid"], document["current-version-id"])


def is_materialized(document: Document) -> bool:
    """Return whether a view is materialized.

    A view is materialized if its property `iceberg.materialized.view` (or `materialized.view`) is true, or if its
    current version has a field `storage-table`.
    """
    properties = document.get("properties", {})
    marked = any(properties.get(key, "").lower() == "true" for key in MARKERS)
    return marked or bool(_version(document).get("storage-table"))


def materialized_view(name: TableName, document: Document) -> MaterializedView:
    """Return the materialized view that a metadata document describes; raise Unusable if the document is incomplete."""
    version = _version(document)
    properties: dict[str, str] = document.get("properties", {})
    query = view_query(name, document)
    return MaterializedView(
        name=name,
        uuid=document["view-uuid"],
        version=document["current-version-id"],
        query=query.sql,
        storage_query=_storage_query(name, query.sql, properties),
        storage=_storage(name, version, properties),
        columns=columns(view_schema(document)),
        catalog=query.session.catalog,
        namespace=query.session.namespace,
        settings=_settings(properties),
        rewrite=properties.get(REWRITE, "on") != "off",
        deferred=properties.get(REFRESH, "on-commit") == "deferred",
        properties=MappingProxyType(properties),
        comment=properties.get("comment"),
        max_staleness=period(properties.get(MAX_STALENESS, "")),
    )


def plain_view(name: TableName, document: Document) -> PlainView:
    """Return the plain view (without storage table) that a metadata document describes.

    Raise Unusable if the document is incomplete.
    """
    query = view_query(name, document)
    return PlainView(
        name=name,
        uuid=document["view-uuid"],
        version=document["current-version-id"],
        query=query.sql,
        columns=columns(view_schema(document)),
        catalog=query.session.catalog,
        namespace=query.session.namespace,
    )


def _version(document: Document) -> dict[str, Any]:
    current = document["current-version-id"]
    found: dict[str, Any] | None = next((v for v in document["versions"] if v["version-id"] == current), None)
    if found is None:
        raise Unusable(f"the view's metadata is damaged: `versions` lacks the current version (id {current})")
    return found


def view_schema(document: Document) -> dict[str, Any]:
    """Return the schema of a view's current version, as JSON; raise Unusable if the schema is missing."""
    schema_id = _version(document)["schema-id"]
    for schema in document["schemas"]:
        if schema.get("schema-id", 0) == schema_id:
            return dict(schema)
    raise Unusable(
        f"the view's metadata is damaged: `schemas` lacks the schema of the current version (id {schema_id})"
    )


def view_query(name: TableName, document: Document) -> ViewQuery:
    """Return a view's query in Spark's dialect; raise Unusable if the view has no query in this dialect."""
    version = _version(document)
    for representation in version["representations"]:
        if representation.get("type") == "sql" and representation.get("dialect", "").lower() == "spark":
            catalog = version.get("default-catalog") or name.catalog
            namespace = tuple(version.get("default-namespace", ()))
            return ViewQuery(representation["sql"], Session(catalog, namespace, catalogs=frozenset({name.catalog})))
    raise Unusable(f"the view {name} has no query in the dialect `spark`, so Spark cannot read it")


def fingerprint(query: str) -> str:
    """Return a hash (SHA-256, in hexadecimal) of a view's query text."""
    return hashlib.sha256(query.strip().encode()).hexdigest()


def _storage_query(view: TableName, query: str, properties: Mapping[str, str]) -> str:
    """Return the query that fills the storage table: the recorded one, or the view's own query if none is recorded.

    Raise Unusable if another engine has replaced the view's query since Viewgate recorded the storage query.
    """
    if STORAGE_QUERY not in properties:
        return query
    if properties.get(DEFINITION) != fingerprint(query):
        raise Unusable(
            f"the query of {view} was replaced by an engine that does not support materialized views: the storage "
            "table has the rows of the former query"
        )
    return properties[STORAGE_QUERY]


def _settings(properties: Mapping[str, str]) -> Mapping[str, str] | None:
    if SETTINGS not in properties:
        return None
    try:
        recorded = json.loads(properties[SETTINGS])
    except ValueError:
        raise Unusable(f"the value of the view's property {SETTINGS} is not valid JSON") from None
    return MappingProxyType({str(key): str(value) for key, value in recorded.items()})


def _storage(view: TableName, version: dict[str, Any], properties: Mapping[str, str]) -> TableName:
    """Return the name of a view's storage table; raise Unusable if no storage table is recorded.

    The name is in the `storage-table` field of the view's version (latest draft of the specification), or else in a
    property.
    """
    if pointer := version.get("storage-table"):
        return TableName((pointer.get("catalog") or view.catalog, *pointer["namespace"], pointer["name"]))
    for marker in MARKERS:
        if identifier := properties.get(marker + ".storage.table"):
            return view.beside(split_name(identifier))
    raise Unusable(f"the view {view} names no storage table: set its property {MARKERS[0]}.storage.table")


NEVER = "never"

_PERIOD = re.compile(r"([1-9]\d{0,5}) *(second|minute|hour|day)s?", re.IGNORECASE)
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
ALLOWED = "a number of seconds, minutes, hours or days, such as '10 minutes'"


def period(text: str) -> int | None:
    """Return the number of seconds in a duration such as `10 minutes`; None for a text that is not a duration.

    >>> period("10 minutes"), period("1 day"), period("0 hours"), period("often")
    (600, 86400, None, None)
    """
    found = _PERIOD.fullmatch(text.strip())
    return int(found[1]) * _SECONDS[found[2].lower()] if found else None
