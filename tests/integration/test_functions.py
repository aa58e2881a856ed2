"""Each function record on real Spark: its names, its types, the names of outputs, and how aggregates combine."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple

from pyhive import exc

from rewriter import parse, rewrite
from rewriter.functions.record import Aggregate, Function, WindowFunction
from rewriter.functions.registry import AGGREGATES, FUNCTIONS, GROUPING, WINDOWS
from rewriter.model import Column, Table
from rewriter.schema import Uncertain, name_of, type_of
from rewriter.sql import ParseError, parse_select
from tests.golden.corpus import GoldenFile, world
from tests.integration import clients
from tests.unit.rewriter.schema.expressions import COLUMNS

VALUES = {
    "ti": "3", "si": "-4", "i": "5", "l": "60", "f": "1.5", "d": "-2.25", "dc": "12.34", "price": "99.90",
    "big": "7.0000000001", "d20": "8", "s": "'2024'", "b": "true", "dt": "DATE '2024-03-10'",
    "ts": "TIMESTAMP '2024-03-10 02:30:00'", "ntz": "TIMESTAMP_NTZ '2024-03-10 02:30:00'", "bin": "X'6162'",
}  # fmt: skip
SOURCE = f"(SELECT {', '.join(f'CAST({VALUES[name]} AS {kind}) AS {name}' for name, kind in COLUMNS.items())})"
SOME = ("i", "s", "dc", "ts", "b", "dt", "d", "l", "bin", "'month'", "2")
# Calls of one name that Spark confirms, and that it is asked about at the most: 20 ms each.
CONFIRMED, ASKED = 1, 40
# Arguments of functions that take what others do not.
MEANT = {
    "substring_index": ("s", "'2'", "1"),
    "split_part": ("s", "'2'", "1"),
    "translate": ("s", "'2'", "'3'"),
    "overlay": ("s", "'x'", "2"),
    "regexp_replace": ("s", "'2'", "'3'"),
    "get_json_object": ("s", "'$.a'"),
    "nvl2": ("i", "s", "s"),
    "if": ("b", "i", "l"),
    "datediff": ("dt", "dt"),
    "make_date": ("i", "i", "i"),
    "to_char": ("ts", "'yyyy'"),
    "months_between": ("ts", "ts"),
    "make_timestamp_ntz": ("i", "i", "i", "i", "i", "i"),
    "percentile": ("i", "0.5"),
}
OF_OURS = {"timeseries", "window start", "window end", "window struct"}
# Functions of Spark's grammar alone.
OF_SYNTAX = {"timestampadd", "timestampdiff"}
Record = Function | WindowFunction


class Claim(NamedTuple):
    """A call, with the name and type that the record claims for its output; None where it claims nothing."""

    text: str
    name: str | None
    type: str | None


def names(record: Record) -> tuple[str, ...]:
    return (record.name, *(record.synonyms if isinstance(record, Function) else ()))


def calls(record: Record, name: str) -> Iterator[str]:
    """Yield calls of a function with no, one and two arguments of many types, in turn."""
    over = " OVER (ORDER BY i)" if isinstance(record, WindowFunction) else ""
    groups = [
        iter([MEANT[record.name]] if record.name in MEANT else []),
        product(SOME),
        product(SOME, SOME),
        iter([()]),
    ]
    while groups:
        for group in [*groups]:
            chosen = next(group, None)
            if chosen is None:
                groups.remove(group)
            else:
                yield f"{name}({', '.join(chosen)}){over}"


def claimed(text: str) -> Claim | None:
    """Return the claim for a call; None if there is none, or if the call is unsupported."""
    try:
        tree = parse_select(f"SELECT {text} FROM t").expressions[0]
    except ParseError:
        return None
    name = kind = None
    with suppress(Uncertain):
        kind = type_of(tree, lambda column: COLUMNS.get(column.name.lower()))
    with suppress(Uncertain):
        name = name_of(tree)
    return Claim(text, name, kind) if kind else None


def described(connection: Any, texts: Sequence[str]) -> list[tuple[str, str]] | None:
    """Return the names and types of the outputs of a statement; None if Spark refuses it."""
    try:
        rows = clients.rows(connection, f"DESCRIBE QUERY SELECT {', '.join(texts)} FROM {SOURCE} AS t")
    except exc.OperationalError:
        return None
    return [(name, kind) for name, kind, *_ in rows]


ALL: tuple[Record, ...] = (
    *FUNCTIONS.values(),
    *(window for name, window in WINDOWS.items() if name not in FUNCTIONS),
)
TYPED = [
    record
    for record in ALL
    if record.name not in OF_OURS | GROUPING and (record.result or (isinstance(record, Function) and record.operator))
]


def test_spark_has_every_function(direct: Any) -> None:
    there = {name for (name, *_) in clients.rows(direct, "SHOW FUNCTIONS")}
    assert {name for record in ALL for name in names(record)} - there == OF_OURS | OF_SYNTAX


def test_outputs_have_the_names_and_types_of_the_records(direct: Any) -> None:
    wrong, unconfirmed = [], []
    for record in TYPED:
        for name in names(record):
            confirmed = 0
            claims = (claim for text in calls(record, name) if (claim := claimed(text)) is not None)
            for claim in islice(claims, ASKED):
                found = described(direct, [claim.text])
                if found is None:
                    continue
                ((called, kind),) = found
                if (claim.name or called, claim.type) != (called, kind):
                    wrong.append((claim, called, kind))
                confirmed += 1
                if confirmed == CONFIRMED:
                    break
            if not confirmed:
                unconfirmed.append(name)
    assert (wrong, unconfirmed) == ([], [])


# Rows with NULLs and duplicates in three groups, each divided into several finer ones.
FACTS = """(SELECT id % 3 AS g, id % 7 AS h, CAST(nullif(id % 5, 3) AS INT) AS n, CAST(id % 4 AS INT) AS m,
            CAST(nullif(id % 11, 2) AS DECIMAL(8,2)) AS price, nullif(id % 2 = 0, id % 9 = 0) AS b,
            sqrt(id) AS score, nullif(concat('x', id % 6), 'x4') AS s FROM range(200))"""
SCHEMA = """CREATE TABLE facts (g BIGINT NOT NULL, h BIGINT NOT NULL, n INT, m INT NOT NULL, price DECIMAL(8,2),
            b BOOLEAN, score DOUBLE, s STRING)"""


def arguments(record: Aggregate) -> list[str]:
    """Return the arguments with which an aggregate is tried."""
    if record.name.startswith("bool_"):
        return ["b"]
    if record.name == "theta_union_agg":
        return []  # of sketches, which theta_sketch_agg makes
    if record.name == "bitmap_construct_agg":
        return ["bitmap_bit_position(n)"]
    if record.name == "bitmap_or_agg":
        return []
    if record.name == "theta_sketch_agg":
        return ["n", "s"]
    if record.arity == 2:
        return ["n, m", "m, n"]
    if record.name.startswith("bit_"):
        return ["n"]
    return ["n", "price", "m"]


PARTED = [
    f"{record.name}({argument})"
    for record in AGGREGATES.values()
    if record.combine or record.composed
    for argument in arguments(record)
]


def close(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, float) and isinstance(theirs, float):
        return math.isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(mine) and math.isnan(theirs))
    return bool(mine == theirs)


def test_aggregates_of_groups_combine_to_those_of_all_rows(direct: Any) -> None:
    held = ", ".join(f"{call} AS a{i}" for i, call in enumerate(PARTED))
    view = f"SELECT g, h, n AS k, {held} FROM facts GROUP BY g, h, n"
    built = world(GoldenFile(Path(), schema=SCHEMA, views={"v": view}))
    (made,) = built.definitions.views
    of_facts = made.storage_query.replace("lake.demo.facts", FACTS)
    columns = tuple(Column(name, kind) for name, kind, *_ in clients.rows(direct, f"DESCRIBE QUERY {of_facts}"))
    storage = built.relations[made.storage]
    assert isinstance(storage, Table)
    relations = {**built.relations, made.storage: replace(storage, columns=columns)}
    for keys, where in (("g", ""), ("", " WHERE n > 100")):
        outputs = ", ".join(f"{call} AS a{i}" for i, call in enumerate(PARTED))
        query = f"SELECT {f'{keys}, ' if keys else ''}{outputs} FROM facts{where}{f' GROUP BY {keys}' if keys else ''}"
        outcome = rewrite(parse(query, built.session), built.definitions, relations)
        assert outcome.rewritten, [attempt.detail for attempt in outcome.tried]
        read = outcome.sql().replace("lake.demo.v__storage VERSION AS OF 2000", f"({of_facts})")
        read = read.replace("lake.demo.v__storage", f"({of_facts})")
        mine, theirs = (
            sorted(clients.rows(direct, sql), key=lambda row: [str(value) for value in row[:2]])
            for sql in (read, query.replace("facts", f"{FACTS} AS facts", 1))
        )
        assert len(mine) == len(theirs) > 0
        for one, other in zip(mine, theirs, strict=True):
            labels = [*filter(None, keys.split(", ")), *PARTED]
            assert [label for label, a, b in zip(labels, one, other, strict=True) if not close(a, b)] == []
