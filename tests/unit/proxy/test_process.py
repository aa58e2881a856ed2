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
