"""The texts of statements are read in time that grows with their length, whatever they contain."""

import time

import pytest

from proxy.journal.record import digest, kept, kept_message, trace_in_comment


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
