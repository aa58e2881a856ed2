"""Orphaned storage, which no view points to: a killed CREATE leaves it. No statement reads it; it takes up space."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from proxy.catalog import Catalog
from proxy.catalog.inventory import Kind
from proxy.catalog.refresh_state import STORAGE_OF
from proxy.pipeline.runner import Runner
from rewriter.model import STORAGE_SUFFIX, TableName, split_name

_logger = logging.getLogger(__name__)


class Orphans:
    """Finds and drops them. `alone` says that no other proxy makes views in this catalog.

    Where others do, storage without a view may be one that is being made there right now, and is left alone.
    """

    def __init__(self, catalog: Catalog, runner: Runner, *, alone: bool) -> None:
        self._catalog = catalog
        self._runner = runner
        self._alone = alone
        self._making: Counter[TableName] = Counter()

    @contextmanager
    def spared(self, storage: TableName) -> Iterator[None]:
        """Keep storage that is being made from being taken for an orphan: it has no view yet."""
        self._making[storage] += 1
        try:
            yield
        finally:
            self._making[storage] -= 1

    async def drop(self, view: TableName | None = None) -> list[TableName]:
        """Drop the orphaned storage of one view, or all; never raise, since orphans are harmless."""
        try:
            found = await self._found(view)
        except Exception:
            _logger.exception("orphaned storage not looked for: the catalog failed")
            return []
        return [storage for storage in found if await self._dropped(storage)]

    async def _dropped(self, storage: TableName) -> bool:
        try:
            async with self._runner.job({}) as job:
                await job.run(f"DROP TABLE IF EXISTS {storage.sql()} PURGE")
        except Exception as failure:  # it hides no other
            _logger.warning("orphan not dropped storage=%s error=%r", storage, failure)
            return False
        _logger.info("orphan dropped storage=%s: its CREATE was killed", storage)
        return True

    async def _found(self, view: TableName | None) -> list[TableName]:
        if not self._alone:
            return []
        # In this order: what is made here from now on is not listed yet, and what is done by then has its view.
        listed = await self._catalog.inventory(lambda name: STORAGE_SUFFIX in name.table)
        making = frozenset(+self._making)
        self._catalog.invalidate()
        used = {view.storage for view in await self._catalog.definitions()} | making
        if self._catalog.broken:  # nobody knows what a view points to that cannot be read
            return []
        unused = [one.name for one in listed if one.kind is Kind.STORAGE and one.name not in used]
        made_for = await asyncio.gather(*map(self._made_for, unused))
        return [storage for storage, of in zip(unused, made_for, strict=True) if of is not None and view in (None, of)]

    async def _made_for(self, storage: TableName) -> TableName | None:
        of = (await self._catalog.properties(storage)).get(STORAGE_OF)
        return None if of is None else TableName((storage.catalog, *split_name(of)))
