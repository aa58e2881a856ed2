"""Which tables that views are made of a statement concerns."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from proxy.answering.writes import Parts, written
from proxy.commands.context import Context
from proxy.session import ClientSession
from rewriter import Definitions
from rewriter.model import TableName


class Concerned:
    """Looks at a session's current namespace only where a name could mean one of the tables at all."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._names = Names(Definitions(()))

    async def written(self, session: ClientSession, sql: str) -> frozenset[TableName]:
        """The sources of views that a statement may write to."""
        writes = written(sql)
        if writes is None:
            return frozenset()
        possible = (await self.names()).sources(writes.names)
        return await self.meant(session, writes.names, possible) if writes.certain else possible

    async def meant(
        self, session: ClientSession, names: Iterable[Parts], possible: frozenset[TableName]
    ) -> frozenset[TableName]:
        """Those of the tables that the names mean in the session."""
        if not possible:
            return possible
        facts = await self._context.facts(session)
        return possible & {facts.resolve(parts) for parts in names}

    async def names(self) -> Names:
        """The names that views depend on now."""
        definitions = await self._context.answers.definitions()
        if definitions is not self._names.definitions:
            self._names = Names(definitions)
        return self._names


class Names:
    """The names of everything that views are made of, by their last parts."""

    def __init__(self, definitions: Definitions) -> None:
        self.definitions = definitions

    def sources(self, names: Iterable[Parts]) -> frozenset[TableName]:
        """Every source that one of the names could mean, whatever the current catalog and namespace.

        >>> Names(Definitions(())).sources([("sales",)])
        frozenset()
        """
        return frozenset(
            table
            for parts in names
            for table in self._by_last.get(parts[-1], ())
            if table.parts[-len(parts) :] == parts
        )

    @cached_property
    def _by_last(self) -> dict[str, list[TableName]]:
        found: dict[str, list[TableName]] = {}
        for table in {table for sources in self.definitions.sources.values() for table in sources}:
            found.setdefault(table.table, []).append(table)
        return found
