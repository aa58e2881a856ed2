"""A REST catalog: each name costs a call, so the calls go out side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Literal

from pyiceberg.catalog.rest import Endpoints, IdentifierKind, RestCatalog
from pyiceberg.exceptions import NoSuchNamespaceError
from pyiceberg.typedef import Identifier

from proxy.catalog.store import CatalogError, Entry
from rewriter.model import TableName

_MISSING = 404
_AWAY = (502, 503, 504)  # what a load balancer says of a server that is down
_SILENCE_S = 60  # after which a thread gives up a call for which nobody waits any more
_ENDPOINTS = {
    "table": (Endpoints.load_table, IdentifierKind.TABLE),
    "view": (Endpoints.load_view, IdentifierKind.VIEW),
}


class RestStore:
    """Raw metadata from the server: pyiceberg's own view model drops fields of drafts that it does not know."""

    poll_ms = 10_000

    def __init__(self, iceberg: RestCatalog, parallel: int = 16) -> None:
        self.iceberg = iceberg
        # The session is pyiceberg's own, with its login. A commit has no limit: cut off, it may have been made.
        iceberg._session.get = partial(iceberg._session.get, timeout=_SILENCE_S)  # type: ignore[method-assign]
        self._threads = ThreadPoolExecutor(parallel, "catalog-rest")

    def look(self, names: Sequence[TableName]) -> Mapping[TableName, Entry]:
        """Return the entries of the names that exist now."""
        wanted = [name for name in names if len(name.parts) > 2]
        found = self._threads.map(self._find, wanted)
        return {name: entry for name, entry in zip(wanted, found, strict=True) if entry is not None}

    def views(self) -> Mapping[TableName, Entry]:
        """Return all views."""
        names = [TableName((self.iceberg.name, *view)) for space in self._namespaces(()) for view in self._views(space)]
        found = self._threads.map(self._view, names)
        return {name: entry for name, entry in zip(names, found, strict=True) if entry is not None}

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        """Return all namespaces."""
        return sorted(self._namespaces(()))

    def relations(self, wanted: Callable[[TableName], bool]) -> Mapping[TableName, Entry]:
        """Return all tables and views whose names are wanted."""
        found = self._threads.map(lambda space: (*self._tables(space), *self._views(space)), self.namespaces())
        names = {TableName((self.iceberg.name, *name)) for listed in found for name in listed}
        return self.look([name for name in sorted(names) if wanted(name)])

    def close(self) -> None:
        """Close the connections and let the threads go."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.iceberg.close()

    def _find(self, name: TableName) -> Entry | None:
        return self._load(name, "table") or self._view(name)

    def _view(self, name: TableName) -> Entry | None:
        return self._load(name, "view")

    def _load(self, name: TableName, kind: Literal["table", "view"]) -> Entry | None:
        endpoint, identifier = _ENDPOINTS[kind]
        path = self.iceberg._split_identifier_for_path(name.parts[1:], identifier)
        reply = self.iceberg._session.get(self.iceberg.url(endpoint, **path))
        if reply.status_code == _MISSING:
            return None
        if reply.status_code in _AWAY:
            raise ConnectionError(f"the REST catalog answers with HTTP {reply.status_code}")
        if not reply.ok:
            raise CatalogError(f"catalog {self.iceberg.name}: loading {name} failed with HTTP {reply.status_code}")
        loaded: dict[str, Any] = reply.json()
        return Entry(kind, loaded["metadata-location"], lambda: loaded["metadata"])

    def _namespaces(self, parent: Identifier) -> Iterator[Identifier]:
        for namespace in self.iceberg.list_namespaces(parent):
            yield namespace
            yield from self._namespaces(namespace)

    def _tables(self, namespace: Identifier) -> list[Identifier]:
        try:
            return list(self.iceberg.list_tables(namespace))
        except NoSuchNamespaceError:  # dropped since it was listed
            return []

    def _views(self, namespace: Identifier) -> list[Identifier]:
        try:
            return list(self.iceberg.list_views(namespace))
        except NoSuchNamespaceError:  # dropped since it was listed
            return []
