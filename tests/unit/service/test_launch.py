"""Statements whose planning fails with an error."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from proxy.service.execute_statement import _planned
from proxy.session import Forward
from proxy.statements import Replay


@pytest.mark.parametrize(("failure", "one_line"), [(RecursionError("too deep"), True), (KeyError("x"), False)])
def test_it_is_forwarded_and_noted_in_one_line_where_it_is_only_too_deep(
    failure: Exception, one_line: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def plan(session: Any, sql: str) -> Any:
        raise failure

    call: Any = SimpleNamespace(service=SimpleNamespace(answering=SimpleNamespace(plan=plan)))
    session: Any = None
    assert asyncio.run(_planned(call, session, "SELECT 1")) == Forward(replay=Replay.DOUBTFUL)
    assert len(caplog.records) == 1
    assert (caplog.text.count("\n") == 1) is one_line
