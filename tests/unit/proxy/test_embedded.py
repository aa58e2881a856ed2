from __future__ import annotations

import os
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

import pytest

from proxy import embedded, jars
from proxy.children import Children, Stopped


def test_all_that_spark_writes_is_in_the_data_directory(tmp_path: Path) -> None:
    conf = embedded.spark_conf(tmp_path, (Path("/j/a.jar"), Path("/j/b.jar")), {})
    assert conf["spark.driver.extraClassPath"] == "/j/a.jar:/j/b.jar"
    for key in ("spark.local.dir", "spark.sql.warehouse.dir", "spark.sql.catalog.lake.warehouse"):
        assert Path(conf[key]).is_relative_to(tmp_path)
    assert f"-Djava.io.tmpdir={tmp_path}/tmp" in conf["spark.driver.extraJavaOptions"]


def test_it_listens_on_loopback_alone(tmp_path: Path) -> None:
    conf = embedded.spark_conf(tmp_path, (), {})
    assert {key: value for key, value in conf.items() if "host" in key or "bind" in key} == dict.fromkeys(
        ("spark.driver.host", "spark.driver.bindAddress", "spark.hadoop.hive.server2.thrift.bind.host"), "127.0.0.1"
    )


def test_the_users_settings_come_last(tmp_path: Path) -> None:
    conf = embedded.spark_conf(tmp_path, (), {"spark.driver.memory": "8g", "spark.x": "y"})
    assert (conf["spark.driver.memory"], conf["spark.x"], conf["spark.sql.session.timeZone"]) == ("8g", "y", "UTC")


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("spark.hadoop.fs.s3a.secret.key", "opensesame", False),
        ("spark.sql.catalog.other.uri", "jdbc:postgresql://ann:opensesame@db/x", False),
        ("spark.sql.catalog.other.uri", "jdbc:postgresql://db/x", True),
        ("spark.driver.extraJavaOptions", "-Dx.password=opensesame", True),  # the JVM cannot get it later
    ],
)
def test_credentials_are_on_the_command_line_of_the_jvm_only_if_it_needs_them_at_its_start(
    key: str, value: str, shown: bool
) -> None:
    given = {"spark.master": "local", key: value}
    assert embedded.shown_at_launch(given) == (given if shown else {"spark.master": "local"})


def test_pyiceberg_and_spark_read_one_catalog(tmp_path: Path) -> None:
    conf = embedded.spark_conf(tmp_path, (), {})
    properties = embedded.catalog_properties(tmp_path)
    database = f"{tmp_path}/catalog.db"
    assert properties["uri"] == f"sqlite:///{database}"
    assert conf["spark.sql.catalog.lake.uri"].startswith(f"jdbc:sqlite:{database}?")
    assert properties["warehouse"] == conf["spark.sql.catalog.lake.warehouse"]


def test_spark_gets_the_other_catalogs_in_its_own_words() -> None:
    shop = {"type": "sql", "uri": "sqlite:////data/shop.db", "warehouse": "/data/shop"}
    conf = embedded.spark_catalog("shop", shop) | embedded.spark_catalog("web", {"type": "rest", "uri": "http://c"})
    assert {key.removeprefix("spark.sql.catalog."): value for key, value in conf.items()} == {
        **dict.fromkeys(("shop", "web"), "org.apache.iceberg.spark.SparkCatalog"),
        **dict.fromkeys(("shop.cache-enabled", "web.cache-enabled"), "false"),
        "shop.type": "jdbc",
        "shop.uri": "jdbc:sqlite:/data/shop.db?busy_timeout=30000",
        "shop.jdbc.schema-version": "V1",
        "shop.warehouse": "/data/shop",
        "web.type": "rest",
        "web.uri": "http://c",
    }
    postgres = {"type": "sql", "uri": "postgresql+psycopg2://ann:opensesame@db/x"}
    shown = embedded.shown_at_launch(embedded.spark_catalog("shop", postgres))
    assert "opensesame" not in str(shown)
    assert jars.POSTGRES in embedded._libraries([postgres])
    with pytest.raises(embedded.StartError, match="no JDBC driver of mysql"):
        embedded.spark_catalog("shop", {"type": "sql", "uri": "mysql://db/x"})


def locked(data: Path, patience: float = 20, children: Children | None = None) -> AbstractContextManager[IO[str]]:
    return embedded._locked(data, children or Children(), patience)


def test_a_second_proxy_on_the_same_data_is_told_who_has_it(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(embedded.StartError) as refused, locked(tmp_path):
        pass
    assert f"{tmp_path} is in use by the Viewgate process {os.getpid()}" in str(refused.value)
    with locked(tmp_path):
        assert (tmp_path / "lock").read_text() == str(os.getpid())


def test_the_data_of_a_killed_proxy_is_taken_over_when_its_jvm_is_gone(tmp_path: Path) -> None:
    hold = "import fcntl, sys; f = open(sys.argv[1], 'a'); fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); input()"
    jvm = subprocess.Popen(
        [sys.executable, "-c", hold, str(tmp_path / "lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert jvm.stdin is not None
    assert jvm.stdout is not None
    with jvm, jvm.stdin, jvm.stdout:
        jvm.stdout.readline()
        (tmp_path / "lock").write_text(str(_ended_process()))
        with pytest.raises(embedded.StartError), locked(tmp_path, patience=0):
            pass
        stopped = Children()
        stopped.stop()
        with pytest.raises(Stopped), locked(tmp_path, children=stopped):
            pass
        jvm.stdin.close()
        with locked(tmp_path):
            assert (tmp_path / "lock").read_text() == str(os.getpid())


def _ended_process() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        return process.pid


def test_what_a_killed_jvm_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp" / "left").write_text("")
    embedded.fresh_temporary_folder(tmp_path)
    assert os.listdir(tmp_path / "tmp") == ["pools.xml"]


def test_the_pools_are_where_spark_is_told_they_are(tmp_path: Path) -> None:
    embedded.fresh_temporary_folder(tmp_path)
    file = embedded.spark_conf(tmp_path, (), {})["spark.scheduler.allocation.file"].removeprefix("file://")
    pools = ElementTree.parse(file).getroot()
    assert [pool.get("name") for pool in pools] == ["default", "refresh"]


def test_java_gets_our_settings_in_its_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").write_text("")
    monkeypatch.setenv("HIVE_SERVER2_THRIFT_PORT", "1")
    monkeypatch.setenv("JAVA_HOME", "/mine")
    monkeypatch.setenv("LANG", "de_DE")
    given = embedded._java_environment(tmp_path / "bin" / "java", tmp_path / "told")
    assert (given["JAVA_HOME"], given["LANG"]) == (str(tmp_path), "de_DE")
    assert "HIVE_SERVER2_THRIFT_PORT" not in given


def test_a_file_cannot_be_the_data_directory(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(embedded.StartError, match=r"file cannot be created .* give another directory with --data"):
        embedded.EmbeddedSpark.start(tmp_path / "file")
