"""The texts of statements are read in time that grows with their length, whatever they contain."""

import time

import pytest

from proxy.hs2 import SqlError
from proxy.journal.record import Record, trace_in_comment
from proxy.journal.texts import digest, kept, kept_message
from proxy.session import OperationState


def test_comment_openers_are_read_quickly() -> None:
    began = time.process_time()
    assert trace_in_comment("SELECT 'traceparent' " + "/* " * 100_000) is None
    assert time.process_time() - began < 0.2


def test_credentials_in_long_words_are_hidden_quickly() -> None:
    began = time.process_time()
    assert kept("SELECT " + "token" * 1000 + "='x', 1") == "SELECT " + "token" * 1000 + "=***, 1"
    kept("SELECT " + "token" * 2000)
    assert time.process_time() - began < 0.1


def test_the_digest_of_a_long_statement_is_made_quickly() -> None:
    began = time.process_time()
    assert digest("INSERT INTO t " * 20_000).startswith("INSERT INTO t INSERT")
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM t WHERE u LIKE '%sig=%' AND n = 'Ann Smith'",
        "SELECT 'url?token=abc' FROM t WHERE name = 'Ann Smith'",
        """SELECT 'token="', 'Bob', "x", 'Ann Smith'""",
    ],
)
def test_credentials_within_literals_leave_no_other_literal(sql: str) -> None:
    assert not any(word in kept(sql, literals=False) for word in ("Ann", "Smith", "Bob"))
    assert not any(word in kept_message(f"no such column: {sql}", literals=False) for word in ("Ann", "Smith", "Bob"))


def test_a_credential_within_a_literal_ends_with_the_literal() -> None:
    assert kept("SELECT 'url?token=abc' FROM t WHERE a = 1") == "SELECT 'url?token=***' FROM t WHERE a = 1"


def test_of_a_stack_trace_the_messages_are_recorded() -> None:
    record = Record("s", "ann", "SELECT 1")
    frames = "\n\tat a.B.c(D.java:1)\n"
    trace = "x.HiveSQLException: Error running query: [A] no\nway" + frames + "Caused by: x.E: {}" + frames
    record.refused(SqlError(trace.format("[A] no\nway"), "42000"), OperationState.ERROR)
    assert record.values()["error"] == "Error running query: [A] no\nway"
    record.refused(SqlError(trace.format("/x (Permission denied)"), "42000"), OperationState.ERROR)
    assert record.values()["error"] == "Error running query: [A] no\nway\nCaused by: /x (Permission denied)"


@pytest.mark.parametrize(
    ("sql", "error", "recorded"),
    [
        (
            "SELECT raise_error('Ann Secret')",
            SqlError("[USER_RAISED_EXCEPTION] Ann Secret SQLSTATE: P0001", "P0001"),
            "[USER_RAISED_EXCEPTION]",
        ),
        (  # a user's text that pretends to be about the statement
            "SELECT raise_error(x) FROM t",
            SqlError("[USER_RAISED_EXCEPTION] Ann SQLSTATE: 42000 SQLSTATE: P0001", "P0001"),
            "[USER_RAISED_EXCEPTION]",
        ),
        (
            "SELECT * FROM lines",
            SqlError(
                "Job aborted due to stage failure: Task 0 in stage 12.0 failed 4 times: "
                "org.apache.spark.SparkException: [MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION] Malformed records "
                "are detected: [Ann,Secret].\nParse Mode: FAILFAST.",
                "22023",
            ),
            "Job aborted due to stage failure: Task ? in stage ? failed ? times: org.apache.spark.SparkException: "
            "[MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION]",
        ),
        (
            "SELECT f(name) FROM t",
            SqlError("Error running query: java.lang.IllegalStateException: no such person: Ann Secret", None),
            "Error running query: java.lang.IllegalStateException",
        ),
        (
            "SELECT * FROM stale_files('Ann Secret')",
            SqlError("there is no materialized view Ann Secret; SHOW MATERIALIZED VIEWS lists all", "42P01"),
            "there is no materialized view ?; SHOW MATERIALIZED VIEWS lists all",
        ),
        (
            "SELECT 'Ann Smith''",
            SqlError("[PARSE_SYNTAX_ERROR] Syntax error at or near ''Ann Smith''. SQLSTATE: 42601", "42601"),
            "[PARSE_SYNTAX_ERROR] Syntax error at or near ?.",
        ),
        (
            "SELECT nam FROM t WHERE city = 'Annapolis' OR city = 'Ann'",
            SqlError("[UNRESOLVED_COLUMN] `nam` near Annapolis and ANN in Annas SQLSTATE: 42703", "42703"),
            "[UNRESOLVED_COLUMN] `nam` near ? and ? in Annas",
        ),
        (
            "SELECT 1" + " " * 20_000 + "AS a, 'Ann'",
            SqlError("[UNRESOLVED_COLUMN] `nam` near Ann SQLSTATE: 42703", "42703"),
            "[UNRESOLVED_COLUMN]",
        ),
    ],
)
def test_without_literals_an_error_has_neither_literals_nor_data(sql: str, error: SqlError, recorded: str) -> None:
    record = Record("s", "ann", sql, literals=False)
    record.refused(error, OperationState.ERROR)
    assert record.error is not None
    assert (record.error.message, record.error.sql_state) == (recorded, error.sql_state)
    record = Record("s", "ann", sql)
    record.refused(error, OperationState.ERROR)
    assert record.error is not None
    assert record.error.message == error.message
