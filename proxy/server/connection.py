"""Implements a client connection: reads and writes bytes, in clear text or TLS, and runs the calls one after the other.

A call that waits only for replies of an upstream server runs without an asyncio task (see `Steps`). The event loop
would run a task in a separate iteration at the start and after each reply, and each iteration costs a system call.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Coroutine
from typing import Any, cast

from proxy.journal.texts import shortened
from proxy.server.conversations import CONVERSATIONS, Caller, Conversation
from proxy.server.entrance import Entrance
from proxy.service import Peer
from proxy.upstream import Reply
from proxy.wire import Refused, TlsServer, Transport, WireError, transport_of
from proxy.wire.tls import TLS_ONLY

_SHOWN = 500  # characters of a reason in the log: a reason may quote bytes of a stranger


# With a stand-in server that answers at once, statements took 0.82 to 0.97 of the time that they take with a task for
# each call: benchmarks/beside.py.
class Steps:
    """A coroutine that runs without an asyncio task, as long as it awaits only replies of upstream servers (`Reply`).

    `start` runs the coroutine up to its first wait; when the awaited reply arrives, the coroutine continues. When the
    coroutine awaits any other object, an asyncio task takes over the coroutine. Until a task runs the coroutine, the
    coroutine must not use `asyncio.timeout` or other functions that need a current task.
    """

    __slots__ = ("_coroutine", "_done", "_ended", "_reply", "_task")

    def __init__(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self._coroutine = coroutine
        self._reply: Reply | None = None  # the reply for which the coroutine waits
        self._task: asyncio.Task[None] | None = None
        self._done = False
        self._ended: asyncio.Future[None] | None = None  # created for the first waiter

    def start(self) -> None:
        """Run the coroutine, from its start or from its last wait, up to its next wait or its end."""
        self._run(self._coroutine.send, None)

    def _run(self, step: Callable[[Any], Any], value: Any) -> None:
        self._reply = None
        try:
            waits_for = step(value)
        except (StopIteration, asyncio.CancelledError):
            self._end()
            return
        if isinstance(waits_for, Reply):
            waits_for._asyncio_future_blocking = False  # tells the awaited future that it was noticed
            waits_for.resume = self.start
            self._reply = waits_for
            return
        self._task = asyncio.get_running_loop().create_task(_Rest(self._coroutine, waits_for))
        self._task.add_done_callback(self._end)

    def cancel(self) -> None:
        """Cancel the coroutine: raise CancelledError in the coroutine, at the point where the coroutine waits.

        Do nothing if the coroutine has ended.
        """
        reply = self._reply
        if self._task is not None:
            self._task.cancel()
        elif reply is not None:
            reply.resume = None
            reply.cancel()
            self._run(self._coroutine.throw, asyncio.CancelledError())

    async def wait(self) -> None:
        """Wait until the coroutine has ended."""
        if self._done:
            return
        if self._ended is None:
            self._ended = asyncio.get_running_loop().create_future()
        await asyncio.shield(self._ended)

    def _end(self, _: object = None) -> None:
        self._done = True
        if self._ended is not None:
            self._ended.set_result(None)


class _Rest(Coroutine[Any, Any, None]):
    """A coroutine that has already run up to a wait, wrapped so that an asyncio task can continue the coroutine.

    `waits_for` is the object that the coroutine awaits.
    """

    def __init__(self, coroutine: Coroutine[Any, Any, None], waits_for: Any) -> None:
        self._coroutine = coroutine
        self._waits_for = waits_for

    def send(self, value: Any) -> Any:
        waits_for, self._waits_for = self._waits_for, None
        return self._coroutine.send(value) if waits_for is None else waits_for

    def throw(self, *error: Any) -> Any:
        self._waits_for = None
        return self._coroutine.throw(*error)

    def close(self) -> None:
        self._coroutine.close()

    def __await__(self) -> Any:
        return self


logger = logging.getLogger(__name__)

_AHEAD = 256 * 1024  # bytes that a client may send while a call is answered, before reading is paused
_NO_TLS = "the client uses TLS, but [server.tls] has no certificate"


class Connection(asyncio.Protocol):
    """A connection from a client or from another worker process.

    Invalid bytes close only this connection. When the connection is lost, the call that is being answered is cancelled.
    `entered(connection)` is called when the connection is made, and `left(connection, peer)` when the connection is
    lost; `peer` is the client that has logged in, None before the login. The sessions that `peer` opened over this
    connection then end, except over HTTP.

    `kind` is the class of the conversation (the protocol) with another worker process; if `kind` is None, a client
    connects, and the first byte determines the transport. If `only` is given, clients must use this transport, in clear
    text or in TLS.
    """

    def __init__(
        self,
        entrance: Entrance,
        entered: Callable[[Connection], None],
        left: Callable[[Connection, Peer | None], None],
        kind: type[Conversation] | None = None,
        only: Transport | None = None,
    ) -> None:
        self._only = only
        self._kind = kind
        self.within = kind is not None
        self._entrance = entrance
        self._entered = entered
        self._left = left
        self._tls: TlsServer | None = None
        self._conversation: Conversation | None = None
        self._ahead = 0
        self._held = 0
        self._writable = asyncio.Event()
        self._writable.set()
        self.worker: Steps | None = None

    def close(self) -> None:
        """Close the connection after the bytes written so far are sent."""
        if self._tls is not None and not self._transport.is_closing():
            self._transport.write(self._tls.end())
        self._transport.close()

    def abort(self) -> None:
        """Close the connection at once; bytes that are not sent yet are lost."""
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport = cast(asyncio.Transport, transport)  # uvloop's transport does not derive from it
        self._transport = transport
        connected = transport.get_extra_info("socket")
        if connected is not None:
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        peername = transport.get_extra_info("peername")
        self._address = f"{peername[0]}:{peername[1]}" if peername else "?"
        self._await_login()
        self._entered(self)
        if not self.within:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        try:
            if self._tls is not None:
                data = self._in_the_clear(self._tls, data)
            if self._conversation is None and data:
                data = self._begin(data)
            if self._conversation is not None and data:
                self._take(self._conversation, data)
            if self._tls is not None and self._tls.ended:
                self.close()
        except WireError as error:
            self._refuse(Refused(str(error)))
        except Exception:
            logger.exception("%s: connection closed", self._name)
            self.abort()

    def eof_received(self) -> bool:
        return False  # closes the transport, and so cancels the running call

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_login()
        self._entrance.held.bytes -= self._held
        self._held = 0
        self._writable.set()
        if self.worker is not None:
            self.worker.cancel()
        self._left(self, self._conversation.peer if self._conversation else None)

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def _begin(self, data: bytes) -> bytes:
        """Detect the transport by the first byte of a connection and create the Conversation, which decodes its bytes.

        `data` are the bytes received so far. Return the bytes for the Conversation: `data`, decrypted if the client
        uses TLS. Return empty bytes if the TLS handshake needs more bytes, or if the transport is refused. Raise
        WireError if the client uses TLS and no certificate is configured.
        """
        if self._kind is not None:
            self._conversation = self._kind(self._entrance, Caller(self._address, secure=True))
            return data
        transport, tls = transport_of(data[0]), self._entrance.tls
        if transport is Transport.TLS and self._tls is None:
            if tls is None:
                raise WireError(_NO_TLS)
            self._tls = TlsServer(tls.context)
            data = self._in_the_clear(self._tls, data)
            return self._begin(data) if data else b""
        kind = CONVERSATIONS.get(transport, CONVERSATIONS[None])
        wrong = self._wrong(transport)
        if wrong is not None:
            self._refuse(Refused(wrong, kind.refusal(wrong)))
            return b""
        self._conversation = kind(self._entrance, Caller(self._address, self._tls is not None))
        return data

    def _wrong(self, transport: Transport | None) -> str | None:
        """Return the reason why a transport is refused on this connection; None if the transport is allowed.

        A `transport` of None means that the first byte identifies no transport.
        """
        tls = self._entrance.tls
        if tls is not None and tls.required and self._tls is None:
            return TLS_ONLY
        if self._only is not None and transport is not self._only:
            return f"This port accepts only {self._only.value}: connect to [server] port, which accepts all transports"
        return None

    def _in_the_clear(self, tls: TlsServer, data: bytes) -> bytes:
        try:
            return tls.receive_data(data)
        finally:
            pending = tls.pending()
            if pending:
                self._transport.write(pending)

    def _take(self, conversation: Conversation, data: bytes) -> None:
        if self.worker is None:
            answer = conversation.at_once(data) if not self._held and self._writable.is_set() else None
            if answer is not None:
                self._write(answer)
                return
            conversation.receive_data(data)
            event = conversation.next_event()
            if event is not None:
                self.worker = Steps(self._work(conversation, event))
                self.worker.start()
        else:
            conversation.receive_data(data)
            self._ahead += len(data)
            if self._ahead > _AHEAD:
                self._transport.pause_reading()
        self._hold(conversation.buffered)

    def _hold(self, count: int) -> None:
        """Record that `count` bytes of incomplete messages are buffered for this connection now.

        Raise WireError, which closes the connection, if the buffers of all connections together exceed the limit and
        this buffer exceeds 256 KiB. A connection from another worker process is never closed for this reason.
        """
        if count == self._held:
            return
        held = self._entrance.held
        held.bytes += count - self._held
        self._held = count
        # Another worker sends only complete messages; closing its connection would lose the reply, but not the session.
        if held.bytes > self._entrance.limits.buffers and count > _AHEAD and not self.within:
            raise WireError(
                f"the limit for incomplete messages is exceeded: {held.bytes} bytes are buffered, {count} of them "
                "for this connection; an administrator can raise [limits] buffers"
            )

    async def _work(self, conversation: Conversation, event: Any) -> None:
        """Answer an event (a call or a login step), and then the events that have arrived meanwhile, in order.

        `conversation` is the protocol of the connection.
        """
        try:
            while event is not None:
                answer = await conversation.answer(event)
                if isinstance(answer, Refused):
                    return self._refuse(answer)
                self._write(answer)
                if conversation.peer is not None:
                    self._end_login()
                if conversation.ends:
                    return self.close()
                if not self._writable.is_set():
                    await self._writable.wait()
                if self._ahead:
                    self._ahead = 0
                    self._transport.resume_reading()
                event = conversation.next_event()
                self._hold(conversation.buffered)
        except WireError as error:
            self._refuse(Refused(str(error)))
        # if the awaited work was cancelled, the client would otherwise wait for a reply for ever
        except asyncio.CancelledError:
            self._transport.abort()
            raise
        except Exception:
            logger.exception("%s: connection closed", self._name)
            self.close()
        finally:
            self.worker = None

    def _write(self, data: bytes) -> None:
        self._transport.write(data if self._tls is None else self._tls.send(data))

    def _refuse(self, refused: Refused) -> None:
        logger.warning("%s: connection closed: %s", self._name, shortened(refused.reason, _SHOWN))
        if refused.reply:
            self._write(refused.reply)
        self.close()

    def _await_login(self) -> None:
        self._deadline = asyncio.get_running_loop().call_later(self._entrance.limits.handshake, self._too_slow)

    def _end_login(self) -> None:
        self._deadline.cancel()
        self._entrance.held.logins.pop(self, None)

    def _make_room(self) -> None:
        """Record that this connection has no login yet, and close a connection without a login if there are too many.

        A connection whose login Viewgate is checking now is not closed. Of the other connections without a login, whose
        clients Viewgate waits for, the oldest is closed; this can be the new connection itself.
        """
        waiting = self._entrance.held.logins
        waiting[self] = None
        if len(waiting) > self._entrance.limits.logins:
            next(connection for connection in waiting if connection.worker is None).give_way()

    def give_way(self) -> None:
        """Close the connection, because too many connections have no login."""
        self._end_login()
        logger.warning(
            "%s: connection closed: more than %d connections have no login, and this is the oldest that Viewgate is "
            "not checking; an administrator can raise [limits] logins",
            self._address,
            self._entrance.limits.logins,
        )
        self._transport.abort()

    def _too_slow(self) -> None:
        if self.worker is not None:  # Viewgate causes the delay, not the client
            self._await_login()
            return
        logger.warning(
            "%s: connection closed: the client did not log in within %g s",
            self._address,
            self._entrance.limits.handshake,
        )
        self._transport.abort()

    @property
    def _name(self) -> str:
        peer = self._conversation.peer if self._conversation else None
        return str(peer or self._address)
