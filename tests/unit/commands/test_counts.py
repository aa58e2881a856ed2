"""Checks that SHOW VIEWGATE, the system tables, the console and `/metrics` count a statement equally,
however it ended.
"""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from proxy.commands import find
from proxy.console.metrics import EVENTS
from proxy.hs2 import ResultSet, SqlError, encode_reply, success
from proxy.hs2.generated import ttypes
from proxy.session import Choice, Forward, OperationState
from tests.unit.commands.house import House
from tests.unit.console.http import figure, get, served
from tests.unit.console.site import AGG, DAILY, QUERY, REWRITTEN, console
from tests.unit.journal.stubs import session
from tests.unit.support.operations import Stub

PLAN = Forward(REWRITTEN, fallback=True, choice=Choice((AGG, DAILY), (AGG,), (AGG,)))
ROWS = encode_reply("FetchResults", 0, ttypes.TFetchResultsResp(status=success()))


def run(house: House, *, falls_back: str = "", state: OperationState = OperationState.FINISHED) -> None:
    """Run a rewritten statement whose original takes over during its execution, at its rows, or not at all."""
    operation = Stub(session(), 0)
    record = house.journal.receive(operation.session, QUERY)
    record.planned(PLAN, 0.001)
    house.journal.begin(operation, record)
    record.fell_back = falls_back == "in its execution"
    operation.advance(state, SqlError("no", "58030") if state is OperationState.ERROR else None)
    house.journal.end(operation)
    record.fell_back |= falls_back == "at its rows"
    if state is OperationState.FINISHED:
        house.journal.fetched(operation.handle, ROWS)
    house.journal.close(operation)


@pytest.mark.parametrize(
    ("how", "outcome", "uses"),
    [
        ({}, "view", (1, 1, 1, 1, 0)),
        ({"falls_back": "in its execution"}, "fallback", (1, 1, 1, 0, 1)),
        ({"falls_back": "at its rows"}, "fallback", (1, 1, 1, 0, 1)),
        ({"state": OperationState.ERROR}, "view", (1, 1, 1, 0, 0)),
        ({"state": OperationState.CANCELED}, "view", (1, 1, 1, 0, 0)),
    ],
)
def test_every_place_counts_the_same(house: House, how: Any, outcome: str, uses: tuple[int, ...]) -> None:
    async def test() -> None:
        for view in (AGG, DAILY):
            query = "SELECT region, sum(amount) FROM sales GROUP BY region"
            await house.run(f"CREATE MATERIALIZED VIEW {view} WITH DEFERRED REFRESH AS {query}")
        async with asyncio.timeout(10), served(console(house)) as port:
            run(house, **how)
            (_, metrics), (_, statements), (_, views) = [
                await get(port, path) for path in ("/metrics", "/statements", "/views")
            ]
        state = how.get("state", OperationState.FINISHED).name
        failed, from_views = int(state == "ERROR"), int(outcome == "view")
        (row,) = await house.system.rows("statements", None)
        assert (row["outcome"], row["state"]) == (outcome, state)
        ((_, _, shown, *_),) = (await told(house, "STATEMENTS")).rows
        assert shown == state
        assert figure(metrics, "viewgate_statements_total") == 1
        assert figure(metrics, "viewgate_statements_total", outcome=outcome, state=state) == 1
        assert (await told(house, "DIGESTS")).rows[0][:3] == (1, from_views, failed)
        (digest,) = await house.system.rows("digests", None)
        assert (digest["statements"], digest["from_views"], digest["failed"]) == (1, from_views, failed)
        chips = dict(re.findall(r">([\w ]+) <b>(\d+)</b>", statements))
        assert [int(chips[name]) for name in ("All", "From views", "Missed", "Failed")] == [
            1, from_views, 1 - from_views, failed
        ]  # fmt: skip
        of_view = {row[0]: row[1:6] for row in (await told(house, "VIEWS")).rows}
        assert (of_view[str(AGG)], of_view[str(DAILY)]) == (uses, (1, 0, 0, 0, 0))
        rows = {row["view"]: tuple(row[event] for event in EVENTS) for row in await house.system.rows("views", None)}
        assert rows == of_view
        assert uses == tuple(
            figure(metrics, "viewgate_view_statements_total", view=str(AGG), event=event) for event in EVENTS
        )
        listed = views.split(f'<a href="/views/{AGG}">')[1].split("</tr>")[0]
        cells = dict(re.findall(r'data-name="(\w+)"[^>]*>([^<]*)<', listed))
        assert (int(cells["Considered"]), int(cells["Answered"])) == (uses[0], uses[3])

    asyncio.run(test())


async def told(house: House, what: str) -> ResultSet:
    """Return the counts that SHOW VIEWGATE shows."""
    command = find(f"SHOW VIEWGATE {what}")
    assert command is not None
    return await command.run(house.context, session(), house.log.append)
