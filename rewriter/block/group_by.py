"""Converts GROUP BY to grouping keys and grouping sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, product

from sqlglot import exp

from rewriter.block.form import Unsupported
from rewriter.block.traits import has_aggregate, is_literal
from rewriter.block.words import words
from rewriter.sql import columns_in, excerpt, holds, windows_in
from rewriter.sql.time_windows import TRAILING

Tree = exp.Expr
Sets = tuple[tuple[Tree, ...], ...]

MOST_SETS = 64


@dataclass(frozen=True)
class GroupBy:
    """The grouping keys, in the order of grouping_id(), and the grouping sets; `sets` is None without grouping sets.

    `constant` is true if GROUP BY has only constants: then all rows form one group but, in contrast to a query without
    GROUP BY, there is no group if there are no rows.
    """

    keys: tuple[Tree, ...]
    sets: Sets | None = None
    constant: bool = False


def read_group_by(group: exp.Group, read: Callable[[Tree], Tree], outputs: Sequence[Tree]) -> GroupBy:
    """Return the keys and grouping sets of a GROUP BY; raise Unsupported for a form that a block cannot represent.

    `read` returns the canonical form of an expression; `outputs` are the SELECT's outputs, for GROUP BY ALL.
    """
    trailing = [arg for arg in TRAILING if group.args.get(arg)]
    others = [arg for arg, value in group.args.items() if value and arg not in ("expressions", "all", *TRAILING)]
    if others or len(trailing) > 1:
        raise Unsupported(f"the clause {excerpt(group)} is not supported: write one list of keys or one GROUPING SETS")
    if group.args.get("all"):
        return _checked(_all(read, outputs), None)
    items = group.expressions
    if not items and not trailing:
        raise Unsupported("GROUP BY has no grouping key: name at least one key")
    if trailing:
        return _trailing(group.args[trailing[0]], [read(item) for item in items], read)
    if not any(isinstance(item, (exp.Rollup, exp.Cube, exp.GroupingSets)) for item in items):
        return _plain(tuple(dict.fromkeys(key for item in items for key in _fields(read(item)))))
    parts = [_sets_of(item, read) for item in items]
    sets = tuple(tuple(dict.fromkeys(chain(*choice))) for choice in product(*parts))
    return _checked(tuple(dict.fromkeys(key for part in parts for keys in part for key in keys)), sets)


def grouping_ids(tree: Tree, keys: Sequence[Tree]) -> Tree:
    """Return the expression with grouping_id() of the grouping keys replaced by a sum of grouping() calls.

    For the keys a and b, the sum is `CAST(grouping(a) AS BIGINT) * 2 + CAST(grouping(b) AS BIGINT)`. Raise Unsupported
    if grouping_id() has arguments that are not all keys in their order.
    """

    def spell(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Anonymous) or node.name != "grouping_id":
            return node
        if node.expressions and node.expressions != list(keys):
            raise Unsupported(
                "grouping_id() is supported only without arguments, or with all grouping keys in the order of GROUP "
                "BY: for other keys, call grouping() of each key"
            )
        return set_bits(keys)

    return tree.transform(spell) if holds(tree, exp.Anonymous) else tree


def set_number(keys: Sequence[Tree], grouped: Sequence[Tree]) -> int:
    """Return the value of grouping_id() for the grouping set that groups by the keys in `grouped`.

    The value has a 1 bit for each key by which the set does not group; the last key is the lowest bit.

    >>> a, b, c = (exp.column(name) for name in "abc")
    >>> set_number([a, b, c], [b]), set_number([a, b, c], [a, b, c])
    (5, 0)
    """
    return sum(2**place for place, key in enumerate(reversed(keys)) if key not in grouped)


def set_bits(keys: Sequence[Tree]) -> Tree:
    """Return grouping_id() of the keys as a canonical sum of grouping() calls, each multiplied by its power of two.

    For two keys: `CAST(grouping(a) AS BIGINT) * 2 + CAST(grouping(b) AS BIGINT)`.
    """
    bits: list[Tree] = []
    for i, key in enumerate(reversed(keys)):
        call = exp.Anonymous(this="grouping", expressions=[key.copy()])
        bit: Tree = exp.TryCast(this=call, to=exp.DataType.build("bigint"))
        bits.insert(0, exp.Mul(this=bit, expression=exp.Literal.number(2**i)) if i else bit)
    total = bits[0]
    for bit in bits[1:]:
        total = exp.Add(this=total, expression=bit)
    return total


def _all(read: Callable[[Tree], Tree], outputs: Sequence[Tree]) -> tuple[Tree, ...]:
    """Return the keys of GROUP BY ALL: the outputs without an aggregate.

    `read` returns the canonical form of an expression. Raise Unsupported if one of these keys contains no column, or if
    ALL may be the name of a column.
    """
    keys = tuple(dict.fromkeys(key for output in outputs if not has_aggregate(output) for key in _fields(output)))
    if any(not columns_in(key) for key in keys):
        raise Unsupported("GROUP BY ALL with a constant among the outputs is not supported: name the grouping keys")
    try:
        read(exp.column("all"))
    except Unsupported:
        return keys
    raise Unsupported("GROUP BY ALL is ambiguous, because a column is named ALL: name the grouping keys")


def _trailing(clauses: Sequence[Tree], keys: Sequence[Tree], read: Callable[[Tree], Tree]) -> GroupBy:
    """Return the GroupBy of `a, b WITH ROLLUP`, `a, b WITH CUBE` or `a, b GROUPING SETS (…)`.

    `clauses` has the ROLLUP, CUBE or GROUPING SETS, `keys` are a and b, and `read` returns the canonical form of an
    expression. Raise Unsupported if a key occurs twice, or if a grouping set names an expression that is not a key.
    """
    if len(clauses) != 1:
        raise Unsupported(
            "ROLLUP, CUBE and GROUPING SETS cannot be combined in one GROUP BY: write one GROUPING SETS (…)"
        )
    if len(set(keys)) != len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Unsupported(f"GROUP BY names the key {words(twice)} twice: remove the repetition")
    clause = clauses[0]
    if isinstance(clause, exp.GroupingSets):
        sets = _sets_of(clause, read)
        extra = next((key for each in sets for key in each if key not in keys), None)
        if extra is not None:
            raise Unsupported(
                f"a grouping set names {words(extra)}, which is not a key of GROUP BY: add {words(extra)} to the keys"
            )
        return _checked(tuple(keys), tuple(sets))
    if clause.expressions:
        raise Unsupported(f"the clause {excerpt(clause)} is not supported: write the keys in GROUPING SETS")
    grouped = [(key,) for key in keys]
    return _checked(tuple(keys), tuple(_rolled_up(grouped) if isinstance(clause, exp.Rollup) else _cubed(grouped)))


def _sets_of(item: Tree, read: Callable[[Tree], Tree]) -> list[tuple[Tree, ...]]:
    """Return the grouping sets of one item of GROUP BY; a plain expression is one set.

    `ROLLUP (a, b)` gives (a, b), (a) and (). `read` returns the canonical form of an expression. Raise Unsupported for
    nested GROUPING SETS, and if ROLLUP or CUBE names a key twice.
    """
    if isinstance(item, exp.GroupingSets):
        if any(isinstance(each, (exp.Rollup, exp.Cube, exp.GroupingSets)) for each in item.expressions):
            raise Unsupported(
                "ROLLUP, CUBE or GROUPING SETS within GROUPING SETS is not supported: write all sets in one list"
            )
        return [_together(each, read) for each in item.expressions]
    if isinstance(item, (exp.Rollup, exp.Cube)):
        parts = [_together(each, read) for each in item.expressions]
        named = list(chain(*parts))
        if len(set(named)) != len(named):
            twice = next(key for key in named if named.count(key) > 1)
            clause = "ROLLUP" if isinstance(item, exp.Rollup) else "CUBE"
            raise Unsupported(f"{clause} names the key {words(twice)} twice: remove the repetition")
        return _rolled_up(parts) if isinstance(item, exp.Rollup) else _cubed(parts)
    return [(read(item),)]


def _together(item: Tree, read: Callable[[Tree], Tree]) -> tuple[Tree, ...]:
    members = item.expressions if isinstance(item, exp.Tuple) else [item.this if isinstance(item, exp.Paren) else item]
    return tuple(read(member) for member in members)


def _rolled_up(parts: Sequence[tuple[Tree, ...]]) -> list[tuple[Tree, ...]]:
    return [tuple(chain(*parts[:length])) for length in range(len(parts), -1, -1)]


def _cubed(parts: Sequence[tuple[Tree, ...]]) -> list[tuple[Tree, ...]]:
    if 2 ** len(parts) > MOST_SETS:
        raise Unsupported(
            f"CUBE of {len(parts)} keys has more than {MOST_SETS} grouping sets, which is not supported: list the "
            "needed sets in GROUPING SETS"
        )
    lengths = range(len(parts), -1, -1)
    return [tuple(chain(*chosen)) for length in lengths for chosen in combinations(parts, length)]


def _fields(key: Tree) -> Sequence[Tree]:
    """Return the keys that a grouping by `key` stands for: the start and the end of a window's struct, else the key.

    law:    structs are equal if and only if all their fields are, where NULL equals NULL
    query:  SELECT window(t, '1 hour') AS w, count(*) FROM events GROUP BY 1
    no:     other structs: Spark refuses a query that groups by named_struct('a', d) and outputs d
    """
    is_struct = isinstance(key, exp.Anonymous) and key.name == "named_struct"
    names = [name.name for name in key.expressions[::2]] if is_struct else []
    return key.expressions[1::2] if names == ["start", "end"] else (key,)


def _plain(keys: tuple[Tree, ...]) -> GroupBy:
    """Return the GroupBy of keys without grouping sets; constant keys are left out."""
    varying = tuple(key for key in keys if not is_literal(key))
    return replace(_checked(varying, None), constant=not varying)


def _checked(keys: tuple[Tree, ...], sets: Sets | None) -> GroupBy:
    wrong = next((key for key in keys if has_aggregate(key) or is_literal(key) or windows_in(key)), None)
    if wrong is not None:
        what = "a constant" if is_literal(wrong) else "an aggregate" if has_aggregate(wrong) else "a window function"
        raise Unsupported(f"GROUP BY with {what} is not supported: group by expressions of columns, not {words(wrong)}")
    if sets is not None and not keys:
        raise Unsupported("GROUPING SETS without a grouping key are not supported: name at least one key")
    if sets is not None and len(sets) > MOST_SETS:
        raise Unsupported(
            f"GROUP BY has {len(sets)} grouping sets, more than the {MOST_SETS} that are supported: list only the "
            "needed sets in GROUPING SETS"
        )
    return GroupBy(keys, sets)
