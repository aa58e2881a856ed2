"""What a client sees of an operation's stages."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from proxy.hs2 import encode_call
from proxy.hs2.generated import ttypes
from proxy.service.operations import running
from proxy.service.operations.running import ProgressBar
from proxy.upstream import Stage

_ASKED = ttypes.TGetOperationStatusReq(getProgressUpdate=True)
CALL: Any = SimpleNamespace(message=encode_call("GetOperationStatus", 1, _ASKED))


@pytest.fixture(autouse=True)
def _looked_at_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_LOOK_AGAIN", 0)


def told(*looks: tuple[Stage, ...] | None) -> list[Any]:
    """Return what a client sees that polls once after each update."""
    seen = iter(looks)

    async def look() -> tuple[Stage, ...] | None:
        return next(seen)

    async def ask() -> list[Any]:
        bar = ProgressBar(0)
        return [await bar.told(CALL, look) for _ in looks]

    return asyncio.run(ask())


def test_there_is_a_bar_from_the_start_through_all_that_follows() -> None:
    write, refresh = Stage(0, 4, 2, 2, 0), Stage(7, 4, 1, 1, 0)
    none, first, between, second = told((), (write,), (), (refresh,))
    assert (none.rows, none.progressedPercentage) == ([], 0)
    assert [row[0] for row in first.rows] == ["Stage-0"]
    assert between.progressedPercentage == 1
    assert [row[:5] for row in second.rows] == [
        ["Stage-0", "spark", "SUCCEEDED", "4", "4"], ["Stage-7", "spark", "RUNNING", "4", "1"],
    ]  # fmt: skip
    assert second.progressedPercentage == 5 / 8


def test_no_bar_comes_where_there_was_none() -> None:
    """Beeline would print the log over a progress bar."""
    assert told(None, (Stage(0, 4, 2, 2, 0),)) == [None, None]
    _, unknown = told((Stage(0, 4, 2, 2, 0),), None)
    assert unknown.rows


def test_a_look_that_fails_is_told_of_in_the_log_alone(caplog: pytest.LogCaptureFixture) -> None:
    async def look() -> tuple[Stage, ...] | None:
        raise ConnectionError("the JVM is busy")

    assert asyncio.run(ProgressBar(0).told(CALL, look)) is None
    assert "the JVM is busy" in caplog.text
