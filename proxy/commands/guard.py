"""Statements of Spark's that would break a materialized view are refused, with the names of the views."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from proxy.answering import described
from proxy.catalog import Unavailable
from proxy.commands.concerned import Concerned, Names, named
from proxy.commands.context import Context
from proxy.commands.remaking import columns_query
from proxy.hs2 import SqlError
from proxy.session import ClientSession
from proxy.statements import Destruction, Loss, Parts, classify
from proxy.statements.lexer import mentioned
from rewriter import used_columns
from rewriter.model import MaterializedView, Table, TableName, kept_as

_DEPENDED_ON = "2BP01"
_HINT = "DROP MATERIALIZED VIEW first, and make it again afterwards"


class Guard:
    """What views are made of, and their storage, can be changed only by what leaves the views whole."""

    def __init__(self, context: Context, concerned: Concerned) -> None:
        self._context = context
        self._concerned = concerned

    async def check(self, session: ClientSession, sql: str) -> None:
        """Raise SqlError 2BP01 if the statement would break a view, or change storage outside of a refresh."""
        for statement in classify(sql).statements:
            await self._check(session, statement, sql)

    async def _check(self, session: ClientSession, statement: str, sql: str) -> None:
        """One of the text's statements; where its own words do not tell what it means, that may be all they name."""
        info = classify(statement)
        writes, loss = info.writes, info.destroys
        if writes is not None and writes.certain:
            await self._check_storage(session, writes.names)
        if loss is None:
            return
        names = (loss.name,) if loss.name else tuple(mentioned(sql))
        if loss.loss is Loss.NAMESPACE:
            await self._check_namespaces(session, names)
            return
        await self._check_storage(session, names)
        if loss.loss in (Loss.RELATION, Loss.DEFINITION):
            await self._check_views(session, names)
        if loss.loss in (Loss.RELATION, Loss.COLUMNS, Loss.ANEW):
            known = await self._concerned.names()
            sources = await self._concerned.meant(session, names, known.sources(names))
            remade = await _remade(session, statement, sql) if sources and loss.loss is Loss.ANEW else {}
            for source in sources:
                await self._check_source(source, loss, remade)

    async def _check_storage(self, session: ClientSession, names: Iterable[Parts]) -> None:
        known = await self._concerned.names()
        for name in await self._concerned.meant(session, names, known.storages(names)):
            raise SqlError(
                f"{name} is the storage of {named(known.stored_in[name])}, and only a refresh "
                "changes it; REFRESH, ALTER and DROP MATERIALIZED VIEW are the statements for it",
                _DEPENDED_ON,
            )

    async def _check_views(self, session: ClientSession, names: Iterable[Parts]) -> None:
        known = await self._concerned.names()
        for name in await self._concerned.meant(session, names, known.views(names)):
            raise SqlError(
                f"{name} is a materialized view: use DROP MATERIALIZED VIEW, or CREATE OR REPLACE MATERIALIZED VIEW",
                _DEPENDED_ON,
            )

    async def _check_source(self, source: TableName, loss: Destruction, remade: Mapping[str, str]) -> None:
        views = (await self._concerned.names()).over(source)
        if loss.loss is not Loss.RELATION:
            views = [view for view in views if await self._touches(loss, remade, source, view)]
        if views:
            columns = f" ({', '.join(loss.columns)})" if loss.columns else ""
            raise SqlError(
                f"{source} {loss.loss.value}{columns} by this statement, and is needed by "
                f"{named(view.name for view in views)}; {_HINT}",
                _DEPENDED_ON,
            )

    async def _touches(
        self, loss: Destruction, remade: Mapping[str, str], source: TableName, view: MaterializedView
    ) -> bool:
        """Whether a view needs the columns of a source that are lost, or are not `remade`; in doubt it does."""
        sources = (await self._concerned.names()).definitions.sources[view.name]
        try:
            found = await self._context.catalog.current(sources)
        except Unavailable:
            return True
        columns = {name: table.columns for name, table in found.items() if isinstance(table, Table)}
        if source not in columns or not (loss.columns or remade):
            return True
        # The query has what the storage's leaves out, such as an order, and other engines read the view by it.
        both = (view, replace(view, storage_query=view.query))
        needed = [column for one in both for column in used_columns(one, columns)[source]]
        if loss.loss is Loss.ANEW:
            return any(remade.get(column.name.lower()) != column.type for column in needed)
        return any(column.name.lower() in loss.columns for column in needed)

    async def _check_namespaces(self, session: ClientSession, names: Iterable[Parts]) -> None:
        """Raise SqlError if a dropped namespace holds, at any depth, a table that a view needs."""
        known = await self._concerned.names()
        if not known.definitions.views:
            return
        facts = await self._context.facts(session)
        catalogs = {*facts.catalogs, facts.catalog}
        for parts in names:
            qualified = parts if parts[0] in catalogs and len(parts) > 1 else (facts.catalog, *parts)
            lost = [view for view in known.definitions.views if _inside(qualified, view, known)]
            if lost:
                raise SqlError(
                    f"the namespace {'.'.join(qualified)} holds tables of {named(view.name for view in lost)}; {_HINT}",
                    _DEPENDED_ON,
                )


async def _remade(session: ClientSession, statement: str, sql: str) -> Mapping[str, str]:
    """Return the columns of a table that a statement replaces, with their types; empty where they are unknown."""
    query = columns_query(statement)
    if not query:
        return {}
    try:
        columns = await described(query, session.upstream.query)
    except SqlError:
        if sql.endswith(query):  # as the user wrote it: Spark says what is wrong
            raise
        return {}  # an earlier statement of a script may make what it reads
    return {column.name.lower(): kept_as(column.type) for column in columns}


def _inside(namespace: Parts, view: MaterializedView, known: Names) -> bool:
    through = (state.name for state in view.through)
    names = (view.name, view.storage, *known.definitions.sources[view.name], *through)
    return any(name.parts[: len(namespace)] == namespace for name in names)
