"""Iceberg as we see it: all metadata I/O, from a pyiceberg catalog to immutable values.

`open_catalog` picks the store for the catalog's type; `Catalog` answers the two questions of every statement (which
materialized views are there, how are these tables now), lists all that there is for tools that browse, and makes the
one commit that publishes a refresh.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyiceberg.catalog import load_catalog
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog

from proxy.catalog.catalog import Catalog
from proxy.catalog.inventory import Kind, Listed
from proxy.catalog.publish import BRANCH_PREFIX, Conflict, Published
from proxy.catalog.rest_store import RestStore
from proxy.catalog.sql_store import SqlStore
from proxy.catalog.store import CatalogError, Store

__all__ = ["BRANCH_PREFIX", "Catalog", "CatalogError", "Conflict", "Kind", "Listed", "Published", "open_catalog"]


def open_catalog(name: str, properties: Mapping[str, str], *, poll_ms: int | None = None) -> Catalog:
    """The catalog that Spark knows by this name, opened with pyiceberg's properties for it."""
    return Catalog(_store(name, properties), poll_ms=poll_ms)


def _store(name: str, properties: Mapping[str, str]) -> Store:
    try:
        iceberg = load_catalog(name, **properties)
    except Exception as failure:  # drivers, files, networks: each has its own errors
        raise CatalogError(f"catalog {name}: cannot be opened: {failure}") from failure
    if isinstance(iceberg, SqlCatalog):
        return SqlStore(iceberg)
    if isinstance(iceberg, RestCatalog):
        return RestStore(iceberg)
    raise CatalogError(
        f"catalog {name}: type {type(iceberg).__name__} has no views in pyiceberg, and a materialized view is a view; "
        "use type `sql` or `rest`"
    )
