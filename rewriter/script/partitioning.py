"""Parses and checks PARTITIONED BY and ORDERED BY of a view: columns, or transforms of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rewriter.model import Column
from rewriter.script.cursor import Cursor, ScriptError
from rewriter.sql import tokenize

# The types to which each of Iceberg's transforms applies; () means all.
_TIMES = ("date", "timestamp", "timestamp_ntz")
_TRANSFORMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("year", "years", "month", "months", "day", "days", "date"), _TIMES),
    **dict.fromkeys(("hour", "hours", "date_hour"), _TIMES[1:]),
    "bucket": (),
    "truncate": (),
}


@dataclass(frozen=True)
class Partition:
    """An item of PARTITIONED BY or ORDERED BY: a transform of a column, such as `days(t)`.

    `transform` is empty for the column itself; `line` is the item's line in the script.
    """

    transform: str
    column: str
    line: int

    def check(self, view: str, columns: Sequence[Column]) -> None:
        """Raise ScriptError if this item cannot be in the PARTITIONED BY of `view`, which has the given columns."""
        if problem := self.problem("PARTITIONED BY", view, columns):
            raise ScriptError(f"line {self.line}: the view {view} cannot be partitioned: {problem}")

    def problem(self, clause: str, view: str, columns: Sequence[Column]) -> str:
        """Return the reason why this item cannot be in `clause` of `view`, which has these columns; empty if it can.

        `clause` is PARTITIONED BY or ORDERED BY.
        """
        column = next((c for c in columns if c.name.lower() == self.column.lower()), None)
        if column is None:
            known = ", ".join(c.name for c in columns)
            return f"{clause} names {self.column}, which is not a column of {view}: its columns are {known}"
        kinds = _TRANSFORMS.get(self.transform, ())
        if kinds and column.type not in kinds:
            taken = " or ".join(kind.upper() for kind in kinds)
            called = f"{self.transform}({column.name})"
            return (
                f"{clause} {called}: {column.name} has the type {column.type.upper()}, but {self.transform}() takes "
                f"{taken}"
            )
        return ""


def partitions(cursor: Cursor) -> tuple[Partition, ...]:
    """Parse the parenthesized items of PARTITIONED BY; raise ScriptError for an unknown transform or wrong syntax."""
    return cursor.listed(lambda: _partition(cursor))


def layout_problem(clause: str, text: str, view: str, columns: Sequence[Column]) -> str:
    """Return the error in the items of a clause; empty if there is no error, or if only Spark can find the error.

    `clause` is PARTITIONED BY or ORDERED BY, and `text` its items without parentheses. `columns` are the columns of the
    view `view`.

    >>> layout_problem("ORDERED BY", "a DESC, days(b)", "v", [Column("b", "date")])
    'ORDERED BY names a, which is not a column of v: its columns are b'
    """
    cursor = Cursor(text, tokenize(f"({text})"))
    try:
        items = cursor.listed(lambda: _ordered(cursor))
    except ScriptError:
        return ""
    return next(filter(None, (item.problem(clause, view, columns) for item in items)), "")


def _ordered(cursor: Cursor) -> Partition:
    item = _partition(cursor)
    _ = cursor.accept("ASC") or cursor.accept("DESC")
    _ = cursor.accept("NULLS", "FIRST") or cursor.accept("NULLS", "LAST")
    return item


def _partition(cursor: Cursor) -> Partition:
    line = cursor.line_here
    name = cursor.identifier("a column or a transform of one")
    token = cursor.peek()
    if token is None or token.text != "(":
        return Partition("", name, line)
    arguments = cursor.listed(lambda: cursor.identifier("a column or a number"))
    columns = [argument for argument in arguments if not argument.isdigit()]
    numbered = name.lower() in ("bucket", "truncate")
    if name.lower() not in _TRANSFORMS or len(columns) != 1 or len(arguments) != 1 + numbered:
        raise ScriptError(
            f"line {line}: PARTITIONED BY {name}({', '.join(arguments)}) is not supported: write a column, "
            "years(c), months(c), days(c), hours(c), bucket(n, c) or truncate(n, c)"
        )
    return Partition(name.lower(), columns[0], line)
