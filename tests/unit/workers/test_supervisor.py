"""Two processes as they start, end, and are started again."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import pytest

from proxy import __main__ as program
from tests.integration.gate import READY, VIEWGATE
from tests.unit.workers.several import LOST, Several, kill, on_each, processes, ran, settings


def test_it_is_ready_once(several: Several) -> None:
    assert len(READY.findall(several.gate.output)) == 1


def test_all_are_well(several: Several, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["health", "--port", str(several.gate.port)]) == 0
    assert capsys.readouterr().out.endswith("is healthy: a session was opened\n")


def test_a_worker_that_dies_is_started_again_and_its_sessions_are_reported_lost(several: Several) -> None:
    async def test() -> None:
        async with on_each(several) as ((one, session), (_, others)):
            operation = (await one.execute(session, "SELECT 1")).operationHandle
            await kill(several, one, session, 2)
            lost = (await one.execute(others, "SELECT 1")).status
            assert (lost.sqlState, lost.errorMessage.startswith(LOST)) == ("08S01", True)
            assert [state for state, _ in await processes(one, session)] == ["running", "down"]
            assert await one.first_column(operation) == ["SELECT 1"]
            await several.said("worker restarted worker=2")
            assert (await one.execute(others, "SELECT 1")).status.errorMessage.startswith(LOST)
        async with on_each(several) as ((one, session), (other, _)):
            assert await processes(one, session) == await processes(other, session)
            assert [state for state, _ in await processes(one, session)] == ["running", "running"]

    asyncio.run(test())


def test_a_worker_that_does_not_answer_keeps_nobody_waiting_who_asks_how_all_are(several: Several) -> None:
    async def test() -> None:
        async with on_each(several) as ((one, session), _):
            _, (_, process) = await processes(one, session)
            assert process is not None
            os.kill(process, signal.SIGSTOP)
            try:
                assert [state for state, _ in await processes(one, session)] == ["running", "down"]
            finally:
                os.kill(process, signal.SIGCONT)
            assert [state for state, _ in await processes(one, session)] == ["running", "running"]

    asyncio.run(test())


def test_all_go_on_with_the_upstreams_that_the_file_names_now(several: Several) -> None:
    async def test() -> None:
        several.file.write_text(settings(several.file.parent, several.spark.port, 1))
        several.gate.process.send_signal(signal.SIGHUP)
        await several.said("settings reloaded: upstream.127.0.0.1:1")
        for number in (1, 2):  # each tries the new one
            await several.said(f"worker {number}: upstream failed name=127.0.0.1:1")
        several.file.write_text(settings(several.file.parent))
        several.gate.process.send_signal(signal.SIGHUP)
        await several.said("the settings were not reloaded: ")
        several.file.write_text(settings(several.file.parent, several.spark.port))
        async with on_each(several) as ((one, session), (other, others)):
            assert await ran(one, session, "RELOAD VIEWGATE CONFIG") == ["settings reloaded: upstream.127.0.0.1:1"]
            several.file.write_text("[authentication]\noperators = ['ann']\n" + several.file.read_text())
            assert await ran(other, others, "RELOAD VIEWGATE CONFIG") == ["settings reloaded: authentication.operators"]

    asyncio.run(test())


def test_workers_are_replaced_one_by_one_and_no_session_is_dropped(several: Several) -> None:
    async def test() -> None:
        async with on_each(several) as ((one, session), (other, others)):
            before = await processes(other, others)
            operation = (await one.execute(session, "SELECT 1")).operationHandle
            assert await ran(one, session, "RESTART VIEWGATE WORKERS") == [
                "2 workers are being replaced one by one, each when its sessions have ended; SHOW VIEWGATE WORKERS "
                "shows the progress"
            ]
            await several.said("worker 1: process retiring sessions=")
            several.gate.process.send_signal(signal.SIGUSR2)
            await several.said("the workers are being restarted already")
            assert await one.first_column(operation) == ["SELECT 1"]
            assert await ran(one, session, "SELECT 2") == ["SELECT 2"]
            through_the_other = (await other.execute(session, "SELECT 3")).operationHandle
            assert await other.first_column(through_the_other) == ["SELECT 3"]
            states = await processes(other, others)
            assert [state for state, _ in states] == ["running", "running", "retiring"]
            assert states[1:] == [before[1], ("retiring", before[0][1])]
        await several.said("restart finished workers=2")
        async with on_each(several) as ((one, session), (other, others)):
            after = await processes(one, session)
            assert [state for state, _ in after] == ["running", "running"]
            assert not {process for _, process in before} & {process for _, process in after}
            assert await ran(other, others, "SELECT 4") == ["SELECT 4"]

    asyncio.run(test())


def test_told_to_stop_all_let_statements_end_and_their_clients_know(several: Several) -> None:
    async def test() -> None:
        async with on_each(several) as ((one, _), (_, session)):
            operation = (await one.execute(session, "SELECT HANG")).operationHandle
            stopping = asyncio.create_task(asyncio.to_thread(several.gate.stop))
            await several.said("stopping: 1 statement runs still")
            status = await one.end(operation)
            assert (status.sqlState, status.operationState) == ("57P01", 5)
        assert await stopping == 0

    asyncio.run(test())


def test_what_stops_one_stops_the_start(several: Several, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("nothing")
    (folder / "viewgate.toml").write_text(settings(folder, 1))
    command: list[str | Path] = [
        VIEWGATE,
        "serve",
        "--config",
        folder / "viewgate.toml",
        "--workers",
        "2",
        "--port",
        "0",
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.count("there is no file") == 1
