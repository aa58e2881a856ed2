"""Demo data: a year of sales, made by Spark itself, and materialized views over it, made as any client would."""

from __future__ import annotations

import logging
import re
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the command line imports this module
    from collections.abc import Awaitable

    from proxy.hs2 import Query, ResultSet

_log = logging.getLogger("viewgate")
_SIGN_OF_LIFE_S = 15.0

# On two busy cores the table answers the README's queries in 2.7 and 6.0 s, the views in 0.6 s. It is made in 140 s.
ROWS = 25_000_000

# Every value is drawn by hashing the row's number: the same rows on every machine. Orders gather around noon; few
# customers and few countries make most of them; sex is unknown in one order of a hundred.
SALES = """
CREATE TABLE IF NOT EXISTS lake.demo.sales USING iceberg
COMMENT 'Orders of the year 2024, generated' AS
WITH draws AS (
  SELECT
    id,
    pmod(xxhash64(id, 1), 86400) + pmod(xxhash64(id, 2), 86400) + pmod(xxhash64(id, 3), 86400) AS seconds,
    pmod(xxhash64(id, 4), 1000000) / 1000000D AS customer,
    pmod(xxhash64(id, 5), 1000) AS sex,
    pmod(xxhash64(id, 6), 1000000) / 1000000D AS country,
    pmod(xxhash64(id, 7), 1000000) / 1000000D AS quantity,
    pmod(xxhash64(id, 8), 1000000) / 1000000D AS price
  FROM range({rows})
)
SELECT
  timestamp_seconds(1704067200 + 86400 * (id * 366 DIV {rows}) + seconds DIV 3) AS order_time,
  concat('c', lpad(CAST(floor(pow(customer, 3) * 5000) AS STRING), 5, '0')) AS user_id,
  CASE WHEN sex < 10 THEN NULL WHEN sex < 520 THEN 'female' ELSE 'male' END AS sex,
  element_at(
    array('us', 'cn', 'de', 'in', 'jp', 'gb', 'fr', 'br', 'it', 'ca', 'kr', 'es', 'au', 'mx', 'nl', 'ch', 'pl', 'se'),
    CAST(1 + floor(pow(country, 2) * 18) AS INT)
  ) AS country,
  CAST(1 + floor(-3 * ln(1 - quantity)) AS INT) AS quantity,
  CAST(100 + floor(exp(price * 8)) AS BIGINT) AS price
FROM draws
"""

VIEWS = (
    """
CREATE MATERIALIZED VIEW IF NOT EXISTS lake.demo.agg_sales
COMMENT 'Quantity and mean price by country and sex' AS
SELECT country, sex, sum(quantity), avg(price)
FROM lake.demo.sales
GROUP BY country, sex
""",
    """
CREATE MATERIALIZED VIEW IF NOT EXISTS lake.demo.sales_by_hour
COMMENT 'Orders by hour: days, weeks, months and years roll up from it' AS
SELECT timeseries(order_time, 'hour') AS hour, count(*) AS orders, sum(quantity) AS quantity, avg(price) AS mean_price
FROM lake.demo.sales
GROUP BY timeseries(order_time, 'hour')
""",
    """
CREATE MATERIALIZED VIEW IF NOT EXISTS lake.demo.sales_by_day_and_country
COMMENT 'Revenue by day and country' AS
SELECT timeseries(order_time, 'day') AS day, country, count(*) AS orders, sum(quantity * price) AS revenue,
  min(price) AS lowest_price, max(price) AS highest_price
FROM lake.demo.sales
GROUP BY timeseries(order_time, 'day'), country
""",
)


# By the names of what they make.
STATEMENTS = {re.findall(r"lake\.demo\.(\w+)", statement)[0]: statement for statement in (SALES, *VIEWS)}


async def make(rows: int, query: Query) -> None:
    """Make the missing tables and views, the sales with `rows` rows; `query` sends a statement."""
    there = await _listed("SHOW MATERIALIZED VIEWS", query)
    if len(there.intersection(STATEMENTS)) == len(VIEWS):
        return  # a table of views cannot be dropped; to list tables takes Spark, just started, 6 s
    there |= await _listed("SHOW TABLES", query)
    missing = {name: statement for name, statement in STATEMENTS.items() if name not in there}
    for number, (name, statement) in enumerate(missing.items(), 1):
        step = f"making the demo data, {number} of {len(missing)}: {name}"
        _log.info("%s%s", step, f", {rows:,} rows" if statement is SALES else "")
        await _with_signs_of_life(step, query(statement.replace("{rows}", str(rows))))


async def _with_signs_of_life(step: str, asked: Awaitable[ResultSet]) -> None:
    """Wait for a step's statement, and log the seconds so far from time to time: the sales take minutes."""
    import asyncio  # the command line loads this module, and not always a loop

    work, began = asyncio.ensure_future(asked), time.monotonic()
    try:
        while not (await asyncio.wait({work}, timeout=_SIGN_OF_LIFE_S))[0]:
            _log.info("%s, %.0f s so far", step, time.monotonic() - began)
    finally:
        work.cancel()
    await work


async def rehearse(query: Query) -> None:
    """Run the README's first query: a Spark that has just started takes 6 s for it, and then less than 0.5 s."""
    await query("SELECT country, sum(quantity) FROM lake.demo.sales GROUP BY country ORDER BY 2 DESC LIMIT 3")


async def _listed(show: str, query: Query) -> set[str]:
    """Return the names in the demo's namespace, which Spark's start has made."""
    return {str(row[1]) for row in (await query(f"{show} IN lake.demo")).rows}
