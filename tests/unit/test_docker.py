"""The images hold what the tests run; checked without a Docker engine."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
import strictyaml

from proxy import config, embedded, jars

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
COMPOSE = strictyaml.load((DOCKER / "compose.yaml").read_text()).data
SPARK = (DOCKER / "spark" / "Dockerfile").read_text()
PROXY = (DOCKER / "viewgate" / "Dockerfile").read_text()
SETTINGS = dict(
    line.split(None, 1)
    for line in (DOCKER / "spark" / "spark-defaults.conf").read_text().splitlines()
    if line and not line.startswith("#")
)
# Where things are, and how much there is of them, differs by nature.
PLACES = {
    "spark.hadoop.hive.server2.thrift.bind.host",
    "spark.hadoop.hive.server2.thrift.port",
    "spark.master",
    "spark.sql.catalog.lake.jdbc.password",
    "spark.sql.catalog.lake.jdbc.user",
    "spark.sql.catalog.lake.uri",
    "spark.sql.catalog.lake.warehouse",
    "spark.sql.warehouse.dir",
}


def pins(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9_.-]+)==([^ ;\\]+)", lock.read_text(), re.MULTILINE))


def test_spark_is_the_version_that_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (pyspark,) = project["optional-dependencies"]["embedded"]
    assert f"FROM apache/spark:{pyspark.removeprefix('pyspark==')}-" in SPARK


def test_iceberg_is_the_library_that_is_tested() -> None:
    words = SPARK.replace("\\", " ").split()
    place = words.index(jars.ICEBERG.artifact)
    assert words[place - 1 : place + 2] == [jars.ICEBERG.group, jars.ICEBERG.artifact, jars.ICEBERG.version]
    assert words[place + 2].rstrip(";") == jars.ICEBERG.sha256


def test_spark_is_set_as_the_embedded_one() -> None:
    tested = embedded.spark_conf(Path("/warehouse"), (), {})
    ours = {key: value for key, value in SETTINGS.items() if key not in PLACES}
    assert ours == {key: tested[key] for key in ours}
    iceberg = {key for key in tested if "catalog" in key or "extensions" in key}
    assert iceberg <= set(SETTINGS)


def test_viewgate_and_spark_read_one_catalog() -> None:
    settings = config.load(DOCKER / "viewgate" / "viewgate.toml")
    (catalog,) = settings.catalogs
    (upstream,) = settings.upstreams
    assert upstream.host in COMPOSE["services"]
    assert str(upstream.port) == SETTINGS["spark.hadoop.hive.server2.thrift.port"]
    name = SETTINGS["spark.sql.defaultCatalog"]
    assert catalog.name == name
    assert catalog.properties["warehouse"] == SETTINGS[f"spark.sql.catalog.{name}.warehouse"]
    user, password = (SETTINGS[f"spark.sql.catalog.{name}.jdbc.{key}"] for key in ("user", "password"))
    server = SETTINGS[f"spark.sql.catalog.{name}.uri"].removeprefix("jdbc:postgresql://")
    assert catalog.properties["uri"] == f"postgresql+psycopg2://{user}:{password}@{server}"
    database = COMPOSE["services"]["postgres"]["environment"]
    assert (database["POSTGRES_USER"], database["POSTGRES_PASSWORD"]) == (user, password)
    assert server == f"postgres:5432/{database['POSTGRES_DB']}"


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_a_service_waits_for_the_health_of_what_it_needs(name: str) -> None:
    for needed, how in COMPOSE["services"][name].get("depends_on", {}).items():
        ends = "healthcheck" not in COMPOSE["services"][needed]
        assert how["condition"] == ("service_completed_successfully" if ends else "service_healthy")


def test_every_image_that_is_fetched_is_pinned_to_a_full_version() -> None:
    fetched = [*re.findall(r"^FROM (\S+)", SPARK + PROXY, re.MULTILINE), COMPOSE["services"]["postgres"]["image"]]
    assert len(fetched) == 4
    for image in fetched:
        assert re.search(r":\d+\.\d+(\.\d+)?-", image), image
    assert len({image for image in fetched if image.startswith("python:")}) == 1


def test_the_image_holds_the_packages_that_are_tested_and_no_spark() -> None:
    tested, shipped = pins(ROOT / "requirements.lock"), pins(DOCKER / "viewgate" / "requirements.lock")
    assert shipped.items() <= tested.items()
    assert "pyspark" not in shipped
    assert {"pyiceberg", "sqlglot", "thrift", "psycopg2-binary"} <= set(shipped)


def test_no_lock_file_names_the_place_its_packages_come_from() -> None:
    for lock in (ROOT / "requirements.lock", DOCKER / "viewgate" / "requirements.lock"):
        assert "://" not in lock.read_text()


def test_neither_image_runs_as_root() -> None:
    assert re.findall(r"^USER (\S+)", PROXY, re.MULTILINE)[-1] == "185:185"
    assert re.findall(r"^USER (\S+)", SPARK, re.MULTILINE)[-1] == "185"


def test_the_health_check_of_the_image_is_that_of_the_service() -> None:
    (command,) = re.findall(r"HEALTHCHECK .*CMD (\[.*\])", PROXY)
    assert ["CMD", *json.loads(command)] == COMPOSE["services"]["viewgate"]["healthcheck"]["test"]
