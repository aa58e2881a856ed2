"""Starts the workers, restarts a worker that ends unexpectedly, and replaces the workers one by one on request."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proxy.commands import Reloaded
from proxy.config import Config
from proxy.process import ended_by
from proxy.server import Limits
from proxy.workers.neighbours import place
from proxy.workers.orders import Order, Task, written

_log = logging.getLogger(__name__)

# The lines that a worker prints when clients can connect, and when an upstream answers.
LISTENING, ANSWERING = "listening", "answering"
_FIRST_REST, _LONGEST_REST = 0.5, 30.0  # seconds before an ended worker is restarted; doubled each time
_WELL = 30.0  # seconds of running after which an ended worker is restarted at once
_GENERATIONS = 256
_OVERDUE = 30.0  # seconds, beyond the time that statements get, after which a worker that has not ended is killed


@dataclass(eq=False)
class _Worker:
    """A worker process; `listens` says whether clients can connect, `retiring` whether the worker is being replaced."""

    number: int
    generation: int
    process: Process
    listens: bool = False
    retiring: bool = False
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, order: Order | Config | tuple[str, Reloaded]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(written(order))

    def stop(self, order: Order) -> None:
        """Send the order to stop, and signals to a process that does not read orders now.

        A suspended process continues. A process that still starts ends by SIGTERM, also while Python loads modules.
        """
        self.tell(order)
        for number in (signal.SIGCONT, *(() if self.listens else (signal.SIGTERM,))):
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(number)


@dataclass
class Supervisor:
    """The supervisor of the worker processes; `command` is the command line of each process.

    `all_ready` is called once, when every worker has an upstream that answers. `requests` maps the names of the
    workers' requests (RELOAD, RESTART) to the functions that execute them.
    """

    command: Sequence[str]
    settings: Config
    port: int
    directory: Path
    all_ready: Callable[[], None]
    requests: Mapping[str, Callable[[], Reloaded]] = field(default_factory=dict)
    _cookie_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    _running: set[_Worker] = field(default_factory=set)
    _current: dict[int, _Worker] = field(default_factory=dict)  # the worker of each number that listened last
    _answering: set[int] = field(default_factory=set)
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)
    _failed: bool = False
    _killing: asyncio.TimerHandle | None = None
    _keeping: asyncio.TaskGroup = field(default_factory=asyncio.TaskGroup)
    _restart: asyncio.Task[None] | None = None

    async def run(self) -> int:
        """Start all workers, and restart workers that end, until `stop` is called.

        Return the exit code: 1 if a worker could not be started at first or ended with an error after `stop`, otherwise
        0.
        """
        first = asyncio.Event()
        try:
            async with self._keeping as workers:
                workers.create_task(self._keep(1, 0, first))
                await first.wait()  # if one worker cannot start, all stop, and the reason is reported once
                for number in self._numbers[1:]:
                    workers.create_task(self._keep(number, 0, asyncio.Event()))
        finally:
            if self._killing is not None:
                self._killing.cancel()
        return 1 if self._failed else 0

    @property
    def _numbers(self) -> Sequence[int]:
        return range(1, self.settings.server.workers + 1)

    def stop(self) -> None:
        """Order all workers to end after their statements or, at a second call, at once.

        Workers that do not end in time are killed.
        """
        hurry = self._stopping.is_set()
        self._stopping.set()
        if not hurry and not self._failed and len(self._current) < len(self._numbers):
            _log.info("stopped during the start")
        for worker in self._running:
            worker.stop(Order.HURRY if hurry else Order.STOP)
        if self._killing is not None:
            self._killing.cancel()
        grace = 0.0 if hurry else Limits(**self.settings.limits.given).grace
        self._killing = asyncio.get_running_loop().call_later(grace + _OVERDUE, self._kill_all)

    def _kill_all(self) -> None:
        for worker in self._running:
            self._kill(worker)

    def _kill(self, worker: _Worker) -> None:
        _log.warning(
            "worker killed worker=%d: the process did not end in time, so its running statements are lost",
            worker.number,
        )
        with contextlib.suppress(ProcessLookupError):
            worker.process.kill()

    def adopt(self, settings: Config) -> None:
        """Send changed settings to all workers; a worker applies the settings that can change without a restart."""
        self.settings = settings
        self._tell(settings)

    def restart(self, settings: Config) -> bool:
        """Start to replace the workers one by one with workers that have new settings, and return True.

        If such a replacement is already running, change nothing and return False.
        """
        if self._restart is not None and not self._restart.done():
            return False
        self.settings = settings
        self._restart = self._keeping.create_task(self._replace_all())
        return True

    async def _replace_all(self) -> None:
        """Replace the workers one by one, and wait for the end of each replaced process before the next replacement.

        At most one additional worker therefore runs at a time. Stop if a replacement does not start.
        """
        for number in self._numbers:
            former = self._current[number]
            if former.ended.is_set():  # the worker is being restarted anyway
                continue
            if not await self._replaced(former):
                if not self._stopping.is_set():
                    _log.error(
                        "restart aborted worker=%d: the new process did not start, for the reason logged above; this "
                        "worker's former process continues, and no further worker is restarted",
                        number,
                    )
                return
            former.tell(Order.RETIRE)
            await self._ended(former)
        _log.info("restart finished workers=%d", len(self._numbers))

    async def _ended(self, worker: _Worker) -> None:
        """Wait until a retiring worker has ended; kill the process of a worker that does not end in time."""
        limits = Limits(**self.settings.limits.given)
        try:
            await asyncio.wait_for(worker.ended.wait(), limits.retire + limits.grace + _OVERDUE)
        except TimeoutError:
            self._kill(worker)
            await worker.ended.wait()

    async def _replaced(self, former: _Worker) -> bool:
        """Start the replacement of the worker `former`; return whether clients can connect to the replacement."""
        former.retiring, begun = True, asyncio.Event()
        self._keeping.create_task(self._keep(former.number, (former.generation + 1) % _GENERATIONS, begun, former))
        await begun.wait()
        former.retiring = self._current[former.number] is not former
        return former.retiring and not self._stopping.is_set()

    def _tell(self, order: Order | Config | tuple[str, Reloaded]) -> None:
        for worker in self._running:
            worker.tell(order)

    async def _keep(self, number: int, generation: int, started: asyncio.Event, former: _Worker | None = None) -> None:
        """Run a worker with the number `number`, and run it again whenever the process ends, until `stop` is called.

        Set `started` when the first process listens or has ended. `generation` is the generation of the first process;
        each further process gets the next generation. The replacement of a worker (`former`) is not run again if the
        replacement never listened and the former worker still runs.
        """
        rest = _FIRST_REST
        clock = asyncio.get_running_loop().time
        while not self._stopping.is_set():
            began = clock()
            worker, code = await self._one(number, generation, started)
            started.set()
            if self._stopping.is_set():
                self._failed |= code not in ((0,) if worker and worker.listens else (0, -signal.SIGTERM))
                return
            if worker is not None and worker.retiring:
                _log.info(
                    "worker retired worker=%d generation=%d: a new process has replaced this process, which has ended",
                    number,
                    generation,
                )
                return
            if former is not None and not (former.ended.is_set() or (worker and worker.listens)):
                return
            # the worker has never listened: it has logged the reason, and would fail again
            if number not in self._current:
                self._failed = True
                self.stop()
                return
            rest = 0.0 if clock() - began > _WELL else max(rest, _FIRST_REST)
            _log.warning(
                "worker ended worker=%d how=%s restart_in_s=%g: the sessions of the worker are lost",
                number,
                ended_by(code),
                rest,
            )
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), rest)
            rest = min(2 * rest, _LONGEST_REST)
            generation = (generation + 1) % _GENERATIONS

    async def _one(self, number: int, generation: int, listens: asyncio.Event) -> tuple[_Worker | None, int]:
        """Run one worker process to its end; return the worker and its exit code.

        If the operating system could not create a process, return None and the code 1. Set `listens` when clients can
        connect to the worker. `number` and `generation` make up the worker's mark.
        """
        try:
            # In a process group of its own, the worker gets no Ctrl-C: the supervisor gets it and sends orders.
            process = await asyncio.create_subprocess_exec(
                *self.command, stdin=PIPE, stdout=PIPE, start_new_session=True
            )
        except OSError as error:  # not enough memory or processes now
            _log.error(  # a traceback would not say more
                "worker not started worker=%d error=%s: check the machine's limits of memory and processes",
                number,
                error,
            )
            return None, 1
        # The present settings: a later change is sent to the running workers, which then include this one.
        task = Task(self.settings, number, generation, self.port, self.directory, self._cookie_key)
        assert process.stdin is not None
        assert process.stdout is not None
        worker = _Worker(number, generation, process)
        try:
            process.stdin.write(written(task))
            self._running.add(worker)
            if self._stopping.is_set():
                worker.stop(Order.STOP)
            while said := (await process.stdout.readline()).decode().strip():
                if said == LISTENING:
                    self._listens(worker)
                    listens.set()
                elif said == ANSWERING:
                    self._answers(number)
                elif said in self.requests:
                    self._tell((said, self.requests[said]()))
            return worker, await process.wait()
        finally:
            self._running.discard(worker)
            worker.ended.set()
            place(self.directory, task.mark).unlink(missing_ok=True)

    def _listens(self, worker: _Worker) -> None:
        if worker.number in self._current:
            _log.info("worker restarted worker=%d", worker.number)
        self._current[worker.number], worker.listens = worker, True

    def _answers(self, number: int) -> None:
        known = len(self._answering)
        self._answering.add(number)
        if known < len(self._answering) == self.settings.server.workers and not self._stopping.is_set():
            self.all_ready()
