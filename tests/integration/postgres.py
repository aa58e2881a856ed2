"""A PostgreSQL server for a test, from Debian's package, on loopback and without passwords."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine

from tests.integration import debian
from tests.integration.daemon import Daemon, free_ports

USER = DATABASE = "iceberg"


@contextmanager
def postgres() -> Iterator[int]:
    """Yield the port of a running server that has the database `iceberg` of the user `iceberg`."""
    programs = debian.packages(("initdb", "postgres"), ("postgresql",))
    folder, (port,) = Path(tempfile.mkdtemp(prefix="postgres-")), free_ports(1)
    # It refuses to be run by root.
    as_another = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.geteuid() == 0 else []
    if as_another:
        shutil.chown(folder, "nobody", "nogroup")
    unsafe = ["fsync", "synchronous_commit", "full_page_writes"]  # nobody reads it after a crash
    settings = [f"-c{key}={value}" for key, value in (("listen_addresses", "127.0.0.1"), ("port", port))]
    settings += ["-cunix_socket_directories=", *(f"-c{key}=off" for key in unsafe)]
    server: list[str | Path] = [*as_another, programs.path("postgres"), "-D", folder, *settings]
    make: list[str | Path] = [
        *as_another,
        programs.path("initdb"),
        "-D",
        folder,
        "-U",
        USER,
        "--auth=trust",
        "--no-sync",
        "-EUTF8",
    ]
    try:
        with Daemon(make, programs.environment, cwd=folder) as making:
            assert making.ended() == 0, making.output
        with Daemon(server, programs.environment, cwd=folder) as running:
            running.until("ready to accept connections")
            engine = create_engine(f"postgresql+psycopg2://{USER}@127.0.0.1:{port}/postgres")
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql(f"CREATE DATABASE {DATABASE}")
            engine.dispose()
            try:
                yield port
            finally:
                running.stop(signal.SIGINT)  # without waiting for clients to leave
    finally:
        shutil.rmtree(folder)
