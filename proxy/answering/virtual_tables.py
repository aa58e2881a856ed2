"""Replaces virtual tables and calls of table functions in a statement by their rows, because Spark does not know them.

Each name of a virtual table is replaced by a subquery with the table's current rows, and each call of
`mv_dependencies('view')` or `stale_files('view')` by a subquery with the function's rows. Spark evaluates the rest
of the statement. The rows are passed as one JSON literal, which is cheap to parse.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Any, NamedTuple

from proxy.catalog import Catalogs
from proxy.hs2 import SqlError
from proxy.pipeline import dependencies
from proxy.pipeline.dependencies import FUNCTIONS
from proxy.statements import Token, scan, string_value
from rewriter import Edit
from rewriter.model import MaterializedView, Session, split_name

_BEFORE_KIND = frozenset({"CREATE", "OR", "REPLACE", "GLOBAL", "TEMP", "TEMPORARY", "ALTER"})
# What would keep the rows of one moment, by the first word of a statement other than these.
_KEEPS = {"VIEW": "in the query of a view", "FUNCTION": "in the body of a function", "CACHE": "in a cached table"}
_RUNS = {"BEGIN": "in a script", "EXECUTE": "by EXECUTE IMMEDIATE"}


class Call(NamedTuple):
    """A call of a table function: the function, its argument (a view's name), and its position in the statement."""

    function: str
    view: str
    start: int
    end: int


def calls(sql: str) -> Iterator[Call]:
    """Yield the calls of Viewgate's table functions in a statement; raise SqlError 42601 for a wrong argument.

    >>> list(calls("SELECT * FROM stale_files('demo.m1') f"))
    [Call(function='stale_files', view='demo.m1', start=14, end=36)]
    """
    tokens = list(scan(sql))
    for name, opening, view, closing in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
        if name.keyword.lower() in FUNCTIONS and opening.text == "(":
            yield _call(name, view, closing)


def _call(name: Token, view: Token, closing: Token) -> Call:
    function = name.text.lower()
    if view.kind != "string" or closing.text != ")":
        raise SqlError(f"{function} takes the name of a materialized view in quotes: {function}('demo.m1')", "42601")
    return Call(function, string_value(view.text), name.start, closing.end)


async def expand(sql: str, session: Session, catalogs: Catalogs) -> list[Edit]:
    """Return the edits that replace each call of a table function in a statement by the call's rows.

    Raise SqlError if the statement would store the rows (as CREATE VIEW would), or if a call names no materialized
    view.
    """
    for text in texts_run_by(sql):
        if call := next(calls(text), None):
            check_reads_now(sql, f"{call.function}()")
    edits = []
    for call in calls(sql):
        check_reads_now(sql, f"{call.function}()")
        view = await _view(call, session, catalogs)
        _, columns = FUNCTIONS[call.function]
        found = await dependencies.rows(catalogs, call.function, view)
        text = await asyncio.to_thread(_rows_text, columns, map(_json(columns), found))
        edits.append(Edit(call.start, call.end, text))
    return edits


def in_no_view(what: str) -> SqlError:
    """Return the SqlError for a statement that defines a view over `what`, the name of a virtual table or table
    function.
    """
    return _kept(what, _KEEPS["VIEW"])


def _kept(what: str, place: str) -> SqlError:
    return SqlError(
        f"{what} returns the current rows and cannot be read {place}: use a SELECT statement, or store the "
        "rows with CREATE TABLE … AS SELECT",
        "0A000",
    )


def check_reads_now(sql: str, what: str) -> None:
    """Raise SqlError 0A000 if a statement must not read `what`, a virtual table or table function that the statement
    names.

    - CREATE VIEW, CREATE FUNCTION and CACHE TABLE are refused, because they would store the current rows.
    - Scripts and EXECUTE IMMEDIATE are refused, because their statements run later and may store the rows, too.
    """
    kind = next((word for word in (token.keyword for token in scan(sql)) if word not in _BEFORE_KIND), "")
    if kind in _KEEPS:
        raise _kept(what, _KEEPS[kind])
    if kind in _RUNS:
        raise SqlError(
            f"{what} cannot be read {_RUNS[kind]}: send the query that reads {what} as a separate statement", "0A000"
        )


def texts_run_by(sql: str) -> Iterator[str]:
    """Yield the string literals of a script or an EXECUTE IMMEDIATE: each literal may be the text of a statement to
    run.
    """
    words = [token.keyword for token in scan(sql)]
    if words and words[0] in _RUNS and "EXECUTE" in words:
        yield from (string_value(token.text) for token in scan(sql) if token.kind == "string")


async def _view(call: Call, session: Session, catalogs: Catalogs) -> MaterializedView:
    name = session.resolve(split_name(call.view))
    found = await catalogs.view(name) if name is not None else None
    if found is None:
        hint = "SHOW MATERIALIZED VIEWS lists all materialized views"
        raise SqlError(f"materialized view {call.view} does not exist; {hint}", "42P01")
    return found


LONGEST = 10_000  # characters of a text in a row
_LONGEST_STATEMENT = 50_000_000  # characters of inserted rows; each mention of a table inserts them again
_encoded = json.JSONEncoder(separators=(",", ":")).encode
_BACKSLASH = "¬"  # stands for a backslash in JSON, whose other characters are ASCII

Row = Mapping[str, Any]
# Returns the rows of a table, the most important first, because the last may be cut off.
Rows = Callable[[str], Awaitable[Sequence[Row]]]

# Keywords that may follow a table's name and are not its alias.
_NO_ALIAS = frozenset(
    {
        "ANTI", "CLUSTER", "CROSS", "DISTRIBUTE", "EXCEPT", "FETCH", "FOR", "FROM", "FULL", "GROUP", "HAVING", "INNER",
        "INSERT", "INTERSECT", "JOIN", "LATERAL", "LEFT", "LIMIT", "MINUS", "NATURAL", "OFFSET", "ON", "ORDER", "PIVOT",
        "QUALIFY", "RIGHT", "SELECT", "SEMI", "SET", "SETMINUS", "SORT", "TABLESAMPLE", "TIMESTAMP", "UNION", "UNPIVOT",
        "USING", "VALUES", "VERSION", "WHEN", "WHERE", "WINDOW",
    }
)  # fmt: skip
_OF_DESCRIBE = frozenset({"table", "extended", "formatted"})
_BEFORE_RELATION = frozenset({"FROM", "JOIN", ",", "(", "USING", "LATERAL"})


class Reference(NamedTuple):
    """A virtual table's name in a statement: in FROM (`relation` is true), or as the qualifier of a column.

    `start` and `end` are the offsets of the name and the TABLESAMPLE clause after it (`sample`, empty without such a
    clause). In FROM, this text is replaced by a subquery, followed by the same clause, because Spark expects
    TABLESAMPLE between a subquery and its alias. If the statement gives the table no alias (`aliased` is false), an
    alias is added.
    """

    name: str
    table: str
    start: int
    end: int
    relation: bool
    aliased: bool = False
    sample: str = ""


class Described(NamedTuple):
    """The virtual table that a DESCRIBE statement describes: its full name, and its columns with their types.

    `column` is the name of the only column that is described; empty for all columns.
    """

    name: str
    columns: Mapping[str, str]
    column: str = ""


@dataclass(frozen=True)
class VirtualSchema:
    """A schema of virtual tables: the schema's names, and the columns and types of each table.

    The rows of one table may have at most `most` characters in a statement. A schema that exists only in Viewgate is an
    `own` schema; the name of any other schema may also denote a schema in Spark.

    - In an `own` schema, an unknown table or a write to a table is an error, and rows beyond `most` characters are left
      out.
    - In any other schema, unknown tables are left for Spark to resolve, and rows of more than `most` characters are an
      error.
    """

    names: Sequence[tuple[str, ...]]
    tables: Mapping[str, Mapping[str, str]]
    most: int
    own: bool = False

    def mentioned(self, sql: str) -> bool:
        """Return whether a SQL text contains, anywhere, all parts of one of the names of this schema.

        Case is ignored: `viewgate.system` is contained in any text with the words Viewgate and System.
        """
        lower = sql.lower()
        return any(all(part in lower for part in name) for name in self.names)

    def concerns(self, sql: str) -> bool:
        """Return whether a statement refers to a table of this schema, in its own text or in a text that EXECUTE
        IMMEDIATE runs.

        A name in a comment or in any other string literal is not a reference. Call this method only if the schema is
        not an `own` schema: in an `own` schema, a reference to an unknown table raises SqlError.
        """
        return self.described(sql) is not None or any(
            next(self.references(text), None) is not None for text in (sql, *texts_run_by(sql))
        )

    def references(self, sql: str) -> Iterator[Reference]:
        """Yield the references to virtual tables in a statement, in the order of the text.

        In an `own` schema, raise SqlError if a table is unknown or written to; in any other schema, skip such names.
        """
        if not self.mentioned(sql):
            return
        tokens = list(scan(sql))
        for at in range(len(tokens)):
            name = self._begun(tokens, at)
            found = self._reference(sql, tokens, at, name) if name is not None else None
            if found is not None:
                yield found

    def _begun(self, tokens: Sequence[Token], at: int) -> tuple[str, ...] | None:
        """Return the name of this schema that starts at the token with index `at`, if a dot and a table's name follow.

        Return None if no name of the schema starts there, or if nothing follows.
        """
        if at and tokens[at - 1].text == ".":
            return None
        return next((name for name in self.names if _words(tokens[at : at + 2 * len(name)]) == _dotted(name)
                     and at + 2 * len(name) < len(tokens)), None)  # fmt: skip

    def _reference(self, sql: str, tokens: Sequence[Token], at: int, schema: tuple[str, ...]) -> Reference | None:
        last = tokens[at + 2 * len(schema)]
        table, name = _name(last), ".".join((*schema, _name(last)))
        if table not in self.tables:
            if not self.own:
                return None
            there = ", ".join(".".join((*schema, each)) for each in self.tables)
            raise SqlError(f"the table {name} does not exist; the tables are {there}", "42P01")
        before = tokens[at - 1] if at else None
        after = tokens[at + 2 * len(schema) + 1] if at + 2 * len(schema) + 1 < len(tokens) else None
        if after is not None and after.text == ".":
            return Reference(name, table, tokens[at].start, last.end, relation=False)
        deletes = at > 1 and tokens[at - 2].keyword == "DELETE"
        if before is None or deletes or (before.keyword or before.text) not in _BEFORE_RELATION:
            if not self.own:
                return None
            raise SqlError(f"{name} is read-only: read it with SELECT … FROM {name}", "0A000")
        rest = tokens[at + 2 * len(schema) + 1 :]
        size = _sample(rest)
        end = rest[size - 1].end if size else last.end
        aliased = _is_alias(rest[size] if size < len(rest) else None)
        return Reference(name, table, tokens[at].start, end, True, aliased, sql[last.end : end])

    async def expand(self, sql: str, rows: Rows) -> list[Edit]:
        """Return the edits that replace each virtual table in a statement by the table's rows.

        `rows` returns the rows of the table with a given name.
        Raise SqlError if the statement would store the rows (as CREATE VIEW would), or if the inserted rows make the
        statement too long.
        """
        for text in texts_run_by(sql):
            if name := self._read_by(text):
                check_reads_now(sql, name)
        found = list(self.references(sql))
        read = {one.table for one in found if one.relation}
        if not found or not (read or self.own):  # possibly a column's name, or a struct's
            return []
        check_reads_now(sql, found[0].name)
        texts = {table: await asyncio.to_thread(self.text, table, await rows(table)) for table in read}
        edits = []
        for one in found:
            alias = "" if one.aliased else f" AS {one.table}"
            rows_text = f"{texts[one.table]}{one.sample}{alias}" if one.relation else one.table
            edits.append(Edit(one.start, one.end, rows_text))
        if (size := sum(len(edit.text) for edit in edits)) > _LONGEST_STATEMENT:
            what = "the rows of system tables" if self.own else "the rows of information_schema"
            raise SqlError(
                f"{what}, which Viewgate inserts into the statement, would make the statement {size / 1e6:.1f} million "
                f"characters long, more than the limit of {_LONGEST_STATEMENT / 1e6:.0f} million: if the statement "
                "names a table several times, name the table once, in a WITH clause",
                "54000",
            )
        return edits

    def _read_by(self, text: str) -> str:
        """Return the name of the first virtual table that a query reads.

        Return an empty string if `text` reads no virtual table, or is not a query.
        """
        try:
            return next((one.name for one in self.references(text) if one.relation), "")
        except SqlError:  # the text is no query
            return ""

    def described(self, sql: str) -> Described | None:
        """Return the virtual table of this schema, or its column, that a DESCRIBE statement describes.

        Return None for any other statement. In an `own` schema, raise SqlError if more than a column's name follows the
        table's name.
        """
        verb, *words = [_name(token) for token in scan(sql) if token.text != ";"] or [""]
        while words and words[0] in _OF_DESCRIBE:
            words = words[1:]
        schema = next((name for name in self.names if words[: 2 * len(name)] == _dotted(name)), None)
        if verb not in ("describe", "desc") or schema is None:
            return None
        table, *rest = words[2 * len(schema) :] or [""]
        if table not in self.tables:
            return None
        name = ".".join((*schema, table))
        if len(rest) <= 1:
            return Described(name, self.tables[table], *rest)
        if not self.own:
            return None
        raise SqlError(f"DESCRIBE takes at most the name of one column after {name}: use DESCRIBE {name}", "0A000")

    def text(self, table: str, rows: Sequence[Row]) -> str:
        """Return a SQL subquery that yields these rows of the virtual table `table`, with the table's columns and
        types.
        """
        return _rows_text(self.tables[table], self._bounded(table, rows))

    def _bounded(self, table: str, rows: Sequence[Row]) -> Iterator[str]:
        """Yield each row as JSON, as long as all rows together have at most `most` characters.

        At the first row beyond this limit, stop in an `own` schema, and raise SqlError 54000 in any other schema.
        """
        size = 0
        for text in map(_json(self.tables[table]), rows):
            size += len(text)
            if size > self.most and self.own:
                return
            if size > self.most:
                raise SqlError(
                    f"the {len(rows)} rows of information_schema.{table} take more than {self.most} characters, too "
                    "many for one statement: list one namespace at a time with SHOW TABLES IN <namespace>",
                    "54000",
                )
            yield text


def _json(columns: Iterable[str]) -> Callable[[Row], str]:
    """Return a function that encodes a row as JSON with column numbers as keys, such as `{"0":"demo","2":7}`.

    Numbers instead of column names halve the size of the JSON text.
    """
    keys = [(str(number), name) for number, name in enumerate(columns)]

    def encoded(row: Row) -> str:
        # An empty text or list is NULL in SQL, as a missing value is; 0 and false are not.
        return _encoded({key: _value(got) for key, name in keys if (got := row.get(name)) or got == 0})

    return encoded


def _rows_text(columns: Mapping[str, str], rows: Iterable[str]) -> str:
    """Return a SQL subquery that yields these rows, with these columns and their types.

    Each row is a JSON object with column numbers as keys.
    """
    kinds = [(f"`{number}`", name, kind) for number, (name, kind) in enumerate(columns.items())]
    fields = ", ".join(f"{key}: {'BIGINT' if kind == 'TIMESTAMP' else kind}" for key, _, kind in kinds)
    items = ", ".join(
        f"{f'timestamp_millis({key})' if kind == 'TIMESTAMP' else key} AS `{name}`" for key, name, kind in kinds
    )
    json_rows = _literal(f"[{','.join(rows)}]")
    return f"(SELECT {items} FROM (SELECT inline(from_json({json_rows}, 'ARRAY<STRUCT<{fields}>>'))))"


def _literal(json_text: str) -> str:
    r"""Return a SQL expression whose value is this JSON text (ASCII only) under all settings of Spark's parser.

    With `spark.sql.parser.escapedStringLiterals`, a backslash in a string literal stands for itself. Therefore the
    literal contains neither a backslash nor a character that must be escaped by a backslash.

    >>> print(_literal('["it\'s ${x}","\\n"]'))
    replace('["it¬u0027s ¬u0024{x}","¬n"]', '¬', chr(92))
    """
    escaped = json_text.replace("'", "\\u0027").replace("${", "\\u0024{").replace("\\", _BACKSLASH)
    return f"replace('{escaped}', '{_BACKSLASH}', chr(92))"


def _name(token: Token) -> str:
    return token.identifier.lower() if token.kind in ("word", "quoted") else token.text


def _words(tokens: Sequence[Token]) -> list[str]:
    return [_name(token) for token in tokens]


def _dotted(name: Sequence[str]) -> list[str]:
    """Return the parts of a schema's name, each followed by a dot: `lake`, `.`, `demo`, `.`."""
    return [word for part in name for word in (part, ".")]


def _sample(tokens: Sequence[Token]) -> int:
    """Return the number of tokens of the clause TABLESAMPLE (…) [REPEATABLE (…)] at the start of `tokens`; 0 if there
    is none.
    """
    end = 0
    for word in ("TABLESAMPLE", "REPEATABLE"):
        if [token.keyword or token.text for token in tokens[end : end + 2]] != [word, "("]:
            break
        depths = accumulate((token.text == "(") - (token.text == ")") for token in tokens[end + 1 :])
        closing = next((at for at, depth in enumerate(depths) if depth == 0), None)
        if closing is None:
            break
        end += closing + 2
    return end


def _is_alias(token: Token | None) -> bool:
    return token is not None and (token.kind == "quoted" or (token.kind == "word" and token.keyword not in _NO_ALIAS))


def _value(value: Any) -> Any:
    if isinstance(value, str):  # first, because most values are texts
        return value[:LONGEST]
    if isinstance(value, datetime):
        return round(value.timestamp() * 1000)
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return value
