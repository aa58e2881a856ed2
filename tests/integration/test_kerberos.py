"""Logins by tickets of a real Key Distribution Center of MIT Kerberos, as Hive JDBC uses them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.clients import jdbc
from tests.integration import clients, kdc
from tests.integration.gate import DEMO_ROWS, Gate, settings_beside
from tests.integration.kdc import REALM, SERVICE, Center


@pytest.fixture(scope="module")
def center(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Center]:
    with kdc.center(tmp_path_factory.mktemp("kdc"), "ann", "superset", "hive/other") as running:
        yield running


@pytest.fixture(scope="module")
def guarded(gate: Gate, data: Path, center: Center) -> Iterator[Gate]:
    """A second Viewgate before the same Spark, which admits only clients with a ticket."""
    more = f"""
        [authentication.kerberos]
        keytab = "{center.keytab}"
        [authentication.proxy_users]
        superset = ["ann"]
        """
    settings = settings_beside(gate, data, more, center.folder / "gate.toml")
    with Gate("--config", settings, KRB5_CONFIG=str(center.settings)) as running:
        yield running


@pytest.fixture(scope="module", params=jdbc.DRIVERS)
def java(request: pytest.FixtureRequest, center: Center) -> Iterator[clients.JavaMachine]:
    """A JVM for each of the drivers; its Kerberos identity applies to the whole process."""
    with jdbc.machine(jdbc.DRIVERS[request.param], *jdbc.HADOOP) as machine:
        jvm = machine.jvm
        jvm.java.lang.System.setProperty("java.security.krb5.conf", str(center.settings))
        hadoop = jvm.org.apache.hadoop.conf.Configuration()
        hadoop.set("hadoop.security.authentication", "kerberos")
        jvm.org.apache.hadoop.security.UserGroupInformation.setConfiguration(hadoop)
        yield machine


def log_in(java: clients.JavaMachine, center: Center, user: str) -> None:
    who = java.jvm.org.apache.hadoop.security.UserGroupInformation
    who.loginUserFromKeytab(f"{user}@{REALM}", str(center.folder / f"{user}.keytab"))


WAYS = {"SASL": "", "HTTP": ";transportMode=http;httpPath=cliservice"}


def url(gate: Gate, way: str, principal: str = SERVICE) -> str:
    return f"jdbc:hive2://localhost:{gate.port}/demo;principal={principal}{WAYS[way]}"


@pytest.mark.parametrize("way", WAYS)
def test_hive_jdbc_with_a_ticket(guarded: Gate, java: Any, center: Center, way: str) -> None:
    log_in(java, center, "ann")
    with closing(java.connect(url(guarded, way))) as connection:
        assert connection.rows("SELECT count(*), current_user() FROM sales") == [(str(DEMO_ROWS), "ann")]
    log_in(java, center, "superset")
    with closing(java.connect(url(guarded, way) + ";hive.server2.proxy.user=ann")) as connection:
        assert connection.rows("SELECT current_user()") == [("ann",)]
    with pytest.raises(clients.SqlException, match="superset may not act for root"):
        java.connect(url(guarded, way) + ";hive.server2.proxy.user=root")


@pytest.mark.parametrize("way", WAYS)
def test_without_a_ticket_for_us_nobody_gets_in(guarded: Gate, java: Any, center: Center, way: str) -> None:
    log_in(java, center, "ann")
    with pytest.raises(clients.SqlException):
        java.connect(url(guarded, way, f"hive/other@{REALM}"))
    with pytest.raises(clients.SqlException, match=r"log in with a Kerberos ticket|401"):
        java.connect(url(guarded, way).replace(f";principal={SERVICE}", ""))
