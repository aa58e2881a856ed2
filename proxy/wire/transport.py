"""Which transport a connection speaks, told by its first byte."""

from __future__ import annotations

from enum import Enum


class Transport(Enum):
    """The four ways in which HiveServer2 clients begin."""

    SASL = "SASL"
    NOSASL = "NOSASL"
    HTTP = "HTTP"
    TLS = "TLS"


# A SASL START, the strict TBinary version, the first letter of a verb, a TLS record of a handshake.
_FIRST_BYTES = {
    0x01: Transport.SASL,
    0x80: Transport.NOSASL,
    ord("P"): Transport.HTTP,
    ord("G"): Transport.HTTP,
    0x16: Transport.TLS,
}


def transport_of(first_byte: int) -> Transport | None:
    """The transport that begins with this byte; None for what is no client of ours.

    >>> transport_of(0x01)
    <Transport.SASL: 'SASL'>
    """
    return _FIRST_BYTES.get(first_byte)
