"""The stages of jobs that a Spark of this process runs, by the group under which it knows them."""

from __future__ import annotations

from typing import Any

from proxy.upstream import Stage


def stages_of(context: Any, group: str) -> tuple[Stage, ...]:
    """Return the stages of a group's jobs that have begun, as far as Spark remembers them.

    Not those that wait: adaptive execution skips most of these, since an earlier job has done their work.
    """
    tracker = context.statusTracker()
    jobs = (tracker.getJobInfo(job) for job in sorted(tracker.getJobIdsForGroup(group)))
    ids = sorted({stage for job in jobs if job is not None for stage in job.stageIds})
    known = (tracker.getStageInfo(stage) for stage in ids)
    return tuple(
        Stage(one.stageId, one.numTasks, one.numCompletedTasks, one.numActiveTasks, one.numFailedTasks)
        for one in known
        if one is not None and (one.numActiveTasks or one.numCompletedTasks or one.numFailedTasks)
    )
