"""Finds the source files from which each partition of a view's storage table is computed.

The target of a file is the storage partition to which the file's rows contribute, or the whole storage table.
"""

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
    """A source file and its target: the path of a storage partition, or of the whole storage table.

    `change` is 'added' or 'removed' if the file was added or removed since the last refresh, empty otherwise.
    """

    target: str
    source: TableName
    file: DataFile
    change: str = ""


def dependencies(stored: Stored | str, location: str, sources: Mapping[TableName, Files]) -> Iterator[Dependency]:
    """Yield the current files of all sources with their targets.

    `location` is the path of the storage table, `stored` the view's block and storage table, or the reason why there is
    no block; `sources` has the files of each source. A file is omitted if its rows cannot satisfy the condition of a
    partial storage table.

    law: if the storage table's partitions do not follow from a source's partitions, each file may contribute to any
         row: its target is the whole storage table
    """
    for name, files in sources.items():
        place = _placing(stored, location, name, files)
        for file in files.live:
            yield from _placed(place(file), name, file)


def stale_files(stored: Stored | str, location: str, sources: Mapping[TableName, Files]) -> Iterator[Dependency]:
    """Yield the files added or removed since the last refresh, with the targets that they make stale.

    `stored` is the view's block and storage table, or the reason why there is no block; `location` is the path of the
    storage table, `sources` has the files of each source. The target of a file is the storage partition to which the
    file's rows contribute, or the whole storage table.
    """
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
    """Return the function that maps a file of `source` to its target.

    The target is the path of the storage partition to which the file's rows contribute. The function returns None for a
    file whose rows cannot satisfy the condition of a partial storage table. `files` are the files of `source`.
    `location` is the path of the storage table, which is the target if there is no block (`stored` is then the reason).
    """
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
