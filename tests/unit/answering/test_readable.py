"""A view whose storage Spark could not read is not used for a while, and the reason is shown wherever users ask."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from proxy.answering import Answers, SessionFacts
from proxy.answering.readable import FreshParts
from proxy.hs2 import SqlError, reported
from proxy.session import Forward
from rewriter import Definitions, Relations
from rewriter.model import Session
from tests.unit.catalog.lake import ROWS, STORAGE, Lake
from tests.unit.commands.house import House

CREATE = "CREATE MATERIALIZED VIEW agg AS SELECT region, sum(amount) FROM sales GROUP BY region"
QUERY = "SELECT region, sum(amount) FROM sales GROUP BY region"
CUT = SqlError("Failed to parse metadata file: Unexpected end-of-input\n\tat a.B.c(D.java:1)\n", None)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Asking:
    """A session's statements, decided by `Answers` over a house with a fresh view."""

    def __init__(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        self.house, self.clock = house, Clock()
        self.answers = Answers(house.catalogs, clock=self.clock)
        house.context = replace(house.context, answers=self.answers)
        facts = SessionFacts()
        self.session: Any = SimpleNamespace(facts=facts, upstream=house.upstream, for_operators=False)

        async def read(_answers: Answers, _session: Any) -> Session:
            return house.session

        monkeypatch.setattr(Answers, "facts", read)

    def plan(self) -> Forward:
        return asyncio.run(self.answers.plan(self.session, QUERY))

    def fail(self, error: SqlError = CUT) -> None:
        """Make the rewritten statement fail in Spark, but not its original."""
        plan = self.plan()
        assert plan.fell_back is not None
        plan.fell_back(error)


@pytest.fixture
def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asking]:
    lake = Lake(tmp_path)
    house = House(lake)
    asyncio.run(house.run(CREATE))
    yield Asking(house, monkeypatch)
    lake.close()


def reasons(asking: Asking) -> list[str]:
    shown = asyncio.run(asking.house.run("SHOW MATERIALIZED VIEWS"))
    return [row[5] for row in shown.rows]


def test_a_view_rests_after_a_failed_read_and_says_so(asking: Asking, caplog: pytest.LogCaptureFixture) -> None:
    assert "agg__storage" in str(asking.plan().sql)
    assert reasons(asking) == [None]
    asking.fail()
    plan = asking.plan()
    assert plan.sql is None
    (line,) = plan.log
    assert line.startswith("Viewgate: lake.demo.agg not used: ")
    assert "Spark failed to read the view's storage table lake.demo.agg__storage" in line
    assert "(Failed to parse metadata file: Unexpected end-of-input); the view is used again after " in line
    assert line.endswith(" UTC, or after its next refresh")
    decision = asyncio.run(asking.answers.decide(asking.session, QUERY, thorough=True))
    assert [(str(a.reason), a.detail in line) for a in decision.tried] == [("UNKNOWN_STATE", True)]
    assert reasons(asking)[0] in line
    assert "storage table suspended storage=lake.demo.agg__storage suspended_for_s=300" in caplog.text


def test_the_reason_of_a_rest_quotes_no_literal(asking: Asking, caplog: pytest.LogCaptureFixture) -> None:
    asking.fail(SqlError("[CAST_INVALID_INPUT] The value 'Ann Smith' cannot be cast\n== SQL ==\nSELECT 'Ann Smith'"))
    (line,) = asking.plan().log
    assert "([CAST_INVALID_INPUT]); the view is used again after " in line
    assert "storage table suspended" in caplog.text
    assert "Ann" not in line + reasons(asking)[0] + caplog.text


def test_the_rest_ends_with_time_and_is_longer_the_next_time(asking: Asking) -> None:
    for seconds in (300, 600, 1200, 2400, 3600, 3600):
        asking.fail()
        asking.clock.now += seconds - 1
        assert asking.plan().sql is None
        asking.clock.now += 2
        assert asking.plan().sql is not None
        assert reasons(asking) == [None]


def test_failures_at_once_count_as_one(asking: Asking) -> None:
    plans = [asking.plan() for _ in range(3)]
    for plan in plans:
        assert plan.fell_back is not None
        plan.fell_back(CUT)
    asking.clock.now += 301
    assert asking.plan().sql is not None


def test_a_refresh_ends_the_rest(asking: Asking) -> None:
    asking.fail()
    asking.house.lake.iceberg.load_table("demo.sales").append(ROWS)
    asyncio.run(asking.house.run("REFRESH MATERIALIZED VIEW agg"))
    assert asking.plan().sql is not None
    assert reasons(asking) == [None]


@pytest.mark.parametrize("sql_state", ["42501", "42703"])
def test_what_one_user_may_not_read_others_may(asking: Asking, sql_state: str) -> None:
    asking.fail(reported("no", sql_state, 0))
    assert asking.plan().sql is not None


def test_a_rest_that_ends_during_a_decision_is_still_its_reason(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking.fail()
    within = FreshParts.within

    async def later(parts: FreshParts, definitions: Definitions, states: Iterable[Relations]) -> list[Relations]:
        asking.clock.now += 301
        return await within(parts, definitions, states)

    monkeypatch.setattr(FreshParts, "within", later)
    (line,) = asking.plan().log
    assert "Spark failed to read the view's storage table lake.demo.agg__storage" in line


def test_a_rest_is_of_its_storage_alone(asking: Asking) -> None:
    asking.fail()
    (rested,) = asking.answers.rests.storages
    assert rested == STORAGE
