"""Calls on a session that Viewgate has no part in: SetClientInfo and delegation tokens."""

from __future__ import annotations

from proxy.service.call import Call


async def relay(call: Call) -> bytes:
    """The upstream's answer."""
    session = call.session()
    upstream = await session.upstream.hold()
    try:
        return await upstream.call(call.addressed_to(upstream.handle))
    finally:
        session.upstream.let_go()
