"""Repeats maintenance of a table (compaction, snapshot expiry) on the storage tables of the views over the table.

The user is also warned if a view needs a snapshot that would expire: for its next incremental refresh, or for the time
during which its max_staleness allows old rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, repeat

from proxy.answering import moment_text
from proxy.catalog import Catalogs
from proxy.pipeline.statements import call
from proxy.statements import Token, scan, string_value
from proxy.statements.lexer import leading_name
from rewriter import Definitions, moment_ms
from rewriter.model import MaterializedView, Session, Snapshot, Table, TableName

# The parameters of each procedure in order; _FOLLOWED are those with the same meaning for a storage table.
_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "rewrite_data_files": ("table", "strategy", "sort_order", "options", "where"),
    "expire_snapshots": (
        "table",
        "older_than",
        "retain_last",
        "max_concurrent_deletes",
        "stream_results",
        "snapshot_ids",
    ),
}
_FOLLOWED = frozenset({"options", "older_than", "retain_last"})


@dataclass(frozen=True)
class Maintenance:
    """A call of a maintenance procedure: its name, and the name and text of each argument that also applies to
    storage tables.
    """

    procedure: str
    arguments: tuple[tuple[str, str], ...]

    def of(self, table: TableName) -> str:
        """Return the CALL statement that runs this procedure on a table, with the same arguments."""
        return call(self.procedure, table, self.arguments)


def maintenance(sql: str) -> Maintenance | None:
    """Return the maintenance procedure that a CALL statement runs, with the arguments that also apply to storage
    tables.

    Return None for any other statement, and for an expiry of snapshots by their ids alone.

    >>> maintenance("CALL lake.system.rewrite_data_files('a.t', options => map('rewrite-all', 'true'))").arguments
    (('options', "map('rewrite-all', 'true')"),)
    >>> maintenance("CALL lake.system.rollback_to_snapshot('a.t', 7)") is None
    True
    """
    found = called(sql)
    if found is None:
        return None
    procedure, given = found
    followed = tuple((name, text) for name, text in given if name in _FOLLOWED)
    if not followed and any(name == "snapshot_ids" for name, _ in given):  # without them, snapshots would expire by age
        return None
    return Maintenance(procedure, followed)


def called(sql: str) -> tuple[str, Sequence[tuple[str, str]]] | None:
    """Return the maintenance procedure that a CALL statement runs, and its arguments as pairs of name and text.

    Return None for any other statement or procedure.

    >>> called("CALL lake.system.expire_snapshots('a.t', retain_last => 5)")
    ('expire_snapshots', [('table', "'a.t'"), ('retain_last', '5')])
    """
    first = next(scan(sql), None)
    if first is None or first.keyword != "CALL":
        return None
    tokens = [token for token in scan(sql) if token.text != ";"]
    opening = next((at for at, token in enumerate(tokens) if token.text == "("), 0)
    procedure = tokens[opening - 1].identifier.lower() if opening else ""
    names = _ARGUMENTS.get(procedure)
    if names is None:
        return None
    places = chain(names, repeat(""))
    return procedure, [_argument(part, next(places), sql) for part in _parts(tokens[opening:])]


def own_tables(sql: str, session: Session, tables: Set[TableName]) -> frozenset[TableName]:
    """Return those of `tables` that a statement can maintain: for a CALL, the tables in the catalog of the procedure.

    A table of the same name in another catalog is not maintained, because a procedure of Iceberg accepts only the
    tables of its own catalog. `session` is the state of the session that runs the statement.
    """
    if called(sql) is None:
        return frozenset(tables)
    name, _ = leading_name(list(scan(sql))[1:])
    catalog = session.qualified(name[:-2])[0]  # without `system` and the procedure's own name
    return frozenset(table for table in tables if table.catalog == catalog)


def _parts(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the tokens of each argument of a call: the tokens between the outer parentheses, split at commas."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0:
            break
        if depth == 1 and token.text == ",":
            parts.append([])
        elif depth > 1 or token.text != "(":
            parts[-1].append(token)
    return [part for part in parts if part]


def _argument(part: Sequence[Token], place: str, sql: str) -> tuple[str, str]:
    """Return the name and text of an argument, whose tokens are `part`.

    If the argument is not written as `name => value`, its name is `place`: the name of the parameter at this position.
    `sql` is the statement's text.
    """
    if len(part) > 3 and [token.text for token in part[1:3]] == ["=", ">"]:
        return part[0].identifier.lower(), sql[part[3].start : part[-1].end]
    return place, sql[part[0].start : part[-1].end]


_EXPIRE, _OLDER, _IDS = "expire_snapshots", "older_than", "snapshot_ids"
_KEPT_MS = "history.expire.max-snapshot-age-ms"


def lets_expire(sql: str) -> bool:
    """Return whether a statement expires snapshots of a table, or sets the age at which the table's snapshots expire.

    >>> lets_expire("CALL system.expire_snapshots('a.t')"), lets_expire("CALL system.rewrite_data_files('a.t')")
    (True, False)
    """
    found = called(sql)
    return kept_age(sql) is not None or (found is not None and found[0] == _EXPIRE)


async def losses(
    catalogs: Catalogs, definitions: Definitions, session: Session, sql: str, tables: Set[TableName]
) -> tuple[str, ...]:
    """Return the warnings about snapshots that views over `tables` need and that the statement `sql` lets expire.

    Return an empty tuple if no view needs such a snapshot. `definitions` are the current views, and `session` is the
    state of the session that runs the statement.
    """
    found, kept_ms = called(sql), kept_age(sql)
    views = [view for view in definitions.views if not tables.isdisjoint(definitions.sources[view.name])]
    if kept_ms is not None:
        return tuple(_short(view, kept_ms) for view in views if (view.max_staleness or 0) * 1000 > kept_ms)
    names = {name for view in views for name in (view.storage, *definitions.sources[view.name])}
    relations = (await catalogs.look(names, tables)).relations
    before = _before(found[1] if found is not None else (), session)
    lines = []
    for view in views:
        storage = relations.get(view.storage)
        read = [table for name in definitions.sources[view.name] if isinstance(table := relations.get(name), Table)]
        if isinstance(storage, Table):
            lines += [_lost(view, table, needed) for table, needed in _needed(storage, read, tables, before)]
    return tuple(lines)


def kept_age(sql: str) -> int | None:
    """Return the maximum age of snapshots that an ALTER TABLE statement sets, in milliseconds.

    Return None if the statement does not set this age.

    >>> kept_age("ALTER TABLE t SET TBLPROPERTIES ('history.expire.max-snapshot-age-ms' = '3600000')")
    3600000
    """
    tokens = list(scan(sql)) if _KEPT_MS in sql else []
    if [token.keyword for token in tokens[:2]] != ["ALTER", "TABLE"]:
        return None
    strings = [string_value(token.text) if token.kind == "string" else token.text for token in tokens]
    at = strings.index(_KEPT_MS) if _KEPT_MS in strings else len(strings)
    value = next((text for text in strings[at + 1 : at + 3] if text != "="), "")
    return int(value) if value.isdecimal() else None


def _before(arguments: Sequence[tuple[str, str]], session: Session) -> int | None:
    """Return the time before which a call expires snapshots, in milliseconds since 1970; None if only Spark can
    determine it.

    `arguments` are the arguments of the call; a time without a zone is in the session's time zone.
    """
    given = dict(arguments)
    tokens = list(scan(given.get(_OLDER, "")))
    if _IDS in given or not tokens or tokens[-1].kind != "string" or len(tokens) > 2:
        return None
    return moment_ms(string_value(tokens[-1].text), session.time_zone)


def _needed(
    storage: Table, sources: Sequence[Table], tables: Set[TableName], before: int | None
) -> Iterator[tuple[Table, Snapshot]]:
    """Yield each source with the snapshot that the last refresh of `storage` read, if this snapshot may now expire.

    Only sources in `tables` are yielded, and none for a partial storage table (with only some of the view's rows).
    `before` is the time before which snapshots expire, in milliseconds since 1970; with None, every snapshot except
    the current one may expire.
    """
    recorded = {source.uuid: source.snapshot_id for source in storage.refresh.sources} if storage.refresh else {}
    for table in sources if not storage.only else ():
        needed = next((s for s in table.snapshots[1:] if s.id == recorded.get(table.uuid)), None)
        if table.name in tables and needed is not None and (before is None or needed.timestamp_ms < before):
            yield table, needed


def _lost(view: MaterializedView, table: Table, needed: Snapshot) -> str:
    return (
        f"Viewgate: the last refresh of {view.name} has read snapshot {needed.id} of {table.name} "
        f"({moment_text(needed.timestamp_ms)}); once that snapshot has expired, {view.name} answers neither together "
        "with changed rows nor within max_staleness, and its next refresh recomputes the view: to avoid that, run "
        f"REFRESH MATERIALIZED VIEW {view.name} before snapshots expire"
    )


def _short(view: MaterializedView, kept_ms: int) -> str:
    return (
        f"Viewgate: {view.name} may be {view.max_staleness} s old by its property viewgate.max_staleness, "
        f"but {_KEPT_MS} = {kept_ms} keeps the needed snapshots for only {kept_ms // 1000} s"
    )
