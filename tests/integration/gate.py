"""A Viewgate as users start it: the process, its ready line, its end."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from proxy.embedded import CATALOG, catalog_properties
from tests.integration.daemon import Daemon

VIEWGATE = Path(sys.prefix, "bin", "viewgate")
READY = re.compile(r"viewgate ready: jdbc:hive2://127\.0\.0\.1:(\d+)/")
SPARK = re.compile(r"Spark Thrift Server started host=127\.0\.0\.1 port=(\d+)")

DEMO_ROWS = 100_000

# Settings of a Spark that is asked many queries of a few rows, each of which takes longer to compile and plan than its
# rows. Not for what is cancelled: Spark interprets an aggregation to its end, and keeps the slot until then.
INTERPRETED = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "1",
}


class Gate(Daemon):
    """`viewgate serve` as a process, used in a `with` statement; `settings` are added to its environment.

    `program` replaces `viewgate`.
    """

    def __init__(
        self, *arguments: str | Path, port: int = 0, program: Sequence[str | Path] = (VIEWGATE,), **settings: str
    ) -> None:
        super().__init__([*program, "serve", "--port", str(port), *arguments], {**os.environ, **settings})
        try:
            self.until(READY, patience=600)  # a first start fetches what Spark needs
        except BaseException:
            if self.process.poll() is None:
                self.kill()
            raise

    @property
    def port(self) -> int:
        return self._said_port(READY)

    @property
    def spark_port(self) -> int:
        """Return the port of the Spark behind it, past the proxy."""
        return self._said_port(SPARK)

    def _said_port(self, what: re.Pattern[str]) -> int:
        return next(int(found[1]) for found in what.finditer(self.output))

    @property
    def url(self) -> str:
        return f"jdbc:hive2://127.0.0.1:{self.port}/"


def spark_catalog(name: str, uri: str, properties: Mapping[str, str]) -> str:
    """Return Spark's settings for an Iceberg catalog beside the one in the data directory, as lines of a settings file.

    `name` is the catalog's name in Spark, and `properties` are its properties beside its uri.
    """
    catalog = f"spark.sql.catalog.{name}"
    given = {"uri": uri, "cache-enabled": "false", **properties}
    settings = {catalog: "org.apache.iceberg.spark.SparkCatalog"} | {f"{catalog}.{k}": v for k, v in given.items()}
    return "".join(f'"{key}" = "{value}"\n' for key, value in settings.items())


def settings_beside(gate: Gate, data: Path, more: str, file: Path, *, terms: str = "") -> Path:
    """Write the settings of another Viewgate before the same Spark and catalog to a file, with further settings.

    `terms` are settings of the upstream, such as `sessions = 1`.
    """
    catalog = {"name": CATALOG, **catalog_properties(data)}
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in catalog.items())
    upstream = f'host = "127.0.0.1"\nport = {gate.spark_port}\n{terms}'
    file.write_text(f"{more}\n[[upstream]]\n{upstream}\n[catalog]\n{lines}\n")
    return file
