"""A relay to a server that can be cut (connections through it are lost, and new ones succeed) or held (no replies)."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Event, Thread
from typing import Self


class Way:
    """The relay, used in a `with` statement; its own port is `port`."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._connections: list[socket.socket] = []
        self._going = Event()
        self._going.set()
        self._threads = [Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def open(self) -> int:
        """Return the number of connections through it."""
        return sum(connection.fileno() >= 0 for connection in self._connections) // 2

    def cut(self) -> None:
        """Drop all connections; their clients have noticed when this returns."""
        for client in self._connections[::2]:
            with suppress(OSError):
                client.shutdown(socket.SHUT_WR)
        for thread in self._threads[1:]:
            thread.join(10)

    def hold(self) -> None:
        """Drop all connections, and let new ones get no reply until `resume`, as if the server hung."""
        self._going.clear()
        for connection in self._connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def resume(self) -> None:
        self._going.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._going.wait()
                server = socket.create_connection(("127.0.0.1", self._to))
                self._connections += (client, server)
                for pair in ((client, server), (server, client)):
                    self._threads.append(Thread(target=_carry, args=pair, daemon=True))
                    self._threads[-1].start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.resume()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()
        self._threads[0].join(10)
        for connection in self._connections:
            connection.close()


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            with suppress(OSError):  # dropped behind a cut: to shut the way now would be before its maker has noticed
                target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
    source.close()
