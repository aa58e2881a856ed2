"""The clients that people use: beeline, the Hive JDBC driver and PyHive, each against any port."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
from py4j.protocol import Py4JJavaError
from pyhive import hive

from proxy import jars, preflight

LIBRARIES = jars.spark_jars()
# How a Java that ends soon runs best on two cores: compiled at once rather than well, without a collector's threads.
# Its room for compiled code would be 48 MB instead of 240: Spark fills that, and then looks for what to compile again.
# Without the check that the byte code of each class is valid, the start of a Spark and its first statements take 14 %
# less.
SHORT_LIVED = (
    "-XX:TieredStopAtLevel=1",
    "-XX:ReservedCodeCacheSize=240m",
    "-XX:+UseSerialGC",
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:-BytecodeVerificationRemote",
)
PROMPT = re.compile(r"^(0: jdbc:hive2://\S+> |(\. )+> )+")


@dataclass(frozen=True)
class Spoken:
    """The output of a command-line client."""

    code: int
    output: str
    errors: str

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The rows of tsv2 output, without beeline's prompts, which it prints even to a pipe."""
        lines = (PROMPT.sub("", line) for line in self.output.splitlines())
        return [tuple(line.split("\t")) for line in lines if line]


def beeline(port: int, *statements: str, options: Sequence[str] = (), user: str = "ann") -> Spoken:
    """Run statements with the real beeline, which prints rows as tab-separated values without a header."""
    command = [
        *(str(preflight.java()), *SHORT_LIVED, "-cp", str(LIBRARIES / "*")),
        "org.apache.hive.beeline.BeeLine",
        *("--silent=true", "--outputformat=tsv2", "--showHeader=false", *options),
        *("-u", f"jdbc:hive2://127.0.0.1:{port}/", "-n", user, "-p", "secret"),
    ]
    for statement in statements:
        command += ["-e", statement]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return Spoken(answer.returncode, answer.stdout, answer.stderr)


@contextmanager
def pyhive(port: int, user: str = "ann", **options: Any) -> Iterator[hive.Connection]:
    """A PyHive connection."""
    connection = hive.connect("127.0.0.1", port, username=user, **options)
    try:
        yield connection
    finally:
        connection.close()


def rows(connection: hive.Connection, sql: str) -> list[tuple[Any, ...]]:
    """Run one statement and return its rows, or none."""
    cursor = connection.cursor()
    try:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []
    finally:
        cursor.close()


class SqlException(Exception):
    """An exception of the JDBC driver."""

    def __init__(self, message: str, state: str | None, code: int) -> None:
        super().__init__(message)
        self.message, self.state, self.code = message, state, code


# A loop in Java, compiled by the compiler in Spark's libraries: calls from Python are too slow for a million rows.
COUNT = """
java.sql.ResultSetMetaData columns = rows.getMetaData();
int width = columns.getColumnCount();
long count = 0;
while (rows.next()) {
    for (int column = 1; column <= width; column++) rows.getObject(column);
    count++;
}
return Long.valueOf(count);
"""


class JavaMachine:
    """A JVM with a Hive JDBC driver, by default Spark's, driven from Python; `jvm` gives access to its classes."""

    def __init__(self, class_path: str = str(LIBRARIES / "*"), options: Sequence[str] = ()) -> None:
        jar = next(LIBRARIES.glob("py4j-*.jar"))
        port, token = launch_gateway(
            jarpath=str(jar),
            classpath=class_path,
            java_path=str(preflight.java()),
            javaopts=["-Xmx1g", *SHORT_LIVED, *options],
            die_on_exit=True,
            enable_auth=True,
        )[:2]
        self.gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token, auto_convert=True))
        self.jvm = self.gateway.jvm

    def connect(self, url: str, user: str = "ann", password: str = "secret") -> Jdbc:
        with sql_exceptions():
            return Jdbc(self, self.jvm.java.sql.DriverManager.getConnection(url, user, password))

    @cached_property
    def _counting(self) -> Any:
        """Return a compiled loop that reads a ResultSet to its end and counts its rows."""
        evaluator = self.jvm.org.codehaus.janino.ScriptEvaluator()
        java_class = self.jvm.java.lang.Class
        types = self._array(java_class, java_class.forName("java.sql.ResultSet"))
        evaluator.setParameters(self._array(self.jvm.java.lang.String, "rows"), types)
        evaluator.setReturnType(java_class.forName("java.lang.Long"))
        evaluator.setThrownExceptions(self._array(java_class, java_class.forName("java.lang.Exception")))
        evaluator.cook(COUNT)
        return evaluator

    def _array(self, of: Any, element: Any) -> Any:
        array = self.gateway.new_array(of, 1)
        array[0] = element
        return array

    def count(self, results: Any) -> int:
        """Read a java.sql.ResultSet to its end, and return its number of rows."""
        return int(self._counting.evaluate(self._array(self.jvm.java.lang.Object, results)))

    def stop(self) -> None:
        self.gateway.shutdown()


class Jdbc:
    """A JDBC connection; `java` is the java.sql.Connection itself."""

    def __init__(self, machine: JavaMachine, java: Any) -> None:
        self.machine, self.java = machine, java

    def rows(self, sql: str, fetch_size: int = 1000) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows as strings and None, as getString returns them."""
        with sql_exceptions():
            statement = self.java.createStatement()
            try:
                statement.setFetchSize(fetch_size)
                return self.read(statement.getResultSet()) if statement.execute(sql) else []
            finally:
                statement.close()

    def read(self, results: Any) -> list[tuple[Any, ...]]:
        """Return the remaining rows of a java.sql.ResultSet."""
        width = results.getMetaData().getColumnCount()
        found = []
        while results.next():
            found.append(tuple(results.getString(column + 1) for column in range(width)))
        return found

    def columns(self, sql: str) -> list[tuple[str, str]]:
        """Return the names and types of a query's columns, as the driver reports them."""
        with sql_exceptions():
            statement = self.java.createStatement()
            try:
                columns = statement.executeQuery(sql).getMetaData()
                return [
                    (columns.getColumnLabel(i + 1), columns.getColumnTypeName(i + 1))
                    for i in range(columns.getColumnCount())
                ]
            finally:
                statement.close()

    def count(self, sql: str, fetch_size: int = 10000) -> int:
        """Read a query's rows to the end, in Java, and return their number."""
        with sql_exceptions():
            statement = self.java.createStatement()
            try:
                statement.setFetchSize(fetch_size)
                return self.machine.count(statement.executeQuery(sql))
            finally:
                statement.close()

    def close(self) -> None:
        self.java.close()


@contextmanager
def sql_exceptions() -> Iterator[None]:
    """Raise exceptions of the driver as SqlException."""
    try:
        yield
    except Py4JJavaError as error:
        java = error.java_exception
        if not re.search(r"SQL\w*Exception", java.getClass().getName()):
            raise
        raise SqlException(java.getMessage(), java.getSQLState(), java.getErrorCode()) from None
