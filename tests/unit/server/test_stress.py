"""Random calls on connections that share sessions, with dying clients and servers, leave nothing open.

Each call is answered. `make soak CALL_SEEDS=FIRST:LAST` tries more than CI does.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from proxy.hs2 import ResultSet, SqlError, encode_reply, failure
from proxy.hs2.generated import ttypes
from proxy.service.service import HANDLERS
from proxy.session import ClientSession, Forward, Local, Log, OperationState, Plan
from proxy.upstream import Terms, Timeouts
from proxy.wire import read_head
from tests.unit.support.fake_spark import FakeSpark, answer_everything
from tests.unit.support.proxied import Planned, Proxied, RawClient, with_proxy
from tests.unit.support.transports import HttpClient, basic

SEEDS = range(*map(int, os.environ.get("VIEWGATE_CALL_SEEDS", "0:4").split(":")))
CLIENTS, CALLS, MANY = 6, 150, 100
PATIENCE = 20.0  # seconds in which any call is answered
TIMES = Timeouts(connect=2, handshake=2, open=2, close=2, park=0.05)
STATEMENTS = (
    *("SELECT a", "HANG", "FAIL", "LATE", "REFUSE", "SET x = 1", "USE y", "USE z", "SELECT 1"),
    *("REWRITTEN", "FOLLOWED", "HERE", "ASKS"),
)


class Plans(Planned):
    """Plans a statement by its words: one plan of each kind."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.chance = chance

    async def plan(self, session: ClientSession, sql: str) -> Plan:
        async def after(_log: Log) -> None:
            await asyncio.sleep(self.chance.random() * 0.1)

        async def run(_log: Log) -> ResultSet:
            await asyncio.sleep(self.chance.random() * 0.1)
            return ResultSet.of("a", rows=[["x"]])

        if sql == "REWRITTEN":
            return Forward(self.chance.choice(["LATE", "FAIL", "fine", "REFUSE", "HANG"]), fallback=True)
        if sql == "FOLLOWED":
            return Forward(after=after)
        if sql == "HERE":
            return Local(run)
        if sql == "SELECT 1":
            return Forward(brief=True, constant=True)
        if sql == "ASKS":
            await session.upstream.query("SELECT b")
        return await super().plan(session, sql)


def roughen(spark: FakeSpark, chance: random.Random) -> None:
    """Make the server answer sooner or later, with more or fewer rows, and refuse handles that it has forgotten."""
    answer = spark._answer

    async def answered(user: str, message: bytes) -> bytes:
        await asyncio.sleep(chance.choice([0, 0, 0.001, 0.01, 0.05]))
        try:
            return await answer(user, message)
        except (AssertionError, KeyError):
            head = read_head(message)
            assert head is not None
            failed = HANDLERS[head.name].failed
            assert failed is not None
            return encode_reply(head.name, head.seqid, failed(failure(SqlError("Invalid handle", "HY000"))))

    def script(sql: str) -> ResultSet | SqlError | None:
        if "current_catalog" in sql:
            return ResultSet.of("catalog", "namespace", rows=[["lake", "z"]])
        outcome = answer_everything(sql)
        return ResultSet.of("sql", rows=[[sql]] * chance.choice([0, 1, 500])) if sql[:3] == "SEL" else outcome

    spark.tidy = spark.lets_wait = True
    spark.script = script
    spark._answer = answered  # type: ignore[method-assign]


@dataclass
class Clients:
    """Clients that share sessions and operations, like those of a connection pool over HTTP.

    With few upstream slots, a session that no client closes could block another forever: those clients do not `wait`
    then. Some `read_on`, one result after the other, unless few statements may run at once.
    """

    proxied: Proxied
    chance: random.Random
    wait: bool
    read_on: bool
    left: int = CALLS
    sessions: list[Any] = field(default_factory=list)
    operations: list[Any] = field(default_factory=list)
    own: dict[RawClient, Any] = field(default_factory=dict)

    async def one(self) -> None:
        """Open one connection after the other, each for some calls."""
        while self.left > 0:
            sasl = self.chance.random() < 0.3
            port = self.proxied.port
            client = RawClient(port) if sasl else HttpClient(port, basic("bob"))
            call = self.read if self.read_on and self.chance.random() < 0.2 else self.any_call
            async with client:
                for _ in range(self.chance.randint(1, 12)):
                    if not await self.answered(client, call):
                        break

    async def answered(self, client: RawClient, call: Callable[[RawClient], Coroutine[Any, Any, Any]]) -> bool:
        """Return whether the client is still connected."""
        self.left -= 1
        calling = asyncio.create_task(call(client))
        if self.chance.random() < 0.05:
            await asyncio.sleep(self.chance.random() * 0.03)
            client.writer.transport.abort()
            calling.cancel()
            await asyncio.gather(calling, return_exceptions=True)  # it may have seen the end before it was cancelled
            return False
        done, _ = await asyncio.wait({calling}, timeout=PATIENCE)
        assert done, f"not answered: {calling}; {self.work}"
        error = calling.exception()
        if error is None:
            status = getattr(calling.result(), "status", None)
            assert status is None or status.sqlState != "XX000", status
        elif not isinstance(error, SqlError):
            raise error
        return True

    @property
    def work(self) -> str:
        """Return what the servers have to do."""
        upstreams = self.proxied.server.service.upstreams
        places = [(place.sessions, place.opening, place.statements.taken) for place in upstreams.places]
        running = [
            running.sql for spark in self.proxied.sparks for running in spark.history if not running.ended.is_set()
        ]
        return f"{upstreams.waiting} wait, sessions, those opening, and statements: {places}, on Spark: {running}"

    async def any_call(self, client: RawClient) -> Any:
        kind = self.chance.random()
        if kind < 0.15 or not self.sessions:
            self.sessions.append(await client.open_session())
            return None
        if kind < 0.18:
            session = self.sessions.pop(self.chance.randrange(len(self.sessions)))
            request = ttypes.TCloseSessionReq(sessionHandle=session)
            return await client.ask("CloseSession", request, ttypes.TCloseSessionResp)
        if kind < 0.45 or not self.operations:
            return await self.execute(client)
        return await self.about(client, self.chance.choice(self.operations))

    async def read(self, client: RawClient) -> Any:
        """Run a statement in a session of the connection's own, and read its result as drivers do."""
        self.left -= 3
        if client not in self.own:
            self.own[client] = await client.open_session()
            return None
        response = await self.execute(client, self.own[client])
        operation = response.operationHandle
        if operation is not None:
            await client.schema(operation)
            for _ in range(self.chance.choice([1, 2, 2, 2])):
                response = await client.fetch(operation)
            await client.close(operation)
        return response

    async def execute(self, client: RawClient, session: Any = None) -> Any:
        sql = self.chance.choice(STATEMENTS)
        response = await client.execute(
            session or self.chance.choice(self.sessions),
            sql,
            run_async=not self.wait or self.chance.random() < 0.8,
            timeout=self.chance.choice([0, 0, 1]),
        )
        if response.operationHandle is not None:
            self.operations.append(response.operationHandle)
        return response

    def about(self, client: RawClient, operation: Any) -> Coroutine[Any, Any, Any]:
        rows, orientation = self.chance.choice([100, 100, 10]), self.chance.choice([0, 0, 0, 4])
        request = ttypes.TCancelOperationReq(operationHandle=operation)
        calls = [
            partial(client.status, operation),
            partial(client.fetch, operation, rows=rows, orientation=orientation),
            partial(client.fetch, operation, rows=100),
            partial(client.fetch, operation, log=True),
            partial(client.close, operation),
            partial(client.ask, "CancelOperation", request, ttypes.TCancelOperationResp),
            partial(client.schema, operation),
        ]
        return self.chance.choice(calls if self.wait else calls[:-1])()


async def misfortunes(proxied: Proxied, chance: random.Random, *, deadly: bool) -> None:
    """End long statements after some time, and kill servers now and then."""
    while True:
        await asyncio.sleep(chance.random() * 0.2)
        for spark in proxied.sparks:
            for running in spark.history:
                if not running.ended.is_set() and chance.random() < 0.3:
                    running.outcome = ResultSet.of("sql", rows=[[running.sql]])
                    running.end(OperationState.FINISHED)
        if deadly and chance.random() < 0.1:
            chance.choice(proxied.sparks).die()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("deadly", [False, True])
def test_every_call_is_answered_and_nothing_stays(seed: int, deadly: bool, caplog: pytest.LogCaptureFixture) -> None:
    chance = random.Random(seed)

    async def test(proxied: Proxied) -> None:
        for spark in proxied.sparks:
            roughen(spark, chance)
        wait = all(each.sessions == MANY for each in terms)
        read_on = wait and all(each.statements == MANY for each in terms)
        clients = Clients(proxied, chance, wait, read_on)
        ending = asyncio.create_task(misfortunes(proxied, chance, deadly=deadly))
        await asyncio.gather(*(clients.one() for _ in range(CLIENTS)))
        ending.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ending

    terms = [
        Terms(sessions=chance.choice([2, 4, MANY]), statements=chance.choice([1, 3, MANY]))
        for _ in range(chance.choice([1, 2]))
    ]
    with_proxy(test, planned=Plans(chance), terms=terms, timeouts=TIMES)
    assert not [record for record in caplog.records if record.name.startswith("proxy") and record.levelname == "ERROR"]
