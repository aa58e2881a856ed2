"""Removes literals from log lines about errors in statements, for `[journal] literals = false`."""

from __future__ import annotations

import logging

from proxy.hs2 import SqlError
from proxy.journal.texts import digest, without_values

_OF_STATEMENTS = "rewriter."  # loggers whose texts are statements, or parts of them


class Redacted(Exception):
    """A substitute for an exception whose message may quote a statement.

    The substitute has the name of the exception's class, and the message without values.
    """


class WithoutLiterals(logging.Filter):
    """A log filter that replaces literals by `?` in the rewriter's lines, and in the messages of all exceptions.

    >>> line = logging.makeLogRecord({"name": "rewriter.engine", "msg": "failed sql=%r", "args": ("SELECT 'Ann'",)})
    >>> WithoutLiterals().filter(line), line.getMessage()
    (True, "failed sql='SELECT ?'")
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace the literals in a log record and its exception by `?`; return True, because no line is dropped."""
        if record.name.startswith(_OF_STATEMENTS) and isinstance(record.args, tuple):
            record.args = tuple(digest(value) if isinstance(value, str) else value for value in record.args)
        if isinstance(record.args, tuple):
            record.args = tuple(_told(value) if isinstance(value, BaseException) else value for value in record.args)
        if record.exc_info and record.exc_info[1] is not None:
            _, error, frames = record.exc_info
            said = Redacted(f"{type(error).__qualname__}: {_told(error)}")
            record.exc_info, record.exc_text = (Redacted, said, frames), None  # the text that a handler has cached
        return True


def _told(error: BaseException) -> str:
    return without_values(str(error), error.sql_state if isinstance(error, SqlError) else None)


def log_without_literals() -> None:
    """Replace the literals in the rewriter's log lines, and in the messages of logged exceptions, from now on."""
    for handler in logging.getLogger().handlers:
        handler.addFilter(WithoutLiterals())
