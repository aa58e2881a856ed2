"""No hit of the frozen decisions is lost, and views stored by d88dfa3 still answer and refresh."""

from __future__ import annotations

import pytest

from rewriter import Kind, parse, rewrite
from rewriter.model import Table
from tests.frozen import decisions, storage
from tests.frozen.decisions import FATAL, compare, table
from tests.frozen.statements import decided, decision, golden_file, statements, units, world_of_unit
from tests.golden.corpus import World
from tests.golden.execution import database, rows_of, same_rows

SEEDS = range(300)
STORED = storage.frozen()


def test_no_hit_is_lost() -> None:
    compared = compare(decisions.frozen(), (found for unit in units(SEEDS) for found in decided(unit)))
    assert not FATAL & compared.keys(), table(compared)
    changed = [now.name for _, now in compared.get("other statement", ()) if now.name.startswith("seed ")]
    assert not changed, "the generator makes other statements of these seeds: the frozen ones are compared no more"


@pytest.mark.parametrize("unit", STORED)
def test_a_view_stored_then_still_answers(unit: str) -> None:
    today = world_of_unit(unit)
    built = storage.as_stored(today, STORED[unit])
    if (built.definitions.views, built.relations) == (today.definitions.views, today.relations):
        return  # what today's storage answers is tested with the golden files and the workloads
    then = decisions.frozen()
    compared = compare(then, (decision(name, query, built) for name, query in statements(unit)))
    assert not FATAL & compared.keys(), table(compared)
    if isinstance(built, World):
        _execute(unit, built)


def _execute(unit: str, built: World) -> None:
    """Run each answered case of a golden file both ways."""
    golden = golden_file(unit.removeprefix("golden "))
    connection = database(golden.schema, golden.rows, built)
    for case in golden.cases:
        outcome = rewrite(parse(case.query, built.session), built.definitions.thorough, built.relations)
        if outcome.rewritten:
            mine, theirs = rows_of(connection, outcome.sql()), rows_of(connection, outcome.original)
            assert same_rows(mine, theirs, ordered=False), f"{case.title}\n{outcome.sql()}\n{mine}\n{theirs}"


@pytest.mark.parametrize("unit", STORED)
def test_a_view_stored_then_refreshes_as_it_did(unit: str) -> None:
    then = STORED[unit]
    built = storage.as_stored(world_of_unit(unit), then)
    by_name = {view.name.table: view for view in built.definitions.views}
    for known in then:
        view = by_name[known.view]
        held = built.relations[view.storage]
        assert isinstance(held, Table)
        ways = storage.refreshes(view, held, built)
        dearer = [f"{was} -> {now}" for was, now in zip(known.refreshes, ways, strict=True) if _dearer(was, now)]
        assert not dearer, f"{known.view}: {dearer}"


def _dearer(was: str, now: str) -> bool:
    order = list(Kind)
    return order.index(Kind(now)) > order.index(Kind(was))
