"""Logins by tickets that a real Key Distribution Center of MIT Kerberos gives out, as Hive JDBC uses them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

import pytest

from tests.clients import jdbc
from tests.integration import clients, debian
from tests.integration.daemon import Daemon, free_ports
from tests.integration.gate import Gate, settings_beside

REALM = "EXAMPLE.ORG"
SERVICE = f"hive/localhost@{REALM}"
# Where `$` stands before a name, the fixture knows it.
CLIENTS_SETTINGS = """
[libdefaults]
  default_realm = EXAMPLE.ORG
  dns_lookup_kdc = false
  dns_canonicalize_hostname = false
  udp_preference_limit = 1
[realms]
  EXAMPLE.ORG = {
    kdc = 127.0.0.1:$port
  }
"""
SETTINGS = """
[kdcdefaults]
  kdc_listen = 127.0.0.1:$port
  kdc_tcp_listen = 127.0.0.1:$port
[realms]
  EXAMPLE.ORG = {
    database_module = here
    key_stash_file = $folder/stash
    max_life = 1h
  }
[dbmodules]
  db_module_dir = $plugins
  here = {
    db_library = db2
    database_name = $folder/principals
  }
"""


@dataclass(frozen=True)
class Center:
    """A realm with `ann`, `superset` and our service; where its files are."""

    folder: Path

    @property
    def settings(self) -> Path:
        return self.folder / "krb5.conf"

    @property
    def keytab(self) -> Path:
        return self.folder / "viewgate.keytab"


@pytest.fixture(scope="module")
def center(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Center]:
    packages = debian.packages(["krb5kdc", "kadmin.local"], ["krb5-kdc", "krb5-admin-server"])
    folder = tmp_path_factory.mktemp("kdc")
    (port,) = free_ports(1)
    known = {"port": port, "folder": folder, "plugins": packages.libraries("krb5/plugins/kdb")}
    for name, text in (("krb5.conf", CLIENTS_SETTINGS), ("kdc.conf", SETTINGS)):
        (folder / name).write_text(Template(text).substitute(known))
    settings = {"KRB5_CONFIG": str(folder / "krb5.conf"), "KRB5_KDC_PROFILE": str(folder / "kdc.conf")}
    packages.run("kdb5_util", "create", "-s", "-P", "master", **settings)
    for name, keytab in ((SERVICE, "viewgate"), ("ann", "ann"), ("superset", "superset"), ("hive/other", "other")):
        packages.run("kadmin.local", "addprinc", "-randkey", name, **settings)
        packages.run("kadmin.local", "ktadd", "-k", f"{folder / keytab}.keytab", name, **settings)
    with Daemon([packages.path("krb5kdc"), "-n"], {**packages.environment, **settings}) as server:
        server.listening(port)
        yield Center(folder)


@pytest.fixture(scope="module")
def guarded(gate: Gate, data: Path, center: Center) -> Iterator[Gate]:
    """A second Viewgate before the same Spark, which lets in who has a ticket."""
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
    """A JVM of its own with each of the drivers: who it is by Kerberos is a matter of the whole of it."""
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
        assert connection.rows("SELECT count(*), current_user() FROM sales") == [("1000000", "ann")]
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
    with pytest.raises(clients.SqlException, match=r"only tickets of Kerberos|401"):
        java.connect(url(guarded, way).replace(f";principal={SERVICE}", ""))
