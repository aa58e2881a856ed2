"""The embedded Spark, used without [[upstream]]: a JVM with a Thrift Server over an Iceberg catalog in SQLite.

All files of the embedded Spark are in one data directory: `catalog.db`, `warehouse/`, `spark.log`, `lock` and, while it
runs, `tmp/`. The JVM ends with the process that started it, even if that process is killed: Spark's gateway stops when
its standard input is closed, and the lock on the data directory is held until the JVM has ended.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

from proxy import jars, preflight
from proxy.children import Children
from proxy.config import OWN_CATALOG
from proxy.journal.texts import is_secret, without_credentials
from proxy.pipeline import stages_of
from proxy.process import ended_by
from proxy.upstream import Stage

_log = logging.getLogger("viewgate")

CATALOG = OWN_CATALOG
_CATALOG_FILE = "catalog.db"
HOST = "127.0.0.1"
ICEBERG_CATALOG = "org.apache.iceberg.spark.SparkCatalog"
NAMESPACES = ("default", "demo")  # JDBC drivers send USE default when they connect

# FAIR: running queries share Spark instead of running first come, first served; refresh jobs get a third of it.
POOLS = """<?xml version="1.0"?>
<allocations>
  <pool name="default"><schedulingMode>FAIR</schedulingMode><weight>2</weight><minShare>0</minShare></pool>
  <pool name="refresh"><schedulingMode>FAIR</schedulingMode><weight>1</weight><minShare>0</minShare></pool>
</allocations>
"""


class StartError(Exception):
    """The error raised if the embedded Spark cannot start; the message has the reason and the remedy."""


class SparkLost(Exception):
    """The error raised if the JVM of the embedded Spark has ended by itself."""


class Jvm(NamedTuple):
    """A JVM process, and the file to which its output is written."""

    process: subprocess.Popen[bytes]
    log: Path


@dataclass
class EmbeddedSpark:
    """A running embedded Spark: its session, its JVM, its Thrift port, and the properties with which pyiceberg opens
    its catalog.
    """

    session: Any
    jvm: Jvm
    thrift_port: int
    catalog_properties: Mapping[str, str]
    thrift_host: str = HOST
    catalog_name: str = CATALOG
    _resources: ExitStack = field(default_factory=ExitStack, repr=False)

    @classmethod
    def start(
        cls,
        data: Path,
        settings: Mapping[str, str] | None = None,
        catalogs: Mapping[str, Mapping[str, str]] | None = None,
        children: Children | None = None,
    ) -> EmbeddedSpark:
        """Start Spark on a data directory, which is created if missing; return when clients can connect.

        `catalogs` has, by name, pyiceberg's properties of the catalogs that Spark gets in addition to its own.
        `settings` override Viewgate's Spark settings. Raise StartError if Spark cannot start, Missing without Java or
        pyspark, and Unfetched if a Java library cannot be fetched. If another thread stops the processes `children`,
        the start fails at once, with any of these errors or another one.
        """
        data, others, children = data.resolve(), catalogs or {}, children or Children()
        with ExitStack() as resources:
            lock = resources.enter_context(_locked(data, children))
            _log.info("starting Spark with the data directory %s", data)
            fresh_temporary_folder(data)
            added = {key: value for name, of in others.items() for key, value in spark_catalog(name, of).items()}
            libraries = jars.ensure(_libraries(others.values()), children=children)
            conf = spark_conf(data, libraries, {**added, **(settings or {})})
            session, jvm = resources.enter_context(_session(conf, data, lock, children))
            for namespace in NAMESPACES:
                session.sql(f"CREATE NAMESPACE IF NOT EXISTS {CATALOG}.{namespace}")
            port = _start_thrift_server(session)
            return cls(session, jvm, port, catalog_properties(data), _resources=resources.pop_all())

    def stages(self, statement: str) -> tuple[Stage, ...]:
        """Return the stages of a statement's Spark jobs, without the stages that have not started yet.

        `statement` is the statement's id in Spark's Thrift Server, which is also the job group of the Spark jobs.
        """
        return stages_of(self.session.sparkContext, statement)

    async def lost(self) -> None:
        """Wait until the JVM ends by itself, then raise SparkLost."""
        code = await asyncio.to_thread(self.jvm.process.wait)
        raise SparkLost(
            f"Spark's JVM has ended ({ended_by(code)}), so all sessions and running statements are lost: start "
            f"Viewgate again; {_tail(self.jvm.log)}"
        )

    def stop(self) -> None:
        """Stop Spark and its JVM, and release the data directory; a second call does nothing."""
        self._resources.close()


def has_data(data: Path) -> bool:
    """Return whether the data directory has a catalog's database, which the first start of Viewgate creates there."""
    return (data / _CATALOG_FILE).exists()


def catalog_properties(data: Path) -> dict[str, str]:
    """Return pyiceberg's properties for the catalog in a data directory."""
    return {"type": "sql", "uri": f"sqlite:///{data / _CATALOG_FILE}", "warehouse": str(data / "warehouse")}


def spark_conf(data: Path, class_path: tuple[Path, ...], settings: Mapping[str, str]) -> dict[str, str]:
    """Return the complete configuration of the embedded Spark: Viewgate's values, overridden by the user's settings.

    `class_path` has the Java libraries for the driver.
    """
    catalog = f"spark.sql.catalog.{CATALOG}"
    temporary = data / "tmp"
    properties = {"java.io.tmpdir": temporary, "derby.stream.error.file": temporary / "derby.log"}
    # More task slots than cores, so that long refresh tasks leave some to short queries (Spark does not preempt).
    slots = 2 * (os.cpu_count() or 2)
    return {
        "spark.app.name": "viewgate",
        "spark.master": f"local[{slots}]",
        "spark.driver.memory": "2g",
        "spark.driver.host": HOST,
        "spark.driver.bindAddress": HOST,
        "spark.driver.extraClassPath": os.pathsep.join(map(str, class_path)),
        "spark.driver.extraJavaOptions": " ".join(f'"-D{key}={value}"' for key, value in properties.items()),
        "spark.local.dir": str(temporary),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.scheduler.mode": "FAIR",
        "spark.scheduler.allocation.file": (temporary / "pools.xml").as_uri(),
        "spark.sql.shuffle.partitions": str(slots),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(temporary / "spark-warehouse"),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.defaultCatalog": CATALOG,
        "spark.hadoop.hive.server2.thrift.bind.host": HOST,
        "spark.hadoop.hive.server2.thrift.port": "0",
        **iceberg_settings(f"jdbc:sqlite:{data / _CATALOG_FILE}?journal_mode=WAL&busy_timeout=30000"),
        f"{catalog}.warehouse": str(data / "warehouse"),
        **settings,
    }


# Settings that spark-submit uses before the JVM's first Spark session, so that they cannot be given later.
_OF_LAUNCH = ("spark.driver.", "spark.files", "spark.archives", "spark.jars", "spark.submit.")


def shown_at_launch(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings for the command line of Spark's JVM, which all users of this machine can read.

    Settings with a credential are left out, except those that Spark needs at the JVM's launch (`credentials_shown`).
    The Spark session gets the omitted settings later, through a socket.

    >>> shown_at_launch({"spark.master": "local", "spark.hadoop.fs.s3a.secret.key": "x"})
    {'spark.master': 'local'}
    """
    return {
        key: value for key, value in settings.items() if key.startswith(_OF_LAUNCH) or not _has_credential(key, value)
    }


def credentials_shown(settings: Mapping[str, str]) -> list[str]:
    """Return the keys of those settings that have a credential, and are nevertheless on the JVM's command line.

    >>> credentials_shown({"spark.jars.repositories": "https://ann:x@repo", "spark.hadoop.fs.s3a.secret.key": "x"})
    ['spark.jars.repositories']
    """
    return [key for key, value in shown_at_launch(settings).items() if _has_credential(key, value)]


def _has_credential(key: str, value: str) -> bool:
    return is_secret(key) or without_credentials(value) != value


def iceberg_settings(uri: str) -> dict[str, str]:
    """Return the Spark settings for an Iceberg catalog in a SQL database; `uri` is the database's JDBC URL.

    Iceberg's table cache in Spark is off: for half a minute it would hide the commits of other engines and of Viewgate.
    """
    catalog = f"spark.sql.catalog.{CATALOG}"
    return {
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        catalog: ICEBERG_CATALOG,
        f"{catalog}.type": "jdbc",
        f"{catalog}.uri": uri,
        f"{catalog}.jdbc.schema-version": "V1",
        f"{catalog}.cache-enabled": "false",
    }


def fresh_temporary_folder(data: Path) -> None:
    """Replace the data directory's `tmp` by a new folder that contains only `pools.xml`, which Spark's scheduler reads.

    The replacement removes files that a killed JVM has left behind.
    """
    shutil.rmtree(data / "tmp", ignore_errors=True)
    (data / "tmp").mkdir(parents=True)
    (data / "tmp" / "pools.xml").write_text(POOLS)


# By SQLAlchemy's name of the database: the form of its JDBC URL. The drivers of others are not on the class path.
_JDBC = {
    "sqlite": "jdbc:sqlite:{url.database}?busy_timeout=30000",
    "postgresql": "jdbc:postgresql://{url.host}:{port}/{url.database}",
}


def spark_catalog(name: str, properties: Mapping[str, str]) -> dict[str, str]:
    """Return the Spark settings for an Iceberg catalog with these properties of pyiceberg.

    The properties of REST catalogs and Hive Metastores have the same names in Spark; for a SQL catalog, the `uri` is
    converted to a JDBC URL. Raise StartError for a database of which Viewgate has no JDBC driver.

    >>> of = spark_catalog("sales", {"type": "sql", "uri": "postgresql+psycopg2://ann:pw@db/iceberg"})
    >>> of["spark.sql.catalog.sales.uri"], of["spark.sql.catalog.sales.jdbc.user"]
    ('jdbc:postgresql://db:5432/iceberg', 'ann')
    """
    catalog = f"spark.sql.catalog.{name}"
    given = {
        **properties,
        **(_jdbc(name, properties["uri"]) if properties["type"] == "sql" else {}),
        "cache-enabled": "false",
    }
    return {catalog: ICEBERG_CATALOG, **{f"{catalog}.{key}": value for key, value in given.items()}}


def _jdbc(name: str, uri: str) -> dict[str, str]:
    from sqlalchemy import make_url

    url = make_url(uri)
    form = _JDBC.get(url.get_backend_name())
    if form is None:
        raise StartError(
            f"[[catalog]] {name}: uri: Viewgate has no JDBC driver of {url.get_backend_name()} for the Spark that it "
            f"starts itself, only of {' and '.join(_JDBC)}: configure [[upstream]], a Spark that has this catalog"
        )
    login = {"jdbc.user": url.username, "jdbc.password": url.password}
    return {
        "type": "jdbc",
        "uri": form.format(url=url, port=url.port or 5432),
        "jdbc.schema-version": "V1",
        **{key: str(value) for key, value in login.items() if value is not None},
    }


def _libraries(catalogs: Iterable[Mapping[str, str]]) -> tuple[jars.Jar, ...]:
    """Return the Java libraries for Spark's driver: the driver of PostgreSQL is among them if a catalog needs it."""
    needed = any(properties.get("uri", "").startswith("postgres") for properties in catalogs)
    return (*jars.EMBEDDED, jars.POSTGRES) if needed else jars.EMBEDDED


@contextmanager
def _locked(data: Path, children: Children, patience: float = 20.0) -> Iterator[IO[str]]:
    """Yield the lock file of a data directory, locked for this process and the JVM that this process starts.

    If a former Viewgate process was killed, wait first until the JVM of that process has ended, or until `children`
    are stopped. Raise StartError if another Viewgate uses the directory, or if the lock is not free after `patience`
    seconds.
    """
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StartError(
            f"the data directory {data} cannot be created ({error.strerror}): give another directory with --data or "
            "[embedded] data"
        ) from error
    with (data / "lock").open("a+") as lock:
        deadline = time.monotonic() + patience
        while not _try_lock(lock):
            children.check()
            lock.seek(0)
            owner = lock.read().strip()
            if _alive(owner) or time.monotonic() > deadline:
                raise StartError(
                    f"the data directory {data} is in use by the Viewgate process {owner or 'unknown'}: stop that "
                    "process, or give another directory with --data. To refresh views in this directory, run REFRESH "
                    "MATERIALIZED VIEW through that process"
                )
            time.sleep(0.05)
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield lock


def _try_lock(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


@contextmanager
def _session(settings: Mapping[str, str], data: Path, lock: IO[str], children: Children) -> Iterator[tuple[Any, Jvm]]:
    """Yield a Spark session in a new JVM, and the JVM, which is stopped at the end of the `with` block.

    `settings` are Spark's settings, and `data` is the directory for Spark's log. `lock` is the locked file, which the
    JVM keeps open, so that the file stays locked until the JVM ends. The JVM is one of the processes `children`. Raise
    StartError if the JVM does not start, and Missing without Java or pyspark.
    """
    java = preflight.java()
    jars.spark_jars()
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.logger import PySparkLogger
    from pyspark.sql import SparkSession

    # Spark's errors reach the client as exceptions; PySpark would also log each, with its plan, as one line of JSON.
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True
    if SparkContext._active_spark_context is not None:
        raise StartError(
            "Viewgate's own Spark cannot start, because this process already runs a Spark session: stop that "
            "session first"
        )
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    with _jvm(shown_at_launch(settings), java, data, lock, children) as (jvm, gateway):
        try:
            SparkContext._ensure_initialized(gateway=gateway)
            session = SparkSession.builder.config(conf=conf).getOrCreate()
            yield session, jvm
            with suppress(OSError, Py4JError):  # the signal that ends this process may have ended the JVM, too
                session.stop()
        finally:
            gateway.shutdown()
            # pyspark would reuse the gateway, whose JVM has ended, for the process's next session.
            SparkContext._gateway = SparkContext._jvm = None


@contextmanager
def _jvm(
    settings: Mapping[str, str], java: Path, data: Path, lock: IO[str], children: Children
) -> Iterator[tuple[Jvm, Any]]:
    """Start a JVM with these Spark settings; yield the JVM and PySpark's connection to it (a py4j gateway).

    The JVM ends at the end of the `with` block, and if this process ends, because its standard input is then closed.
    PySpark would start the JVM in the same way, but would not let it be ended before it has a connection.
    """
    from pyspark.find_spark_home import _find_spark_home

    told, log = data / "tmp" / "gateway", data / "spark.log"
    given = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    with log.open("wb") as output:
        # In a process group of its own: a signal to the whole group is meant for Viewgate, which stops the JVM after
        # its statements have ended.
        process = children.start(
            [str(Path(_find_spark_home(), "bin", "spark-submit")), *given, "pyspark-shell"],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            cwd=data,
            env=_java_environment(java, told),
            pass_fds=(lock.fileno(),),
        )
    try:
        yield Jvm(process, log), _gateway(process, told, log)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait()


def _gateway(process: subprocess.Popen[bytes], told: Path, log: Path) -> Any:
    """Return PySpark's connection to a JVM, which writes its port and its secret to the file `told` when it listens.

    Raise StartError, with the end of the JVM's log, if the JVM ends before.
    """
    from pyspark.java_gateway import launch_gateway
    from pyspark.serializers import UTF8Deserializer, read_int

    while not told.exists():
        if process.poll() is not None:
            raise StartError(f"Spark's JVM did not start; correct the cause, which is in Spark's log: {_tail(log)}")
        time.sleep(0.05)
    with told.open("rb") as file:
        told.unlink()
        given = {"PYSPARK_GATEWAY_PORT": str(read_int(file)), "PYSPARK_GATEWAY_SECRET": UTF8Deserializer().loads(file)}
    os.environ.update(given)  # the only way to tell PySpark
    try:
        return launch_gateway()
    finally:
        for name in given:
            del os.environ[name]


_NOT_FOR_JAVA = (
    "HIVE_SERVER2_THRIFT_PORT",
    "HIVE_SERVER2_THRIFT_BIND_HOST",
    "PYSPARK_SUBMIT_ARGS",
    "SPARK_CONF_DIR",
    "SPARK_LOCAL_DIRS",
)


def _java_environment(java: Path, told: Path) -> dict[str, str]:
    """Return the environment variables for Spark's JVM: those of this process, with some changes.

    JAVA_HOME is derived from `java`, the path of the Java program; variables that would override Spark's settings are
    left out. `told` is the file to which the JVM writes how it can be reached.
    """
    return {
        **{name: value for name, value in os.environ.items() if name not in _NOT_FOR_JAVA},
        "JAVA_HOME": str(java.resolve().parent.parent),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_CONNECT_MODE": "0",
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(told),
    }


def _tail(log: Path) -> str:
    return f"{log} ends with: {log.read_text(errors='replace')[-1000:].strip()}"


def _start_thrift_server(session: Any) -> int:
    """Start Spark's Thrift Server in the session's JVM, and return the port on which it listens."""
    thrift_server = session._jvm.org.apache.spark.sql.hive.thriftserver.HiveThriftServer2
    server = thrift_server.startWithContext(session._jsparkSession.sqlContext())
    port: int = next(s.getPortNumber() for s in server.getServices() if "Thrift" in s.getName())
    return port
