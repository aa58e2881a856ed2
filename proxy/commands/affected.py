"""Finds the materialized views that a statement affects: views over tables that the statement writes, drops
or alters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

from proxy.catalog import NoCurrentCatalog
from proxy.commands.context import Context
from proxy.session import ClientSession
from proxy.statements import Loss, Parts, Written, classify, substituted
from proxy.statements.writes import uncertain
from rewriter import Definitions
from rewriter.model import MaterializedView, TableName

ByLast = Mapping[str, Collection[TableName]]


class AffectedViews:
    """Resolves the table names in a statement to the tables and views that materialized views read (sources).

    The session's current catalog and namespace are queried only if a name could denote a source of a view.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._names = Names(Definitions(()))

    async def spelled_out(self, session: ClientSession, sql: str) -> str:
        """Return the statement with its `${…}` variables substituted by their values, as Spark does before parsing."""
        return substituted(sql, (await self._context.facts(session)).settings)

    async def written(self, session: ClientSession, sql: str) -> frozenset[TableName]:
        """Return the sources of views that a statement may write to; empty if the statement writes to no source.

        If the statement changes the definition of a plain view, and materialized views read this view, the plain view
        is returned, too.
        """
        info = classify(sql)
        writes, loss = info.writes, info.destroys
        # a plain view's definition, which determines the rows of views over it
        if loss is not None and loss.loss is Loss.DEFINITION:
            writes = Written((loss.name,)) if loss.name else uncertain(sql)
        if writes is None:
            return frozenset()
        known = await self.names()
        if writes.certain:
            return await self.meant(session, writes.names, known.sources(writes.names))
        # A procedure or a script may resolve a longer name in another catalog or namespace than the session's.
        short = [parts for parts in writes.names if len(parts) == 1]
        longer = [parts for parts in writes.names if len(parts) > 1]
        return known.sources(longer) | await self.meant(session, short, known.sources(short))

    async def meant(
        self, session: ClientSession, names: Iterable[Parts], possible: frozenset[TableName]
    ) -> frozenset[TableName]:
        """Return those tables in `possible` that at least one of `names` denotes in the session.

        Raise NoCurrentCatalog if Spark cannot load the session's current catalog, and one of `names` is not a full
        name.
        """
        if not possible:
            return possible
        try:
            facts = await self._context.facts(session)
        except NoCurrentCatalog:
            if all(self._context.is_full(parts[:-1]) for parts in names):
                return possible & {TableName(parts) for parts in names}
            raise
        return possible & {facts.resolve(parts) for parts in names}

    async def names(self) -> Names:
        """Return the index of the current views' names (see `Names`).

        The result is the same object until a view is created, changed or dropped.
        """
        definitions = await self._context.answers.definitions()
        if definitions is not self._names.definitions:
            self._names = Names(definitions)
        return self._names


class Names:
    """The names of all views, sources and storage tables, indexed by the last part of the name in lower case."""

    def __init__(self, definitions: Definitions) -> None:
        self.definitions = definitions

    def sources(self, names: Iterable[Parts]) -> frozenset[TableName]:
        """Return every source table or view that at least one of `names` could denote, whatever the current
        namespace.

        >>> Names(Definitions(())).sources([("sales",)])
        frozenset()
        """
        return _possible(self._sources, names)

    def storages(self, names: Iterable[Parts]) -> frozenset[TableName]:
        """Return every storage table that at least one of `names` could denote, whatever the current namespace."""
        return _possible(self._storages, names)

    def views(self, names: Iterable[Parts]) -> frozenset[TableName]:
        """Return every materialized view that at least one of `names` could denote, whatever the current namespace."""
        return _possible(self._views, names)

    def over(self, source: TableName) -> list[MaterializedView]:
        """Return the materialized views that read the table or plain view `source`, ordered by name."""
        return [self.definitions.by_name[name] for name in sorted(self.definitions.graph.successors(source))]

    @cached_property
    def stored_in(self) -> dict[TableName, list[TableName]]:
        """The names of the views that use a storage table, by the name of the storage table."""
        found: dict[TableName, list[TableName]] = {}
        for view in self.definitions.views:
            found.setdefault(view.storage, []).append(view.name)
        return found

    @cached_property
    def _sources(self) -> ByLast:
        views = (state.name for view in self.definitions.views for state in view.through)
        return _by_last((*(table for sources in self.definitions.sources.values() for table in sources), *views))

    @cached_property
    def _storages(self) -> ByLast:
        return _by_last(self.stored_in)

    @cached_property
    def _views(self) -> ByLast:
        return _by_last(self.definitions.by_name)


def named(views: Iterable[TableName]) -> str:
    """Return the words "materialized view" or "materialized views", and the sorted names, for a message.

    >>> named([TableName(("lake", "demo", "b")), TableName(("lake", "demo", "a"))])
    'materialized views lake.demo.a, lake.demo.b'
    """
    names = sorted(map(str, views))
    return f"materialized view{'s' if len(names) > 1 else ''} {', '.join(names)}"


# In a Hive Metastore the case of a name does not matter, and whether a name is in one is known only when the name is
# resolved (`AffectedViews.meant`); so names are compared in lower case here.
def _by_last(names: Iterable[TableName]) -> ByLast:
    found: dict[str, set[TableName]] = {}
    for name in names:
        found.setdefault(name.table.lower(), set()).add(name)
    return found


def _possible(known: ByLast, names: Iterable[Parts]) -> frozenset[TableName]:
    lower = set(map(_lower, names))
    return frozenset(
        table for parts in lower for table in known.get(parts[-1], ()) if _lower(table.parts[-len(parts) :]) == parts
    )


def _lower(parts: Parts) -> Parts:
    return tuple(part.lower() for part in parts)
