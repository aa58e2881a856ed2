"""Opens the store of a catalog by its settings; errors name the setting and the remedy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyiceberg.catalog import Catalog as IcebergCatalog
from pyiceberg.catalog import load_catalog
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import NotInstalledError
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from proxy.catalog.reach import reason
from proxy.catalog.rest_store import RestStore
from proxy.catalog.sql_store import SqlStore
from proxy.catalog.store import CatalogError, Store

_EXAMPLES = {
    "sql": "postgresql+psycopg2://user:password@db.example.org/iceberg",
    "rest": "https://catalog.example.org",
}
_POSTGRES = (
    "PostgreSQL needs its driver: pip install '.[postgres]' in Viewgate's sources, "
    "and a uri that begins with postgresql+psycopg2://"
)


def open_store(name: str, properties: Mapping[str, str]) -> Store:
    """Return the store of the catalog's type; raise CatalogError with the setting to change."""
    kind, uri = properties.get("type", "").lower(), properties.get("uri", "")
    if kind not in _EXAMPLES:
        raise CatalogError(
            f"catalog {name}: type is {properties.get('type')!r}: it must be sql or rest; pyiceberg has views in no "
            "other catalog, and a materialized view is a view"
        )
    if not uri:
        raise CatalogError(f'catalog {name}: it needs uri, for example uri = "{_EXAMPLES[kind]}"')
    if kind == "sql":
        _check_database(name, uri)
    try:
        iceberg = load_catalog(name, **properties)
    except NotInstalledError as failure:
        raise CatalogError(f"catalog {name}: {_POSTGRES if 'postgres' in uri else failure}") from failure
    except Exception as failure:  # drivers, files, networks: each has its own errors
        raise CatalogError(f"catalog {name}: {_shown(uri)} cannot be opened: {reason(failure)}") from failure
    return _store(iceberg)


def _store(iceberg: IcebergCatalog) -> Store:
    assert isinstance(iceberg, SqlCatalog | RestCatalog)
    return SqlStore(iceberg) if isinstance(iceberg, SqlCatalog) else RestStore(iceberg)


def _check_database(name: str, uri: str) -> None:
    """Raise CatalogError for a SQLite file that is not there: it would be made, empty, and list no views."""
    try:
        url = make_url(uri)
    except ArgumentError as error:
        raise CatalogError(f"catalog {name}: uri is {uri!r}: it must be one like {_EXAMPLES['sql']}") from error
    memory = not url.database or url.database == ":memory:" or "uri" in url.query
    if url.get_backend_name() == "sqlite" and not memory and not Path(url.database or "").is_file():
        raise CatalogError(
            f"catalog {name}: uri is {uri!r}, and there is no file {url.database}: give the path of the file that "
            "Spark's catalog uses, with four slashes if it is absolute (sqlite:////data/catalog.db)"
        )


def _shown(uri: str) -> str:
    """Return an address without its password.

    >>> _shown("postgresql://ann:secret@db/x"), _shown("not one")
    ('postgresql://ann:***@db/x', 'not one')
    """
    try:
        return make_url(uri).render_as_string()
    except ArgumentError:
        return uri
