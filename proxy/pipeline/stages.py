"""The stages of jobs that a Spark of this process runs, by the group under which it knows them."""

from __future__ import annotations

from typing import Any

from proxy.upstream import Stage


def stages_of(context: Any, group: str) -> tuple[Stage, ...]:
    """The stages of a group's jobs so far, as far as Spark remembers them."""
    tracker = context.statusTracker()
    jobs = (tracker.getJobInfo(job) for job in sorted(tracker.getJobIdsForGroup(group)))
    ids = sorted({stage for job in jobs if job is not None for stage in job.stageIds})
    known = (tracker.getStageInfo(stage) for stage in ids)
    return tuple(
        Stage(one.stageId, one.numTasks, one.numCompletedTasks, one.numActiveTasks, one.numFailedTasks)
        for one in known
        if one is not None
    )
