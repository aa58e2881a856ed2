from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import AsyncExitStack
from typing import Any

import pytest
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from proxy import config, jobs
from proxy.hs2 import SqlError
from proxy.pipeline import ConnectRunner, EmbeddedRunner, Runner


def chosen(settings: dict[str, str]) -> Runner:
    async def story() -> Runner:
        async with AsyncExitStack() as running:
            return await jobs.runner(settings, ("lake",), running)

    return asyncio.run(story())


class Builder:
    """Creates sessions that record whether they were stopped; the master `nowhere` cannot be reached."""

    def __init__(self) -> None:
        self.settings: dict[str, str] = {}
        self.conf: dict[str, str] = {}
        self.stopped = False

    def config(self, map: dict[str, str]) -> Builder:  # noqa: A002 - PySpark's name
        self.settings = self.conf = map
        return self

    def getOrCreate(self) -> Builder:  # noqa: N802 - PySpark's name
        if self.settings.get("spark.master") == "nowhere":
            raise PySparkRuntimeError("Could not parse Master URL")
        return self

    def stop(self) -> None:
        self.stopped = True


@pytest.mark.parametrize("master", [{"spark.master": "spark://c:7077"}, {}])
def test_an_application_of_this_process_runs_jobs_on_any_master_or_on_the_one_that_was_submitted_to(
    monkeypatch: pytest.MonkeyPatch, master: dict[str, str]
) -> None:
    builder: Any = Builder()
    monkeypatch.setattr(SparkSession, "builder", builder)
    assert isinstance(chosen({**master, "x": "1"}), EmbeddedRunner)
    assert builder.settings.items() >= {"spark.app.name": "viewgate refresh", **master, "x": "1"}.items()
    assert builder.settings["spark.ui.showConsoleProgress"] == "false"
    chosen({"spark.log.level": "INFO"})
    assert builder.settings["spark.log.level"] == "INFO"
    assert builder.stopped


def test_credentials_of_an_application_are_not_on_the_command_line_of_its_jvm(monkeypatch: pytest.MonkeyPatch) -> None:
    builder: Any = Builder()
    launched: list[SparkConf] = []
    monkeypatch.setattr(SparkSession, "builder", builder)
    monkeypatch.setattr(SparkContext, "_ensure_initialized", lambda conf: launched.append(conf))
    chosen({"spark.master": "local", "spark.hadoop.fs.s3a.secret.key": "opensesame"})
    assert builder.settings["spark.hadoop.fs.s3a.secret.key"] == "opensesame"
    (conf,) = launched
    assert dict(conf.getAll()) == {"spark.master": "local"}


def test_an_application_that_has_started_after_a_cancel_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    builder: Any = Builder()
    begun, go = threading.Event(), threading.Event()

    def late() -> Any:
        begun.set()
        assert go.wait(20)
        return builder

    builder.getOrCreate = late
    monkeypatch.setattr(SparkSession, "builder", builder)

    async def story() -> None:
        async with AsyncExitStack() as running:
            starting = asyncio.create_task(jobs.runner({"spark.master": "local"}, ("lake",), running))
            await asyncio.to_thread(begun.wait, 20)
            starting.cancel()
            await asyncio.wait([starting])
            assert not builder.stopped
            go.set()

    asyncio.run(story())
    assert builder.stopped


def test_a_master_that_cannot_be_used_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkSession, "builder", Builder())
    with pytest.raises(config.ConfigError, match=r"spark\.master = 'nowhere': Spark did not start: Could not parse"):
        chosen({"spark.master": "nowhere"})


def test_a_catalog_without_its_properties_stops_the_start_and_the_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    builder: Any = Builder()
    monkeypatch.setattr(SparkSession, "builder", builder)
    lake = {"spark.master": "local", "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog"}
    lacking = r"has spark\.sql\.catalog\.lake, but neither spark\.sql\.catalog\.lake\.type nor .*\.catalog-impl:"
    with pytest.raises(config.ConfigError, match=lacking):
        chosen(lake)
    assert builder.stopped
    assert chosen({**lake, "spark.sql.catalog.lake.type": "rest"})


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql.connect.session", None)
    with pytest.raises(config.ConfigError, match=r"pip install '\.\[connect\]'"):
        chosen({"spark.remote": "sc://127.0.0.1:1"})


@pytest.mark.filterwarnings("ignore:.*RETRIES_EXCEEDED")
def test_a_connect_server_is_called_by_jobs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_RETRIES", 0)

    async def story() -> None:
        async with AsyncExitStack() as running:
            runner = await jobs.runner({"spark.remote": "sc://127.0.0.1:1"}, ("lake",), running)
            assert isinstance(runner, ConnectRunner)
            with pytest.raises(SqlError, match=r"of \[pipeline\.spark\] spark\.remote: (.|\n)*connect to"):
                async with runner.job({"a": "1"}):
                    pass

    asyncio.run(story())
