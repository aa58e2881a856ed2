"""The build graph of a view's storage: the source files of each partition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from rewriter.maintenance.partial_storage import excludes
from rewriter.maintenance.stored import Stored
from rewriter.maintenance.targets import Partition, targets
from rewriter.model import DataFile, Files, TableName


@dataclass(frozen=True, slots=True)
class Dependency:
    """One source file and its target partition; `change` is set if the file was added or removed since the last
    refresh.
    """

    target: str
    source: TableName
    file: DataFile
    change: str = ""


def dependencies(stored: Stored | str, location: str, sources: Mapping[TableName, Files]) -> Iterator[Dependency]:
    """Yield the live files of all sources with their target partitions.

    law:    if the storage's partitions do not follow from a source's partitions, each file may contribute to any row:
            its target is the whole storage
    """
    for name, files in sources.items():
        place = _placing(stored, location, name, files)
        for file in files.live:
            yield from _placed(place(file), name, file)


def stale_files(stored: Stored | str, location: str, sources: Mapping[TableName, Files]) -> Iterator[Dependency]:
    """Yield the files added or removed since the last refresh, with the targets that they make stale."""
    for name, files in sources.items():
        place = _placing(stored, location, name, files)
        for file in files.came:
            yield from _placed(place(file), name, file, "added")
        for file in files.went:
            yield from _placed(place(file), name, file, "removed")


def _placed(target: str | None, source: TableName, file: DataFile, change: str = "") -> Iterator[Dependency]:
    if target is not None:
        yield Dependency(target, source, file, change)


def _placing(stored: Stored | str, location: str, source: TableName, files: Files) -> Callable[[DataFile], str | None]:
    """Return the function that maps a file to its target; it returns None for a file outside of partial storage."""
    found = "" if isinstance(stored, str) else targets(stored, source, files)
    if isinstance(stored, str) or isinstance(found, str):
        return lambda file: f"{location}/"
    view, only = stored.view, stored.storage.only

    @cache
    def place(partition: Partition) -> str | None:
        if only and excludes(view, only, found.condition(found.of[partition])):
            return None
        return f"{location}/data/{found.path(partition)}/"

    return lambda file: place(file.partition)
