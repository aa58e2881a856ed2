"""Declared keys: table properties, as Iceberg knows no keys and Spark refuses its own constraints on its tables.

viewgate.primary-key   customer_id                                  columns between commas
viewgate.foreign-keys  (customer_id) REFERENCES demo.customers (id) several between semicolons
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rewriter.model import TableName

PRIMARY_KEY, FOREIGN_KEYS = "viewgate.primary-key", "viewgate.foreign-keys"

_IDENTIFIER = r"(?:`(?:[^`]|``)+`|[^\s`.,;()]+)"
_COLUMNS = rf"\s*{_IDENTIFIER}\s*(?:,\s*{_IDENTIFIER}\s*)*"
_FOREIGN_KEY = rf"\s*\(({_COLUMNS})\)\s*REFERENCES\s+({_IDENTIFIER}(?:\.{_IDENTIFIER})*)\s*\(({_COLUMNS})\)\s*"


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns whose values are those of other columns in another table."""

    columns: tuple[str, ...]
    table: TableName
    referenced: tuple[str, ...]


def primary_key(properties: Mapping[str, str]) -> tuple[str, ...]:
    """The declared primary key; empty where there is none that can be read.

    >>> primary_key({"viewgate.primary-key": "day, `a,b`"})
    ('day', 'a,b')
    """
    declared = properties.get(PRIMARY_KEY, "")
    return _identifiers(declared) if re.fullmatch(_COLUMNS, declared) else ()


def foreign_keys(properties: Mapping[str, str], of: TableName) -> tuple[ForeignKey, ...]:
    """The declared foreign keys; none if the property cannot be read.

    The name of a table without a catalog, or without a namespace, is completed from that of the table that declares it.

    >>> declared = {"viewgate.foreign-keys": "(c) REFERENCES customers (id), (a, b) references other.t (x, y)"}
    >>> [str(key.table) for key in foreign_keys(declared, TableName(("lake", "demo", "sales")))]
    ['lake.demo.customers', 'lake.other.t']
    """
    declared = properties.get(FOREIGN_KEYS, "")
    if not re.fullmatch(rf"{_FOREIGN_KEY}(?:,{_FOREIGN_KEY})*", declared, re.IGNORECASE):
        return ()
    found = (
        ForeignKey(_identifiers(columns), _resolved(table, of), _identifiers(referenced))
        for columns, table, referenced in re.findall(_FOREIGN_KEY, declared, re.IGNORECASE)
    )
    return tuple(key for key in found if len(key.columns) == len(key.referenced))


def _identifiers(text: str) -> tuple[str, ...]:
    found = re.findall(_IDENTIFIER, text)
    return tuple(name[1:-1].replace("``", "`") if name.startswith("`") else name for name in found)


def _resolved(table: str, of: TableName) -> TableName:
    parts = _identifiers(table)
    if len(parts) == 1:
        return TableName((of.catalog, *of.namespace, *parts))
    return TableName(parts if len(parts) > 2 and parts[0] == of.catalog else (of.catalog, *parts))
