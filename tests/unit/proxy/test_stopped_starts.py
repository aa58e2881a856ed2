"""A Viewgate that is told to stop while it starts its Spark, fetches libraries, or makes the demo data."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from proxy import demo, embedded, jars
from proxy.children import Children, Stopped
from proxy.hs2 import ResultSet
from tests.integration.daemon import Daemon, ended, eventually
from tests.integration.gate import VIEWGATE

JAVA = """#!/bin/sh
if [ "$1" = -version ]; then echo 'openjdk version "17.0.1"' >&2; exit; fi
"""
# A process with a child, as Spark's scripts are, which writes the ids of both.
FOR_MINUTES = """#!/bin/sh
sleep 600 &
echo $$ $! > {0}.new && mv {0}.new {0}
wait
"""


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def processes(told: Path) -> list[int]:
    assert eventually(told.exists)
    return [int(word) for word in told.read_text().split()]


def test_a_stop_ends_a_spark_that_still_starts(tmp_path: Path) -> None:
    told, data = tmp_path / "told", tmp_path / "data"
    program(tmp_path / "java" / "bin" / "java", JAVA)
    program(tmp_path / "spark" / "bin" / "spark-submit", FOR_MINUTES.format(told))
    places = {"JAVA_HOME": str(tmp_path / "java"), "SPARK_HOME": str(tmp_path / "spark")}
    with Daemon([VIEWGATE, "serve", "--demo", "--port", "0", "--data", data], os.environ | places) as gate:
        spark = processes(told)
        began = time.monotonic()
        assert gate.stop(signal.SIGINT) == 0
        assert time.monotonic() - began < 10  # on a busy machine
    assert eventually(lambda: all(map(ended, spark)))
    assert gate.output.splitlines()[-1].endswith(
        f" INFO stopped during the start, together with Spark: the data directory {data} can be used again"
    )
    assert "Traceback" not in gate.output
    with embedded._locked(data, Children(), patience=0):
        pass


def test_a_stop_ends_a_download_of_which_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, children = tmp_path / "told", Children()
    program(tmp_path / "java" / "bin" / "java", JAVA + FOR_MINUTES.format(told))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    with ThreadPoolExecutor(1) as thread:
        fetching = thread.submit(jars.ensure, jars.EMBEDDED, tmp_path / "libraries", children)
        ivy = processes(told)
        children.stop()
        assert isinstance(fetching.exception(10), Stopped)
    assert eventually(lambda: all(map(ended, ivy)))
    assert os.listdir(tmp_path / "libraries") == []


def test_a_stop_while_the_demo_is_made_says_who_makes_the_rest(caplog: pytest.LogCaptureFixture) -> None:
    asked = asyncio.Event()

    async def query(sql: str) -> ResultSet:
        if sql.startswith("SHOW"):
            return ResultSet((), ())
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def main() -> None:
        making = asyncio.create_task(demo.make(1, query))
        await asked.wait()
        making.cancel()
        with pytest.raises(asyncio.CancelledError):
            await making

    caplog.set_level("INFO")
    asyncio.run(main())
    assert caplog.messages == [
        "making the demo data, 1 of 4: sales, 1 rows",
        "making the demo data, 1 of 4: sales, stopped: the next start with --demo makes what is missing",
    ]
