"""Storage tables that are not read for a while, because Spark has failed to read them and the base tables answered.

A failed read can take minutes (Iceberg tries a broken metadata file again and again), and would do so for each query.

    used ──a rewritten read fails, its original does not──▶ resting ──time, or another snapshot──▶ used
                                    (twice as long as the last time, where the snapshot is the same)
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from proxy.hs2 import InvalidStatement, SqlError
from proxy.hs2.status import first_message
from rewriter import Definitions, Outcome, Reason
from rewriter.model import Relation, Table, TableName

_log = logging.getLogger("viewgate")

_FIRST_S, _LONGEST_S = 300.0, 3600.0


@dataclass(frozen=True, slots=True)
class _Rest:
    """The rest of one snapshot of one storage table, until a time on the clock."""

    content: tuple[str, int | None]
    seconds: float
    until: float
    why: str


class Rests:
    """The resting storage tables of one process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._rests: dict[TableName, _Rest] = {}

    def begin(self, storages: Iterable[Table], error: SqlError) -> None:
        """Leave storage tables out that a failed statement has read; failures at the same time count as one."""
        if isinstance(error, InvalidStatement):  # of one user's permissions, or one statement's text
            return
        for storage in storages:
            before = self._rests.get(storage.name)
            if before is not None and before.content != _content(storage):
                before = None
            if before is None or before.until <= self._clock():
                self._begin(storage, min(2 * before.seconds, _LONGEST_S) if before else _FIRST_S, error)

    def _begin(self, storage: Table, seconds: float, error: SqlError) -> None:
        reason = first_message(error.message).strip().split("\n", 1)[0]
        end = datetime.now(UTC) + timedelta(seconds=seconds)
        why = (
            f"Spark failed to read its storage {storage.name} ({reason}); "
            f"not used before {end:%Y-%m-%d %H:%M:%S} UTC, or until its next refresh"
        )
        self._rests[storage.name] = _Rest(_content(storage), seconds, self._clock() + seconds, why)
        _log.warning("view rests storage=%s seconds=%g error=%r", storage.name, seconds, reason)

    @property
    def storages(self) -> frozenset[TableName]:
        """The storage tables that Spark has failed to read; some may have been refreshed since."""
        return frozenset(self._rests)

    def why(self, storage: Relation | None) -> str:
        """Return why a storage table is left out now; empty where it is not."""
        rest = self._rests.get(storage.name) if isinstance(storage, Table) else None
        if rest is None or not isinstance(storage, Table):
            return ""
        return rest.why if rest.content == _content(storage) and self._clock() < rest.until else ""

    def within(self, relations: Mapping[TableName, Relation | None]) -> Mapping[TableName, str]:
        """Return the storage tables among these relations that are left out, with the reasons."""
        found = ((name, self.why(relations.get(name))) for name in self._rests)
        return {name: why for name, why in found if why}


def told_of_rests(outcome: Outcome, resting: Mapping[TableName, str], definitions: Definitions) -> Outcome:
    """Return the outcome with the reasons for which storage tables were left out."""
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
