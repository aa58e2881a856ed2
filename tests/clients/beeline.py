"""Runs the script with the beeline that comes with Spark."""

from __future__ import annotations

import re
from typing import Any

from tests.clients.script import STATEMENTS
from tests.integration import clients


def answers(port: int) -> dict[str, Any]:
    """Return what beeline prints to either stream for the script, in which no statement may be empty."""
    statements = [sql for sql in STATEMENTS if sql]
    spoken = clients.beeline(port, *statements, options=("--showHeader=true", "--force=true"))
    return {"exit code": spoken.code, "rows": spoken.rows, "errors": _errors(spoken.errors)}


def _errors(printed: str) -> list[str]:
    """Return the error messages with their states and codes, without stack frames and Spark's counters."""
    lines = (line for line in printed.splitlines() if re.search(r"^Error:|SQLSTATE|\(state=", line))
    return [re.sub(r"#\d+L?|\.\.\. \d+ more", "#", line) for line in lines]
