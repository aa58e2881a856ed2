from __future__ import annotations

import asyncio

import pytest

from proxy.commands import find
from proxy.hs2 import SqlError
from tests.unit.commands.house import House


def test_one_that_is_not_there_has_a_row_too(house: House) -> None:
    shown = asyncio.run(house.run("show viewgate workers;"))
    assert [column.name for column in shown.columns] == ["worker", "state", "process", "sessions", "statements"]
    assert shown.rows == ((1, "down", None, None, None), (2, "running", 7, 3, 1), (102, "retiring", 6, 1, 0))


def test_nothing_follows() -> None:
    with pytest.raises(SqlError, match="SHOW VIEWGATE WORKERS"):
        find("SHOW VIEWGATE WORKERS LIKE 'x'")
