"""Operations and sessions for tests of the journal."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from proxy.hs2 import SqlError
from proxy.journal import Journal, Record
from proxy.session import Choice, ClientSession, Forward, Operation, OperationState
from rewriter.model import TableName
from tests.unit.support.operations import Stub


def session(user: str = "ann") -> ClientSession:
    upstream: Any = SimpleNamespace()
    return ClientSession(user, 9, upstream, None)


def answered(journal: Journal, sql: str, view: TableName) -> None:
    """Plan a statement in a quarter of a second and answer it from a view, by `SELECT 2`."""
    operation = Stub(session("ann"), 0)
    record = journal.receive(operation.session, sql)
    record.planned(Forward("SELECT 2", fallback=True, choice=Choice((view,), (view,), (view,))), 0.25)
    record.begun()
    journal.begin(operation, record)
    operation.advance(OperationState.FINISHED)
    journal.close(operation)


def begun(journal: Journal, operation: Operation, sql: str) -> Record:
    """Return the record of a statement that an operation runs."""
    record = journal.receive(operation.session, sql)
    record.begun()
    journal.begin(operation, record)
    return record


def refused(journal: Journal, sql: str, error: SqlError | None = None) -> Record:
    record = journal.receive(session(), sql)
    journal.refuse(record, error)
    return record
