"""Random cases for Spark, with some expressions for which DuckDB's results differ."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from tests.property.generator import Case

# Averages of decimals, whose types and last digits are Spark's own; names that it makes; errors that ANSI mode raises
# for some rows.
FOR_SPARK = (
    ("avg(score)", "avg(price)"),
    ("avg(n)", "avg(price * n)"),
    ("sum(price)", "sum(price * 1.25)"),
    ("n + 1", "n / 2"),
    ("n * 2", "n / (n + 3)"),
    ("big + n", "big * 10000000000000"),
    ("coalesce(sex, 'x')", "CASE WHEN sex = 'm' THEN 1.5 ELSE n END"),
)


def for_spark(case: Case, sharing: int) -> Case:
    """Return the case with some expressions that only Spark evaluates as Spark does, in views and query alike."""
    random = Random(f"for Spark {case.seed // sharing}")
    chosen = [(text, other) for text, other in FOR_SPARK if random.random() < 0.5]

    def changed(sql: str) -> str:
        for text, other in chosen:
            sql = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", other, sql)
        return sql

    return replace(case, views=tuple((name, changed(sql)) for name, sql in case.views), query=changed(case.query))
