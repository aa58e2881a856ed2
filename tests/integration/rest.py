"""A REST catalog for a test: the servlet of Iceberg's own tests, over a catalog in SQLite, on loopback."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from proxy import jars
from proxy.jars import SQLITE, Jar
from tests.integration import clients

_ICEBERG, _JETTY = (
    "1.11.0",
    "12.1.8",
)  # the last Iceberg whose tests are published, and the Jetty that it was built with
SERVER = (
    Jar(
        "org.apache.iceberg",
        "iceberg-core",
        _ICEBERG,
        "4284719a5f0eb7db01e9f784a0ed4ca8bacf7d6f9951924143afc083428d8be3",
        "tests",
    ),
    *(
        Jar("org.apache.iceberg", f"iceberg-{name}", _ICEBERG, sha256)
        for name, sha256 in {
            "core": "53b9eb7a8c34fb9958ea7d9a4d19ba5bc96f592d0f05e8625b0778c70b1f0090",
            "api": "f00675a12ceb6d833bb9c22024823a3e7afdedf7abcefe34719f45b0d211995a",
            "common": "b2835d00db7c92bdfa728123ad7cdcb488e2f2805c1c51fb9ae94e8bd203bd7d",
            "bundled-guava": "396d48d93ef5735f2ddef0cf9b3d6968ebd67b64b5cfe753d41c429d3f46a2a1",
        }.items()
    ),
    *(
        Jar("org.eclipse.jetty", f"jetty-{name}", _JETTY, sha256)
        for name, sha256 in {
            "http": "32c351984fd74e7db9b3120f7aa43c034a9d7fe290386747ff318f4c4221d94b",
            "io": "c45a68ceed3526f5ca0974768caa61f6683c3d5591a819fbcf3c0480a64ab245",
            "security": "44add9ee95b955d96979cc74e32ec751ea807ebc0f5139eb13adcfc23712c58f",
            "server": "71b8862a72305aebb65909b8b9f3c9a0c790ef3245c6056e56b48117aec238fe",
            "session": "ebe84dd41942d7adda5f7d1304095d274e7915999451d848e887cbd409f947ea",
            "util": "00432715f20c3ddc8d4fe3b01974253a7772f1830f7712da71af30348b01c822",
        }.items()
    ),
    *(
        Jar("org.eclipse.jetty.compression", f"jetty-compression-{name}", _JETTY, sha256)
        for name, sha256 in {
            "common": "46f12d348115f310130c7df6e736017c6e7dc032f19b96a0dc2658f56ec43bf1",
            "gzip": "482455c2e4b243913354dfd52cf2a68becfb9a7479c1deb385019f97925f0ae0",
            "server": "fab794df5609bbe97e7ff04d8d5ff3446048dc7af7ca64ce52bbe19d31c420a5",
        }.items()
    ),
    Jar(
        "org.eclipse.jetty.ee10",
        "jetty-ee10-servlet",
        _JETTY,
        "c6251faae241b2b6879ce8fb9177366ca4793ff9356f60793b8d10a1f1fef404",
    ),
    Jar(
        "jakarta.servlet",
        "jakarta.servlet-api",
        "6.0.0",
        "c034eb1afb158987dbb53a5fea0cadf611c8dae8daadd59c44d9d5ab70129cef",
    ),
    Jar(
        "org.apache.httpcomponents.client5",
        "httpclient5",
        "5.6.1",
        "1e3d8444c3c27772e4b9d42a790f06b3345a8ece4fd16d00981f2f2460e1e772",
    ),
    Jar(
        "org.apache.httpcomponents.core5",
        "httpcore5",
        "5.4",
        "cec2981fa7f520efb63f0787c24f10af2679e31f9f75c448c4dde40a3ae8100d",
    ),
    Jar(
        "com.github.ben-manes.caffeine",
        "caffeine",
        "2.9.3",
        "1e0a7bbef1dd791653143f3f05d0e489934bf5481e58a87c9e619cd46b68729b",
    ),
)


# Spark's properties of the catalog, beside its uri.
SPARK_CATALOG = {"type": "rest", "io-impl": "org.apache.iceberg.hadoop.HadoopFileIO"}


class RestCatalog(NamedTuple):
    """The port of the server, and the database behind it."""

    uri: str
    database: str


@contextmanager
def rest_catalog(name: str, folder: Path, port: int) -> Iterator[RestCatalog]:
    """Yield a running server at a port; its catalog has this name in the database, and its files in the folder.

    It compresses its replies if the client accepts that, as the server of Iceberg's tests does.
    """
    database = folder / "rest.db"
    # Behind the server's own libraries: Spark has an older servlet API.
    class_path = [*map(str, jars.ensure((*SERVER, SQLITE))), str(clients.LIBRARIES / "*")]
    machine = clients.JavaMachine(os.pathsep.join(class_path))
    try:
        iceberg, jetty = machine.jvm.org.apache.iceberg, machine.jvm.org.eclipse.jetty
        properties = {
            "uri": f"jdbc:sqlite:{database}?journal_mode=WAL&busy_timeout=30000",
            "warehouse": str(folder / "warehouse"),
            "jdbc.schema-version": "V1",
        }
        configuration = machine.jvm.org.apache.hadoop.conf.Configuration()
        catalog = iceberg.CatalogUtil.loadCatalog(
            "org.apache.iceberg.jdbc.JdbcCatalog", name, properties, configuration
        )
        servlet = iceberg.rest.RESTCatalogServlet(iceberg.rest.RESTCatalogAdapter(catalog))
        handler = jetty.ee10.servlet.ServletContextHandler()
        handler.addServlet(jetty.ee10.servlet.ServletHolder(servlet), "/*")
        compression = jetty.compression.server.CompressionHandler()
        compression.putCompression(jetty.compression.gzip.GzipCompression())
        handler.insertHandler(compression)
        server = jetty.server.Server(machine.jvm.java.net.InetSocketAddress("127.0.0.1", port))
        server.setHandler(handler)
        server.start()
        yield RestCatalog(f"http://127.0.0.1:{port}", f"sqlite:///{database}")
        server.stop()
    finally:
        machine.stop()
