"""Reads appended rows once for several incremental refreshes that need them, and stages the results in one table.

Each view has a delta query, which computes the appended rows' contribution to the view. One statement runs the delta
queries of all views:

    WITH appended AS (SELECT *, rand() AS … FROM t WITH ('start-snapshot-id' = …, 'end-snapshot-id' = …))
    SELECT 0 AS part, struct(d.*) AS d0, NULL AS d1 FROM (<the delta query of the first view, FROM appended>) AS d
    UNION ALL SELECT 1, NULL, struct(d.*) FROM (<the delta query of the second view>) AS d

The column `rand()` is not used: it makes the rows of the CTE nondeterministic, because only then does Spark evaluate
the CTE once for all references.

A staged result is identified by the text of its delta query. A refresh that starts later, when more or fewer rows are
appended, has another delta query, and reads the base table itself. A refresh also reads the base table itself if
staging fails.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Mapping
from dataclasses import replace

from proxy.catalog.refresh_state import STORAGE_OF
from proxy.pipeline.runner import Runner
from proxy.pipeline.staging import JOB_SETTINGS
from rewriter import Decision
from rewriter.model import MaterializedView, TableName

# With fewer appended rows, each refresh reads them itself, because creating and dropping the table takes a second. With
# two million rows, eleven views read the files once instead of eleven times, in the same time if these are local.
MANY = 2_000_000
_ROWS = "viewgate_appended"

_logger = logging.getLogger(__name__)


class SharedDelta:
    """The staging table with the results of several views' delta queries; it exists while these views are refreshed.

    A delta query computes the contribution of appended rows to a view. `deltas` maps the views to their planned
    refreshes.
    """

    def __init__(self, runner: Runner, deltas: Mapping[MaterializedView, Decision]) -> None:
        (first, *_) = deltas
        self._runner = runner
        self._settings = {**(first.settings or {}), **JOB_SETTINGS}
        self._reading = {view.name for view in deltas}
        self._deltas = [delta for decision in deltas.values() if (delta := decision.delta) is not None]
        # The name and the property are like those of storage, so that the table of a killed Viewgate is dropped as an
        # orphan.
        self._table = TableName((*first.storage.parts[:-1], f"{first.storage.table}_delta_{uuid.uuid4().hex}"))
        self._property = f"'{STORAGE_OF}' = '{first.name}'"
        self._staging: asyncio.Task[bool] | None = None

    async def taken(self, decision: Decision) -> Decision:
        """Return the planned refresh `decision` with its delta query replaced by a read of the staging table.

        The first call creates the staging table and fills it with the results of all delta queries. Return the decision
        unchanged if the result of its delta query is not in the staging table, or if the table cannot be filled.
        """
        queries = [delta.query for delta in self._deltas]
        if decision.delta is None or decision.delta.query not in queries:
            return decision
        if self._staging is None:
            self._staging = asyncio.create_task(self._staged())
        if not await asyncio.shield(self._staging):
            return decision
        at = queries.index(decision.delta.query)
        staged = f"SELECT d{at}.* FROM {self._table.sql()} WHERE part = {at}"
        content = decision.content.replace(decision.delta.query, staged)
        return replace(decision, reason=f"{decision.reason}; read once for {len(queries)} views", content=content)

    async def leave(self, view: MaterializedView) -> None:
        """Record that the refresh of a view has ended; if no refresh needs the staging table any longer, drop it."""
        self._reading.discard(view.name)
        if not self._reading and self._staging is not None:
            self._staging.cancel()
            await asyncio.shield(self._dropped(self._staging))

    async def _staged(self) -> bool:
        """Create the staging table and fill it with the results of the delta queries; return whether that succeeded.

        Errors are only logged.
        """
        try:
            async with self._runner.job(self._settings) as job:
                await job.run(
                    f"CREATE TABLE {self._table.sql()} USING iceberg PARTITIONED BY (part) "
                    f"TBLPROPERTIES ({self._property}) AS {self._statement()}"
                )
        except Exception as failure:
            _logger.warning(
                "delta not shared table=%s error=%r: each view reads the appended rows", self._table, failure
            )
            return False
        return True

    def _statement(self) -> str:
        source = self._deltas[0].source
        return f"WITH {_ROWS} AS (SELECT *, rand() AS {_ROWS} FROM {source}) " + " UNION ALL ".join(
            _branch(at, len(self._deltas), delta.query.replace(source, _ROWS)) for at, delta in enumerate(self._deltas)
        )

    async def _dropped(self, staging: asyncio.Task[bool]) -> None:
        await asyncio.wait({staging})
        try:
            async with self._runner.job({}) as job:
                await job.run(f"DROP TABLE IF EXISTS {self._table.sql()} PURGE")
        except Exception as failure:  # the table is dropped later, as an orphan
            _logger.warning("delta not dropped table=%s error=%r", self._table, failure)


def _branch(at: int, count: int, query: str) -> str:
    """Return the SELECT that stages the result of delta query number `at`, as structs in the column `d<at>`.

    There are `count` such columns, one for each delta query; the other columns are NULL.

    >>> _branch(1, 3, "SELECT 1 AS k")
    'SELECT 1 AS part, NULL AS d0, struct(d.*) AS d1, NULL AS d2 FROM (SELECT 1 AS k) AS d'
    """
    columns = (f"struct(d.*) AS d{n}" if n == at else f"NULL AS d{n}" for n in range(count))
    return f"SELECT {at} AS part, {', '.join(columns)} FROM ({query}) AS d"


def shared_deltas(runner: Runner, decisions: Mapping[MaterializedView, Decision]) -> dict[TableName, SharedDelta]:
    """Return the staging table of each view, by view name, for refreshes that read the same appended rows.

    The refreshes must also have the same Spark settings, and read at least MANY (two million) rows. `decisions` has the
    planned refresh of each view; views that share no appended rows with another view are absent from the result.
    `runner` opens the Spark session in which the first refresh creates the staging table.
    """
    groups: dict[object, dict[MaterializedView, Decision]] = {}
    for view, decision in decisions.items():
        if decision.delta is not None and decision.delta.rows >= MANY and view.settings is not None:
            alike = decision.delta.source, frozenset(view.settings.items())
            groups.setdefault(alike, {})[view] = decision
    shared = [(group, SharedDelta(runner, group)) for group in groups.values() if len(group) > 1]
    return {view.name: delta for group, delta in shared for view in group}
