"""The layout of values in TBinary, and the error for bytes with another layout."""

from __future__ import annotations

import struct
from dataclasses import dataclass


class WireError(Exception):
    """The peer's bytes cannot be understood; its connection is of no more use."""


STOP, BOOL, BYTE, DOUBLE, I16, I32, I64, STRING, STRUCT, MAP, SET, LIST, UUID = (
    0,
    2,
    3,
    4,
    6,
    8,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
)

FIXED_SIZES = {BOOL: 1, BYTE: 1, DOUBLE: 8, I16: 2, I32: 4, I64: 8, UUID: 16}

LENGTH = struct.Struct(">i")
FIELD = struct.Struct(">Bh")
LIST_HEAD = struct.Struct(">Bi")
MAP_HEAD = struct.Struct(">BBi")

MAX_DEPTH = 32  # the service's own types nest 9 deep


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits to a message's content: bytes in a string, elements in a container, depth of nesting."""

    string: int = 1 << 31
    container: int = 1 << 31
    nesting: int = MAX_DEPTH
