"""Viewgate starts, stops, starts again, and survives a kill."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.integration import clients
from tests.integration.daemon import eventually
from tests.integration.gate import VIEWGATE, Gate


def spark_process(gate: Gate) -> int:
    """Return the JVM that a Viewgate has started."""
    tasks = Path(f"/proc/{gate.process.pid}/task").iterdir()
    children = [child for task in tasks for child in (task / "children").read_text().split()]
    (java,) = {int(child) for child in children if b"java" in Path(f"/proc/{child}/cmdline").read_bytes()}
    return java


def ended(process: int) -> bool:
    """Return whether a process that is not our child has ended."""
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] == "Z"


@pytest.mark.aside
def test_state_is_kept_over_an_orderly_end_and_over_crashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with Gate("--data", data) as gate:
        java = spark_process(gate)
        assert os.getpgid(java) != os.getpgid(gate.process.pid)
        with clients.pyhive(gate.port) as connection:
            clients.rows(connection, "CREATE TABLE demo.kept AS SELECT id FROM range(10)")
        second = subprocess.run(
            [VIEWGATE, "serve", "--port", "0", "--data", data], capture_output=True, text=True, check=False
        )
        assert second.returncode == 1
        assert f"is in use by the viewgate with process id {gate.process.pid}" in second.stderr
        assert "Traceback" not in second.stderr
        assert gate.stop(signal.SIGINT) == 0
    eventually(lambda: ended(java))

    with Gate("--data", data) as gate:
        java = spark_process(gate)
        with clients.pyhive(gate.port) as connection:
            assert clients.rows(connection, "SELECT count(*) FROM demo.kept") == [(10,)]
        gate.kill()
        # At once, while the killed one's JVM still runs: its data is taken over when that is gone.
        with Gate("--data", data) as again:
            assert ended(java)
            with clients.pyhive(again.port) as connection:
                assert clients.rows(connection, "SELECT count(*) FROM demo.kept") == [(10,)]
            os.kill(spark_process(again), signal.SIGKILL)
            assert again.ended() == 1
        assert "Spark's JVM has ended (SIGKILL)" in again.output
        assert "Traceback" not in again.output
    assert os.listdir(elsewhere) == []


def test_health(gate: Gate) -> None:
    well = subprocess.run([VIEWGATE, "health", "--port", str(gate.port)], capture_output=True, check=False)
    assert well.returncode == 0
    ill = subprocess.run([VIEWGATE, "health", "--port", "1"], capture_output=True, text=True, check=False)
    assert ill.returncode == 1
    assert "127.0.0.1:1 is unreachable" in ill.stderr
