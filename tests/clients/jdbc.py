"""Runs the script with Hive JDBC drivers: Spark's, and those of Hive 3.1 and 4 from Maven Central."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from proxy import jars
from proxy.jars import Jar
from tests.clients.script import STATEMENTS
from tests.integration import clients

HIVE_3 = Jar(
    "org.apache.hive",
    "hive-jdbc",
    "3.1.3",
    "2f99f0912136d2d3ee72b26c5fa628c1edf3aac24908da21d3f5a92926074ec0",
    classifier="standalone",
)
HIVE_4 = Jar(
    "org.apache.hive",
    "hive-jdbc",
    "4.0.1",
    "5d74bb0130aae6a8a2fad9cf5ffa1608974a55f1013464334490f7e06311959e",
    classifier="standalone",
)
DRIVERS: dict[str, Jar | None] = {"Hive JDBC 2.3": None, "Hive JDBC 3.1": HIVE_3, "Hive JDBC 4.0": HIVE_4}

# What java.sql.DatabaseMetaData is asked.
CALLS: dict[str, Callable[[Any], Any]] = {
    "getCatalogs": lambda about: about.getCatalogs(),
    "getSchemas": lambda about: about.getSchemas(),
    "getTables": lambda about: about.getTables(None, "demo", "%", None),
    "getTableTypes": lambda about: about.getTableTypes(),
    "getColumns": lambda about: about.getColumns(None, "demo", "sales", "%"),
    "getTypeInfo": lambda about: about.getTypeInfo(),
    "getFunctions": lambda about: about.getFunctions(None, None, "ab_"),
    "getPrimaryKeys": lambda about: about.getPrimaryKeys(None, "default", "t"),
    "getCrossReference": lambda about: about.getCrossReference(None, "default", "t", None, "default", "t"),
    "getImportedKeys": lambda about: about.getImportedKeys(None, "default", "t"),
    "getProcedures": lambda about: about.getProcedures(None, None, "%"),
}
FACTS = ("getDatabaseProductName", "getDatabaseProductVersion", "getIdentifierQuoteString", "getSearchStringEscape")


def _asked(connection: Any, ask: Callable[[Any], Any], about: Any) -> Any:
    return _listing(connection, ask(about))


# Of Spark's own, what the others need for Kerberos.
HADOOP = ("hadoop-client-api-*.jar", "hadoop-client-runtime-*.jar", "jcl-over-slf4j-*.jar", "slf4j-api-*.jar")


@contextmanager
def machine(driver: Jar | None, *more: str) -> Iterator[clients.JavaMachine]:
    """Return a JVM with a driver and some of Spark's jars; without a driver, with all of Spark's jars."""
    if driver is None:
        java = clients.JavaMachine()
    else:
        own = [next(clients.LIBRARIES.glob(pattern)) for pattern in ("py4j-*.jar", *more)]
        java = clients.JavaMachine(":".join(map(str, (*own, *jars.ensure((driver,))))))
    try:
        yield java
    finally:
        java.stop()


def answers(java: clients.JavaMachine, port: int) -> dict[str, Any]:
    """Return the answers to the whole script on one connection."""
    connection = java.connect(f"jdbc:hive2://127.0.0.1:{port}/")
    try:
        found = {sql: _statement(connection, sql) for sql in STATEMENTS}
        about = connection.java.getMetaData()
        found |= {name: _said(partial(_asked, connection, ask, about)) for name, ask in CALLS.items()}
        found |= {name: getattr(about, name)() for name in FACTS}
        found["isValid"] = connection.java.isValid(10)
        found["getSchema"] = connection.java.getSchema()
        return found
    finally:
        connection.close()


def _statement(connection: clients.Jdbc, sql: str) -> Any:
    def run() -> Any:
        statement = connection.java.createStatement()
        try:
            return _listing(connection, statement.getResultSet()) if statement.execute(sql) else "no rows to read"
        finally:
            statement.close()

    return _said(run)


def _listing(connection: clients.Jdbc, results: Any) -> Any:
    about = results.getMetaData()
    columns = [
        (about.getColumnLabel(at), about.getColumnTypeName(at), about.getPrecision(at), about.getScale(at))
        for at in range(1, about.getColumnCount() + 1)
    ]
    return columns, connection.read(results)


def _said(run: Callable[[], Any]) -> Any:
    """Return the answer, or the exception as a program sees it."""
    try:
        with clients.sql_exceptions():
            return run()
    except clients.SqlException as error:
        return error.state, error.code, error.message.split("\n")[0]
