"""Which answers the race accepts as those of one point in time."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from tests.integration.race_answers import QUERIES, Answer, Moment, Rows, Snapshots, moments, unexplained

# Sales grew at the commits 3 and 5, regions at 4; of the two tables' snapshots these are the parents and times.
STATES = {2: (10, 20), 3: (11, 20), 4: (11, 21), 5: (12, 21)}
TIMES = {10: (None, 1000), 11: (10, 3000), 12: (11, 5000), 20: (None, 1000), 21: (20, 4000)}
VIEW, LIVE = "answered from lake.race.by_name (same_grain)", "answered from lake.race.by_name (delta_union)"
JOIN = next(at for at, query in enumerate(QUERIES) if "{regions}" in query)


def rows(snapshots: Snapshots) -> Rows:
    return [("rows at", *snapshots)]


def right(answer: Answer) -> bool:
    def replay(wanted: set[Moment]) -> dict[Moment, Rows]:
        return {(query, at): rows(at) for query, at in wanted}

    return not unexplained([answer], STATES, TIMES, replay)


@pytest.mark.parametrize(("first", "last", "good"), [(3, 3, True), (2, 5, True), (4, 5, False), (2, 2, False)])
@pytest.mark.parametrize("log", [VIEW, LIVE, ""])
def test_an_answer_must_be_of_a_moment_while_its_statement_ran(log: str, first: int, last: int, good: bool) -> None:
    assert right(Answer(JOIN, first, last, rows((11, 20)), log)) == good


def test_views_answer_as_of_one_commit_and_spark_as_of_one_for_each_table() -> None:
    torn = Answer(JOIN, 2, 5, rows((12, 20)), VIEW)
    assert not right(torn)
    assert right(replace(torn, log=""))
    assert right(replace(torn, log=f"{VIEW}\nThe rewritten statement failed"))
    assert right(replace(torn, apart=True))


def test_a_table_that_a_query_does_not_read_does_not_count() -> None:
    assert right(Answer(0, 4, 4, rows((11, 0)), VIEW))
    assert not right(Answer(0, 4, 4, rows((12, 0)), VIEW))


def test_an_old_answer_is_of_a_moment_within_its_bound() -> None:
    old = Answer(JOIN, 5, 5, rows((11, 20)), VIEW, since_ms=3500)
    assert right(old)
    assert not right(replace(old, since_ms=4500))
    assert not right(replace(old, since_ms=None))
    assert not right(replace(old, rows=rows((12, 20))))


def test_the_time_in_the_log_decides_which_moment_is_replayed_first_and_nothing_else() -> None:
    old = Answer(JOIN, 5, 5, rows((11, 20)), VIEW, since_ms=0)
    told = replace(old, log=f"{VIEW}, data as of 1970-01-01 00:00:03.000 UTC")
    assert moments(old, STATES, TIMES)[0] == (12, 21)
    assert moments(told, STATES, TIMES)[0] == (11, 20)
    assert sorted(moments(told, STATES, TIMES)) == sorted(moments(old, STATES, TIMES))
    outside = replace(told, since_ms=4500)
    assert (11, 20) not in moments(outside, STATES, TIMES)


def test_the_bugs_that_the_race_is_to_find_can_be_planted() -> None:
    program = "from tests.integration.planted import BUGS; [plant() for plant in BUGS.values()]"
    subprocess.run([sys.executable, "-c", program], check=True)
