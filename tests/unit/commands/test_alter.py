"""Properties that are set later, or by a replacement of the view."""

from __future__ import annotations

import asyncio

import pytest

from proxy.hs2 import SqlError
from tests.unit.catalog.lake import AGG
from tests.unit.commands.house import House

CREATE = "MATERIALIZED VIEW agg {} AS SELECT region, sum(amount) FROM sales GROUP BY region"
RETAINED = "PROPERTIES ('viewgate.retention' = '1 day')"


def test_a_retention_that_no_refresh_could_keep_is_refused_before_anything_is_set(house: House) -> None:
    asyncio.run(house.run(f"CREATE {CREATE.format('')}"))
    with pytest.raises(SqlError, match="is not partitioned by a time column"):
        asyncio.run(house.run("ALTER MATERIALIZED VIEW agg SET PROPERTIES ('viewgate.retention' = '30 days')"))
    assert not [sql for sql in house.upstream.statements if sql.startswith("ALTER VIEW")]


def test_a_replacement_is_filled_as_its_own_properties_say(house: House) -> None:
    asyncio.run(house.run(f"CREATE {CREATE.format('')}"))
    before = len(house.upstream.statements)
    with pytest.raises(SqlError, match="is not partitioned by a time column"):
        asyncio.run(house.run(f"CREATE OR REPLACE {CREATE.format(RETAINED)}"))
    assert not [sql for sql in house.upstream.statements[before:] if " VIEW " in sql]


def test_a_property_that_is_unset_has_its_default_again(house: House) -> None:
    asyncio.run(house.run(f"CREATE {CREATE.format('')}"))
    before = house.lake.view_properties(AGG)
    properties = "'viewgate.refresh.every' = '1 hour', 'write.format.default' = 'orc'"
    asyncio.run(house.run(f"ALTER MATERIALIZED VIEW agg SET PROPERTIES ({properties})"))
    asyncio.run(
        house.run("ALTER MATERIALIZED VIEW agg UNSET PROPERTIES ('viewgate.refresh.every', 'write.format.default')")
    )
    assert house.lake.view_properties(AGG) == before
    assert house.upstream.statements[-2:] == [
        "ALTER TABLE lake.demo.agg__storage UNSET TBLPROPERTIES IF EXISTS ('write.format.default')",
        "ALTER VIEW lake.demo.agg UNSET TBLPROPERTIES ('viewgate.refresh.every', 'write.format.default')",
    ]


@pytest.mark.parametrize("key", ["viewgate.query", "viewgate.refresh.every", "team"])
def test_only_a_property_that_a_user_has_set_can_be_unset(house: House, key: str) -> None:
    asyncio.run(house.run(f"CREATE {CREATE.format('')}"))
    fault = r"of lake\.demo\.agg cannot be unset" if key == "viewgate.query" else r"is not set on lake\.demo\.agg"
    with pytest.raises(SqlError, match=rf"^the property {key} {fault}; .* can be unset: ") as refused:
        asyncio.run(house.run(f"ALTER MATERIALIZED VIEW agg UNSET PROPERTIES ('{key}')"))
    assert refused.value.sql_state == "42704"
    asyncio.run(house.run(f"ALTER MATERIALIZED VIEW agg UNSET PROPERTIES IF EXISTS ('{key}')"))
    assert not [sql for sql in house.upstream.statements if "UNSET" in sql]


def test_if_exists_leaves_out_properties_that_are_not_set(house: House) -> None:
    asyncio.run(house.run(f"CREATE {CREATE.format('')}"))
    asyncio.run(house.run("ALTER MATERIALIZED VIEW agg SET PROPERTIES ('viewgate.refresh.every' = '1 hour')"))
    asyncio.run(house.run("ALTER MATERIALIZED VIEW agg UNSET PROPERTIES IF EXISTS ('team', 'viewgate.refresh.every')"))
    assert house.upstream.statements[-1] == "ALTER VIEW lake.demo.agg UNSET TBLPROPERTIES ('viewgate.refresh.every')"
