"""Reads golden files, and builds the tables and views that a file describes.

A file has sections, each opened by a line `--@ …`: `schema` (CREATE TABLE), `rows` (INSERT), `appended` (INSERT, and
UPDATE and DELETE, after the views were refreshed, which makes them stale), `settings` (key = value lines of the
session), `plain NAME` (a view without storage: its query), `view NAME` (the query of a materialized view, which may
read earlier ones; with `IN zone` made in a session of another time zone; with `WHERE condition` its storage holds
only those rows; with `FRESH WHERE condition` it holds all rows, of which only those are fresh), `least` and `most`
(bounds of the times in storage), `records` (`table = rows` lines) and `ranges` (`table.column = least..greatest`
lines), which are statistics of base tables, `case: title` (a query), and after each case either `rewritten using
VIEW` (the expected SQL, followed by `(not proved: reason)` if the verifier cannot decide) or `kept: REASON …`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import sqlglot
from sqlglot import exp

from rewriter import Definitions, Outcome, define, parse, rewrite
from rewriter.block import Unsupported, build_block, find_among
from rewriter.derived import common_of, texts_of
from rewriter.model import (
    ChildView,
    Column,
    Declared,
    MaterializedView,
    PlainView,
    RefreshState,
    Relation,
    Session,
    Snapshot,
    SourceState,
    Table,
    TableName,
    table_columns,
)
from rewriter.model.constraints import FOREIGN_KEYS, PRIMARY_KEY, read_foreign_keys, read_primary_key
from rewriter.model.settings import TIME_ZONE
from rewriter.schema import output_types
from rewriter.sql import View, by_name, expand, in_place

FOLDER = Path(__file__).parent
NAMESPACE = ("lake", "demo")


@dataclass
class Case:
    """A query and its expected decision."""

    title: str
    query: str
    verdict: str = ""
    expected: str = ""

    @property
    def views(self) -> frozenset[str]:
        """The views that answer; empty if the query is kept.

        >>> sorted(Case("", "", "rewritten using a, b (not proved: they join otherwise)").views)
        ['a', 'b']
        """
        kind, _, names = self.verdict.partition("rewritten using ")
        return frozenset(names.partition(" (")[0].split(", ")) if not kind and names else frozenset()


@dataclass
class GoldenFile:
    """A parsed golden file.

    Random cases also have changes `later` than those of `appended`, and views that were `refreshed` again, by the
    number of changes before their last refresh: 1 or 2.
    """

    path: Path
    head: str = ""
    schema: str = ""
    rows: str = ""
    appended: str = ""
    later: str = ""
    refreshed: dict[str, int] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    records: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, str] = field(default_factory=dict)
    plain: dict[str, str] = field(default_factory=dict)
    views: dict[str, str] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    fresh: dict[str, str] = field(default_factory=dict)
    zones: dict[str, str] = field(default_factory=dict)
    least: str = ""
    most: str = ""
    cases: list[Case] = field(default_factory=list)

    @property
    def stale(self) -> bool:
        """Return whether the file's views are stale when its cases run."""
        return bool(self.appended or self.fresh)


def golden_files() -> list[Path]:
    """Return all files of the corpus."""
    return sorted(FOLDER.glob("*.sql"))


def read(path: Path) -> GoldenFile:
    """Parse a golden file."""
    golden = GoldenFile(path)
    for header, body in _sections(path.read_text()):
        kind, _, rest = header.partition(" ")
        if not header:
            golden.head = body
        elif kind in ("schema", "rows", "appended"):
            setattr(golden, kind, body)
        elif kind in ("settings", "records", "ranges"):
            setattr(golden, kind, dict(_pairs(body)))
        elif kind == "plain":
            golden.plain[rest.strip()] = body
        elif kind == "view":
            named, _, part = rest.partition(" WHERE ")
            named, stale, _ = named.partition(" FRESH")
            name, _, zone = named.partition(" IN ")
            golden.views[name.strip()] = body
            (golden.fresh if stale else golden.parts).update({name.strip(): part.strip()} if part else {})
            golden.zones |= {name.strip(): zone.strip()} if zone else {}
        elif kind in ("least", "most"):
            setattr(golden, kind, body.strip())
        elif kind == "case:":
            golden.cases.append(Case(rest.strip(), body))
        else:
            golden.cases[-1].verdict, golden.cases[-1].expected = header, body
    return golden


def _pairs(body: str) -> Iterator[tuple[str, str]]:
    """Yield the `key = value` lines of a section."""
    for line in filter(str.strip, body.splitlines()):
        key, _, value = line.partition("=")
        yield key.strip(), value.strip()


def write(golden: GoldenFile) -> None:
    """Write a golden file with current verdicts and SQL."""
    parts = [golden.head] if golden.head else []
    parts += [f"--@ schema\n{golden.schema}", f"--@ rows\n{golden.rows}"]
    if golden.appended:
        parts.append(f"--@ appended\n{golden.appended}")
    if golden.settings:
        parts.append("--@ settings\n" + "\n".join(f"{k} = {v}" for k, v in golden.settings.items()))
    if golden.ranges:
        parts.append("--@ ranges\n" + "\n".join(f"{k} = {v}" for k, v in golden.ranges.items()))
    if golden.records:
        parts.append("--@ records\n" + "\n".join(f"{k} = {v}" for k, v in golden.records.items()))
    parts += [f"--@ plain {name}\n{query}" for name, query in golden.plain.items()]
    parts += [f"--@ {bound}\n{at}" for bound, at in (("least", golden.least), ("most", golden.most)) if at]
    held = {name: f"{name} WHERE {part}" for name, part in golden.parts.items()}
    held |= {name: f"{name} FRESH WHERE {part}" for name, part in golden.fresh.items()}
    held |= {name: f"{name} IN {zone}" for name, zone in golden.zones.items()}
    parts += [f"--@ view {held.get(name, name)}\n{query}" for name, query in golden.views.items()]
    text = "\n".join(parts) + "\n"
    for case in golden.cases:
        text += f"\n--@ case: {case.title}\n{case.query}\n--@ {case.verdict}\n"
        text += f"{case.expected}\n" if case.expected else ""
    golden.path.write_text(text)


def _sections(text: str) -> Iterator[tuple[str, str]]:
    header = ""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("--@ "):
            yield header, "\n".join(lines).strip()
            header, lines = line[4:].strip(), []
        else:
            lines.append(line)
    yield header, "\n".join(lines).strip()


@dataclass
class World:
    """The tables and views of a golden file as the rewriter sees them, all fresh."""

    session: Session
    relations: dict[TableName, Relation | None]
    definitions: Definitions

    def rewrite(self, query: str) -> Outcome:
        """Return the decision about a query with all views tried, and check that the shortlist gives the same."""
        statement = parse(query, self.session)
        outcome = rewrite(statement, self.definitions.thorough, self.relations)
        looked_up = self.definitions.closure(statement)
        quick = rewrite(statement, self.definitions, {name: self.relations.get(name) for name in looked_up})
        assert quick.sql() == outcome.sql(), (
            f"the shortlist of {query} leaves out {outcome.sql()}: Question.possible in rewriter/question.py selects "
            "the views, by the requirements of rewriter/block_requirements.py and rewriter/select_requirements.py"
        )
        return outcome


def world(golden: GoldenFile) -> World:
    """Build the world of a file."""
    settings = {TIME_ZONE: "UTC"} | golden.settings
    session = Session(
        NAMESPACE[0], NAMESPACE[1:], settings, time_zone=settings[TIME_ZONE], catalogs=frozenset({NAMESPACE[0]})
    )
    growing = touched_by(golden.appended + golden.later)
    relations: dict[TableName, Relation | None] = {
        t.name: replace(t, snapshots=(replace(t.snapshots[0], id=t.snapshots[0].id - 500),))
        if t.name.table in growing
        else t
        for t in tables(golden.schema)
    }
    plain: list[PlainView] = []
    for name, query in golden.plain.items():
        plain.append(_plain(name, query, session, relations, plain))
        relations[plain[-1].name] = plain[-1].state
    views: list[MaterializedView] = []
    for number, (name, query) in enumerate(golden.views.items()):
        zone = golden.zones.get(name, session.time_zone)
        elsewhere = replace(session, settings={**settings, TIME_ZONE: zone}, time_zone=zone)
        view, storage = _view(name, query, elsewhere, relations, number, by_name(plain, views))
        least, most = (tuple(time_values(at, storage.columns)) for at in (golden.least, golden.most))
        storage = replace(storage, least=least, most=most)
        views = [*in_place([*views, view], plain)]
        assert storage.refresh is not None
        children = tuple(ChildView(v.uuid, v.version) for v in views[-1].through)
        part = golden.parts.get(name, golden.fresh.get(name, ""))
        behind = "its table has changed since" if name in golden.fresh else ""
        state = replace(storage.refresh, children=children, only=part, behind=behind)
        relations[storage.name] = replace(storage, refresh=state)
        relations[view.name] = view.state
    for table in [*relations.values()]:
        if isinstance(table, Table) and table.name.table in golden.records:
            table = replace(table, records=int(golden.records[table.name.table]))
        if isinstance(table, Table):
            relations[table.name] = replace(table, ranges=tuple(_ranges(golden.ranges, table.name.table)))
    relations |= dict(_grown(golden.appended, golden.later, relations))
    relations |= {
        view.storage: _refreshed(relations[view.storage], golden, golden.refreshed[view.name.table], relations)
        for view in views
        if view.name.table in golden.refreshed
    }
    relations |= {view.storage: _in_part(relations[view.storage], relations) for view in views}
    declared = Declared().learned(relations)
    return World(session, relations, Definitions(tuple(views), declared=declared, plain=tuple(plain)))


def time_values(text: str, columns: Iterable[Column]) -> Iterator[tuple[str, int]]:
    """Yield the date and time columns, if the file gives a bound for them."""
    if text:
        at = int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())
        yield from ((column.name, at) for column in columns if column.type in ("timestamp", "date"))


def _ranges(told: Mapping[str, str], table: str) -> Iterator[tuple[str, int, int]]:
    """Yield the bounds that a file gives for integer columns of a table."""
    for name, bounds in told.items():
        of, _, column = name.partition(".")
        if of == table:
            least, _, greatest = bounds.partition("..")
            yield column, int(least), int(greatest)


def _grown(
    appended: str, later: str, relations: Mapping[TableName, Relation | None]
) -> Iterator[tuple[TableName, Table]]:
    """Yield the tables that were changed after the views were refreshed, by one snapshot for each batch of changes."""
    for name in touched_by(appended + later):
        table = relations[TableName((*NAMESPACE, name))]
        assert isinstance(table, Table)
        (before,) = snapshots = table.snapshots
        batches = [batch for batch in (appended, later) if name in touched_by(batch)]
        for i, batch in enumerate(batches, start=1):
            at = before.id + (GROWN if i == len(batches) else BETWEEN)
            snapshots = (_changed(at, before, taken=name in taken_from(batch)), *snapshots)
        yield table.name, replace(table, snapshots=snapshots, records=None)


def _changed(snapshot: int, before: Snapshot, *, taken: bool) -> Snapshot:
    """Return a snapshot that adds rows and, if some were `taken`, deletes some."""
    came = Snapshot(snapshot, before.timestamp_ms + 1, "append", before.schema_id, 1000, delete_files=0)
    return replace(came, operation="overwrite", removed=1000) if taken else came


def _refreshed(
    storage: Relation | None, golden: GoldenFile, changes: int, relations: Mapping[TableName, Relation | None]
) -> Table:
    """Return a storage table as if its last refresh came after so many batches of changes: 1 or 2."""
    assert isinstance(storage, Table)
    assert storage.refresh is not None
    tables = [table for table in relations.values() if isinstance(table, Table)]
    first = touched_by(golden.appended)
    # Counted from the last snapshot of a table, which is the oldest.
    back = {table.uuid: -1 if table.name.table not in first else -2 for table in tables}
    at = {table.uuid: table.snapshots[0 if changes == 2 else back[table.uuid]].id for table in tables}
    sources = tuple(replace(source, snapshot_id=at[source.uuid]) for source in storage.refresh.sources)
    return replace(storage, refresh=replace(storage.refresh, sources=sources))


def _in_part(storage: Relation | None, relations: Mapping[TableName, Relation | None]) -> Relation | None:
    """Return a partly fresh storage table as Viewgate reads it after changes of its tables; others unchanged."""
    if not isinstance(storage, Table) or storage.refresh is None or not storage.behind:
        return storage
    now = {table.uuid: table.snapshot_id for table in relations.values() if isinstance(table, Table)}
    sources = tuple(replace(source, snapshot_id=now[source.uuid]) for source in storage.refresh.sources)
    if sources == storage.refresh.sources:
        return storage
    whole = replace(storage.refresh, only="", behind="")
    return replace(storage, refresh=replace(storage.refresh, sources=sources, whole=whole))


# Snapshots of tables that grow are 500 and so on, then 5500: how the emulation in DuckDB tells them from others. Tables
# that grow twice have a snapshot 5400 and so on in between.
GROWN, BETWEEN = 5000, 4900


def touched_by(changes: str) -> list[str]:
    """Return the tables that INSERT, UPDATE and DELETE statements name, each once."""
    return list(dict.fromkeys(re.findall(r"(?:INSERT INTO|DELETE FROM|UPDATE) (\w+)", changes)))


def taken_from(changes: str) -> list[str]:
    """Return the tables that UPDATE and DELETE statements name."""
    return re.findall(r"(?:DELETE FROM|UPDATE) (\w+)", changes)


def without_properties(schema: str) -> str:
    """Return the CREATE TABLE statements of a schema, without the statements that declare keys."""
    return re.sub(r"ALTER TABLE[^;]*;?", "", schema)


def tables(schema: str) -> Iterator[Table]:
    """Yield the tables of CREATE TABLE statements, with the keys that ALTER TABLE … SET TBLPROPERTIES declares."""
    properties = {
        table: dict(re.findall(r"'([^']*)' = '([^']*)'", text))
        for table, text in re.findall(r"ALTER TABLE (\w+) SET TBLPROPERTIES \(([^;]*)\)", schema)
    }
    for table in _created(without_properties(schema)):
        declared = properties.get(table.name.table, {})
        yield replace(
            table,
            primary_key=read_primary_key(declared[PRIMARY_KEY]) if PRIMARY_KEY in declared else (),
            foreign_keys=read_foreign_keys(declared.get(FOREIGN_KEYS, ""), table.name),
        )


def _created(schema: str) -> Iterator[Table]:
    for number, statement in enumerate(sqlglot.parse(schema, read="spark")):
        if statement is None:
            continue
        assert isinstance(statement, exp.Create)
        columns = []
        for position, column in enumerate(statement.this.expressions, start=1):
            required = any(isinstance(c.kind, exp.NotNullColumnConstraint) for c in column.constraints)
            kind = column.args["kind"].sql("spark").lower().replace(", ", ",")
            columns.append(Column(column.name, kind, not required, position))
        name = TableName((*NAMESPACE, statement.this.this.name))
        snapshot = Snapshot(1000 + number, 0, "append", 0, delete_files=0)
        yield Table(name, f"uuid-{name}", tuple(columns), (snapshot,), records=10_000)


def _plain(
    name: str, query: str, session: Session, relations: Mapping[TableName, Relation | None], known: list[PlainView]
) -> PlainView:
    """Return a view without storage over these tables and views, with the columns that Spark would give it."""
    full = TableName((*NAMESPACE, name))
    whole = expand(parse(query, session), {view.name: view for view in known}).statement
    tree = whole.blocks[0].tree
    assert tree is not None
    block = build_block(tree, find_among(whole, table_columns(relations)))
    columns = tuple(Column(n or "", k) for n, k in zip(block.names, output_types(block), strict=True))
    return PlainView(full, f"uuid-{full}", 1, query, columns, session.catalog, session.namespace)


def _view(
    name: str,
    query: str,
    session: Session,
    relations: dict[TableName, Relation | None],
    number: int,
    views: Mapping[TableName, View],
) -> tuple[MaterializedView, Table]:
    full = TableName((*NAMESPACE, name))
    definition = define(query, session, relations, views=views)
    as_tables = {v.name: Table(v.name, v.uuid, v.columns, ()) for v in views.values()}
    outputs = output_columns(definition.storage_query, session, {**relations, **as_tables})
    view = MaterializedView(
        full, f"uuid-{full}", 1, definition.query, definition.storage_query,
        TableName((*NAMESPACE, f"{name}__storage")), outputs[: len(outputs) - len(definition.hidden)],
        *(session.catalog, session.namespace), settings=session.settings,
    )  # fmt: skip
    used = [relations[source] for source in definition.sources]
    state = RefreshState(
        1, tuple(SourceState(t.name, t.uuid, t.snapshot_id) for t in used if isinstance(t, Table)), view_uuid=view.uuid
    )
    snapshot = Snapshot(2000 + number, 0, "append", 0)
    storage = Table(view.storage, f"uuid-{view.storage}", outputs, (snapshot,), refresh=state, records=100)
    return view, storage


def output_columns(
    storage_query: str, session: Session, known: Mapping[TableName, Relation | None]
) -> tuple[Column, ...]:
    """Return the storage's columns with Spark's types for columns and for aggregates of columns, else `unknown`.

    For a view over derived tables, Viewgate's own type oracle is used.
    """
    statement = parse(storage_query, session)
    if len(statement.blocks) > 1 and (main := statement.main) is not None and main.tree is not None:
        find = find_among(statement, table_columns(known))
        texts, common = texts_of(main, statement, find), common_of(statement, find)
        try:
            block = build_block(main.tree, find, common, texts=texts, ties=True)
        except Unsupported:
            pass
        else:
            return tuple(Column(n or "", k) for n, k in zip(block.names, output_types(block), strict=True))
    tree = statement.blocks[0].tree
    assert tree is not None
    scope = {table.alias_or_name: known[name] for table in statement.blocks[0].tables
             if (name := statement.resolve(table)) is not None}  # fmt: skip
    return tuple(Column(item.alias_or_name, _type(item.unalias(), scope)) for item in tree.expressions)


def _type(tree: exp.Expr, scope: Mapping[str, Relation | None]) -> str:
    if isinstance(tree, exp.Column):
        table = scope.get(tree.table) or next(iter(scope.values()))
        column = table.column(tree.name) if isinstance(table, Table) else None
        return column.type if column else "unknown"
    if isinstance(tree, exp.Literal):
        return "string" if tree.is_string else "int"
    if isinstance(tree, exp.Cast):
        return str(tree.to.sql("spark")).lower().replace(", ", ",")
    if isinstance(tree, exp.Add) and isinstance(tree.expression, exp.Interval):
        return _type(tree.this, scope)
    if not isinstance(tree, exp.Anonymous):
        return "unknown"
    if tree.name in ("timestamp_seconds", "timestamp_millis"):
        return "timestamp"
    if tree.name == "timeseries":
        return _type(tree.expressions[0], scope)
    argument = _type(tree.expressions[0], scope)
    aggregate = _AGGREGATES.get(tree.name.lower())
    return aggregate(argument) if aggregate is not None else "unknown"


def _sum(kind: str) -> str:
    if kind.startswith("decimal("):
        precision, scale = kind[8:-1].split(",")
        return f"decimal({min(38, int(precision) + 10)},{scale})"
    return {"int": "bigint", "bigint": "bigint", "double": "double"}.get(kind, "unknown")


def _average(kind: str) -> str:
    if kind.startswith("decimal("):
        precision, scale = kind[8:-1].split(",")
        return f"decimal({min(38, int(precision) + 4)},{min(38, int(scale) + 4)})"
    return "double" if kind in ("tinyint", "smallint", "int", "bigint", "float", "double") else "unknown"


_AGGREGATES: dict[str, Callable[[str], str]] = {
    "avg": _average,
    "count": lambda kind: "bigint",
    "sum": _sum,
    "min": lambda kind: kind,
    "max": lambda kind: kind,
    "bool_and": lambda kind: kind,
    "bool_or": lambda kind: kind,
    "median": lambda kind: "double",
}
