"""Refuses Spark statements that would break a materialized view, with an error that names the views."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from proxy.answering import described
from proxy.catalog import Unavailable
from proxy.commands.affected import AffectedViews, Names, named
from proxy.commands.context import Context
from proxy.hs2 import SqlError
from proxy.session import ClientSession
from proxy.statements import Destruction, Loss, Parts, classify
from proxy.statements.lexer import Token, leading_name, mentioned, scan
from rewriter import used_columns
from rewriter.model import MaterializedView, Table, TableName, kept_as

_DEPTH = {"(": 1, "<": 1, ")": -1, ">": -1}
_AFTER_TYPE = frozenset({"NOT", "NULL", "DEFAULT", "COMMENT", "GENERATED"})


def columns_query(sql: str) -> str:
    """Return a query with the columns of the table that a CREATE or REPLACE TABLE statement defines.

    The result is the query of the statement, or else a query built from the listed columns; empty if the statement has
    neither a query nor columns.

    >>> columns_query("REPLACE TABLE t (a INT NOT NULL, b DATE) USING iceberg")
    'SELECT CAST(NULL AS INT) AS a, CAST(NULL AS DATE) AS b'
    >>> columns_query("CREATE OR REPLACE TABLE t USING iceberg AS SELECT 1 AS a")
    'SELECT 1 AS a'
    """
    tokens = list(scan(sql))
    table = next(at for at, token in enumerate(tokens) if token.keyword == "TABLE")
    _, rest = leading_name(tokens[table + 1 :])
    for token, depth in zip(rest, _depths(rest), strict=True):
        if depth == 0 and token.keyword == "AS":
            return sql[token.end :].strip()
    columns = [_column(sql, item) for item in _items(rest)] if rest and rest[0].text == "(" else []
    return "SELECT " + ", ".join(columns) if columns else ""


def _depths(tokens: Sequence[Token]) -> Iterator[int]:
    return accumulate(_DEPTH.get(token.text, 0) for token in tokens)


def _items(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the tokens of each item of a list; `tokens` start with the list, which is in parentheses and separated by
    commas.
    """
    begin = 1
    for at, (token, depth) in enumerate(zip(tokens, _depths(tokens), strict=True)):
        if depth == 0 or (depth == 1 and token.text == ","):
            yield tokens[begin:at]
            begin = at + 1
        if depth == 0:
            return


def _column(sql: str, item: Sequence[Token]) -> str:
    """Return `CAST(NULL AS type) AS name` for a column definition, whose tokens are `item`.

    Return an empty string if the definition has no type; Spark refuses a statement with such a definition.
    """
    ends = (at for at, depth in enumerate(_depths(item)) if depth == 0 and item[at].keyword in _AFTER_TYPE)
    of_type = item[1 : next(ends, len(item))]
    return f"CAST(NULL AS {sql[of_type[0].start : of_type[-1].end]}) AS {item[0].text}" if of_type else ""


# Statements with these verbs cannot write to an existing view: Spark refuses to create a table under its name.
_DEFINES = frozenset({"CREATE", "REPLACE"})
_DEPENDED_ON, _WRONG_TYPE = "2BP01", "42809"
_HINT = (
    "so the statement is refused; drop these views with DROP MATERIALIZED VIEW first, and create them again afterwards"
)


class Guard:
    """A guard that refuses statements on sources or storage tables if these statements would break
    materialized views.
    """

    def __init__(self, context: Context, affected: AffectedViews) -> None:
        self._context = context
        self._affected = affected

    async def check(self, session: ClientSession, sql: str) -> None:
        """Raise SqlError if a statement would break a view, or change the view's rows other than by a refresh.

        The SQLSTATE is 42809 for a write to a view, else 2BP01. In a script, each statement is checked.
        """
        for statement in classify(sql).statements:
            await self._check(session, statement, sql)

    async def _check(self, session: ClientSession, statement: str, sql: str) -> None:
        """Raise SqlError if `statement` would break a view; it is one statement of `sql`, which may be a script.

        If the text of the statement does not show which table it changes, every relation that `sql` names is checked.
        """
        info = classify(statement)
        writes, loss = info.writes, info.destroys
        if writes is not None and writes.certain:
            await self._check_storage(session, writes.names)
            if info.verb not in _DEFINES:
                await self._check_rows(session, writes.names)
        if loss is None:
            return
        names = (loss.name,) if loss.name else tuple(mentioned(sql))
        if loss.loss is Loss.NAMESPACE:
            await self._check_namespaces(session, names)
            return
        await self._check_storage(session, names)
        if loss.loss in (Loss.RELATION, Loss.DEFINITION):
            await self._check_views(session, names)
        if loss.loss in (Loss.RELATION, Loss.COLUMNS, Loss.REPLACED):
            known = await self._affected.names()
            sources = await self._affected.meant(session, names, known.sources(names))
            remade = await _remade(session, statement, sql) if sources and loss.loss is Loss.REPLACED else {}
            for source in sources:
                await self._check_source(source, loss, remade)

    async def _check_storage(self, session: ClientSession, names: Iterable[Parts]) -> None:
        known = await self._affected.names()
        for name in await self._affected.meant(session, names, known.storages(names)):
            raise SqlError(
                f"{name} is the storage table of {named(known.stored_in[name])}: only refreshes may write to a storage "
                "table; use REFRESH, ALTER or DROP MATERIALIZED VIEW instead",
                _DEPENDED_ON,
            )

    async def _check_rows(self, session: ClientSession, names: Iterable[Parts]) -> None:
        """Raise SqlError 42809 if one of `names`, the tables that a statement writes to, is a materialized view.

        Spark's own error would say that no such table exists.
        """
        known = await self._affected.names()
        for name in await self._affected.meant(session, names, known.views(names)):
            tables = ", ".join(map(str, known.definitions.sources[name]))
            raise SqlError(
                f"{name} is a materialized view: only refreshes may write to a view; write to its base tables "
                f"({tables}) instead",
                _WRONG_TYPE,
            )

    async def _check_views(self, session: ClientSession, names: Iterable[Parts]) -> None:
        known = await self._affected.names()
        for name in await self._affected.meant(session, names, known.views(names)):
            raise SqlError(
                f"{name} is a materialized view, which this statement cannot change: use DROP MATERIALIZED VIEW, or "
                "CREATE OR REPLACE MATERIALIZED VIEW",
                _DEPENDED_ON,
            )

    async def _check_source(self, source: TableName, loss: Destruction, remade: Mapping[str, str]) -> None:
        views = (await self._affected.names()).over(source)
        if loss.loss is not Loss.RELATION:
            views = [view for view in views if await self._touches(loss, remade, source, view)]
        if views:
            columns = f" ({', '.join(loss.columns)})" if loss.columns else ""
            raise SqlError(
                f"the table or view {source} {loss.loss.value}{columns} by this statement, but is needed by "
                f"{named(view.name for view in views)}; {_HINT}",
                _DEPENDED_ON,
            )

    async def _touches(
        self, loss: Destruction, remade: Mapping[str, str], source: TableName, view: MaterializedView
    ) -> bool:
        """Return whether a view reads a column of `source` that a statement drops or changes; True if this is unknown.

        `loss` is the change that the statement makes to `source`. If the statement replaces the table, `remade` has
        the types of the new columns by name.
        """
        sources = (await self._affected.names()).definitions.sources[view.name]
        try:
            found = await self._context.catalogs.current(sources)
        except Unavailable:
            return True
        columns = {name: table.columns for name, table in found.items() if isinstance(table, Table)}
        if source not in columns or not (loss.columns or remade):
            return True
        # The view's query may read more than the storage's, such as columns of ORDER BY, and other engines read it.
        both = (view, replace(view, storage_query=view.query))
        needed = [column for one in both for column in used_columns(one, columns)[source]]
        if loss.loss is Loss.REPLACED:
            return any(remade.get(column.name.lower()) != column.type for column in needed)
        return any(column.name.lower() in loss.columns for column in needed)

    async def _check_namespaces(self, session: ClientSession, names: Iterable[Parts]) -> None:
        """Raise SqlError 2BP01 if a namespace in `names`, which a statement drops, contains a view or a table that a
        view needs.

        The tables that a view needs are its storage table and its sources. Nested namespaces count, too.
        """
        known = await self._affected.names()
        if not known.definitions.views:
            return
        for parts in names:
            qualified = await self._context.qualified(session, parts)
            lost = [view for view in known.definitions.views if _inside(qualified, view, known)]
            if lost:
                raise SqlError(
                    f"the namespace {'.'.join(qualified)} contains tables or views that are needed by "
                    f"{named(view.name for view in lost)}; {_HINT}",
                    _DEPENDED_ON,
                )


async def _remade(session: ClientSession, statement: str, sql: str) -> Mapping[str, str]:
    """Return the columns that a table gets from a statement that replaces the table: the type of each column by name.

    `statement` is one statement of `sql`, which may be a script. Return an empty mapping if the columns are unknown. If
    Spark rejects the query of the statement, raise Spark's SqlError if `sql` ends with this query. Otherwise return an
    empty mapping, because an earlier statement of the script may create the tables that the query reads.
    """
    query = columns_query(statement)
    if not query:
        return {}
    try:
        columns = await described(query, session.upstream.query)
    except SqlError:
        if sql.endswith(query):  # exactly the user's text, so that Spark reports its error
            raise
        return {}  # an earlier statement of the script may create what it reads
    return {column.name.lower(): kept_as(column.type) for column in columns}


def _inside(namespace: Parts, view: MaterializedView, known: Names) -> bool:
    through = (state.name for state in view.through)
    names = (view.name, view.storage, *known.definitions.sources[view.name], *through)
    return any(name.parts[: len(namespace)] == namespace for name in names)
