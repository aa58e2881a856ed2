from time import process_time

import pytest

from proxy.hs2 import SqlError, check, failure, success
from proxy.hs2.status import own_words

PRINTED = """org.apache.hive.service.cli.HiveSQLException: Error running query: [X] no: table
`nope`
\tat org.apache.spark.Op.$anonfun$execute$1(Op.scala:270)
\tat java.base/java.lang.Thread.run(Thread.java:840)
\tat java.lang.Native.call(Native Method)
Caused by: org.apache.spark.sql.AnalysisException: [X] no
\tat org.apache.spark.A.fail(A.scala:91)
\t... 2 more
"""


def test_an_error_with_a_lone_surrogate_can_be_sent() -> None:
    error = SqlError("no such view: \ud800é", "42P01")
    assert (error.message, str(error)) == ("no such view: \\ud800é",) * 2
    assert failure(error).errorMessage == error.message


def test_a_printed_trace_becomes_the_status_of_a_synchronous_statement() -> None:
    status = failure(SqlError(PRINTED, "42P01"))
    assert (status.statusCode, status.sqlState, status.errorCode) == (3, "42P01", 0)
    assert status.errorMessage == "Error running query: [X] no: table\n`nope`"
    assert status.infoMessages == [
        "*org.apache.hive.service.cli.HiveSQLException:Error running query: [X] no: table\n`nope`:3:2",
        "org.apache.spark.Op:$anonfun$execute$1:Op.scala:270",
        "java.lang.Thread:run:Thread.java:840",
        "java.lang.Native:call:Native Method:-1",
        "*org.apache.spark.sql.AnalysisException:[X] no:3:0",
        "org.apache.spark.A:fail:A.scala:91",
    ]


def test_a_message_of_our_own_keeps_its_colons() -> None:
    status = failure(SqlError("Unknown view: a: b", None))
    assert status.errorMessage == "Unknown view: a: b"
    assert status.infoMessages == ["*org.apache.hive.service.cli.HiveSQLException:Unknown view: a: b:0:-1"]
    assert status.sqlState is None


def test_check_raises_errors_alone() -> None:
    check(success())
    with pytest.raises(SqlError) as raised:
        check(failure(SqlError("no", "42000", 17)))
    assert (raised.value.message, raised.value.sql_state, raised.value.error_code) == ("no", "42000", 17)


@pytest.mark.parametrize(
    "text",
    ["x: \tat a/" * 100_000, "x: \tat ab\n" * 100_000, "x\n" + "\tat ab\n" * 100_000, "a.A" + "Exception" * 100_000],
    ids=["slashes", "lines", "frames", "class"],
)
def test_errors_of_a_million_characters_are_read_in_linear_time(text: str) -> None:
    began = process_time()
    assert failure(SqlError(text)).infoMessages[0].startswith("*org.apache.hive.service.cli.HiveSQLException:")
    assert own_words(text)
    assert process_time() - began < 0.5
