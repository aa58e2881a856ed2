"""The record types for SQL functions: names, result type, and how rewriting may use a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sqlglot import exp

Types = Sequence[str]
Rule = Callable[[Types], str]


@dataclass(frozen=True)
class Function:
    """A scalar function of Spark.

    - `result`: computes the result type from the argument types; None if the type is not known for certain
    - `zoned`: true if the value may depend on the session's time zone
    - `readable`: true if a query block may contain the function. A view whose query contains a function that is not
      readable answers only queries of the same text
    - `printed`: whether the form is known in which Spark prints a call as the name of an output without an alias
    - `unprinted`: the synonyms for which this form is unknown
    - `printed_as`: this form, with `%s` in the place of the arguments; empty for a call with the typed function name
    - `printed_arity`: the number of arguments for which this form is known, because Spark prints omitted arguments,
      too; None for any number
    - `printed_defaults`: the last arguments, as Spark prints them where they were omitted
    - `unsettled`: why two runs of a nondeterministic function may differ, so that CREATE refuses a view whose query
      contains the function; empty for deterministic functions
    - `operator`: the arithmetic operator with the same result types as the function, such as % for mod(); empty if
      there is none
    - `rounds`: true if the result is the first argument, rounded
    - `units`: the fields of EXTRACT that return the same value as the function
    - `form`: the normal form of a call in a block: a call, EXTRACT of a field, a CAST to the type `casts_to`, a time
      bucket, or a part of a time window
    - `of_unit`: not empty if the first of three arguments is a time unit: 'added' if units are added to a time,
      'counted' if the units between two times are counted
    """

    name: str
    result: Rule | None = None
    synonyms: tuple[str, ...] = ()
    zoned: bool = False
    readable: bool = True
    printed: bool = True
    unprinted: tuple[str, ...] = ()
    printed_as: str = ""
    printed_arity: int | None = None
    printed_defaults: tuple[str, ...] = ()
    unsettled: str = ""
    operator: str = ""
    rounds: bool = False
    units: str = ""
    form: Literal["call", "field", "cast", "bucket", "window"] = "call"
    casts_to: str = ""
    of_unit: Literal["added", "counted", ""] = ""


class Component(NamedTuple):
    """An aggregate from which a composed aggregate is computed: avg has the components sum and count.

    - `call`: the aggregate
    - `label`: a part of the name of the storage column that holds the aggregate's values, as sum in `viewgate_sum_0`
    - `kind`: the type of the aggregated values before any cast in `call`; None if `call` casts nothing
    - `same`: other calls that have the same value
    """

    call: exp.Anonymous
    label: str
    kind: str | None = None
    same: tuple[exp.Anonymous, ...] = ()


Components = Mapping[str, Component]


class Composition(NamedTuple):
    """The computation of an aggregate from other aggregates (its components) that can be rolled up.

    `components` returns the components for a call and its argument types; empty if the result would be inexact.
    `finish` returns the formula that computes the aggregate from the values of the components, or None if the last
    digit of the result may differ from Spark's. If `lossless` is true, `components` is called only with argument types
    that are the same under all settings.
    """

    components: Callable[[exp.Anonymous, Types], Components]
    finish: Callable[[Mapping[str, exp.Expr], Types], exp.Expr | None]
    lossless: bool = True


def always_exact(kind: str) -> bool:
    """Return True: results of the aggregate do not depend on the order of rows, for any argument type."""
    return True


def never_exact(kind: str) -> bool:
    """Return False: the aggregate is computed in DOUBLE, so that its last bits depend on the order of rows."""
    return False


@dataclass(frozen=True)
class Aggregate(Function):
    """An aggregate function.

    - `combine`: the aggregate that combines the values of finer groups into the value of a coarser group; None if none
    - `composed`: the computation from other aggregates that can be combined; None if there is none
    - `repeats`: true if repeated values change the result, so that DISTINCT has an effect
    - `exact`: returns whether the result is the same in any order of rows, given the type of the first argument
    - `of_key`: how the aggregate of a grouping key is computed from the groups: the key times the row count (weigh),
      the row count (count), the key itself (same), or the aggregate over all groups' distinct keys (set); None if the
      aggregate cannot be computed from the groups
    - `arity`: the number of arguments
    - `size`: the default of a sketch's second argument, the sketch's size; None for other aggregates
    - `values`: the positions of the arguments whose values matter, None for all; of any other argument, it only matters
      whether it is NULL
    - `family`: aggregates with the same family name can be computed from each other's components over the same columns;
      if empty, a view with any aggregate over these columns is tried
    - `linear`: true if the contribution of deleted rows can be subtracted from the value: for count, sum, and an
      aggregate that is composed of the count and the sum of its argument
    - `windowed`: true if the aggregate is also supported with OVER
    - `of_nothing`: the value over no rows: "null" for NULL, "zero" for 0, None for any other value
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
    """A function that is supported only with OVER.

    - `result`: computes the result type from the argument types; None if the type is not known
    - `kind`: 'rank' if rows that are equal under ORDER BY have the same value, and 'succession' if such rows may have
      different values, as with row_number()
    - `settled`: if false, CREATE refuses a view whose query contains the function, as not deterministic
    - `printed_as`: the form in which Spark prints a call in the name of an output without an alias, with `%s` in the
      place of the arguments; empty for a call with the function's own name
    - `printed_arity`: the number of arguments for which this form is known; None for any number
    - `frame`: the frame that Spark prints if the query has none; empty for the frame of an aggregate
    - `offset`: -1 or 1 for a function that reads a row before or behind the current row; otherwise 0
    """

    name: str
    result: Rule | None
    kind: Literal["rank", "succession"]
    settled: bool = False
    printed_as: str = ""
    printed_arity: int | None = None
    frame: str = ""
    offset: int = 0
