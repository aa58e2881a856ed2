"""Which tables declare keys: what the index knows before it looks a statement's tables up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from rewriter.model.names import TableName
from rewriter.model.tables import Relation, Table


class Keys(NamedTuple):
    """The primary keys of tables, and pairs of tables of which the first references the second.

    >>> sales, dim = TableName(("lake", "sales")), TableName(("lake", "dim"))
    >>> Keys({dim: ("id",)}, frozenset({(sales, dim)})).may_join([dim], [sales, dim])
    True
    >>> Keys({dim: ("id",)}).may_join([dim], [sales, dim])
    False
    """

    primary: Mapping[TableName, tuple[str, ...]] = MappingProxyType({})
    references: frozenset[tuple[TableName, TableName]] = frozenset()

    def learned(self, relations: Mapping[TableName, Relation | None]) -> Keys:
        """The same with what these relations declare now."""
        tables = [relation for relation in relations.values() if isinstance(relation, Table)]
        before = {name: key for name, key in self.primary.items() if name not in relations}
        primary = {table.name: table.primary_key for table in tables if table.primary_key}
        found = {(table.name, key.table) for table in tables for key in table.foreign_keys}
        kept = {pair for pair in self.references if pair[0] not in relations}
        return Keys(before | primary, frozenset(kept | found))

    def may_join(self, tables: Iterable[TableName], among: Iterable[TableName]) -> bool:
        """Whether inner joins of such tables can leave all rows of the others as they are."""
        others = set(among)
        return all(
            table in self.primary and any(other in others for other, key in self.references if key == table)
            for table in tables
        )
