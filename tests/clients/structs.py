"""Thrift messages as nested values of any types, which are equal if and only if their bytes are."""

from __future__ import annotations

import re
from typing import Any

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TType
from thrift.transport.TTransport import TMemoryBuffer

Path = tuple[int, ...]

_HANDLES = frozenset({(0, 2, 1, 1), (0, 2, 1, 2), (0, 3, 1, 1), (0, 3, 1, 2)})
# Spark numbers the columns of a plan as it goes.
_NUMBERS = re.compile(rb"#\d+L?")


def read(message: bytes) -> dict[Path, Any]:
    """Return the leaves of a reply by their paths, in order: the head at (), values of lists and maps as
    one leaf each.
    """
    protocol = TBinaryProtocol(TMemoryBuffer(message), strictRead=True)
    leaves: dict[Path, Any] = {(): protocol.readMessageBegin()}
    _struct(protocol, (), leaves)
    return {path: "a handle" if path in _HANDLES else value for path, value in leaves.items()}


def _struct(protocol: Any, at: Path, leaves: dict[Path, Any]) -> None:
    protocol.readStructBegin()
    while True:
        _, kind, number = protocol.readFieldBegin()
        if kind == TType.STOP:
            return
        path = (*at, number)
        if kind == TType.STRUCT:
            leaves[path] = "a struct"  # an empty one differs from none
            _struct(protocol, path, leaves)
        else:
            leaves[path] = _value(protocol, kind)


def _value(protocol: Any, kind: int) -> Any:
    if kind == TType.STRUCT:
        leaves: dict[Path, Any] = {}
        _struct(protocol, (), leaves)
        return kind, tuple(leaves.items())
    if kind in (TType.LIST, TType.SET):
        of, size = protocol.readListBegin()
        return kind, of, [_value(protocol, of) for _ in range(size)]
    if kind == TType.MAP:
        key, value, size = protocol.readMapBegin()
        return kind, key, value, [(_value(protocol, key), _value(protocol, value)) for _ in range(size)]
    value = _SCALARS[kind](protocol)
    return kind, _NUMBERS.sub(b"#", value) if isinstance(value, bytes) else value


_SCALARS = {
    TType.BOOL: TBinaryProtocol.readBool,
    TType.BYTE: TBinaryProtocol.readByte,
    TType.DOUBLE: TBinaryProtocol.readDouble,
    TType.I16: TBinaryProtocol.readI16,
    TType.I32: TBinaryProtocol.readI32,
    TType.I64: TBinaryProtocol.readI64,
    TType.STRING: TBinaryProtocol.readBinary,
}
