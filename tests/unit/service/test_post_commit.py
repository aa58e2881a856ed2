"""The post-commit refresh of a statement: its client waits for it, and can cancel it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from proxy.hs2.generated import ttypes
from proxy.service.operations.post_commit import PostCommit
from proxy.session import Forward
from tests.unit.support.proxied import Proxied, RawClient, with_proxy

RUNNING, FINISHED, CANCELED, ERROR = 1, 2, 3, 5


class Following:
    """A refresh that begins at the statement's end and lasts until `release` is set; records how it ended."""

    def __init__(self) -> None:
        self.begun, self.release, self.ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.cancelled = False
        self.raising: Exception | None = None

    def plan(self, **how: Any) -> Forward:
        return Forward(after=self.run, **how)

    async def run(self, log: Callable[[str], None]) -> None:
        self.begun.set()
        log("following")
        try:
            await self.release.wait()
            if self.raising:
                raise self.raising
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        finally:
            self.ended.set()


Story = Callable[[Proxied, Following, RawClient], Awaitable[None]]


def with_follower(story: Story, sql: str = "INSERT") -> None:
    """Run a scenario with a client whose statement is followed by a refresh."""

    async def test(proxied: Proxied) -> None:
        following = Following()
        proxied.planned.plans[sql] = following.plan(ended=proxied.planned.ended.append)
        async with RawClient(proxied.port) as client:
            await story(proxied, following, client)

    with_proxy(test)


def test_a_client_that_polls_sees_the_statement_running_until_the_refresh_is_over() -> None:
    async def story(proxied: Proxied, following: Following, client: RawClient) -> None:
        operation = (await client.execute(await client.open_session(), "INSERT")).operationHandle
        assert (await client.status(operation)).operationState == RUNNING
        await following.begun.wait()
        assert await client.first_column(operation, log=True) == ["following"]
        following.release.set()
        status = await client.end(operation)
        assert (status.operationState, status.hasResultSet) == (FINISHED, True)
        assert await client.first_column(operation) == ["INSERT"]

    with_follower(story)


def test_a_client_that_sleeps_between_questions_is_told_of_the_end_by_the_first() -> None:
    async def story(proxied: Proxied, following: Following, client: RawClient) -> None:
        operation = (await client.execute(await client.open_session(protocol=5), "INSERT")).operationHandle
        asked = asyncio.create_task(client.status(operation))
        await following.begun.wait()
        following.release.set()
        assert (await asked).operationState == FINISHED

    with_follower(story)


def test_a_client_that_waits_gets_its_reply_after_the_refresh() -> None:
    async def story(proxied: Proxied, following: Following, client: RawClient) -> None:
        session = await client.open_session()
        executing = asyncio.create_task(client.execute(session, "INSERT", run_async=False))
        await following.begun.wait()
        assert not executing.done()
        following.release.set()
        assert (await executing).status.statusCode == 0

    with_follower(story)


@pytest.mark.parametrize("run_async", [True, False])
def test_a_refresh_that_fails_changes_nothing(run_async: bool, caplog: pytest.LogCaptureFixture) -> None:
    async def story(proxied: Proxied, following: Following, client: RawClient) -> None:
        following.raising = KeyError("lost")
        following.release.set()
        response = await client.execute(await client.open_session(), "INSERT", run_async=run_async)
        assert (await client.end(response.operationHandle)).operationState == FINISHED
        assert proxied.planned.ended == [True]
        assert "post-commit refresh failed" in caplog.text

    with_follower(story)


def test_a_cancel_ends_the_refresh_and_the_statement_has_succeeded() -> None:
    async def test(proxied: Proxied) -> None:
        following = Following()
        proxied.planned.plans["INSERT"] = following.plan()
        async with RawClient(proxied.port) as client, RawClient(proxied.port) as other:
            operation = (await client.execute(await client.open_session(), "INSERT")).operationHandle
            polling = asyncio.create_task(client.end(operation))
            await following.begun.wait()
            request = ttypes.TCancelOperationReq(operationHandle=operation)
            assert (await other.ask("CancelOperation", request, ttypes.TCancelOperationResp)).status.statusCode == 0
            assert following.cancelled
            assert (await polling).operationState == FINISHED
            assert proxied.spark.sent("CancelOperation") == []

    with_proxy(test)


def test_a_client_that_goes_away_leaves_the_refresh_running() -> None:
    async def test(proxied: Proxied) -> None:
        following = Following()
        proxied.planned.plans["INSERT"] = following.plan()
        async with RawClient(proxied.port) as client:
            session = await client.open_session()
            executing = asyncio.create_task(client.execute(session, "INSERT", run_async=False))
            await following.begun.wait()
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await executing
        assert not following.ended.is_set()
        following.release.set()
        await following.ended.wait()
        assert not following.cancelled

    with_proxy(test)


def test_the_time_limit_of_the_statement_ends_the_wait_and_not_the_refresh() -> None:
    async def story(proxied: Proxied, following: Following, client: RawClient) -> None:
        session = await client.open_session()
        operation = (await client.execute(session, "INSERT", timeout=1)).operationHandle
        assert (await client.end(operation)).operationState == FINISHED
        assert not following.ended.is_set()
        following.release.set()
        await following.ended.wait()
        assert not following.cancelled

    with_follower(story)


@pytest.mark.parametrize("run_async", [True, False])
def test_a_statement_that_fails_is_told_at_once_and_followed_all_the_same(run_async: bool) -> None:
    async def story(proxied: Proxied, following: Following, client: RawClient) -> None:
        response = await client.execute(await client.open_session(), "FAIL", run_async=run_async)
        if run_async:
            assert (await client.end(response.operationHandle)).operationState == ERROR
        else:
            assert response.status.statusCode == ERROR - 2
        await following.begun.wait()
        following.release.set()

    with_follower(story, "FAIL")


def test_a_statement_that_is_closed_unseen_is_followed() -> None:
    async def story(proxied: Proxied, following: Following, client: RawClient) -> None:
        operation = (await client.execute(await client.open_session(), "INSERT")).operationHandle
        await client.close(operation)
        await following.begun.wait()
        following.release.set()

    with_follower(story)


def test_one_that_is_cancelled_before_it_has_begun_is_over() -> None:
    async def test() -> int:
        over = 0

        def note() -> None:
            nonlocal over
            over += 1

        async def never() -> None:
            raise AssertionError

        await PostCommit(never, None, note).cancel()
        return over

    assert asyncio.run(test()) == 1
