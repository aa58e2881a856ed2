"""Parses the statements of a script (CREATE TABLE, ALTER TABLE, CREATE VIEW …), before table names are resolved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from rewriter.model import Column, TableName
from rewriter.model.constraints import FOREIGN_KEYS, PRIMARY_KEY, ConstraintError, read_foreign_keys, read_primary_key
from rewriter.schema import Uncertain, column_type
from rewriter.script.cursor import Cursor, ScriptError
from rewriter.script.partitioning import Partition, partitions
from rewriter.sql import ParseError, output_names, with_outputs

# Keywords that may follow a column's type, and end it.
_OPTIONS = ("NOT", "NULL", "NOT NULL", "PRIMARY", "PRIMARY KEY", "REFERENCES", "UNIQUE", "COMMENT", "DEFAULT", "CHECK")
_PARTITIONED = ("PARTITIONED", "PARTITIONED BY")
_MORE_OPTIONS = ("GENERATED", "CONSTRAINT", "COLLATE", "FOREIGN KEY", "FOREIGN", ",")


@dataclass(frozen=True)
class Reference:
    """A foreign key: its columns, the referenced table as typed, and the referenced columns.

    `referenced` is empty if the statement names no referenced columns: these are then the primary key of the referenced
    table.
    """

    columns: tuple[str, ...]
    table: tuple[str, ...]
    referenced: tuple[str, ...]


@dataclass(frozen=True)
class TableDeclaration:
    """A CREATE TABLE statement; `line` is the line on which the statement starts.

    `required` is true if the columns of the primary key become NOT NULL: a PRIMARY KEY clause makes them NOT NULL, a
    table property that declares a primary key does not. `unique` has the columns of each UNIQUE constraint.
    """

    name: tuple[str, ...]
    line: int
    columns: tuple[Column, ...] = ()
    primary_key: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    required: bool = True
    unique: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class KeysDeclaration:
    """An ALTER TABLE statement: ADD PRIMARY KEY, ADD FOREIGN KEY, or SET TBLPROPERTIES with keys.

    `line` is the line on which the statement starts. `primary_key` is empty if the statement declares none. `required`
    is true if the columns of the primary key become NOT NULL: ADD PRIMARY KEY makes them NOT NULL, a table property
    does not.
    """

    name: tuple[str, ...]
    line: int
    primary_key: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    required: bool = True


@dataclass(frozen=True)
class ViewDeclaration:
    """A CREATE MATERIALIZED VIEW statement; `columns` is None if the statement does not name the columns.

    `replaces` is true for CREATE OR REPLACE.
    """

    name: tuple[str, ...]
    line: int
    query: str
    columns: tuple[str, ...] | None = None
    partitions: tuple[Partition, ...] = ()
    replaces: bool = False


@dataclass(frozen=True)
class PlainDeclaration(ViewDeclaration):
    """A CREATE VIEW statement."""


@dataclass(frozen=True)
class OutputsDeclaration:
    """An ALTER MATERIALIZED VIEW … ADD COLUMNS statement; `outputs` are the SQL expressions of the added columns."""

    name: tuple[str, ...]
    line: int
    outputs: str


Declaration = TableDeclaration | KeysDeclaration | ViewDeclaration | OutputsDeclaration


def declaration(cursor: Cursor) -> Declaration | None:
    """Parse one statement and return its declaration; None for an INSERT. Raise ScriptError for any other statement."""
    for beginning, read in _STATEMENTS:
        if cursor.accept(*beginning):
            return read(cursor)
    raise ScriptError(
        f"{cursor.wrong('expected a statement that a script can contain', shown=3)}: write CREATE TABLE with its "
        "columns, ALTER TABLE … ADD PRIMARY KEY, ADD FOREIGN KEY or SET TBLPROPERTIES, CREATE VIEW or CREATE "
        "MATERIALIZED VIEW … AS SELECT …, or ALTER MATERIALIZED VIEW … ADD COLUMNS (…)"
    )


def _table(cursor: Cursor) -> TableDeclaration:
    line = cursor.line
    cursor.accept("IF", "NOT", "EXISTS")
    read = _Columns(cursor, TableDeclaration(cursor.name("a table's name"), line))
    cursor.listed(read.item)
    cursor.skip("TBLPROPERTIES")  # USING, PARTITIONED BY and so on do not change the meaning of queries
    table = read.table
    if cursor.accept("TBLPROPERTIES"):
        table = with_keys(table, _properties(cursor, table.name, line))
    cursor.skip()
    return table


def with_keys(table: TableDeclaration, keys: KeysDeclaration) -> TableDeclaration:
    """Return the table with `keys` added: the keys that an ALTER TABLE or table properties declare.

    A new primary key replaces the old one.
    """
    table = replace(table, references=(*table.references, *keys.references))
    return replace(table, primary_key=keys.primary_key, required=keys.required) if keys.primary_key else table


@dataclass
class _Columns:
    """A parser of the column list of CREATE TABLE; `table` has the columns and keys parsed so far."""

    cursor: Cursor
    table: TableDeclaration
    key: tuple[str, ...] = field(default=())

    def item(self) -> None:
        """Parse one item of the column list: a column, or a table constraint such as PRIMARY KEY (a, b)."""
        if self.cursor.accept("CONSTRAINT"):
            self.cursor.identifier("a constraint's name")
        if self.cursor.accept("PRIMARY", "KEY"):
            self._primary(_names(self.cursor))
        elif self.cursor.accept("FOREIGN", "KEY"):
            self._reference(_names(self.cursor))
        elif self.cursor.accept("UNIQUE"):
            self._unique(_names(self.cursor))
        elif self.cursor.accept("CHECK"):
            self.cursor.skip(",")
        else:
            self._column()
            return
        self.cursor.skip(",")  # NOT ENFORCED, RELY, ON DELETE and so on

    def _column(self) -> None:
        name = self.cursor.identifier("a column's name")
        line = self.cursor.line_here
        try:
            kind = column_type(self.cursor.skip(*_OPTIONS, *_MORE_OPTIONS, brackets="()<>"))
        except Uncertain as problem:
            raise ScriptError(f"line {line}: the type of the column {name} is wrong: {problem}") from problem
        nullable = True
        while (token := self.cursor.peek()) is not None and token.text not in (",", ")"):
            nullable = self._option(name) and nullable
        columns = (*self.table.columns, Column(name, kind, nullable, len(self.table.columns) + 1))
        self.table = replace(self.table, columns=columns)

    def _option(self, name: str) -> bool:
        """Parse one option of the column `name`, such as NOT NULL or UNIQUE; return whether the option allows NULLs."""
        if self.cursor.accept("NOT", "NULL"):
            return False
        if self.cursor.accept("PRIMARY", "KEY"):
            self._primary((name,))
        elif self.cursor.accept("REFERENCES"):
            self._referenced((name,))
        elif self.cursor.accept("UNIQUE"):
            self._unique((name,))
        elif not any(self.cursor.accept(word) for word in ("NULL", "NOT", "FOREIGN", "KEY", "PRIMARY")):
            self.cursor.step()
            self.cursor.skip("NOT", "PRIMARY", "PRIMARY KEY", "REFERENCES", ",")
        return True

    def _unique(self, columns: tuple[str, ...]) -> None:
        self.table = replace(self.table, unique=(*self.table.unique, columns))

    def _primary(self, columns: tuple[str, ...]) -> None:
        self.table = replace(self.table, primary_key=columns)

    def _reference(self, columns: tuple[str, ...]) -> None:
        self.cursor.expect("REFERENCES")
        self._referenced(columns)

    def _referenced(self, columns: tuple[str, ...]) -> None:
        reference = _reference(self.cursor, columns)
        self.table = replace(self.table, references=(*self.table.references, reference))


def _names(cursor: Cursor) -> tuple[str, ...]:
    return cursor.listed(lambda: cursor.identifier("a column's name"))


def _reference(cursor: Cursor, columns: tuple[str, ...]) -> Reference:
    """Parse the part of a foreign key after REFERENCES; return the foreign key of the given columns."""
    table = cursor.name("a table's name")
    token = cursor.peek()
    named = token is not None and token.text == "("
    return Reference(columns, table, _names(cursor) if named else ())


def _keys(cursor: Cursor) -> KeysDeclaration:
    made = KeysDeclaration(cursor.name("a table's name"), cursor.line)
    if cursor.accept("SET", "TBLPROPERTIES"):
        return _properties(cursor, made.name, made.line)
    if not cursor.accept("ADD"):
        raise cursor.wrong("expected ADD PRIMARY KEY, ADD FOREIGN KEY or SET TBLPROPERTIES")
    if cursor.accept("CONSTRAINT"):
        cursor.identifier("a constraint's name")
    if cursor.accept("PRIMARY", "KEY"):
        made = replace(made, primary_key=_names(cursor))
    elif cursor.accept("FOREIGN", "KEY"):
        columns = _names(cursor)
        cursor.expect("REFERENCES")
        made = replace(made, references=(_reference(cursor, columns),))
    else:
        raise cursor.wrong("expected PRIMARY KEY (…) or FOREIGN KEY (…) REFERENCES …")
    cursor.skip()
    return made


def _properties(cursor: Cursor, owner: tuple[str, ...], line: int) -> KeysDeclaration:
    """Parse table properties and return the keys that they declare; other properties are ignored.

    `owner` is the name of the table, `line` the line for error messages. Raise ScriptError if the text of a key
    property is not valid.
    """
    given = dict(cursor.listed(lambda: _property(cursor)))
    try:
        primary_key = read_primary_key(given[PRIMARY_KEY]) if PRIMARY_KEY in given else ()
        keys = read_foreign_keys(given.get(FOREIGN_KEYS, ""), TableName(("", *owner)))
    except ConstraintError as problem:
        raise ScriptError(f"line {line}: the table properties are not valid: {problem}") from problem
    references = tuple(Reference(key.columns, key.table.parts[1:], key.referenced) for key in keys)
    return KeysDeclaration(owner, line, primary_key, references, required=False)


def _property(cursor: Cursor) -> tuple[str, str]:
    """Parse `'key' = 'value'`; return the key and the value without quotes, with an empty value if there is none."""
    key = cursor.skip("=", ",").strip("'\"")
    return key, cursor.skip(",").strip("'\"") if cursor.accept("=") else ""


def _view(cursor: Cursor) -> ViewDeclaration:
    line = cursor.line
    cursor.accept("IF", "NOT", "EXISTS")
    name = cursor.name("a view's name")
    token = cursor.peek()
    columns = None
    if token is not None and token.text == "(":
        columns = cursor.listed(lambda: _named(cursor))
    # COMMENT, WITH DEFERRED REFRESH and PROPERTIES do not matter, because all views count as fresh
    cursor.skip("AS", *_PARTITIONED)
    by = partitions(cursor) if cursor.accept("PARTITIONED", "BY") else ()
    cursor.skip("AS")
    cursor.expect("AS")
    return ViewDeclaration(name, line, cursor.rest("a query"), columns, by)


def _plain(cursor: Cursor) -> PlainDeclaration:
    made = _view(cursor)
    return PlainDeclaration(made.name, made.line, made.query, made.columns)


def _replacing(read: Callable[[Cursor], ViewDeclaration]) -> Callable[[Cursor], ViewDeclaration]:
    return lambda cursor: replace(read(cursor), replaces=True)


def _outputs(cursor: Cursor) -> OutputsDeclaration:
    line = cursor.line
    name = cursor.name("a view's name")
    if not (cursor.accept("ADD", "COLUMNS") or cursor.accept("ADD", "COLUMN")):
        raise cursor.wrong("expected ADD COLUMNS (…)")
    cursor.expect("(")
    outputs = cursor.skip()
    cursor.expect(")")
    return OutputsDeclaration(name, line, outputs)


def with_added(view: ViewDeclaration, added: OutputsDeclaration) -> ViewDeclaration:
    """Return the declaration of a view with the outputs of an ALTER MATERIALIZED VIEW statement added.

    Raise ScriptError if the statement cannot be parsed, or cannot be applied to the view.
    """
    try:
        names = output_names(added.outputs)
    except ParseError as problem:
        raise ScriptError(
            f"line {added.line}: ADD COLUMNS ({added.outputs}) cannot be parsed: {problem}; give SQL expressions "
            "separated by commas"
        ) from problem
    query, view_name = with_outputs(view.query, added.outputs), ".".join(view.name)
    if query is None:
        raise ScriptError(
            f"line {added.line}: ADD COLUMNS is not possible, because the query of {view_name} is not a single "
            "SELECT … FROM: write CREATE OR REPLACE MATERIALIZED VIEW"
        )
    if view.columns is None:
        return replace(view, line=added.line, query=query)
    if "" in names:
        raise ScriptError(
            f"line {added.line}: {view_name} was created with a list of column names: give each added column a name "
            "with AS"
        )
    return replace(view, line=added.line, query=query, columns=(*view.columns, *names))


def _named(cursor: Cursor) -> str:
    name = cursor.identifier("a column's name")
    cursor.skip(",")
    return name


def _rows(cursor: Cursor) -> None:
    """Skip an INSERT, because rows do not change how queries are rewritten."""
    cursor.skip()


_STATEMENTS: tuple[tuple[tuple[str, ...], Callable[[Cursor], Declaration | None]], ...] = (
    (("CREATE", "TABLE"), _table),
    (("CREATE", "OR", "REPLACE", "TABLE"), _table),
    (("ALTER", "TABLE"), _keys),
    (("CREATE", "VIEW"), _plain),
    (("CREATE", "OR", "REPLACE", "VIEW"), _replacing(_plain)),
    (("CREATE", "MATERIALIZED", "VIEW"), _view),
    (("CREATE", "OR", "REPLACE", "MATERIALIZED", "VIEW"), _replacing(_view)),
    (("ALTER", "MATERIALIZED", "VIEW"), _outputs),
    (("INSERT",), _rows),
)
