"""The session state that can change the meaning or the result of a statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from rewriter.model.names import TableName


@dataclass(frozen=True)
class Session:
    """The state of a Spark session: current catalog and namespace, settings, time zone and temporary views.

    - `catalogs`: the names of catalogs: `x.demo.sales` is in the catalog x if x is one of `catalogs`, else in the
      namespace `x.demo`
    - `lower_names`: the catalogs in which the case of a table's name does not matter, such as a Hive Metastore; names
      of their tables are resolved in lower case
    - `defaults`: Spark's values of the settings that the session does not set
    - `off`: the reason why the statement may not be rewritten, such as SET viewgate.rewrite = off; empty if it may
    - `only`: the view that the statement's hint demands, None without such a hint: no other view may be used, and this
      view may be used even if it is estimated to be slower

    >>> Session("lake", ("demo",)).resolve(("sales",))
    TableName(parts=('lake', 'demo', 'sales'))
    """

    catalog: str
    namespace: tuple[str, ...]
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    time_zone: str = "UTC"
    catalogs: frozenset[str] = frozenset()
    temporary_views: frozenset[str] = frozenset()
    off: str = ""
    lower_names: frozenset[str] = frozenset()
    defaults: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    only: TableName | None = None

    def __hash__(self) -> int:
        # Only equality compares the settings: hashing hundreds of them would take too long.
        return hash((self.catalog, self.namespace, self.time_zone, self.off))

    def leaves_out(self, view: TableName) -> bool:
        """Return whether the statement's hint demands a view other than `view`; False without a hint."""
        return self.only is not None and self.only != view

    def resolve(self, parts: tuple[str, ...]) -> TableName | None:
        """Return the full name of a table reference, given as its parts; None if the reference names a temporary view.

        In a session with the current catalog `lake` and namespace `demo`, `sales` gives `lake.demo.sales`, and
        `x.sales` gives `lake.x.sales` unless `x` is a catalog.
        """
        if len(parts) == 1 and parts[0].lower() in self.temporary_views:
            return None
        return TableName(self._as_known((*self._full(parts[:-1]), parts[-1])))

    def qualified(self, namespace: tuple[str, ...]) -> tuple[str, ...]:
        """Return the full name of a namespace, given as its parts: its catalog comes first.

        In a session with the current catalog `lake` and namespace `demo`, `()` gives `lake.demo`, and `x` gives
        `lake.x` unless `x` is a catalog.
        """
        return self._as_known(self._full(namespace))

    def _full(self, namespace: tuple[str, ...]) -> tuple[str, ...]:
        if not namespace:
            return (self.catalog, *self.namespace)
        if namespace[0] in self.catalogs or namespace[0] == self.catalog:
            return namespace
        return (self.catalog, *namespace)

    def _as_known(self, full: tuple[str, ...]) -> tuple[str, ...]:
        """Return a full name as its catalog knows it: in lower case if case does not matter in the catalog."""
        return (full[0], *(part.lower() for part in full[1:])) if full[0] in self.lower_names else full
