"""Maps of strings, as configurations travel: entries read, and a map of entries written."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from proxy.wire.errors import WireError
from proxy.wire.layout import LENGTH, MAP_HEAD, STRING

_MINIMUM = 2 * LENGTH.size  # an entry's two lengths


def read_map(value: bytes) -> list[tuple[bytes, bytes]]:
    """The entries of a map of strings, in their order.

    >>> read_map(write_map([(b"a", b"1"), (b"b", b"")]))
    [(b'a', b'1'), (b'b', b'')]
    """
    if len(value) < MAP_HEAD.size:
        raise WireError("a map ends within its head")
    key, element, count = MAP_HEAD.unpack_from(value)
    if count and (key, element) != (STRING, STRING):
        raise WireError("a configuration is not a map of strings")
    if not 0 <= count * _MINIMUM <= len(value):
        raise WireError(f"a map claims {count} entries")
    offset = MAP_HEAD.size
    texts = []
    try:
        for _ in range(2 * count):
            (length,) = LENGTH.unpack_from(value, offset)
            start, offset = offset + LENGTH.size, offset + LENGTH.size + length
            if not start <= offset <= len(value):
                raise WireError(f"a map holds a text of {length} bytes and has {len(value) - start}")
            texts.append(value[start:offset])
    except struct.error as error:
        raise WireError("a map ends within an entry") from error
    return list(zip(texts[::2], texts[1::2], strict=True))


def write_map(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A map of strings with these entries."""
    texts = [text for entry in entries for text in entry]
    coded = b"".join(LENGTH.pack(len(text)) + text for text in texts)
    return MAP_HEAD.pack(STRING, STRING, len(texts) // 2) + coded
