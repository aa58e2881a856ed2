"""The definitions of plain and materialized views, as the catalog has them; only DDL changes them."""

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
    """An Iceberg view without a storage table.

    Names in `query` are resolved in `catalog` and `namespace`. `catalogs` are further catalogs with which a name may
    begin, and `lower_names` the catalogs in which the case of names does not matter.
    """

    name: TableName
    uuid: str
    version: int
    query: str
    columns: tuple[Column, ...]
    catalog: str
    namespace: tuple[str, ...]
    catalogs: frozenset[str] = frozenset()
    lower_names: frozenset[str] = frozenset()

    @property
    def session(self) -> Session:
        """The session in which the names in the view's query are resolved."""
        return _session(self)

    @property
    def state(self) -> ViewState:
        """The view's name, UUID and version."""
        return ViewState(self.name, self.uuid, self.version)


@dataclass(frozen=True)
class MaterializedView:
    """An Iceberg view with a storage table, which holds the view's rows.

    - `query`: the query that defines the view's rows for its readers
    - `storage_query`: the query that fills the storage table: its outputs are the columns of the storage table, which
      are the outputs of `query` and hidden columns that allow aggregates to be rolled up
    - `catalog`, `namespace`: where names in both queries are resolved
    - `catalogs`: further catalogs with which a name in the queries may begin
    - `lower_names`: the catalogs in which the case of names does not matter
    - `settings`: the session settings at CREATE, with which each refresh runs; None if another tool made the view
    - `rewrite`: false if queries must not be answered from the view
    - `deferred`: true if writes through Viewgate do not start a refresh
    - `max_staleness`: the time, in seconds, for which the storage table may lack rows added to the base tables and
      still answer queries; None if it must not lack any rows
    - `through`: the names and versions of the views that the view reads; `storage_query` has their queries in place of
      their names
    - `over_views`: the storage query before this replacement
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
    catalogs: frozenset[str] = frozenset()
    lower_names: frozenset[str] = frozenset()

    @property
    def state(self) -> ViewState:
        """The view's name, UUID and version."""
        return ViewState(self.name, self.uuid, self.version)

    @property
    def written(self) -> str:
        """The query that fills the storage table, as defined: view names in it are not replaced by view queries."""
        return self.over_views or self.storage_query

    @property
    def zone(self) -> str:
        """The session time zone that was recorded at CREATE; empty if none was recorded."""
        return (self.settings or {}).get(TIME_ZONE, "")

    @property
    def session(self) -> Session:
        """The session in which the names in the view's queries are resolved."""
        return _session(self)


def _session(view: PlainView | MaterializedView) -> Session:
    catalogs = view.catalogs | {view.name.catalog}
    return Session(view.catalog, view.namespace, catalogs=catalogs, lower_names=view.lower_names)


def storage_name(view: TableName) -> TableName:
    """Return the default name of a view's storage table: the view's name with the suffix `__storage`.

    >>> storage_name(TableName(("lake", "demo", "agg"))).sql()
    'lake.demo.agg__storage'
    """
    return TableName((*view.parts[:-1], view.table + STORAGE_SUFFIX))
