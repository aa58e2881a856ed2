"""Maintains storage tables: compaction, snapshot expiry, and the removal of orphaned storage tables.

Compactions and expiries of a view's source tables are repeated on its storage table, unless the view's property
`viewgate.maintenance` is `never`. A view may also have an expiry policy of its own.

A refresh records the refresh state in its snapshot of the storage table; the snapshot of a compaction has no refresh
state. So after each compaction, an empty commit records the refresh state again, in a new snapshot. Older snapshots can
then expire.

A killed CREATE leaves an orphaned storage table: a table that no view uses and no query reads, but that takes up space.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from proxy.catalog import Catalogs
from proxy.catalog.inventory import Kind
from proxy.catalog.refresh_state import STATE_PREFIXES, STORAGE_OF, to_properties, to_summary
from proxy.catalog.views import period
from proxy.hs2 import SqlError
from proxy.pipeline.runner import Runner
from proxy.pipeline.sources import storage_of
from proxy.pipeline.staging import JOB_SETTINGS, recording, staged, within
from proxy.pipeline.statements import call
from proxy.pipeline.status import headline
from proxy.session import Log
from rewriter.model import STORAGE_SUFFIX, MaterializedView, RefreshState, Table, TableName, split_name
from rewriter.model.times import timestamp_text

KEEP = "viewgate.snapshots.keep"
MAINTENANCE = "viewgate.maintenance"
FOLLOWED = "followed"

_logger = logging.getLogger(__name__)


class Upkeep:
    """The maintenance of storage tables (compaction, expiry); the caller of each method holds the view's lock."""

    def __init__(self, catalogs: Catalogs, runner: Runner) -> None:
        self._catalogs = catalogs
        self._runner = runner

    async def maintain(self, view: MaterializedView, statement: str) -> None:
        """Run a maintenance statement on the view's storage table.

        After a compaction, by this statement or an earlier one, the refresh state is recorded again.
        """
        await self._carry(view)
        async with self._runner.job(within(view.storage.catalog)) as job:
            await job.run(statement)
        await self._carry(view)

    async def expire(self, view: MaterializedView, log: Log) -> None:
        """Expire the storage table's snapshots that are older than the view's `viewgate.snapshots.keep` allows.

        Do nothing without the property, or until the oldest snapshot has twice the allowed age, so that few refreshes
        expire snapshots. Errors are only logged.
        """
        keep = period(view.properties.get(KEEP, ""))
        if keep is None:
            return
        now_ms = time.time_ns() // 1_000_000
        try:
            snapshots = (await storage_of(self._catalogs, view)).snapshots
            if not snapshots or snapshots[-1].timestamp_ms > now_ms - 2000 * keep:
                return
            older = timestamp_text((now_ms - 1000 * keep) * 1000)
            async with self._runner.job(within(view.storage.catalog)) as job:
                await job.run(call("expire_snapshots", view.storage, [("older_than", older), ("retain_last", "1")]))
            log(f"{view.name}: snapshots of its storage table that are older than {view.properties[KEEP]} expired")
        except SqlError as failure:
            log(f"{view.name}: old snapshots of its storage table could not expire: {headline(failure.message)}")
        except Exception:
            _logger.exception("snapshots not expired view=%s", view.name)

    async def carry_over(self, filled: MaterializedView, view: MaterializedView) -> None:
        """Record that the storage table of one version of a view (`filled`) is also valid for the version `view`.

        Both versions must have the same definition. Do nothing if the last refresh recorded in the storage table was
        not for the version `filled`.
        """
        storage = await storage_of(self._catalogs, view)
        recorded = storage.refresh
        if recorded is not None and (recorded.view_uuid, recorded.view_version) == (filled.uuid, filled.version):
            state = replace(recorded, view_version=view.version)
            # Both versions read the same views, at the versions that the refresh read.
            await self.record(view, storage, state, to_summary(state, filled.through))

    async def _carry(self, view: MaterializedView) -> None:
        """Commit an empty snapshot with the refresh state if the storage table's current snapshot is a compaction.

        Do nothing for any other snapshot, or if the storage table has no recorded refresh state in its snapshots.
        """
        storage = await storage_of(self._catalogs, view)
        if storage.refresh is None or storage.snapshots[0].operation != "replace":
            return
        summary = await self._catalogs.of(view.storage).recorded(view.storage)
        if not summary:  # another tool's storage records its state in table properties
            return
        await self.record(view, storage, storage.refresh, summary)

    async def record(
        self, view: MaterializedView, storage: Table, state: RefreshState, summary: Mapping[str, str]
    ) -> None:
        """Record the refresh state of the stored rows by an empty commit, whose snapshot gets the entries `summary`.

        The refresh state (`state`) is also recorded in the table properties. `storage` is the current storage table.
        """
        async with staged(self._catalogs, view, storage.snapshot_id) as branch:
            name = storage.name.sql()
            async with self._runner.job({**JOB_SETTINGS, **within(view.storage.catalog), **recording(summary)}) as job:
                await job.run(f"ALTER TABLE {name} CREATE BRANCH {branch}")
                await job.run(f"INSERT INTO {name}.branch_{branch} SELECT * FROM {name} WHERE false")
            base = storage.snapshot_id
            await self._catalogs.of(storage.name).publish(
                storage.name, branch, base, to_properties(state), STATE_PREFIXES
            )


class Orphans:
    """A remover of orphaned storage tables, which a killed CREATE has left behind.

    The remover is active only in the catalogs `alone`, in which no other proxy creates views. With other proxies, a
    storage table without a view may belong to a view that is just being created, so nothing is dropped.
    """

    def __init__(self, catalogs: Catalogs, runner: Runner, *, alone: Collection[str]) -> None:
        self._catalogs = catalogs
        self._runner = runner
        self._alone = alone
        self._making: Counter[TableName] = Counter()

    @contextmanager
    def spared(self, storage: TableName) -> Iterator[None]:
        """Keep a storage table, which has no view yet, from being dropped while the `with` block creates the view."""
        self._making[storage] += 1
        try:
            yield
        finally:
            self._making[storage] -= 1

    async def drop(self, view: TableName | None = None) -> list[TableName]:
        """Drop the storage tables that were created for `view` (None: for any view) but that no view uses.

        Return the dropped tables. Drop nothing if the definition of any view in the catalog cannot be read, or if other
        proxies may be creating views. Errors are only logged.
        """
        try:
            found = await self._found(view)
        except Exception:
            _logger.exception("orphaned storage tables not searched: the catalog failed")
            return []
        return [storage for storage in found if await self._dropped(storage)]

    async def _dropped(self, storage: TableName) -> bool:
        try:
            async with self._runner.job({}) as job:
                await job.run(f"DROP TABLE IF EXISTS {storage.sql()} PURGE")
        except Exception as failure:  # one failure must not stop the others
            _logger.warning("orphan not dropped storage=%s error=%r", storage, failure)
            return False
        _logger.info("orphan dropped storage=%s: the CREATE of its view was killed", storage)
        return True

    async def _found(self, view: TableName | None) -> list[TableName]:
        searched = [catalog for catalog in self._catalogs if catalog.name in self._alone]
        if not searched:
            return []
        # In this order: storage created from now on is not listed, and storage created before has its view by then.
        listed = await self._catalogs.inventory(lambda name: STORAGE_SUFFIX in name.table, searched)
        making = frozenset(+self._making)
        for catalog in searched:
            catalog.check()
            catalog.invalidate()
            await catalog.read_views()
        used = {view.storage for view in await self._catalogs.definitions()} | making
        if self._catalogs.broken:  # which storage an unreadable view uses is unknown
            return []
        unused = [one.name for one in listed if one.kind is Kind.STORAGE and one.name not in used]
        made_for = await asyncio.gather(*map(self._made_for, unused))
        return [storage for storage, of in zip(unused, made_for, strict=True) if of is not None and view in (None, of)]

    async def _made_for(self, storage: TableName) -> TableName | None:
        of = (await self._catalogs.of(storage).properties(storage)).get(STORAGE_OF)
        return None if of is None else TableName((storage.catalog, *split_name(of)))
