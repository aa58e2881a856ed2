"""The last failure of a refresh: a property of the view's storage, so that every proxy and a next start know of it.

A refresh that succeeds removes it in the commit that publishes the content. It decides nothing: whether storage is used
is a question of its freshness alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from proxy.catalog import Catalog
from proxy.hs2 import SqlError
from proxy.hs2.status import first_message
from proxy.pipeline.status import REFRESH_ERROR, status
from rewriter.model import MaterializedView

_CANCELLED = "it was cancelled"
_LONGEST = 1000
_logger = logging.getLogger(__name__)


class Lost(SqlError):
    """The storage was changed meanwhile, by a faster refresh as a rule, or is gone: no failure of the view's."""


def gone(view: MaterializedView) -> Lost:
    """Return the error for work on a view that was replaced or dropped."""
    return Lost(
        f"materialized view {view.name} has just been replaced or dropped; what was to be done on its storage "
        f"{view.storage} is not done; try again if the view is there",
        "40001",
    )


@asynccontextmanager
async def noted(catalog: Catalog, view: MaterializedView) -> AsyncIterator[None]:
    """Note how the refresh in the body ends: its failure on the storage, or that there is none any more."""
    try:
        yield
    except Lost:
        raise
    except asyncio.CancelledError:
        await asyncio.shield(_note(catalog, view, _CANCELLED))
        raise
    except Exception as failure:
        _logger.warning("refresh failed view=%s error=%s", view.name, failure)
        await _note(catalog, view, first_message(str(failure)))
        raise
    else:
        await _note(catalog, view, None)


async def _note(catalog: Catalog, view: MaterializedView, message: str | None) -> None:
    now = datetime.now(UTC).isoformat(sep=" ", timespec="seconds")
    try:
        if message == _CANCELLED and (await status(catalog, view)).fresh:  # the cancel came during the commit
            return
        await catalog.note(view.storage, REFRESH_ERROR, message and f"{now}: {message[:_LONGEST]}")
    except Exception:  # the refresh's own outcome counts
        _logger.exception("refresh not recorded view=%s", view.name)
