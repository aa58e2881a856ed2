"""The keys and columns that tables declare in the catalog, for the tables looked up so far.

The view index uses these facts to rule out views before the tables of a query are looked up in the catalog.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from rewriter.model.names import TableName
from rewriter.model.tables import Column, Relation, Table

_Fact = TypeVar("_Fact")


class Declared(NamedTuple):
    """The keys and columns that tables declare, by table name.

    `primary` has the primary keys, `references` the tables that a table's foreign keys reference, `columns` the
    columns.

    >>> sales, dim = TableName(("lake", "sales")), TableName(("lake", "dim"))
    >>> Declared({dim: ("id",)}, {sales: frozenset({dim})}).may_join([dim], [sales, dim])
    True
    >>> Declared({dim: ("id",)}).may_join([dim], [sales, dim])
    False
    """

    primary: Mapping[TableName, tuple[str, ...]] = MappingProxyType({})
    references: Mapping[TableName, frozenset[TableName]] = MappingProxyType({})
    columns: Mapping[TableName, tuple[Column, ...]] = MappingProxyType({})

    def learned(self, relations: Mapping[TableName, Relation | None]) -> Declared:
        """Return these declarations, updated by the declarations of `relations`, which were looked up in the catalog.

        The declarations of a name that is now a view, or that does not exist (None), are removed. Return the same
        object if nothing changes.
        """
        new = {name: relation for name, relation in relations.items() if not self._knows(name, relation)}
        if not new:
            return self
        tables = {name: relation for name, relation in new.items() if isinstance(relation, Table)}
        return Declared(
            _without(self.primary, new)
            | {name: table.primary_key for name, table in tables.items() if table.primary_key},
            _without(self.references, new)
            | {name: keys for name, table in tables.items() if (keys := _referenced(table))},
            _without(self.columns, new) | {name: table.columns for name, table in tables.items()},
        )

    def _knows(self, name: TableName, relation: Relation | None) -> bool:
        if not isinstance(relation, Table):
            return name not in self.columns
        known = self.primary.get(name, ()), self.references.get(name, frozenset()), self.columns.get(name)
        return known == (relation.primary_key, _referenced(relation), relation.columns)

    def may_join(self, tables: Iterable[TableName], among: Iterable[TableName]) -> bool:
        """Return whether inner joins of `tables` to the tables `among` may keep each row of `among` exactly once.

        The declared keys allow this only if each of `tables` has a primary key and is referenced by a foreign key of
        one of `among`. The check is a filter, not a proof: it does not compare the columns of the join.
        """
        referenced = frozenset[TableName]().union(*(self.references.get(other, ()) for other in set(among)))
        return all(table in self.primary and table in referenced for table in tables)


def _without(known: Mapping[TableName, _Fact], names: Container[TableName]) -> dict[TableName, _Fact]:
    return {name: fact for name, fact in known.items() if name not in names}


def _referenced(table: Table) -> frozenset[TableName]:
    return frozenset(key.table for key in table.foreign_keys)
