"""The names of tables and views, as a catalog writes them."""

from __future__ import annotations

import re
from typing import NamedTuple

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_PART = re.compile(r"`(?:[^`]|``)*`|[^.`]+")


class TableName(NamedTuple):
    """A full name: catalog, namespace levels, table. The catalog is empty for scripts without one.

    >>> TableName(("lake", "demo", "my sales")).sql()
    'lake.demo.`my sales`'
    """

    parts: tuple[str, ...]

    @property
    def catalog(self) -> str:
        """The first part."""
        return self.parts[0]

    @property
    def namespace(self) -> tuple[str, ...]:
        """The parts between catalog and table."""
        return self.parts[1:-1]

    @property
    def table(self) -> str:
        """The last part."""
        return self.parts[-1]

    def beside(self, parts: tuple[str, ...]) -> TableName:
        """Return the full name that `parts` mean beside this name: missing parts are taken from this name.

        That is `table` in this name's namespace, `namespace.table` in its catalog, or a full name in its catalog.
        """
        if len(parts) == 1:
            return TableName((*self.parts[:-1], *parts))
        return TableName(parts if len(parts) > 2 and parts[0] == self.catalog else (self.catalog, *parts))

    def sql(self) -> str:
        """Return the name as Spark SQL, with backticks where needed."""
        return ".".join(quoted(part) for part in self.parts if part)

    def __str__(self) -> str:
        return ".".join(filter(None, self.parts))


def quoted(identifier: str) -> str:
    """Return an identifier as Spark SQL: bare if every Spark version accepts that, else in backticks.

    >>> quoted("region"), quoted("sum(price)"), quoted("a`b")
    ('region', '`sum(price)`', '`a``b`')
    """
    if _PLAIN.match(identifier) and identifier.upper() not in RESERVED:
        return identifier
    return ticked(identifier)


def ticked(identifier: str) -> str:
    """Return an identifier in back-ticks."""
    return "`" + identifier.replace("`", "``") + "`"


def unticked(identifier: str) -> str:
    """Return an identifier without its back-ticks."""
    return identifier[1:-1].replace("``", "`") if identifier.startswith("`") else identifier


def split_name(text: str) -> tuple[str, ...]:
    """Return the components of a dotted name; dots in back-ticks do not separate.

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
