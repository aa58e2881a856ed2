"""Random rows, views, and queries that are near misses of the views; everything follows from a seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from tests.property import (
    asked,
    conditioned,
    counted,
    filled,
    matched,
    measures,
    members,
    merged,
    operands,
    pivots,
    terms,
    times,
    top_rows,
    unmatched,
    zeros,
)
from tests.property.commuted import commuted
from tests.property.distances import with_distances
from tests.property.implied import Filtered
from tests.property.joined_groups import JoinedGroups
from tests.property.layers import Layers, layers
from tests.property.near_misses import near_miss
from tests.property.select import Select
from tests.property.united import United

SCHEMA = """
CREATE TABLE fact (region STRING, sex STRING, n INT NOT NULL, big BIGINT, price DECIMAL(10,2), score DOUBLE, d DATE,
                   ts TIMESTAMP, ntz TIMESTAMP_NTZ, dim_id INT);
CREATE TABLE dim (id INT NOT NULL, name STRING, weight INT);"""
SCHEMA += counted.SCHEMA
_SCORES = ("0.1", "0.25", "-3.5", "1000000.0")
# So many seeds in a row ask about the same rows and views: to make those takes longer than to try a query.
SHARING = 5
# From this seed on every other query has its operands in another order than the view that it is near, and window frames
# may be distances.
COMMUTED = 200_000
# From this seed on views have filters of several branches, and queries others that lie within these, or nearly.
IMPLIED = 300_000
# From this seed on views have grouping sets, and every other world gets rows appended after its views were filled.
IN_SETS = 400_000
_SETS = ("ROLLUP ({0})", "CUBE ({0})", "GROUPING SETS (({0}), ({1}))", "GROUPING SETS (({1}), (), ({0}), ({1}))")
# From this seed on views have none again, and every other world gets rows still.
LIVE = 500_000
# From this seed on views and queries are by time, in many spellings.
TIMED = 600_000
# From this seed on views are set operations.
UNITED = 700_000
# From this seed on views are over grouped derived tables, or have HAVING.
JOINED_GROUPS = 800_000
# From this seed on queries ask by EXISTS and IN which rows there are, of which views hold groups.
MEMBERS = 900_000
# From this seed on queries take the first rows of each part.
TOP_ROWS = 1_000_000
# From this seed on queries have PIVOT.
PIVOTED = 1_100_000
# From this seed on queries ask for rows without a match in another table.
UNMATCHED = 1_200_000
# From this seed on queries LEFT JOIN the table of views, and every other world gets rows still.
FILLED = 1_300_000
# From this seed on queries have arithmetic within aggregates, and views the sums and extremes of the columns.
MEASURES = 1_400_000
# From this seed on queries are set operations whose branches are groups of views, and rows have zeros of both signs.
MERGED = 1_500_000
# From this seed on views and queries are of a column with zeros of both signs.
ZEROS = 1_600_000
# From this seed on queries test groups of views by SEMI and ANTI joins, or count NULLs.
ASKED = 1_700_000
# From this seed on worlds are those from LIVE on, and rows are deleted and replaced after views were filled.
CHANGED = 1_800_000
# From this seed on views have outer joins of a table, and queries inner joins with filters on it; rows are appended to
# every other world, and in half of these also deleted and replaced.
MATCHED = 1_900_000
# From this seed on views have aggregates of the rows in which a condition is true.
CONDITIONED = 2_000_000
# From this seed on queries count distinct primary keys.
COUNTED = 2_100_000
# From this seed on queries combine groups of tables and views by set operations, joins and subqueries; rows are
# appended to every other world, and in half of these also deleted and replaced.
OPERANDS = 2_200_000
# From this seed on worlds are changed twice, and views refreshed before, between and after the changes; queries are
# those from OPERANDS on.
REFRESHES = 2_300_000
# The views and queries of the seeds from a number on.
_SHAPES: tuple[tuple[int, Callable[[Random], str], Callable[[Random], str]], ...] = (
    (COUNTED, counted.view, counted.query),
    (CONDITIONED, conditioned.view, conditioned.query),
    (MATCHED, unmatched.view, matched.query),
    (ASKED, asked.view, asked.query),
    (ZEROS, zeros.view, zeros.query),
    (MERGED, merged.view, merged.query),
    (MEASURES, measures.view, measures.query),
    (FILLED, filled.view, filled.query),
    (UNMATCHED, unmatched.view, unmatched.query),
    (PIVOTED, pivots.view, pivots.query),
    (TOP_ROWS, members.view, top_rows.query),
    (MEMBERS, members.view, members.query),
)


@dataclass(frozen=True)
class Case:
    """Rows, views by name, and a query; `plain` are the views without storage.

    `appended` are rows that are added after the views were filled, `later` are changes after those. `refreshed` has
    the views that are filled again: 1 is between both changes, 2 after both.
    """

    seed: int
    rows: str
    views: tuple[tuple[str, str], ...]
    query: str
    plain: tuple[tuple[str, str], ...] = ()
    appended: str = ""
    later: str = ""
    refreshed: tuple[tuple[str, int], ...] = ()


def generate(seed: int, sharing: int = SHARING) -> Case:
    """Return the case of a seed; its rows and views are shared by a number of consecutive seeds."""
    if CHANGED <= seed < MATCHED:
        live = generate(seed - CHANGED + LIVE, sharing)
        return replace(live, seed=seed, appended=_changes(Random(f"changes {seed // sharing}"), live.appended))
    shared = Random(f"rows and views {seed // sharing}")
    if seed >= OPERANDS:
        return _operands(seed, sharing, shared)
    rows = _rows(shared, zeros.SCORES if seed >= MERGED else _SCORES)
    if seed >= MEMBERS:
        view, make = next((view, query) for first, view, query in _SHAPES if seed >= first)
        views = tuple((f"mv{i}", view(shared)) for i in range(shared.randint(1, 3)))
        grown = (FILLED <= seed < MEASURES or seed >= MATCHED) and seed // sharing % 2
        appended = _rows(Random(f"appended {seed // sharing}")) if grown else ""
        if seed >= MATCHED and seed // sharing % 4 == 3:
            appended = _changes(Random(f"changes {seed // sharing}"), appended)
        if seed >= COUNTED:
            rows = counted.rows(Random(f"tickets {seed // sharing}"))
            appended = counted.rows(Random(f"more tickets {seed // sharing}"), first=100) if grown else ""
        return Case(seed, rows, views, make(Random(f"query {seed}")), appended=appended)
    if seed >= JOINED_GROUPS:
        joined = [JoinedGroups.of(shared) for _ in range(shared.randint(1, 2))]
        views = tuple((f"mv{i}", each.sql()) for i, each in enumerate(joined))
        return Case(seed, rows, views, Random(seed).choice(joined).query(Random(f"query {seed}")))
    if seed >= UNITED:
        united = [United.of(shared) for _ in range(shared.randint(1, 2))]
        views = tuple((f"mv{i}", each.sql()) for i, each in enumerate(united))
        return Case(seed, rows, views, Random(seed).choice(united).query(Random(seed)))
    if seed >= TIMED:
        by_time = [times.view(shared) for _ in range(shared.randint(1, 3))]
        return Case(
            seed, rows, tuple((f"mv{i}", sql) for i, sql in enumerate(by_time)), times.query(Random(seed), by_time)
        )
    shapes = [_select(shared) for _ in range(shared.randint(1, 3))]
    random = Random(seed)
    if IMPLIED <= seed < IN_SETS:
        filtered = [Filtered.of(shared, shape) for shape in shapes if not shape.joined] or [_filtered(shared)]
        shapes, chosen = [each.view for each in filtered], random.choice(filtered)
        shape = chosen.query(random)
    else:
        shape = random.choice(shapes)
    if IN_SETS <= seed < LIVE:
        held = [replace(each, sets=shared.choice(_SETS)) if 0 < len(each.keys or ()) < 5 else each for each in shapes]
    else:
        held = shapes
    views = tuple((f"mv{i}", view.sql(aliased=True)) for i, view in enumerate(held))
    correlated = not shape.joined and random.random() < 0.1
    query = _asked_within(random, shape) if correlated else near_miss(random, shape).sql()
    layered = _layers(Random(f"layers {seed // sharing}"), shapes[0])
    query = layered.query(Random(f"layered {seed}"), query)
    query = commuted(f"commuted {seed}", query) if seed >= COMMUTED and seed % 2 else query
    query = with_distances(query) if seed >= COMMUTED and " ROWS BETWEEN " in query else query
    grows = seed >= IN_SETS and seed // sharing % 2
    appended = _rows(Random(f"appended {seed // sharing}")) if grows else ""
    return Case(seed, rows, layered.views(views), query, layered.plain, appended)


def _operands(seed: int, sharing: int, shared: Random) -> Case:
    world = seed // sharing
    rows, known = _rows(shared), operands.views(shared, 2 if seed < REFRESHES else 3)
    views = tuple((f"mv{i}", view.sql) for i, view in enumerate(known))
    case = Case(seed, rows, views, operands.query(Random(f"query {seed}"), known))
    if seed < REFRESHES:
        appended = _rows(Random(f"appended {world}")) if world % 2 else ""
        return replace(case, appended=_changes(Random(f"changes {world}"), appended) if world % 4 == 3 else appended)
    batches = []
    for name in ("appended", "later"):
        random = Random(f"{name} {world}")
        statements = ";\n".join(filter(None, _rows(random).split(";\n")[random.choice((0, 0, 1)) :]))
        batches.append(_changes(random, statements) if random.random() < 0.25 else statements)
    refreshed = tuple((name, shared.randint(1, 2)) for name, _ in views if shared.random() < 0.65)
    return replace(case, appended=batches[0], later=batches[1], refreshed=refreshed)


def _changes(random: Random, appended: str) -> str:
    """Return statements that delete and replace rows, in some worlds all rows, and may append others."""
    columns = ("region = 'eu'", "sex IS NULL", "n > 2", "price < 3", "dim_id = 1", "n % 2 = 0", "true")
    updates = ("price = NULL", "n = n + 1", "region = 'xx'", "big = NULL, price = price + 1", "d = NULL")
    made = [f"DELETE FROM fact WHERE {random.choice(columns)}" for _ in range(random.randint(0, 2))]
    made += [f"UPDATE fact SET {random.choice(updates)} WHERE {random.choice(columns[:-1])}"]
    if random.random() < 0.3:
        made.append("DELETE FROM dim WHERE id = 1")
    random.shuffle(made)
    return ";\n".join([*made, *filter(None, [appended])])


def _filtered(random: Random) -> Filtered:
    return Filtered.of(random, Select(False, (), None, (), ("region", "sex", "n", "dim_id")))


def _layers(random: Random, first: Select) -> Layers:
    predicates = terms.predicate(random, False), terms.predicate(random, False)
    return layers(random, len(first.rows if first.keys is None else first.keys), first.aggregates, predicates)


def _rows(random: Random, scores: Sequence[str] = _SCORES) -> str:
    facts = [_fact(random, scores) for _ in range(random.choice((0, 1, 5, 40)))]
    dims = [
        f"({i % 5}, {terms.maybe(random, repr(f'd{i % 3}'))}, {random.randint(-2, 5)})"
        for i in range(random.randint(0, 7))
    ]
    text = "INSERT INTO fact VALUES " + ", ".join(facts + facts[:2]) + ";\n" if facts else ""
    return text + ("INSERT INTO dim VALUES " + ", ".join(dims) if dims else "")


def _fact(random: Random, scores: Sequence[str]) -> str:
    day = f"{random.choice((2023, 2024))}-{random.choice((1, 2, 3, 12)):02d}-{random.randint(1, 28):02d}"
    time = f"{day} {random.randint(0, 23):02d}:{random.randint(0, 59):02d}:{random.randint(0, 59):02d}"
    values = [
        terms.maybe(random, f"'{random.choice(terms.REGIONS)}'"),
        terms.maybe(random, f"'{random.choice('mf')}'"),
        str(random.randint(-3, 9)),
        terms.maybe(random, str(random.randint(-(10**6), 10**6))),
        terms.maybe(random, f"{random.randint(-9999, 99999) / 100:.2f}"),
        terms.maybe(random, random.choice(scores)),
        terms.maybe(random, f"DATE '{day}'"),
        terms.maybe(random, f"TIMESTAMP '{time}'"),
        terms.maybe(random, f"TIMESTAMP_NTZ '{time}'"),
        terms.maybe(random, str(random.randint(0, 6))),
    ]
    return f"({', '.join(values)})"


def _asked_within(random: Random, view: Select) -> str:
    """Return a query of the other table that compares with an aggregate over the view's rows that belong to each of its
    rows.
    """
    aggregate = random.choice(["sum(n)", "count(*)", "min(n) + 1", "max(big)", "avg(n)", "count(DISTINCT sex)"])
    where = " AND ".join(["dim_id = id", *view.where[: random.randint(0, 2)]])
    compared = random.choice(["weight <", "weight * 2 >=", "id =", "1 <"])
    return f"SELECT id, name FROM dim WHERE {compared} (SELECT {aggregate} FROM fact WHERE {where})"


def _select(random: Random) -> Select:
    shape = _shape(random)
    if not shape.joined or random.random() < 0.6:
        return shape
    return replace(shape, join=random.choice(terms.JOINS))


def _shape(random: Random) -> Select:
    joined = random.random() < 0.3
    where = tuple(terms.predicate(random, joined) for _ in range(random.choice((0, 0, 0, 1, 2))))
    if random.random() < 0.1:
        where = (*where, terms.subquery(random))
    if random.random() < 0.25:
        pool = ["region", "sex", "n", "big", "price", "score", "d", "ts", "ntz", "dim_id", "n * 2", "big + n"]
        rows = tuple(random.sample(pool + (["name", "weight"] if joined else []), random.randint(2, 8)))
        return Select(joined, where, None, (), rows)
    keys = tuple(dict.fromkeys(terms.key(random, joined) for _ in range(random.randint(0, 4))))
    aggregates = tuple(dict.fromkeys(terms.aggregate(random, joined) for _ in range(random.randint(1, 5))))
    if random.random() < 0.12:
        value = random.choice(["n", "big"])
        keys = (*keys[:2], terms.BUCKET.format(value))
        aggregates = (*aggregates, f"bitmap_count(bitmap_construct_agg(bitmap_bit_position({value})))")
    return Select(joined, where, keys, aggregates)
