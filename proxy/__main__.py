"""The command line; with `composing`, the only place that wires objects together."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import logging
import os
import select
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from getpass import getpass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from proxy import admission, config, demo, embedded, explaining, jars, preflight, progress_bar, refreshing, workers
from proxy.authentication import Cookies, PasswordFile
from proxy.catalog import CatalogError
from proxy.commands import show_workers
from proxy.composing import Surroundings, adopt, cancelled, compose, in_session, open_session, surround
from proxy.hs2 import Query, SqlError
from proxy.pipeline import Asked, Begun, Pipeline
from proxy.server import Server
from proxy.service import Service
from proxy.settable import LISTEN_PORT, WORKERS
from proxy.upstream import Timeouts, Upstream, Upstreams
from proxy.wire import Transport
from rewriter.script import ScriptError

_log = logging.getLogger("viewgate")
_REFUSED_LOGIN = "28000"
_SIGNALS = (signal.SIGTERM, signal.SIGINT)

# What stops the start, or all: its message says all that the user needs.
REFUSALS = (
    config.ConfigError,
    preflight.Missing,
    jars.Unfetched,
    embedded.StartError,
    embedded.SparkLost,
    CatalogError,
    SqlError,
    ScriptError,
    OSError,
)


# The exit code that shells give to a command that SIGPIPE has ended.
_NOT_READ = 141


def main(argv: list[str] | None = None) -> int:
    """Run the command line; the process's exit code."""
    options = arguments().parse_args(argv)
    logging.basicConfig(level=logging.WARNING)
    _log_as("")
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


def _log_as(name: str) -> None:
    for handler in logging.getLogger().handlers:
        handler.setFormatter(logging.Formatter(f"%(asctime)s %(levelname)s {name}%(message)s"))


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
    serving.add_argument(
        "--workers", type=int, metavar="N", help="processes on that port (default 1), with [[upstream]]"
    )
    serving.add_argument("--data", type=Path, metavar="DIR", help="where its own Spark keeps all (default .viewgate)")
    serving.add_argument("--demo", action="store_true", help="make demo tables and views that are not there yet")
    serving.set_defaults(run=serve)
    commands.add_parser("work").set_defaults(run=work)  # of which nobody is told: it is for our own supervisor
    refreshes = commands.add_parser(
        "refresh", help="refresh materialized views, for cron and its like: 0 if all went well"
    )
    refreshes.add_argument("names", nargs="*", metavar="NAME", help="a view: namespace.name")
    refreshes.add_argument("--all", action="store_true", help="all views")
    refreshes.add_argument("--stale", action="store_true", help="those that are stale, of all or of the names")
    refreshes.add_argument("--full", action="store_true", help="compute anew even if nothing has changed")
    refreshes.add_argument("--where", default="", metavar="CONDITION", help="rows of the view, as in REFRESH … WHERE")
    refreshes.add_argument("--config", type=Path, metavar="FILE", help="settings in TOML, those of `serve`")
    refreshes.add_argument("--data", type=Path, metavar="DIR", help="where its own Spark keeps all (default .viewgate)")
    refreshes.set_defaults(run=refresh, demo=False, port=None, workers=None)
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


async def serve(options: argparse.Namespace) -> int:
    """Start everything, say that it is ready, wait to be told to stop, stop everything; the exit code."""
    settings = settled(options)
    if settings.server.workers > 1:
        workers.check(settings)
    refuse_taken_port(settings.server)
    entrance = admission.entrance(settings)
    if settings.server.workers > 1:
        return await supervise(options, settings)
    stopping = asyncio.Event()
    _when_told(stopping.set)
    async with AsyncExitStack() as running:
        surroundings = await surround(settings, running)
        service = compose(surroundings, settings, running)
        if options.config:
            _when_to_reload(lambda: reread(options, settings, partial(adopt, surroundings, service.upstreams)))
        server = Server(entrance(service), settings.server.host, settings.server.port, ports=_ports(settings))
        port = await server.start()
        running.push_async_callback(server.stop)
        warming = asyncio.create_task(_warm(Upstreams(surroundings.upstreams, Timeouts(close=60))))
        if options.demo and not stopping.is_set():
            await _unless(stopping, in_session(Upstream("127.0.0.1", port), "demo", demo.make))
        _settle()
        if not stopping.is_set():
            _say_ready(settings, port)
        await _unless(stopping, surroundings.lost())
        warming.cancel()
        _when_told(server.hurry)  # who asks again is in a hurry
        _say_stopping(service, server)
    return 0


async def supervise(options: argparse.Namespace, settings: config.Config) -> int:
    """Serve in several processes on one port, each of which does `work`; the exit code."""
    command = [sys.executable, "-P", "-m", "proxy", "work"]
    with reserved(settings.server) as port, TemporaryDirectory(prefix="viewgate-") as directory:
        ready = partial(_say_ready, settings, port)
        supervisor = workers.Supervisor(command, settings, port, Path(directory), ready)
        _when_told(supervisor.stop)
        _when_to_reload(lambda: reread(options, supervisor.settings, supervisor.adopt))
        return await supervisor.run()


async def work(options: argparse.Namespace) -> None:
    """Serve as one of several workers, in a process that their supervisor has started."""
    orders = await workers.Orders.through(sys.stdin)
    task = await orders.next()
    if not isinstance(task, workers.Task):
        return
    _log_as(f"worker {task.number}: ")
    settings = workers.share(task.settings, task.number)
    stopping = asyncio.Event()
    _when_told(stopping.set)
    _when_to_reload(lambda: None)  # that comes as an order
    async with AsyncExitStack() as running:
        surroundings = await surround(settings, running)
        neighbours = workers.Neighbours(task.directory, task.mark)
        shared = partial(workers.SharedService, neighbours, settings.server.workers)
        first = task.number == 1
        service = compose(surroundings, settings, running, shared, alone=first)
        entrance = admission.entrance(settings)(service, cookies=Cookies(key=task.cookie_key))
        server = Server(entrance, settings.server.host, task.port, ports=_ports(settings), shared=True)
        await server.listen_within(neighbours.place, workers.RelayedCalls)
        others = {workers.Order.STOP: stopping.set, workers.Order.HURRY: server.hurry}
        adopted = partial(_adopt_share, task.number, surroundings, service.upstreams)
        following = asyncio.create_task(orders.follow(adopted, others))
        running.push_async_callback(cancelled, following)
        await server.start()
        running.push_async_callback(server.stop)
        if first:
            warming = asyncio.create_task(_warm(Upstreams(surroundings.upstreams, Timeouts(close=60))))
            running.callback(warming.cancel)
        _settle()
        print(workers.READY, flush=True)
        await stopping.wait()
        _say_stopping(service, server)


def _ports(settings: config.Config) -> dict[Transport, int]:
    return {Transport[name.upper()]: port for name, port in settings.server.ports.items()}


def _adopt_share(number: int, surroundings: Surroundings, upstreams: Upstreams, settings: config.Config) -> None:
    adopt(surroundings, upstreams, workers.share(settings, number))


def _when_told(stop: Callable[[], None]) -> None:
    for number in _SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, stop)


def _when_to_reload(reload: Callable[[], None]) -> None:
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reload)


def _settle() -> None:
    """What is there now stays: to look through it for garbage would stop everything for a tenth of a second."""
    gc.collect()
    gc.freeze()


def _say_ready(settings: config.Config, port: int) -> None:
    print(f"viewgate ready: jdbc:hive2://{_reachable(settings.server.host)}:{port}/", flush=True)


def _say_stopping(service: Service, server: Server) -> None:
    still = service.sessions.running
    _log.info("stopping%s", f": {still} statements still run, for {server.grace:g} s at most" if still else "")


def reread(options: argparse.Namespace, now: config.Config, adopt: Callable[[config.Config], None]) -> None:
    """Go on with the upstreams that the settings file names now; all else in it is for the next start."""
    try:
        settings = settled(options)
        if not (now.upstreams and settings.upstreams):
            raise config.ConfigError("[[upstream]] was not there at the start, or is not there now")
        settings = replace(now, upstreams=settings.upstreams, pipeline=settings.pipeline)
        if now.server.workers > 1:
            workers.check(settings)
    except config.ConfigError as error:
        _log.error("the settings are not read again: %s", error)
        return
    adopt(settings)
    _log.info("the upstreams are now %s", "; ".join(_shown(address) for address in settings.upstreams))


@contextlib.contextmanager
def reserved(listen: config.Listen) -> Iterator[int]:
    """A port that several processes can listen on, kept for them also while none does."""
    with socket.socket() as place:
        for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            place.setsockopt(socket.SOL_SOCKET, option, 1)
        place.bind((listen.host, listen.port))
        yield place.getsockname()[1]


async def refresh(options: argparse.Namespace) -> int:
    """Refresh the views that are asked for, on the Spark of the settings or on one of our own; the exit code."""
    if options.names and options.all:
        raise config.ConfigError("say which views to refresh: their names or --all, not both")
    if not (options.names or options.all or options.stale):
        raise config.ConfigError("say which views to refresh: their names, --all or --stale")
    if options.where and (options.stale or not options.names):
        raise config.ConfigError("--where is a condition over the columns of a view: say its name")
    settings = settled(options)
    async with AsyncExitStack() as running:
        surroundings = await surround(settings, running)
        wanted = refreshing.Wanted(tuple(options.names), options.stale, Asked(options.full, options.where))
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
    for name, kind in (("port", LISTEN_PORT), ("workers", WORKERS)):
        given = getattr(options, name)
        if given is not None:
            if not kind.accepts(given):
                raise config.ConfigError(f"--{name} is {given}: it must be {kind.allowed}")
            settings = replace(settings, server=replace(settings.server, **{name: given}))
    return settings


def _tls_only(listen: config.Listen) -> bool:
    return listen.tls is not None and listen.tls.required


def refuse_taken_port(listen: config.Listen) -> None:
    """Say so before Spark is started if a port, or the address, cannot be had."""
    for port in (listen.port, *listen.ports.values()):
        try:
            with socket.create_server((listen.host, port)):
                pass
        except OSError as error:
            raise config.ConfigError(
                f"cannot listen on port {port} of {listen.host}: {error.strerror}; "
                f"give another with {'--port' if port == listen.port else '[server.ports]'}, or stop what listens there"
            ) from error


async def health(options: argparse.Namespace) -> None:
    """Connect as a client does, and ask for the workers; where a password or TLS is asked for, up to that refusal."""

    async def look(query: Query) -> None:
        for number, state, *_ in (await query(show_workers.EXAMPLE)).rows:
            if state != "running":
                raise SqlError(
                    f"worker {number} of {where.named} is down, and is being started again: the log says why"
                )

    where = Upstream(options.host, options.port, what="Viewgate")
    logging.getLogger("proxy").setLevel(logging.CRITICAL)  # what is wrong is said once, at the end
    said = "is well: a session was opened"
    try:
        await in_session(where, "health", look, Timeouts(open=10))
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
