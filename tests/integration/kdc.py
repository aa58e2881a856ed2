"""A real Key Distribution Center of MIT Kerberos, with a realm for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import Template

from tests.integration import debian
from tests.integration.daemon import Daemon, free_ports

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
    """A realm with our service, and the paths of its files."""

    folder: Path

    @property
    def settings(self) -> Path:
        return self.folder / "krb5.conf"

    @property
    def keytab(self) -> Path:
        return self.folder / "viewgate.keytab"


@contextmanager
def center(folder: Path, *names: str) -> Iterator[Center]:
    """Start a center that knows these principals besides our service; the keys of each are in a file of their own."""
    packages = debian.packages(["krb5kdc", "kadmin.local"], ["krb5-kdc", "krb5-admin-server"])
    (port,) = free_ports(1)
    known = {"port": port, "folder": folder, "plugins": packages.libraries("krb5/plugins/kdb")}
    for name, text in (("krb5.conf", CLIENTS_SETTINGS), ("kdc.conf", SETTINGS)):
        (folder / name).write_text(Template(text).substitute(known))
    settings = {"KRB5_CONFIG": str(folder / "krb5.conf"), "KRB5_KDC_PROFILE": str(folder / "kdc.conf")}
    packages.run("kdb5_util", "create", "-s", "-P", "master", **settings)
    for name, keytab in ((SERVICE, "viewgate"), *((name, name.rpartition("/")[2]) for name in names)):
        packages.run("kadmin.local", "addprinc", "-randkey", name, **settings)
        packages.run("kadmin.local", "ktadd", "-k", f"{folder / keytab}.keytab", name, **settings)
    with Daemon([packages.path("krb5kdc"), "-n"], {**packages.environment, **settings}) as server:
        server.listening(port)
        yield Center(folder)
