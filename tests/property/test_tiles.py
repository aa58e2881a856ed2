"""Time ranges over views of several grains, with rows exactly on borders and one microsecond beside them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from rewriter.verify import PROVED, REFUTED
from tests.golden.corpus import FOLDER, World, read, world
from tests.golden.execution import database, rows_of, same_rows

FIRST, SECONDS = datetime(2023, 1, 1), 540 * 86_400
STEPS = {"month": 0, "day": 86_400, "hour": 3_600, "minute": 60, "second": 1}
AGGREGATES = ("sum(amount)", "count(*)", "avg(price)", "max(price)", "count(*) * 2 + coalesce(sum(amount), 0)")
OUTPUTS = ("", "region, ", "date_trunc('MONTH', ts), ", "date_trunc('DAY', ts), ", "CAST(ts AS DATE), ", "year(ts), ")


@st.composite
def moments(draw: st.DrawFn) -> datetime:
    """Return a time on a border of any grain, or beside one."""
    moment = FIRST + timedelta(seconds=draw(st.integers(0, SECONDS)))
    grain = draw(st.sampled_from(sorted(STEPS)))
    floored = moment.replace(day=1, hour=0, minute=0, second=0)
    if grain != "month":
        floored = datetime.min + timedelta(
            seconds=(moment - datetime.min).total_seconds() // STEPS[grain] * STEPS[grain]
        )
    return floored + timedelta(microseconds=draw(st.sampled_from((0, 0, 1, -1))))


def text(moment: datetime) -> str:
    return moment.isoformat(" ", "microseconds")


@st.composite
def queries(draw: st.DrawFn) -> str:
    """Return a query for a time range."""
    ends = sorted(draw(st.tuples(moments(), moments())))
    below, above = draw(st.sampled_from(("<", "<="))), draw(st.sampled_from((">", ">=")))
    bounds = [f"ts {above} TIMESTAMP '{text(ends[0])}'", f"ts {below} '{text(ends[1])}'"]
    kept = draw(st.sampled_from((bounds, bounds, bounds, bounds[:1], bounds[1:], [f"NOT ({bounds[0]})"])))
    region = draw(st.sampled_from(("", "", " AND region = 'eu'", " AND region IS NULL")))
    keys = draw(st.sampled_from(OUTPUTS))
    chosen = ", ".join(draw(st.lists(st.sampled_from(AGGREGATES), min_size=1, max_size=3, unique=True)))
    grouped = f" GROUP BY {keys.removesuffix(', ')}" if keys else ""
    return f"SELECT {keys}{chosen} FROM events WHERE {' AND '.join(kept)}{region}{grouped}"


def rows(found: list[datetime]) -> str:
    kinds = ("'eu'", "'us'", "NULL")
    values = (f"({i}, {kinds[i % 3]}, TIMESTAMP '{text(t)}', {2**i}, {i}.25)" for i, t in enumerate(found))
    return f"INSERT INTO events VALUES (99, 'eu', NULL, 7, 1.00), {', '.join(values)}"


GOLDEN = read(FOLDER / "tiles.sql")
WORLD: World = world(GOLDEN)
TILED: list[tuple[int, str]] = []


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(queries(), min_size=4, max_size=4), st.lists(moments(), min_size=3, max_size=12))
def check(asked: list[str], found: list[datetime]) -> None:
    """Decide about queries, and compare the rows of each with and without views."""
    connection = database(GOLDEN.schema, rows(found), WORLD)
    for query in asked:
        outcome = WORLD.rewrite(query)
        if outcome.rewritten:
            (replaced,) = outcome.replacements
            TILED.append((len(replaced.storages), replaced.verdict.status))
            assert replaced.verdict.status != REFUTED, (query, replaced.verdict)
            mine, theirs = rows_of(connection, outcome.sql()), rows_of(connection, outcome.original)
            assert same_rows(mine, theirs, ordered=False), (query, outcome.sql(), mine, theirs)


def test_any_range_is_answered_by_tiles_as_by_the_table() -> None:
    check()
    assert sum(tiles > 1 for tiles, _ in TILED) > 30
    assert sum(status == PROVED for _, status in TILED) > 0.9 * len(TILED)


def test_a_tile_that_is_stale_is_left_out() -> None:
    """The plan uses only the other views."""
    query = "SELECT sum(amount) FROM events WHERE ts >= '2023-01-15 10:30:00' AND ts < '2024-06-20 15:45:00'"
    (by_day,) = (view for view in WORLD.definitions.views if view.name.table == "by_day")
    storage = WORLD.relations[by_day.storage]
    stale = replace(WORLD, relations={**WORLD.relations, by_day.storage: replace(storage, refresh=None)})  # type: ignore[type-var]
    (replaced,) = stale.rewrite(query).replacements
    assert [name.table for name in replaced.storages] == ["by_hour__storage", "by_month__storage"]
