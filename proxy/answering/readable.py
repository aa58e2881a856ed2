"""Determines which storage tables (the tables that hold views' rows) may be read, and which part of their rows.

A storage table that Spark failed to read is suspended: no rewritten statement reads the table until a pause has ended.
Otherwise each query could be delayed by minutes, because Iceberg retries to read a broken metadata file:

    used ──rewritten statement fails, original statement succeeds──▶ suspended ──pause ends, or new snapshot──▶ used

The first pause takes 5 minutes; each further pause for the same snapshot is twice as long, at most an hour.

Of a storage table that is partly stale, only the fresh partitions are read. After a change other than an append, a
storage partition is fresh if no row was added to or removed from its source partitions, according to the commits'
manifests. The manifests are read in the background, once for each state of a view and its tables. A statement waits at
most 0.2 s for the manifests; after that, the statement treats the storage table as stale.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from cachetools import LRUCache

from proxy.catalog import Catalogs, Unavailable
from proxy.hs2 import InvalidStatement, SqlError
from proxy.hs2.status import first_message
from proxy.journal.texts import kept_message
from rewriter import (
    Definitions,
    FreshPart,
    Live,
    Outcome,
    Reason,
    Relations,
    fresh_part,
    fresh_storage,
    live_storage,
)
from rewriter.model import MaterializedView, Relation, Table, TableName

_log = logging.getLogger("viewgate")

_FIRST_S, _LONGEST_S = 300.0, 3600.0


@dataclass(frozen=True, slots=True)
class _Rest:
    """A pause during which rewritten statements do not read one snapshot of a storage table.

    `content` identifies the snapshot: the table's UUID and the snapshot id. The pause lasts `seconds`, until the
    time `until` on the monotonic clock; `why` is the reason of the pause, as text for users.
    """

    content: tuple[str, int | None]
    seconds: float
    until: float
    why: str


class Rests:
    """The suspended storage tables: rewritten statements do not read them during a pause, because Spark failed to
    read them.

    Each worker process has its own.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._rests: dict[TableName, _Rest] = {}

    def begin(self, storages: Iterable[Table], error: SqlError) -> None:
        """Suspend the storage tables `storages`, because a statement that reads them has failed with `error`.

        Do nothing if `error` is about invalid SQL or missing permissions. The suspension of a table that is already
        suspended is not prolonged.
        """
        # the error is about the user's permissions or the text, not about storage
        if isinstance(error, InvalidStatement):
            return
        for storage in storages:
            before = self._rests.get(storage.name)
            if before is not None and before.content != _content(storage):
                before = None
            if before is None or before.until <= self._clock():
                self._begin(storage, min(2 * before.seconds, _LONGEST_S) if before else _FIRST_S, error)

    def _begin(self, storage: Table, seconds: float, error: SqlError) -> None:
        # Everybody sees the reason, but the failed statement, whose literals it may quote, is one user's.
        reason = kept_message(first_message(error.message).strip(), error.sql_state, literals=False)
        end = datetime.now(UTC) + timedelta(seconds=seconds)
        why = (
            f"Spark failed to read the view's storage table {storage.name} ({reason}); the view is used again after "
            f"{end:%Y-%m-%d %H:%M:%S} UTC, or after its next refresh"
        )
        self._rests[storage.name] = _Rest(_content(storage), seconds, self._clock() + seconds, why)
        _log.warning(
            "storage table suspended storage=%s suspended_for_s=%g error=%r: queries read the base tables instead",
            storage.name,
            seconds,
            reason,
        )

    @property
    def storages(self) -> frozenset[TableName]:
        """The storage tables that Spark has failed to read since the start of this process, even if no longer
        suspended.
        """
        return frozenset(self._rests)

    def why(self, storage: Relation | None) -> str:
        """Return the reason why a storage table is suspended now, as text; empty if the table is not suspended."""
        rest = self._rests.get(storage.name) if isinstance(storage, Table) else None
        if rest is None or not isinstance(storage, Table):
            return ""
        return rest.why if rest.content == _content(storage) and self._clock() < rest.until else ""

    def within(self, relations: Relations) -> Mapping[TableName, str]:
        """Return the reason for each suspended storage table in `relations`, by name; empty if none of them is
        suspended.
        """
        found = ((name, self.why(relations.get(name))) for name in self._rests)
        return {name: why for name, why in found if why}


def told_of_rests(outcome: Outcome, resting: Mapping[TableName, str], definitions: Definitions) -> Outcome:
    """Return the outcome; a failed attempt to use a view with a suspended storage table gets the suspension's reason.

    `resting` has the reason for each suspended storage table, and becomes the `detail` of the attempts. `definitions`
    has the storage table of each view.
    """
    if not resting:
        return outcome
    whys = {view.name: resting[view.storage] for view in definitions.views if view.storage in resting}
    tried = tuple(
        replace(attempt, detail=whys[attempt.view])
        if attempt.reason is Reason.UNKNOWN_STATE and attempt.view in whys
        else attempt
        for attempt in outcome.tried
    )
    return replace(outcome, tried=tried)


def _content(storage: Table) -> tuple[str, int | None]:
    return storage.uuid, storage.snapshot_id


_PATIENCE_S = 0.2
_MOST_COMMITS = 50  # each has manifests of its own


@dataclass(frozen=True)
class _Stale:
    """A stale view of which only one source, `changed`, has changed since the refresh, and not only by appends.

    `why` describes the change.
    """

    view: MaterializedView
    storage: Table
    sources: tuple[Table, ...]
    changed: Table
    why: str

    @property
    def key(self) -> Hashable:
        tables = (self.storage, *self.sources)
        return self.view.uuid, self.view.version, *((t.uuid, t.snapshot_id, t.schema_id) for t in tables)

    def part(self, fresh: FreshPart) -> Table:
        """Return the storage table as it would be after a refresh from the current sources, but limited to the rows
        in `fresh`.
        """
        assert self.storage.refresh is not None
        now = {table.uuid: table.snapshot_id for table in self.sources}
        sources = tuple(replace(s, snapshot_id=now.get(s.uuid)) for s in self.storage.refresh.sources)
        refresh = replace(self.storage.refresh, sources=sources, only=fresh.only, behind=self.why)
        refresh = replace(refresh, stale_share=fresh.stale_share, whole=self.storage.refresh)
        return replace(self.storage, refresh=refresh)


class FreshParts:
    """A cache of the fresh parts of stale storage tables, keyed by the snapshots of the storage table and its sources.

    The fresh part of a storage table is the rows in those partitions whose source rows have not changed since the
    refresh.
    """

    def __init__(self, catalogs: Catalogs, most: int = 1024) -> None:
        self._catalogs = catalogs
        self._known: LRUCache[Hashable, asyncio.Task[FreshPart | None]] = LRUCache(most)

    async def within(self, definitions: Definitions, states: Iterable[Relations]) -> list[Relations]:
        """Return the given states of the relations with each partly stale storage table limited to its fresh part.

        A storage table may be partly stale in one state and fresh in another. A storage table whose fresh part is still
        unknown after 0.2 s is returned unchanged. `definitions` has the storage table and the sources of each view.
        """
        looks = [(state, [(each, self._look(each)) for each in _stale(definitions, state)]) for state in states]
        if pending := {look for _, of_state in looks for _, look in of_state if not look.done()}:
            await asyncio.wait(pending, timeout=_PATIENCE_S)
        return [
            {**state, **{each.storage.name: each.part(fresh) for each, look in of_state if (fresh := _known(look))}}
            if of_state
            else state
            for state, of_state in looks
        ]

    def _look(self, stale: _Stale) -> asyncio.Task[FreshPart | None]:
        if stale.key not in self._known:
            self._known[stale.key] = asyncio.create_task(self._condition(stale))
        return self._known[stale.key]

    async def _condition(self, stale: _Stale) -> FreshPart | None:
        """Return the part of a stale view's storage table that is still fresh.

        Return None if no part is fresh, or if the changes of the sources cannot be read.
        """
        try:
            assert stale.storage.refresh is not None
            recorded = {state.uuid: state for state in stale.storage.refresh.sources}
            name, start = stale.changed.name, recorded[stale.changed.uuid].snapshot_id
            # Read before the check that no snapshot since the start has expired.
            files = await self._catalogs.of(name).files(name, start, stale.changed.snapshot_id)
            looks = (self._catalogs.of(t.name).change(t.name, recorded[t.uuid], t.snapshot_id) for t in stale.sources)
            changes = {change.name: change for change in await asyncio.gather(*looks)}
            changes[name] = replace(changes[name], files=files)
            return await asyncio.to_thread(fresh_part, stale.view, stale.storage, changes)
        except Unavailable:  # it has logged that; the next statement asks again
            self._known.pop(stale.key, None)
            return None
        except Exception as failure:  # manifests come from any writer; without them the view is stale as a whole
            _log.warning(
                "manifests unreadable view=%s error=%r: all partitions of the view count as stale until a refresh",
                stale.view.name,
                failure,
            )
            return None


def _known(look: asyncio.Task[FreshPart | None]) -> FreshPart | None:
    return look.result() if look.done() else None


def _stale(definitions: Definitions, relations: Relations) -> Iterator[_Stale]:
    """Yield each stale view for which a fresh part of the storage table may exist.

    The storage table must be partitioned, and exactly one source must have changed since the refresh, with at least one
    change other than an append. `definitions` are the current views, and `relations` the current tables and views.
    """
    for name, storage in relations.items():
        view = definitions.by_storage.get(name)
        if view is None or view.through or not isinstance(storage, Table) or storage.refresh is None:
            continue
        if not storage.partitioned_by:
            continue
        recorded = {state.uuid: state for state in storage.refresh.sources}
        names = dict.fromkeys(definitions.sources[view.name])
        sources = tuple(table for source in names if isinstance(table := relations.get(source), Table))
        if len(sources) < len(names) or {table.uuid for table in sources} != recorded.keys():
            continue
        changed = [table for table in sources if table.snapshot_id != recorded[table.uuid].snapshot_id]
        if len(changed) != 1 or len([*changed[0].since(recorded[changed[0].uuid].snapshot_id)]) > _MOST_COMMITS:
            continue
        found = fresh_storage(view, names, relations, partial=True)
        if isinstance(found, Table) or found.reason is not Reason.STALE:
            continue
        live = live_storage(view, names, relations)
        if not isinstance(live, Live) or not live.only_appends:
            yield _Stale(view, storage, sources, changed[0], found.detail)
