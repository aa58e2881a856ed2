"""Random queries that combine groups: as operands of set operations, joins and subqueries, nested in each other.

All SELECTs of a query have the same number of outputs `o0` …, which are of the same kinds: texts, numbers, dates or
decimals. Each reads a table, or a view by its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

TEXT, NUMBER, DATE, MONEY = "text", "number", "date", "money"
Kinds = tuple[str, ...]

_JOINED = "fact JOIN dim ON fact.dim_id = dim.id"
_NUMBERS = {"cnt": "count(*)", "total": "sum(n)", "bigs": "count(big)", "least": "min(n)", "top": "max(big)"}
_KEYS = {
    "fact": {TEXT: ("region", "sex"), NUMBER: ("n", "dim_id"), DATE: ("d",), MONEY: ()},
    "dim": {TEXT: ("name",), NUMBER: ("id", "weight"), DATE: (), MONEY: ()},
    _JOINED: {TEXT: ("region", "sex", "name"), NUMBER: ("dim_id", "weight", "n"), DATE: ("d",), MONEY: ()},
}
_AGGREGATES = {
    "fact": {
        NUMBER: _NUMBERS,
        DATE: {"latest": "max(d)", "first": "min(d)"},
        MONEY: {"revenue": "sum(price)", "dearest": "max(price)"},
        TEXT: {"last": "max(region)"},
    },
    "dim": {
        NUMBER: {"cnt": "count(*)", "total": "sum(weight)", "least": "min(weight)"},
        TEXT: {"last": "max(name)"},
        DATE: {},
        MONEY: {},
    },
    _JOINED: {
        NUMBER: {**_NUMBERS, "weights": "sum(weight)"},
        DATE: {"latest": "max(d)"},
        MONEY: {"revenue": "sum(price)"},
        TEXT: {"last": "max(name)"},
    },
}
_OF_COLUMNS = {
    TEXT: ("{} = 'eu'", "{} <> 'us'", "{} IS NOT NULL", "{} IN ('m', 'ap', 'd1')", "{} IS NULL"),
    NUMBER: ("{} > 2", "{} >= 1", "{} <> 3", "{} IS NOT NULL", "{} BETWEEN 1 AND 6", "{} < 4"),
    DATE: ("{} >= DATE '2024-01-01'", "{} < DATE '2024-02-15'", "{} IS NOT NULL"),
    MONEY: ("{} > 100", "{} IS NOT NULL", "{} < 900.5"),
}
_HAVING = ("count(*) > 1", "count(*) >= 2", "sum({}) > 3", "max({}) IS NOT NULL", "min({}) < 5")
_AGAIN = {
    TEXT: ("max({})", "min({})"),
    NUMBER: ("sum({})", "count(*)", "max({})", "min({})", "count({})"),
    DATE: ("max({})", "min({})"),
    MONEY: ("sum({})", "max({})"),
}
_OPERATORS = (
    *["EXCEPT", "UNION", "INTERSECT"] * 3,
    *["UNION ALL", "UNION ALL", "MINUS", "EXCEPT ALL", "INTERSECT ALL", "UNION DISTINCT"],
)


@dataclass(frozen=True)
class View:
    """A view of rows or groups of a table, or of another view; `columns` are its outputs and their kinds."""

    source: str
    keys: tuple[str, ...]
    aggregates: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    sql: str


def views(random: Random, most: int) -> tuple[View, ...]:
    """Return random views, of which the last may be over the first."""
    found = [_view(random) for _ in range(random.randint(1, most))]
    if found[0].aggregates and random.random() < 0.2:
        found.append(_over(random, found[0]))
    return tuple(found)


def query(random: Random, known: Sequence[View]) -> str:
    """Return a random query of these views' tables, or of the views."""
    kinds = tuple(random.choices((TEXT, NUMBER, DATE, MONEY), (4, 5, 1, 1), k=random.choice((1, 2, 2, 3))))
    if random.random() < 0.25:
        common = _select(random, known, kinds, random.randint(0, 1))
        operands = [f"SELECT {_listed(kinds)} FROM w{_filtered(random, kinds)}" for _ in range(2)]
        if random.random() < 0.5:
            operands[1] = _select(random, known, kinds, 1)
        random.shuffle(operands)
        return f"WITH w AS ({common}) {operands[0]} {random.choice(_OPERATORS)} {operands[1]}"
    text = _combined(random, known, kinds, random.choice((1, 1, 1, 2)))
    if random.random() < 0.2:
        return f"SELECT count(*), max(o0), count(DISTINCT o0) FROM ({text}) AS u"
    return text


def _view(random: Random) -> View:
    source = random.choice(("fact", "fact", "fact", "dim", _JOINED))
    keys_of, held = _KEYS[source], _AGGREGATES[source]
    known = [(key, kind) for kind, keys in keys_of.items() for key in keys]
    where = f" WHERE {_condition(random, *random.choice(known))}" if random.random() < 0.15 else ""
    if random.random() < 0.15:
        columns = tuple(random.sample(known, random.randint(2, len(known))))
        return View(source, _names(columns), (), columns, f"SELECT {', '.join(_names(columns))} FROM {source}{where}")
    keys = tuple(random.sample(known, random.randint(1, min(3, len(known)))))
    figures = [(name, text, kind) for kind, told in held.items() for name, text in told.items()]
    chosen = [each for each in figures if each[0] == "cnt" or random.random() < 0.6]
    outputs = ", ".join((*_names(keys), *(f"{text} AS {name}" for name, text, _ in chosen)))
    having = f" HAVING {_groups_condition(random, source)}" if random.random() < 0.1 else ""
    columns = (*keys, *((name, kind) for name, _, kind in chosen))
    aggregates = tuple(text for _, text, _ in chosen)
    sql = f"SELECT {outputs} FROM {source}{where} GROUP BY {', '.join(_names(keys))}{having}"
    return View(source, _names(keys), aggregates, columns, sql)


def _over(random: Random, lower: View) -> View:
    """Return a view of groups of the groups of the view `mv0`."""
    keys = [column for column in lower.columns if column[0] in lower.keys][: random.randint(1, 2)]
    columns = [column for column in lower.columns if column[0] not in lower.keys]
    again = [(f"{name}_again", random.choice(_AGAIN[kind]).format(name), kind) for name, kind in columns]
    outputs = ", ".join((*_names(keys), *(f"{text} AS {name}" for name, text, _ in again)))
    sql = f"SELECT {outputs} FROM mv0 GROUP BY {', '.join(_names(keys))}"
    return View(lower.source, _names(keys), (), (*keys, *((name, kind) for name, _, kind in again)), sql)


def _select(random: Random, known: Sequence[View], kinds: Kinds, depth: int) -> str:
    """Return a SELECT with outputs of these kinds; `depth` is how many SELECTs may be around those of tables."""
    if depth == 0:
        return _of_relation(random, known, kinds)
    if random.random() < 0.35:
        return _combined(random, known, kinds, depth)
    inner = _select(random, known, kinds, depth - 1)
    listed, filtered = _listed(kinds), _filtered(random, kinds)
    kind = random.random()
    if kind < 0.3:
        return f"SELECT * FROM ({inner}){filtered}"
    if kind < 0.55:
        return f"SELECT {listed} FROM ({inner}) AS x{filtered}"
    if kind < 0.7:
        return f"SELECT DISTINCT {listed} FROM ({inner}) AS x{filtered}"
    if kind < 0.8:
        return f"SELECT {listed} FROM ({inner}) AS x{filtered} GROUP BY {listed}"
    again = [f"{random.choice(_AGAIN[kind]).format(f'o{i}')} AS o{i}" for i, kind in enumerate(kinds) if i]
    return f"SELECT {', '.join(('o0', *again))} FROM ({inner}) AS x{filtered} GROUP BY o0"


def _combined(random: Random, known: Sequence[View], kinds: Kinds, depth: int) -> str:
    """Return a query of two SELECTs with outputs of these kinds."""
    first, second = (_select(random, known, kinds, random.randint(0, depth - 1)) for _ in range(2))
    how = random.random()
    if how < 0.45:
        operands = [f"({each})" if _is_open(each) or random.random() < 0.1 else each for each in (first, second)]
        text = f" {random.choice(_OPERATORS)} ".join(operands)
        return f"SELECT * FROM ({text}) AS u{_filtered(random, kinds)}" if random.random() < 0.3 else text
    last = len(kinds) - 1
    if how < 0.65:
        join = random.choice(("JOIN", "JOIN", "LEFT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"))
        on = " AND ".join(f"x.o{i} = y.o{i}" for i in range(random.randint(1, len(kinds))))
        both = join not in ("LEFT SEMI JOIN", "LEFT ANTI JOIN") and random.random() < 0.5
        outputs = [f"{'y' if both and i == last else 'x'}.o{i}" for i in range(len(kinds))]
        return f"SELECT {_aliased(outputs)} FROM ({first}) AS x {join} ({second}) AS y ON {on}"
    listed = ", ".join(f"x.o{i} AS o{i}" for i in range(len(kinds)))
    return f"SELECT {listed} FROM ({first}) AS x WHERE {_subquery(random, kinds, second)}"


def _subquery(random: Random, kinds: Kinds, asked: str) -> str:
    """Return a condition about a row `x` that asks a query with outputs of these kinds."""
    negated = random.choice(("", "", "NOT "))
    how = random.random()
    if how < 0.3:
        return f"x.o0 {negated}IN (SELECT o0 FROM ({asked}))"
    if how < 0.4 and len(kinds) == 1:
        return f"x.o0 {negated}IN ({asked})"
    if how < 0.7:
        compared = random.choice(("", f" AND y.o{len(kinds) - 1} > x.o{len(kinds) - 1}"))
        return f"{negated}EXISTS (SELECT * FROM ({asked}) AS y WHERE y.o0 = x.o0{compared})"
    last, name = len(kinds) - 1, random.choice(("max", "min"))
    matching = " WHERE y.o0 = x.o0" if last and random.random() < 0.5 else ""
    comparison = random.choice(("=", "<", ">=", "<>"))
    return f"x.o{last} {comparison} (SELECT {name}(y.o{last}) FROM ({asked}) AS y{matching})"


def _of_relation(random: Random, known: Sequence[View], kinds: Kinds) -> str:
    """Return a SELECT of groups or rows of a table, or of a view by its name."""
    i = max(range(len(known)), key=lambda i: (_held(known[i], kinds) * (random.random() < 0.7), random.random()))
    view = known[i]
    offered = {kind: [name for name, of in view.columns if of == kind] for kind in kinds}
    if random.random() < 0.2 and all(offered.values()):
        outputs = [random.choice(offered[kind]) for kind in kinds]
        where = f" WHERE {_condition(random, *random.choice(view.columns))}" if random.random() < 0.3 else ""
        distinct = random.choice(("", "", "DISTINCT "))
        return f"SELECT {distinct}{_aliased(outputs)} FROM mv{i}{where}"
    source = view.source if random.random() < 0.85 else random.choice(tuple(_KEYS))
    if not all(_KEYS[source][kind] or _AGGREGATES[source][kind] for kind in kinds):
        source = "fact"
    return _groups(random, view, source, kinds)


def _held(view: View, kinds: Kinds) -> int:
    """Return of how many outputs a view has a column of the kind."""
    return sum(kind in (of for _, of in view.columns) for kind in kinds)


def _groups(random: Random, view: View, source: str, kinds: Kinds) -> str:
    near, rows = random.random() < 0.8, source != "dim" and random.random() < 0.15
    outputs, keys = [], []
    for kind in kinds:
        columns = _near(_KEYS[source][kind], view.keys, near)
        figures = _near(tuple(_AGGREGATES[source][kind].values()), view.aggregates, near)
        if columns and (not figures or rows or random.random() < (0.35 if kind == NUMBER else 0.95)):
            outputs.append(random.choice([each for each in columns if each not in outputs] or columns))
            keys.append(outputs[-1])
        elif rows:
            outputs.append({NUMBER: "n", MONEY: "price", DATE: "d"}.get(kind, "region"))
        else:
            outputs.append(random.choice([each for each in figures if each not in outputs] or figures))
    if rows:
        return f"SELECT {_aliased(outputs)} FROM {source}{_where(random, view, source, near)}"
    every = [key for of in _KEYS[source].values() for key in of]
    if random.random() < 0.4 or not keys:
        keys.append(random.choice(_near(tuple(every), view.keys, near)))
    if random.random() < 0.03 and not set(keys) & set(outputs):
        keys = []
    grouped = f" GROUP BY {', '.join(dict.fromkeys(keys))}" if keys else ""
    having = f" HAVING {_groups_condition(random, source)}" if random.random() < 0.15 else ""
    return f"SELECT {_aliased(outputs)} FROM {source}{_where(random, view, source, near)}{grouped}{having}"


def _near(known: tuple[str, ...], held: tuple[str, ...], near: bool) -> tuple[str, ...]:
    """Return what the view holds of these columns or aggregates; all of them if it holds none, or if not `near`."""
    return tuple(each for each in known if each in held) or known if near else known


def _where(random: Random, view: View, source: str, near: bool) -> str:
    if random.random() < 0.65:
        return ""
    known = [(key, kind) for kind, keys in _KEYS[source].items() for key in _near(keys, view.keys, near)]
    return f" WHERE {_condition(random, *random.choice(known))}"


def _filtered(random: Random, kinds: Kinds) -> str:
    if random.random() < 0.6:
        return ""
    i = random.randrange(len(kinds))
    return f" WHERE {_condition(random, f'o{i}', kinds[i])}"


def _condition(random: Random, column: str, kind: str) -> str:
    return random.choice(_OF_COLUMNS[kind]).format(column)


def _groups_condition(random: Random, source: str) -> str:
    return random.choice(_HAVING).format("weight" if source == "dim" else "n")


def _names(columns: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(name for name, _ in columns)


def _aliased(outputs: Sequence[str]) -> str:
    return ", ".join(f"{output} AS o{i}" for i, output in enumerate(outputs))


def _listed(kinds: Kinds) -> str:
    return ", ".join(f"o{i}" for i in range(len(kinds)))


def _is_open(text: str) -> bool:
    """Return whether a query is a set operation, which an operator beside it might take apart."""
    depth = 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and text.startswith(("UNION", "EXCEPT", "INTERSECT", "MINUS"), i):
            return True
    return False
