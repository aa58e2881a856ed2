"""Starts the workers, and again each one that ends before it was told to."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proxy import ending
from proxy.commands import Reloaded
from proxy.config import Config
from proxy.server import Limits
from proxy.workers.neighbours import place
from proxy.workers.orders import RELOAD, Order, Task, written

_log = logging.getLogger(__name__)

LISTENING, ANSWERING = "listening", "answering"  # what a worker prints: clients can connect; an upstream answers
_FIRST_REST, _LONGEST_REST = 0.5, 30.0  # seconds before one that has ended is started again, doubled each time
_WELL = 30.0  # seconds after which one that has ended may be started again at once
_GENERATIONS = 256
_OVERDUE = 30.0  # seconds, after the time that statements have, in which a worker ends that runs at all


@dataclass
class Supervisor:
    """`command` starts a worker; `all_ready` is called once, when upstreams have answered to all of them."""

    command: Sequence[str]
    settings: Config
    port: int
    directory: Path
    all_ready: Callable[[], None]
    reload: Callable[[], Reloaded] | None = None  # reads the settings again, for a worker that asks for it
    _cookie_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    _running: dict[int, Process] = field(default_factory=dict)
    _listening: set[int] = field(default_factory=set)
    _answering: set[int] = field(default_factory=set)
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)
    _failed: bool = False
    _killing: asyncio.TimerHandle | None = None

    async def run(self) -> int:
        """Start all, keep them until it is told to stop, and return when they have ended; the exit code."""
        numbers = range(1, self.settings.server.workers + 1)
        first = asyncio.Event()
        try:
            async with asyncio.TaskGroup() as workers:
                workers.create_task(self._keep(1, first))
                await first.wait()  # what stops the start of one stops that of all, and is said once
                for number in numbers[1:]:
                    workers.create_task(self._keep(number, asyncio.Event()))
        finally:
            if self._killing is not None:
                self._killing.cancel()
        return 1 if self._failed else 0

    def stop(self) -> None:
        """Have all let their statements end, then end; at the second time, at once. Kill those that do not."""
        hurry = self._stopping.is_set()
        self._tell(Order.HURRY if hurry else Order.STOP)
        self._stopping.set()
        for process in self._running.values():
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGCONT)  # a suspended process would read no order
        if self._killing is not None:
            self._killing.cancel()
        grace = 0.0 if hurry else Limits(**self.settings.limits.given).grace
        self._killing = asyncio.get_running_loop().call_later(grace + _OVERDUE, self._kill)

    def _kill(self) -> None:
        """Kill the workers that have not ended in time."""
        for number, process in self._running.items():
            _log.warning("worker killed worker=%d: it did not end in time", number)
            with contextlib.suppress(ProcessLookupError):
                process.kill()

    def adopt(self, settings: Config) -> None:
        """Have all go on with other upstreams; all else is for the next start."""
        self.settings = settings
        self._tell(settings)

    def _tell(self, order: Order | Config | Reloaded) -> None:
        for process in self._running.values():
            assert process.stdin is not None
            process.stdin.write(written(order))

    async def _keep(self, number: int, started: asyncio.Event) -> None:
        """See that there is a worker of that number; `started` is set when the first one listens or has ended."""
        rest, generation = _FIRST_REST, 0
        clock = asyncio.get_running_loop().time
        while not self._stopping.is_set():
            began = clock()
            code = await self._one(number, generation, started)
            started.set()
            if self._stopping.is_set():
                self._failed |= code != 0
                return
            if number not in self._listening:  # it has never been there: it has said why, and so it would again
                self._failed = True
                self.stop()
                return
            rest = 0.0 if clock() - began > _WELL else max(rest, _FIRST_REST)
            _log.warning(
                "worker ended worker=%d how=%s restart_s=%g: its sessions are lost",
                number,
                ending.told(code),
                rest,
            )
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), rest)
            rest = min(2 * rest, _LONGEST_REST)
            generation = (generation + 1) % _GENERATIONS

    async def _one(self, number: int, generation: int, listens: asyncio.Event) -> int:
        """Run one worker to its end; its exit code."""
        try:
            # Ctrl-C is for the supervisor alone, which then tells the others.
            process = await asyncio.create_subprocess_exec(
                *self.command, stdin=PIPE, stdout=PIPE, start_new_session=True
            )
        except OSError as error:  # no memory, or no process, is to be had now
            _log.error("worker not started worker=%d error=%s", number, error)  # a trace tells no more
            return 1
        # Of the settings as they are by now: who comes later to be told of others is among those that run.
        task = Task(self.settings, number, generation, self.port, self.directory, self._cookie_key)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(written(task))
            self._running[number] = process
            if self._stopping.is_set():
                process.stdin.write(written(Order.STOP))
            while said := (await process.stdout.readline()).decode().strip():
                if said == LISTENING:
                    self._listens(number)
                    listens.set()
                elif said == ANSWERING:
                    self._answers(number)
                elif said == RELOAD and self.reload is not None:
                    self._tell(self.reload())
            return await process.wait()
        finally:
            self._running.pop(number, None)
            place(self.directory, task.mark).unlink(missing_ok=True)

    def _listens(self, number: int) -> None:
        if number in self._listening:
            _log.info("worker restarted worker=%d", number)
        self._listening.add(number)

    def _answers(self, number: int) -> None:
        known = len(self._answering)
        self._answering.add(number)
        if known < len(self._answering) == self.settings.server.workers and not self._stopping.is_set():
            self.all_ready()
