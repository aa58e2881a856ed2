"""What each step of a refresh does, and what the storage records after it."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from pyiceberg.io import FileIO
from pyiceberg.manifest import ManifestFile
from pyiceberg.table.snapshots import Snapshot

from proxy.catalog.views import fingerprint
from proxy.hs2 import SqlError
from proxy.pipeline import Pipeline
from proxy.pipeline.steps import Asked
from tests.unit.catalog.lake import AGG, MATERIALIZED, ROWS, Lake, view_document
from tests.unit.pipeline.house import House
from tests.unit.pipeline.retained import Retained
from tests.unit.pipeline.spark import FakeSpark

QUERY = "SELECT region, sum(amount) FROM sales GROUP BY region"
STORED = "SELECT region AS region, sum(amount) AS amount FROM sales GROUP BY region"
EU, US = "region = 'eu'", "region = 'us'"


@pytest.fixture
def house(lake: Lake) -> House:
    """A view whose storage has the columns region and amount, and was never refreshed."""
    made = House(lake)
    properties = {"viewgate.storage-query": STORED, "viewgate.definition": fingerprint(QUERY)}
    settings = {"viewgate.settings": '{"spark.sql.session.timeZone":"UTC","spark.sql.ansi.enabled":"true"}'}
    lake.put_view(AGG, view_document(**MATERIALIZED, **settings, **properties))
    made.spark = FakeSpark(lake)
    made.catalogs = lake.catalogs()
    made.pipeline = Pipeline(made.catalogs, made.spark)
    made.sales.append(ROWS)
    return made


def refreshed(house: House, **asked: Any) -> tuple[list[str], str]:
    """Return the ways that a refresh took, and the part that the storage holds after it."""
    before = len(house.log)
    asyncio.run(house.refresh(**asked))
    ways = re.findall(r"^lake\.demo\.agg: refresh \((.*?)\): ", "\n".join(house.log[before:]), re.MULTILINE)
    return ways, house.storage().only


def test_a_part_that_is_asked_for_is_all_that_storage_says_it_has(house: House) -> None:
    assert refreshed(house, where=EU) == (["full"], EU)
    assert "WHERE sales_0.region = 'eu' GROUP BY" in house.spark.statements[-1]
    table = house.lake.iceberg.load_table("demo.agg__storage")
    assert not [key for key in table.properties if key.startswith("iceberg.")]
    snapshot = table.current_snapshot()
    assert snapshot is not None
    assert snapshot.summary is not None
    assert snapshot.summary["refresh-state"] is None


def test_what_is_held_is_brought_up_to_date_before_more_is_added(house: House) -> None:
    refreshed(house, where=EU)
    assert refreshed(house, where=EU) == ([], EU)
    assert refreshed(house) == ([], EU)
    house.sales.append(ROWS)
    assert refreshed(house, where=US) == (["append-merge", "more rows"], "region IN ('eu', 'us')")
    merged, added = house.spark.statements[-4], house.spark.statements[-1]
    assert "start-snapshot-id" in merged
    assert "sales_0.region = 'eu'" in merged
    assert "sales_0.region = 'us' AND NOT ((sales_0.region = 'eu') IS TRUE)" in added


def test_what_is_asked_for_comes_beside_the_part_that_is_held_also_where_both_are_computed_anew(house: House) -> None:
    refreshed(house, where=EU)
    house.sales.overwrite(ROWS)
    both = "region IN ('eu', 'us')"
    assert refreshed(house, where=US) == (["full"], both)
    assert house.log[-1] == f"lake.demo.agg: the storage table holds only the rows where {both}"
    house.sales.overwrite(ROWS)
    assert refreshed(house, where=EU) == (["full"], both)
    refreshed(house, where=EU)
    assert house.log[-1] == f"lake.demo.agg: the storage table holds only the rows where {both}"


def test_of_the_whole_view_just_the_rows_that_are_asked_for_are_computed_anew(house: House) -> None:
    refreshed(house)
    assert not any("holds only" in line for line in house.log)
    house.sales.overwrite(ROWS)
    assert refreshed(house, where=EU) == (["full"], EU)


def test_rows_that_are_asked_for_are_held_though_another_refresh_was_faster(house: House) -> None:
    refreshed(house, where=EU)

    async def be_faster() -> None:
        house.spark.before_insert = None
        other = Pipeline(house.lake.catalogs(), FakeSpark(house.lake))
        await other.refresh(await house.view(), house.log.append, Asked(where="region = 'uk'"))

    house.spark.before_insert = be_faster
    assert refreshed(house, where=US)[1] == "region IN ('eu', 'uk', 'us')"


def test_a_condition_that_is_nested_too_deeply_is_refused(house: House) -> None:
    deep = "(" * 400 + EU + f" OR {US})" * 400
    with pytest.raises(SqlError, match=r"condition .*nested too deeply") as refused:
        asyncio.run(house.refresh(where=deep))
    assert refused.value.sql_state in ("0A000", "54001")


def test_everything_anew_is_all_of_it_or_the_part_asked_for(house: House) -> None:
    refreshed(house, where=EU)
    assert refreshed(house, full=True, where=US) == (["full"], US)
    assert "lake.demo.agg: refresh (full): a refresh of only these rows was requested" in house.log
    assert not any("everything" in line for line in house.log)
    assert refreshed(house, full=True) == (["full"], "")
    assert "lake.demo.agg: refresh (full): a full refresh was requested" in house.log
    assert refreshed(house, where=US) == ([], "")


def test_what_cannot_be_taken_in_by_its_change_is_computed_anew_as_far_as_it_is_held(house: House) -> None:
    refreshed(house, where=EU)

    async def fail_once() -> None:
        house.spark.before_insert = None
        raise SqlError("[DIVIDE_BY_ZERO] Division by zero", "22012")

    house.sales.append(ROWS)
    house.spark.before_insert = fail_once
    assert refreshed(house) == (["append-merge", "full"], EU)
    assert "lake.demo.agg: refresh (full): the incremental refresh failed" in house.log
    assert "WHERE sales_0.region = 'eu' GROUP BY" in house.spark.statements[-1]


@pytest.mark.parametrize(
    ("held", "failing", "part"), [(EU, "more rows", "region IN ('eu', 'us')"), ("", "append-merge", "")]
)
def test_rows_that_are_held_stay_where_those_asked_for_fail_to_come_beside_them(
    house: House, held: str, failing: str, part: str
) -> None:
    refreshed(house, where=held)
    if not held:
        house.sales.append(ROWS)

    async def fail_once() -> None:
        house.spark.before_insert = None
        raise SqlError("an executor is lost", "58000")

    house.spark.before_insert = fail_once
    assert refreshed(house, where=US) == ([failing, "full"], part)


def test_a_condition_that_is_not_read_is_refused_and_not_noted(house: House) -> None:
    with pytest.raises(SqlError, match="compare columns of the view with constants"):
        refreshed(house, where="upper(region) = 'EU'")
    assert asyncio.run(house.last_error()) is None
    with pytest.raises(SqlError, match="compare columns"):
        asyncio.run(_planned(house, Asked(where="rand() > 0")))


async def _planned(house: House, asked: Asked) -> tuple[str, str, str]:
    return await house.pipeline.planned(await house.view(), asked)


def test_explained_before_it_is_done(house: House) -> None:
    kind, reason, statement = asyncio.run(_planned(house, Asked(where=EU)))
    assert (kind, reason) == (
        "full",
        "the storage table records no refresh; the storage table holds only the rows where region = 'eu'",
    )
    assert statement.startswith("INSERT OVERWRITE lake.demo.agg__storage SELECT")
    refreshed(house, where=EU)
    house.sales.append(ROWS)
    kind, reason, _ = asyncio.run(_planned(house, Asked(where=US)))
    added = "then the rows where region = 'us' are added"
    assert kind == "append-merge"
    assert reason.endswith(f"; {added}; the storage table holds only the rows where region IN ('eu', 'us')")


def test_retention_looks_at_the_files_that_are_there_and_at_no_history(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = Retained(lake)
    lists: list[int] = []
    manifests = Snapshot.manifests

    def listed(snapshot: Snapshot, io: FileIO) -> list[ManifestFile]:
        lists.append(snapshot.snapshot_id)
        return manifests(snapshot, io)

    monkeypatch.setattr(Snapshot, "manifests", listed)
    assert house.planned()[0] == "retention"
    storage = house.storage()
    assert len(storage.snapshots) > 1
    assert set(lists) == {storage.snapshot_id}


def test_retention_reads_no_table_and_does_not_say_so(lake: Lake) -> None:
    house, log = Retained(lake), list[str]()

    async def story() -> None:
        (view,) = await house.catalogs.definitions()
        assert (await house.pipeline.refresh(view, log.append)).changed

    asyncio.run(story())
    assert any(": refresh (retention): " in line for line in log)
    assert not any("reading" in line for line in log)


def test_retention_that_cannot_tell_the_age_of_files_says_so(lake: Lake) -> None:
    way, reason = Retained(lake, partitioned_later=True).planned()
    assert way == "none"
    assert "viewgate.retention drops no rows" in reason
