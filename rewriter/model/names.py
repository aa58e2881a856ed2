"""Names of tables and views, and the quoting of identifiers."""

from __future__ import annotations

import re
from typing import NamedTuple

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_PART = re.compile(r"`(?:[^`]|``)*`|[^.`]+")


class TableName(NamedTuple):
    """The full name of a table or view: catalog, namespace levels, and the table's own name.

    In scripts that do not use a catalog, the catalog is the empty string.

    >>> TableName(("lake", "demo", "my sales")).sql()
    'lake.demo.`my sales`'
    """

    parts: tuple[str, ...]

    @property
    def catalog(self) -> str:
        """The name of the catalog: the first part of the full name."""
        return self.parts[0]

    @property
    def namespace(self) -> tuple[str, ...]:
        """The levels of the namespace: all parts between the catalog and the table's own name."""
        return self.parts[1:-1]

    @property
    def table(self) -> str:
        """The table's own name: the last part of the full name."""
        return self.parts[-1]

    def beside(self, parts: tuple[str, ...]) -> TableName:
        """Return the full name of a table named by `parts`, with missing parts taken from this name.

        One part is a table in this name's namespace, two parts are a namespace and a table in this name's catalog;
        three or more parts are a full name if they start with this name's catalog, else a name in this name's catalog.
        """
        if len(parts) == 1:
            return TableName((*self.parts[:-1], *parts))
        return TableName(parts if len(parts) > 2 and parts[0] == self.catalog else (self.catalog, *parts))

    def identifier(self) -> str:
        """Return the name as it is written within its catalog: without the catalog.

        Where the namespace begins with the catalog's name, the full name is returned: readers, such as `beside` and
        Iceberg's procedures, take a first part with this name for the catalog.

        >>> names = [TableName(("lake", *rest, "t")) for rest in (("demo",), ("lake",), ("lake", "demo"))]
        >>> [name.identifier() for name in names]
        ['demo.t', 'lake.lake.t', 'lake.lake.demo.t']
        >>> all(name.beside(split_name(name.identifier())) == name for name in names)
        True
        """
        return self.sql() if self.catalog in self.namespace[:1] else TableName(self.parts[1:]).sql()

    def sql(self) -> str:
        """Return the full name as Spark SQL, with backticks where needed; an empty catalog is omitted."""
        return ".".join(quoted(part) for part in self.parts if part)

    def __str__(self) -> str:
        return ".".join(filter(None, self.parts))


def quoted(identifier: str) -> str:
    """Return an identifier as Spark SQL: in backticks, unless every Spark version accepts the name without backticks.

    >>> quoted("region"), quoted("sum(price)"), quoted("a`b")
    ('region', '`sum(price)`', '`a``b`')
    """
    if _PLAIN.match(identifier) and identifier.upper() not in RESERVED:
        return identifier
    return ticked(identifier)


def ticked(identifier: str) -> str:
    """Return an identifier in backticks, with backticks inside the identifier doubled."""
    return "`" + identifier.replace("`", "``") + "`"


def unticked(identifier: str) -> str:
    """Return an identifier without its enclosing backticks, and with doubled backticks undone.

    Return an identifier without enclosing backticks unchanged.
    """
    return identifier[1:-1].replace("``", "`") if identifier.startswith("`") else identifier


def split_name(text: str) -> tuple[str, ...]:
    """Return the parts of a dotted name, without backticks; a dot in backticks does not separate parts.

    An empty text gives one empty part.

    >>> split_name("demo.`a.b``c`")
    ('demo', 'a.b`c')
    """
    return tuple(map(unticked, _PART.findall(text))) or ("",)


RESERVED = frozenset(
    (
        "ALL",
        "AND",
        "ANTI",
        "ANY",
        "AS",
        "AUTHORIZATION",
        "BOTH",
        "BY",
        "CASE",
        "CAST",
        "CHECK",
        "COLLATE",
        "COLUMN",
        "CONSTRAINT",
        "CREATE",
        "CROSS",
        "CURRENT_DATE",
        "CURRENT_TIME",
        "CURRENT_TIMESTAMP",
        "CURRENT_USER",
        "DISTINCT",
        "ELSE",
        "END",
        "ESCAPE",
        "EXCEPT",
        "EXECUTE",
        "FALSE",
        "FETCH",
        "FILTER",
        "FOR",
        "FOREIGN",
        "FROM",
        "FULL",
        "GRANT",
        "GROUP",
        "HAVING",
        "IN",
        "INNER",
        "INTERSECT",
        "INTERVAL",
        "INTO",
        "IS",
        "JOIN",
        "LATERAL",
        "LEADING",
        "LEFT",
        "MINUS",
        "NATURAL",
        "NOT",
        "NULL",
        "OFFSET",
        "ON",
        "ONLY",
        "OR",
        "ORDER",
        "OUTER",
        "OVERLAPS",
        "PRIMARY",
        "RECURSIVE",
        "REFERENCES",
        "RIGHT",
        "SELECT",
        "SEMI",
        "SESSION_USER",
        "SOME",
        "TABLE",
        "THEN",
        "TIME",
        "TO",
        "TRAILING",
        "TRUE",
        "UNION",
        "UNIQUE",
        "UNKNOWN",
        "USER",
        "USING",
        "VALUES",
        "WHEN",
        "WHERE",
        "WINDOW",
        "WITH",
        "WITHIN",
    )
)
