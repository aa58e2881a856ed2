"""Apache Flink in a test's JVM: jobs on its local mini cluster, which write to the catalog of a data directory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from proxy import jars
from proxy.jars import SQLITE, Jar
from tests.integration import clients

# What flink-clients, the table API with its planner, and Iceberg's library for them need.
LIBRARIES = Path(__file__).with_suffix(".libraries")
# Flink's own script opens the same packages to it.
_OPENED = (
    *("io", "lang", "lang.reflect", "net", "nio", "text", "time"),
    *("util", "util.concurrent", "util.concurrent.atomic", "util.concurrent.locks"),
)
# Of Spark's libraries those that Iceberg reads and writes files with; the others are of other versions.
_OF_SPARK = ("hadoop-client-", "py4j-", "log4j-", "slf4j-api-")


class Flink:
    """Runs statements one after the other, each to its end."""

    def __init__(self, machine: clients.JavaMachine) -> None:
        api = machine.jvm.org.apache.flink.table.api
        self._environment = api.TableEnvironment.create(api.EnvironmentSettings.newInstance().inStreamingMode().build())

    def run(self, sql: str) -> None:
        """Execute a statement; its job has committed when this returns."""
        result = self._environment.executeSql(sql)
        if sql.startswith("INSERT"):
            getattr(result, "await")()


def _library(line: str) -> Jar:
    """A library of the list: group, artifact and version, and the checksum of its file."""
    name, sha256 = line.split()
    group, artifact, version = name.split(":")
    return Jar(group, artifact, version, sha256)


@contextmanager
def flink(data: Path) -> Iterator[Flink]:
    """Yield a Flink that knows the catalog of the run's Viewgate."""
    own = jars.ensure((*map(_library, LIBRARIES.read_text().splitlines()), SQLITE))
    of_spark = [path for path in clients.LIBRARIES.glob("*.jar") if path.name.startswith(_OF_SPARK)]
    opened = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in _OPENED]
    machine = clients.JavaMachine(
        os.pathsep.join(map(str, (*own, *of_spark))), [*opened, "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"]
    )
    try:
        found = Flink(machine)
        found.run(
            "CREATE CATALOG lake WITH ('type' = 'iceberg', 'catalog-impl' = 'org.apache.iceberg.jdbc.JdbcCatalog', "
            f"'uri' = 'jdbc:sqlite:{data}/catalog.db?journal_mode=WAL&busy_timeout=30000', "
            f"'warehouse' = '{data}/warehouse', 'jdbc.schema-version' = 'V1', 'cache-enabled' = 'false', "
            # Iceberg leaves its look for these tables open, and with it a read of SQLite's state of that moment: the
            # connection's first write after another commit then fails (SQLITE_BUSY_SNAPSHOT).
            "'jdbc.init-catalog-tables' = 'false')"
        )
        yield found
    finally:
        machine.stop()
