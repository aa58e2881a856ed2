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


@pytest.mark.parametrize("literals", [True, False])
def test_a_finished_text_has_no_credential(literals: bool) -> None:
    logger, said = logging.getLogger("proxy.pipeline.schedule"), "no login at jdbc:postgresql://ann:opensesame@db/x"
    with logged(logging.Formatter(), literals=literals) as log:
        logger.warning(f"lake.v1: the refresh (full) failed: {said}, not 'Ann Smith' nor 98765")
        logger.warning("lake.v1: the refresh (full) failed: java.lang.RuntimeException: no Ann Smith, 98765")
        logger.error(SqlError(f"{said} of 'Ann Smith' nor 98765"))
        logger.warning("password=%d %s", 100, "%")
    assert "opensesame" not in log.getvalue()
    assert log.getvalue().count("jdbc:postgresql://ann:***@db/x") == 2
    assert log.getvalue().endswith("password=100 %\n")  # no finished text: its arguments alone are redacted
    assert log.getvalue().startswith("lake.v1: the refresh (full) failed: ")
    for value in ("Ann Smith", "98765"):
        assert log.getvalue().count(value) == 3 * literals


def test_members_of_a_group_and_notes_have_no_credential() -> None:
    noted, url = ValueError("no"), "jdbc:postgresql://ann:opensesame@db/x"
    noted.add_note(url)
    logger = logging.getLogger("proxy.pipeline.schedule")
    with logged(logging.Formatter(), literals=True) as log:
        for error in (noted, ExceptionGroup("two", [ValueError("no"), ExceptionGroup("one", [KeyError(url)])])):
            try:
                raise error
            except Exception:
                logger.exception("refresh failed")
    assert log.getvalue().count("Redacted") == 2
    assert "opensesame" not in log.getvalue()
