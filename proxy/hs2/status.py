"""Encodes and decodes the status of a call (success, or an error with all fields that clients read).

Also defines the errors that statements raise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from proxy.hs2.generated import ttypes

FAILED = (ttypes.TStatusCode.ERROR_STATUS, ttypes.TStatusCode.INVALID_HANDLE_STATUS)
_HIVE_SQL_EXCEPTION = "org.apache.hive.service.cli.HiveSQLException"
# Matched on one line at a time, because a text may have many such lines.
_FRAME = re.compile(r"\tat (?P<call>[^()]++)\((?P<file>[^:()]*+)(?::(?P<line>\d++))?\)")
_OMITTED = re.compile(r"^\t\.\.\. (\d+) more", re.MULTILINE)
# The end of an analysis error's message, and the plan's first node, which may be unresolved (') or lack input (!).
_PLAN = re.compile(r";\n['!]?[A-Z][A-Za-z]*+(?=[ (\n]|\Z)")
_CAUSE = re.compile(r"\nCaused by: ")
# What Java prints before Spark's message: an exception's class, sometimes with the error's class before it again.
_PREFIXES = re.compile(
    r"^(?:Error running query: |\[[A-Z_.]+\] (?=[a-z]+\.)"
    r"|(?:[a-z]\w*+\.)+(?=[A-Z][\w$]*?(?:Exception|Error))[\w$]++: *+\n?)+"
)

_NEAR = 0.75  # the similarity of two four-letter names with two letters exchanged, such as hots and host
_CONNECTION_LOST, _RESOLUTION_UNKNOWN = "08S01", "08007"
_INVALID = "42"  # the SQLSTATE class of syntax errors and access rule violations
_UNCERTAIN = "The statement may have been executed; check before you run it again."
_EXECUTED = "The statement has been executed, and its result is lost."


class SqlError(Exception):
    """The failure of a statement; the client gets the message, the SQLSTATE and the vendor's error code.

    Lone surrogates in the message become escapes, because the reply and the journal are UTF-8.

    >>> SqlError("no such table", "42P01").sql_state
    '42P01'
    """

    def __init__(self, message: str, sql_state: str | None = "HY000", error_code: int = 0) -> None:
        message = message.encode(errors="backslashreplace").decode()
        super().__init__(message)
        self.message = message
        self.sql_state = sql_state
        self.error_code = error_code


class InvalidStatement(SqlError):
    """The error raised if Spark refuses a statement before executing it.

    The reason may be the statement's text, the schemas of its tables, or missing permissions.
    """


class LoginRefused(SqlError):
    """The error raised if a server, such as an upstream Spark Thrift Server, refuses the login of a user."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "28000")


class Unreachable(SqlError):
    """The error raised if an upstream server, or a session on an upstream server, is not available or was lost."""

    def __init__(self, message: str) -> None:
        super().__init__(message, _CONNECTION_LOST)


class Interrupted(SqlError):
    """The error raised if a statement was interrupted, and it is unknown whether the statement has finished.

    `what` says which event interrupted the statement, and `advice` is the remedy if the statement only reads.

    >>> Interrupted("Viewgate is shutting down.", "Try again.", "57P01").uncertain().sql_state
    '08007'
    """

    def __init__(self, what: str, advice: str, sql_state: str) -> None:
        super().__init__(f"{what} {advice}", sql_state)
        self.what = what

    def uncertain(self) -> SqlError:
        """Return the error to report for a statement that writes; it says that the statement may have been executed."""
        return Interrupted(self.what, _UNCERTAIN, _RESOLUTION_UNKNOWN)

    def executed(self) -> SqlError:
        """Return the error to report for a write that has succeeded, but whose result is lost."""
        return Interrupted(self.what, _EXECUTED, _RESOLUTION_UNKNOWN)


class ConnectionLost(Interrupted, Unreachable):
    """The error raised if a lost connection to the server, or an invalid reply of the server, interrupts a statement.

    `what` says which event interrupted the statement, and `advice` is the remedy.

    >>> ConnectionLost("Spark has closed the connection.", "Try again.").sql_state
    '08S01'
    """

    def __init__(self, what: str, advice: str = "Try again.") -> None:
        SqlError.__init__(self, f"{what} {advice}", _CONNECTION_LOST)
        self.what = what


def reported(message: str | None, sql_state: str | None, error_code: int | None) -> SqlError:
    """Return the error for the message, SQLSTATE and error code that a server reports.

    The SQLSTATE determines the class: Unreachable for 08S01, InvalidStatement for class 42, SqlError for all other
    states. If the server gave no reason, `message` is None.

    >>> reported("no such table", "42P01", 0)
    InvalidStatement('no such table')
    """
    message = message or "Spark gave no reason"
    if sql_state == _CONNECTION_LOST:
        return Unreachable(message)
    kind = InvalidStatement if (sql_state or "").startswith(_INVALID) else SqlError
    return kind(message, sql_state, error_code or 0)


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the hint " (did you mean …?)" with the known name most similar to `name`; empty if none is similar.

    >>> nearest("viewgate.rewite", ["viewgate.rewrite"]), nearest("x", ["viewgate.rewrite"])
    (' (did you mean viewgate.rewrite?)', '')
    """
    found = get_close_matches(name.lower(), list(known), 1, _NEAR)
    return f" (did you mean {found[0]}?)" if found else ""


def success() -> Any:
    """Return the status of a successful call (never SUCCESS_WITH_INFO, which PyHive takes for a failure)."""
    return ttypes.TStatus(statusCode=ttypes.TStatusCode.SUCCESS_STATUS)


def failure(error: SqlError) -> Any:
    """Return the Thrift status that reports an error, in the form that Spark uses for synchronous statements."""
    return ttypes.TStatus(
        statusCode=ttypes.TStatusCode.ERROR_STATUS,
        infoMessages=stack_messages(error.message),
        sqlState=error.sql_state,
        errorCode=error.error_code,
        errorMessage=first_message(error.message),
    )


def check(status: Any) -> None:
    """Raise the error that a Thrift status reports (see `reported`); do nothing for a status without an error.

    >>> check(failure(SqlError("no such table", "42P01")))
    Traceback (most recent call last):
    proxy.hs2.status.InvalidStatement: no such table
    """
    if status.statusCode not in (
        ttypes.TStatusCode.SUCCESS_STATUS,
        ttypes.TStatusCode.SUCCESS_WITH_INFO_STATUS,
        ttypes.TStatusCode.STILL_EXECUTING_STATUS,
    ):
        raise reported(status.errorMessage, status.sqlState, status.errorCode)


def first_message(text: str) -> str:
    r"""Return the message of the first exception in a printed Java stack trace.

    Return text without a stack trace unchanged.

    >>> first_message("org.apache.hive.service.cli.HiveSQLException: no\nway\n\tat a.B.c(D.java:1)\n")
    'no\nway'
    """
    return _headline(_CAUSE.split(text)[0])[1]


def own_words(text: str) -> str:
    r"""Return Spark's own message in the error text `text`, without stack frames and leading names of Java classes.

    >>> own_words("Error running query: [X] org.apache.spark.ParseException: \n[X] no\n\n== SQL ==\n")
    '[X] no\n\n== SQL =='
    """
    return _PREFIXES.sub("", first_message(text)).strip()


def without_plan(message: str) -> str:
    r"""Return the message of a Spark analysis error without the query plan at its end.

    >>> without_plan("[X] no `a`. SQLSTATE: 42703; line 2 pos 10;\n'Project ['a]\n+- Relation t")
    '[X] no `a`. SQLSTATE: 42703; line 2 pos 10'
    >>> without_plan("[X] no\n\n== SQL ==\nSELECT 1;\nSELECT a")
    '[X] no\n\n== SQL ==\nSELECT 1;\nSELECT a'
    """
    plan = _PLAN.search(message)
    return message if plan is None or "\n== SQL" in message[: plan.start()] else message[: plan.start()]


def root_message(text: str) -> str:
    r"""Return the message of the innermost cause in a printed Java stack trace.

    If the trace has no cause, return the message of the first exception. Return text without a stack trace unchanged.

    >>> root_message("x.E: no\n\tat a.B.c(D.java:1)\nCaused by: x.F: /x (Permission denied)\n\tat a.B.d(D.java:2)\n")
    '/x (Permission denied)'
    """
    return _headline(_CAUSE.split(text)[-1])[1]


def messages(text: str) -> str:
    r"""Return the message of the first exception in a printed Java stack trace, and that of its innermost cause.

    The cause is left out if the first message has the same words. Return text without a stack trace unchanged.

    >>> messages("x.E: no\n\tat a.B.c(D.java:1)\nCaused by: x.F: /x (Permission denied)\n\tat a.B.d(D.java:2)\n")
    'no\nCaused by: /x (Permission denied)'
    """
    first, cause = first_message(text), root_message(text)
    return first if cause in first else f"{first}\nCaused by: {cause}"


def stack_messages(text: str) -> list[str]:
    r"""Return a printed Java stack trace as the list of strings that Hive's drivers parse.

    Each exception is an element that begins with `*`, followed by one element for each of its stack frames.

    >>> stack_messages("x.E: no\n\tat a.B.c(D.java:1)\n")
    ['*x.E:no:1:0', 'a.B:c:D.java:1']
    """
    messages = []
    for section in _CAUSE.split(text):
        kind, message = _headline(section)
        frames = [frame for line in section.split("\n") if (frame := _frame(line))]
        omitted = sum(int(count) for count in _OMITTED.findall(section))
        messages += [f"*{kind}:{message}:{len(frames) + omitted}:{len(frames) - 1}", *frames]
    return messages


def _frame(line: str) -> str:
    r"""Return a stack frame in the form that Hive's drivers parse; an empty text if `line` is not a stack frame.

    >>> _frame("\tat java.base/java.lang.Thread.run(Thread.java:840)"), _frame("\tat a.B.c(Native Method)")
    ('java.lang.Thread:run:Thread.java:840', 'a.B:c:Native Method:-1')
    """
    frame = _FRAME.match(line)
    owner, _, method = frame["call"].rpartition("/")[2].rpartition(".") if frame else ("", "", "")
    return f"{owner}:{method}:{frame['file']}:{frame['line'] or -1}" if frame and owner and method else ""


def _headline(section: str) -> tuple[str, str]:
    """Return the exception class and the message of one section of a stack trace (one exception with its frames).

    For text without a stack trace, return HiveSQLException and the text.
    """
    text, at, _ = section.partition("\n\tat ")
    kind, colon, message = text.partition(": ")
    if at and colon and " " not in kind:
        return kind, message
    return _HIVE_SQL_EXCEPTION, text
