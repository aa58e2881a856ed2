"""Random views and queries by time, in many spellings of buckets, labels and filters."""

from __future__ import annotations

from random import Random

GRAINS = ("minute", "five_minute", "fifteen_minute", "hour", "day", "week", "month", "quarter", "year")
STEPS = (60, 300, 900, 3600, 7200, 86400)
PATTERNS = ("yyyy", "yyyy-MM", "yyyy-MM-dd", "dd.MM.yyyy", "yyyy-MM-dd HH:00", "yyyy-MM-dd HH:mm", "HH:mm", "MM", "HH")
LABELS = ("year", "quarter", "month", "day", "dayofweek", "weekofyear", "dayofyear", "hour", "minute", "last_day")
TIMES = ("ts", "ts", "ts", "ntz", "d")
FOLDED = ("count(*)", "sum(n)", "min(big)", "max(n)", "count(sex)", "avg(n)", "bit_or(n)")
BORDERS = (
    "2023-01-01", "2023-12-31", "2024-01-01", "2024-02-01", "2024-03-01 12:00:00", "2024-01-10 00:15:00",
    "2024-02-29 23:59:59.999999", "2023-12-31 23:59:59",
)  # fmt: skip


def view(random: Random) -> str:
    """Return a view by one or two times, perhaps with further keys."""
    keys = list(dict.fromkeys(_bucket(random, random.choice(TIMES)) for _ in range(random.randint(1, 2))))
    if random.random() < 0.15:
        time = random.choice(("ts", "ntz"))
        keys = [f"year({time})", f"month({time})", *([f"day({time})"] if random.random() < 0.5 else [])]
    keys += ["region"] if random.random() < 0.4 else []
    items = [*keys, *dict.fromkeys(random.choice(FOLDED) for _ in range(3))]
    outputs = ", ".join(f"{item} AS c{i}" for i, item in enumerate(items))
    where = f" WHERE {_filter(random, 'ts')}" if random.random() < 0.1 else ""
    return f"SELECT {outputs} FROM fact{where} GROUP BY {', '.join(keys)}"


def query(random: Random, views: list[str]) -> str:
    """Return a query of times and aggregates like a view's."""
    near = random.choice(views)
    times = [time for time in ("ts", "ntz", "d") if f"({time}" in near or f" {time}" in near or f", {time})" in near]
    time = random.choice(times or ["ts"])
    keys = list(dict.fromkeys(_asked(random, time) for _ in range(random.randint(0, 2))))
    aggregates = [each for each in FOLDED if each in near] or ["count(*)"]
    outputs = [*keys, *random.sample(aggregates, random.randint(1, min(2, len(aggregates))))]
    where = [_filter(random, time) for _ in range(random.choice((0, 0, 0, 1, 1, 2)))]
    text = f"SELECT {', '.join(f'{item} AS o{i}' for i, item in enumerate(outputs))} FROM fact"
    text += f" WHERE {' AND '.join(where)}" if where else ""
    return text + (f" GROUP BY {', '.join(keys)}" if keys else "")


def _bucket(random: Random, time: str) -> str:
    """Return an expression for a bucket, for the time itself, or for a label."""
    if time == "d":
        grain = random.choice(("WEEK", "MONTH", "QUARTER", "YEAR"))
        return random.choice(("d", f"trunc(d, '{grain}')", "make_date(year(d), month(d), 1)"))
    made = [
        f"timeseries({time}, '{random.choice(GRAINS)}')",
        f"timeseries({time}, '{random.choice(GRAINS)}')",
        f"CAST({time} AS DATE)",
        f"trunc({time}, '{random.choice(('MONTH', 'QUARTER', 'YEAR', 'WEEK'))}')",
        f"make_date(year({time}), month({time}), 1)",
        f"date_format({time}, '{random.choice(PATTERNS)}')",
    ]
    return random.choice([*made, *(_seconds(random) for _ in range(3 if time == "ts" else 0))])


def _seconds(random: Random) -> str:
    step = random.choice(STEPS)
    seconds = random.choice(("unix_timestamp(ts)", "unix_seconds(ts)"))
    floored = random.choice((f"floor({seconds} / {step}) * {step}", f"{seconds} - pmod({seconds}, {step})"))
    return random.choice((floored, f"timestamp_seconds({floored})", f"floor({seconds} / {step})"))


def _asked(random: Random, time: str) -> str:
    label = random.choice(LABELS[:7] if time == "d" else LABELS)
    pattern = random.choice(PATTERNS[:4] if time == "d" else PATTERNS)
    day = time if time == "d" else random.choice((time, f"CAST({time} AS DATE)"))
    asked = [
        _bucket(random, time),
        _bucket(random, time),
        f"{label}({time})",
        f"date_format({time}, '{pattern}')",
        f"date_sub(CAST({day} AS DATE), dayofweek({time}) - 1)",
        f"year(add_months(CAST({day} AS DATE), 3))",
        f"concat(CAST(year({time}) AS STRING), '-', CAST(quarter({time}) AS STRING))",
        f"year({time}) * 100 + month({time})",
        f"extract(YEAROFWEEK FROM {time})",
    ]
    if time == "ts":
        step = random.choice(STEPS)
        asked += [
            f"from_unixtime(unix_timestamp(ts), '{pattern}')",
            f"from_unixtime(floor(unix_timestamp(ts) / {step}) * {step}, '{pattern}')",
            f"date_format(date_trunc('{random.choice(('HOUR', 'DAY', 'MONTH'))}', ts), '{pattern}')",
        ]
    return random.choice(asked)


def _filter(random: Random, time: str) -> str:
    border, other = sorted(random.sample(BORDERS, 2))
    if time == "d":
        border, other = border[:10], other[:10]
    kind = {"ts": "TIMESTAMP", "ntz": "TIMESTAMP_NTZ", "d": "DATE"}[time]
    typed = random.choice((f"'{border}'", f"{kind} '{border}'"))
    date = border[:10]
    return random.choice(
        [
            f"{time} {random.choice(('<', '<=', '>', '>=', '='))} {typed}",
            f"{time} {random.choice(('<', '>='))} {typed}",
            f"{time} BETWEEN {kind} '{border}' AND {kind} '{other}'",
            f"{time} >= {typed} AND {time} < {kind} '{other}'",
            f"CAST({time} AS DATE) {random.choice(('=', '>=', '<', '<='))} DATE '{date}'",
            f"CAST({time} AS DATE) IN (DATE '{date}', DATE '2024-01-05')",
            f"year({time}) = 2024",
            f"year({time}) = 2024 AND month({time}) IN (1, 2)",
            f"date_format({time}, 'yyyy-MM') = '{date[:7]}'",
            f"{time} IS NOT NULL",
        ]
    )
