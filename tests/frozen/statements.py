"""The statements whose decisions are frozen, in units that one process decides one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from rewriter import Outcome, parse, rewrite
from rewriter.script import Workspace, read_script
from tests.golden import corpus
from tests.golden.corpus import GoldenFile, World
from tests.property.checking import world_of
from tests.property.generator import SHARING, generate
from tests.workloads.corpus import NAMES, queries, script

_CHUNK = 20 * SHARING
_FAILED = "the rewriter failed with an internal error"


class Decision(NamedTuple):
    """The decision about a statement: the views and rules that answer it, or each view's reason not to.

    `digest` distinguishes the statement from others of the same name; `left` is the number of blocks that no view
    answers.
    """

    name: str
    digest: str
    verdict: str
    left: int
    detail: str

    @property
    def hit(self) -> bool:
        """Whether a view answers a part of the statement."""
        return self.verdict == "hit"

    def __str__(self) -> str:
        return "\t".join(map(str, self))

    @classmethod
    def read(cls, line: str) -> Decision:
        """Return the decision in a line of the frozen file.

        >>> Decision.read("seed 7\\t1a2b3c4d\\thit\\t0\\tmv0:roll_up").detail
        'mv0:roll_up'
        """
        name, digest, verdict, left, detail = line.split("\t")
        return cls(name, digest, verdict, int(left), detail)


def units(seeds: range) -> Iterator[str]:
    """Yield the names of all units: golden files, workloads, and ranges of these seeds."""
    yield from (f"golden {path.stem}" for path in corpus.golden_files())
    yield from (f"workload {name}" for name in NAMES)
    for first in range(seeds.start, seeds.stop, _CHUNK):
        yield f"seeds {first}:{min(first + _CHUNK, seeds.stop)}"


def decided(unit: str) -> list[Decision]:
    """Decide each statement of a unit."""
    kind, _, rest = unit.partition(" ")
    if kind == "seeds":
        return list(_seeds(range(*map(int, rest.split(":")))))
    built = world_of_unit(unit)
    return [decision(name, query, built) for name, query in statements(unit)]


def statements(unit: str) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of the cases of a golden file or the queries of a workload."""
    kind, _, name = unit.partition(" ")
    if kind == "golden":
        yield from ((f"{unit}: {case.title}", case.query) for case in golden_file(name).cases)
    else:
        yield from ((f"{unit}: {query.name}", query.sql) for query in queries(name))


def world_of_unit(unit: str) -> World | Workspace:
    """Return the tables and views of a golden file or a workload."""
    kind, _, name = unit.partition(" ")
    return corpus.world(golden_file(name)) if kind == "golden" else read_script(script(name))


def golden_file(stem: str) -> GoldenFile:
    """Return the golden file of this name."""
    return corpus.read(corpus.FOLDER / f"{stem}.sql")


def _seeds(seeds: range) -> Iterator[Decision]:
    for case in map(generate, seeds):
        made = repr((case.plain, case.views))
        yield decision(f"seed {case.seed}", case.query, world_of(case.views, case.plain), made)


def decision(name: str, query: str, world: World | Workspace, made: str = "") -> Decision:
    """Return the decision about a statement, with all views tried; `made` are generated views, which are part of its
    digest.
    """
    digest = sha256(f"{query}{made}".encode()).hexdigest()[:8]
    outcome = rewrite(parse(query, world.session), world.definitions.thorough, world.relations)
    if outcome.rewritten:
        used = dict.fromkeys(f"{r.view.name.table}:{r.rule}" for r in outcome.replacements)
        return Decision(name, digest, "hit", _left(outcome), " ".join(used))
    failed = any(_FAILED in attempt.detail for attempt in outcome.tried)
    reasons = dict.fromkeys(f"{a.view.table}:{a.reason}" for a in outcome.tried)
    return Decision(name, digest, "error" if failed else "miss", _left(outcome), " ".join(reasons))


def _left(outcome: Outcome) -> int:
    answered = [replacement.block.span for replacement in outcome.replacements]
    return sum(not any(block.span.within(span) for span in answered) for block in outcome.statement.blocks)
