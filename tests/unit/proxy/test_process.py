from __future__ import annotations

import subprocess
import sys

import pytest

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
