"""Creates the objects of Viewgate, such as upstreams, catalog, pipeline and service, and connects them with
each other.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

from proxy import admission, config, embedded, jobs, links
from proxy.answering import Answers, Defaults, SessionFacts, SystemRows
from proxy.answering.system_tables import QUESTION as SYSTEM
from proxy.authentication import ProxyUsers
from proxy.catalog import Catalogs, open_catalogs
from proxy.children import Children
from proxy.commands import Context, Planner, find, operate
from proxy.effective import Effective
from proxy.journal import Journal, JsonLines, Record, Refresh, Writer
from proxy.pipeline import (
    IN_BACKGROUND,
    EmbeddedRunner,
    OnCommit,
    Orphans,
    Pipeline,
    Runner,
    Schedule,
    ThriftRunner,
)
from proxy.server import Limits
from proxy.service import Service
from proxy.upstream import Progress, Timeouts, Upstream, Upstreams, unknown, watch
from rewriter.model import TableName

_log = logging.getLogger("viewgate")

_PATIENCE = 5.0  # seconds in which workers answer each other


async def never() -> None:
    """Wait until the task is cancelled."""
    await asyncio.Event().wait()


@dataclass(frozen=True)
class Surroundings:
    """The Spark and the catalogs that Viewgate uses; Viewgate has started them, or they run elsewhere.

    - `alone`: the catalogs in which no other process creates views
    - `own`: the upstreams for refresh jobs; None if Viewgate has started Spark
    - `progress`: returns the stages of a running statement
    - `lost`: waits, and raises an error when a Spark that Viewgate has started ends by itself
    """

    upstreams: tuple[Upstream, ...]
    catalogs: Catalogs
    runner: Runner
    alone: Collection[str]
    progress: Progress = unknown
    own: Upstreams | None = None
    lost: Callable[[], Awaitable[None]] = never


async def surround(settings: config.Config, running: AsyncExitStack) -> Surroundings:
    """Connect to the Spark and the catalogs in the settings; without [[upstream]], start an embedded Spark (a child
    process).

    At shutdown, `running` stops the embedded Spark. If Spark runs elsewhere, `running` closes the connections for
    refresh jobs, and stops the Spark application of [pipeline.spark]. If this call is cancelled, an embedded Spark is
    killed, which may have answered no client yet.

    Raise CatalogError for a mistake in a catalog's settings; one of several catalogs may be unavailable.
    """
    timeout = settings.timeouts.catalog
    configured = {catalog.name: catalog.properties for catalog in settings.catalogs}
    catalogs = await open_catalogs(configured, timeout=timeout, late=len(settings.catalog_names) > 1)
    if not settings.starts_spark:
        own = Upstreams(links.for_pipeline(settings))
        running.callback(own.close)
        return Surroundings(
            tuple(links.upstreams(settings)),
            catalogs,
            await _job_runner(settings.pipeline, settings.catalog_names, own, running),
            alone=(),
            own=own,
        )
    spark = await _own_spark(settings.embedded, configured)
    running.push_async_callback(asyncio.to_thread, spark.stop)
    _log.info("Spark Thrift Server started host=%s port=%d", spark.thrift_host, spark.thrift_port)
    own_catalogs = await open_catalogs({spark.catalog_name: spark.catalog_properties}, timeout=timeout)
    return Surroundings(
        (Upstream(spark.thrift_host, spark.thrift_port),),
        Catalogs([*own_catalogs, *catalogs]),
        EmbeddedRunner(spark.session),
        alone=(spark.catalog_name,),
        progress=lambda statement: asyncio.to_thread(spark.stages, statement),
        lost=spark.lost,
    )


async def _own_spark(own: config.EmbeddedSettings, others: Mapping[str, Mapping[str, str]]) -> embedded.EmbeddedSpark:
    """Start the embedded Spark, which takes many seconds; kill it at once if this call is cancelled.

    `others` are the pyiceberg properties of the further catalogs, by name.
    """
    children = Children()
    start = partial(embedded.EmbeddedSpark.start, own.data, own.spark, others, children)
    starting = asyncio.create_task(asyncio.to_thread(start))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        children.stop()
        await asyncio.wait([starting])
        if starting.exception() is None:
            await asyncio.to_thread(starting.result().stop)
        raise


async def _job_runner(
    pipeline: config.PipelineSettings, catalogs: Sequence[str], own: Upstreams, running: AsyncExitStack
) -> Runner:
    if pipeline.spark is None:
        user = pipeline.user if "user" in pipeline.given else None  # the user to act for, if a keytab logs in
        return ThriftRunner(lambda: own.open_own(user))
    return await jobs.runner(pipeline.spark, catalogs, running)


def compose(
    surroundings: Surroundings,
    effective: Effective,
    running: AsyncExitStack,
    kind: Callable[..., Service] = Service,
    *,
    sole: AsyncExitStack | None,
) -> tuple[Service, Context]:
    """Return the service, which answers Thrift calls, and the context in which Viewgate's own statements run.

    The service and the context use the Spark and the catalogs in `surroundings`.

    `effective` has the settings in effect. `kind` is the class of the service. `running` ends the background work of
    this process. Of several worker processes, exactly one gets `sole`, and the others get None: the process with
    `sole` does the work that must be done once for all processes, and `sole` ends this work.
    """
    catalogs, settings = surroundings.catalogs, effective.settings
    journal = _journal(settings, catalogs, running)
    pipeline = Pipeline(catalogs, surroundings.runner, journal, _in_background(settings.pipeline))
    upstreams = Upstreams(surroundings.upstreams, Timeouts(**settings.timeouts.upstream))

    async def ask(question: bytes, about: bytes) -> Mapping[int, Any]:
        return await service.ask(question, _PATIENCE, about)

    schedule = Schedule(catalogs, pipeline)
    system = SystemRows(journal, catalogs, lambda: service.sessions, lambda: upstreams, ask, schedule.due_ms)
    context = Context(
        catalogs,
        pipeline,
        OnCommit(catalogs, pipeline),
        Orphans(catalogs, surroundings.runner, alone=surroundings.alone),
        Answers(catalogs, system=lambda session, table: context.told(session, table)),
        workers=lambda: service.workers(),
        upstreams=lambda: upstreams,
        open_to_all=settings.authentication.open_to_all,
        operators=lambda: effective.operators,
        settings=effective.rows,
        system=system,
        ask=ask,
        journal=journal,
        reload=lambda: effective.reload(),
        restart=lambda: effective.restart(),
    )
    defaults, limits = Defaults(), Limits(**settings.limits.given)
    service = kind(
        upstreams,
        Planner(context, find),
        lambda user, configuration: SessionFacts(configuration, defaults),
        ProxyUsers(settings.authentication.proxy_users),
        catalogs,
        surroundings.progress,
        journal,
        limits.sessions,
        limits.configuration,
    )
    pools = [upstreams, *filter(None, [surroundings.own])]
    service.answers[SYSTEM] = system.answer
    service.answers[operate.KILL] = partial(operate.killed, journal)
    service.answers[operate.STEER] = partial(operate.steered, pools)
    _begin(context, upstreams, schedule, running, sole)
    return service, context


def _begin(
    context: Context, upstreams: Upstreams, schedule: Schedule, running: AsyncExitStack, sole: AsyncExitStack | None
) -> None:
    """Start the background work of a service, which `running` and `sole` end.

    Every process watches its upstreams. With `sole`, this process also does the work of all processes: scheduled
    refreshes (`schedule`), the removal of storage tables without a view, and missed refreshes.
    """
    on_commit, answers = context.on_commit, context.answers
    running.push_async_callback(on_commit.close)
    works: list[tuple[AsyncExitStack, Coroutine[Any, Any, object]]] = [(running, watch(upstreams))]
    if sole is not None:
        works += [
            (sole, schedule.run()),
            (sole, context.orphans.drop()),
            (sole, _catch_up(upstreams, context.catalogs, partial(on_commit.catch_up, answers.definitions))),
        ]
    for ending, work in works:
        ending.push_async_callback(cancelled, asyncio.create_task(work))


def _journal(settings: config.Config, catalogs: Catalogs, running: AsyncExitStack) -> Journal:
    """Return the statement journal for these settings; `running` closes its writers."""
    kept, tracing = settings.journal, settings.tracing
    writers: list[Writer] = [] if kept.file is None else [JsonLines(kept.file)]
    for kind, table in ((Record, kept.table), (Refresh, kept.refresh_table)):
        if table is not None:
            writers.append(_journal_table(kind, table, catalogs))
    if tracing is not None:
        writers.append(admission.spans(tracing))
    for writer in writers:
        running.push_async_callback(asyncio.to_thread, writer.close)
    traced = 0.0 if tracing is None else tracing.ratio
    journal = Journal(writers=writers, literals=kept.literals, traced=traced)
    running.callback(journal.flush)
    return journal


def _journal_table(kind: type[Record] | type[Refresh], table: str, catalogs: Catalogs) -> Writer:
    from proxy.journal.iceberg_table import IcebergTable

    parts = tuple(table.split("."))
    name = TableName(parts if len(parts) > 2 and parts[0] in catalogs else (*catalogs.names[:1], *parts))
    return IcebergTable(kind, str(name), partial(catalogs.of(name).append, name))


def _in_background(pipeline: config.PipelineSettings) -> int:
    """Return the largest number of background refreshes at once: the configured number, or else a default.

    The default is twice as large for a separate Spark ([pipeline.spark]), which serves no clients.
    """
    if pipeline.background is not None:
        return pipeline.background
    return IN_BACKGROUND if pipeline.spark is None else 2 * IN_BACKGROUND


async def _catch_up(upstreams: Upstreams, catalogs: Catalogs, begin: Callable[[], None]) -> None:
    """Call `begin`, which starts missed refreshes, once Spark has answered, and each time a catalog becomes available
    again.
    """
    await upstreams.answered.wait()
    begin()
    catalogs.when_back(begin)


def adopt(surroundings: Surroundings, service: Service, settings: config.Config) -> None:
    """Apply the changed settings of upstreams (for clients and for refresh jobs) and of proxy users to the running
    service.
    """
    service.proxy_users = ProxyUsers(settings.authentication.proxy_users)
    if surroundings.own is not None:
        for_clients, for_jobs = links.upstreams(settings), links.for_pipeline(settings)
        service.upstreams.reconfigure(for_clients)
        surroundings.own.reconfigure(for_jobs)


async def cancelled(task: asyncio.Task[Any]) -> None:
    """Cancel a task, and wait for its end."""
    task.cancel()
    await asyncio.wait([task])
