"""Divides the configured limits among the workers in equal parts, so that all workers together respect the limits."""

from __future__ import annotations

from proxy.config import Config, UpstreamAddress
from proxy.server import Limits

_SMALLEST = 65536  # bytes; smaller ones hold no message


def share(settings: Config, number: int) -> Config:
    """Return the settings for the worker `number` (from 1), with the worker's part of the configured limits.

    >>> from proxy.config import CatalogSettings, Listen
    >>> spark, lake = UpstreamAddress(host="spark", sessions=7), CatalogSettings(name="lake", type="sql", uri="sqlite:///lake.db")
    >>> settings = Config(server=Listen(workers=3), upstreams=(spark,), catalogs=(lake,))
    >>> [share(settings, number).upstreams[0].sessions for number in (1, 2, 3)]
    [3, 2, 2]
    """
    count = settings.server.workers
    limits = Limits(**settings.limits.given)
    parts = {
        "buffers": max(limits.buffers // count, _SMALLEST),
        "logins": max(limits.logins // count, 1),
        "sessions": max(limits.sessions // count, 1),
    }
    return settings.model_copy(
        update={
            "upstreams": tuple(_of(upstream, number, count) for upstream in settings.upstreams),
            "limits": settings.limits.model_copy(update=parts),
        }
    )


def _of(upstream: UpstreamAddress, number: int, count: int) -> UpstreamAddress:
    sessions, statements = (
        total // count + (number <= total % count) for total in (upstream.sessions, upstream.statements)
    )
    return upstream.model_copy(update={"sessions": sessions, "statements": statements})
