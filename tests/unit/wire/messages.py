"""Messages as bytes written by hand, independently of the code under test."""

from __future__ import annotations

from proxy.wire import CALL, write_head

HANDLE = bytes.fromhex("0c0001 0c0001 0b0001 00000010") + b"G" * 16 + bytes.fromhex("0b0002 00000010") + b"S" * 16
EXECUTE = (
    write_head("ExecuteStatement", CALL, 5)
    + bytes.fromhex("0c0001")
    + HANDLE
    + bytes.fromhex("00 00")
    + bytes.fromhex("0b0002 00000008")
    + b"SELECT 1"
    + bytes.fromhex("0d0003 0b0b 00000001 00000001")
    + b"k"
    + bytes.fromhex("00000001")
    + b"v"
    + bytes.fromhex("0f0501 0c 00000002 00 0b0001 00000000 00")  # an unknown list of structs
    + bytes.fromhex("0f0502 0b 00000001 00000002")
    + b"xy"
    + bytes.fromhex("00 00")
)
