from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from proxy.process import name_log

pytest.importorskip("resource")

# Blocks of rows as they pass, and how often the system had to find a page for one.
CHURN = """
import resource
from proxy.process import settle_memory
settle_memory()
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def pass_blocks():
    for _ in range(20):
        read = bytearray(340_000)
        whole = bytes(read)
        sent = whole + read
        del read, whole, sent
pass_blocks()
before = faults()
pass_blocks()
print(faults() - before)
"""


def page_faults() -> int:
    return int(subprocess.run([sys.executable, "-c", CHURN], capture_output=True, check=True, text=True).stdout)


def test_the_memory_of_a_block_is_there_for_the_next() -> None:
    assert page_faults() < 200


@pytest.fixture
def formatter(monkeypatch: pytest.MonkeyPatch) -> logging.Formatter:
    handler = logging.NullHandler()
    monkeypatch.setattr(logging.getLogger(), "handlers", [handler])
    name_log("worker 1: ")
    assert handler.formatter is not None
    return handler.formatter


def logged(formatter: logging.Formatter, message: str, error: Exception | None = None) -> str:
    exc_info = (type(error), error, None) if error else None
    return formatter.format(logging.makeLogRecord({"msg": "view=%s", "args": (message,), "exc_info": exc_info}))


def test_a_name_forges_no_line_of_the_log(formatter: logging.Formatter) -> None:
    assert logged(formatter, "a\n2026-11-26 00:00:00,000 INFO statement").endswith(
        "view=a\\n2026-11-26 00:00:00,000 INFO statement"
    )
    assert logged(formatter, "\x1b[1A\x1b[2K\u2028é").endswith("worker 1: view=\\x1b[1A\\x1b[2K\\u2028é")


def test_the_message_of_an_exception_controls_no_terminal(formatter: logging.Formatter) -> None:
    assert logged(formatter, "a", ValueError("x\x1b[1A\ny")).endswith("view=a\nValueError: x\\x1b[1A\ny")


# A call of py4j to a JVM that is killed before it answers; here a server that resets the connection.
INTERRUPTED_CALL = """
import socket, struct, threading
from py4j.clientserver import ClientServer, JavaParameters, PythonParameters
from py4j.protocol import Py4JError
from proxy.process import begin_log
begin_log()
server = socket.create_server(("127.0.0.1", 0))
def kill():
    connection, _ = server.accept()
    connection.recv(1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
threading.Thread(target=kill, daemon=True).start()
java = JavaParameters(port=server.getsockname()[1])
gateway = ClientServer(java, PythonParameters(port=0, eager_load=False))
try:
    gateway.jvm.java.lang.System.currentTimeMillis()
except Py4JError:
    print("told to the caller")
"""


def test_the_end_of_a_jvm_is_not_logged_once_more_with_the_traceback_of_each_call() -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED_CALL], capture_output=True, check=True, text=True)
    assert (ended.stdout, ended.stderr) == ("told to the caller\n", "")
