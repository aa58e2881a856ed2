from __future__ import annotations

import asyncio

from proxy import demo


def test_table_first_then_views_all_only_if_they_are_not_there():
    sent: list[str] = []

    async def query(sql: str) -> None:
        sent.append(" ".join(sql.split()))

    asyncio.run(demo.make(query))
    assert all(" IF NOT EXISTS lake.demo" in statement for statement in sent)
    assert [statement.split(" IF ")[0] for statement in sent] == [
        "CREATE NAMESPACE",
        "CREATE TABLE",
        *["CREATE MATERIALIZED VIEW"] * 3,
    ]


def test_agg_sales_is_the_one_of_the_example():
    sql = " ".join(demo.VIEWS[0].split("AS\n", 1)[1].split())
    assert sql == "SELECT country, sex, sum(quantity), avg(price) FROM lake.demo.sales GROUP BY country, sex"
