"""The command line, and the only place that wires objects together."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import select
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from getpass import getpass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

from proxy import admission, config, demo, embedded, explaining, jars, jobs, preflight, progress_bar, refreshing
from proxy.answering import Answers, Defaults, SessionFacts
from proxy.authentication import PasswordFile, ProxyUsers
from proxy.catalog import Catalog, CatalogError, open_catalog
from proxy.commands import Context, Planner, find
from proxy.hs2 import Query, SqlError, encode_call
from proxy.hs2.generated import ttypes
from proxy.hs2.protocol import V11
from proxy.pipeline import Begun, EmbeddedRunner, OnCommit, Orphans, Pipeline, Runner, Schedule, ThriftRunner
from proxy.server import Server
from proxy.service import Service
from proxy.settable import LISTEN_PORT
from proxy.upstream import Progress, Terms, Timeouts, Upstream, Upstreams, UpstreamSession, unknown, watch
from rewriter.script import ScriptError

_log = logging.getLogger("viewgate")
_REFUSED_LOGIN = "28000"
_SIGNALS = (signal.SIGTERM, signal.SIGINT)

# What stops the start: its message says all that the user needs.
REFUSALS = (
    config.ConfigError,
    preflight.Missing,
    jars.Unfetched,
    embedded.StartError,
    CatalogError,
    SqlError,
    ScriptError,
    OSError,
)


# The exit code that shells give to a command that SIGPIPE has ended.
_NOT_READ = 141


@dataclass(frozen=True)
class Surroundings:
    """What Viewgate stands between, started here or elsewhere; `alone` says that nobody else makes views there."""

    upstreams: tuple[Upstream, ...]
    catalog: Catalog
    runner: Runner
    alone: bool
    progress: Progress = unknown
    own: Upstreams | None = None  # for refresh jobs, on a Spark elsewhere


def main(argv: list[str] | None = None) -> int:
    """Run the command line; the process's exit code."""
    options = arguments().parse_args(argv)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    for name in ("proxy", "rewriter", "viewgate"):
        logging.getLogger(name).setLevel(logging.INFO)
    try:
        with asyncio.Runner(loop_factory=_new_loop) as runner:
            code: int | None = runner.run(options.run(options))
        sys.stdout.flush()
    except REFUSALS as refusal:
        if isinstance(refusal, BrokenPipeError) and not _is_read(sys.stdout):
            return _NOT_READ
        print(f"viewgate: {refusal}", file=sys.stderr)
        return 1
    return code or 0


def _is_read(output: TextIO) -> bool:
    """Whether somebody still reads what is printed, unlike `head` behind a pipe; where nobody does, no more is."""
    watched = select.poll()
    watched.register(output.fileno(), 0)
    gone = bool(watched.poll(0))
    if gone:
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
    return not gone


def _new_loop() -> asyncio.AbstractEventLoop:
    """uvloop, which relays a call in about half the time; Python's own where there is none for the system."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def arguments() -> argparse.ArgumentParser:
    """What `viewgate` can be asked to do."""
    parser = argparse.ArgumentParser(prog="viewgate", description="A SQL proxy for Spark with materialized views.")
    parser.add_argument("--version", action="version", version=f"viewgate {version('viewgate')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    serving = commands.add_parser("serve", help="listen for HiveServer2 clients until SIGTERM or Ctrl-C")
    serving.add_argument("--config", type=Path, metavar="FILE", help="settings in TOML; without: a Spark of its own")
    serving.add_argument("--port", type=int, help="where to listen (default 10000; 0 takes a free port)")
    serving.add_argument("--data", type=Path, metavar="DIR", help="where its own Spark keeps all (default .viewgate)")
    serving.add_argument("--demo", action="store_true", help="make demo tables and views that are not there yet")
    serving.set_defaults(run=serve)
    refreshes = commands.add_parser(
        "refresh", help="refresh materialized views, for cron and its like: 0 if all went well"
    )
    refreshes.add_argument("names", nargs="*", metavar="NAME", help="a view: namespace.name")
    refreshes.add_argument("--all", action="store_true", help="all views")
    refreshes.add_argument("--stale", action="store_true", help="those that are stale, of all or of the names")
    refreshes.add_argument("--full", action="store_true", help="compute anew even if nothing has changed")
    refreshes.add_argument("--config", type=Path, metavar="FILE", help="settings in TOML, those of `serve`")
    refreshes.add_argument("--data", type=Path, metavar="DIR", help="where its own Spark keeps all (default .viewgate)")
    refreshes.set_defaults(run=refresh, demo=False, port=None)
    healthy = commands.add_parser("health", help="log in to a running viewgate and open a session: 0 if that works")
    healthy.add_argument("--host", default="127.0.0.1", help="default 127.0.0.1")
    healthy.add_argument("--port", type=int, default=config.Listen.port, help=f"default {config.Listen.port}")
    healthy.set_defaults(run=health)
    offline = commands.add_parser("explain", help="what would become of a query, from a script alone: no server")
    explaining.add_arguments(offline)
    offline.set_defaults(run=explaining.explain)
    hashing = commands.add_parser("password", help="ask for a password, print its line for [authentication] passwords")
    hashing.add_argument("user")
    hashing.set_defaults(run=password)
    return parser


async def serve(options: argparse.Namespace) -> None:
    """Start everything, say that it is ready, wait to be told to stop, stop everything."""
    settings = settled(options)
    refuse_taken_port(settings.server)
    entrance = admission.entrance(settings)
    stopping = asyncio.Event()
    for number in _SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    async with AsyncExitStack() as running:
        surroundings = await surround(settings, running)
        service = compose(surroundings, settings, running)
        if options.config:
            reload = partial(reread, options, surroundings, service.upstreams)
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reload)
        server = Server(entrance(service), settings.server.host, settings.server.port)
        port = await server.start()
        running.push_async_callback(server.stop)
        warming = asyncio.create_task(_warm(Upstreams(surroundings.upstreams, Timeouts(close=60))))
        if options.demo and not stopping.is_set():
            await _unless(stopping, _in_session(Upstream("127.0.0.1", port), "demo", demo.make))
        if not stopping.is_set():
            print(f"viewgate ready: jdbc:hive2://{_reachable(settings.server.host)}:{port}/", flush=True)
        await stopping.wait()
        warming.cancel()
        for number in _SIGNALS:  # who asks again is in a hurry
            asyncio.get_running_loop().add_signal_handler(number, server.hurry)
        still = service.sessions.running
        _log.info("stopping%s", f": {still} statements still run, for {server.grace:g} s at most" if still else "")


def reread(options: argparse.Namespace, surroundings: Surroundings, upstreams: Upstreams) -> None:
    """Go on with the upstreams that the settings file names now; all else in it is for the next start."""
    try:
        settings = settled(options)
        if surroundings.own is None or not settings.upstreams:
            raise config.ConfigError("[[upstream]] was not there at the start, or is not there now")
    except config.ConfigError as error:
        _log.error("the settings are not read again: %s", error)
        return
    upstreams.reconfigure(_upstreams(settings))
    surroundings.own.reconfigure(_for_pipeline(settings))
    _log.info("the upstreams are now %s", "; ".join(_shown(address) for address in settings.upstreams))


async def refresh(options: argparse.Namespace) -> int:
    """Refresh the views that are asked for, on the Spark of the settings or on one of our own; the exit code."""
    if not (options.names or options.all or options.stale) or (options.names and options.all):
        raise config.ConfigError("say which views to refresh: their names, --all or --stale")
    settings = settled(options)
    async with AsyncExitStack() as running:
        surroundings = await surround(settings, running)
        wanted = refreshing.Wanted(tuple(options.names), options.stale, options.full)
        pipeline = Pipeline(surroundings.catalog, surroundings.runner)
        begun = running.enter_context(Begun())
        say = await running.enter_async_context(progress_bar.drawn(begun))
        return await refreshing.refresh(surroundings.catalog, pipeline, wanted, say)


async def _warm(upstreams: Upstreams) -> None:
    """Let Spark do now what the first client would wait for: closing a first session starts a metastore, in seconds."""
    with contextlib.suppress(SqlError):
        session = await open_session(upstreams, "viewgate")
        await session.close()
    upstreams.close()


def settled(options: argparse.Namespace) -> config.Config:
    """The settings in the file, on which the command line has the last word."""
    settings = config.load(options.config) if options.config else config.Config()
    if settings.upstreams and (options.data or options.demo):
        given = "--data" if options.data else "--demo"
        raise config.ConfigError(f"{given} is for Viewgate's own Spark, and {options.config} names another")
    if options.demo and not (settings.authentication.open_to_all and not _tls_only(settings.server)):
        raise config.ConfigError(
            "--demo makes its data as a client without a password, and in the clear: it cannot be given together with "
            "[authentication] passwords, ldap, jwt or kerberos, nor with [server.tls] required"
        )
    if options.data:
        settings = replace(settings, embedded=replace(settings.embedded, data=options.data))
    if options.port is not None:
        if not LISTEN_PORT.accepts(options.port):
            raise config.ConfigError(f"--port is {options.port}: it must be {LISTEN_PORT.allowed}")
        settings = replace(settings, server=replace(settings.server, port=options.port))
    return settings


def _tls_only(listen: config.Listen) -> bool:
    return listen.tls is not None and listen.tls.required


def refuse_taken_port(listen: config.Listen) -> None:
    """Say so before Spark is started if the port, or the address, cannot be had."""
    try:
        with socket.create_server((listen.host, listen.port)):
            pass
    except OSError as error:
        raise config.ConfigError(
            f"cannot listen on port {listen.port} of {listen.host}: {error.strerror}; "
            "give another with --port, or stop what listens there"
        ) from error


async def surround(settings: config.Config, running: AsyncExitStack) -> Surroundings:
    """Spark and the catalog: those of the settings, or our own, which `running` stops."""
    if settings.catalog is not None:
        own = Upstreams(_for_pipeline(settings))
        running.callback(own.close)
        return Surroundings(
            tuple(_upstreams(settings)),
            open_catalog(settings.catalog.name, settings.catalog.properties),
            await _job_runner(settings.pipeline, own, running),
            alone=False,
            own=own,
        )
    spark = await asyncio.to_thread(embedded.EmbeddedSpark.start, settings.embedded.data, settings.embedded.spark)
    running.push_async_callback(asyncio.to_thread, spark.stop)
    _log.info("Spark Thrift Server of its own at %s:%d", spark.thrift_host, spark.thrift_port)
    return Surroundings(
        (Upstream(spark.thrift_host, spark.thrift_port),),
        open_catalog(spark.catalog_name, spark.catalog_properties),
        EmbeddedRunner(spark.session),
        alone=True,
        progress=lambda statement: asyncio.to_thread(spark.stages, statement),
    )


async def _job_runner(pipeline: config.PipelineSettings, own: Upstreams, running: AsyncExitStack) -> Runner:
    if pipeline.spark is None:
        return ThriftRunner(lambda: open_session(own, pipeline.user))
    return await jobs.runner(pipeline.spark, running)


def compose(surroundings: Surroundings, settings: config.Config, running: AsyncExitStack) -> Service:
    """The service over these surroundings; `running` ends what goes on in its background."""
    catalog = surroundings.catalog
    pipeline = Pipeline(catalog, surroundings.runner)
    on_commit = OnCommit(catalog, pipeline)
    running.push_async_callback(on_commit.close)
    running.push_async_callback(_cancelled, asyncio.create_task(Schedule(catalog, pipeline).run()))
    orphans = Orphans(catalog, surroundings.runner, alone=surroundings.alone)
    running.push_async_callback(_cancelled, asyncio.create_task(orphans.drop()))
    planner = Planner(Context(catalog, pipeline, on_commit, orphans, Answers(catalog)), find)
    defaults = Defaults()
    upstreams = Upstreams(surroundings.upstreams, Timeouts(**settings.timeouts))
    running.push_async_callback(_cancelled, asyncio.create_task(watch(upstreams)))
    return Service(
        upstreams,
        planner,
        lambda user, configuration: SessionFacts(configuration, defaults),
        ProxyUsers(settings.authentication.proxy_users),
        catalog,
        surroundings.progress,
    )


async def health(options: argparse.Namespace) -> None:
    """Connect as a client does, up to an open session; where a password or TLS is asked for, up to that refusal."""

    async def nothing(query: Query) -> None:
        pass

    logging.getLogger("proxy").setLevel(logging.CRITICAL)  # what is wrong is said once, at the end
    said = "is well: a session was opened"
    try:
        await _in_session(Upstream(options.host, options.port, what="Viewgate"), "health", nothing, Timeouts(open=10))
    except SqlError as error:
        if error.sql_state != _REFUSED_LOGIN:
            raise
        said = "listens and asks for a password"
    print(f"Viewgate at {options.host}:{options.port} {said}")


async def password(options: argparse.Namespace) -> None:
    """Print the line of a user for a file of passwords; the password comes from the terminal or from a pipe."""
    given = getpass(f"Password of {options.user}: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    if not given or not options.user or ":" in options.user:
        raise config.ConfigError("a user, without a colon, and a password that is not empty are needed")
    print(PasswordFile.line(options.user, given))


async def open_session(upstreams: Upstreams, user: str) -> UpstreamSession:
    """A session of our own, as a client would open it."""
    request = ttypes.TOpenSessionReq(client_protocol=V11, configuration={})
    session, _ = await upstreams.open(user, encode_call("OpenSession", 0, request))
    return session


async def _in_session(
    where: Upstream,
    user: str,
    work: Callable[[Query], Awaitable[None]],
    timeouts: Timeouts | None = None,
) -> None:
    """Do something in a session of our own, by its `query`."""
    upstreams = Upstreams([where], timeouts)
    session = await open_session(upstreams, user)
    try:
        await work(session.query)
    finally:
        await session.close()
        upstreams.close()


async def _unless(stopping: asyncio.Event, work: Awaitable[None]) -> None:
    """Do something, or give it up when we are told to stop."""
    task, stop = asyncio.ensure_future(work), asyncio.ensure_future(stopping.wait())
    await asyncio.wait((task, stop), return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    if task.done():
        task.result()
    else:
        task.cancel()
        await asyncio.wait([task])


async def _cancelled(task: asyncio.Task[Any]) -> None:
    """Cancel something; it has ended when this returns."""
    task.cancel()
    await asyncio.wait([task])


def _upstreams(settings: config.Config) -> list[Upstream]:
    return [Upstream(u.host, u.port, u.user, u.password, terms=_terms(u)) for u in settings.upstreams]


def _for_pipeline(settings: config.Config) -> list[Upstream]:
    """The same servers for refresh jobs, which log in as themselves."""
    login = settings.pipeline.user, settings.pipeline.password
    return [Upstream(u.host, u.port, *login, terms=_terms(u)) for u in settings.upstreams]


def _terms(address: config.UpstreamAddress) -> Terms:
    return Terms(address.weight, address.sessions, address.statements, address.draining)


def _shown(address: config.UpstreamAddress) -> str:
    return f"{address.host}:{address.port}{' (draining)' if address.draining else ''}"


def _reachable(host: str) -> str:
    """An address that a client on this machine can use.

    >>> _reachable("0.0.0.0"), _reachable("gate.example.org")
    ('127.0.0.1', 'gate.example.org')
    """
    return "127.0.0.1" if host in ("0.0.0.0", "::", "") else host  # noqa: S104


if __name__ == "__main__":
    sys.exit(main())
