"""Looks after upstreams: one is well if it lets us in and opens a session, which a mere connection does not show."""

from __future__ import annotations

import asyncio

from proxy.hs2 import SqlError, Unreachable, encode_call
from proxy.hs2.generated import ttypes
from proxy.hs2.protocol import V11
from proxy.upstream.dial import NotLetIn
from proxy.upstream.place import Place
from proxy.upstream.pool import Upstreams
from proxy.upstream.session import open_session

_SOON = 1.0  # seconds, while one is not well


async def watch(pool: Upstreams) -> None:
    """Look at each upstream now and then, as long as nobody has opened a session there lately; never returns."""
    while True:
        await asyncio.gather(*(look(pool, place) for place in pool.places))
        well = all(place.problem is None for place in pool.places)
        await asyncio.sleep(pool.timeouts.health if well else min(_SOON, pool.timeouts.health))


async def look(pool: Upstreams, place: Place) -> None:
    """Open a session and close it, if it is time to; take note of how it went."""
    lately = asyncio.get_running_loop().time() - place.well_at < pool.timeouts.health
    if place.terms.draining or (place.problem is None and lately):
        return
    message = encode_call("OpenSession", 0, ttypes.TOpenSessionReq(client_protocol=V11, configuration={}))
    session = None
    try:
        session, _ = await open_session(place, None, message, pool.timeouts)
    except SqlError as error:
        if isinstance(error, NotLetIn) and place.lives():
            return
        if isinstance(error, Unreachable):
            pool.failed(place, error)
            return
        # Who refuses our login is there for others.
    pool.well(place)
    if session is not None:
        await session.close()
