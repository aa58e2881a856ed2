"""Random predicates with bounds that are known only at execution."""

from __future__ import annotations

from random import Random


def timed(random: Random) -> str:
    """Return a comparison of a time of the fact table with an expression of the current time."""
    step = f"INTERVAL {random.randint(1, 40)} {random.choice(('DAYS', 'HOURS', 'MINUTES', 'MONTH'))}"
    unit = random.choice(("hour", "day", "week", "month", "quarter", "year"))
    bound = random.choice(
        [
            f"current_date() - {random.randint(0, 60)}",
            f"date_trunc('{unit}', now())",
            f"date_trunc('{unit}', current_date()) - {step}",
            f"current_timestamp() - {step}",
            f"trunc(current_date(), '{random.choice(('WEEK', 'MONTH', 'QUARTER', 'YEAR'))}')",
            "last_day(current_date())",
            "date_sub(current_date(), 15)",
        ]
    )
    column = random.choice(("d", "d", "ts", "ts", "ts", "ntz", "CAST(ts AS DATE)"))
    compared = f"{column} {random.choice(('<', '<=', '>', '>='))} {bound}"
    return random.choice((compared, f"{compared} AND {column} < now()"))
