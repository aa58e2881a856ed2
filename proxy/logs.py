"""The configuration of the log."""

from __future__ import annotations

import logging


def begin() -> None:
    """Log the warnings of all packages, and the INFO lines of our own."""
    logging.basicConfig(level=logging.WARNING)
    # What no line of ours tells, and each would look up; as the manual of logging has it.
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    named("")
    for package in ("proxy", "rewriter", "viewgate"):
        logging.getLogger(package).setLevel(logging.INFO)


def named(name: str) -> None:
    """Begin each message with the name, where several processes write to one log."""
    for handler in logging.getLogger().handlers:
        handler.setFormatter(logging.Formatter(f"%(asctime)s %(levelname)s {name}%(message)s"))
