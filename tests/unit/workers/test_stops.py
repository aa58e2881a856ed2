"""Workers that do not end when told to, as fake processes."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from pathlib import Path

import pytest

from proxy.config import Config, LimitSettings, Listen
from proxy.workers import ANSWERING, LISTENING, Supervisor

_READY = f"print({LISTENING!r}); print({ANSWERING!r}, flush=True)"
DEAF = f"import time; {_READY}; time.sleep(60)"
_ORDER = "read(int.from_bytes(read(4), 'big'))"
OBEDIENT = f"import sys; read = sys.stdin.buffer.read; {_READY}; {_ORDER}; {_ORDER}"  # its task, and to stop


def stopped(folder: Path, program: str, *, times: int = 1, suspended: bool = False) -> int:
    """Tell the supervisor of one such worker to stop, this many times; return the exit code."""

    async def main() -> int:
        ready = asyncio.Event()
        settings = Config(server=Listen(workers=1), limits=LimitSettings(grace=0.1 if times == 1 else 3600.0))
        supervisor = Supervisor([sys.executable, "-c", program], settings, 1, folder, ready.set)
        running = asyncio.create_task(supervisor.run())
        async with asyncio.timeout(20):
            await ready.wait()
            if suspended:
                next(iter(supervisor._running)).process.send_signal(signal.SIGSTOP)
            for _ in range(times):
                supervisor.stop()
            return await running

    return asyncio.run(main())


@pytest.mark.parametrize("times", [1, 2])
def test_a_worker_that_does_not_end_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, times: int
) -> None:
    monkeypatch.setattr("proxy.workers.supervisor._OVERDUE", 0.1)
    assert stopped(tmp_path, DEAF, times=times) == 1
    assert (
        "worker killed worker=1: the process did not end in time, so its running statements are lost" in caplog.messages
    )


def test_a_worker_that_is_suspended_goes_on_and_ends_in_order(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert stopped(tmp_path, OBEDIENT, suspended=True) == 0
    assert not caplog.messages


def test_workers_that_still_start_end_at_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    begun = tmp_path / "begun"
    program = f"import pathlib, time; pathlib.Path({str(begun)!r}).touch(); time.sleep(60)"

    async def main() -> int:
        settings = Config(server=Listen(workers=2))
        supervisor = Supervisor([sys.executable, "-c", program], settings, 1, tmp_path, print)
        running = asyncio.create_task(supervisor.run())
        async with asyncio.timeout(20):
            while not begun.exists():
                await asyncio.sleep(0.05)
            supervisor.stop()
            return await running

    caplog.set_level(logging.INFO)
    assert asyncio.run(main()) == 0
    assert caplog.messages == ["stopped during the start"]


def test_where_a_new_worker_does_not_start_the_former_one_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    broken = tmp_path / "broken"
    program = f"import pathlib, sys; pathlib.Path({str(broken)!r}).exists() and sys.exit(1)\n{OBEDIENT}"

    async def main() -> int:
        ready = asyncio.Event()
        settings = Config(server=Listen(workers=1))
        supervisor = Supervisor([sys.executable, "-c", program], settings, 1, tmp_path, ready.set)
        running = asyncio.create_task(supervisor.run())
        async with asyncio.timeout(20):
            await ready.wait()
            (former,) = supervisor._running
            broken.touch()
            assert supervisor.restart(settings)
            assert not supervisor.restart(settings)
            assert supervisor._restart is not None
            await supervisor._restart
            assert supervisor._running == {former}
            broken.unlink()
            assert supervisor.restart(settings)
            await supervisor._restart
            (new,) = supervisor._running
            assert (former.ended.is_set(), new is former, new.generation) == (True, False, 1)
            supervisor.stop()
            return await running

    assert asyncio.run(main()) == 0
    assert caplog.messages == [
        "restart aborted worker=1: the new process did not start, for the reason logged above; this worker's "
        "former process continues, and no further worker is restarted",
        "worker restarted worker=1",
        "worker retired worker=1 generation=0: a new process has replaced this process, which has ended",
        "restart finished workers=1",
    ]
