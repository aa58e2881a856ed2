"""A branch of a view's storage on which new content is written, until a commit publishes it or it is forgotten."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from proxy.catalog import BRANCH_PREFIX, Catalog, Conflict
from proxy.hs2 import SqlError
from proxy.pipeline.failures import Lost
from proxy.pipeline.sources import storage_of
from rewriter.model import MaterializedView, TableName

LOST = "40001"
JOB_SETTINGS = {
    "spark.sql.debug.maxToStringFields": "1000000",  # the type of a column is told whole
    "spark.sql.variable.substitute": "false",  # it would reach into the literals of the recorded state
    "spark.sql.sources.partitionOverwriteMode": "static",  # dynamic leaves partitions that have vanished
}
_COMMIT_FAILED = "org.apache.iceberg.exceptions.CommitFailedException"
_logger = logging.getLogger(__name__)


def recording(summary: Mapping[str, str]) -> dict[str, str]:
    """Return the settings under which a job's write records the refresh state in its summary."""
    return {f"spark.sql.iceberg.snapshot-property.{key}": value for key, value in summary.items()}


@asynccontextmanager
async def staged(catalog: Catalog, view: MaterializedView, base: int | None) -> AsyncIterator[str]:
    """Yield the name of a branch that is removed at the end; raise Lost if main has left `base`."""
    branch = f"{BRANCH_PREFIX}{uuid.uuid4().hex}"
    try:
        yield branch
    except Conflict as conflict:
        raise _lost(view, str(conflict)) from conflict
    except SqlError as failure:
        # What Spark says when another refresh changes branches under it tells a user nothing.
        if _COMMIT_FAILED in failure.message or (await storage_of(catalog, view)).snapshot_id != base:
            raise _lost(view, failure.message) from failure
        raise
    finally:
        await asyncio.shield(_forget(catalog, view.storage, branch))


async def _forget(catalog: Catalog, storage: TableName, branch: str) -> None:
    try:
        await catalog.drop_branch(storage, branch)
    except Exception:  # the refresh's own outcome counts; the next one drops the branch
        _logger.exception("branch not dropped branch=%s storage=%s", branch, storage)


def _lost(view: MaterializedView, detail: str) -> Lost:
    return Lost(
        f"the storage of {view.name} was changed while this refresh ran, by another one as a rule; its content is "
        f"whole; REFRESH again if it must be newer ({detail})",
        LOST,
    )
