from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from proxy.pipeline import stages_of
from proxy.upstream import Stage


class Tracker:
    """Spark's status tracker for one group with two jobs; `stages` are the tasks of each: all, completed, active,
    failed.
    """

    def __init__(self, stages: dict[int, tuple[int, int, int, int]]) -> None:
        self._stages = stages

    def getJobIdsForGroup(self, group: str) -> Sequence[int]:  # noqa: N802 - Spark's name
        return [2, 1] if group == "refresh" else []

    def getJobInfo(self, job: int) -> Any:  # noqa: N802
        return SimpleNamespace(stageIds=[0] if job == 1 else [1, 2])

    def getStageInfo(self, stage: int) -> Any:  # noqa: N802
        found = self._stages.get(stage)
        names = ("numTasks", "numCompletedTasks", "numActiveTasks", "numFailedTasks")
        return None if found is None else SimpleNamespace(stageId=stage, **dict(zip(names, found, strict=True)))


def stages(known: dict[int, tuple[int, int, int, int]], group: str = "refresh") -> tuple[Stage, ...]:
    return stages_of(SimpleNamespace(statusTracker=lambda: Tracker(known)), group)


def test_a_stage_that_adaptive_execution_skips_is_none_of_the_work() -> None:
    found = stages({0: (8, 8, 0, 0), 1: (8, 0, 0, 0), 2: (3, 1, 2, 0)})
    assert found == (Stage(0, 8, 8, 0, 0), Stage(2, 3, 1, 2, 0))


def test_what_spark_has_forgotten_and_other_groups_are_left_out() -> None:
    assert stages({2: (3, 0, 0, 1)}) == (Stage(2, 3, 0, 0, 1),)
    assert stages({0: (8, 8, 0, 0)}, "other") == ()
