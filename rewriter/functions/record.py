"""The record of a function: its names, its result type, and what rewriting may do with it."""

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

    `result` returns the type from the types of the arguments; None if it is not known for certain. `operator` names the
    arithmetic operation whose type rules apply. `zoned`: the value may depend on the session's time zone. `readable`:
    it may occur in a block; a view with a function that is not readable answers only a query of the same text, and with
    an `unsettled` one not even that: the text says why two computations may differ.

    An output without an alias is named by its call as Spark prints it (`printed`): with the name as typed (True), with
    another name, or unknown (False; also for the synonyms in `unprinted`, and for calls without `printed_arity`
    arguments, where Spark prints the omitted ones). `units` are the fields of EXTRACT with the same value. `form` is
    how a block represents a call: as a call, a field of a time, a CAST to the type `casts_to`, a bucket, or a part of a
    time window. `of_unit` says whether a unit, the first of three arguments, is added or counted.
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
    """An aggregate from which another one is computed, with the label of its hidden column.

    `kind` is the type of the summed values, if it differs from the argument's. `same` are calls with the same value.
    """

    call: exp.Anonymous
    label: str
    kind: str | None = None
    same: tuple[exp.Anonymous, ...] = ()


Components = Mapping[str, Component]


class Composition(NamedTuple):
    """How an aggregate is computed from others that roll up.

    `components` returns these others for a call and the types of its arguments; empty if the result would be inexact.
    `finish` computes the aggregate from their values, or returns None if its last digit is not certain. With
    `lossless`, the argument types must be the same under all settings.
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

    combine    the aggregate that combines values of finer groups into one; None if there is none
    composed   how it is computed from aggregates that combine
    repeats    whether repeated values matter, so that DISTINCT does
    exact      whether the result is the same in any order of rows, by the type of the first argument
    of_key     the aggregate of a value that all rows of a group share: value times row count (weigh), row count
               (count), the value itself (same), or the aggregate over the distinct values of all groups (set)
    arity      the number of arguments
    size       the default of the second argument of sketches, their size
    values     the positions of the arguments whose values matter, not only whether they are NULL; None for all
    family     aggregates of one family can be computed from each other's components over the same columns
    linear     whether the rows of a delete can be subtracted from it
    windowed   whether it is supported with OVER, too
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

    A `rank` is the same for rows that are equal under ORDER BY; a `succession` (such as row_number) distinguishes them.
    With `settled`, a view's query may contain it.
    """

    name: str
    result: Rule | None
    kind: Literal["rank", "succession"]
    settled: bool = False
