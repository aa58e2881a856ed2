"""Reads and caches metadata files. Cached content stays valid, because a metadata file is never changed."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeVar
from urllib.parse import urlsplit

from cachetools import LRUCache
from pyiceberg.io import PY_IO_IMPL, load_file_io

Document = dict[str, Any]
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
_FILE_IO = frozenset({PY_IO_IMPL, "DEFAULT_SCHEME"})  # properties that choose how pyiceberg reads files
_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Entry:
    """A table or view at one metadata location; `load` reads the metadata file and returns its JSON object."""

    kind: Literal["table", "view"]
    location: str
    load: Callable[[], Document]


def decode(content: bytes) -> Document:
    """Return the JSON object in a metadata file, compressed by gzip or not; raise ValueError for other content.

    >>> decode(b'{"format-version": 2}') == decode(gzip.compress(b'{"format-version": 2}'))
    True
    """
    plain = gzip.decompress(content) if content.startswith(_GZIP_MAGIC) else content
    document = json.loads(plain)
    if not isinstance(document, dict):
        raise ValueError("the metadata file is not a JSON object: restore the file")
    return document


def read(location: str, properties: dict[str, str]) -> Document:
    """Return the decoded metadata file at `location`; `properties` are the catalog's properties for access to files."""
    # pyiceberg would read a local file with pyarrow, whose import takes 0.9 s of processor time.
    if (path := _local(location)) is not None and not _FILE_IO & properties.keys():
        return decode(path.read_bytes())
    with load_file_io(properties, location).new_input(location).open() as stream:
        return decode(stream.read())


def _local(location: str) -> Path | None:
    """Return the path of a file on this machine; None for a location elsewhere.

    >>> _local("file:///lake/v1.json"), _local("/lake/a?b.json"), _local("s3://lake/v1.json")
    (PosixPath('/lake/v1.json'), PosixPath('/lake/a?b.json'), None)
    """
    scheme, host, path, *_ = urlsplit(location)
    if scheme == "file":
        return Path(f"{host}{path}")
    return None if scheme else Path(location)


def is_broken(load: Callable[[], Document]) -> bool:
    """Return whether `load` fails because a metadata file is missing or truncated.

    Raise any other error of `load`, because it can mean that the file system is unreachable.

    >>> is_broken(lambda: decode(b'{"format-version": 2')), is_broken(lambda: {})
    (True, False)
    """
    try:
        load()
    except (FileNotFoundError, ValueError, EOFError, gzip.BadGzipFile):
        return True
    return False


class CacheUse(NamedTuple):
    """The use of a cache: the number of lookups that found a value (hits) or none (misses), and the number of cached
    values.
    """

    hits: int
    misses: int
    entries: int


class Remembered(Generic[Key, Value]):
    """A thread-safe LRU cache of values by key. The sum of the weights of the cached values is limited to `size`.

    `weight` returns the weight of a value; without `weight`, each value weighs 1.

    >>> squares = Remembered[int, int](2)
    >>> [squares.get(n, lambda n=n: n * n) for n in (2, 3, 2)]
    [4, 9, 4]
    >>> squares.use
    CacheUse(hits=1, misses=2, entries=2)
    """

    def __init__(self, size: int, weight: Callable[[Value], int] | None = None) -> None:
        self._values: LRUCache[Key, Value] = LRUCache(size, weight)
        self._size, self._weight = size, weight
        self._lock = threading.Lock()
        self._hits = self._misses = 0

    @property
    def use(self) -> CacheUse:
        """The hits, misses and entries of this cache."""
        return CacheUse(self._hits, self._misses, len(self._values))

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the cached value of a key; if no value is cached, call `make` and cache its result.

        An error of `make` is raised, and not cached.
        """
        with self._lock:
            if key in self._values:
                self._hits += 1
                return self._values[key]
            self._misses += 1
        value = make()  # outside the lock: reading a file may take long, and reading it twice does no harm
        if self._weight is None or self._weight(value) <= self._size:
            with self._lock:
                self._values[key] = value
        return value
