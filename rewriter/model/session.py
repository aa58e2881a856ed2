"""The session state that can change the meaning of a statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from rewriter.model.names import TableName


@dataclass(frozen=True)
class Session:
    """The current catalog and namespace, the settings, and the names of temporary views of a session.

    `lower_names` is true for catalogs that ignore the case of names. `defaults` are Spark's values for settings that
    are not set. With `only`, just this view may be used, whatever it costs.

    >>> Session("lake", ("demo",)).resolve(("sales",))
    TableName(parts=('lake', 'demo', 'sales'))
    """

    catalog: str
    namespace: tuple[str, ...]
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    time_zone: str = "UTC"
    catalogs: frozenset[str] = frozenset()
    temporary_views: frozenset[str] = frozenset()
    rewrite: bool = True
    lower_names: bool = False
    defaults: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    only: TableName | None = None

    def __hash__(self) -> int:
        # Only equality compares the settings: hashing hundreds of them would take too long.
        return hash((self.catalog, self.namespace, self.time_zone, self.rewrite))

    def leaves_out(self, view: TableName) -> bool:
        """Return whether a hint allows only another view."""
        return self.only is not None and self.only != view

    def resolve(self, parts: tuple[str, ...]) -> TableName | None:
        """Return the full name of a table reference; None if it may name a temporary view."""
        if self.lower_names:
            parts = tuple(part.lower() for part in parts)
        if len(parts) == 1:
            if parts[0].lower() in self.temporary_views:
                return None
            return TableName((self.catalog, *self.namespace, *parts))
        if parts[0] in self.catalogs or parts[0] == self.catalog:
            return TableName(parts)
        return TableName((self.catalog, *parts))
