"""Materialized views as defined: they change with DDL only, never with data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from rewriter.model.names import TableName
from rewriter.model.session import Session
from rewriter.model.tables import Column

STORAGE_SUFFIX = "__storage"


@dataclass(frozen=True)
class MaterializedView:
    """An Iceberg view with a storage table.

    `query` is what a reader of the view sees; `storage_query` is the SELECT whose outputs are,
    by name, the storage table's columns: those of `query` and the hidden ones that make it roll up.
    Names in both are resolved in `catalog` and `namespace`. `settings` are the session settings
    that were in force at CREATE and that each refresh uses; None for a view made by another tool.
    """

    name: TableName
    uuid: str
    version: int
    query: str
    storage_query: str
    storage: TableName
    columns: tuple[Column, ...]
    catalog: str
    namespace: tuple[str, ...]
    settings: Mapping[str, str] | None = field(default=None, hash=False)
    rewrite: bool = True
    deferred: bool = False
    properties: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    comment: str | None = None

    @property
    def session(self) -> Session:
        """What names in its queries mean; the view's own catalog can be named, whichever was the current one."""
        return Session(self.catalog, self.namespace, catalogs=frozenset({self.name.catalog}))


def storage_name(view: TableName) -> TableName:
    """What the storage of a view is called, unless that name is taken.

    >>> storage_name(TableName(("lake", "demo", "agg"))).sql()
    'lake.demo.agg__storage'
    """
    return TableName((*view.parts[:-1], view.table + STORAGE_SUFFIX))
