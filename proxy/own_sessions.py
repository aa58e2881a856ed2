"""Sessions that Viewgate opens itself, at Spark or at another Viewgate, as a client opens one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from proxy.hs2 import Query, encode_call
from proxy.hs2.codec import V11
from proxy.hs2.generated import ttypes
from proxy.upstream import Timeouts, Upstream, Upstreams, UpstreamSession


async def open_session(upstreams: Upstreams, user: str | None = None) -> UpstreamSession:
    """Return a session of Viewgate's own, under a user's name if there is one."""
    request = ttypes.TOpenSessionReq(client_protocol=V11, configuration={})
    session, _ = await upstreams.open(user, encode_call("OpenSession", 0, request))
    return session


@asynccontextmanager
async def in_session(where: Upstream, user: str | None, timeouts: Timeouts | None = None) -> AsyncIterator[Query]:
    """Yield a function that runs statements in a session of Viewgate's own, until the body ends."""
    upstreams = Upstreams([where], timeouts)
    try:
        session = await open_session(upstreams, user)
        try:
            yield session.query
        finally:
            await session.close()
    finally:
        upstreams.close()
