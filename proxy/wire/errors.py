"""What is wrong with bytes that are not what the protocol says."""

from __future__ import annotations


class WireError(Exception):
    """The peer's bytes cannot be understood; its connection is of no more use."""
