"""Random distinct counts of primary keys, over tables that are joined by their primary keys, or nearly."""

from __future__ import annotations

from random import Random

from tests.property import terms

# Appended to the schema. The keys of these tables are declared, and their rows keep them.
SCHEMA = """
CREATE TABLE ticket (id INT NOT NULL, owner INT, state STRING, fee INT);
CREATE TABLE owner (id INT NOT NULL, town STRING);
CREATE TABLE part (ticket INT NOT NULL, line INT NOT NULL, kind STRING);
ALTER TABLE ticket SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
ALTER TABLE owner SET TBLPROPERTIES ('viewgate.primary-key' = 'id', 'viewgate.trust-constraints' = 'true');
ALTER TABLE part SET TBLPROPERTIES ('viewgate.primary-key' = 'ticket, line', 'viewgate.trust-constraints' = 'true')
"""
_FROM = (
    "ticket AS t",
    "ticket AS t LEFT JOIN owner AS o ON t.owner = o.id",
    "ticket AS t JOIN owner AS o ON t.owner = o.id",
    "owner AS o LEFT JOIN ticket AS t ON t.owner = o.id",
    "part AS p JOIN ticket AS t ON p.ticket = t.id",
    "ticket AS t LEFT JOIN part AS p ON p.ticket = t.id",
    "ticket AS t FULL JOIN owner AS o ON t.owner = o.id",
)
# Most views and queries join the tables in a few ways, so that views answer queries.
_JOINED = (*_FROM, *_FROM[:2] * 4, *_FROM[3:5] * 2)
_KEYS = {"t": ("t.state", "t.fee"), "o": ("o.town",), "p": ("p.kind",)}
_COUNTED = {"t": ("t.id", "t.id", "t.owner", "t.id, t.fee"), "o": ("o.id",), "p": ("p.ticket", "p.ticket, p.line")}
_WHERE = {
    "t": ("t.state = 'a'", "t.fee > 2", "t.fee IS NULL"),
    "o": ("o.town = 'x'", "o.town IS NULL"),
    "p": ("p.kind = 'k'", "p.kind IS NOT NULL"),
}


def rows(random: Random, first: int = 0) -> str:
    """Return statements that insert rows; all numbers in their primary keys are `first` or greater."""
    tickets = [
        f"({first + i}, {terms.maybe(random, str(random.randint(0, 5)))}, {_letter(random, 'ab')}, "
        f"{terms.maybe(random, str(random.randint(0, 4)))})"
        for i in range(random.choice((0, 1, 4, 12)))
    ]
    owners = [f"({first + i}, {_letter(random, 'xy')})" for i in range(random.randint(0, 5))]
    pairs = dict.fromkeys((random.randint(0, 12), first + random.randint(0, 3)) for _ in range(random.randint(0, 9)))
    parts = [f"({ticket}, {line}, {_letter(random, 'kl')})" for ticket, line in pairs]
    inserted = (("ticket", tickets), ("owner", owners), ("part", parts))
    return ";\n".join(f"INSERT INTO {table} VALUES {', '.join(values)}" for table, values in inserted if values)


def view(random: Random) -> str:
    """Return a grouped view with counts of rows and keys."""
    tables = random.choice(_JOINED)
    known = [key for alias in _aliases(tables) for key in _KEYS[alias]]
    keys = known if random.random() < 0.8 else random.sample(known, random.randint(1, len(known)))
    counts = ["count(*)", *(f"count({alias}.{'ticket' if alias == 'p' else 'id'})" for alias in _aliases(tables))]
    held = [each for each in [*counts, "sum(t.fee)"] if random.random() < 0.9]
    held += [f"count(DISTINCT {random.choice(_of(_COUNTED, tables))})"] * (random.random() < 0.3)
    outputs = [*keys, *held]
    named = ", ".join(f"{each} AS c{i}" for i, each in enumerate(outputs))
    return f"SELECT {named} FROM {tables} GROUP BY {', '.join(keys)}"


def query(random: Random) -> str:
    """Return a query with one or two distinct counts."""
    tables = random.choice(_JOINED)
    known = _of(_KEYS, tables)
    keys = random.sample(known, random.choice((0, 1, 1, min(2, len(known)))))
    where = f" WHERE {random.choice(_of(_WHERE, tables))}" if random.random() < 0.3 else ""
    outputs = [*keys, *(_count(random, tables) for _ in range(random.choice((1, 1, 2))))]
    named = ", ".join(f"{each} AS c{i}" for i, each in enumerate(outputs))
    grouping = "ROLLUP ({})" if random.random() < 0.2 else "{}"
    grouped = f" GROUP BY {grouping.format(', '.join(keys))}" if keys else ""
    having = f" HAVING {_count(random, tables)} > 1" if grouped and random.random() < 0.2 else ""
    return f"SELECT {named} FROM {tables}{where}{grouped}{having}"


def _count(random: Random, tables: str) -> str:
    once = "p.ticket, p.line" if "part AS p JOIN" in tables else "t.id"
    counted = once if random.random() < 0.6 else random.choice(_of(_COUNTED, tables))
    condition = random.choice(_of(_WHERE, tables))
    if random.random() < 0.2 and ", " in counted:
        first, last = counted.split(", ")
        return f"count(DISTINCT {first}, CASE WHEN {condition} THEN {last} END)"
    if random.random() < 0.4 and ", " not in counted:
        default = random.choice(("", "", "ELSE NULL ", "ELSE 0 ", f"ELSE {counted} "))
        return f"count(DISTINCT CASE WHEN {condition} THEN {counted} {default}END)"
    name = "sum" if random.random() < 0.1 and ", " not in counted else "count"
    return f"{name}(DISTINCT {counted}){f' FILTER (WHERE {condition})' if random.random() < 0.2 else ''}"


def _aliases(tables: str) -> list[str]:
    return [alias for alias in "top" if f" AS {alias}" in tables]


def _of(told: dict[str, tuple[str, ...]], tables: str) -> list[str]:
    return [each for alias in _aliases(tables) for each in told[alias]]


def _letter(random: Random, letters: str) -> str:
    return terms.maybe(random, f"'{random.choice(letters)}'")
