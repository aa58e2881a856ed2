"""`timeseries()` in clients' statements is translated to Spark's functions, or is an error that lists
what is allowed.
"""

from __future__ import annotations

import asyncio

import pytest

from proxy.hs2 import SqlError
from tests.unit.answering.test_readable import Asking, asking

__all__ = ["asking"]

CALL = "timeseries(CAST(region AS TIMESTAMP), '1 day')"
FORMS = (
    "SELECT {} AS d, amount FROM sales",
    "SELECT amount FROM sales WHERE {} > '2024-01-01'",
    "CREATE TABLE copy AS SELECT {} AS d FROM sales",
    "CREATE VIEW days AS SELECT {} AS d FROM sales",
    "INSERT INTO copy SELECT {} AS d FROM sales",
    "UPDATE sales SET amount = 0 WHERE {} > '2024-01-01'",
    "DELETE FROM sales WHERE {} > '2024-01-01'",
    "MERGE INTO sales USING copy AS s ON {} = s.d WHEN MATCHED THEN DELETE",
)


@pytest.mark.parametrize("form", FORMS)
def test_every_statement_is_put_into_sparks_functions(asking: Asking, form: str) -> None:
    plan = asyncio.run(asking.answers.plan(asking.session, form.format(CALL)))
    assert plan.sql == form.format("date_trunc('DAY', CAST(region AS TIMESTAMP))")


@pytest.mark.parametrize("form", FORMS)
def test_a_column_of_another_type_is_an_error_that_lists_what_is_allowed(asking: Asking, form: str) -> None:
    with pytest.raises(
        SqlError, match="takes a TIMESTAMP, TIMESTAMP_NTZ or DATE, and the type of region is STRING"
    ) as e:
        asyncio.run(asking.answers.plan(asking.session, form.format("timeseries(region, 'day')")))
    assert e.value.sql_state == "0A000"


@pytest.mark.parametrize("form", FORMS)
def test_an_unknown_granularity_is_an_error_that_lists_what_is_allowed(asking: Asking, form: str) -> None:
    with pytest.raises(
        SqlError, match=r"takes a column and a granularity, which is one of second, minute, .*, year, not 'fortnight'"
    ) as e:
        asyncio.run(asking.answers.plan(asking.session, form.format(CALL.replace("1 day", "fortnight"))))
    assert e.value.sql_state == "0A000"
