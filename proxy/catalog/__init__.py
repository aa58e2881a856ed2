"""Reads Iceberg catalogs into immutable values, and commits refreshes to them.

The storage table of a materialized view is the Iceberg table that holds the view's rows. `Catalogs` holds all
configured catalogs: it returns the materialized views and the current state of tables, which every statement needs, and
lists all tables and views for JDBC and BI tools. `Catalog` is one of them, and makes the commit that publishes a
refresh. `open_catalogs` opens the catalogs, each for its type (SQL database, REST or Hive Metastore).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from proxy.catalog.catalog import Catalog
from proxy.catalog.catalogs import Catalogs, Looked
from proxy.catalog.commits import BRANCH_PREFIX, Conflict, NotCommitted, Published
from proxy.catalog.documents import CacheUse
from proxy.catalog.inventory import Kind, Listed
from proxy.catalog.late import LateStore
from proxy.catalog.past import Refreshed
from proxy.catalog.reach import TIMEOUT_S, Unavailable
from proxy.catalog.stores import CatalogError, check_properties, open_store
from proxy.catalog.unanswered import NoCurrentCatalog, is_unanswered, no_current_catalog, raise_told, told

__all__ = [
    "BRANCH_PREFIX",
    "CacheUse",
    "Catalog",
    "CatalogError",
    "Catalogs",
    "Conflict",
    "Kind",
    "Listed",
    "Looked",
    "NoCurrentCatalog",
    "NotCommitted",
    "Published",
    "Refreshed",
    "Unavailable",
    "is_unanswered",
    "no_current_catalog",
    "open_catalog",
    "open_catalogs",
    "raise_told",
    "told",
]


async def open_catalogs(
    properties: Mapping[str, Mapping[str, str]], *, timeout: float = TIMEOUT_S, late: bool = False
) -> Catalogs:
    """Open the catalogs with these pyiceberg properties, by the catalogs' names in Spark.

    A statement waits at most `timeout` seconds for a reply from a catalog. If `late`, a catalog may be down now, and is
    opened once it answers. Raise CatalogError if the properties of a catalog are invalid, or if it cannot be opened
    now, unless it is only down and `late` is set.
    """
    opened = [open_catalog(name, each, timeout=timeout, late=late) for name, each in properties.items()]
    await asyncio.gather(*(catalog.open() for catalog in opened))
    return Catalogs(opened)


def open_catalog(
    name: str,
    properties: Mapping[str, str],
    *,
    poll_ms: int | None = None,
    timeout: float = TIMEOUT_S,
    late: bool = False,
) -> Catalog:
    """Open the catalog with these pyiceberg properties; `name` is the catalog's name in Spark.

    A statement waits at most `timeout` seconds for a reply from the catalog. The definitions of views are read again
    after `poll_ms` milliseconds (None: the default of the catalog's type). If `late`, the first call opens the catalog,
    so that it may be unavailable now. Raise CatalogError if the properties are invalid, or if the catalog cannot be
    opened now.
    """
    if late:
        check_properties(name, properties)
    store = LateStore(name, properties) if late else open_store(name, properties)
    return Catalog(store, poll_ms=poll_ms, timeout=timeout)
