"""The interface of an Iceberg catalog: the current metadata location of a name, and the metadata."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pyiceberg.catalog import Catalog as IcebergCatalog

from proxy.catalog.documents import Document
from rewriter.model import TableName


class CatalogError(Exception):
    """The catalog cannot be used as configured; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A table or view at one metadata location; `load` reads the document there."""

    kind: Literal["table", "view"]
    location: str
    load: Callable[[], Document]


class Store(Protocol):
    """A catalog's blocking calls; each is used from several threads at once."""

    poll_ms: int

    @property
    def iceberg(self) -> IcebergCatalog:
        """The catalog itself, for what pyiceberg can do."""
        ...

    def look(self, names: Sequence[TableName]) -> Mapping[TableName, Entry]:
        """Return the entries of the names that exist now."""
        ...

    def views(self) -> Mapping[TableName, Entry]:
        """Return all views."""
        ...

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        """Return all namespaces."""
        ...

    def relations(self, wanted: Callable[[TableName], bool]) -> Mapping[TableName, Entry]:
        """Return all tables and views whose names are wanted."""
        ...

    def close(self) -> None:
        """Let connections and threads go."""
        ...
