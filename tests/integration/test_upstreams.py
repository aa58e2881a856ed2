"""Real Spark Thrift Servers as companies run them: behind TLS, over HTTP, without SASL, and with Kerberos."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trustme
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509 import load_pem_x509_certificate

from proxy import doctor, links
from proxy.config import UpstreamAddress, UpstreamKerberos, UpstreamTls
from proxy.embedded import EmbeddedSpark
from proxy.hs2 import SqlError, encode_call
from proxy.hs2.generated import ttypes
from proxy.upstream import Timeouts, Upstreams
from tests.integration import kdc
from tests.integration.daemon import free_ports

pytestmark = pytest.mark.aside
OPEN = encode_call("OpenSession", 0, ttypes.TOpenSessionReq(client_protocol=10, configuration={}))
Run = Callable[[Coroutine[Any, Any, str]], str]
STORE_PASSWORD = "changeit"


@dataclass
class Sparks:
    """One Spark with several Thrift Servers in its JVM, each with other settings."""

    spark: EmbeddedSpark
    folder: Path
    center: kdc.Center

    def listening(self, **settings: str) -> int:
        """Start another server, and return its port."""
        session = self.spark.session
        hadoop = session._jsc.hadoopConfiguration()
        for key, value in settings.items():
            hadoop.set(key.replace("_", "."), value)
        # Otherwise it would have the settings of the one that this thread started before.
        session._jvm.org.apache.hadoop.hive.ql.session.SessionState.detachSession()
        server = session._jvm.org.apache.spark.sql.hive.thriftserver.HiveThriftServer2
        services = server.startWithContext(session._jsparkSession.sqlContext()).getServices()
        for key in settings:
            hadoop.unset(key.replace("_", "."))
        return next(int(service.getPortNumber()) for service in services if "Thrift" in service.getName())

    def secured(self) -> None:
        """Make all servers started from now on require tickets."""
        jvm = self.spark.session._jvm
        hadoop = jvm.org.apache.hadoop.conf.Configuration()
        hadoop.set("hadoop.security.authentication", "kerberos")
        jvm.org.apache.hadoop.security.UserGroupInformation.setConfiguration(hadoop)

    def with_tickets(self, **settings: str) -> int:
        return self.listening(
            hive_server2_authentication="KERBEROS",
            hive_server2_authentication_kerberos_principal=kdc.SERVICE,
            hive_server2_authentication_kerberos_keytab=str(self.center.keytab),
            hive_server2_enable_doAs="false",
            hadoop_proxyuser_gate_hosts="*",
            hadoop_proxyuser_gate_users="ann",
            **settings,
        )


@pytest.fixture(scope="module")
def sparks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sparks]:
    folder = tmp_path_factory.mktemp("sparks")
    with pytest.MonkeyPatch.context() as environment, kdc.center(folder, "gate", "stranger") as center:
        options = f"{os.environ.get('SPARK_SUBMIT_OPTS', '')} -Djava.security.krb5.conf={center.settings}"
        environment.setenv("SPARK_SUBMIT_OPTS", options)
        environment.setenv("KRB5_CONFIG", str(center.settings))
        spark = EmbeddedSpark.start(folder / "data", {"spark.driver.memory": "1g"})
        try:
            yield Sparks(spark, folder, center)
        finally:
            spark.stop()


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Run coroutines on one event loop, which gives TLS connections the time to close properly."""
    with asyncio.Runner() as runner:
        yield runner.run


async def whoever(address: UpstreamAddress, user: str | None = "ann") -> str:
    """Run statements in a session of a user, and return the user that Spark sees."""
    upstreams = Upstreams([links.upstream(address)], Timeouts(close=0.1))  # the first close of all takes seconds
    try:
        session, _ = await upstreams.open(user, OPEN)
        ((rows, who),) = (await session.query("SELECT count(*), current_user() FROM range(20000)")).rows
        assert rows == 20000
        with pytest.raises(SqlError, match="TABLE_OR_VIEW_NOT_FOUND"):
            await session.query("SELECT * FROM nowhere")
        await session.close()
        return str(who)
    finally:
        upstreams.close()


async def refused(address: UpstreamAddress, user: str | None = "ann") -> str:
    with pytest.raises(SqlError) as raised:
        await whoever(address, user)
    return raised.value.message


def store(authority: trustme.CA, folder: Path) -> Path:
    """Write a key and its certificate for localhost in Java's format."""
    issued = authority.issue_cert("localhost")
    key = serialization.load_pem_private_key(issued.private_key_pem.bytes(), None)
    certificate = load_pem_x509_certificate(issued.cert_chain_pems[0].bytes())
    secret = serialization.BestAvailableEncryption(STORE_PASSWORD.encode())
    made: Any = pkcs12.serialize_key_and_certificates(b"server", key, certificate, None, secret)  # type: ignore[arg-type]
    (folder / "server.p12").write_bytes(made)
    authority.cert_pem.write_to_path(folder / "ca.pem")
    return folder / "server.p12"


def test_tls(sparks: Sparks, run: Run) -> None:
    port = sparks.listening(
        hive_server2_use_SSL="true",
        hive_server2_keystore_path=str(store(trustme.CA(), sparks.folder)),
        hive_server2_keystore_password=STORE_PASSWORD,
    )
    trusted = UpstreamTls(ca=sparks.folder / "ca.pem")
    assert run(whoever(UpstreamAddress(host="localhost", port=port, tls=trusted))) == "ann"
    said = run(refused(UpstreamAddress(host="127.0.0.1", port=port, tls=trusted)))
    assert "the server's certificate is not trusted: " in said
    assert "Set `server_name` of [upstream.tls]" in said
    assert "give [upstream.tls]" in run(refused(UpstreamAddress(host="localhost", port=port)))


def test_http(sparks: Sparks, run: Run) -> None:
    (port,) = free_ports(1)
    sparks.listening(hive_server2_transport_mode="http", hive_server2_thrift_http_port=str(port))
    over_http = UpstreamAddress(host="127.0.0.1", port=port, transport="http")
    assert run(whoever(over_http)) == "ann"
    elsewhere = over_http.model_copy(update={"path": "nowhere"})
    assert "check `path` of its [[upstream]]" in run(refused(elsewhere))
    acting = over_http.model_copy(update={"user": "gate", "impersonate": True})
    assert run(whoever(acting)) == "ann"


def test_nosasl(sparks: Sparks, run: Run) -> None:
    port = sparks.listening(hive_server2_authentication="NOSASL")
    assert run(whoever(UpstreamAddress(host="127.0.0.1", port=port, transport="nosasl"))) == "ann"


def test_kerberos(sparks: Sparks, run: Run) -> None:
    sparks.secured()
    port = sparks.with_tickets()
    ours = UpstreamKerberos(principal="hive/_HOST@EXAMPLE.ORG", keytab=sparks.center.folder / "gate.keytab")
    address = UpstreamAddress(host="localhost", port=port, kerberos=ours)
    assert run(whoever(address)) == "ann"
    assert run(whoever(address, None)) == "gate"
    assert run(refused(address, "root")) == "Failed to validate proxy privilege of gate for root"
    nobody = ours.model_copy(update={"principal": "hive/nobody"})
    said = run(refused(address.model_copy(update={"kerberos": nobody})))
    assert "Kerberos login to hive/nobody failed: " in said
    assert "correct `principal`" in said
    assert "refuses the login" in run(refused(UpstreamAddress(host="localhost", port=port)))
    assert run(doctor._upstream(address)).startswith("opens sessions")


def test_kerberos_over_http(sparks: Sparks, run: Run) -> None:
    sparks.secured()
    (port,) = free_ports(1)
    sparks.with_tickets(hive_server2_transport_mode="http", hive_server2_thrift_http_port=str(port))
    ours = UpstreamKerberos(principal=kdc.SERVICE, keytab=sparks.center.folder / "gate.keytab", client="gate")
    address = UpstreamAddress(host="localhost", port=port, transport="http", kerberos=ours)
    assert run(whoever(address)) == "ann"
