"""The definitions of plain and materialized views; they change only by DDL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from rewriter.model.names import TableName
from rewriter.model.session import Session
from rewriter.model.settings import TIME_ZONE
from rewriter.model.tables import Column, ViewState

STORAGE_SUFFIX = "__storage"


@dataclass(frozen=True)
class PlainView:
    """An Iceberg view without storage; its query's names are resolved in `catalog` and `namespace`."""

    name: TableName
    uuid: str
    version: int
    query: str
    columns: tuple[Column, ...]
    catalog: str
    namespace: tuple[str, ...]

    @property
    def session(self) -> Session:
        """The session in which the names of its query are resolved."""
        return Session(self.catalog, self.namespace, catalogs=frozenset({self.name.catalog}))

    @property
    def state(self) -> ViewState:
        """The identity and version of the view."""
        return ViewState(self.name, self.uuid, self.version)


@dataclass(frozen=True)
class MaterializedView:
    """An Iceberg view with a storage table.

    `query` is the query that a reader of the view sees; `storage_query` is the SELECT whose outputs are, by name, the
    columns of the storage table: those of `query`, and hidden columns that allow roll-ups. Names in both are resolved
    in `catalog` and `namespace`. `settings` are the session settings of CREATE, which each refresh uses; None for a
    view made by another tool. `max_staleness` is the time in seconds for which storage may lack rows that were added to
    the tables.

    For a view over views, `storage_query` has these views expanded, `through` lists them with their versions, and
    `over_views` is the query as it was written.
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
    max_staleness: int | None = None
    over_views: str = ""
    through: tuple[ViewState, ...] = ()

    @property
    def state(self) -> ViewState:
        """The identity and version of the view."""
        return ViewState(self.name, self.uuid, self.version)

    @property
    def written(self) -> str:
        """The storage query as it was written, which may name views."""
        return self.over_views or self.storage_query

    @property
    def zone(self) -> str:
        """The recorded time zone; empty if none is recorded."""
        return (self.settings or {}).get(TIME_ZONE, "")

    @property
    def session(self) -> Session:
        """The session in which the names of its queries are resolved, with its own catalog known."""
        return Session(self.catalog, self.namespace, catalogs=frozenset({self.name.catalog}))


def storage_name(view: TableName) -> TableName:
    """Return the default name of a view's storage table.

    >>> storage_name(TableName(("lake", "demo", "agg"))).sql()
    'lake.demo.agg__storage'
    """
    return TableName((*view.parts[:-1], view.table + STORAGE_SUFFIX))
