"""Blocking calls, run on a few daemon threads: one that hangs keeps neither the others nor the end of the process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class Threads:
    """At most `count` threads. Unlike those of ThreadPoolExecutor, they are not waited for when the process ends.

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
        """Return the future of a call, which runs when a thread is free."""
        future: Future[T] = Future()
        self._calls.put((call, future))
        if self._started < self._count:
            self._started += 1
            threading.Thread(target=self._work, name=f"{self._name}-{self._started}", daemon=True).start()
        return future

    def close(self) -> None:
        """End each thread after the calls that were submitted before."""
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
            del submitted, call, future  # the thread must not keep what it has returned
