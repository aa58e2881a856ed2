"""Removes credentials from log lines and, for `[journal] literals = false`, literals from lines about statements."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from proxy.hs2 import SqlError
from proxy.journal.texts import digest, without_credentials, without_values

_OF_STATEMENTS = "rewriter."  # loggers whose texts are statements, or parts of them


class Redacted(Exception):
    """A substitute for an exception whose message may quote a statement.

    The substitute has the name of the exception's class, and the message without credentials and values.
    """


class Redaction(logging.Filter):
    r"""A log filter that hides credentials in texts and in the messages of exceptions.

    If `literals` is false, the filter also replaces literals by `?` in three places: in the arguments of the rewriter's
    log lines, in the messages of all exceptions, and in log messages without arguments. Log messages without arguments
    are, for example, the messages of background refreshes, which quote errors and conditions.

    >>> given = {"name": "rewriter.engine", "msg": "failed sql=%r", "args": ("SELECT 'Ann', secret(token => 'x')",)}
    >>> lines = [logging.makeLogRecord(given) for _ in range(2)]
    >>> [Redaction(literals=literals).filter(line) for literals, line in zip((True, False), lines)]
    [True, True]
    >>> [line.getMessage() for line in lines]
    ['failed sql="SELECT \'Ann\', secret(token => ***)"', "failed sql='SELECT ?, secret(token => ?)'"]
    """

    def __init__(self, *, literals: bool) -> None:
        super().__init__()
        self._literals = literals

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact a log record and its exception; return True, because no line is dropped."""
        if isinstance(record.args, tuple):
            of_statements = record.name.startswith(_OF_STATEMENTS)
            record.args = tuple(self._shown(value, of_statements=of_statements) for value in record.args)
        if not record.args:
            record.msg = self._finished(record.msg)
        if record.exc_info and record.exc_info[1] is not None:
            _, error, frames = record.exc_info
            if not self._literals or any(without_credentials(text) != text for text in _texts(error)):
                said = Redacted(f"{type(error).__qualname__}: {self._told(error)}")
                record.exc_info, record.exc_text = (Redacted, said, frames), None  # the text that a handler has cached
        return True

    def _shown(self, value: object, *, of_statements: bool) -> object:
        """Return an argument of a log line without credentials; for an exception, return its redacted message.

        A value of any other type than a text is returned unchanged. `of_statements` is true for a log line of the
        rewriter, whose arguments may quote statements: unless literals are shown, a text in such a line is replaced by
        its digest.
        """
        if isinstance(value, BaseException):
            return self._told(value)
        if not isinstance(value, str):
            return value
        return digest(value) if of_statements and not self._literals else without_credentials(value)

    def _finished(self, message: object) -> object:
        """Return the message of a log line without arguments, with credentials and (if so set) literals replaced.

        If the message is an exception, return the redacted message of the exception.
        """
        if not isinstance(message, str):
            return self._shown(message, of_statements=False)
        return without_credentials(message if self._literals else without_values(message))

    def _told(self, error: BaseException) -> str:
        state = error.sql_state if isinstance(error, SqlError) else None
        return without_credentials(str(error) if self._literals else without_values(str(error), state))


def _texts(error: BaseException) -> Iterator[str]:
    """Yield the texts that a traceback shows: the messages and notes of an exception and of its causes.

    For an exception group, the messages and notes of its members are also yielded.
    """
    seen, left = list[BaseException](), [error]
    while left:
        one = left.pop()
        if one in seen:
            continue
        seen.append(one)
        yield from (str(one), *getattr(one, "__notes__", ()))
        left += [cause for cause in (one.__cause__ or one.__context__,) if cause is not None]
        left += one.exceptions if isinstance(one, BaseExceptionGroup) else ()


def redact_log(*, literals: bool) -> None:
    """Hide credentials in the log from now on and, if `literals` is false, also the literals of statements."""
    for handler in logging.getLogger().handlers:
        handler.addFilter(Redaction(literals=literals))
