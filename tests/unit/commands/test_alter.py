"""Properties that are set later, or by a replacement of the view."""

from __future__ import annotations

import asyncio

import pytest

from proxy.hs2 import SqlError
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
