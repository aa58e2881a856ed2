import contextlib
import io
import logging
from collections.abc import Iterator

import pytest

from proxy.answering.decision import suggested
from proxy.hs2 import SqlError
from proxy.journal.json_log import JsonLog
from proxy.journal.redaction import Redaction
from rewriter import Attempt, Definitions, Outcome, Reason, parse
from rewriter.engine.guard import guarded
from rewriter.model import Session, TableName

QUERY = "SELECT n FROM t WHERE name = 'Ann Secret' AND salary = 98765"


@pytest.fixture(params=[logging.Formatter(), JsonLog()], ids=["text", "json"])
def log(request: pytest.FixtureRequest) -> Iterator[io.StringIO]:
    with logged(request.param, literals=False) as written:
        yield written


@contextlib.contextmanager
def logged(form: logging.Formatter, *, literals: bool) -> Iterator[io.StringIO]:
    """Yield the text of the log in this format."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(form)
    handler.addFilter(Redaction(literals=literals))
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


def fails() -> None:
    raise ValueError(f"cannot read {QUERY}") from KeyError(QUERY)


def test_an_error_of_a_rule_is_logged_without_literals(log: io.StringIO) -> None:
    guarded(TableName(("lake", "v")), QUERY, fails)
    line = log.getvalue()
    assert "lake.v" in line
    assert "SELECT n FROM t WHERE name = ? AND salary = ?" in line
    assert "ValueError: cannot read SELECT n FROM t WHERE name = ? AND salary = ?" in line
    assert "fails" in line  # the frames are kept
    assert "Secret" not in line
    assert "98765" not in line


def test_an_error_that_a_line_names_is_logged_without_literals(log: io.StringIO) -> None:
    raised = SqlError("[USER_RAISED_EXCEPTION] Ann Secret SQLSTATE: P0001", "P0001")
    logging.getLogger("proxy.pipeline.status").warning("refresh failed view=%s error=%s", "lake.v", raised)
    assert "refresh failed view=lake.v error=[USER_RAISED_EXCEPTION]" in log.getvalue()
    assert "Secret" not in log.getvalue()


def test_a_suggestion_that_fails_is_logged_without_literals(log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proxy.answering.decision.suggestion", lambda *_: fails())
    statement = parse(QUERY, Session("lake", ("demo",)))
    miss = Attempt(TableName(("lake", "v")), "missed", "", Reason.COLUMN_NOT_IN_VIEW, "salary")
    assert suggested(Outcome(statement, (), (miss,)), Definitions(()), {}) is None
    line = log.getvalue()
    assert "suggestion failed digest='SELECT n FROM t WHERE name = ? AND salary = ?'" in line.replace('\\"', '"')
    assert "Secret" not in line


@pytest.mark.parametrize("form", [logging.Formatter(), JsonLog()], ids=["text", "json"])
def test_no_line_has_a_credential(form: logging.Formatter) -> None:
    url, logger = "no login at jdbc:postgresql://ann:opensesame@db/x", logging.getLogger("proxy.pipeline.status")
    with logged(form, literals=True) as log:
        logger.warning("refresh failed view=%s error=%s", "lake.v", SqlError(url))
        logger.warning("refresh failed view=%s way=%s error=%s", "lake.v", "full", url)
        for error in (SqlError(url), ValueError("no 'Ann'")):
            try:
                raise SqlError("the refresh failed") from error
            except SqlError:
                logger.exception("refresh failed")
    assert "opensesame" not in log.getvalue()
    assert log.getvalue().count("jdbc:postgresql://ann:***@db/x") == 2
    assert "no 'Ann'" in log.getvalue()  # the causes of other errors are kept
