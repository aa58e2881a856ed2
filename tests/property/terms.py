"""Random keys, aggregates and conditions, in Spark's SQL."""

from __future__ import annotations

from random import Random

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


def maybe(random: Random, text: str) -> str:
    return "NULL" if random.random() < 0.15 else text


def bucket(random: Random) -> str:
    kind = random.random()
    if kind < 0.2:
        return f"timeseries(d, '{random.choice(DATE_GRAINS)}')"
    if kind < 0.4:
        return f"timeseries(ntz, '{random.choice(GRAINS)}')"
    if kind < 0.6:
        return f"date_trunc('{random.choice(('HOUR', 'day', 'WEEK', 'MONTH', 'year'))}', ts)"
    return f"timeseries(ts, '{random.choice(GRAINS)}')"


def key(random: Random, joined: bool) -> str:
    plain = ["region", "sex", "n", "dim_id", "d", *(["name", "id"] if joined else [])]
    computed = [f"year({random.choice(('d', 'ts'))})", "upper(region)", "n % 3", "coalesce(sex, 'x')", "n + 1"]
    return random.choice([*plain, *plain, *computed, bucket(random), bucket(random)])


def aggregate(random: Random, joined: bool) -> str:
    argument = random.choice(["n", "big", "price", "score", "n * 2", "big + n", *(["weight"] if joined else [])])
    plain = random.choice(
        ["count(*)", f"count({argument})", f"sum({argument})", f"min({argument})", f"max({argument})"]
    )
    average = f"avg({random.choice(['n', 'big', 'score'])})"
    value = random.choice(["region", "n", "sex"])
    distinct = random.choice([f"count(DISTINCT {value})", f"theta_sketch_estimate(theta_sketch_agg({value}, 12))"])
    filtered = f"{plain} FILTER (WHERE {predicate(random, joined)})"
    branched = _branched(random, joined)
    spread = (
        f"{random.choice(['var_pop', 'var_samp', 'stddev_pop', 'stddev'])}({random.choice(['n', 'price', 'score'])})"
    )
    paired = f"{random.choice(PAIRED)}({random.choice(['n', 'dim_id'])}, {random.choice(['n', 'price', 'score'])})"
    kinds = [plain, average, distinct, filtered, branched, spread, paired]
    return random.choices(kinds, [12, 4, 2, 2, 4, 1, 1])[0]


def _branched(random: Random, joined: bool) -> str:
    """Return an aggregate of a value that depends on a condition. Averages of decimals are compared only on Spark."""
    name = random.choice(["sum", "sum", "count", "min", "max", "avg"])
    condition = random.choice(["region = 'eu'", "sex IS NULL", "n > 2", "dim_id = 1", predicate(random, joined)])
    value = random.choice(["n", "big", "score", "1", "n * 2", *(["price"] if name != "avg" else [])])
    other = random.choice(["0", "0", "NULL", "1", "n", *(["0.5"] if name != "avg" else [])])
    chosen = random.choice(
        [
            f"CASE WHEN {condition} THEN {value} END",
            f"CASE WHEN {condition} THEN {value} ELSE {other} END",
            f"CASE WHEN {condition} THEN {value} WHEN {predicate(random, joined)} THEN {other} END",
            f"CASE sex WHEN 'm' THEN {value} WHEN 'f' THEN {other} ELSE 2 END",
            f"if({condition}, {value}, {other})",
            f"coalesce({value}, 0)",
        ]
    )
    return f"{name}({chosen})"


def predicate(random: Random, joined: bool) -> str:
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


def subquery(random: Random) -> str:
    """Return a predicate with a subquery: of matching rows, of constants, or of values that may be NULL."""
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
