"""What each partition of a view's storage is computed from: its build graph, file by file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from rewriter.maintenance.stored import Stored
from rewriter.maintenance.targets import targets
from rewriter.model import DataFile, Files, TableName


@dataclass(frozen=True, slots=True)
class Dependency:
    """One source file and the target that it goes into; `change` tells whether it was added or removed since."""

    target: str
    source: TableName
    file: DataFile
    change: str = ""


def dependencies(stored: Stored | str, location: str, sources: Mapping[TableName, Files]) -> Iterator[Dependency]:
    """The live files of all sources with their targets.

    law:    where a storage partition does not follow from a source's, every file may go into every row: the target is
            the whole storage
    """
    for name, files in sources.items():
        place = _placing(stored, location, name, files)
        for file in files.live:
            yield Dependency(place(file), name, file)


def stale_files(stored: Stored | str, location: str, sources: Mapping[TableName, Files]) -> Iterator[Dependency]:
    """The files that came or went since the last refresh, with the targets that they have made stale."""
    for name, files in sources.items():
        place = _placing(stored, location, name, files)
        for file in files.came:
            yield Dependency(place(file), name, file, "added")
        for file in files.went:
            yield Dependency(place(file), name, file, "removed")


def _placing(stored: Stored | str, location: str, source: TableName, files: Files) -> Callable[[DataFile], str]:
    found = "" if isinstance(stored, str) else targets(stored, source, files)
    if isinstance(found, str):
        return lambda file: f"{location}/"
    return lambda file: f"{location}/data/{found.path(file.partition)}/"
