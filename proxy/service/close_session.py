"""CloseSession: on both sides, with everything that still runs."""

from __future__ import annotations

from proxy.hs2 import success
from proxy.hs2.generated import ttypes
from proxy.service.call import Call


async def close_session(call: Call) -> bytes:
    """Close the session."""
    session = call.session()
    if session in call.peer.sessions:
        call.peer.sessions.remove(session)
    await call.service.close_session(session)
    return call.reply(ttypes.TCloseSessionResp(status=success()))
