"""Iceberg as we see it: all metadata I/O, from a pyiceberg catalog to immutable values.

`open_catalog` picks the store for the catalog's type; `Catalog` answers the two questions of every statement (which
materialized views are there, how are these tables now), lists all that there is for tools that browse, and makes the
one commit that publishes a refresh.
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
    """Open the catalog of this name in Spark; a statement waits at most `timeout` for a reply of the catalog."""
    return Catalog(open_store(name, properties), poll_ms=poll_ms, timeout=timeout)
