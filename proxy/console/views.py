"""The figures of views that are the same for all workers: how far each is behind its tables, and how much it holds."""

from __future__ import annotations

import asyncio
import time

from prometheus_client.core import GaugeMetricFamily, Metric

from proxy.catalog import Catalog
from proxy.console.gauges import MOST_VIEWS
from proxy.hs2 import SqlError
from proxy.pipeline.status import lag_s
from rewriter.model import Table

_PATIENCE = 5.0  # seconds, half of the time that Prometheus gives a scrape


async def view_families(catalog: Catalog | None) -> list[Metric]:
    """Return the figures of the first views by name; none of them while the catalog does not answer."""
    up = GaugeMetricFamily("viewgate_catalog_up", "Whether the Iceberg catalog answers.", 0)
    if catalog is None:
        return []
    try:
        async with asyncio.timeout(_PATIENCE):
            families = await _families(catalog)
    except (SqlError, TimeoutError):
        return [up]
    up.samples.clear()
    up.add_metric([], 1)
    return [up, *families]


async def _families(catalog: Catalog) -> list[Metric]:
    views = sorted(await catalog.definitions(), key=lambda view: view.name)
    lag = _gauge("lag_seconds", "Seconds since the first commit that a view's storage lacks: 0 where it is fresh.")
    rows = _gauge("storage_rows", "Rows in a view's storage.")
    size = _gauge("storage_bytes", "Bytes of a view's storage.")
    storages = await catalog.current([view.storage for view in views[:MOST_VIEWS]])
    now_ms = time.time_ns() // 1_000_000
    for view in views[:MOST_VIEWS]:
        name, storage = [str(view.name)], storages[view.storage]
        behind = await lag_s(catalog, view, now_ms)
        if behind is not None:
            lag.add_metric(name, behind)
        if isinstance(storage, Table) and storage.records is not None and storage.size is not None:
            rows.add_metric(name, storage.records)
            size.add_metric(name, storage.size)
    return [GaugeMetricFamily("viewgate_views", "Materialized views.", len(views)), lag, rows, size]


def _gauge(name: str, documentation: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"viewgate_view_{name}", documentation, labels=["view"])
