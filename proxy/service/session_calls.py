"""Answers the calls on a session: OpenSession, CloseSession, and the calls that only the upstream can answer.

The upstream session is opened for the session's user, who under impersonation differs from the user who logged in (the
principal).
"""

from __future__ import annotations

from functools import partial

from proxy.catalog import is_unanswered
from proxy.hs2 import SESSION_HANDLE, SqlError, Unreachable, success
from proxy.hs2.codec import SPARK_HOLDS_S, clamped, status_held_s
from proxy.hs2.generated import ttypes
from proxy.journal.record import TRACEPARENT
from proxy.service.call import Call
from proxy.session import ClientSession, Handle, Lease, with_handle
from proxy.upstream import Attachment, without_namespace
from proxy.wire import find, read_i32, read_map, value_bytes, with_field, write_map
from proxy.wire.message import I32, MAP
from rewriter.model import split_name

_CLIENT_PROTOCOL, _REQUEST_CONFIGURATION = (1, 1), (1, 4)
_SERVER_PROTOCOL, _CONFIGURATION = (0, 2), (0, 4)
_FETCH_SIZE, _USUAL_FETCH_SIZE, _GOOD_FETCH_SIZE = (
    "hive.server2.thrift.resultset.default.fetch.size",
    "1000",
    "10000",
)
# With this namespace, as in jdbc:hive2://host:port/viewgate.system, a session is for operators: it opens no upstream
# session before a statement needs one, so that Viewgate's own statements run while every upstream is drained or down.
_NAMESPACE, _OF_OPERATORS = "use:database", "viewgate.system"
_DEFAULT = b"set:hiveconf:spark.sql.defaultCatalog"
_LONG_POLL = "hive.server2.long.polling.timeout"
_PROXY_USER = "hive.server2.proxy.user"
_PROXY_USER_KEYS = frozenset({_PROXY_USER, f"set:hiveconf:{_PROXY_USER}", f"set:system:{_PROXY_USER}"})


async def open_session(call: Call) -> bytes:
    """Open a session for the user who logged in, or for an impersonated user; return the reply to OpenSession.

    The upstream session is opened at once if the upstream has room for another session. If the upstream is slow, the
    upstream session is opened in the background. If the upstream is full, or if the session is for operators (opened in
    the namespace `viewgate.system`), the upstream session is opened for the first statement that needs it. If Spark's
    default catalog does not answer, and the namespace is in another catalog, the session gets this other catalog as its
    default. The `username` of the request is ignored. Raise SqlError if the user may not be impersonated, if a limit on
    sessions is exceeded, or if the upstream refuses the session.
    """
    with call.service.sessions.opening():
        return await _opened(call)


async def _opened(call: Call) -> bytes:
    if len(call.message) > call.service.configuration:
        raise SqlError(
            f"the login and the settings of the session have {len(call.message)} bytes, but [limits] configuration "
            f"allows only {call.service.configuration} bytes: connect with fewer settings, or ask an administrator to "
            "raise the limit",
            "54000",
        )
    asked = find(call.message, _CLIENT_PROTOCOL)
    version = clamped(read_i32(call.message, asked) if asked else None)
    message = with_field(call.message, _CLIENT_PROTOCOL, I32, version.to_bytes(4, "big"))
    configuration = call.request(ttypes.TOpenSessionReq).configuration or {}
    service = call.service
    user, configuration, message = _acting(call, configuration, message)
    message = _with_short_polls(message, configuration, version)
    facts = service.facts(user, configuration)
    for_operators = configuration.get(_NAMESPACE, "").lower() == _OF_OPERATORS
    if for_operators:
        message = without_namespace(message) or message
    upstream = Attachment(service.upstreams, user, call.peer.user, message)
    try:
        reply = None if for_operators else await upstream.open()
    except SqlError as error:
        catalog = split_name(configuration.get(_NAMESPACE, ""))[0]
        if not is_unanswered(error) or service.catalogs is None or catalog not in service.catalogs:
            raise
        message = _with_default_catalog(message, catalog)
        upstream = Attachment(service.upstreams, user, call.peer.user, message)
        reply = await upstream.open()
    reply = reply or _reply_of_our_own(call, upstream.version)
    answered = find(reply, _SERVER_PROTOCOL)
    if answered is None:
        await upstream.close()
        server = "Spark" if upstream.place is None else upstream.place.upstream.named
        raise Unreachable(
            f"{server} opened a session but did not report its protocol version: check that this [[upstream]] is a "
            "Spark Thrift Server"
        )
    version = min(version, read_i32(reply, answered))
    traceparent = next((value for key, value in configuration.items() if _names(key, TRACEPARENT)), "")
    handle = Handle.new(service.mark)
    session = ClientSession(user, version, upstream, facts, call.peer.user, handle, traceparent, call.peer.address)
    upstream.watch(partial(service.answering.moved, session))
    session.tied, session.for_operators = call.peer.tied, for_operators
    service.sessions.add(session)
    if session.tied:
        call.peer.sessions.append(session)
    reply = with_field(reply, _SERVER_PROTOCOL, I32, version.to_bytes(4, "big"))
    reply = with_handle(reply, SESSION_HANDLE, session.handle)
    return _with_fetch_size(reply, configuration)


def _names(key: str, setting: str) -> bool:
    """Return whether a key of a session's configuration names a setting.

    JDBC drivers prefix such keys with `set:hiveconf:`.

    >>> _names("set:hiveconf:traceparent", "traceparent"), _names("my.traceparent", "traceparent")
    (True, False)
    """
    return key.rsplit(":", 1)[-1].lower() == setting


def _reply_of_our_own(call: Call, version: int) -> bytes:
    """Return a reply to OpenSession made by Viewgate, for a session whose upstream session is not open yet.

    `version` is the protocol version to report. The handle in the reply consists of zeros, which the caller replaces.
    """
    handle = ttypes.THandleIdentifier(guid=bytes(16), secret=bytes(16))
    response = ttypes.TOpenSessionResp(
        status=success(), serverProtocolVersion=version, sessionHandle=ttypes.TSessionHandle(sessionId=handle)
    )
    return call.reply(response)


def _with_fetch_size(reply: bytes, configuration: dict[str, str]) -> bytes:
    """Return the OpenSession reply with a larger fetch size for Hive JDBC, if the client uses Hive's default.

    `configuration` is the session configuration that the client has sent. Over a network, the cost of a fetch is mostly
    the round trip, not the rows.
    """
    span = find(reply, _CONFIGURATION)
    entries = read_map(value_bytes(reply, span)) if span else []
    if configuration.get(f"set:hiveconf:{_FETCH_SIZE}") == _USUAL_FETCH_SIZE:
        entries.append((_FETCH_SIZE.encode(), _GOOD_FETCH_SIZE.encode()))
    # Hive JDBC reads the map without checking that it exists.
    return with_field(reply, _CONFIGURATION, MAP, write_map(entries))


def _with_short_polls(message: bytes, configuration: dict[str, str], version: int) -> bytes:
    """Return the OpenSession message with a short long-polling timeout for the upstream.

    By default, Spark delays the reply to a status poll by up to five seconds. Until the reply, the session's connection
    is busy, and a client that makes one call at a time has to wait: Hive JDBC could not even cancel. The message is
    returned unchanged if the client has set the timeout in its `configuration`. The message is also returned unchanged
    for a protocol version of 6 or older, because such clients sleep between polls.
    """
    held_s = status_held_s(version)
    if held_s == SPARK_HOLDS_S or any(key.endswith(_LONG_POLL) for key in configuration):
        return message
    span = find(message, _REQUEST_CONFIGURATION)
    entries = read_map(value_bytes(message, span)) if span else []
    entries.append((f"set:hiveconf:{_LONG_POLL}".encode(), b"%dms" % (held_s * 1000)))
    return with_field(message, _REQUEST_CONFIGURATION, MAP, write_map(entries))


def _with_default_catalog(message: bytes, catalog: str) -> bytes:
    """Return the OpenSession message of a session whose namespace is in `catalog` with this default catalog.

    Spark's own default catalog is then not loaded, which Spark otherwise does before it enters the namespace, and which
    fails while the default catalog is down. Once the session is in the namespace, the default has no effect.
    """
    span = find(message, _REQUEST_CONFIGURATION)
    others = [(key, value) for key, value in read_map(value_bytes(message, span)) if key != _DEFAULT] if span else []
    return with_field(message, _REQUEST_CONFIGURATION, MAP, write_map([*others, (_DEFAULT, catalog.encode())]))


def _acting(call: Call, configuration: dict[str, str], message: bytes) -> tuple[str, dict[str, str], bytes]:
    """Return the session's user, and the configuration and OpenSession message without the setting for impersonation.

    The setting is removed because Viewgate has already checked the impersonation. Spark, to which Viewgate logs in as
    the impersonated user, would check the permission of that user to impersonate. Raise SqlError 28000 if the client
    names several users, or may not act for the user.
    """
    wishes = {call.peer.acting_for, *(configuration[key] for key in _PROXY_USER_KEYS & configuration.keys())} - {""}
    if len(wishes) > 1:
        raise SqlError(
            f"A session can act for only one user, but {' and '.join(sorted(wishes))} were requested: name the "
            "same user in the connection and in hive.server2.proxy.user, or set only one",
            "28000",
        )
    user = call.service.proxy_users.acting(call.peer.user, wishes.pop() if wishes else "")
    span = find(message, _REQUEST_CONFIGURATION)
    if span is None or not _PROXY_USER_KEYS & configuration.keys():
        return user, configuration, message
    entries = read_map(value_bytes(message, span))
    kept = write_map((key, value) for key, value in entries if key.decode("utf-8", "replace") not in _PROXY_USER_KEYS)
    configuration = {key: value for key, value in configuration.items() if key not in _PROXY_USER_KEYS}
    return user, configuration, with_field(message, _REQUEST_CONFIGURATION, MAP, kept)


async def close_session(call: Call) -> bytes:
    """Close the session with its operations, and return the reply to CloseSession."""
    session = call.session()
    if session in call.peer.sessions:
        call.peer.sessions.remove(session)
    await call.service.close_session(session)
    return call.reply(ttypes.TCloseSessionResp(status=success()))


async def relay(call: Call) -> bytes:
    """Relay a call to the upstream session and return the upstream's reply.

    Raise SqlError if the upstream session cannot be opened or is lost.
    """
    with Lease(call.session()) as lease:
        upstream = await lease.hold()
        return await upstream.call(call.addressed_to(upstream.handle))
