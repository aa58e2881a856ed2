"""How fresh a view was over time, from the snapshots of its storage and of its tables."""

from __future__ import annotations

import asyncio

import pytest

from proxy.catalog import Refreshed
from proxy.pipeline import freshness
from proxy.pipeline.status import Span, spans
from rewriter.model import RefreshState, Snapshot, SourceState, Table, TableName
from tests.unit.catalog.lake import ROWS
from tests.unit.pipeline.house import House

SALES, OTHER = TableName(("lake", "demo", "sales")), TableName(("lake", "demo", "other"))


def refreshed(at_ms: int, **read: int | None) -> Refreshed:
    names = {"sales": SALES, "other": OTHER}
    sources = tuple(SourceState(names[table], table, snapshot, None) for table, snapshot in read.items())
    return Refreshed(at_ms, RefreshState(1, sources))


def table(name: TableName, *commits: tuple[int, int, str]) -> Table:
    """Return a table with these snapshots (id, time and operation), the latest first."""
    return Table(name, name.table, (), tuple(Snapshot(id_, at_ms, operation, 0) for id_, at_ms, operation in commits))


@pytest.mark.parametrize(
    ("commits", "expected"),
    [
        (((1, 5, "append"),), [Span(10, 100, True)]),
        (((2, 40, "append"), (1, 5, "append")), [Span(10, 40, True), Span(40, 100, False)]),
        (((2, 8, "append"), (1, 5, "append")), [Span(10, 100, False)]),
        (((3, 60, "append"), (2, 40, "replace"), (1, 5, "append")), [Span(10, 60, True), Span(60, 100, False)]),
        (((9, 50, "append"),), [Span(10, 100, None)]),
        ((), [Span(10, 100, None)]),
    ],
    ids=["nothing came", "rows came", "rows came during the refresh", "compacted", "expired", "emptied"],
)
def test_one_refresh(commits: tuple[tuple[int, int, str], ...], expected: list[Span]) -> None:
    assert spans([refreshed(10, sales=1)], {SALES: table(SALES, *commits)}, 100) == expected


def test_each_refresh_lasts_until_the_next() -> None:
    sales = table(SALES, (3, 70, "append"), (2, 40, "append"), (1, 5, "append"))
    found = spans([refreshed(10, sales=1), refreshed(60, sales=2)], {SALES: sales}, 100)
    assert found == [Span(10, 40, True), Span(40, 60, False), Span(60, 70, True), Span(70, 100, False)]


def test_the_first_table_that_changes_counts_and_one_that_is_not_known_hides_the_others() -> None:
    tables = {SALES: table(SALES, (2, 40, "append"), (1, 5, "append")), OTHER: table(OTHER, (7, 30, "append"))}
    both = [refreshed(10, sales=1, other=None)]
    assert spans(both, tables, 100) == [Span(10, 30, True), Span(30, 100, False)]
    assert spans(both, {**tables, OTHER: None}, 100) == [Span(10, 100, None)]


def test_a_view_in_a_catalog(house: House) -> None:
    async def test() -> list[bool | None]:
        view = await house.view()
        assert await freshness(house.catalogs, view) == []
        await house.refresh()
        house.sales.append(ROWS)
        await house.refresh()
        return [span.fresh for span in await freshness(house.catalogs, view)]

    found = asyncio.run(test())
    assert found[-1] is True
    assert False in found
