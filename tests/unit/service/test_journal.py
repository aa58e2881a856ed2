"""Statements of clients in the journal: however they end."""

from __future__ import annotations

from proxy.hs2 import SqlError
from proxy.session import Forward, OperationState
from tests.unit.support.proxied import Proxied, RawClient, with_proxy


def told(proxied: Proxied) -> list[tuple[str, str]]:
    """The statements that have ended, the earliest first, each with its state."""
    journal = proxied.server.service.sessions.journal
    return [(record.sql, record.state.name) for record in reversed([*journal]) if record.operation is None]


def test_each_statement_is_told_of_once() -> None:
    async def test(proxied: Proxied) -> None:
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            first = (await client.execute(session, "SELECT 1")).operationHandle
            await client.end(first)
            assert told(proxied) == [("SELECT 1", "FINISHED")]
            await client.close(first)
            await client.execute(session, "SELECT 2", run_async=False)
            assert told(proxied) == [("SELECT 1", "FINISHED"), ("SELECT 2", "FINISHED")]

    with_proxy(test)


def test_one_that_is_refused_here_is_told_of_with_its_error() -> None:
    class Refusing:
        async def plan(self, session: object, sql: str) -> Forward:
            raise SqlError("not this one", "0A000")

        def moved(self, session: object) -> None:
            return

    async def test(proxied: Proxied) -> None:
        proxied.server.service.answering = Refusing()
        async with RawClient(proxied.port) as client:
            answer = await client.execute(await client.open_session(), "SELECT 1")
            assert answer.status.sqlState == "0A000"
            (record,) = proxied.server.service.sessions.journal
            assert (record.state, record.error and record.error.message) == (OperationState.ERROR, "not this one")

    with_proxy(test)
