"""Tracks whether the catalog is available, so that during an outage only one statement waits for the time-out.

    available ──a call fails, or takes too long──▶ unavailable ──a probe succeeds──▶ available

A call takes too long if it waits for the time limit, in the queue or in a thread, and no call is answered meanwhile. A
call that waits as long while others are answered ends the same way for its statement, but begins no outage: the catalog
is only slow, and many statements wait for it.

While the catalog is unavailable, statements that need it go to Spark unchanged. The log reports the start of an
outage, once a minute its duration, and its end, instead of a traceback for each statement. Calls to the catalog block,
so they run in threads: a call that hangs delays neither other calls nor the end of the process.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from proxy.catalog.stores import CatalogError, reason
from proxy.hs2 import SqlError

T = TypeVar("T")


class Threads:
    """A pool of at most `count` daemon threads, which do not delay the end of the process.

    >>> threads = Threads(1, "doctest")
    >>> threads.submit(lambda: 6 * 7).result(), threads.close()
    (42, None)
    """

    def __init__(self, count: int, name: str) -> None:
        self._calls: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        self._count = count
        self._name = name
        self._started = 0

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Queue a call, which runs as soon as a thread is free, and return the future of its result."""
        future: Future[T] = Future()
        self._calls.put((call, future))
        if self._started < self._count:
            self._started += 1
            threading.Thread(target=self._work, name=f"{self._name}-{self._started}", daemon=True).start()
        return future

    def abandon(self, failure: Exception) -> None:
        """Raise `failure` from all calls in the queue, and let each thread end after its present call."""
        with suppress(Empty):
            while (submitted := self._calls.get_nowait()) is not None:
                if submitted[1].set_running_or_notify_cancel():
                    submitted[1].set_exception(failure)
        self.close()

    def close(self) -> None:
        """Let each thread end after it has run the calls submitted so far."""
        for _ in range(self._started):
            self._calls.put(None)

    def _work(self) -> None:
        while (submitted := self._calls.get()) is not None:
            call, future = submitted
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = call()
            except BaseException as failure:
                future.set_exception(failure)
            else:
                future.set_result(result)
            del submitted, call, future  # so that the thread does not keep the result alive


_log = logging.getLogger("viewgate")

TIMEOUT_S = 10.0
_THREADS = 4
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0
_TOLD_EVERY_S = 60.0


class Unavailable(SqlError):
    """The error raised while the catalog is unavailable; its message has the start and the cause of the outage."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "08001")


class StoreFailure(Exception):
    """The error raised if the catalog itself cannot be queried; `__cause__` is the original error.

    An unreadable metadata file of a single table does not raise this error.
    """


class _Busy(Exception):
    """The error raised if a call has exceeded the time limit, and other calls were answered meanwhile."""


class Reach:
    """A caller of blocking functions of one catalog, which tracks whether the catalog is available.

    `probe` is a cheap call, which is repeated while the catalog is unavailable; the functions in `back` are called when
    the catalog becomes available again. `timeout` is in seconds.
    """

    def __init__(self, name: str, probe: Callable[[], object], timeout: float = TIMEOUT_S) -> None:
        self._name = name
        self._probe = probe
        self._timeout = timeout
        self._threads = Threads(_THREADS, "catalog")
        self._long = Threads(_THREADS, "catalog-long")  # so that statements do not wait for long calls
        self._problem: str | None = None
        self._answered_at = 0.0  # like `_busy_told_at`, by time.monotonic
        self._busy_told_at = -_TOLD_EVERY_S
        self._probing: asyncio.Task[None] | None = None
        self.back: list[Callable[[], None]] = []

    @property
    def outage(self) -> str:
        """The start and the cause of the present outage; empty while the catalog is available."""
        return self._problem or ""

    @property
    def available(self) -> bool:
        """Whether the catalog answered the last call or probe; true before the first call."""
        return self._problem is None

    def check(self) -> None:
        """Raise Unavailable while the catalog is unavailable; do nothing otherwise."""
        if self._problem is not None:
            self._keep_probing()
            raise Unavailable(self._problem)

    async def answer(self, call: Callable[[], T]) -> T:
        """Return the result of a call; raise Unavailable if the catalog fails or the call exceeds the time limit.

        While the catalog is known to be unavailable, raise Unavailable without making the call.
        """
        try:
            return await self._asked(call)
        except _Busy as busy:
            self._tell_busy(str(busy))
            raise Unavailable(str(busy)) from busy

    async def at_length(self, call: Callable[[], T]) -> T:
        """Return the result of a call that may exceed the time limit, such as a read of many manifests.

        Each time the limit has passed, the catalog is probed: raise Unavailable if the catalog does not answer the
        probe. Also raise Unavailable if the call fails because the catalog does, and, without making the call, while
        the catalog is known to be unavailable.
        """
        self.check()
        result = asyncio.wrap_future(self._long.submit(call))
        try:
            while not (await asyncio.wait({result}, timeout=self._timeout))[0]:
                with suppress(_Busy):
                    await self._asked(self._probed)
        except Unavailable:
            self._long.close()  # as in `_in_time`
            self._long = Threads(_THREADS, "catalog-long")
            raise
        finally:
            result.cancel()
        try:
            return result.result()
        except StoreFailure as failure:
            raise self._unavailable(failure) from failure.__cause__ or failure

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Run a call in one of the threads for long calls, whether the catalog is available or not."""
        return self._long.submit(call)

    def close(self) -> None:
        """Stop probing, and let each thread end after it has run the calls submitted so far."""
        if self._probing is not None:
            self._probing.cancel()
        self._threads.close()
        self._long.close()

    def _probed(self) -> None:
        try:
            self._probe()
        except Exception as failure:
            raise StoreFailure from failure

    def _unavailable(self, failure: StoreFailure | TimeoutError) -> Unavailable:
        """Return the error for a call that has failed; an outage begins if the catalog itself is the cause."""
        cause = failure.__cause__ or failure
        if isinstance(cause, CatalogError):  # the catalog answers; only this table is unusable
            _log.warning(
                "catalog call failed catalog=%s reason=%r: no view is used for this statement",
                self._name,
                reason(cause),
            )
            return Unavailable(reason(cause))
        self._begin(_with_remedy(cause))
        return Unavailable(self._problem or "")

    async def _asked(self, call: Callable[[], T]) -> T:
        """Return the result of a call as `answer` does, but raise _Busy if only this call exceeds the time limit."""
        self.check()
        try:
            return await self._in_time(call)
        except (StoreFailure, TimeoutError) as failure:
            raise self._unavailable(failure) from failure.__cause__ or failure

    async def _in_time(self, call: Callable[[], T]) -> T:
        """Return the result of a call; raise TimeoutError if no call, or _Busy if only other calls, are answered within
        the time limit.
        """
        threads, began = self._threads, time.monotonic()
        submitted = threads.submit(lambda: self._answered(call))
        answer = asyncio.wrap_future(submitted)
        try:
            await asyncio.wait({answer}, timeout=self._timeout)
        except asyncio.CancelledError:
            answer.cancel()
            raise
        if answer.done():
            return answer.result()
        queued = submitted.cancel()
        answer.cancel()
        if self._answered_at >= began:
            if not queued:
                self._replace(threads).close()  # without the thread that may hang
            raise _Busy(
                f"the catalog {self._name} is busy: a statement waited {self._timeout:g} s for its reply, while others "
                "were answered; see the catalog's load, or raise [timeouts] catalog"
            )
        failure = TimeoutError(
            f"the catalog {self._name} gave no answer within {self._timeout:g} s; check the catalog, or raise "
            "[timeouts] catalog"
        )
        self._replace(threads).abandon(failure)
        raise failure

    def _answered(self, call: Callable[[], T]) -> T:
        """Run a call in a thread, and note the time of its reply."""
        result = call()
        self._answered_at = time.monotonic()
        return result

    def _replace(self, threads: Threads) -> Threads:
        """Use a new pool for later calls instead of `threads`, unless this has been done; return `threads`."""
        if self._threads is threads:
            self._threads = Threads(_THREADS, "catalog")
        return threads

    def _tell_busy(self, why: str) -> None:
        if time.monotonic() - self._busy_told_at >= _TOLD_EVERY_S:
            self._busy_told_at = time.monotonic()
            _log.warning("catalog busy catalog=%s reason=%r: the statement goes to Spark unchanged", self._name, why)

    def _begin(self, why: str) -> None:
        if self._problem is None:
            since = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
            self._problem = f"the catalog {self._name} is unavailable since {since}: {why}; Viewgate keeps trying"
            _log.warning(
                "catalog unavailable catalog=%s reason=%r: statements over its tables go to Spark unchanged",
                self._name,
                why,
            )
        self._keep_probing()

    def _keep_probing(self) -> None:
        if self._probing is None or self._probing.done():
            self._probing = asyncio.create_task(self._until_available())

    async def _until_available(self) -> None:
        began = told = time.monotonic()
        pause = _FIRST_PAUSE_S
        while True:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)
            try:
                await self._in_time(self._probe)
                break
            except Exception as failure:
                if time.monotonic() - told >= _TOLD_EVERY_S:
                    told = time.monotonic()
                    seconds, why = told - began, reason(failure)
                    _log.warning(
                        "catalog still unavailable catalog=%s outage_s=%.0f reason=%r: views that need it are not used",
                        self._name,
                        seconds,
                        why,
                    )
        self._problem = None
        _log.info(
            "catalog available catalog=%s outage_s=%.1f: its views are used again", self._name, time.monotonic() - began
        )
        for resume in self.back:
            resume()


def _with_remedy(cause: BaseException) -> str:
    """Return the cause of an outage, and what to do; Viewgate's own errors, which are built-in ones, say so already."""
    own = isinstance(cause, ConnectionError | TimeoutError)
    return reason(cause) if own else f"{reason(cause)}; check the catalog's server"
