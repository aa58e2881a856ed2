"""Opens a catalog at its first use, so that Viewgate starts while one of several catalogs is unavailable.

With a single catalog, an outage stops the start, because Viewgate could answer nothing from views. With several, the
catalog's outage begins with the first call, as any other outage does (see `reach`). A mistake in the settings of a
catalog, such as a wrong login, is no outage and stops the start (`Catalog.open`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

from pyiceberg.catalog import Catalog as IcebergCatalog

from proxy.catalog.documents import Entry
from proxy.catalog.stores import Store, Unreachable, open_store
from rewriter.model import TableName


class LateStore:
    """A store that opens its catalog, which has these properties of pyiceberg, at the first call.

    A call raises ConnectionError if the catalog is unavailable, and CatalogError if the settings are wrong. The next
    call tries to open the catalog again.
    """

    def __init__(self, name: str, properties: Mapping[str, str]) -> None:
        self.name = name
        self.lower_names = properties["type"].lower() == "hive"
        self._properties = properties
        self._opening = threading.Lock()
        self._opened: Store | None = None

    @property
    def poll_ms(self) -> int:
        """The time after which the definitions of views are read again, in milliseconds; 0 until the catalog is
        opened.
        """
        return 0 if self._opened is None else self._opened.poll_ms

    @property
    def iceberg(self) -> IcebergCatalog:
        """The catalog of pyiceberg, which this property opens if needed."""
        return self._store().iceberg

    def look(self, names: Sequence[TableName]) -> Mapping[TableName, Entry]:
        """Return the catalog entry of each name that exists; other names are left out."""
        return self._store().look(names)

    def views(self) -> Mapping[TableName, Entry]:
        """Return the catalog entries of all views, plain and materialized."""
        return self._store().views()

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        """Return all namespaces of the catalog, nested ones included."""
        return self._store().namespaces()

    def relations(self, wanted: Callable[[TableName], bool]) -> Mapping[TableName, Entry]:
        """Return the catalog entries of all tables and views whose names `wanted` accepts."""
        return self._store().relations(wanted)

    def close(self) -> None:
        """Close the connections to the catalog, if it was opened."""
        if self._opened is not None:
            self._opened.close()

    def _store(self) -> Store:
        if self._opened is not None:
            return self._opened
        try:
            opened = open_store(self.name, self._properties)  # without the lock, because it may hang
        except Unreachable as failure:
            raise ConnectionError(str(failure)) from failure
        with self._opening:
            if self._opened is None:
                self._opened = opened
                return opened
        opened.close()  # another call was faster
        return self._opened
