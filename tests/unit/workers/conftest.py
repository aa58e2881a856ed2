from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from pyiceberg.catalog.sql import SqlCatalog

from proxy.hs2 import ResultSet, SqlError
from tests.integration.gate import Gate
from tests.unit.support.fake_spark import FakeSpark, answer_everything
from tests.unit.workers.several import Several, settings

STATE = ResultSet.of("catalog", "namespace", "zone", rows=[["lake", "default", "UTC"]])


def script(sql: str) -> ResultSet | SqlError | None:
    if sql.startswith("SELECT current_catalog()"):
        return STATE
    return ResultSet.of("key", "value", rows=[]) if sql.startswith("SET") else answer_everything(sql)


@pytest.fixture(scope="package")
def several(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Several]:
    """Two workers before a fake Spark, which runs in a thread of its own."""
    folder = tmp_path_factory.mktemp("several")
    SqlCatalog("lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=str(folder)).close()
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()
    spark = FakeSpark(script)
    spark.lets_wait = True  # a client that waits for what is done at once waits at Spark
    asyncio.run_coroutine_threadsafe(spark.__aenter__(), loop).result(10)
    try:
        file = Path(folder, "viewgate.toml")
        file.write_text(settings(folder, spark.port))
        with Gate("--config", file, "--workers", "2") as gate:
            yield Several(gate, spark, file)
    finally:
        asyncio.run_coroutine_threadsafe(spark.end(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
