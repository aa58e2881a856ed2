"""A limited number of statements at a time; the others take turns fairly."""

import asyncio

import pytest

from proxy.upstream.policy import Slots


async def turns() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


def test_principals_take_turns_however_much_one_of_them_asks_for() -> None:
    async def test() -> list[str]:
        slots, served = Slots(1), list[str]()
        assert slots.take()

        async def work(principal: str) -> None:
            await slots.wait(principal)
            served.append(principal)
            slots.give_back()

        async with asyncio.TaskGroup() as group:
            for principal in ("ann", "ann", "ann", "bob", "eve"):
                group.create_task(work(principal))
            await turns()
            assert not slots.take()
            slots.give_back()
        assert slots.taken == 0
        return served

    assert asyncio.run(test()) == ["ann", "bob", "eve", "ann", "ann"]


def test_how_long_the_oldest_has_waited() -> None:
    async def test() -> None:
        slots = Slots(1)
        assert slots.take()
        assert slots.longest_wait == 0
        first = asyncio.create_task(slots.wait("ann"))
        await asyncio.sleep(0.02)
        second = asyncio.create_task(slots.wait("ann"))
        await turns()
        assert slots.longest_wait >= 0.02
        slots.give_back()
        await first
        assert 0 < slots.longest_wait < 0.02
        second.cancel()
        await turns()
        assert slots.longest_wait == 0

    asyncio.run(test())


def test_who_waits_no_longer_takes_no_slot() -> None:
    async def test() -> None:
        slots = Slots(1)
        assert slots.take()
        leaving, staying = (asyncio.create_task(slots.wait(principal)) for principal in ("ann", "bob"))
        await turns()
        leaving.cancel()
        await asyncio.wait({leaving})
        slots.give_back()
        await staying
        assert slots.taken == 1

    asyncio.run(test())


def test_a_slot_granted_to_one_who_leaves_at_that_moment_goes_on_to_the_next() -> None:
    async def test() -> None:
        slots = Slots(1)
        assert slots.take()
        leaving, staying = (asyncio.create_task(slots.wait(principal)) for principal in ("ann", "bob"))
        await turns()
        slots.give_back()
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        await staying
        slots.give_back()
        assert slots.taken == 0

    asyncio.run(test())


def test_more_slots_let_in_who_waits_and_fewer_keep_out_who_comes() -> None:
    async def test() -> None:
        slots = Slots(1)
        assert slots.take()
        waiting = asyncio.create_task(slots.wait("ann"))
        await turns()
        slots.resize(2)
        await waiting
        slots.resize(1)
        slots.give_back()
        assert not slots.take()
        slots.give_back()
        assert slots.take()

    asyncio.run(test())
