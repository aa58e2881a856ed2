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
        SqlError, match=r"the type of region is STRING, and timeseries\(\) takes a TIMESTAMP, TIMESTAMP_NTZ or DATE"
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


STATEMENTS = (
    "CREATE TEMPORARY VIEW days AS SELECT {} AS d FROM sales",
    "CREATE OR REPLACE TEMP VIEW days AS SELECT {} AS d FROM sales",
    "CREATE OR REPLACE GLOBAL TEMPORARY VIEW days AS SELECT {} AS d FROM sales",
    "CACHE TABLE days AS SELECT {} AS d FROM sales",
    "CACHE LAZY TABLE days OPTIONS ('storageLevel' 'DISK_ONLY') SELECT {} AS d FROM sales",
    "ALTER VIEW days AS SELECT {} AS d FROM sales",
    "DESCRIBE QUERY SELECT {} AS d FROM sales",
    "INSERT OVERWRITE DIRECTORY '/tmp/days' USING parquet SELECT {} AS d FROM sales",
    "FROM sales INSERT INTO a SELECT {} AS d INSERT INTO b SELECT {} AS d, amount",
    "CREATE FUNCTION day_of(region STRING) RETURNS TIMESTAMP RETURN {}",
    "CREATE TEMPORARY FUNCTION day_of(region STRING) RETURNS TIMESTAMP RETURN {}",
    "DECLARE VARIABLE first TIMESTAMP DEFAULT {}",
    "SET VAR first = (SELECT min({}) AS d FROM sales)",
    "SET VARIABLE first = {}",
    "BEGIN CREATE TEMPORARY VIEW days AS SELECT {} AS d FROM sales; SELECT {} AS d FROM sales; END",
    "VALUES ({})",
)


def test_statements_that_change_the_session_are_translated_too(asking: Asking) -> None:
    async def sent() -> list[str | None]:
        plan = asking.answers.plan
        return [(await plan(asking.session, form.replace("{}", CALL))).sql for form in STATEMENTS]

    spark = "date_trunc('DAY', CAST(region AS TIMESTAMP))"
    assert asyncio.run(sent()) == [form.replace("{}", spark) for form in STATEMENTS]


def test_a_text_of_execute_immediate_is_translated(asking: Asking) -> None:
    text = f"EXECUTE IMMEDIATE 'SELECT {CALL.replace(chr(39), chr(39) * 2)} AS d FROM sales WHERE amount > ?' USING 1"
    plan = asyncio.run(asking.answers.plan(asking.session, text))
    assert plan.sql == (
        "EXECUTE IMMEDIATE 'SELECT date_trunc(\\'DAY\\', CAST(region AS TIMESTAMP)) AS d FROM sales WHERE amount > ?' "
        "USING 1"
    )


def test_a_computed_text_of_execute_immediate_is_refused_with_what_to_write(asking: Asking) -> None:
    for sql in (
        "EXECUTE IMMEDIATE 'SELECT timeseries(' || 'now(), ''day'')'",
        "BEGIN EXECUTE IMMEDIATE 'SELECT timeseries(now(), ''day'')'; END",
    ):
        with pytest.raises(SqlError, match="write the statement as one string literal after EXECUTE") as error:
            asyncio.run(asking.answers.plan(asking.session, sql))
        assert error.value.sql_state == "0A000"


def test_sparks_error_about_the_text_of_a_variable_says_what_to_write(asking: Asking) -> None:
    plan = asyncio.run(asking.answers.plan(asking.session, "EXECUTE IMMEDIATE q"))
    assert plan.sql is None
    assert plan.reworded is not None
    missing = SqlError("[UNRESOLVED_ROUTINE] Cannot resolve routine `timeseries` on search path [`system`].", "42883")
    assert "takes from a variable: write the statement as one string" in plan.reworded(missing).message
    other = SqlError("[DIVIDE_BY_ZERO] Division by zero.", "22012")
    assert plan.reworded(other) is other


def test_a_setting_with_the_functions_name_is_sent_as_it_is(asking: Asking) -> None:
    assert asyncio.run(asking.answers.plan(asking.session, "SET x.y = timeseries(a, 'day')")).sql is None
