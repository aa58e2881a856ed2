"""Real clients in every transport on one port: open to all, and behind TLS, passwords and tokens."""

from __future__ import annotations

import gc
import subprocess
import time
import warnings
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import jwt
import pytest
import trustme
from impala import dbapi as impyla
from pyhive import hive

from proxy import preflight
from proxy.authentication import PasswordFile
from tests.integration import clients
from tests.integration.gate import DEMO_ROWS, Gate, settings_beside

pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning", "ignore:Exception ignored in. <s")
SECRET = "k" * 40
JDBC = {
    "SASL": "",
    "SASL over TLS": "{tls}",
    "NOSASL": ";auth=noSasl",
    "HTTP": ";transportMode=http;httpPath=cliservice",
    "HTTP over TLS": ";transportMode=http;httpPath=cliservice{tls}",
}
STORE_PASSWORD = "changeit"


def answers(cursor: Any) -> None:
    """Run statements that need every kind of call, and check their answers."""
    cursor.execute("SELECT count(*) FROM demo.sales")
    assert cursor.fetchall() == [(DEMO_ROWS,)]
    cursor.execute("SELECT id, repeat('x', 100) FROM range(3000) ORDER BY id")
    assert [row[0] for row in cursor.fetchall()] == list(range(3000))
    with pytest.raises(Exception, match="TABLE_OR_VIEW_NOT_FOUND"):
        cursor.execute("SELECT 1 FROM demo.nope")
    cursor.execute("SELECT current_user()")
    assert cursor.fetchall() == [("ann",)]


@pytest.fixture(autouse=True)
def sockets_that_clients_forget() -> Iterator[None]:
    """PyHive and impyla leave some sockets to the garbage collector."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the certificate, its authority for each client, the passwords, and a key for tokens."""
    folder = tmp_path_factory.mktemp("entrance")
    authority = trustme.CA()
    issued = authority.issue_cert("localhost", "127.0.0.1")
    issued.private_key_pem.write_to_path(folder / "server.key")
    for certificate in issued.cert_chain_pems:
        certificate.write_to_path(folder / "server.pem", append=True)
    authority.cert_pem.write_to_path(folder / "ca.pem")
    keytool = preflight.java().with_name("keytool")
    subprocess.run(
        [
            *(keytool, "-importcert", "-noprompt", "-alias", "ca", "-file", folder / "ca.pem"),
            *("-keystore", folder / "trust.p12", "-storetype", "PKCS12", "-storepass", STORE_PASSWORD),
        ],
        check=True,
        capture_output=True,
    )
    (folder / "passwords").write_text(PasswordFile.line("ann", "right") + "\n" + PasswordFile.line("bi", "bi's") + "\n")
    (folder / "secret").write_text(SECRET)
    return folder


@pytest.fixture(scope="module")
def guarded(gate: Gate, data: Path, folder: Path) -> Iterator[Gate]:
    """A second Viewgate before the same Spark, which checks every login."""
    more = f"""
        [server.tls]
        certificate = "{folder}/server.pem"
        key = "{folder}/server.key"
        [authentication]
        passwords = "{folder}/passwords"
        [authentication.jwt]
        keys = "{folder}/secret"
        [authentication.proxy_users]
        bi = ["ann"]
        """
    with Gate("--config", settings_beside(gate, data, more, folder / "gate.toml")) as running:
        yield running


def url(gate: Gate, way: str, folder: Path) -> str:
    tls = f";ssl=true;sslTrustStore={folder}/trust.p12;trustStoreType=PKCS12;trustStorePassword={STORE_PASSWORD}"
    return f"jdbc:hive2://localhost:{gate.port}/demo" + JDBC[way].format(tls=tls)


@pytest.mark.parametrize("way", [way for way in JDBC if "TLS" not in way])
def test_jdbc_in_the_clear(gate: Gate, java: clients.JavaMachine, folder: Path, way: str) -> None:
    with closing(java.connect(url(gate, way, folder))) as connection:
        assert connection.rows("SELECT count(*), current_user() FROM sales") == [(str(DEMO_ROWS), "ann")]
        assert connection.count("SELECT id, repeat('x', 50) FROM range(20000)") == 20000


@pytest.mark.parametrize("way", JDBC)
def test_jdbc_where_passwords_are_checked(guarded: Gate, java: clients.JavaMachine, folder: Path, way: str) -> None:
    where = url(guarded, way, folder)
    with closing(java.connect(where, "ann", "right")) as connection:
        assert connection.rows("SELECT count(*), current_user() FROM sales") == [(str(DEMO_ROWS), "ann")]
        assert connection.count("SELECT id, repeat('x', 50) FROM range(20000)") == 20000
    with pytest.raises(clients.SqlException, match=r"Could not (open|establish)|Error validating the login|401"):
        java.connect(where, "ann", "wrong")
    acting = url(guarded, way, folder) + ";hive.server2.proxy.user="
    with closing(java.connect(acting + "ann", "bi", "bi's")) as connection:
        assert connection.rows("SELECT current_user()") == [("ann",)]
    with pytest.raises(clients.SqlException, match="bi may not act for root"):
        java.connect(acting + "root", "bi", "bi's")


@pytest.mark.parametrize("options", [{"scheme": "http"}, {"auth": "NOSASL"}, {"auth": "NONE"}])
def test_pyhive_in_the_clear(gate: Gate, options: dict[str, str]) -> None:
    with closing(hive.connect("127.0.0.1", gate.port, username="ann", **options)) as connection:
        answers(connection.cursor())


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_pyhive_with_a_password_over_http(guarded: Gate, scheme: str) -> None:
    options = {"scheme": scheme, "username": "ann", "auth": "BASIC"}
    with closing(hive.connect("localhost", guarded.port, password="right", **options)) as connection:
        answers(connection.cursor())
    with pytest.raises(Exception, match="Error validating the login"):
        hive.connect("localhost", guarded.port, password="wrong", **options)


def test_pyhive_with_a_password_over_sasl(guarded: Gate) -> None:
    options = {"username": "ann", "auth": "LDAP"}
    with closing(hive.connect("localhost", guarded.port, password="right", **options)) as connection:
        answers(connection.cursor())
    with pytest.raises(Exception, match="Error validating the login"):
        hive.connect("localhost", guarded.port, password="wrong", **options)


@pytest.mark.parametrize(
    "options",
    [
        {"auth_mechanism": "PLAIN"},
        {"auth_mechanism": "PLAIN", "use_http_transport": True, "http_path": "cliservice"},
        {"auth_mechanism": "NOSASL", "use_http_transport": True, "http_path": "cliservice/"},
        {"auth_mechanism": "NOSASL"},
    ],
)
def test_impyla_in_the_clear(gate: Gate, options: dict[str, Any]) -> None:
    connecting = impyla.connect("localhost", gate.port, user="ann", password="x", **options)
    with closing(connecting) as connection, closing(connection.cursor(user="ann")) as cursor:
        cursor.execute("SELECT count(*) FROM demo.sales")
        assert cursor.fetchall() == [(DEMO_ROWS,)]


@pytest.mark.parametrize("http", [True, False])
def test_impyla_over_tls(guarded: Gate, folder: Path, http: bool) -> None:
    options = {"use_ssl": True, "ca_cert": str(folder / "ca.pem"), "auth_mechanism": "PLAIN"}
    if http:
        options |= {"use_http_transport": True, "http_path": "cliservice"}
    with closing(impyla.connect("localhost", guarded.port, user="ann", password="right", **options)) as connection:
        answers(connection.cursor())
    with pytest.raises(Exception, match=r"401|Unauthorized|Error validating the login"):
        impyla.connect("localhost", guarded.port, user="ann", password="wrong", **options).cursor()


def test_impyla_with_a_token(guarded: Gate, folder: Path) -> None:
    options = {
        "use_ssl": True,
        "ca_cert": str(folder / "ca.pem"),
        "use_http_transport": True,
        "http_path": "cliservice",
    }
    token = jwt.encode({"sub": "ann", "exp": time.time() + 600}, SECRET, "HS256")
    with closing(impyla.connect("localhost", guarded.port, auth_mechanism="JWT", jwt=token, **options)) as connection:
        answers(connection.cursor())
    with pytest.raises(Exception, match=r"401|Unauthorized"):
        impyla.connect("localhost", guarded.port, auth_mechanism="JWT", jwt=token[:-3], **options).cursor()
