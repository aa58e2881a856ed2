"""Runs Viewgate, from reading the settings to its shutdown, in one process or in several that share a port."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from proxy import admission, config, demo, workers
from proxy.authentication import Cookies
from proxy.commands import Context, Reloaded
from proxy.composing import Surroundings, adopt, cancelled, compose, never, surround
from proxy.console import Console, Login
from proxy.effective import NO_WORKERS, Effective
from proxy.hs2 import SqlError
from proxy.journal.json_log import log_as_json
from proxy.journal.redaction import redact_log
from proxy.options import Options, settled
from proxy.ports import TlsSettings, console_place, is_ipv6, refuse_taken_port, reserved
from proxy.process import name_log, settle_memory
from proxy.reloading import Reloading
from proxy.server import Entrance, Server
from proxy.service import Service
from proxy.upstream import Timeouts, Upstream, Upstreams, in_session
from proxy.wire import Transport

_log = logging.getLogger("viewgate")
T = TypeVar("T")

_TOLD_EVERY_S = 60.0
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


async def serve(options: Options) -> int:
    """Start the server, print the ready line, wait for a signal, and stop; return the exit code.

    Raise ConfigError for invalid settings, and SparkLost if an embedded Spark ends by itself.
    """
    settings = settled(options)
    if settings.server.workers > 1:
        config.check_workers(settings)
    admission.check_tracing(settings.tracing)
    refuse_taken_port(settings.server)
    entrance, certificate = admission.entrance(settings), admission.console_tls(settings.console)
    _settle_log(settings.journal)
    if settings.server.workers > 1:
        return await supervise(options, settings)
    stopping = asyncio.Event()
    _when_told(stopping.set)
    async with AsyncExitStack() as running:
        place = running.enter_context(console_place(settings))
        surroundings = await _unless(stopping, surround(settings, running))
        if surroundings is None:
            _say_stopped(settings)
            return 0
        effective = Effective(settings)
        service, context = compose(surroundings, effective, running, sole=running)
        entered = entrance(service)
        console = _console(entered, context, certificate, place, running)
        _say_console(settings, place)
        adopted = partial(_adopt, effective, entered.tls, certificate, partial(adopt, surroundings, service))
        reloading = Reloading(options, settings, lambda: effective.settings, adopted)
        effective.reload = partial(_at_once, reloading)
        _when_asked(reloading, lambda: _log.warning("not restarted: %s", NO_WORKERS.message))
        server = Server(entered, settings.server.host, settings.server.port, ports=_ports(settings))
        port = await _listening(server, settings)
        running.push_async_callback(server.stop)
        warming = asyncio.create_task(_warm(Upstreams(surroundings.upstreams, Timeouts(close=60))))
        here = Upstream("127.0.0.1", port)
        if options.demo and not stopping.is_set():
            await _unless(stopping, _make_demo(here, options.demo, running))
        settle_memory()
        await _unless(stopping, _ready(service.upstreams, partial(_say_ready, settings, port), surroundings.lost))
        if options.demo and not stopping.is_set():
            running.push_async_callback(cancelled, asyncio.create_task(_rehearse(here)))
        await _unless(stopping, surroundings.lost())
        warming.cancel()
        console.drain()
        _when_told(server.hurry)  # a second signal shortens the shutdown
        _say_stopping(service, server)
    return 0


async def supervise(options: Options, settings: config.Config) -> int:
    """Serve with several worker processes on one port, each of which runs `work`; return the exit code."""
    command = [sys.executable, "-P", "-m", "proxy", "work"]
    with (
        reserved(settings.server) as port,
        console_place(settings, shared=True) as place,
        TemporaryDirectory(prefix="viewgate-") as directory,
    ):
        told = _told_where(settings, place)
        _say_console(told, place)
        supervisor = workers.Supervisor(command, told, port, Path(directory), partial(_say_ready, told, port))
        reloading = Reloading(options, settings, lambda: supervisor.settings, supervisor.adopt)
        restart = partial(_restarted, supervisor, reloading)
        supervisor.requests = {workers.RELOAD: reloading, workers.RESTART: restart}
        _when_told(supervisor.stop)
        _when_asked(reloading, restart)
        return await supervisor.run()


async def work() -> None:
    """Run one worker, in the process that the supervisor has started for it.

    The supervisor writes the worker's task and later orders to the worker's standard input.
    """
    orders = await workers.Orders.through(sys.stdin)
    task = await orders.next()
    if not isinstance(task, workers.Task):
        return
    name_log(f"worker {task.number}: ")
    settings = workers.share(task.settings, task.number)
    _settle_log(settings.journal, task.number)
    stopping, retiring = asyncio.Event(), asyncio.Event()
    _when_told(stopping.set)
    _when_asked(lambda: None, lambda: None)  # signals are for the supervisor, which sends orders
    async with AsyncExitStack() as running:
        surroundings = await _unless(stopping, surround(settings, running))
        if surroundings is None:
            return
        neighbours = workers.Neighbours(task.directory, task.mark)
        shared = partial(workers.SharedService, neighbours, settings.server.workers)
        sole = await running.enter_async_context(AsyncExitStack()) if task.number == 1 else None
        effective = Effective(task.settings)
        service, context = compose(surroundings, effective, running, shared, sole=sole)
        entered = admission.entrance(settings)(service, cookies=Cookies(key=task.cookie_key))
        place = running.enter_context(console_place(settings, shared=True))
        certificate = admission.console_tls(settings.console)
        console = _console(entered, context, certificate, place, running)
        server = Server(entered, settings.server.host, task.port, ports=_ports(settings), shared=True)
        await server.listen_within(neighbours.place, workers.RelayedCalls)
        others = {
            workers.Order.STOP: stopping.set,
            workers.Order.HURRY: server.hurry,
            workers.Order.RETIRE: retiring.set,
        }
        adopt_share = partial(_adopt_share, task.number, surroundings, service)
        adopted = partial(_adopt, effective, entered.tls, certificate, adopt_share)
        asking = workers.Asking(partial(print, flush=True))
        effective.reload = partial(asking.request, workers.RELOAD)
        effective.restart = partial(asking.request, workers.RESTART)
        following = asyncio.create_task(orders.follow(adopted, others, asking.answered))
        running.push_async_callback(cancelled, following)
        await server.start()
        running.push_async_callback(server.stop)
        if sole is not None:
            warming = asyncio.create_task(_warm(Upstreams(surroundings.upstreams, Timeouts(close=60))))
            running.callback(warming.cancel)
        settle_memory()
        print(workers.LISTENING, flush=True)
        ready = _ready(service.upstreams, partial(print, workers.ANSWERING, flush=True), never)
        await _unless(stopping, _unless(retiring, ready))
        await _unless(stopping, _told(retiring))
        if not stopping.is_set():
            server.stop_listening()
            await console.stop()
            if sole is not None:
                await sole.aclose()
            assert isinstance(service, workers.SharedService)
            _log.info(
                "process retiring sessions=%d sessions_closed_after_s=%g: new sessions are opened in another process",
                len(service.sessions.all),
                entered.limits.retire,
            )
            await _unless(stopping, service.retire(entered.limits.retire))
        console.drain()
        _say_stopping(service, server)


async def _ready(
    upstreams: Upstreams, say: Callable[[], None], lost: Callable[[], Awaitable[None]], pause: float = _TOLD_EVERY_S
) -> None:
    """Wait until an upstream answers, then call `say`; in the meantime, log the problem every `pause` seconds.

    `lost` waits until an embedded Spark has ended; if that happens first, raise the error of `lost`.
    """
    answered, ended = asyncio.create_task(upstreams.answered.wait()), asyncio.ensure_future(lost())
    try:
        while not answered.done():
            await asyncio.wait({answered, ended}, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                ended.result()
            if not answered.done():
                _log.warning("not ready: %s", upstreams.unready)
        say()
    finally:
        for task in (answered, ended):
            task.cancel()


async def _listening(server: Server, settings: config.Config) -> int:
    """Start the server, and return the number of its main port; raise ConfigError if a port was taken since the start
    of this process, many seconds ago.
    """
    try:
        return await server.start()
    except OSError:
        refuse_taken_port(settings.server)
        raise


def _ports(settings: config.Config) -> dict[Transport, int]:
    return {Transport[name.upper()]: port for name, port in settings.server.ports.given.items()}


def _adopt(
    effective: Effective,
    listener: TlsSettings | None,
    console: TlsSettings | None,
    adopt: Callable[[config.Config], None],
    settings: config.Config,
) -> None:
    """Put changed settings into effect, and load the configured certificates for new connections.

    `effective` gets the new `settings`. `listener` and `console` are the TLS settings of the SQL port and of the
    console (None: no TLS). `adopt` applies the settings of upstreams and proxy users.
    """
    effective.settings = settings
    for tls, files in ((listener, settings.server.tls), (console, settings.console.tls)):
        if tls is not None and files is not None:
            tls.load(files.certificate, files.key)
    adopt(settings)


async def _at_once(reload: Callable[[], Reloaded]) -> Reloaded:
    return reload()


def _settle_log(settings: config.JournalSettings, worker: int | None = None) -> None:
    """Write the log in the configured format, without credentials, and without literals if so configured.

    `worker` is the number of this process, None if there is only one process.
    """
    if settings.log == "json":
        log_as_json(worker)
    redact_log(literals=settings.literals)


def _adopt_share(number: int, surroundings: Surroundings, service: Service, settings: config.Config) -> None:
    adopt(surroundings, service, workers.share(settings, number))


def _when_told(stop: Callable[[], None]) -> None:
    for number in _SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, stop)


def _when_asked(reload: Callable[[], object], restart: Callable[[], object]) -> None:
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reload)
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR2, restart)


def _restarted(supervisor: workers.Supervisor, reloading: Reloading) -> Reloaded:
    """Start to replace the workers by new ones with the current settings of the file; log and return the result."""
    try:
        settings = reloading.anew()
    except config.ConfigError as error:
        told = Reloaded(f"the workers were not restarted: {error}", refused=True)
    else:
        begun = supervisor.restart(settings)
        count = settings.server.workers
        told = Reloaded(
            f"{count} workers are being replaced one by one, each when its sessions have ended; SHOW VIEWGATE WORKERS "
            "shows the progress"
            if begun
            else "the workers are being restarted already; SHOW VIEWGATE WORKERS shows the progress",
            refused=not begun,
        )
    _log.log(logging.ERROR if told.refused else logging.INFO, "%s", told.message)
    return told


def _say_ready(settings: config.Config, port: int) -> None:
    server = settings.server
    ssl = ";ssl=true" if server.tls is not None and server.tls.required else ""
    more = "".join(f"; {name} on port {other}" for name, other in server.ports.given.items())
    print(f"viewgate ready: jdbc:hive2://{_reachable(server.host)}:{port}/{ssl}{more}", flush=True)


def _say_console(settings: config.Config, place: socket.socket | None) -> None:
    if place is not None:
        host, port = _reachable(settings.console.host), place.getsockname()[1]
        scheme = "http" if settings.console.tls is None else "https"
        _log.info("console listening url=%s://%s:%d/", scheme, host, port)


def _say_stopping(service: Service, server: Server) -> None:
    still = service.sessions.running
    run = "statement runs" if still == 1 else "statements run"
    _log.info("stopping%s", f": {still} {run} still, for {server.grace:g} s at most" if still else "")


def _say_stopped(settings: config.Config) -> None:
    if settings.starts_spark:
        data = settings.embedded.data
        _log.info("stopped during the start, together with Spark: the data directory %s can be used again", data)
    else:
        _log.info("stopped during the start")


def _told_where(settings: config.Config, place: socket.socket | None) -> config.Config:
    """Return the settings with the port of the console's socket `place`, which all workers share.

    Without a socket, return the settings with the console disabled.
    """
    port = None if place is None else place.getsockname()[1]
    console = settings.console.model_copy(update={"port": port, "enabled": place is not None})
    return settings.model_copy(update={"console": console})


def _console(
    entered: Entrance,
    context: Context,
    certificate: TlsSettings | None,
    place: socket.socket | None,
    running: AsyncExitStack,
) -> Console:
    """Return the console: the web pages for operators, about the sessions and statements of this process.

    With a socket `place`, the console listens there until `running` is closed.

    `entered` has the Thrift service and its authentication, and `context` the state that the pages show. `certificate`
    has the TLS settings, None without TLS.
    """
    login = Login(entered.authentication, context.whose, entered.cookies.key)

    def expiries() -> dict[str, float | None]:
        own = {"listener": entered.tls, "console": certificate}
        return {name: tls.expires for name, tls in own.items() if tls is not None}

    tls = certificate.context if certificate else None
    console = Console(entered.service, context, login, tls, expiries, lambda: context.answers.caches)
    if place is not None:
        console.start(place)
        running.push_async_callback(console.stop)
    return console


async def _warm(upstreams: Upstreams) -> None:
    """Open and close a session on Spark, so that the first client does not wait seconds for Spark's metastore.

    Errors are ignored. Afterwards close `upstreams`, which are not used by clients.
    """
    with contextlib.suppress(SqlError):
        session = await upstreams.open_own()
        await session.close()
    upstreams.close()


async def _make_demo(here: Upstream, rows: int, running: AsyncExitStack) -> None:
    """Create the missing demo data; `rows` is the number of sales.

    The session is closed in the background, until `running` is closed: a Spark that has just started took more than
    five seconds for this on a busy machine.
    """
    async with AsyncExitStack() as session:
        query = await session.enter_async_context(in_session(here, "demo"))
        await demo.make(rows, query)
        later = session.pop_all()
    running.push_async_callback(cancelled, asyncio.create_task(later.aclose()))


async def _rehearse(here: Upstream) -> None:
    with contextlib.suppress(SqlError):
        async with in_session(here, "demo") as query:
            await demo.rehearse(query)


async def _told(event: asyncio.Event) -> None:
    await event.wait()


async def _unless(stopping: asyncio.Event, work: Awaitable[T]) -> T | None:
    """Run `work` to its end, and return its result or raise its error; cancel `work` as soon as `stopping` is set."""
    task, stop = asyncio.ensure_future(work), asyncio.ensure_future(stopping.wait())
    await asyncio.wait((task, stop), return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    if task.done():
        return task.result()
    task.cancel()
    await asyncio.wait([task])
    return None


def _reachable(host: str) -> str:
    """Return the address by which a client on this machine connects to a server that listens on `host`.

    >>> _reachable("0.0.0.0"), _reachable("gate.example.org"), _reachable("fd00::1")
    ('127.0.0.1', 'gate.example.org', '[fd00::1]')
    """
    if host in ("0.0.0.0", "::", ""):  # noqa: S104
        return "127.0.0.1"
    return f"[{host}]" if is_ipv6(host) else host
