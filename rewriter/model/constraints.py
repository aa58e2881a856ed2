"""Primary and foreign keys that a table's owner declares as table properties; Spark does not enforce them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rewriter.model.names import TableName, quoted, unticked

PRIMARY_KEY = "viewgate.primary-key"
FOREIGN_KEYS = "viewgate.foreign-keys"
TRUST = "viewgate.trust-constraints"

_IDENTIFIER = r"(?:`(?:[^`]|``)+`|\w+)"
_LIST = rf"{_IDENTIFIER}(?:\s*,\s*{_IDENTIFIER})*"
_KEY = re.compile(rf"\s*(?:\(\s*({_LIST})\s*\)|({_LIST}))\s*\Z")
_FOREIGN_KEY = re.compile(
    rf"\s*(?:FOREIGN\s+KEY\s*)?(?:\(\s*({_LIST})\s*\)|({_IDENTIFIER}))\s*REFERENCES\s+"
    rf"({_IDENTIFIER}(?:\.{_IDENTIFIER})*)\s*\(\s*({_LIST})\s*\)\s*(?:[;,]\s*|\Z)",
    re.IGNORECASE,
)


class ConstraintError(ValueError):
    """An error in a table property that declares primary or foreign keys; the message gives the expected form."""


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A declared foreign key of a table: `columns` reference the columns `referenced` of `table`.

    The values of `columns` in each row without NULLs equal the values of `referenced` in exactly one row of `table`.
    """

    columns: tuple[str, ...]
    table: TableName
    referenced: tuple[str, ...]

    def __str__(self) -> str:
        return f"FOREIGN KEY ({_listed(self.columns)}) REFERENCES {self.table} ({_listed(self.referenced)})"


def read_primary_key(text: str) -> tuple[str, ...]:
    """Return the columns in the text of a primary key property; raise ConstraintError if the text is invalid.

    >>> read_primary_key("l_orderkey, l_linenumber")
    ('l_orderkey', 'l_linenumber')
    """
    match = _KEY.match(text)
    if match is None:
        raise ConstraintError(f"{PRIMARY_KEY} = '{text}' is not a list of columns: write 'l_orderkey, l_linenumber'")
    return _identifiers(match[1] or match[2])


def read_foreign_keys(text: str, owner: TableName) -> tuple[ForeignKey, ...]:
    """Return the foreign keys in the property `text` of the table `owner`; raise ConstraintError if `text` is invalid.

    A referenced table without catalog or namespace is in the catalog and namespace of `owner`.

    >>> key, = read_foreign_keys("(day) REFERENCES dates (d)", TableName(("lake", "demo", "sales")))
    >>> str(key)
    'FOREIGN KEY (day) REFERENCES lake.demo.dates (d)'
    """
    keys, at = [], 0
    while at < len(text):
        match = _FOREIGN_KEY.match(text, at)
        if match is None:
            raise ConstraintError(
                f"{FOREIGN_KEYS} = '{text}' cannot be parsed from '{text[at:][:40]}' on: "
                "write '(customer_id) REFERENCES customers (id); (day) REFERENCES dates (d)'"
            )
        columns, referenced = _identifiers(match[1] or match[2]), _identifiers(match[4])
        if len(columns) != len(referenced):
            raise ConstraintError(
                f"{FOREIGN_KEYS}: {match[0].strip()} has {len(columns)} columns, but references {len(referenced)}: "
                "name the same number"
            )
        keys.append(ForeignKey(columns, owner.beside(_identifiers(match[3])), referenced))
        at = match.end()
    return tuple(keys)


def _identifiers(text: str) -> tuple[str, ...]:
    return tuple(map(unticked, re.findall(_IDENTIFIER, text)))


def _listed(columns: tuple[str, ...]) -> str:
    return ", ".join(map(quoted, columns))
