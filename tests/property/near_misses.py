"""Turns a view's query into a nearly equal query, by removing, adding or changing pieces."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.property import terms
from tests.property.clock import timed
from tests.property.select import Select


def near_miss(random: Random, view: Select) -> Select:
    """Return a query near the view's: with pieces removed, added or changed."""
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
    """Use distinct counts for the bitmaps of a view."""
    values = [value for value in ("n", "big") if terms.BUCKET.format(value) in (query.keys or ())]
    if not values or query.keys is None:
        return query
    keys = tuple(key for key in query.keys if key != terms.BUCKET.format(values[0]))[random.randint(0, 1) :]
    aggregates = tuple(aggregate for aggregate in query.aggregates if "bitmap" not in aggregate)
    return replace(query, keys=keys, aggregates=(*aggregates, f"count(DISTINCT {values[0]})"))


def _other_join(random: Random, query: Select) -> Select:
    return replace(query, join=random.choice(terms.JOINS))


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
    return replace(query, where=(*query.where, terms.predicate(random, query.joined)))


def _asking(random: Random, query: Select) -> Select:
    return replace(query, where=(*query.where, terms.subquery(random)))


def _timed(random: Random, query: Select) -> Select:
    return replace(query, where=(*query.where, timed(random)))


def _compared(random: Random, query: Select) -> Select:
    """Add a comparison with a subquery after grouping."""
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
        for grain in terms.GRAINS:
            if f"'{grain}'" in key and "timeseries" in key:
                coarser = terms.DATE_GRAINS if "(d," in key else terms.GRAINS
                key = key.replace(f"'{grain}'", f"'{random.choice(coarser)}'")
                break
        keys.append(key)
    return replace(query, keys=tuple(dict.fromkeys(keys)))


def _grouped(random: Random, query: Select) -> Select:
    """Turn rows into groups."""
    if query.keys is not None:
        return query
    keys = tuple(random.sample(query.rows, random.randint(0, min(2, len(query.rows)))))
    return replace(query, keys=keys, aggregates=tuple(terms.aggregate(random, query.joined) for _ in range(2)), rows=())


def _ordered(random: Random, query: Select) -> Select:
    having = ""
    if query.aggregates and random.random() < 0.4:
        having = f"{random.choice(['count(*)', query.aggregates[0]])} > 1"
    return replace(query, order=True, having=having, limit=random.random() < 0.3)


def _own_key(random: Random, query: Select) -> Select:
    if query.keys is None:
        return replace(query, distinct=True)
    return replace(query, keys=tuple(dict.fromkeys((*query.keys, terms.key(random, query.joined)))))


def _conditioned(random: Random, query: Select) -> Select:
    """Aggregate the view's values under a condition."""
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
    """Group by several grouping sets; grouping() is an output like an aggregate."""
    if not query.keys or len(query.keys) > 3:
        return query
    sets = random.choice(
        ("ROLLUP ({0})", "CUBE ({0})", "GROUPING SETS (({0}), ({1}))", "GROUPING SETS (({1}), (), ({1}))")
    )
    told = tuple(f"grouping({key})" for key in query.keys if "(" not in key and random.random() < 0.3)
    missing = "{0}" not in sets and len(query.keys) > 1
    return replace(query, sets="ROLLUP ({0})" if missing else sets, aggregates=(*query.aggregates, *told))


def _windowed(random: Random, query: Select) -> Select:
    """Add window functions over the rows or groups, some of which depend on an order that is not total."""
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
    return replace(query, aggregates=(*query.aggregates, terms.aggregate(random, query.joined)))
