from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.catalog.refresh_state import (
    STORAGE_OF,
    STORAGE_SNAPSHOT,
    from_properties,
    from_summary,
    to_properties,
    to_summary,
)
from rewriter.model import ChildView, Column, RefreshState, SourceState, TableName, ViewState

SALES = TableName(("lake", "demo", "sales"))
TABLE_ENTRY = {"namespace": ["demo"], "name": "sales", "uuid": "u-1", "snapshot-id": 7}
VIEW_ENTRY = {"namespace": ["demo"], "name": "v", "uuid": "v-1", "version-id": 3}


def test_what_is_written_is_read_again() -> None:
    source = SourceState(SALES, "u-1", 9007199254740993, (Column("amount", "decimal(10,2)", False, 4),))
    state = RefreshState(2, (source,), (ChildView("v-1", 3),), "view-uuid", 1000, source.columns)
    child = ViewState(TableName(("lake", "demo", "v")), "v-1", 3)
    assert from_summary(to_summary(state, [child]), "lake") == state


def test_a_part_is_told_to_nobody_who_would_take_it_for_the_whole() -> None:
    state = RefreshState(
        2, (SourceState(SALES, "u-1", 7),), view_uuid="view-uuid", started_ms=1, only="d > 'it''s; `x`'"
    )
    written = to_summary(state)
    assert written.keys() == {"viewgate.refresh-state"}
    assert to_properties(state) == {}
    assert from_summary(written, "lake") == state


def test_a_source_without_snapshot_is_minus_one_outside_and_none_inside() -> None:
    state = RefreshState(1, (SourceState(SALES, "u-1", None),))
    assert json.loads(to_summary(state)["refresh-state"])["source-states"][0]["snapshot-id"] == -1
    assert to_properties(state)["iceberg.base.snapshot.u-1"] == "-1"
    assert from_summary(to_summary(state), "lake").sources[0].snapshot_id is None  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "state",
    [
        {"refresh-version-id": 2, "source-table-states": [TABLE_ENTRY]},
        {"view-version-id": 2, "source-table-states": [TABLE_ENTRY], "source-view-states": []},
        {"view-version-id": 2, "source-states": [{"type": "table", **TABLE_ENTRY, "ref": "main"}]},
    ],
)
def test_every_generation_of_the_draft_is_read(state: dict[str, Any]) -> None:
    read = from_summary({"refresh-state": json.dumps(state)}, "lake")
    assert read == RefreshState(2, (SourceState(SALES, "u-1", 7),))


def test_child_views_are_read() -> None:
    state = {"view-version-id": 2, "source-states": [{"type": "view", **VIEW_ENTRY}]}
    assert from_summary({"refresh-state": json.dumps(state)}, "lake") == RefreshState(2, (), (ChildView("v-1", 3),))


@pytest.mark.parametrize(
    "text",
    [
        "not json",
        "[]",
        "{}",
        json.dumps({"view-version-id": 2}),
        json.dumps({"view-version-id": 2, "source-states": [{"type": "table", **TABLE_ENTRY, "ref": "audit"}]}),
        json.dumps({"view-version-id": 2, "source-states": [{"type": "table"}]}),
    ],
)
def test_what_cannot_be_read_vouches_for_nothing(text: str) -> None:
    assert from_summary({"refresh-state": text}, "lake") is None


@pytest.mark.parametrize(
    "properties",
    [
        {"iceberg.view.version": "1", "iceberg.base.snapshot.u-1": "7", "iceberg.child.view.version.v-1": "3"},
        {"view.version": "1", "base.snapshot.u-1": "7", "child.view.version.v-1": "3"},
        {"iceberg.materialized.view.version": "1", "iceberg.base.snapshot.u-1": "7", "child.view.version.v-1": "3"},
    ],
)
def test_every_spelling_of_the_properties_is_read(properties: dict[str, str]) -> None:
    read = from_properties(properties, [5])
    assert read == RefreshState(1, (SourceState(TableName(("",)), "u-1", 7),), (ChildView("v-1", 3),))


@pytest.mark.parametrize(("recorded", "counts"), [("5", True), ("4", True), ("3", False)])
def test_our_properties_count_only_for_the_content_that_they_describe(recorded: str, counts: bool) -> None:
    stated = {"iceberg.view.version": "1", STORAGE_OF: "view", STORAGE_SNAPSHOT: recorded}
    assert (from_properties(stated, [5, 4]) is not None) is counts


def test_our_storage_without_a_recorded_snapshot_is_not_believed() -> None:
    assert from_properties({"iceberg.view.version": "1", STORAGE_OF: "view"}, [5]) is None


def test_properties_without_a_view_version_say_nothing() -> None:
    assert from_properties({"iceberg.base.snapshot.u-1": "7"}, [5]) is None
