"""Which failed writes of a race count as lost to another commit; the other failures end the race."""

from __future__ import annotations

from typing import Any

import pytest
from pyhive import hive
from TCLIService import ttypes

from tests.integration import clients
from tests.integration.race import Race

ICEBERG = "Error running query: org.apache.iceberg.exceptions"


def failing(monkeypatch: pytest.MonkeyPatch, state: str | None, message: str | None) -> Race:
    """Return a race whose statements fail with this error."""

    def rows(connection: Any, statement: str) -> None:
        status = ttypes.TStatus(ttypes.TStatusCode.ERROR_STATUS, sqlState=state, errorMessage=message)
        raise hive.OperationalError(ttypes.TExecuteStatementResp(status))

    monkeypatch.setattr(clients, "rows", rows)
    return Race(0, 0, {"uri": "sqlite://"})


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (None, f"{ICEBERG}.CommitFailedException: branch main has changed: expected id 1 != 2"),
        (None, f"{ICEBERG}.ValidationException: Found conflicting files that can contain records matching true"),
        ("40001", "the storage table of lake.race.high was changed while this refresh ran"),
    ],
)
def test_a_conflict_of_commits_is_counted(monkeypatch: pytest.MonkeyPatch, state: str | None, message: str) -> None:
    race = failing(monkeypatch, state, message)
    race._write(None, "DELETE FROM sales", "delete", tries=2)
    assert (race.lost, race.done) == ({"delete": 2}, {})


@pytest.mark.parametrize(
    ("state", "message"),
    [("22012", "[DIVIDE_BY_ZERO] Division by zero"), ("08S01", "The connection was lost"), ("42P01", None)],
)
def test_another_failure_is_raised(monkeypatch: pytest.MonkeyPatch, state: str, message: str | None) -> None:
    race = failing(monkeypatch, state, message)
    with pytest.raises(hive.OperationalError):
        race._write(None, "REFRESH MATERIALIZED VIEW high", "refresh")
    assert race.lost == {}
