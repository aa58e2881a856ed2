"""When storage may be read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rewriter.freshness import Live, fresh_storage, live_storage
from rewriter.match import Miss, Reason
from rewriter.model import (
    ChangeKind,
    ChildView,
    Column,
    MaterializedView,
    RefreshState,
    Relation,
    Snapshot,
    SourceState,
    Table,
    TableName,
    ViewState,
)

SALES, MV, STORAGE = (TableName(("lake", "demo", name)) for name in ("sales", "mv", "mv__storage"))
COLUMNS = (Column("a", "int", field_id=1), Column("b", "int", field_id=2))


def snapshots(*spelled: str) -> tuple[Snapshot, ...]:
    """Return snapshots from texts 'ID operation', newest first."""
    return tuple(Snapshot(int(s.split()[0]), 1000 * int(s.split()[0]), s.split()[1], 0) for s in spelled)


TABLE = Table(SALES, "uuid-sales", COLUMNS, snapshots("2 append", "1 append"))
STATE = RefreshState(1, (SourceState(SALES, "uuid-sales", 2, COLUMNS),), view_uuid="uuid-mv")
STORED = Table(STORAGE, "uuid-storage", (), snapshots("9 overwrite"), refresh=STATE)
VIEW = MaterializedView(MV, "uuid-mv", 1, "", "", STORAGE, (), "lake", ("demo",))


def check(
    table: Table | None = TABLE, storage: Table | None = STORED, view: MaterializedView = VIEW, uuid: str = "uuid-mv"
) -> Any:
    relations = {SALES: table, STORAGE: storage, MV: ViewState(MV, uuid, 1)}
    return fresh_storage(view, [SALES], relations)


def test_storage_that_holds_a_part_is_that_only_for_who_asks_for_one() -> None:
    storage = replace(STORED, refresh=replace(STATE, only="a > 1"))
    assert check(storage=storage) == Miss(Reason.HOLDS_A_PART, "a > 1")
    relations: dict[TableName, Relation | None] = {SALES: TABLE, STORAGE: storage, MV: ViewState(MV, "uuid-mv", 1)}
    assert fresh_storage(VIEW, [SALES], relations, partial=True) is storage


def test_fresh() -> None:
    assert check() is STORED


@pytest.mark.parametrize(
    ("recorded", "now", "problem"),
    [
        (3, 3, None),
        (
            2,
            3,
            (
                Reason.STALE,
                "the definition of the view lake.demo.v, which lake.demo.mv reads, has changed since the last refresh: "
                "refresh the view",
            ),
        ),
        (
            3,
            4,
            (
                Reason.UNKNOWN_STATE,
                "the definition of the view lake.demo.v, which lake.demo.mv reads, has just changed: "
                "run the query again",
            ),
        ),
    ],
)
def test_views_below_must_be_those_that_it_was_refreshed_through(
    recorded: int, now: int, problem: tuple[Reason, str] | None
) -> None:
    below = ViewState(TableName(("lake", "demo", "v")), "uuid-v", 3)
    view = replace(VIEW, through=(below,))
    storage = replace(STORED, refresh=replace(STATE, children=(ChildView("uuid-v", recorded),)))
    relations: dict[TableName, Relation | None] = {SALES: TABLE, STORAGE: storage, MV: VIEW.state}
    relations[below.name] = replace(below, version=now)
    found = fresh_storage(view, [SALES], relations)
    assert (found if isinstance(found, Miss) else None) == (Miss(*problem) if problem else None)


def test_a_first_commit_since_is_named() -> None:
    miss = check(replace(TABLE, snapshots=snapshots("4 overwrite", "3 append", "2 append", "1 append")))
    assert isinstance(miss, Miss)
    assert miss.reason is Reason.STALE
    assert "changed since snapshot 2: first by snapshot 3 (append, 1970-01-01 00:00:03 UTC)" in miss.detail


def test_compaction_changes_no_row() -> None:
    assert check(replace(TABLE, snapshots=snapshots("3 replace", "2 append", "1 append"))) is STORED


def test_a_commit_behind_a_compaction_counts() -> None:
    assert isinstance(check(replace(TABLE, snapshots=snapshots("4 replace", "3 delete", "2 append"))), Miss)


@pytest.mark.parametrize(
    "columns",
    [
        (COLUMNS[0]._replace(field_id=2), COLUMNS[1]._replace(field_id=1)),  # names swapped
        (COLUMNS[0], COLUMNS[1]._replace(field_id=3)),  # dropped and made again: it holds nothing
        (COLUMNS[0], COLUMNS[1]._replace(type="bigint")),
        COLUMNS[:1],
    ],
)
def test_columns_of_the_storage_that_are_others_now(columns: tuple[Column, ...]) -> None:
    written = replace(STORED, columns=COLUMNS, refresh=replace(STATE, stored=COLUMNS))
    assert check(storage=written) is written
    miss = check(storage=replace(written, columns=columns))
    assert isinstance(miss, Miss)
    assert miss.reason is Reason.STALE
    assert "of the storage table" in miss.detail


@pytest.mark.parametrize(
    "table",
    [
        replace(TABLE, snapshots=snapshots("1 append")),  # rolled back
        replace(TABLE, snapshots=snapshots("7 append")),  # replaced or expired
        replace(TABLE, snapshots=()),
        replace(TABLE, uuid="uuid-another"),
        replace(TABLE, columns=(COLUMNS[0]._replace(field_id=2), COLUMNS[1]._replace(field_id=1))),  # names swapped
        replace(TABLE, columns=(COLUMNS[0]._replace(type="bigint"), COLUMNS[1])),
        replace(TABLE, columns=COLUMNS[:1]),
    ],
)
def test_whatever_else_has_happened_is_stale(table: Table) -> None:
    miss = check(table)
    assert isinstance(miss, Miss)
    assert miss.reason is Reason.STALE


def test_a_column_that_nobody_used_may_come() -> None:
    assert check(replace(TABLE, columns=(*COLUMNS, Column("c", "int", field_id=3)), schema_id=1)) is STORED


def test_without_recorded_columns_the_schema_must_be_the_snapshots() -> None:
    foreign = replace(STORED, refresh=RefreshState(1, (SourceState(SALES, "uuid-sales", 2),)))
    assert check(storage=foreign) is foreign
    assert isinstance(check(replace(TABLE, schema_id=1), storage=foreign), Miss)


def test_an_empty_table_is_fresh_until_it_has_rows() -> None:
    empty = replace(STORED, refresh=replace(STATE, sources=(SourceState(SALES, "uuid-sales", None, COLUMNS),)))
    assert check(replace(TABLE, snapshots=()), storage=empty) is empty
    assert isinstance(check(storage=empty), Miss)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"storage": None}, Reason.UNKNOWN_STATE),
        ({"table": None}, Reason.UNKNOWN_STATE),
        ({"uuid": "uuid-of-another-view"}, Reason.UNKNOWN_STATE),
        ({"storage": replace(STORED, refresh=None, snapshots=())}, Reason.NEVER_REFRESHED),
        ({"storage": replace(STORED, refresh=None)}, Reason.STALE),
        ({"storage": replace(STORED, refresh=replace(STATE, view_version=2))}, Reason.STALE),
        ({"storage": replace(STORED, refresh=replace(STATE, view_uuid="dropped"))}, Reason.STALE),
        ({"storage": replace(STORED, refresh=replace(STATE, sources=()))}, Reason.STALE),
        ({"storage": replace(STORED, refresh=replace(STATE, children=(ChildView("u", 1),)))}, Reason.UNKNOWN_STATE),
        ({"view": replace(VIEW, rewrite=False)}, Reason.REWRITE_OFF),
    ],
)
def test_what_is_not_known_is_not_used(changes: dict[str, Any], reason: Reason) -> None:
    miss = check(**changes)
    assert isinstance(miss, Miss)
    assert miss.reason is reason


def test_two_sources_that_have_changed_places_are_others() -> None:
    """The snapshots are the recorded ones, but each name now means the other table."""
    returns = TableName(("lake", "demo", "returns"))
    sources = (SourceState(SALES, "uuid-sales", 2, COLUMNS), SourceState(returns, "uuid-returns", 2, COLUMNS))
    storage = replace(STORED, refresh=replace(STATE, sources=sources))
    other = replace(TABLE, name=returns, uuid="uuid-returns")
    relations: dict[TableName, Relation | None] = {SALES: TABLE, returns: other, STORAGE: storage, MV: VIEW.state}
    assert fresh_storage(VIEW, [SALES, returns], relations) is storage
    swapped = {SALES: replace(other, name=SALES), returns: replace(TABLE, name=returns)}
    found = fresh_storage(VIEW, [SALES, returns], {**relations, **swapped})
    assert isinstance(found, Miss)
    assert found.reason is Reason.STALE
    twice = {SALES: TABLE, returns: replace(TABLE, name=returns)}  # registered again under the other's name
    assert isinstance(fresh_storage(VIEW, [SALES, returns], {**relations, **twice}), Miss)


def live(table: Table) -> Any:
    relations: dict[TableName, Relation | None] = {SALES: table, STORAGE: STORED, MV: ViewState(MV, "uuid-mv", 1)}
    return live_storage(VIEW, [SALES], relations)


def listed(*spelled: str, delete_files: int | None = 0) -> Table:
    """Return the table with snapshots that record the number of delete files."""
    return replace(TABLE, snapshots=tuple(replace(each, delete_files=delete_files) for each in snapshots(*spelled)))


@pytest.mark.parametrize(
    ("since", "kind"),
    [
        (["3 append"], ChangeKind.APPENDED),
        (["5 append", "4 replace", "3 append"], ChangeKind.APPENDED),
        (["3 overwrite"], ChangeKind.CHANGED),
        (["5 append", "4 replace", "3 delete"], ChangeKind.CHANGED),
    ],
)
def test_the_rows_that_have_changed_since(since: list[str], kind: ChangeKind) -> None:
    found = live(listed(*since, "2 append", "1 append"))
    assert isinstance(found, Live)
    (change,) = found.grown
    assert (change.kind, change.start, change.end) == (kind, 2, int(since[0].split()[0]))
    assert found.only_appends is (kind is ChangeKind.APPENDED)


@pytest.mark.parametrize("delete_files", [1, None])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_rows_that_delete_files_delete_cannot_be_listed(at: int, delete_files: int | None) -> None:
    table = listed("4 append", "3 overwrite", "2 append", "1 append")
    marked = [replace(each, delete_files=delete_files) if i == at else each for i, each in enumerate(table.snapshots)]
    missed = live(replace(table, snapshots=tuple(marked)))
    assert isinstance(missed, Miss)
    assert f"has delete files, or does not record their number (snapshot {4 - at})" in missed.detail
    # A snapshot before the refresh, and appends alone, need no list of deleted rows.
    older = replace(table, snapshots=(*table.snapshots[:3], replace(table.snapshots[3], delete_files=delete_files)))
    assert isinstance(live(older), Live)
    assert isinstance(live(listed("3 append", "2 append", delete_files=delete_files)), Live)
