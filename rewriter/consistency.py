"""Pins all relations that a rewritten statement reads to the snapshots on which the decision was based.

Spark reads each table of a statement at the snapshot that is current when the statement runs. If a view answers one
block and the statement also reads other tables, a commit after the decision could appear in the tables but not in the
view: a result that the original statement never returns. So if a rewritten statement reads more than one relation, each
gets `VERSION AS OF` with its snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp
from sqlglot.tokens import Token, TokenType

from rewriter.delta import Added, Changed
from rewriter.freshness import Relations
from rewriter.functions.registry import FUNCTIONS, WINDOWS, meant
from rewriter.match import Match
from rewriter.model import Table, TableName
from rewriter.sql import Edit, SelectBlock, Statement, excerpt, place_of
from rewriter.sql.writes import query_of_write

Pins = Mapping[TableName, int]

# The only catalog in which Spark keeps functions that are written in SQL, and may read tables.
_SESSION_CATALOG = "spark_catalog"
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
# After these, a name before a parenthesis is an alias with a list of columns.
_BEFORE_ALIASES = _NAMES | {TokenType.ALIAS, TokenType.R_PAREN}


def pinned(
    statement: Statement, kept: Sequence[SelectBlock], matches: Iterable[Match], relations: Relations
) -> tuple[Pins, Sequence[Edit]] | str:
    """Return the snapshots of the relations in the replaced blocks, and edits that pin the tables of the `kept` blocks.

    `kept` are the blocks that no view answers, `matches` the plans that replace the other blocks. Both results are
    empty if the rewritten statement reads a single relation, because Spark reads one relation at one snapshot anyway.
    If a table cannot be pinned, return the reason as text.
    """
    function = _reading_function(statement)
    if function:
        return f"the function {function} may read tables at a different snapshot"
    beside = [table for block in kept for table in block.tables]
    reads = frozenset[TableName]().union(*(match.rewriting.reads for match in matches))
    whole = statement.complete and all(block.tree is not None for block in kept)
    if whole and not beside and len(reads) == 1:
        return {}, ()
    if not whole:
        return "a part of the statement that is not supported may read tables at a different snapshot"
    edits = []
    for table in beside:
        edit = _edit(statement, table, relations)
        if isinstance(edit, str):
            return edit
        edits += edit
    pins = snapshots_of(reads, relations)
    return pins if isinstance(pins, str) else (pins, edits)


def table_of_two_ranges(ranges: Iterable[tuple[TableName, Added | Changed]]) -> TableName | None:
    """Return a table of which a statement would read two ranges of appended or changed rows; None if there is none.

    Spark would read the first range twice, because Spark's analyzer keeps the relations of a statement by name and
    VERSION AS OF, without the options of a FROM item. Appended rows and changed rows are read by different names.
    """
    found: dict[tuple[TableName, type], Added | Changed] = {}
    return next((name for name, read in ranges if found.setdefault((name, type(read)), read) != read), None)


def _reading_function(statement: Statement) -> str:
    """Return the name of the first function of a statement that may be written in SQL; empty if there is none.

    The body of such a function may read tables that the statement does not name. Spark's own functions are called by a
    name without a namespace. A function of the current namespace can be called so, too, but Spark keeps such functions
    only in the session catalog.

    law:    a table that a function reads cannot be pinned, and is read as elsewhere in the statement: if a view is read
            together with the changed rows of this table, the function gets only these rows
    """
    tokens = statement.tokens
    writing = query_of_write(tokens)
    if writing is not None:  # its table may have a list of columns
        tokens = [*tokens[: writing.write], *tokens[writing.query :]]
    named = zip(tokens, tokens[1:], tokens[2:], strict=False)
    calls = ((before, name) for before, name, opening in named if opening.token_type is TokenType.L_PAREN)
    return next((name.text for before, name in calls if _may_read(before, name, statement)), "")


def _may_read(before: Token, name: Token, statement: Statement) -> bool:
    """Return whether a name before an opening parenthesis may be that of a function that reads tables.

    `before` is the token before the name.
    """
    if before.token_type is TokenType.DOT:
        return True
    own = statement.session.catalog == _SESSION_CATALOG and name.token_type in _NAMES
    known = meant(name.text) in FUNCTIONS.keys() | WINDOWS.keys() or name.text.lower() in statement.ctes
    return own and not known and before.token_type not in _BEFORE_ALIASES


def _edit(statement: Statement, table: exp.Table, relations: Relations) -> list[Edit] | str:
    """Return the edits that pin one FROM item to its current snapshot, or the reason why the item cannot be pinned.

    The list is empty for a CTE, and for a table that already has VERSION AS OF with a snapshot id.
    """
    name = statement.resolve(table)
    is_common = name is None and len(table.parts) == 1 and table.name.lower() in statement.ctes
    if is_common or _names_snapshot(table):
        return []
    snapshot = _snapshot(relations.get(name)) if name is not None else None
    if snapshot is None or any(table.args.get(arg) for arg in ("version", "when", "sample", "pivots")):
        return _unpinned(excerpt(table), relations.get(name) if name is not None else None)
    end = place_of(table)[1]
    return [Edit(end, end, f" VERSION AS OF {snapshot}")]


def _names_snapshot(table: exp.Table) -> bool:
    """Return whether a FROM item has a snapshot id, as in `t VERSION AS OF 5`.

    Return False for a tag, a branch or a time, as in `t VERSION AS OF 'main'`: the snapshot of a tag or branch may
    change.
    """
    version = table.args.get("version")
    others = any(table.args.get(arg) for arg in ("when", "sample", "pivots"))
    if not isinstance(version, exp.Version) or version.name != "VERSION" or others:
        return False
    value = version.args.get("expression")
    return isinstance(value, exp.Literal) and value.name.isdecimal()


def snapshots_of(reads: Iterable[TableName], relations: Relations) -> Pins | str:
    """Return the current snapshot id of each relation.

    If a relation cannot be pinned to a snapshot, return the reason as text. `reads` are the names of the relations.
    """
    pins = {}
    for name in sorted(reads):
        snapshot = _snapshot(relations.get(name))
        if snapshot is None:
            return _unpinned(str(name), relations.get(name))
        pins[name] = snapshot
    return pins


def _unpinned(name: str, table: object) -> str:
    """Return the reason why a table cannot be pinned to a snapshot; `name` is its name in the message."""
    why = ""
    if isinstance(table, Table) and not table.snapshots:
        why = ", because it has none yet: write rows to the table"
    elif isinstance(table, Table) and _snapshot(table) is None:
        why = ", because none has its current columns yet: write rows to the table"
    return f"{name} cannot be pinned to a snapshot{why}"


def _snapshot(table: object) -> int | None:
    """Return a table's current snapshot id.

    Return None if the table has no snapshot, or if its schema differs from the snapshot's: Spark reads VERSION AS OF
    with the schema of the snapshot.
    """
    if not isinstance(table, Table) or not table.snapshots or table.snapshots[0].schema_id != table.schema_id:
        return None
    return table.snapshots[0].id
