"""Calls on a session that Viewgate has no part in: SetClientInfo and delegation tokens."""

from __future__ import annotations

from proxy.service.call import Call
from proxy.session import Lease


async def relay(call: Call) -> bytes:
    """Return the upstream's answer."""
    with Lease(call.session()) as lease:
        upstream = await lease.hold()
        return await upstream.call(call.addressed_to(upstream.handle))
