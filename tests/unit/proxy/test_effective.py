"""What SHOW VIEWGATE CONFIG shows of the settings."""

from __future__ import annotations

from proxy import config
from proxy.effective import Effective

EVERYTHING = """
[server]
port = 10001
[server.tls]
certificate = "server.pem"
key = "server.key"
[[upstream]]
host = "spark-1"
password = "opensesame"
weight = 3
[catalog]
name = "lake"
type = "sql"
uri = "postgresql+psycopg2://ann:opensesame@db/iceberg"
"s3.secret-access-key" = "opensesame"
"header.Authorization" = "Bearer opensesame"
"header.X-API-Key" = "opensesame"
"gcs.service-account-json" = "opensesame"
[pipeline]
password = "opensesame"
[pipeline.spark]
"spark.sql.catalog.lake.header.Authorization" = "Bearer opensesame"
"spark.hadoop.google.cloud.auth.service.account.private.key" = "opensesame"
"spark.driver.extraJavaOptions" = "-Dmy.password=opensesame -Xmx1g"
[authentication]
operators = ["olga", "ann"]
[authentication.ldap]
url = "ldaps://ldap"
base = "dc=example"
bind_password = "opensesame"
[tracing]
endpoint = "http://otel:4318/v1/traces"
headers = {"X-Key" = "opensesame"}
[timeouts]
park = 7
"""


def rows(text: str) -> dict[str, tuple[str | None, str | None, bool]]:
    return {row.key: row[1:] for row in Effective(config.parse(text)).rows()}


def test_values_defaults_and_what_can_be_reloaded() -> None:
    found = rows(EVERYTHING)
    assert found["server.port"] == ("10001", "10000", False)
    assert found["server.tls.key"] == ("server.key", None, True)
    assert found["console.port"] == ("10081", "10081", False)
    assert found["upstream.spark-1:10000.weight"] == ("3", "1", True)
    assert found["timeouts.park"] == ("7", "300", False)
    assert found["timeouts.call"] == ("60", "60", False)
    assert found["tracing.endpoint"] == ("http://otel:4318/v1/traces", None, False)
    assert found["limits.buffers"] == ("1073741824", "1073741824", False)
    assert found["authentication.operators"] == ("ann, olga", None, True)


def test_a_spark_of_its_own_has_refresh_jobs_too() -> None:
    assert rows("[pipeline]\nbackground = 3")["pipeline.background"] == ("3", None, False)


def test_no_credential_is_shown() -> None:
    found = rows(EVERYTHING)
    assert "opensesame" not in str(found)
    assert found["upstream.spark-1:10000.password"] == ("***", None, True)
    assert found["catalog.lake.header.Authorization"] == ("***", None, False)
    assert found["catalog.lake.uri"][0] == "postgresql+psycopg2://ann:***@db/iceberg"
    assert found["catalog.lake.s3.secret-access-key"][0] == "***"


def test_every_table_of_the_file_is_told_of() -> None:
    told = {key.partition(".")[0] for text in ("", EVERYTHING) for key in rows(text)}
    assert told == {str(field.validation_alias or name) for name, field in config.Config.model_fields.items()}


def test_settings_that_were_read_again_are_shown() -> None:
    effective = Effective(config.parse(EVERYTHING))
    effective.settings = config.parse(EVERYTHING.replace("weight = 3", "weight = 5"))
    assert ("upstream.spark-1:10000.weight", "5", "1", True) in list(effective.rows())
