"""Creates the runner of refresh jobs for [pipeline.spark].

The jobs run on a Spark Connect server, or in a Spark application whose driver is this process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from proxy.config import MASTER, REMOTE, ConfigError
from proxy.embedded import ICEBERG_CATALOG, shown_at_launch
from proxy.pipeline import ConnectRunner, EmbeddedRunner, Runner

if TYPE_CHECKING:
    from pyspark.sql import SparkSession as OwnSession
    from pyspark.sql.connect.session import SparkSession

Settings = Mapping[str, str]
# The log of a scheduled refresh should show the refresh, not Spark's progress bars and warnings; user settings override
# these.
_APPLICATION = {
    "spark.app.name": "viewgate refresh",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
# Retries for some seconds instead of PySpark's ten minutes, because the next refresh tries again anyway.
_RETRIES = 5


async def runner(settings: Settings, catalogs: Sequence[str], running: AsyncExitStack) -> Runner:
    """Return the runner of refresh jobs for the settings in [pipeline.spark].

    `catalogs` are the names of the Iceberg catalogs in Spark. If this call starts a Spark application, the application
    is stopped when `running` is closed. Raise ConfigError if the settings cannot be used.
    """
    key = next((key for key in RUNNERS if key in settings), MASTER)
    try:
        return await RUNNERS[key](settings, catalogs, running)
    except ImportError as missing:
        extra = "connect" if key == REMOTE else "embedded"
        raise ConfigError(
            f"[pipeline.spark] needs PySpark: run pip install '.[{extra}]' in Viewgate's sources ({missing})"
        ) from missing


async def _connected(settings: Settings, catalogs: Sequence[str], running: AsyncExitStack) -> Runner:
    """Return a runner on a Spark Connect server; the connection is opened by the runner's first job.

    `catalogs` and `running` are not used, because no Spark application is started that must be configured or stopped.
    """
    from pyspark.sql.connect.client.retries import DefaultPolicy
    from pyspark.sql.connect.session import SparkSession

    def connect() -> SparkSession:
        session = SparkSession.builder.remote(settings[REMOTE]).create()
        session.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES)])
        return session

    return ConnectRunner(connect, {key: value for key, value in settings.items() if key != REMOTE})


async def _of_this_process(settings: Settings, catalogs: Sequence[str], running: AsyncExitStack) -> Runner:
    """Start a Spark application whose driver is this process, and return a runner in that application.

    The application is stopped when `running` is closed. `spark-submit` may have started this process, but need not.
    Raise ConfigError if Spark does not start.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    shown = shown_at_launch(settings)

    def start() -> OwnSession:
        if shown != settings:  # else PySpark starts the JVM by itself, with all settings on the command line
            SparkContext._ensure_initialized(conf=SparkConf(loadDefaults=False).setAll([*shown.items()]))
        return SparkSession.builder.config(map={**_APPLICATION, **settings}).getOrCreate()

    starting = asyncio.create_task(asyncio.to_thread(start))
    running.push_async_callback(_end, starting)
    try:
        session = await asyncio.shield(starting)
    except PySparkException as failure:
        given = f"{MASTER} = {settings[MASTER]!r}" if MASTER in settings else "without spark.master"
        raise ConfigError(
            f"[pipeline.spark] {given}: Spark did not start: {failure}; correct the settings"
        ) from failure
    for catalog in catalogs:
        _refuse_unfinished(session, f"spark.sql.catalog.{catalog}")
    return EmbeddedRunner(session)


async def _end(starting: asyncio.Task[OwnSession]) -> None:
    """Wait until a Spark application has started, and stop the application."""
    await asyncio.wait([starting])
    if starting.exception() is None:
        await asyncio.to_thread(starting.result().stop)


def _refuse_unfinished(session: OwnSession, key: str) -> None:
    """Raise ConfigError if Spark's settings define the Iceberg catalog, but neither its type nor its implementation.

    `key` is the catalog's key in Spark's settings, such as `spark.sql.catalog.lake`. Without a type, Iceberg would look
    for a Hive metastore and log two thousand lines.
    """
    kinds = (f"{key}.type", f"{key}.catalog-impl")
    if session.conf.get(key, None) == ICEBERG_CATALOG and not any(session.conf.get(kind, None) for kind in kinds):
        raise ConfigError(
            f"[pipeline.spark] has {key}, but neither {' nor '.join(kinds)}: give the catalog "
            f"{key.rpartition('.')[2]} the same properties as on the upstream Spark servers"
        )


RUNNERS: Mapping[str, Callable[[Settings, Sequence[str], AsyncExitStack], Awaitable[Runner]]] = {
    REMOTE: _connected,
    MASTER: _of_this_process,
}
