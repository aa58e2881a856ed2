"""Divides the configured limits among the workers in equal parts, so that all workers together respect the limits."""

from __future__ import annotations

from proxy.config import REMOTE, Config, ConfigError, UpstreamAddress
from proxy.server import Limits

_SMALLEST = 65536  # bytes; smaller ones hold no message


def check(settings: Config) -> None:
    """Raise ConfigError if the settings do not allow several workers, or if a limit is too small to be divided."""
    count = settings.server.workers
    asked = f"[server] workers = {count}"
    if not settings.upstreams:
        raise ConfigError(f"{asked} needs [[upstream]]: the Spark that Viewgate starts itself belongs to one process")
    if settings.pipeline.spark is not None and REMOTE not in settings.pipeline.spark:
        raise ConfigError(
            f"{asked} and [pipeline.spark] cannot be combined unless the latter has {REMOTE}: only one process can "
            "be the driver of a Spark application"
        )
    for upstream in settings.upstreams:
        for key in ("sessions", "statements"):
            if getattr(upstream, key) < count:
                raise ConfigError(
                    f"[[upstream]] {key} of {upstream.host} is {getattr(upstream, key)}: it must be {count} or more, "
                    f"one for each of [server] workers"
                )


def share(settings: Config, number: int) -> Config:
    """Return the settings for one worker, with its part of the configured limits; workers are numbered from 1.

    >>> from proxy.config import CatalogSettings, Listen
    >>> spark, lake = UpstreamAddress(host="spark", sessions=7), CatalogSettings(name="lake", type="sql")
    >>> settings = Config(server=Listen(workers=3), upstreams=(spark,), catalog=lake)
    >>> [share(settings, number).upstreams[0].sessions for number in (1, 2, 3)]
    [3, 2, 2]
    """
    count = settings.server.workers
    buffers = max((settings.limits.buffers or Limits.buffers) // count, _SMALLEST)
    return settings.model_copy(
        update={
            "upstreams": tuple(_of(upstream, number, count) for upstream in settings.upstreams),
            "limits": settings.limits.model_copy(update={"buffers": buffers}),
        }
    )


def _of(upstream: UpstreamAddress, number: int, count: int) -> UpstreamAddress:
    sessions, statements = (
        total // count + (number <= total % count) for total in (upstream.sessions, upstream.statements)
    )
    return upstream.model_copy(update={"sessions": sessions, "statements": statements})
