"""A REST catalog: each name costs a call, so the calls go out side by side.

Where the server tells a table's or view's tag (ETag), it is sent back at the next look, and the server answers without
the metadata if these are still the same. pyiceberg sends no tags.
"""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Literal, NamedTuple

from cachetools import LRUCache
from pyiceberg.catalog.rest import Endpoints, IdentifierKind, RestCatalog
from pyiceberg.exceptions import NoSuchNamespaceError
from pyiceberg.typedef import Identifier
from requests import Response

from proxy.catalog.documents import decode
from proxy.catalog.store import CatalogError, Entry
from rewriter.model import TableName

Kind = Literal["table", "view"]

_SAME = 304
_MISSING = 404
_AWAY = (502, 503, 504)  # what a load balancer says of a server that is down
_SILENCE_S = 60  # after which a thread gives up a call for which nobody waits any more
# A server that compresses its replies compares the tag with that of a compressed one, and they are never the same.
_UNCOMPRESSED = {"Accept-Encoding": "identity"}
_ENDPOINTS: Mapping[Kind, tuple[str, IdentifierKind]] = {
    "table": (Endpoints.load_table, IdentifierKind.TABLE),
    "view": (Endpoints.load_view, IdentifierKind.VIEW),
}


class Loaded(NamedTuple):
    """The reply to the last look at a name; `body` is compressed."""

    tag: str
    location: str
    body: bytes

    def metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = decode(self.body)["metadata"]
        return metadata


class RestStore:
    """Raw metadata from the server: pyiceberg's own view model drops fields of drafts that it does not know."""

    poll_ms = 10_000

    def __init__(self, iceberg: RestCatalog, parallel: int = 16, remembered: int = 1024) -> None:
        self.iceberg = iceberg
        self._loaded: LRUCache[tuple[TableName, Kind], Loaded] = LRUCache(remembered)
        self._lock = threading.Lock()
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

    def _load(self, name: TableName, kind: Kind) -> Entry | None:
        endpoint, identifier = _ENDPOINTS[kind]
        path = self.iceberg._split_identifier_for_path(name.parts[1:], identifier)
        with self._lock:
            last = self._loaded.get((name, kind))
        headers = _UNCOMPRESSED | ({"If-None-Match": last.tag} if last else {})
        reply = self.iceberg._session.get(self.iceberg.url(endpoint, **path), headers=headers)
        if reply.status_code == _SAME and last:
            return Entry(kind, last.location, last.metadata)
        if reply.status_code == _MISSING:
            return None
        if reply.status_code in _AWAY:
            raise ConnectionError(f"the REST catalog answers with HTTP {reply.status_code}")
        if not reply.ok:
            raise CatalogError(
                f"catalog {self.iceberg.name}: loading {name} failed with HTTP {reply.status_code}; see its log"
            )
        loaded: dict[str, Any] = reply.json()
        self._remember(name, kind, loaded["metadata-location"], reply)
        return Entry(kind, loaded["metadata-location"], lambda: loaded["metadata"])

    def _remember(self, name: TableName, kind: Kind, location: str, reply: Response) -> None:
        """Keep a reply for its tag; of one without a tag nothing can be asked again."""
        if tag := reply.headers.get("ETag"):
            with self._lock:
                self._loaded[name, kind] = Loaded(tag, location, gzip.compress(reply.content, 1))

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
