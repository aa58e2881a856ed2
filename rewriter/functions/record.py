"""The record of a function: names, result type, and rewriting properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sqlglot import exp

Types = Sequence[str]
Rule = Callable[[Types], str]


@dataclass(frozen=True)
class Function:
    """A scalar function.

    `result` gives the type by the types of the arguments; None where it is not known for certain. With `operator`, the
    type is that of the arithmetic operation. `zoned`: the value may depend on the session's time zone.
    `readable`: it may stand in a block; without, a view that has it answers its own text only, and with `unsettled` not
    even that: there it says why two computations may differ.

    An output without an alias is named as its call is `printed`: under the name as typed (True), under another one, or
    in a way that is not known (False, as for the synonyms in `unprinted`, or with other than `printed_arity` arguments:
    Spark writes those that were left out). `units` are the fields of EXTRACT that give the same.
    `form` is what becomes of a call in a block: it stays one, or is a field of a time, a CAST to the type `casts_to`,
    a bucket, or a part of a time window. `of_unit` is what a call of three arguments does with the first one, a unit.
    """

    name: str
    result: Rule | None = None
    synonyms: tuple[str, ...] = ()
    zoned: bool = False
    readable: bool = True
    printed: bool | str = True
    unprinted: tuple[str, ...] = ()
    printed_arity: int | None = None
    unsettled: str = ""
    operator: str = ""
    units: str = ""
    form: Literal["call", "field", "cast", "bucket", "window"] = "call"
    casts_to: str = ""
    of_unit: Literal["added", "counted", ""] = ""


class Component(NamedTuple):
    """An aggregate that another is computed from, with the label of its hidden column.

    `kind` is the type of what is summed, if it is another than the argument's. `same` are calls of the same value.
    """

    call: exp.Anonymous
    label: str
    kind: str | None = None
    same: tuple[exp.Anonymous, ...] = ()


Components = Mapping[str, Component]


class Composition(NamedTuple):
    """The composition of an aggregate from others that roll up.

    `components` returns these others for a call and the types of its arguments; none if the result would be inexact.
    `finish` computes the aggregate from their values, or returns None if its last digit is not certain. With
    `lossless`, the types must be the same under all settings.
    """

    components: Callable[[exp.Anonymous, Types], Components]
    finish: Callable[[Mapping[str, exp.Expr], Types], exp.Expr | None]
    lossless: bool = True


def always_exact(kind: str) -> bool:
    """Return True: the result does not depend on the order of rows."""
    return True


def never_exact(kind: str) -> bool:
    """Return False: the result is computed in DOUBLE and depends on the order of rows."""
    return False


@dataclass(frozen=True)
class Aggregate(Function):
    """An aggregate function.

    combine    the aggregate that folds values of finer groups into one; None where none does
    composed   how it is put together from aggregates that do
    repeats    whether repeated values matter, so that DISTINCT does
    exact      whether the result is the same in any order of rows, by the type of the first argument
    of_key     over a value that is the same in all rows of a group: the value weighed by their number, that number,
               the value itself, or the aggregate of such values of all groups (of sets)
    arity      how many arguments it takes
    size       the default of the second argument, for sketches, which have a size
    values     the places of the arguments of which more matters than whether they are NULL; None for all
    family     aggregates of one family can be made of one another's components, of the same columns
    linear     whether rows can be taken back from it
    windowed   whether it is read with OVER, too
    of_nothing its value over no rows: NULL or 0; None for other values
    """

    combine: str | None = None
    composed: Composition | None = None
    repeats: bool = True
    exact: Callable[[str], bool] = always_exact
    of_key: Literal["weigh", "count", "same", "set"] | None = None
    arity: int = 1
    size: int | None = None
    values: tuple[int, ...] | None = None
    family: str = ""
    linear: bool = False
    windowed: bool = False
    of_nothing: Literal["null", "zero"] | None = "null"


@dataclass(frozen=True)
class WindowFunction:
    """A function that is supported with OVER only.

    A `rank` is the same for rows that ORDER BY leaves equal; a `succession` tells them apart. With `settled`, a view's
    query may have it.
    """

    name: str
    result: Rule | None
    kind: Literal["rank", "succession"]
    settled: bool = False
