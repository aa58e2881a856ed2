"""Which partitions of a view's storage a retention policy keeps."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from rewriter import Unsupported, kept
from rewriter.model import Column, DataFile, PartitionField, Table, TableName, ViewState
from tests.unit.rewriter.maintenance.test_partial_storage import COLUMNS, STORAGE, view_of

NOW = int(datetime(2024, 5, 15, 10, 20, 30, tzinfo=UTC).timestamp() * 1000)
DAY = 86_400
TIMES = "SELECT {} AS t, count(*) AS c FROM sales GROUP BY 1"


def kept_of(tree: str, kind: str, transform: str, zone: str = "UTC") -> tuple[str, str]:
    view = view_of(TIMES.format(tree), f"t {kind}, c bigint", {"spark.sql.session.timeZone": zone})
    found = kept(view, storage_of(view.columns, transform), COLUMNS, NOW, 10 * DAY)
    return found.condition, found.outside


def storage_of(columns: tuple[Column, ...], transform: str) -> Table:
    return Table(STORAGE, "s", columns, (), partitioned_by=(PartitionField("t", transform),))


@pytest.mark.parametrize(
    ("tree", "kind", "transform", "zone", "begin"),
    [
        ("day", "date", "identity", "UTC", "DATE '2024-05-05'"),
        ("day", "date", "month", "UTC", "DATE '2024-05-01'"),
        ("trunc(day, 'YEAR')", "date", "identity", "UTC", "DATE '2024-01-01'"),
        ("ts", "timestamp", "day", "UTC", "TIMESTAMP '2024-05-05 00:00:00'"),
        ("ts", "timestamp", "day", "Asia/Tokyo", "TIMESTAMP '2024-05-05 09:00:00'"),
        ("ts", "timestamp", "identity", "UTC", "TIMESTAMP '2024-05-05 10:20:30'"),
        ("date_trunc('month', ts)", "timestamp", "identity", "Europe/Berlin", "TIMESTAMP '2024-04-30 02:00:00'"),
        ("CAST(ts AS TIMESTAMP_NTZ)", "timestamp_ntz", "hour", "UTC", "TIMESTAMP_NTZ '2024-05-05 10:00:00'"),
    ],
)
def test_a_target_is_kept_as_long_as_it_may_have_a_row_of_that_age(
    tree: str, kind: str, transform: str, zone: str, begin: str
) -> None:
    assert kept_of(tree, kind, transform, zone) == (f"t >= {begin}", f"t < {begin} OR t IS NULL")


@pytest.mark.parametrize("transform", ["bucket[4]", "void"])
def test_other_partitions_have_no_age(transform: str) -> None:
    with pytest.raises(Unsupported, match="is not partitioned by a time column"):
        kept_of("day", "date", transform)


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"spark.sql.session.timeZone": "Nowhere/Land"}, "Nowhere/Land"), ({"spark.sql.ansi.enabled": "true"}, "none")],
)
def test_without_a_zone_that_is_known_no_bound_can_be_written(settings: dict[str, str], said: str) -> None:
    view = view_of(TIMES.format("ts"), "t timestamp, c bigint", settings)
    with pytest.raises(Unsupported, match=rf"is not known \({said}"):
        kept(view, storage_of(view.columns, "day"), COLUMNS, NOW, 10 * DAY)


def test_a_view_that_stands_in_the_way_is_called_by_its_name() -> None:
    text = "SELECT v1_0.day AS t, v1_0.s AS c FROM (SELECT day, sum(n) AS s FROM sales GROUP BY day) AS v1_0"
    over = replace(view_of(text, "t date, c bigint"), through=(ViewState(TableName(("lake", "demo", "v1")), "u", 1),))
    with pytest.raises(Unsupported, match=r"applied: lake\.demo\.v1 groups its rows"):
        kept(over, storage_of(over.columns, "day"), COLUMNS, NOW, 10 * DAY)


def test_files_are_outside_by_their_partition() -> None:
    view = view_of(TIMES.format("day"), "t date, c bigint")
    found = kept(view, storage_of(view.columns, "month"), COLUMNS, NOW, 10 * DAY)
    months = {month: DataFile("f", ((date(2024, month, 1).year - 1970) * 12 + month - 1,), 1) for month in (4, 5)}
    assert [found.leaves_out([file]) for file in months.values()] == [True, False]
    assert found.leaves_out([replace(months[5], partition=(None,))])
    assert "REPLACE WHERE t < DATE '2024-05-01' OR t IS NULL SELECT t, c FROM lake.demo.v__storage WHERE false" in (
        found.dropping(storage_of(view.columns, "month")).statement("target")
    )


@pytest.mark.parametrize(
    ("part", "left"),
    [
        ("t >= DATE '2024-05-01'", "t >= DATE '2024-05-05'"),
        ("(n = ')') AND t >= DATE '2024-05-01'", "(n = ')') AND t >= DATE '2024-05-05'"),
        ("(a = 1) AND t >= DATE '2024-06-01'", "(a = 1) AND t >= DATE '2024-06-01'"),  # the policy kept less before
        ("(a = 1) OR (b = 2) AND t >= DATE '2024-05-01'", ""),
        ("t >= DATE '2024-05-01' OR t IS NULL", ""),
        ("a = 1", ""),
    ],
)
def test_a_later_bound_takes_the_place_of_an_earlier_one(part: str, left: str) -> None:
    view = view_of(TIMES.format("day"), "t date, c bigint")
    assert kept(view, storage_of(view.columns, "identity"), COLUMNS, NOW, 10 * DAY).within(part) == left
