"""The ways to refresh a view."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """The ways to refresh a view, the cheapest first.

    - FRESH: no refresh is needed
    - NOTHING: no source row has changed; only the new snapshot ids are recorded
    - APPEND: the view's rows for appended source rows are inserted
    - APPEND_MERGE: the groups of appended source rows are merged into the stored groups
    - DELTA_JOIN: APPEND or APPEND_MERGE for a join
    - CHANGELOG: the counts and sums of inserted and deleted source rows are merged into the stored groups
    - PARTITIONS: whole storage partitions are recomputed
    - RETENTION: old partitions are dropped
    - WIDENED: a storage table that has only some of the view's rows gets more of them
    - FULL: the whole query is computed
    """

    FRESH = "none"
    NOTHING = "nothing"
    APPEND = "append"
    APPEND_MERGE = "append-merge"
    DELTA_JOIN = "delta join"
    CHANGELOG = "changelog"
    PARTITIONS = "partition recompute"
    RETENTION = "retention"
    WIDENED = "more rows"
    FULL = "full"
