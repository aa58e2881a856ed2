"""The inventory of a catalog for JDBC and BI tools: every table and view, with columns, comments and keys."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from proxy.catalog.documents import Document, Entry
from proxy.catalog.refresh_state import STORAGE_OF
from proxy.catalog.tables import current_schema, foreign_keys, primary_key
from proxy.catalog.views import is_materialized, view_schema
from proxy.sql_types import SqlType, sql_type
from rewriter.model import ForeignKey, TableName


class Kind(Enum):
    """The table types that JDBC tools see. A storage table is a SYSTEM TABLE: users should not query it."""

    TABLE = "TABLE"
    VIEW = "VIEW"
    MATERIALIZED_VIEW = "MATERIALIZED VIEW"
    STORAGE = "SYSTEM TABLE"


@dataclass(frozen=True, slots=True)
class ListedColumn:
    """A column with the facts that the Thrift metadata call GetColumns returns."""

    name: str
    type: SqlType
    nullable: bool
    comment: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A table or view with the facts that the Thrift metadata calls (GetTables, GetColumns, GetPrimaryKeys
    …) return.
    """

    name: TableName
    kind: Kind
    comment: str
    columns: tuple[ListedColumn, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()


def listed(name: TableName, entry: Entry) -> Listed:
    """Return the description of a table or view for the Thrift metadata calls, read from the metadata file
    of `entry`.
    """
    document = entry.load()
    properties: dict[str, str] = document.get("properties") or {}
    schema = current_schema(document) if entry.kind == "table" else view_schema(document)
    return Listed(
        name,
        _kind(entry, document, properties),
        properties.get("comment", ""),
        tuple(map(_column, schema["fields"])),
        primary_key(name, properties),
        foreign_keys(name, properties),
    )


def _kind(entry: Entry, document: Document, properties: dict[str, str]) -> Kind:
    if entry.kind == "table":
        return Kind.STORAGE if STORAGE_OF in properties else Kind.TABLE
    return Kind.MATERIALIZED_VIEW if is_materialized(document) else Kind.VIEW


def _column(field: dict[str, Any]) -> ListedColumn:
    return ListedColumn(field["name"], sql_type(field["type"]), not field["required"], field.get("doc") or "")
