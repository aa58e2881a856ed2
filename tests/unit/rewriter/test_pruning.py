"""Which files of a table a filter keeps: never too few."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rewriter import parse
from rewriter.block import build_block, find_among, predicates_of
from rewriter.block.ranges import ALL, ONLY_NULL, RangeSet
from rewriter.model import Column, Session, TableName
from rewriter.model.statistics import ColumnFiles, FileGroup
from rewriter.pruning import kept

NAME = TableName(("lake", "demo", "t"))
COLUMNS = (Column("n", "int", field_id=1), Column("d", "date", field_id=2), Column("s", "string", field_id=3))
EPOCH = date(1970, 1, 1)

numbers = st.integers(-5, 5)
days = st.integers(-5, 5).map(lambda n: EPOCH + timedelta(days=n))
texts = st.text("abé", max_size=3)
values = {"n": numbers, "d": days, "s": texts}
row = st.fixed_dictionaries({name: st.none() | of for name, of in values.items()})
files = st.lists(st.lists(row, min_size=1, max_size=4), min_size=1, max_size=4)
OPERATORS = ("=", "<>", "<", "<=", ">", ">=")


def literal(value: Any) -> str:
    return f"DATE '{value}'" if isinstance(value, date) else f"'{value}'" if isinstance(value, str) else str(value)


@st.composite
def conditions(draw: st.DrawFn) -> str:
    """Return a comparison of a column with constants."""
    name = draw(st.sampled_from(sorted(values)))
    kind = draw(st.sampled_from(("compared", "listed", "between", "null", "not null", "either")))
    one, two = literal(draw(values[name])), literal(draw(values[name]))
    return {
        "compared": f"{name} {draw(st.sampled_from(OPERATORS))} {one}",
        "listed": f"{name} IN ({one}, {two})",
        "between": f"{name} BETWEEN {one} AND {two}",
        "null": f"{name} IS NULL",
        "not null": f"{name} IS NOT NULL",
        "either": f"({name} < {one} OR {name} > {two})",
    }[kind]


def group_of(files: Sequence[Sequence[dict[str, Any]]], unknown: set[tuple[int, str]]) -> FileGroup:
    """Return the statistics of files as a writer records them; some columns of some files have none."""

    def column(name: str) -> ColumnFiles:
        held = [[point(row[name]) for row in rows if row[name] is not None] for rows in files]
        told = [(at, name) not in unknown for at in range(len(files))]
        return ColumnFiles(
            [None] * len(files),
            [len(rows) - len(of) if known else None for rows, of, known in zip(files, held, told, strict=True)],
            [min(of) if of and known else None for of, known in zip(held, told, strict=True)],
            [max(of) if of and known else None for of, known in zip(held, told, strict=True)],
        )

    return FileGroup(list(map(len, files)), [1] * len(files), {c.field_id: column(c.name) for c in COLUMNS})


def point(value: Any) -> Any:
    return (value - EPOCH).days if isinstance(value, date) else value


def wanted(where: Sequence[str]) -> dict[int, RangeSet]:
    statement = parse(f"SELECT n FROM t WHERE {' AND '.join(where)}", Session("lake", ("demo",)))
    assert statement.main is not None
    assert statement.main.tree is not None
    block = build_block(statement.main.tree, find_among(statement, {NAME: COLUMNS}))
    ids = {column.name: column.field_id for column in COLUMNS}
    return {ids[subject.name]: held for subject, held in predicates_of(block, "UTC").ranges.items()}


def matches(row: dict[str, Any], sets: dict[int, RangeSet]) -> bool:
    return all(lies_in(point(row[column.name]), sets.get(column.field_id, ALL)) for column in COLUMNS)


def lies_in(value: Any, held: RangeSet) -> bool:
    return (ONLY_NULL if value is None else RangeSet.of([value])).within(held)


@given(files, st.lists(conditions(), min_size=1, max_size=3), st.data())
def test_no_file_that_holds_a_matching_row_is_pruned(
    files: list[list[dict[str, Any]]], where: list[str], data: st.DataObject
) -> None:
    places = [(at, name) for at in range(len(files)) for name in values]
    unknown = data.draw(st.sets(st.sampled_from(places)))
    sets = wanted(where)
    left = set(kept(group_of(files, unknown), sets))
    needed = {at for at, rows in enumerate(files) if any(matches(row, sets) for row in rows)}
    assert needed <= left


@given(files, conditions())
def test_a_file_outside_all_bounds_is_pruned(files: list[list[dict[str, Any]]], where: str) -> None:
    ((field_id, held),) = wanted([where]).items()
    name = next(column.name for column in COLUMNS if column.field_id == field_id)
    left = set(kept(group_of(files, set()), {field_id: held}))
    for at, rows in enumerate(files):
        points = [point(row[name]) for row in rows if row[name] is not None]
        alone = len(set(points)) == 1 and len(points) == len(rows)
        assert not alone or (at in left) == lies_in(points[0], held)


def test_what_is_not_told_of_a_column_prunes_nothing() -> None:
    group = group_of([[{"n": 1, "d": None, "s": "a"}]], {(0, "n")})
    assert list(kept(group, wanted(["n = 7"]))) == [0]
    assert list(kept(group, wanted(["s = 'b'"]))) == []
    assert list(kept(group, wanted(["d IS NOT NULL"]))) == []
    assert list(kept(FileGroup([3], [1], {}), wanted(["n = 7"]))) == [0]


def test_not_a_number_is_unknown() -> None:
    nan = float("nan")
    group = FileGroup([3], [1], {1: ColumnFiles([None], [0], [nan], [nan])})
    assert list(kept(group, {1: RangeSet.compare("<", 7)})) == [0]
