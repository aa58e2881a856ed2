"""Logins checked by a real directory, OpenLDAP's slapd: in clear text, over TLS and by StartTLS."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trustme
from pyhive import hive

from proxy.authentication import Authentication
from proxy.authentication.directory import Directory, DirectoryDown
from tests.integration import debian
from tests.integration.daemon import Daemon, free_ports
from tests.unit.support.proxied import Proxied, with_proxy

# The first is ldap3's, the second PyHive's, whose login has failed.
pytestmark = pytest.mark.filterwarnings(
    "ignore:ssl.match_hostname:DeprecationWarning",
    "ignore:unclosed <socket.socket:ResourceWarning",
    "ignore:Exception ignored in. <socket.socket",
)
BASE = "dc=example,dc=org"
PEOPLE = f"ou=people,{BASE}"
SETTINGS = """
modulepath {modules}
moduleload back_mdb
include {schemas}/core.schema
include {schemas}/cosine.schema
include {schemas}/inetorgperson.schema
pidfile {folder}/slapd.pid
TLSCACertificateFile {folder}/ca.pem
TLSCertificateFile {folder}/server.pem
TLSCertificateKeyFile {folder}/server.key
database mdb
suffix "dc=example,dc=org"
directory {folder}/data
access to attrs=userPassword by anonymous auth
access to * by dn.exact="cn=reader,dc=example,dc=org" read by anonymous auth
"""
ENTRIES = """
dn: dc=example,dc=org
objectClass: domain
dc: example

dn: ou=people,dc=example,dc=org
objectClass: organizationalUnit
ou: people

dn: cn=reader,dc=example,dc=org
objectClass: person
cn: reader
sn: reader
userPassword: reads

dn: uid=ann,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: ann
cn: Ann
sn: Ann
employeeType: bi
userPassword: right

dn: uid=bob\\2C ou=x,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: bob, ou=x
cn: Bob (the other)
sn: Bob
userPassword: right

dn: ou=elsewhere,dc=example,dc=org
objectClass: referral
objectClass: extensibleObject
ou: elsewhere
ref: ldap://{elsewhere}/ou=elsewhere,dc=example,dc=org
"""


@dataclass(frozen=True)
class Slapd:
    """The URL of a directory, and the certificate of its authority."""

    plain: str
    tls: str
    authority: str
    elsewhere: socket.socket  # to where it refers those who search

    def by_name(self, **more: Any) -> Directory:
        return Directory(**{"url": self.plain, "user_dn": f"uid={{user}},{PEOPLE}", "timeout": 5, **more})

    def by_search(self, **more: Any) -> Directory:
        reader = {"bind_dn": f"cn=reader,{BASE}", "bind_password": "reads"}
        return Directory(**{"url": self.plain, "base": BASE, "timeout": 5, **reader, **more})


@pytest.fixture(scope="module")
def slapd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slapd]:
    """Start a directory with two users."""
    packages, folder = debian.packages(["slapd"], ["slapd"]), tmp_path_factory.mktemp("slapd")
    (folder / "data").mkdir()
    authority = trustme.CA()
    issued = authority.issue_cert("localhost", "127.0.0.1")
    issued.private_key_pem.write_to_path(folder / "server.key")
    issued.cert_chain_pems[0].write_to_path(folder / "server.pem")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    settings, entries = folder / "slapd.conf", folder / "entries.ldif"
    schemas = packages.root / "etc/ldap/schema"
    settings.write_text(SETTINGS.format(modules=packages.libraries("ldap"), schemas=schemas, folder=folder))
    elsewhere = socket.create_server(("127.0.0.1", 0))
    elsewhere.setblocking(False)
    entries.write_text(ENTRIES.format(elsewhere=f"127.0.0.1:{elsewhere.getsockname()[1]}"))
    packages.run("slapd", "-T", "add", "-f", settings, "-l", entries)
    ports = free_ports(2)
    urls = f"ldap://127.0.0.1:{ports[0]}", f"ldaps://localhost:{ports[1]}"
    found = Slapd(*urls, str(folder / "ca.pem"), elsewhere)
    command: list[str | Path] = [
        packages.path("slapd"),
        "-d",
        "0",
        "-f",
        settings,
        "-h",
        f"{found.plain}/ {found.tls}/",
    ]
    with elsewhere, Daemon(command, packages.environment) as server:
        for port in ports:
            server.listening(port)
        yield found


@pytest.mark.parametrize("way", [Slapd.by_name, Slapd.by_search])
def test_a_user_is_who_knows_the_password(slapd: Slapd, way: Callable[..., Directory]) -> None:
    directory = way(slapd)
    assert directory.check("ann", "right")
    assert directory.check("bob, ou=x", "right")
    for user, password in [
        *(("ann", "wrong"), ("ann", ""), ("", "right"), ("", ""), ("nobody", "right"), ("*", "right")),
        *(("ann", "bell\a"), ("ann", "\u05d0a"), ("ann", "\u00ad")),  # which are no passwords to LDAP at all
        *(("ann)(uid=*", "right"), ("ann,ou=people", "right"), (f"ann,{PEOPLE}", "right"), ("ann\0", "right")),
    ]:
        assert not directory.check(user, password), (user, password)


def test_nobody_is_asked_whom_the_directory_refers_to(slapd: Slapd) -> None:
    """A referral is not followed, because the other directory would get our password."""
    assert not slapd.by_search(base=f"ou=elsewhere,{BASE}").check("ann", "right")
    with pytest.raises(BlockingIOError):
        slapd.elsewhere.accept()


def test_a_filter_says_who_may_come_in(slapd: Slapd) -> None:
    directory = slapd.by_search(filter="(&(uid={user})(employeeType=bi))")
    assert directory.check("ann", "right")
    assert not directory.check("bob, ou=x", "right")


def test_a_name_that_stands_for_two_is_nobodys(slapd: Slapd) -> None:
    directory = slapd.by_search(filter="(|(uid={user})(sn=Bob))")
    assert not directory.check("ann", "right")
    assert directory.check("nobody", "right")  # who is Bob by this filter


@pytest.mark.parametrize("way", [Slapd.by_name, Slapd.by_search])
@pytest.mark.parametrize("start_tls", [True, False])
def test_over_tls_its_certificate_must_be_right(
    slapd: Slapd, tmp_path: Path, way: Callable[..., Directory], start_tls: bool
) -> None:
    where = slapd.plain if start_tls else slapd.tls
    directory = way(slapd, url=where, start_tls=start_tls, ca_file=Path(slapd.authority))
    assert directory.check("ann", "right")
    assert not directory.check("ann", "wrong")
    trustme.CA().cert_pem.write_to_path(tmp_path / "other.pem")
    for authority in (str(tmp_path / "other.pem"), ""):
        with pytest.raises(DirectoryDown, match="the LDAP server"):
            way(slapd, url=where, start_tls=start_tls, ca_file=Path(authority)).check("ann", "right")


def test_a_directory_that_cannot_be_asked_is_no_wrong_password(slapd: Slapd) -> None:
    with pytest.raises(DirectoryDown, match="refuses bind_dn"):
        slapd.by_search(bind_password="wrong").check("ann", "right")
    (port,) = free_ports(1)
    with pytest.raises(DirectoryDown, match=f"127.0.0.1:{port} failed"):
        slapd.by_name(url=f"ldap://127.0.0.1:{port}").check("ann", "right")
    with socket.create_server(("127.0.0.1", 0)) as mute:
        directory = slapd.by_name(url=f"ldap://127.0.0.1:{mute.getsockname()[1]}", timeout=1)
        with pytest.raises(DirectoryDown):
            directory.check("ann", "right")


def test_a_client_logs_in_by_it(slapd: Slapd) -> None:
    async def test(proxied: Proxied) -> None:
        def connect(password: str) -> hive.Connection:
            return hive.connect("127.0.0.1", proxied.port, username="ann", auth="LDAP", password=password)

        with pytest.raises(Exception, match="Error validating the login"):
            await asyncio.to_thread(connect, "wrong")
        connection = await asyncio.to_thread(connect, "right")
        assert list(proxied.spark.sessions.values()) == ["ann"]
        await asyncio.to_thread(connection.close)

    with_proxy(test, authentication=Authentication(slapd.by_name()))
