"""The views of the catalog, indexed once for each change, with the constraints that their tables declare."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from proxy.catalog import Catalog
from rewriter import Definitions, Recent
from rewriter.model import Declared, MaterializedView, Relation, TableName


class KnownViews:
    """The views as last read from a catalog, and the recent decisions over them."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._views: tuple[MaterializedView, ...] = ()
        self._recent = Recent(Definitions((), declared=Declared()))
        self._reading = asyncio.Lock()

    async def recent(self) -> Recent:
        """Return the decisions over the views as defined now."""
        views = await self._catalog.definitions()
        if views is not self._views:
            async with self._reading:
                if views is not self._views:
                    definitions = Definitions(views, plain=self._catalog.plain)
                    await asyncio.to_thread(definitions.read)  # other clients are served meanwhile
                    definitions = definitions.knowing(self._recent.definitions.declared or Declared())
                    self._views, self._recent = views, Recent(definitions)
        return self._recent

    def learned(self, relations: Mapping[TableName, Relation | None]) -> Declared | None:
        """Return the constraints that tables declare, also for later statements; None if these are the known ones."""
        before = self._recent.definitions.declared or Declared()
        now = before.learned(relations)
        if now is before:
            return None
        self._recent = Recent(self._recent.definitions.knowing(now))
        return now
