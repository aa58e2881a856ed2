"""Finds column names that no table has, so that an error can be reported for them instead of "no view answers"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from rewriter.functions.others import ROW_GENERATORS

_UNNAMED = (exp.Lateral, exp.Pivot, exp.UDTF, exp.Values, exp.Inline, exp.Explode, exp.Posexplode)
# Words that are not columns, although sqlglot parses them as columns, and the names of outputs that are literals.
_NO_COLUMNS = frozenset(
    {
        "all", "current_catalog", "current_database", "current_schema", "current_time", "current_user", "false",
        "localtimestamp", "null", "session_user", "true", "user",
    }
)  # fmt: skip
_PLAIN = re.compile(r"[a-z]\w*")  # a name with a leading underscore may be metadata, one with brackets an output


def unknown_column(query: str, tables: Mapping[str, Sequence[str]]) -> str | None:
    """Return the first name in a query that is neither a column of the query's tables nor defined in the query.

    Return None if there is no such name. The keys of `tables` are table names without namespace. A name that may not be
    a column, such as a time unit or a struct's field, is not reported. No name is reported for a query that sqlglot
    cannot parse, or that may have columns whose names are not in the text (LATERAL VIEW, PIVOT).

    >>> unknown_column("SELECT cty AS c FROM sales ORDER BY c", {"sales": ["country"]})
    'cty'
    >>> unknown_column("SELECT c + 1 FROM (SELECT country AS c FROM sales)", {"sales": ["country"]})
    """
    try:
        tree = sqlglot.parse_one(query, read="spark")
    except (SqlglotError, RecursionError):
        return None
    common = {each.alias.lower() for each in tree.find_all(exp.CTE)}
    read = {table.name.lower() for table in tree.find_all(exp.Table)}
    if not read - common or not read <= common | tables.keys() or any(map(_is_generator, tree.walk())):
        return None
    known = {name.lower() for columns in tables.values() for name in columns} | set(_named(tree))
    references = list(tree.find_all(exp.Column, bfs=False))
    # fields of structs
    known.update([node.name.lower() for node in references if not known.isdisjoint(_parts(node)[:-1])])
    return next((node.sql("spark") for node in references if _is_unknown(node, known)), None)


def _is_generator(node: exp.Expr) -> bool:
    """Return whether an item of FROM or a function may have columns whose names are not in the query's text."""
    if isinstance(node, exp.Table):
        return not isinstance(node.this, exp.Identifier)
    return isinstance(node, _UNNAMED) or (isinstance(node, exp.Anonymous) and node.name.lower() in ROW_GENERATORS)


def _named(tree: exp.Expr) -> Iterator[str]:
    """Yield the names that a query defines: output names, columns of subqueries, lambda parameters; in lower case."""
    for identifier in tree.find_all(exp.Identifier):
        parent = identifier.parent
        of_table = isinstance(parent, exp.Table) or (
            isinstance(parent, exp.TableAlias) and identifier.arg_key == "this"
        )
        if not of_table and not isinstance(parent, exp.Column):
            yield identifier.name.lower()


def _is_unknown(node: exp.Column, known: set[str]) -> bool:
    parts = _parts(node)
    if not _PLAIN.fullmatch(parts[-1]) or parts[-1] in _NO_COLUMNS or node.find_ancestor(exp.Hint):
        return False
    if isinstance(node.parent, exp.Anonymous) and len(parts) == 1:
        return False  # it may be a unit of time
    return not known.intersection(parts)


def _parts(node: exp.Column) -> list[str]:
    return [part.name.lower() for part in node.parts]
