"""Reads an Iceberg catalog into immutable values, and commits refreshes to the catalog.

The storage table of a materialized view is the Iceberg table that holds the view's rows. `open_catalog` opens the
catalog for its type (SQL database, REST or Hive Metastore), and returns a `Catalog`. A `Catalog` returns the
materialized views and the current state of tables for each statement. It also lists all tables and views for JDBC and
BI tools, and commits refreshes.
"""

from __future__ import annotations

from collections.abc import Mapping

from proxy.catalog.catalog import Catalog
from proxy.catalog.commits import BRANCH_PREFIX, Conflict, Published
from proxy.catalog.documents import CacheUse
from proxy.catalog.inventory import Kind, Listed
from proxy.catalog.past import Refreshed
from proxy.catalog.reach import TIMEOUT_S, Unavailable
from proxy.catalog.stores import CatalogError, open_store

__all__ = [
    "BRANCH_PREFIX",
    "CacheUse",
    "Catalog",
    "CatalogError",
    "Conflict",
    "Kind",
    "Listed",
    "Published",
    "Refreshed",
    "Unavailable",
    "open_catalog",
]


def open_catalog(
    name: str, properties: Mapping[str, str], *, poll_ms: int | None = None, timeout: float = TIMEOUT_S
) -> Catalog:
    """Open the catalog with these pyiceberg properties; `name` is the catalog's name in Spark.

    A statement waits at most `timeout` seconds for a reply from the catalog. The definitions of views are read again
    after `poll_ms` milliseconds (None: the default of the catalog's type). Raise CatalogError if the catalog cannot be
    opened.
    """
    return Catalog(open_store(name, properties), poll_ms=poll_ms, timeout=timeout)
