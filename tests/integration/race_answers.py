"""Checks that each answer of a race is the original query's at one point in time.

A reader records the number of the last commit before its statement starts and after it ends, and the answer must be the
original query's at the snapshots that were current after one of the commits in between. With a staleness bound, it may
also be the answer at the tables' snapshots, by their own timestamps, at a time within the bound. A REST catalog cannot
return several tables at once: there each table must be at a snapshot that was current in between.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from itertools import product
from typing import Any

from pyhive import hive

from tests.integration import clients
from tests.integration.test_golden import FELL_BACK

TABLES = ("sales", "regions")
# `{sales}` and `{regions}` stand for the tables; the views cover all of these queries but the last one's second part.
QUERIES = (
    "SELECT region, sum(amount), count(*) FROM {sales} GROUP BY region",
    "SELECT sum(amount), count(*) FROM {sales} WHERE region < 5",
    "SELECT r.name, sum(s.amount), max(s.amount) FROM {sales} AS s JOIN {regions} AS r ON r.id = s.region "
    "GROUP BY r.name",
    "SELECT count(*), max(id) FROM {sales} WHERE region > 4 AND amount < 50",
    # Two views, which may have been refreshed at different snapshots.
    "SELECT CAST(region AS STRING), sum(amount) FROM {sales} GROUP BY region UNION ALL SELECT r.name, sum(s.amount) "
    "FROM {sales} AS s JOIN {regions} AS r ON r.id = s.region GROUP BY r.name",
    "SELECT g.region, g.total, g.cnt, s.rows FROM (SELECT region, sum(amount) AS total, count(*) AS cnt FROM {sales} "
    "GROUP BY region) AS g CROSS JOIN (SELECT count(DISTINCT id) AS rows FROM {sales}) AS s",
)
_NUMBER = re.compile(r"\d{4,}")
_AS_OF = re.compile(r", data as of (.*) UTC")
Rows = list[tuple[Any, ...]]
Snapshots = tuple[int, ...]  # of TABLES
Moment = tuple[int, Snapshots]  # a query at snapshots
Times = Mapping[int, tuple[int | None, int]]  # the parent and the time of each snapshot


@dataclass(frozen=True)
class Answer:
    """A reader's answer to a query; `first` and `last` are the numbers of the commits before and after it.

    `since_ms` is the earliest time whose data is allowed, for a reader that allows old answers; `apart` is true if each
    table was looked up separately.
    """

    query: int
    first: int
    last: int
    rows: Rows
    log: str
    since_ms: float | None = None
    apart: bool = False

    @property
    def whys(self) -> list[str]:
        """Return the reasons why no view answered, without snapshot numbers."""
        return [_NUMBER.sub("…", line) for line in self.log.splitlines() if " not used: " in line or FELL_BACK in line]

    @property
    def as_of_ms(self) -> int | None:
        """Return the time of the data in milliseconds since 1970, if the log names an earlier time; else None."""
        found = _AS_OF.search(self.log)
        return round(datetime.fromisoformat(f"{found[1]}+00:00").timestamp() * 1000) if found else None

    @property
    def kind(self) -> str:
        """Return what answered: live (storage with appended rows), views, or tables."""
        if "answered from" not in self.log or FELL_BACK in self.log:
            return "tables"
        return "live" if "(delta_union)" in self.log or "(changelog_union)" in self.log else "views"

    def __str__(self) -> str:
        bound = "" if self.since_ms is None else ", within a bound"
        commits = f"commits {self.first} to {self.last}{bound}"
        return f"{QUERIES[self.query]} by {self.kind}, {commits}: {self.rows}\n{self.log}"


def unexplained(
    answers: Sequence[Answer],
    snapshots: Mapping[int, Snapshots],
    times: Times,
    replay: Callable[[set[Moment]], Mapping[Moment, Rows]],
) -> list[Answer]:
    """Return the answers that match no point in time; `replay` returns the rows of queries at snapshots."""
    waiting = [(answer, moments(answer, snapshots, times)) for answer in answers]
    found = []
    # The first moment is that of most answers: others are replayed only for what is left.
    for at in range(max((len(each) for _, each in waiting), default=0)):
        found += [answer for answer, each in waiting if at >= len(each)]
        waiting = [(answer, each) for answer, each in waiting if at < len(each)]
        rows = replay({(answer.query, each[at]) for answer, each in waiting})
        waiting = [(answer, each) for answer, each in waiting if rows[answer.query, each[at]] != answer.rows]
    return [*found, *(answer for answer, _ in waiting)]


def moments(answer: Answer, snapshots: Mapping[int, Snapshots], times: Times) -> list[Snapshots]:
    """Return the sets of snapshots at which an answer may be the original's, the likeliest first.

    If Spark read the tables itself, or the catalog is a REST catalog, the tables were looked up one after the other;
    each must then have been current in between. The time that the log reports decides only which moment is replayed
    first: most moments of an answer within a bound need no replay then.
    """
    used = [f"{{{table}}}" in QUERIES[answer.query] for table in TABLES]
    states = [snapshots[number] for number in range(answer.first, answer.last + 1)]
    if answer.kind == "tables" or answer.apart:
        states += product(*(dict.fromkeys(column) for column in zip(*states, strict=True)))
    if answer.since_ms is not None:
        states += _before(states, answer.since_ms, times)
    found = list(dict.fromkeys(_masked(state, used) for state in states))
    if answer.as_of_ms is not None:
        likeliest = _masked([_at(snapshot, answer.as_of_ms, times) for snapshot in states[0]], used)
        found.sort(key=likeliest.__ne__)
    return found


def _masked(state: Sequence[int], used: Sequence[bool]) -> Snapshots:
    """Return the snapshots with 0 in place of a table that the query does not read."""
    return tuple(snapshot if reads else 0 for snapshot, reads in zip(state, used, strict=True))


def _before(states: Sequence[Snapshots], since_ms: float, times: Times) -> Iterator[Snapshots]:
    """Yield the states at the times within a staleness bound, each just before a snapshot was added."""
    came = sorted({at for _, at in times.values() if at >= since_ms}, reverse=True)
    for state in list(states):
        for moment in came:
            yield tuple(_at(snapshot, moment - 1, times) for snapshot in state)


def _at(snapshot: int, moment: int, times: Times) -> int:
    """Return the last ancestor of a snapshot at a time, or the first ancestor there is."""
    parent, at = times[snapshot]
    return snapshot if at <= moment or parent is None else _at(parent, moment, times)


@dataclass
class Replays:
    """The rows of queries at snapshots, as Spark returns them for VERSION AS OF."""

    connections: Sequence[hive.Connection]
    space: str
    rows: dict[Moment, Rows] = field(default_factory=dict)

    def run(self, wanted: set[Moment]) -> Mapping[Moment, Rows]:
        """Run the queries whose rows are not known yet, several in one statement."""
        new = sorted(wanted - self.rows.keys())
        batches = [batch for query in range(len(QUERIES)) for batch in _batches([e for e in new if e[0] == query], 4)]
        with ThreadPoolExecutor(len(self.connections)) as threads:
            lots = [batches[at :: len(self.connections)] for at in range(len(self.connections))]
            list(threads.map(self._replay, self.connections, lots))
        return self.rows

    def _replay(self, connection: hive.Connection, batches: Sequence[Sequence[Moment]]) -> None:
        for batch in batches:
            texts = (f"SELECT {at}, * FROM ({replayed(*each, self.space)})" for at, each in enumerate(batch))
            found: list[Rows] = [[] for _ in batch]
            for at, *row in clients.rows(connection, " UNION ALL ".join(texts)):
                found[at].append(tuple(row))
            self.rows.update(zip(batch, (sorted(rows, key=repr) for rows in found), strict=True))


def replayed(query: int, snapshots: Snapshots, space: str) -> str:
    """Return a query at the tables' snapshots."""
    at = {t: f"{space}.{t} VERSION AS OF {s}" for t, s in zip(TABLES, snapshots, strict=True)}
    return QUERIES[query].format(**at)


def _batches(items: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [items[at : at + size] for at in range(0, len(items), size)]
