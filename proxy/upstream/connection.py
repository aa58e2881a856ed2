"""Implements one connection to an upstream server: a login, then calls, which the server answers in order.

`Control` is the connection that all sessions on a server share, for calls that must not wait for a statement.
"""

from __future__ import annotations

import asyncio
import select
import ssl
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from proxy.hs2 import ConnectionLost, LoginRefused, SqlError, Unreachable
from proxy.upstream.dial import NotLetIn, certificate_expires, dial, foreign, tls_failure
from proxy.upstream.terms import OWN, Timeouts, Upstream
from proxy.wire import Authenticated, ClientEvent, HttpFailure, Refused, Token, WireError, name_of

# Threads for logins that call another service, such as a KDC. Their pool is separate, so that a slow service blocks no
# other work.
_LOGINS = ThreadPoolExecutor(4, "login")

# Remedies for a server that does not know the mechanism of Viewgate's login.
_REMEDIES = {
    "PLAIN": "the server wants a Kerberos ticket: configure [upstream.kerberos] of its [[upstream]]",
    "GSSAPI": "the server accepts no Kerberos tickets: remove [upstream.kerberos] of its [[upstream]]",
}

# HTTP statuses that mean a refused login, a wrong path, and a busy server.
_NO_LOGIN, _NO_PATH, _BUSY = frozenset({401, 403}), frozenset({404, 405}), frozenset({429, 502, 503, 504})

_A_MOMENT = 0.01  # seconds to wait to see whether bytes that arrived between two calls end the connection


class Pulse:
    """The time of a server's last reply on any connection, and the number of open network connections.

    `at` is the time of the last reply, on the event loop's clock; minus infinity before the first reply. `open` is the
    number of open network connections. `gone` is set while no network connection is open; `in_session` waits for this
    event, because the end of a TLS connection takes a round trip. `certificate_expires` is the expiry of the server's
    certificate, in seconds since 1970; None without TLS.
    """

    __slots__ = ("at", "certificate_expires", "gone", "open")

    def __init__(self) -> None:
        self.at = float("-inf")
        self.open = 0
        self.gone = asyncio.Event()
        self.gone.set()
        # the expiry of the server's certificate as last seen, in seconds since 1970; None without TLS
        self.certificate_expires: float | None = None


class Reply(asyncio.Future[bytes]):
    """A future for the reply to one call.

    `call` is the request message; the call's name determines the timeout. `resume`, if set, is called once the reply or
    an error has arrived. `late`, if set, is called if the future was cancelled: with the reply message when the reply
    arrives, or with None after an error.
    """

    call = b""
    resume: Callable[[], Any] | None = None
    late: Callable[[bytes | None], None] | None = None

    def deliver(self, message: bytes) -> None:
        """Set the reply message as the result; if the future was cancelled, pass the message to `late` instead."""
        if not self.done():
            self.set_result(message)
            self._go_on()
        elif self.late is not None:
            self.late(message)

    def fail(self, error: Exception) -> None:
        """Set an error in place of the reply; if the future was cancelled, call `late` with None instead."""
        if not self.done():
            self.set_exception(error)
            # `fail` may be called from within any other code; the caller resumes in a later turn of the loop
            self.get_loop().call_soon(self._go_on)
        elif self.late is not None:
            self.late(None)

    async def or_late(self, late: Callable[[bytes | None], None]) -> bytes:
        """Wait for the reply to the call and return this reply.

        If the waiting task is cancelled, `late` is called with the reply when the reply arrives, or with None after an
        error.
        """
        self.late = late  # set before waiting: the reply may arrive between the cancellation and the task's next turn
        try:
            return await self
        except asyncio.CancelledError:
            if not self.cancelled():
                late(None if self.exception() else self.result())
            raise

    def _go_on(self) -> None:
        resume, self.resume = self.resume, None
        if resume is not None:
            resume()


class Connection(asyncio.Protocol):
    """A connection to an upstream server: it logs in as `user`, and then makes calls.

    If the wait for a reply is cancelled, the connection still reads the reply. Over HTTP, an upstream session outlives
    the network connection: if the server closes the network connection between two calls, the next call opens a new
    network connection. `pulse` records the times of the server's replies.
    """

    def __init__(self, upstream: Upstream, user: str, password: str, timeouts: Timeouts, pulse: Pulse) -> None:
        self._loop = asyncio.get_running_loop()  # stored, because get_running_loop makes a system call each time
        self._upstream = upstream
        self._client = upstream.client(user, password)
        self._login = upstream.login() if upstream.link.tickets is not None else None
        self._stepping: asyncio.Task[None] | None = None
        self._timeouts = timeouts
        self._shortest = timeouts.shortest  # needed for each call
        self._pulse = pulse
        self._heard = False  # whether the server has sent any bytes
        self._waiting: deque[Reply] = deque()
        self._since = 0.0  # when the upstream began with the first waiting call
        self._watch: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None
        self._unsent = b""  # bytes to send on the next network connection
        self._making: asyncio.Task[None] | None = None
        self._lost: SqlError | None = None
        self._advice = "Try again."
        self.ready: asyncio.Future[None] = self._loop.create_future()

    @property
    def alive(self) -> bool:
        """Whether calls can still be made, because the connection is neither lost nor closed."""
        return self._lost is None

    @property
    def asking(self) -> bool:
        """Whether a step of the Kerberos login is running, which may wait for the Key Distribution Center (KDC)."""
        return self._stepping is not None and not self._stepping.done()

    @property
    def heard(self) -> bool:
        """Whether the server has sent any bytes."""
        return self._heard

    async def call(self, message: bytes) -> bytes:
        """Send a request message and return the reply; raise SqlError if the connection fails before the reply."""
        return await self.send(message)

    def send(self, message: bytes) -> Reply:
        """Send a request message and return the future of the reply.

        Further messages may be sent before the reply arrives; the upstream server handles them in order.
        """
        (reply,) = self.send_all((message,))
        return reply

    def send_all(self, messages: Sequence[bytes]) -> list[Reply]:
        """Send several request messages in one write; return the futures of the replies.

        A single write wakes up the upstream server only once.
        """
        replies = [self._expected(message) for message in messages]
        if self._lost is not None:
            return replies
        if self._client.resumable and self._transport is not None and _readable(self._transport):
            self._client.queue(messages)
            self._loop.call_later(_A_MOMENT, lambda: self._send(self._client.pending()))
        else:
            self._send(self._client.send(messages))
        return replies

    def advise(self, advice: str) -> None:
        """Set the hint that is appended to connection-loss errors of this connection."""
        self._advice = advice

    def close(self) -> None:
        """Close the connection; calls without a reply fail with ConnectionLost."""
        self._fail(self._error("was closed"))
        for task in (self._making, self._stepping):
            if task is not None:
                task.cancel()
        if self._transport is not None:
            self._transport.close()

    def begin(self, transport: asyncio.Transport) -> None:
        """Use a new network connection: send the first bytes of the login, and the requests that are not sent yet."""
        self._transport = transport
        self._pulse.open += 1
        self._pulse.gone.clear()
        transport.write(self._client.greeting + self._unsent)
        self._unsent = b""
        self._let_in()
        self._take()

    def data_received(self, data: bytes) -> None:
        if not self._heard and data and (answered := foreign(self._client.transport, data)) is not None:
            self._break(Unreachable(self._upstream.other_transport(answered)))
            return
        # not an answer to any call: the server ends the connection
        if self._client.resumable and self._transport is not None:
            self._transport.abort()
            return
        try:
            self._client.receive_data(data)
            if data:
                self._heard = True
            self._take()
        except WireError as error:
            self._break(self._error(f"sent an invalid message ({error})"))

    def eof_received(self) -> None:
        """Handle the end of the server's output; over HTTP, the end of output may complete a reply."""
        if self._waiting and self._lost is None:
            self.data_received(b"")

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is not None:
            self._transport = None
            self._pulse.open -= 1
            if not self._pulse.open:
                self._pulse.gone.set()
        if isinstance(exc, ssl.SSLError):  # a server that requires a client certificate reports it after the handshake
            self._fail(Unreachable(f"the TLS handshake with {self._upstream.named} failed: {tls_failure(exc)}"))
        elif self._heard and self._client.resumable and self._lost is None:
            self._client.renew()
            self._send(self._client.pending())
            return
        elif not self._heard:
            closed = f"{self._upstream.named} closes connections before the login"
            wants = (
                " requires a client certificate (see [upstream.tls])," if self._upstream.link.tls is not None else ""
            )
            self._fail(
                NotLetIn(f"{closed}: the server is failing,{wants} or all its threads are busy; try again later")
            )
        self._fail(self._error("has closed the connection" if exc is None else f"is lost ({exc})"))

    def _take(self) -> None:
        """Handle the replies and login steps in the received bytes; raise WireError for invalid bytes."""
        while (event := self._client.next_event(len(self._waiting))) is not None:
            if isinstance(event, bytes):
                self._answer(event)
                self._write(self._client.pending())
            else:
                self._shake_hands(event)

    def _expected(self, message: bytes) -> Reply:
        """Return the future of the reply to a message that is about to be sent.

        If the connection is lost, the future fails at once.
        """
        reply = Reply(loop=self._loop)
        reply.call = message
        if self._lost is not None:
            reply.fail(self._lost)
            return reply
        if not self._waiting:
            self._since = self._loop.time()
        self._waiting.append(reply)
        if self._watch is None:
            self._watch = self._loop.call_later(self._shortest, self._look)
        return reply

    def _send(self, data: bytes) -> None:
        """Send bytes that the codec (the object that encodes and decodes messages) has encoded.

        If `data` is empty, handle the next event of the codec instead, which may be a request for a Kerberos token.
        """
        if data:
            self._write(data)
        elif self._lost is None:
            self._take()

    def _write(self, data: bytes) -> None:
        if self._lost is not None:
            return
        if self._transport is not None:
            self._transport.write(data)
        elif data:
            self._unsent += data
            if self._making is None:
                self._making = self._loop.create_task(self._go_on())

    async def _go_on(self) -> None:
        """Open a new network connection and continue on it; if that fails, fail all calls that wait for a reply."""
        try:
            self.begin(await dial(self._upstream, self, self._timeouts))
        except SqlError as error:
            self._fail(error)
        finally:
            self._making = None

    def _shake_hands(self, event: ClientEvent) -> None:
        if isinstance(event, Refused):
            kind = "PLAIN" if self._upstream.link.tickets is None else "GSSAPI"
            lacks = f"; {_REMEDIES[kind]}" if event.reason.endswith(f"mechanism type {kind}") else ""
            self._break(LoginRefused(f"{self._upstream.named} refuses the login: {event.reason}{lacks}"))
        elif isinstance(event, HttpFailure):
            self._break(self._not_a_reply(event))
        elif isinstance(event, Token):
            self._stepping = self._loop.create_task(self._step(event.data))
        else:
            assert isinstance(event, Authenticated)
            self._let_in()

    async def _step(self, token: bytes) -> None:
        """Compute and send the client's answer to a Kerberos token of the server.

        The answer is computed in a thread, because the computation may call the KDC.
        """
        assert self._login is not None
        try:
            answer = await self._loop.run_in_executor(_LOGINS, self._login, token)
        except SqlError as error:
            self._break(Unreachable(f"{self._upstream.named}: {error.message}"))
        else:
            self._write(self._client.proceed(answer))

    def _let_in(self) -> None:
        if self._client.logged_in and not self.ready.done():
            self.ready.set_result(None)

    def _not_a_reply(self, failure: HttpFailure) -> SqlError:
        """Return the error for an HTTP response that has no Thrift reply, according to the HTTP status.

        `failure` has the status and the text of the response.
        """
        said = f"{self._upstream.named} answers with HTTP status {failure.status} ({failure.said})"
        if failure.status in _NO_LOGIN:
            return LoginRefused(
                f"{said} and refuses the login: check `user`, `password` and `headers` of its [[upstream]]"
            )
        if failure.status in _NO_PATH:
            return Unreachable(f"{said}: check `path` of its [[upstream]]; Spark's is hive.server2.thrift.http.path")
        if failure.status in _BUSY:
            return NotLetIn(f"{said}: the server, or a proxy before it, is busy; try again later")
        return Unreachable(f"{said}: check `path` of its [[upstream]], and the log of the server")

    def _answer(self, message: bytes) -> None:
        if not self._waiting:
            raise WireError("the upstream server sent a reply that no call awaits; see the log of the server")
        reply = self._waiting.popleft()
        self._since = self._pulse.at = self._loop.time()
        reply.deliver(message)

    def _look(self) -> None:
        """Close the connection if the oldest call without a reply is overdue; else check again when this call is due.

        One timer serves all calls, because a timer for each call would have to be created and cancelled.
        """
        self._watch = None
        if not self._waiting:
            return
        name = name_of(self._waiting[0].call)
        limit = self._timeouts.of(name)
        left = self._since + limit - self._loop.time()
        if left > 0:
            self._watch = self._loop.call_later(min(left, self._shortest), self._look)
        else:
            self._break(self._error(f"has not answered {name.decode('utf-8', 'replace')} for {limit:g} s"))

    def _error(self, what: str) -> SqlError:
        return ConnectionLost(f"{self._upstream.named} {what}.", self._advice)

    def _break(self, error: SqlError) -> None:
        self._fail(error)
        if self._transport is not None:
            self._transport.abort()

    def _fail(self, error: SqlError) -> None:
        self._lost = self._lost or error
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        if not self.ready.done():
            self.ready.set_exception(self._lost)
            self.ready.exception()  # retrieved, so that asyncio does not log the error if no task waits
        while self._waiting:
            self._waiting.popleft().fail(self._lost)


def _readable(transport: asyncio.Transport) -> bool:
    """Return whether the socket has unread bytes or the server has closed the connection."""
    poll = select.poll()
    poll.register(transport.get_extra_info("socket"), select.POLLIN)
    return bool(poll.poll(0))


async def connect(upstream: Upstream, user: str, password: str, timeouts: Timeouts, pulse: Pulse) -> Connection:
    """Open a connection to a server, log in as `user`, and return the connection.

    `pulse` records the times of the server's replies. Raise Unreachable (08S01) if the server cannot be reached or is
    too slow, and LoginRefused (28000) if the server refuses the login. `timeouts` limits each step.
    """
    connection = Connection(upstream, user, password, timeouts, pulse)
    transport = await dial(upstream, connection, timeouts)
    pulse.certificate_expires = certificate_expires(transport)
    try:
        connection.begin(transport)
        async with asyncio.timeout(timeouts.handshake):
            await connection.ready
    except TimeoutError as error:
        asking = connection.asking
        connection.close()
        if asking:
            raise Unreachable(
                f"the Kerberos login to {upstream.named} failed: no ticket was obtained within "
                f"{timeouts.handshake:g} s; check the `kdc` of the realm in krb5.conf"
            ) from error
        raise NotLetIn(
            f"{upstream.named} accepts connections but does not answer the login: either all threads of the server are "
            "busy (try again later), or `transport` of its [[upstream]] is wrong (an administrator must correct it)"
        ) from error
    except BaseException:
        connection.close()
        raise
    return connection


class Control:
    """The control connection to one server, for calls that must not wait for a statement, such as cancellations.

    All sessions on the server share the connection. The connection is opened at the first call, and again after a loss.
    """

    def __init__(self, upstream: Upstream, timeouts: Timeouts, pulse: Pulse) -> None:
        self.upstream = upstream
        self._timeouts = timeouts
        self._pulse = pulse
        self._connection: Connection | None = None
        self._opening = asyncio.Lock()

    async def call(self, message: bytes) -> bytes:
        """Send a message and return the reply; after an error, send the message once more.

        If the connection is lost, a new connection is opened. Use this method only for calls that the server answers at
        once and that can be repeated safely.
        """
        connection = await self._connected()
        try:
            return await connection.call(message)
        except SqlError:
            return await (await self._connected()).call(message)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    async def _connected(self) -> Connection:
        async with self._opening:
            if self._connection is None or not self._connection.alive:
                user, password = self.upstream.user or OWN, self.upstream.password or OWN
                connecting = connect(self.upstream, user, password, self._timeouts, self._pulse)
                self._connection = await asyncio.create_task(connecting)  # the caller may not run in a task
            return self._connection
