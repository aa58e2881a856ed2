"""OpenSession: the same session on an upstream, for the user of the connection."""

from __future__ import annotations

from proxy.hs2.generated import ttypes
from proxy.hs2.protocol import clamped
from proxy.service.call import Call, with_handle
from proxy.session import ClientSession
from proxy.wire import WireError, find, read_i32, with_field
from proxy.wire.layout import I32, MAP

_CLIENT_PROTOCOL = (1, 1)
_SERVER_PROTOCOL, _SESSION_HANDLE, _CONFIGURATION = (0, 2), (0, 3, 1), (0, 4)
_EMPTY_MAP = bytes([11, 11, 0, 0, 0, 0])


async def open_session(call: Call) -> bytes:
    """Open both sides. The user is who logged in: what the request says of that is the client's own idea."""
    asked = find(call.message, _CLIENT_PROTOCOL)
    version = clamped(read_i32(call.message, asked) if asked else None)
    message = with_field(call.message, _CLIENT_PROTOCOL, I32, version.to_bytes(4, "big"))
    configuration = call.request(ttypes.TOpenSessionReq).configuration or {}
    service = call.service
    upstream, reply = await service.upstreams.open(call.peer.user, message)
    answered = find(reply, _SERVER_PROTOCOL)
    if answered is None:
        await upstream.close()
        raise WireError("Spark has opened a session without telling its version")
    version = min(version, read_i32(reply, answered))
    facts = service.facts(call.peer.user, configuration)
    session = ClientSession(call.peer.user, version, upstream, facts)
    service.sessions.add(session)
    call.peer.sessions.append(session)
    reply = with_field(reply, _SERVER_PROTOCOL, I32, version.to_bytes(4, "big"))
    reply = with_handle(reply, _SESSION_HANDLE, session.handle)
    # Hive JDBC looks into the map without looking whether there is one.
    return reply if find(reply, _CONFIGURATION) else with_field(reply, _CONFIGURATION, MAP, _EMPTY_MAP)
