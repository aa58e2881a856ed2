"""The metrics of views, which are read from the catalog."""

from __future__ import annotations

import asyncio

import pytest

from proxy.catalog import Unavailable
from proxy.console.metrics import exposition, view_families
from rewriter.model import TableName
from tests.unit.catalog.lake import AGG
from tests.unit.console.http import figure
from tests.unit.pipeline.house import House


def told(house: House) -> str:
    return exposition(asyncio.run(view_families(house.catalogs))).decode()


def test_how_far_a_view_is_behind_and_what_it_holds(house: House) -> None:
    assert "viewgate_view_lag_seconds{" not in told(house)  # it was never refreshed
    asyncio.run(house.refresh())
    fresh = told(house)
    assert 'viewgate_view_lag_seconds{view="lake.demo.agg"} 0.0' in fresh
    assert figure(fresh, "viewgate_view_storage_rows", view=str(AGG)) == house.storage().records
    assert figure(fresh, "viewgate_view_storage_bytes", view=str(AGG)) > 0
    assert (figure(fresh, "viewgate_views"), figure(fresh, "viewgate_catalog_up")) == (1, 1)


def test_the_number_of_views_that_cannot_be_read(house: House) -> None:
    assert figure(told(house), "viewgate_views_unreadable") == 0
    house.lake.put_view(TableName(("lake", "demo", "odd")), b"no json")
    assert (figure(told(house), "viewgate_views"), figure(told(house), "viewgate_views_unreadable")) == (1, 1)


def test_while_the_catalog_is_down_nothing_is_told_of_views(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def down() -> None:
        raise Unavailable("the catalog cannot be reached")

    monkeypatch.setattr(house.catalogs, "definitions", down)
    assert told(house).splitlines()[2:] == ['viewgate_catalog_up{catalog="lake"} 0.0']
