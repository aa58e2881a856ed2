"""Random schemas' worth of data, views, and queries that are near-misses of them; everything follows from a seed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from tests.property.clock import timed
from tests.property.layers import Layers, layers
from tests.property.select import Select

SCHEMA = """
CREATE TABLE fact (region STRING, sex STRING, n INT NOT NULL, big BIGINT, price DECIMAL(10,2), score DOUBLE, d DATE,
                   ts TIMESTAMP, ntz TIMESTAMP_NTZ, dim_id INT);
CREATE TABLE dim (id INT NOT NULL, name STRING, weight INT)
"""
GRAINS = ("minute", "five_minute", "ten_minute", "fifteen_minute", "hour", "day", "week", "month", "quarter", "year")
DATE_GRAINS = ("day", "week", "month", "quarter", "year")
JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
# Without corr, which divides by zero in DuckDB otherwise, and averages of what may be DECIMALs, as below.
PAIRED = (
    "covar_pop",
    "covar_samp",
    "regr_count",
    "regr_avgy",
    "regr_sxx",
    "regr_syy",
    "regr_sxy",
    "regr_slope",
    "regr_r2",
)
BUCKET = "bitmap_bucket_number({})"
REGIONS = ("eu", "us", "it''s", "ap")

# So many seeds in a row ask about the same rows and views: to make those takes longer than to try a query.
SHARING = 5


@dataclass(frozen=True)
class Case:
    """Rows, views by their names, and a query; `plain` are the views without storage."""

    seed: int
    rows: str
    views: tuple[tuple[str, str], ...]
    query: str
    plain: tuple[tuple[str, str], ...] = ()


def generate(seed: int, sharing: int = SHARING) -> Case:
    """The case of a seed, whose rows and views so many seeds in a row share."""
    shared = Random(f"rows and views {seed // sharing}")
    rows = _rows(shared)
    shapes = [_select(shared) for _ in range(shared.randint(1, 3))]
    views = tuple((f"mv{i}", shape.sql(aliased=True)) for i, shape in enumerate(shapes))
    random = Random(seed)
    shape = random.choice(shapes)
    correlated = not shape.joined and random.random() < 0.1
    query = _asked_within(random, shape) if correlated else _query(random, shape).sql()
    layered = _layers(Random(f"layers {seed // sharing}"), shapes[0])
    return Case(seed, rows, layered.views(views), layered.query(Random(f"layered {seed}"), query), layered.plain)


def _layers(random: Random, first: Select) -> Layers:
    predicates = _predicate(random, False), _predicate(random, False)
    return layers(random, len(first.rows if first.keys is None else first.keys), first.aggregates, predicates)


def _rows(random: Random) -> str:
    facts = [_fact(random) for _ in range(random.choice((0, 1, 5, 40)))]
    dims = [
        f"({i % 5}, {_maybe(random, repr(f'd{i % 3}'))}, {random.randint(-2, 5)})" for i in range(random.randint(0, 7))
    ]
    text = "INSERT INTO fact VALUES " + ", ".join(facts + facts[:2]) + ";\n" if facts else ""
    return text + ("INSERT INTO dim VALUES " + ", ".join(dims) if dims else "")


def _maybe(random: Random, text: str) -> str:
    return "NULL" if random.random() < 0.15 else text


def _fact(random: Random) -> str:
    day = f"{random.choice((2023, 2024))}-{random.choice((1, 2, 3, 12)):02d}-{random.randint(1, 28):02d}"
    time = f"{day} {random.randint(0, 23):02d}:{random.randint(0, 59):02d}:{random.randint(0, 59):02d}"
    values = [
        _maybe(random, f"'{random.choice(REGIONS)}'"),
        _maybe(random, f"'{random.choice('mf')}'"),
        str(random.randint(-3, 9)),
        _maybe(random, str(random.randint(-(10**6), 10**6))),
        _maybe(random, f"{random.randint(-9999, 99999) / 100:.2f}"),
        _maybe(random, str(random.choice((0.1, 0.25, -3.5, 1e6)))),
        _maybe(random, f"DATE '{day}'"),
        _maybe(random, f"TIMESTAMP '{time}'"),
        _maybe(random, f"TIMESTAMP_NTZ '{time}'"),
        _maybe(random, str(random.randint(0, 6))),
    ]
    return f"({', '.join(values)})"


def _bucket(random: Random) -> str:
    kind = random.random()
    if kind < 0.2:
        return f"timeseries(d, '{random.choice(DATE_GRAINS)}')"
    if kind < 0.4:
        return f"timeseries(ntz, '{random.choice(GRAINS)}')"
    if kind < 0.6:
        return f"date_trunc('{random.choice(('HOUR', 'day', 'WEEK', 'MONTH', 'year'))}', ts)"
    return f"timeseries(ts, '{random.choice(GRAINS)}')"


def _key(random: Random, joined: bool) -> str:
    plain = ["region", "sex", "n", "dim_id", "d", *(["name", "id"] if joined else [])]
    computed = [f"year({random.choice(('d', 'ts'))})", "upper(region)", "n % 3", "coalesce(sex, 'x')", "n + 1"]
    return random.choice([*plain, *plain, *computed, _bucket(random), _bucket(random)])


def _aggregate(random: Random, joined: bool) -> str:
    argument = random.choice(["n", "big", "price", "score", "n * 2", "big + n", *(["weight"] if joined else [])])
    plain = random.choice(
        ["count(*)", f"count({argument})", f"sum({argument})", f"min({argument})", f"max({argument})"]
    )
    average = f"avg({random.choice(['n', 'big', 'score'])})"
    value = random.choice(["region", "n", "sex"])
    distinct = random.choice([f"count(DISTINCT {value})", f"theta_sketch_estimate(theta_sketch_agg({value}, 12))"])
    filtered = f"{plain} FILTER (WHERE {_predicate(random, joined)})"
    branched = _branched(random, joined)
    spread = (
        f"{random.choice(['var_pop', 'var_samp', 'stddev_pop', 'stddev'])}({random.choice(['n', 'price', 'score'])})"
    )
    paired = f"{random.choice(PAIRED)}({random.choice(['n', 'dim_id'])}, {random.choice(['n', 'price', 'score'])})"
    kinds = [plain, average, distinct, filtered, branched, spread, paired]
    return random.choices(kinds, [12, 4, 2, 2, 4, 1, 1])[0]


def _branched(random: Random, joined: bool) -> str:
    """An aggregate of a value that depends on a condition. Averages of decimals are compared on Spark only."""
    name = random.choice(["sum", "sum", "count", "min", "max", "avg"])
    condition = random.choice(["region = 'eu'", "sex IS NULL", "n > 2", "dim_id = 1", _predicate(random, joined)])
    value = random.choice(["n", "big", "score", "1", "n * 2", *(["price"] if name != "avg" else [])])
    other = random.choice(["0", "0", "NULL", "1", "n", *(["0.5"] if name != "avg" else [])])
    chosen = random.choice(
        [
            f"CASE WHEN {condition} THEN {value} END",
            f"CASE WHEN {condition} THEN {value} ELSE {other} END",
            f"CASE WHEN {condition} THEN {value} WHEN {_predicate(random, joined)} THEN {other} END",
            f"CASE sex WHEN 'm' THEN {value} WHEN 'f' THEN {other} ELSE 2 END",
            f"if({condition}, {value}, {other})",
            f"coalesce({value}, 0)",
        ]
    )
    return f"{name}({chosen})"


def _predicate(random: Random, joined: bool) -> str:
    number, other = sorted((random.randint(-3, 9), random.randint(-3, 9)))
    month = random.choice(("2023-12-01", "2024-01-01", "2024-02-01", "2024-02-05"))
    comparison = random.choice(("=", "<", "<=", ">", ">=", "<>"))
    return random.choice(
        [
            f"n {comparison} {number}",
            f"n BETWEEN {number} AND {other}",
            f"region IN ('{random.choice(REGIONS)}', '{random.choice(REGIONS)}')",
            f"NOT (region = '{random.choice(REGIONS)}')",
            f"(n < {number} OR n >= {other})",
            f"region IS {random.choice(('', 'NOT '))}NULL",
            f"price {comparison} {number}.5",
            f"d {comparison} DATE '{month}'",
            f"ts {comparison} '{month}'",
            f"ts {comparison} TIMESTAMP '{month} 12:00:00'",
            f"ntz >= TIMESTAMP_NTZ '{month} 00:00:00'",
            f"(sex = 'm' OR n > {number})",
            f"year(ts) {comparison} 2024",
            "sex LIKE 'm%'",
            *([f"weight {comparison} {number}", "name = 'd1'"] if joined else []),
        ]
    )


def _subquery(random: Random) -> str:
    """A predicate with a subquery: of rows that match, of constants, and of what may be NULL."""
    number = random.randint(-1, 4)
    matching = f"EXISTS (SELECT 1 FROM dim AS s WHERE s.id = dim_id AND s.weight > {number})"
    listed = f"dim_id IN (SELECT id FROM dim WHERE weight > {number})"
    return random.choice(
        [
            matching,
            f"NOT {matching}",
            f"(sex = 'm' AND {matching} OR {matching} AND n > {number})",
            listed,
            f"(n > 2 OR {listed})",
            f"n NOT IN (SELECT id FROM dim WHERE weight > {number})",
            "n NOT IN (SELECT s.id FROM dim AS s WHERE s.weight = dim_id)",
            f"dim_id NOT IN (SELECT id FROM dim WHERE weight = {number})",
            f"n NOT IN (SELECT weight FROM dim WHERE name = 'd{number}')",
            f"n >= (SELECT min(weight) FROM dim WHERE id > {number})",
            f"big > (SELECT avg(n) FROM fact WHERE n < {number})",
            f"n IN (SELECT n FROM fact GROUP BY n HAVING count(*) > {number})",
            f"EXISTS (SELECT 1 FROM fact WHERE region = 'us' AND n > {number})",
        ]
    )


def _asked_within(random: Random, view: Select) -> str:
    """A query of the other table that compares with an aggregate over those rows of the view's that belong to each."""
    aggregate = random.choice(["sum(n)", "count(*)", "min(n) + 1", "max(big)", "avg(n)", "count(DISTINCT sex)"])
    where = " AND ".join(["dim_id = id", *view.where[: random.randint(0, 2)]])
    compared = random.choice(["weight <", "weight * 2 >=", "id =", "1 <"])
    return f"SELECT id, name FROM dim WHERE {compared} (SELECT {aggregate} FROM fact WHERE {where})"


def _select(random: Random) -> Select:
    shape = _shape(random)
    if not shape.joined or random.random() < 0.6:
        return shape
    return replace(shape, join=random.choice(JOINS))


def _shape(random: Random) -> Select:
    joined = random.random() < 0.3
    where = tuple(_predicate(random, joined) for _ in range(random.choice((0, 0, 0, 1, 2))))
    if random.random() < 0.1:
        where = (*where, _subquery(random))
    if random.random() < 0.25:
        pool = ["region", "sex", "n", "big", "price", "score", "d", "ts", "ntz", "dim_id", "n * 2", "big + n"]
        rows = tuple(random.sample(pool + (["name", "weight"] if joined else []), random.randint(2, 8)))
        return Select(joined, where, None, (), rows)
    keys = tuple(dict.fromkeys(_key(random, joined) for _ in range(random.randint(0, 4))))
    aggregates = tuple(dict.fromkeys(_aggregate(random, joined) for _ in range(random.randint(1, 5))))
    if random.random() < 0.12:
        value = random.choice(["n", "big"])
        keys = (*keys[:2], BUCKET.format(value))
        aggregates = (*aggregates, f"bitmap_count(bitmap_construct_agg(bitmap_bit_position({value})))")
    return Select(joined, where, keys, aggregates)


def _query(random: Random, view: Select) -> Select:
    """A query near the view: pieces taken away, added or changed."""
    query = _counting(random, replace(view, joined=view.joined or random.random() < 0.2))
    changes = [
        _coarser,
        _fewer_aggregates,
        _narrower,
        _other_grain,
        _grouped,
        _ordered,
        _own_key,
        _own_aggregate,
        _looser,
        _other_join,
        _derived,
        _conditioned,
        _in_sets,
        _windowed,
        _distinct_groups,
        _asking,
        _compared,
        _timed,
    ]
    weights = [8, 4, 4, 4, 4, 3, 1, 1, 3, 2, 2, 4, 5, 4, 1, 3, 1, 2]
    for change in random.choices(changes, weights, k=random.randint(0, 4)):
        query = change(random, query)
    if query.keys is not None and not query.outputs():
        query = replace(query, aggregates=("count(*)",))
    return query


def _counting(random: Random, query: Select) -> Select:
    """Different numbers for the bitmaps of a view."""
    values = [value for value in ("n", "big") if BUCKET.format(value) in (query.keys or ())]
    if not values or query.keys is None:
        return query
    keys = tuple(key for key in query.keys if key != BUCKET.format(values[0]))[random.randint(0, 1) :]
    aggregates = tuple(aggregate for aggregate in query.aggregates if "bitmap" not in aggregate)
    return replace(query, keys=keys, aggregates=(*aggregates, f"count(DISTINCT {values[0]})"))


def _other_join(random: Random, query: Select) -> Select:
    return replace(query, join=random.choice(JOINS))


def _derived(random: Random, query: Select) -> Select:
    return replace(query, derived=random.choice(("FROM", "WITH")))


def _coarser(random: Random, query: Select) -> Select:
    if not query.keys:
        return query
    kept = tuple(key for key in query.keys if random.random() < 0.6)
    return replace(query, keys=kept)


def _fewer_aggregates(random: Random, query: Select) -> Select:
    if query.keys is None:
        return replace(query, rows=query.rows[: random.randint(1, len(query.rows))])
    return replace(query, aggregates=tuple(a for a in query.aggregates if random.random() < 0.7))


def _narrower(random: Random, query: Select) -> Select:
    return replace(query, where=(*query.where, _predicate(random, query.joined)))


def _asking(random: Random, query: Select) -> Select:
    return replace(query, where=(*query.where, _subquery(random)))


def _timed(random: Random, query: Select) -> Select:
    return replace(query, where=(*query.where, timed(random)))


def _compared(random: Random, query: Select) -> Select:
    """A subquery behind the groups."""
    constant = f"(SELECT {random.choice(['count(*)', 'min(weight)'])} FROM dim)"
    if query.keys is None or random.random() < 0.5:
        return replace(query, windows=(*query.windows, constant))
    return replace(query, having=f"count(*) > {constant}")


def _looser(random: Random, query: Select) -> Select:
    return replace(query, where=query.where[1:])


def _other_grain(random: Random, query: Select) -> Select:
    if not query.keys:
        return query
    keys = []
    for key in query.keys:
        for grain in GRAINS:
            if f"'{grain}'" in key and "timeseries" in key:
                coarser = DATE_GRAINS if "(d," in key else GRAINS
                key = key.replace(f"'{grain}'", f"'{random.choice(coarser)}'")
                break
        keys.append(key)
    return replace(query, keys=tuple(dict.fromkeys(keys)))


def _grouped(random: Random, query: Select) -> Select:
    """Rows become groups."""
    if query.keys is not None:
        return query
    keys = tuple(random.sample(query.rows, random.randint(0, min(2, len(query.rows)))))
    return replace(query, keys=keys, aggregates=tuple(_aggregate(random, query.joined) for _ in range(2)), rows=())


def _ordered(random: Random, query: Select) -> Select:
    having = ""
    if query.aggregates and random.random() < 0.4:
        having = f"{random.choice(['count(*)', query.aggregates[0]])} > 1"
    return replace(query, order=True, having=having, limit=random.random() < 0.3)


def _own_key(random: Random, query: Select) -> Select:
    if query.keys is None:
        return replace(query, distinct=True)
    return replace(query, keys=tuple(dict.fromkeys((*query.keys, _key(random, query.joined)))))


def _conditioned(random: Random, query: Select) -> Select:
    """What the view aggregates, under a condition."""
    if query.keys is None:
        return query
    aggregates = []
    for aggregate in query.aggregates:
        name, _, argument = aggregate.removesuffix(")").partition("(")
        condition = random.choice([f"{key} IS NOT NULL" for key in query.keys or ("region",)] + ["sex = 'm'", "n > 1"])
        plain = name in ("sum", "count", "min", "max", "avg") and argument not in ("*",) and " " not in argument
        value = random.choice(
            (f"CASE WHEN {condition} THEN {argument} ELSE 0 END", f"if({condition}, {argument}, NULL)")
        )
        aggregates.append(f"{name}({value})" if plain and random.random() < 0.7 else aggregate)
    return replace(query, aggregates=tuple(dict.fromkeys(aggregates)))


def _in_sets(random: Random, query: Select) -> Select:
    """Keys in several sets; grouping() is an output like an aggregate."""
    if not query.keys or len(query.keys) > 3:
        return query
    sets = random.choice(
        ("ROLLUP ({0})", "CUBE ({0})", "GROUPING SETS (({0}), ({1}))", "GROUPING SETS (({1}), (), ({1}))")
    )
    told = tuple(f"grouping({key})" for key in query.keys if "(" not in key and random.random() < 0.3)
    missing = "{0}" not in sets and len(query.keys) > 1
    return replace(query, sets="ROLLUP ({0})" if missing else sets, aggregates=(*query.aggregates, *told))


def _windowed(random: Random, query: Select) -> Select:
    """Window functions over the rows or groups, some of which depend on an order that is not total."""
    columns = query.rows if query.keys is None else (*query.keys, *query.aggregates)
    plain = [column for column in columns if "DISTINCT" not in column and "grouping" not in column] or ["count(*)"]
    part = random.choice(["", f"PARTITION BY {random.choice(plain)} "])
    every = f"ORDER BY {', '.join(query.keys or plain)}"
    order = random.choice([f"ORDER BY {random.choice(plain)} {random.choice(('', 'DESC'))}", every, every])
    frame = random.choice(["", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"])
    value = random.choice(plain)
    made = [
        f"count({value}) OVER ({part})",
        f"max({value}) OVER ({part}{order})",
        f"rank() OVER ({part}{order})",
        f"dense_rank() OVER ({part}{order})",
        f"row_number() OVER ({part}{order})",
        f"lag({value}) OVER ({part}{order})",
        f"count(*) OVER ({part}{order}{frame})",
    ]
    numbers = [c for c in plain if (c.startswith(("count(", "sum(")) and "CASE" not in c) or c in ("n", "big", "price")]
    if numbers:
        number = random.choice(numbers)
        made += [f"sum({number}) OVER ({part}{order}{frame})", f"{number} * 2 - sum({number}) OVER ({part})"]
    return replace(query, windows=(*query.windows, *random.sample(made, random.randint(1, 2))))


def _distinct_groups(random: Random, query: Select) -> Select:
    return replace(query, distinct=True)


def _own_aggregate(random: Random, query: Select) -> Select:
    if query.keys is None:
        return query
    return replace(query, aggregates=(*query.aggregates, _aggregate(random, query.joined)))
