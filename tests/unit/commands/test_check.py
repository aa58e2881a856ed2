"""Keys are checked by counting queries; integration tests check on Spark that these count correctly."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from proxy.hs2 import ResultSet, SqlError
from tests.unit.commands.house import House


def answering(house: House, properties: dict[str, str]) -> None:
    asked = house.upstream.query

    async def query(sql: str) -> ResultSet:
        await asked(sql)
        rows: list[tuple[Any, ...]] = [*properties.items()] if sql.startswith("SHOW TBLPROPERTIES") else [(3,)]
        return ResultSet.of("a", "b", rows=rows) if sql.startswith("SHOW") else ResultSet.of("n", rows=rows)

    house.upstream.query = query  # type: ignore[method-assign]


def test_each_key_is_counted(house: House) -> None:
    answering(house, {"viewgate.primary-key": "id", "viewgate.foreign-keys": "(day) REFERENCES dates (d)"})
    result = asyncio.run(house.run("CHECK CONSTRAINTS ON TABLE sales"))
    assert [(row[0], row[1]) for row in result.rows] == [
        ("PRIMARY KEY (id): no NULL", 3),
        ("PRIMARY KEY (id): unique", 3),
        ("FOREIGN KEY (day) REFERENCES lake.demo.dates (d): there", 3),
        ("FOREIGN KEY (day) REFERENCES lake.demo.dates (d): unique there", 3),
    ]
    assert house.upstream.statements[0] == "SHOW TBLPROPERTIES lake.demo.sales"
    assert house.upstream.statements[1] == "SELECT count(*) FROM lake.demo.sales WHERE id IS NULL"


@pytest.mark.parametrize(
    ("properties", "state", "message"),
    [
        (
            {},
            "42704",
            "lake.demo.sales declares no keys: declare them with ALTER TABLE lake.demo.sales SET TBLPROPERTIES",
        ),
        (
            {"viewgate.primary-key": "a = b"},
            "22023",
            "the declared keys of lake.demo.sales are wrong: viewgate.primary-key = 'a = b' is not a list",
        ),
    ],
)
def test_nothing_to_check(house: House, properties: dict[str, str], state: str, message: str) -> None:
    answering(house, properties)
    with pytest.raises(SqlError) as refused:
        asyncio.run(house.run("CHECK CONSTRAINTS sales"))
    assert refused.value.sql_state == state
    assert refused.value.message.startswith(message)
