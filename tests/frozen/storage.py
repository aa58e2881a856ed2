"""The views of the golden files and the workloads as d88dfa3 stored them, and worlds with that storage."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path

from rewriter import Definitions, in_place, plan
from rewriter.model import Change, ChangeKind, Column, MaterializedView, Table
from rewriter.script import Workspace
from tests.frozen.statements import units, world_of_unit
from tests.golden.corpus import World

DATA = Path(__file__).with_name("storage.jsonl.gz")


@dataclass(frozen=True)
class StoredView:
    """The storage of a view: the query that fills it, its columns with types, and which of them are hidden.

    `query` is a digest of the view's own query; `refreshes` are the ways to refresh the storage after rows were
    appended to its sources, and after rows were changed.
    """

    unit: str
    view: str
    query: str
    hidden: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    storage_query: str
    refreshes: tuple[str, ...]


def freeze() -> None:
    """Write down how the current rewriter stores the views."""
    lines = [json.dumps(asdict(found), ensure_ascii=False) for unit in units(range(0)) for found in stored_now(unit)]
    DATA.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))


def frozen() -> dict[str, list[StoredView]]:
    """Return the frozen views of each unit."""
    found: dict[str, list[StoredView]] = {}
    for line in gzip.decompress(DATA.read_bytes()).decode().splitlines():
        values = json.loads(line)
        columns = tuple((name, kind) for name, kind in values["columns"])
        values |= {"columns": columns, "hidden": tuple(values["hidden"]), "refreshes": tuple(values["refreshes"])}
        found.setdefault(values["unit"], []).append(StoredView(**values))
    return found


def stored_now(unit: str) -> Iterator[StoredView]:
    """Yield the views of a unit as the current CREATE MATERIALIZED VIEW stores them."""
    built = world_of_unit(unit)
    for view in built.definitions.views:
        storage = built.relations[view.storage]
        assert isinstance(storage, Table)
        hidden = tuple(column.name for column in storage.columns[len(view.columns) :])
        columns = tuple((column.name, column.type) for column in storage.columns)
        ways = refreshes(view, storage, built)
        yield StoredView(unit, view.name.table, _digest(view), hidden, columns, view.written, ways)


def refreshes(view: MaterializedView, storage: Table, world: World | Workspace) -> tuple[str, ...]:
    """Return the ways of a refresh after appended and after changed rows."""
    sources = [world.relations[name] for name in world.definitions.sources[view.name]]
    tables = [source for source in sources if isinstance(source, Table)]
    small = replace(storage, records=100)
    return tuple(
        str(plan(view, small, {table.name: _change(table, kind) for table in tables}).kind)
        for kind in (ChangeKind.APPENDED, ChangeKind.CHANGED)
    )


def _digest(view: MaterializedView) -> str:
    return sha256(view.query.encode()).hexdigest()[:8]


def _change(table: Table, kind: ChangeKind) -> Change:
    columns = table.columns
    return Change(table.name, kind, 1, 2, columns, columns, columns, columns, records=10**6, added=1)


def as_stored(world: World | Workspace, frozen: Iterable[StoredView]) -> World | Workspace:
    """Return the world with these views' storage replaced by the frozen storage."""
    by_name = {held.view: held for held in frozen}
    relations = dict(world.relations)
    views = []
    for view in world.definitions.views:
        held = by_name.get(view.name.table)
        if held is None or held.query != _digest(view):  # a view that is younger than the frozen ones
            views.append(view)
            continue
        columns = tuple(Column(name, kind) for name, kind in held.columns)
        storage = relations[view.storage]
        assert isinstance(storage, Table)
        relations[view.storage] = replace(storage, columns=columns)
        shown = columns[: len(columns) - len(held.hidden)]
        views.append(replace(view, storage_query=held.storage_query, columns=shown, over_views="", through=()))
    known = world.definitions
    definitions = Definitions(in_place(views, known.plain), declared=known.declared, plain=known.plain)
    return replace(world, relations=relations, definitions=definitions)
