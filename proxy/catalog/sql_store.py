"""A catalog in a SQL database (SQLite, PostgreSQL): one SELECT tells where the metadata of all names at hand is.

pyiceberg knows no views in such a catalog, so its table `iceberg_tables` is read as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import Row, TextClause, bindparam, text

from proxy.catalog.documents import read
from proxy.catalog.store import Entry
from rewriter.model import TableName

_COLUMNS = "table_namespace, table_name, iceberg_type, metadata_location"
_ALL = text(f"SELECT {_COLUMNS} FROM iceberg_tables WHERE catalog_name = :catalog")
_VIEWS = text(f"SELECT {_COLUMNS} FROM iceberg_tables WHERE catalog_name = :catalog AND iceberg_type = 'VIEW'")
# A namespace without properties is known by its tables alone.
_NAMESPACES = text(
    "SELECT namespace FROM iceberg_namespace_properties WHERE catalog_name = :catalog "
    "UNION SELECT table_namespace FROM iceberg_tables WHERE catalog_name = :catalog"
)


class SqlStore:
    """The rows of `iceberg_tables` that belong to one catalog."""

    poll_ms = 500

    def __init__(self, iceberg: SqlCatalog) -> None:
        self.iceberg = iceberg

    def look(self, names: Sequence[TableName]) -> Mapping[TableName, Entry]:
        """Return the entries of the names that exist now."""
        wanted = [name for name in names if len(name.parts) > 2]
        if not wanted:
            return {}
        keys = {f"n{at}": ".".join(name.namespace) for at, name in enumerate(wanted)}
        keys |= {f"t{at}": name.table for at, name in enumerate(wanted)}
        return self._entries(_lookup(len(wanted)), keys)

    def views(self) -> Mapping[TableName, Entry]:
        """Return all views."""
        return self._entries(_VIEWS, {})

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        """Return all namespaces."""
        with self.iceberg.engine.connect() as connection:
            found = connection.execute(_NAMESPACES, {"catalog": self.iceberg.name}).scalars().all()
        return sorted(tuple(name.split(".")) for name in found)

    def relations(self, wanted: Callable[[TableName], bool]) -> Mapping[TableName, Entry]:
        """Return all tables and views whose names are wanted."""
        return {name: entry for name, entry in self._entries(_ALL, {}).items() if wanted(name)}

    def close(self) -> None:
        """Close the database's connections."""
        self.iceberg.close()

    def _entries(self, query: TextClause, keys: Mapping[str, str]) -> dict[TableName, Entry]:
        with self.iceberg.engine.connect() as connection:
            rows = connection.execute(query, {"catalog": self.iceberg.name, **keys}).all()
        return dict(self._named(rows))

    def _named(self, rows: Iterable[Row[Any]]) -> Iterable[tuple[TableName, Entry]]:
        for row in rows:
            namespace, name, kind, location = tuple(row)
            found = Entry(
                kind="view" if kind == "VIEW" else "table",
                location=location,
                load=partial(read, location, self.iceberg.properties),
            )
            yield TableName((self.iceberg.name, *namespace.split("."), name)), found


def _lookup(count: int) -> TextClause:
    """Return the SELECT for that many names; row values in IN lists are not understood by every database."""
    either = " OR ".join(f"(table_namespace = :n{at} AND table_name = :t{at})" for at in range(count))
    query = text(f"SELECT {_COLUMNS} FROM iceberg_tables WHERE catalog_name = :catalog AND ({either})")
    return query.bindparams(*(bindparam(f"{key}{at}") for at in range(count) for key in "nt"))
