"""Events while a worker is being started, with fake processes."""

from __future__ import annotations

import asyncio
import pickle
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from proxy.config import CatalogSettings, Config, UpstreamAddress
from proxy.workers import Supervisor
from proxy.workers.orders import Order, Task

LAKE = CatalogSettings.model_validate({"name": "lake", "type": "sql", "uri": "sqlite:///lake.db"})
OLD, NEW = (Config(upstreams=(UpstreamAddress(host=host),), catalogs=(LAKE,)) for host in ("old", "new"))


class Process:
    """A fake process: ready at once, ends when told to or when it `ends`, and records its orders."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self._says = [b"listening\n", b"answering\n"]
        self._ended = asyncio.get_running_loop().create_future()
        self.stdin = self.stdout = self

    def write(self, data: bytes) -> None:
        self.told.append(pickle.loads(data[4:]))
        if self.told[-1] is Order.STOP:
            self.ends(0)

    def ends(self, code: int) -> None:
        self._ended.set_result(code)

    def send_signal(self, number: int) -> None:
        assert number == signal.SIGCONT

    async def readline(self) -> bytes:
        if self._says:
            return self._says.pop(0)
        await asyncio.wait({self._ended})
        return b""

    async def wait(self) -> int:
        code: int = await self._ended
        return code


class Starts:
    """Starts one process after the other; `before` runs while the second is started."""

    def __init__(self, before: Callable[[], object]) -> None:
        self.processes: list[Process] = []
        self.before = before
        self.third = asyncio.Event()
        self._asked = 0

    async def __call__(self, *_command: str, **_pipes: Any) -> Process:
        self._asked += 1
        if self._asked == 2:
            self.before()
        await asyncio.sleep(0)
        self.processes.append(Process())
        if len(self.processes) == 2:
            self.third.set()
        return self.processes[-1]


def story(
    folder: Path, monkeypatch: pytest.MonkeyPatch, before: Callable[[Supervisor], object]
) -> tuple[int, list[Process]]:
    """Run a scenario in which one worker dies, and `before` happens while its successor starts."""

    async def main() -> tuple[int, list[Process]]:
        ready = asyncio.Event()
        supervisor = Supervisor(["worker"], OLD, 1, folder, ready.set)
        starts = Starts(lambda: before(supervisor))
        monkeypatch.setattr("proxy.workers.supervisor.asyncio.create_subprocess_exec", starts)
        running: Awaitable[int] = asyncio.create_task(supervisor.run())
        async with asyncio.timeout(10):
            await ready.wait()
            starts.processes[0].ends(-9)
            await starts.third.wait()
            await asyncio.sleep(0)
            supervisor.stop()
            return await running, starts.processes

    return asyncio.run(main())


def test_settings_that_change_while_a_worker_is_started_are_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, (_, second) = story(tmp_path, monkeypatch, lambda supervisor: supervisor.adopt(NEW))
    task = second.told[0]
    assert isinstance(task, Task)
    assert task.settings == NEW
    assert code == 0


def test_a_worker_that_cannot_be_started_now_is_started_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_supervisor: Supervisor) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    code, processes = story(tmp_path, monkeypatch, refuse)
    assert len(processes) == 2
    assert code == 0
    told = "worker not started worker=1 error=[Errno 11] Resource temporarily unavailable: check the machine's limits"
    assert any(message.startswith(told) for message in caplog.messages)
