"""The tables and views of a script, and the session in which queries over them are parsed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sqlglot
from sqlglot.errors import SqlglotError

from rewriter.block import Unsupported
from rewriter.engine.questions import unread
from rewriter.expanding import rewrite
from rewriter.findings import told_of_hint
from rewriter.fresh import TABLE_RECORDS, Fresh, fresh_view, query_columns
from rewriter.index import Definitions
from rewriter.model import (
    Column,
    Declared,
    ForeignKey,
    MaterializedView,
    PlainView,
    Relation,
    Session,
    Snapshot,
    Table,
    TableName,
    quoted,
    table_columns,
)
from rewriter.model.settings import TIME_ZONE
from rewriter.outcome import Outcome
from rewriter.schema import Uncertain
from rewriter.script.columns import unknown_column
from rewriter.script.cursor import ScriptError, statements
from rewriter.script.declarations import (
    Declaration,
    KeysDeclaration,
    OutputsDeclaration,
    PlainDeclaration,
    Reference,
    TableDeclaration,
    ViewDeclaration,
    declaration,
    with_added,
    with_keys,
)
from rewriter.script.explanation import Explanation, explained
from rewriter.sql import Statement, View, by_name, excerpt, hinted, parse

# Names have no catalog, and their case does not matter, as in Spark's own catalog.
SESSION = Session("", (), {TIME_ZONE: "UTC"}, catalogs=frozenset({""}), lower_names=frozenset({""}))


@dataclass(frozen=True)
class Workspace:
    """The tables and views of a script, and the session for queries; all views are assumed to be fresh."""

    session: Session
    relations: Mapping[TableName, Relation | None]
    definitions: Definitions

    def parse(self, query: str) -> Statement:
        """Return a query over the script's tables, parsed; a hint VIEWGATE in the query is applied and removed.

        Raise ScriptError if the query is empty, invalid, or not a query, or if it names an unknown table or column.
        """
        if not query.strip():
            raise ScriptError("the query is empty: write a SELECT")
        hint = hinted(query)
        if hint.problem:
            raise ScriptError(f"the query has an invalid hint: {hint.problem}")
        query = hint.sql
        statement = parse(query, hint.applied(self.session))
        if not (statement.is_query or statement.fills):
            if statement.problem:
                raise ScriptError(f"the query cannot be parsed: {statement.problem}")
            raise ScriptError(
                f"{excerpt(query)} cannot be explained: write a query, INSERT … SELECT, or CREATE TABLE … AS SELECT"
            )
        if statement.unread and not _is_sql(query):
            raise ScriptError(f"the query cannot be parsed: {statement.unread}")
        for name in statement.tables:
            if self.relations.get(name) is None:
                known = ", ".join(sorted(map(str, self.names))) or "nothing"
                raise ScriptError(
                    f"the query reads {name}, which the script does not create: create {name}, or read {known}"
                )
        self._check_columns(query, statement)
        return statement

    def _check_columns(self, query: str, statement: Statement) -> None:
        """Raise ScriptError if `query` names a column that none of the query's tables and views has.

        `statement` is the query, parsed.
        """
        views = by_name(self.definitions.plain, self.definitions.views)
        known = table_columns(self.relations) | {name: view.columns for name, view in views.items()}
        if statement.unread or any(name not in known for name in statement.tables):
            return
        tables = {name.table.lower(): [column.name for column in known[name]] for name in statement.tables}
        unknown = unknown_column(query, tables)
        if unknown is not None:
            there = "; ".join(f"{name} has {', '.join(columns)}" for name, columns in sorted(tables.items()))
            raise ScriptError(f"the query names {unknown}, which is not a column of the query's tables: {there}")

    @property
    def names(self) -> Iterable[TableName]:
        """The names of the tables and views that queries can read; storage tables are hidden."""
        storages = {view.storage for view in self.definitions.views}
        return self.relations.keys() - storages

    def rewrite(self, query: str) -> Outcome:
        """Return the outcome for a query: the views that answer, and all views tried.

        Raise ScriptError for an invalid query.
        """
        try:
            outcome = rewrite(self.parse(query), self.definitions.thorough, self.relations)
            return told_of_hint(outcome, outcome.statement.session.only, self.definitions)
        except Unsupported as problem:
            raise ScriptError(f"the query cannot be rewritten: {problem}") from problem

    def explain(self, query: str) -> Explanation:
        """Return the explanation of a query: the SQL to run, and all views tried.

        Raise ScriptError for an invalid query.
        """
        return explained(self.rewrite(query), self.definitions, self.relations)


def _is_sql(query: str) -> bool:
    """Return whether sqlglot can parse a text as a statement of any kind; True for a text that is nested too deeply."""
    try:
        return bool(sqlglot.parse(query, read="spark"))
    except RecursionError:
        return True
    except SqlglotError:
        return False


def read_script(text: str) -> Workspace:
    """Return the Workspace of a script; raise ScriptError, with the line and the remedy, for an invalid script.

    >>> workspace = read_script('''
    ...     CREATE TABLE sales (id INT PRIMARY KEY, country VARCHAR(2), price DECIMAL(10,2));
    ...     CREATE MATERIALIZED VIEW by_country AS SELECT country, sum(price) AS total FROM sales GROUP BY country;
    ... ''')
    >>> workspace.explain("SELECT sum(price) FROM sales").sql
    'SELECT CAST(CAST(sum(v.`total`) AS DECIMAL(20, 2)) AS decimal(20,2)) AS `sum(price)` FROM by_country__storage AS v'
    """
    declared = _latest(found for cursor in statements(text) if (found := declaration(cursor)) is not None)
    relations: dict[TableName, Relation | None] = {}
    for table in _tables(declared):
        relations[table.name] = table
    plain: list[PlainView] = []
    views: list[MaterializedView] = []
    for item in declared:
        known = by_name(plain, views)
        if isinstance(item, PlainDeclaration):
            plain.append(_plain(item, relations, known))
            relations[plain[-1].name] = plain[-1].state
        elif isinstance(item, ViewDeclaration):
            made = _view(item, relations, known)
            views.append(made.view)
            made.put(relations)
    declaring = Declared().learned(relations)
    return Workspace(SESSION, relations, Definitions(tuple(views), declared=declaring, plain=tuple(plain)))


def _latest(declared: Iterable[Declaration]) -> list[Declaration]:
    """Return the statements of a script, with the statements that replace or change a view applied to this view.

    The changed view keeps its place in the script, so that views over this view are created over its new query. Raise
    ScriptError for a change of a view that was not created before.
    """
    found: list[Declaration] = []
    places: dict[TableName, int] = {}
    for item in declared:
        name = _resolved(item.name)
        there = found[places[name]] if name in places else None
        if isinstance(item, OutputsDeclaration):
            if not isinstance(there, ViewDeclaration) or isinstance(there, PlainDeclaration):
                raise ScriptError(
                    f"line {item.line}: the materialized view {'.'.join(item.name)} does not exist; create it earlier "
                    "in the script"
                )
            found[places[name]] = with_added(there, item)
        elif isinstance(item, ViewDeclaration) and item.replaces and type(there) is type(item):
            found[places[name]] = item
        else:
            places.setdefault(name, len(found))
            found.append(item)
    return found


def _tables(declared: Iterable[Declaration]) -> list[Table]:
    """Return the tables with their keys; raise ScriptError for an unknown column or table, or a table created twice.

    `declared` are the statements of the script.
    """
    found: dict[TableName, TableDeclaration] = {}
    for item in declared:
        if isinstance(item, TableDeclaration):
            if _resolved(item.name) in found:
                raise ScriptError(
                    f"line {item.line}: the table {'.'.join(item.name)} is created twice; remove one CREATE TABLE "
                    "statement"
                )
            found[_resolved(item.name)] = item
        elif isinstance(item, KeysDeclaration):
            found[_resolved(item.name)] = with_keys(_known(item.name, item.line, found), item)
    return [_table(name, item, found) for name, item in found.items()]


def _table(name: TableName, item: TableDeclaration, found: Mapping[TableName, TableDeclaration]) -> Table:
    if not item.columns:
        raise ScriptError(f"line {item.line}: the table {name} has no columns; declare each column with its type")
    names = [column.name.lower() for column in item.columns]
    twice = next((column for column in names if names.count(column) > 1), None)
    if twice is not None:
        raise ScriptError(f"line {item.line}: the table {name} has two columns named {twice}; rename one of them")
    keys = tuple(_foreign_key(reference, item, found) for reference in item.references)
    primary = {_column(item, column) for column in item.primary_key}
    columns = tuple(c._replace(nullable=c.nullable and not (item.required and c.name in primary)) for c in item.columns)
    return Table(
        name,
        f"table {name}",
        columns,
        (Snapshot(1, 0, "append", 0),),
        records=TABLE_RECORDS,
        primary_key=tuple(_column(item, column) for column in item.primary_key),
        foreign_keys=keys,
        trusted=True,
    )


def _foreign_key(
    reference: Reference, item: TableDeclaration, found: Mapping[TableName, TableDeclaration]
) -> ForeignKey:
    other = _known(reference.table, item.line, found)
    referenced = reference.referenced or other.primary_key
    if len(referenced) != len(reference.columns):
        raise ScriptError(
            f"line {item.line}: the foreign key ({', '.join(reference.columns)}) and the referenced columns "
            f"({', '.join(referenced)}) of {'.'.join(reference.table)} differ in number: name as many columns of "
            f"{'.'.join(reference.table)} after REFERENCES"
        )
    own = tuple(_column(item, column) for column in reference.columns)
    theirs = tuple(_column(other, column) for column in referenced)
    if not any({_column(other, c) for c in key} == set(theirs) for key in (other.primary_key, *other.unique)):
        meant = ", ".join(theirs)
        raise ScriptError(
            f"line {item.line}: the foreign key ({', '.join(own)}) references ({meant}), which is not a key of "
            f"{'.'.join(reference.table)}: declare PRIMARY KEY ({meant}) or UNIQUE ({meant}) in that table"
        )
    return ForeignKey(own, _resolved(reference.table), theirs)


def _column(item: TableDeclaration, name: str) -> str:
    column: Column | None = next((c for c in item.columns if c.name.lower() == name.lower()), None)
    if column is None:
        known = ", ".join(c.name for c in item.columns)
        raise ScriptError(f"line {item.line}: {'.'.join(item.name)} has no column {name}; its columns are {known}")
    return column.name


def _known(name: tuple[str, ...], line: int, found: Mapping[TableName, TableDeclaration]) -> TableDeclaration:
    table = found.get(_resolved(name))
    if table is None:
        raise ScriptError(f"line {line}: the table {'.'.join(name)} does not exist; create it earlier in the script")
    return table


def _resolved(parts: tuple[str, ...]) -> TableName:
    name = SESSION.resolve(parts)
    assert name is not None  # a script has no temporary views
    return name


def _view(
    item: ViewDeclaration, relations: Mapping[TableName, Relation | None], views: Mapping[TableName, View]
) -> Fresh:
    name = _resolved(item.name)
    try:
        _check(item, relations)
        made = fresh_view(name, item.query, SESSION, relations, item.columns, views)
        columns = [column.name.lower() for column in made.view.columns]
        twice = next((column for column in columns if columns.count(column) > 1), None)
        if twice is not None:
            raise Unsupported(f"two columns are named {quoted(twice)}: give one of them another alias")
        for partition in item.partitions:
            partition.check(str(name), made.view.columns)
        return made
    except (Unsupported, Uncertain, RecursionError) as problem:
        why = unread(problem)
        raise ScriptError(f"line {item.line}: the materialized view {name} cannot be created: {why}") from problem


def _plain(
    item: PlainDeclaration, relations: Mapping[TableName, Relation | None], views: Mapping[TableName, View]
) -> PlainView:
    """Return a plain view, with the column names and types of its query; raise ScriptError for an invalid view.

    `item` is the CREATE VIEW statement, `relations` are the tables and views created so far, and `views` the views
    among them.
    """
    name = _resolved(item.name)
    try:
        _check(item, relations)
        seen = table_columns(relations) | {known: view.columns for known, view in views.items()}
        columns = query_columns(item.query, SESSION, seen)
        if item.columns is not None and len(item.columns) != len(columns):
            raise Unsupported(
                f"the column list of the view has {len(item.columns)} columns, but the query of the view has "
                f"{len(columns)}: name all columns, or none"
            )
        named = [column._replace(name=label) for column, label in zip(columns, item.columns or (), strict=False)]
        return PlainView(name, f"view {name}", 1, item.query, tuple(named or columns), SESSION.catalog, ())
    except (Unsupported, Uncertain, RecursionError) as problem:
        raise ScriptError(f"line {item.line}: the view {name} cannot be created: {unread(problem)}") from problem


def _check(item: ViewDeclaration, relations: Mapping[TableName, Relation | None]) -> None:
    if relations.get(_resolved(item.name)) is not None:
        raise Unsupported(f"the script already has a table or view named {'.'.join(item.name)}: choose another name")
    missing = [n for n in parse(item.query, SESSION).tables if relations.get(n) is None]
    if missing:
        raise Unsupported(
            f"{missing[0]} is not created earlier in the script: create {missing[0]} before this statement"
        )
