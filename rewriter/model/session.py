"""The session state that can change the meaning of a statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from rewriter.model.names import TableName


@dataclass(frozen=True)
class Session:
    """The current catalog and namespace, the settings, and the names of temporary views.

    `lower_names` is for catalogs in which the case of a table's name means nothing. `defaults` are the values that
    Spark uses for what is not set. With `only`, no other view is used, and that one whatever it costs.

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
        # The settings count for equality alone: there are hundreds of them.
        return hash((self.catalog, self.namespace, self.time_zone, self.rewrite))

    def leaves_out(self, view: TableName) -> bool:
        """Return whether a hint asks for another view only."""
        return self.only is not None and self.only != view

    def resolve(self, parts: tuple[str, ...]) -> TableName | None:
        """Return the full name of a table reference; None if it may be a temporary view."""
        if self.lower_names:
            parts = tuple(part.lower() for part in parts)
        if len(parts) == 1:
            if parts[0].lower() in self.temporary_views:
                return None
            return TableName((self.catalog, *self.namespace, *parts))
        if parts[0] in self.catalogs or parts[0] == self.catalog:
            return TableName(parts)
        return TableName((self.catalog, *parts))
