"""Whether anything can have changed between two statements of a session."""

from __future__ import annotations


class Disturbances:
    """The statements of a session that are more than constant: each may set something that others depend on.

    >>> disturbances = Disturbances()
    >>> before = disturbances.moment
    >>> disturbances.begin(), disturbances.moment, disturbances.end(), disturbances.moment == before
    (None, None, None, False)
    """

    def __init__(self) -> None:
        self._begun = 0
        self._under_way = 0

    @property
    def moment(self) -> int | None:
        """The same at two times if there was none in between; None while there is one."""
        return None if self._under_way else self._begun

    def begin(self) -> None:
        """Take note that one may begin."""
        self._begun += 1
        self._under_way += 1

    def end(self) -> None:
        """Take note that one is sure to have ended: not one that was cancelled, which may run on for a while."""
        self._under_way -= 1
