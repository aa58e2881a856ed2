"""Random queries for measures as analysts write them: arithmetic on one column, within an aggregate or around it.

Averages of DECIMALs are compared only on Spark.
"""

from __future__ import annotations

from random import Random

from tests.property.joined_groups import KEYS, OF_KEYS

# Columns by kind of number.
_WHOLE, _DECIMAL, _DOUBLE = ("n", "big"), ("price",), ("score",)
_TIMES = ("d", "ts", "ntz")
_NUMBERS = ("1", "2", "0", "100", "-3", "8", "7", "n", "dim_id")
_POINTS = ("100.0", "0.5", "1.2", "0.01", "3.0", "8.0")


def view(random: Random) -> str:
    """Return a grouped view with most of the sums, counts and extremes that the queries need."""
    keys = random.sample(KEYS, random.randint(2, 5))
    of = [f"{name}({x})" for x in (*_WHOLE, *_DECIMAL, *_DOUBLE) for name in ("sum", "count", "min", "max")]
    of += [f"{name}({x})" for x in _TIMES for name in ("min", "max", "count")]
    held = [each for each in of if random.random() < 0.95] + ["count(*)"] * (random.random() < 0.95)
    outputs = [*keys, *(f"{each} AS a{i}" for i, each in enumerate(held))]
    return f"SELECT {', '.join(outputs)} FROM fact GROUP BY {', '.join(keys)}"


def query(random: Random) -> str:
    """Return a query with one or two measures."""
    keys = random.sample(KEYS, random.choice((0, 1, 1, 1, 2)))
    where = f" WHERE {random.choice(OF_KEYS[random.choice(keys or KEYS)])}" if random.random() < 0.4 else ""
    outputs = [*keys, *(measure(random) for _ in range(random.choice((1, 1, 2))))]
    named = ", ".join(f"{each} AS c{i}" for i, each in enumerate(outputs))
    grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
    decides = grouped and random.random() < 0.15
    having = f" HAVING {measure(random)} > {random.choice(('0', '5', '100.5'))}" if decides else ""
    return f"SELECT {named} FROM fact{where}{grouped}{having}"


def measure(random: Random) -> str:
    """Return an aggregate of arithmetic on a column, or arithmetic on an aggregate."""
    name = random.choice(("sum", "sum", "sum", "avg", "count", "min", "max"))
    argument = _argument(random, averaged=name == "avg")
    if name in ("min", "max") and random.random() < 0.4:
        argument = _of_time(random)
    call = f"{name}({argument})"
    if random.random() < 0.15:
        call += f" FILTER (WHERE {random.choice(OF_KEYS[random.choice(KEYS)])})"
    if random.random() < 0.2:
        return (
            f"{call} * 1.0 / count(*)" if name in ("sum", "count") else f"round({call}, 2)" if name == "avg" else call
        )
    return call


def _argument(random: Random, *, averaged: bool) -> str:
    columns = (*_WHOLE, *_DOUBLE) if averaged else (*_WHOLE, *_WHOLE, *_DECIMAL, *_DOUBLE)
    tree = random.choice(columns)
    for _ in range(random.choice((0, 1, 1, 1, 2))):
        tree = _wrapped(random, tree, averaged=averaged)
    if random.random() < 0.15:
        condition = random.choice(OF_KEYS[random.choice(KEYS)])
        return f"CASE WHEN {condition} THEN {tree} {random.choice(('ELSE 0 ', 'ELSE 1 ', ''))}END"
    return tree


def _wrapped(random: Random, tree: str, *, averaged: bool) -> str:
    number = random.choice(_NUMBERS if averaged else (*_NUMBERS, *_POINTS))
    divisor = random.choice(("100", "1000", "-8", "3", *(() if averaged else ("100.0", "4.0", "0.5", "3.0"))))
    return random.choice(
        (
            f"{tree} * {number}",
            f"{number} * ({tree})",
            f"({tree}) + {number}",
            f"({tree}) - {number}",
            f"{number} - ({tree})",
            f"-({tree})",
            f"({tree}) / {divisor}",
            f"({tree}) / {divisor}",
            f"coalesce({tree}, 0)",
            f"nvl({tree}, 0)",
            f"CAST({tree} AS DOUBLE)",
            f"CAST({tree} AS DOUBLE) * {random.choice(('1.5', '0.1', '-2', '0', 'n'))}",
            "CAST(n AS BIGINT)" if averaged else "CAST(n AS DECIMAL(12,2))",
        )
    ).replace(f"{tree} *", f"({tree}) *")


def _of_time(random: Random) -> str:
    time = random.choice(_TIMES)
    return random.choice((f"year({time})", f"CAST({time} AS DATE)", f"date_trunc('month', {time})", f"to_date({time})"))
