"""A console of a small house whose journal holds a statement of each kind."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Iterator
from typing import Any

from proxy.authentication import Authentication
from proxy.console import Console, Login
from proxy.hs2 import SqlError
from proxy.ports import bound
from proxy.service import Service
from proxy.session import TERMINAL, Choice, Forward, OperationState
from rewriter.model import TableName
from tests.unit.catalog.lake import ROWS
from tests.unit.commands.house import House
from tests.unit.journal.stubs import session
from tests.unit.support.operations import Stub

AGG, DAILY = TableName(("lake", "demo", "agg")), TableName(("lake", "demo", "daily"))
QUERY = "SELECT region,\n       sum(amount) AS amount\nFROM demo.sales\nWHERE region = 'eu'\nGROUP BY region"
REWRITTEN = QUERY.replace("demo.sales", "`lake`.`demo`.`agg__storage`").replace("\nGROUP BY region", "")
HOSTILE = 'SELECT \'<script>document.title = "taken"</script>\' AS "<b>", 1 & 2'


def statement(
    house: House,
    sql: str,
    plan: Forward | None = None,
    user: str = "ann",
    state: OperationState = OperationState.FINISHED,
    error: SqlError | None = None,
    answer: str = "",
    ms: int = 42,
) -> Stub:
    """Return a statement for the journal that took this long."""
    operation = Stub(session(user), 0)
    if answer:
        operation.log.add(f"Viewgate: {answer}")
    record = house.journal.receive(operation.session, sql)
    record.planned(plan or Forward(), 0.002)
    house.journal.begin(operation, record)
    if state is not OperationState.PENDING:
        record.begun()
    record.started_ms -= ms
    record._since -= ms / 1000
    record.rows, record.bytes = 7, 412
    if state in TERMINAL:
        operation.advance(state, error)
        house.journal.close(operation)
    return operation


def furnish(house: House) -> Stub:
    """Put a statement of each kind into the journal, and return the running one."""
    missed = Choice((AGG, DAILY), reason="STALE")
    statement(house, HOSTILE, user="bob")
    statement(
        house, "SELECT nothing FROM demo.sales", state=OperationState.ERROR, user="bob", ms=8,
        error=SqlError("[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column with name `nothing` cannot be resolved", "42703"),
    )  # fmt: skip
    statement(
        house, "SELECT region, avg(amount) FROM demo.sales GROUP BY region", Forward(choice=missed), ms=3_110,
        answer="lake.demo.agg not used: a table has changed since it was refreshed",
    )  # fmt: skip
    chosen = Choice((AGG, DAILY), (AGG,), (AGG,))
    plan = Forward(REWRITTEN, fallback=True, choice=chosen)
    statement(house, QUERY, plan, ms=311, answer="answered from lake.demo.agg (roll_up)")
    return statement(house, "SELECT count(*) FROM demo.sales a, demo.sales b", state=OperationState.RUNNING, ms=75_000)


async def furnish_views(house: House) -> None:
    """Create views over a table and over each other; one is stale, and one was never refreshed."""
    for sql in (
        "CREATE MATERIALIZED VIEW agg AS SELECT region, sum(amount) FROM sales GROUP BY region",
        "CREATE MATERIALIZED VIEW daily AS SELECT region, sum(amount) FROM sales WHERE amount > 10 GROUP BY region",
        "CREATE MATERIALIZED VIEW top AS SELECT region, `sum(amount)` FROM agg WHERE region > 'a'",
        "CREATE MATERIALIZED VIEW later WITH DEFERRED REFRESH AS SELECT region, `sum(amount)` FROM daily",
    ):
        await house.run(sql)
    house.lake.iceberg.load_table("demo.sales").append(ROWS)
    for view in ("agg", "top"):
        await house.run(f"REFRESH MATERIALIZED VIEW {view}")


def console(
    house: House,
    authentication: Authentication | None = None,
    key: bytes = b"k" * 32,
    tls: ssl.SSLContext | None = None,
) -> Console:
    """Return the console of a house."""
    planning: Any = None
    service = Service(house.upstreams, planning, lambda user, configuration: None, journal=house.journal)
    login = Login(authentication or Authentication(), house.context.whose, key)
    return Console(service, house.context, login, tls)


@contextlib.contextmanager
def visited(house: House, authentication: Authentication | None = None, *, views: bool = False) -> Iterator[int]:
    """Yield the port of a console that runs beside the test, for a browser; with `views`, the house has some."""
    loop, place = asyncio.new_event_loop(), bound("127.0.0.1", 0)
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def start() -> Console:
        if views:
            await furnish_views(house)
        made = console(house, authentication)
        made.start(place)
        return made

    running = asyncio.run_coroutine_threadsafe(start(), loop).result(10)
    try:
        yield place.getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(running.stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
