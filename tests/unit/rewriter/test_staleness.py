"""Answers within a staleness bound: from which earlier times, and how old they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from rewriter import Definitions, Outcome, parse
from rewriter.model import Relation, Snapshot, Table, TableName
from rewriter.recent import Recent
from rewriter.staleness import Bound, Earlier, earlier_states, moments, rewrite_within
from tests.golden.corpus import GoldenFile, World, world

SCHEMA = "CREATE TABLE sales (region STRING, n INT); CREATE TABLE names (region STRING, name STRING)"
VIEWS = {
    "by_region": "SELECT region, sum(n) AS total FROM sales GROUP BY region",
    "named": "SELECT name, count(*) AS cnt FROM names GROUP BY name",
}
SALES, NAMES = (TableName(("lake", "demo", name)) for name in ("sales", "names"))
QUERY = "SELECT region, sum(n) FROM sales GROUP BY region"
MINUTE = 60_000
NOW = 100 * MINUTE

# The first snapshot of sales, which the view was refreshed at; what came since is told by each test.
RECORDED = 1000


@pytest.fixture
def built() -> World:
    return world(GoldenFile(Path(), schema=SCHEMA, views=VIEWS))


def with_snapshots(built: World, name: TableName, *came: tuple[int, int, str]) -> Mapping[TableName, Relation | None]:
    """Return the relations after these snapshots of a table (id, minute, operation), oldest first."""
    table = built.relations[name]
    assert isinstance(table, Table)
    line = tuple(Snapshot(number, minute * MINUTE, operation, 0, 10) for number, minute, operation in reversed(came))
    return {**built.relations, name: replace(table, snapshots=(*line, *table.snapshots))}


def answered(
    built: World, relations: Mapping[TableName, Relation | None], minutes: float, query: str = QUERY
) -> Outcome:
    """Return the decision about a query whose answer may be this many minutes old."""
    bound = Bound(NOW, int(minutes * 60))
    statement = parse(query, built.session)
    return rewrite_within(statement, built.definitions, relations, states(built, relations, bound))


def states(built: World, relations: Mapping[TableName, Relation | None], bound: Bound) -> Earlier:
    """Return the earlier states that a staleness bound allows."""
    return earlier_states(built.definitions, relations, moments(built.definitions, relations, bound))


def test_age_is_the_time_since_the_first_data_that_storage_lacks(built: World) -> None:
    relations = with_snapshots(built, SALES, (1, 90, "overwrite"), (2, 99, "overwrite"))
    assert not answered(built, relations, 9.9).rewritten
    found = answered(built, relations, 10)
    assert found.sql() == answered(built, built.relations, 0).sql()
    assert found.as_of_ms == 90 * MINUTE - 1


def test_the_specifications_difference_stands_still_while_nothing_is_committed(built: World) -> None:
    """The difference of the times of the recorded and the current snapshot, of each table; after a rollback, or if a
    clock went back, no answer is within it.
    """

    def allowed(relations: Mapping[TableName, Relation | None], minutes: int) -> list[int]:
        bound = Bound(NOW, 60 * minutes, difference=True)
        return [moment.ms for moment in moments(built.definitions, relations, bound)]

    recorded = built.relations[SALES]
    assert isinstance(recorded, Table)
    (first,) = recorded.snapshots
    assert first.timestamp_ms == 0
    relations = with_snapshots(built, SALES, (1, 3, "overwrite"), (2, 10, "append"))
    assert allowed(relations, 10) == [3 * MINUTE - 1]  # 97 minutes ago
    assert allowed(relations, 9) == []
    assert moments(built.definitions, relations, Bound(NOW, 600)) == ()
    assert allowed(with_snapshots(built, SALES, (1, 3, "overwrite"), (2, -1, "append")), 1000) == []
    rolled_back = replace(recorded, snapshots=(Snapshot(7, MINUTE, "append", 0),))
    assert allowed({**built.relations, SALES: rolled_back}, 1000) == []


def test_nothing_committed_since_is_fresh_however_long_ago(built: World) -> None:
    assert answered(built, built.relations, 0).as_of_ms is None
    compacted = with_snapshots(built, SALES, (1, 10, "replace"))
    assert answered(built, compacted, 0).rewritten


def test_clocks_of_committers_need_not_agree(built: World) -> None:
    relations = with_snapshots(built, SALES, (1, 95, "overwrite"), (2, 80, "overwrite"))
    assert not answered(built, relations, 10).rewritten
    assert answered(built, relations, 20).rewritten
    ahead = with_snapshots(built, SALES, (1, 120, "overwrite"))
    assert not answered(built, ahead, 1000).rewritten


@pytest.mark.parametrize("left", [(), (7,)])
def test_a_table_rolled_back_or_replaced_is_never_within_a_bound(built: World, left: tuple[int, ...]) -> None:
    table = built.relations[SALES]
    assert isinstance(table, Table)
    line = tuple(Snapshot(number, 99 * MINUTE, "append", 0) for number in left)
    assert not answered(built, {**built.relations, SALES: replace(table, snapshots=line)}, 1000).rewritten


def test_what_is_read_beside_is_of_the_same_moment(built: World) -> None:
    relations = with_snapshots(built, SALES, (1, 90, "overwrite"))
    names = built.relations[NAMES]
    assert isinstance(names, Table)
    line = (Snapshot(8, 95 * MINUTE, "append", 0), Snapshot(7, 80 * MINUTE, "append", 0), *names.snapshots)
    relations = {**relations, NAMES: replace(names, snapshots=line)}
    query = "SELECT n.name, sum(s.n) FROM sales s JOIN names n ON n.region = s.region GROUP BY n.name"
    found = answered(built, relations, 60, query)
    assert "names VERSION AS OF 7" in found.sql()
    kept = f"SELECT * FROM ({QUERY}) AS a CROSS JOIN (SELECT max(region) FROM names) AS b"
    assert "names VERSION AS OF 7" in answered(built, relations, 60, kept).sql()


def test_views_of_two_moments_are_no_answer_together(built: World) -> None:
    relations = with_snapshots(built, SALES, (1, 90, "overwrite"))
    names = built.relations[NAMES]
    assert isinstance(names, Table)
    line = (Snapshot(8, 85 * MINUTE, "overwrite", 0), *names.snapshots)
    relations = {**relations, NAMES: replace(names, snapshots=line)}
    query = f"SELECT (SELECT count(*) FROM names), total FROM ({QUERY.replace('sum(n)', 'sum(n) AS total')}) AS a"
    used = answered(built, relations, 60, query)
    assert used.as_of_ms == 85 * MINUTE - 1  # when both were fresh
    assert len(used.replacements) == 2
    used = answered(built, relations, 12, query)  # and not the one of minute 85 at minute 90
    assert [r.view.name.table for r in used.replacements] == ["by_region"]


def test_each_view_may_allow_itself_an_age(built: World) -> None:
    relations = with_snapshots(built, SALES, (1, 90, "overwrite"))
    assert moments(built.definitions, relations, Bound(NOW)) == ()
    views = tuple(replace(view, max_staleness=600) for view in built.definitions.views)
    allowing = type(built.definitions)(views)
    assert [moment.ms for moment in moments(allowing, relations, Bound(NOW))] == [90 * MINUTE - 1]
    assert moments(allowing, relations, Bound(NOW, 0)) == ()


def test_the_age_that_a_view_allows_is_for_answers_from_that_view(built: World) -> None:
    relations = with_snapshots(built, SALES, (1, 95, "overwrite"))
    names = built.relations[NAMES]
    assert isinstance(names, Table)
    relations = {
        **relations,
        NAMES: replace(names, snapshots=(Snapshot(8, 90 * MINUTE, "overwrite", 0), *names.snapshots)),
    }
    views = (replace(v, max_staleness=600 if v.name.table == "named" else None) for v in built.definitions.views)
    definitions = Definitions(tuple(views))
    earlier = earlier_states(definitions, relations, moments(definitions, relations, Bound(NOW)))
    assert len(earlier) == 1
    total = QUERY.replace("sum(n)", "sum(n) AS total")
    other = f"SELECT (SELECT max(region) FROM names), total FROM ({total}) AS a"
    both = f"SELECT (SELECT count(*) FROM names), total FROM ({total}) AS a"
    for query, answering in ((other, []), (both, ["named", "by_region"])):
        found = rewrite_within(parse(query, built.session), definitions, relations, earlier)
        assert [r.view.name.table for r in found.replacements] == answering


def test_an_earlier_state_needs_to_be_known(built: World) -> None:
    relations = with_snapshots(built, SALES, (1, 90, "overwrite"))
    names = built.relations[NAMES]
    assert isinstance(names, Table)
    line = (Snapshot(8, 80 * MINUTE, "overwrite", 0), *names.snapshots)
    query = "SELECT n.name, sum(s.n) FROM sales s JOIN names n ON n.region = s.region GROUP BY n.name"
    for others, known in (((), True), (((85 * MINUTE, 90 * MINUTE),), False), (((90 * MINUTE, 95 * MINUTE),), True)):
        now = {**relations, NAMES: replace(names, snapshots=line, diverged=others)}
        assert answered(built, now, 60, query).as_of_ms == (90 if known else 80) * MINUTE - 1
    # Earlier snapshots have expired: the table was not empty at that time.
    storage = TableName(("lake", "demo", "named__storage"))
    filled = built.relations[storage]
    assert isinstance(filled, Table)
    assert filled.refresh is not None
    empty = replace(filled.refresh, sources=tuple(replace(s, snapshot_id=None) for s in filled.refresh.sources))
    now = {
        **relations,
        NAMES: replace(names, snapshots=(Snapshot(8, 95 * MINUTE, "append", 0),)),
        storage: replace(filled, refresh=empty),
    }
    both = f"SELECT (SELECT count(*) FROM names), total FROM ({QUERY.replace('sum(n)', 'sum(n) AS total')}) AS a"
    assert not answered(built, now, 60, both).rewritten


def test_fresh_first_then_within_the_bound_then_live(built: World) -> None:
    grown = with_snapshots(built, SALES, (1, 90, "append"))
    assert answered(built, grown, 0).live
    assert not answered(built, grown, 10).live
    assert answered(built, built.relations, 10).as_of_ms is None


def test_what_fills_a_table_is_of_now(built: World) -> None:
    relations = with_snapshots(built, SALES, (1, 90, "overwrite"))
    assert not answered(built, relations, 10, f"CREATE TABLE t AS {QUERY}").rewritten
    assert not answered(built, relations, 10, "SELECT sum(total) FROM by_region__storage").rewritten


def test_a_remembered_decision_ends_with_its_bound(built: World) -> None:
    relations = with_snapshots(built, SALES, (1, 90, "overwrite"))
    asked = Recent(built.definitions).ask(QUERY, built.session)
    within = {name: relations.get(name) for name in asked.names}

    def decided(now_ms: int) -> Outcome:
        return asked.decide(within, asked.earlier(within, Bound(now_ms, 600)))

    assert decided(NOW).rewritten
    assert decided(NOW) is decided(NOW - 1)
    assert not decided(NOW + 1).rewritten
    assert not asked.decide(within).rewritten


def test_earlier_states_are_made_once_while_nothing_has_changed(built: World) -> None:
    relations = with_snapshots(built, SALES, (1, 90, "overwrite"))
    asked = Recent(built.definitions).ask(QUERY, built.session)
    earlier = asked.earlier(relations, Bound(NOW, 600))
    assert asked.earlier({**relations}, Bound(NOW - 1, 600)) is earlier
    assert not asked.earlier(relations, Bound(NOW + 1, 600))
    written = with_snapshots(built, SALES, (1, 90, "overwrite"), (2, 91, "overwrite"))
    again = asked.earlier(written, Bound(NOW, 600))
    assert again == states(built, written, Bound(NOW, 600))
    (table,) = (state[SALES] for state in again.values())
    assert isinstance(table, Table)
    assert table.snapshot_id == RECORDED


def with_fresh_part(relations: Mapping[TableName, Relation | None]) -> Mapping[TableName, Relation | None]:
    """Return the relations, in which only one region of the rows over sales is fresh."""
    name = TableName(("lake", "demo", "by_region__storage"))
    sales, storage = relations[SALES], relations[name]
    assert isinstance(sales, Table)
    assert isinstance(storage, Table)
    assert storage.refresh is not None
    sources = tuple(replace(source, snapshot_id=sales.snapshot_id) for source in storage.refresh.sources)
    refresh = replace(storage.refresh, sources=sources, only="region = 'eu'", behind="sales has changed")
    return {**relations, name: replace(storage, refresh=refresh)}


def test_storage_within_the_bound_comes_before_its_fresh_partitions(built: World) -> None:
    relations = with_snapshots(built, SALES, (1, 90, "overwrite"))
    statement, part = parse(QUERY, built.session), with_fresh_part(relations)
    assert rewrite_within(statement, built.definitions, part, {}).rewritten
    earlier = states(built, relations, Bound(NOW, 600))
    assert rewrite_within(statement, built.definitions, part, earlier).as_of_ms == 90 * MINUTE - 1


def test_fresh_partitions_answer_beside_storage_within_the_bound(built: World) -> None:
    relations = with_snapshots(built, SALES, (1, 70, "overwrite"))
    names = built.relations[NAMES]
    assert isinstance(names, Table)
    relations = {
        **relations,
        NAMES: replace(names, snapshots=(Snapshot(8, 95 * MINUTE, "overwrite", 0), *names.snapshots)),
    }
    query = f"SELECT (SELECT count(*) FROM names), total FROM ({QUERY.replace('sum(n)', 'sum(n) AS total')}) AS a"
    earlier = states(built, relations, Bound(NOW, 600))
    parts = {moment: with_fresh_part(state) for moment, state in earlier.items()}
    found = rewrite_within(parse(query, built.session), built.definitions, with_fresh_part(relations), parts)
    assert found.as_of_ms == 95 * MINUTE - 1
    assert [r.view.name.table for r in found.replacements] == ["named", "by_region"]
