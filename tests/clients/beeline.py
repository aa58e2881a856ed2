"""Beeline, as it comes with Spark."""

from __future__ import annotations

import re
from typing import Any

from tests.clients.script import STATEMENTS
from tests.integration import clients


def answers(port: int) -> dict[str, Any]:
    """What it prints to either stream for the script, in which no statement may be empty."""
    statements = [sql for sql in STATEMENTS if sql]
    spoken = clients.beeline(port, *statements, options=("--showHeader=true", "--force=true"))
    return {"exit code": spoken.code, "rows": spoken.rows, "errors": _errors(spoken.errors)}


def _errors(printed: str) -> list[str]:
    """Errors with their states and codes, without the frames of a stack and the numbers that Spark counts on."""
    lines = (line for line in printed.splitlines() if re.search(r"^Error:|SQLSTATE|\(state=", line))
    return [re.sub(r"#\d+L?|\.\.\. \d+ more", "#", line) for line in lines]
