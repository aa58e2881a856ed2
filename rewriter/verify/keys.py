"""Removes tables and joins that declared keys make redundant; these keys become axioms of the proof.

`sales s LEFT JOIN products p ON s.product = p.id` gives `sales s` if id is the primary key of products, and if no
column of products is used.

law:    if WHERE drops all rows in which a FULL join has filled one side with NULLs, the join is a LEFT join that
        preserves this side
law:    if WHERE keeps only the rows of a LEFT join without a match, the join is an ANTI join
law:    a LEFT join of a NOT NULL foreign key onto the referenced key is an inner join
law:    an ANTI join of a foreign key of one column onto the referenced key keeps the rows in which the column is NULL
law:    two occurrences of a table with equal primary keys are the same row
law:    a table that is joined by its whole primary key, and used nowhere else, can be removed from a LEFT join; it can
        be removed from an inner join along a foreign key if rows with a NULL foreign key are removed
law:    a SEMI join on a whole primary key is an inner join, because both find at most one row
law:    if a table is joined to all other tables by their whole primary keys, no value of its own primary key k is in
        two rows, so that count(DISTINCT k) is count(k); rows in which k is NULL do not count
law:    in the result of a LEFT join, all columns of the right table that are declared NOT NULL are NULL in the same
        rows
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from rewriter.block import Block, Join, Occurrence, rejected
from rewriter.block.changed import mapped
from rewriter.block.equivalence import Equivalence
from rewriter.block.predicates import equated
from rewriter.block.strict import columns_of, never_true
from rewriter.functions.trees import call_of
from rewriter.functions.types import FRACTIONS
from rewriter.model import Table, TableName
from rewriter.sql import columns_in
from rewriter.verify.normal import equalities

Tree = exp.Expr
Tables = Callable[[TableName], Table | None]


@dataclass(frozen=True)
class Reduced:
    """An equivalent block with fewer tables or simpler joins, and the axioms: the trusted keys that the equivalence
    needs.
    """

    block: Block
    axioms: tuple[str, ...] = ()


def reduced(block: Block, tables: Tables) -> Reduced:
    """Return an equivalent block without the tables and joins that keys and filters make redundant.

    Some joins become simpler ones: a LEFT join, for example, becomes an inner join. The result also has the trusted
    keys used, as axioms. `tables` returns the catalog's table of a name, with its declared keys; None if there is no
    such table.
    """
    axioms: list[str] = []
    while True:
        step = next((found for law in _LAWS for found in law(block, tables)), None)
        if step is None:
            return Reduced(block, tuple(dict.fromkeys(axioms)))
        block, axiom = step
        axioms += [axiom] if axiom else []


def counted_once(block: Block, tables: Tables) -> Reduced:
    """Return an equivalent block with `count(k)` for each `count(DISTINCT k)` of a primary key k whose values occur
    once.

    The result also has the trusted keys used, as axioms. `tables` is as in `reduced`.
    """
    axioms: list[str] = []
    while (step := next(_counted_once(block, tables), None)) is not None:
        block, axiom = step
        axioms.append(axiom)
    return Reduced(block, tuple(axioms))


def inner_joins(block: Block, tables: Tables) -> Block:
    """Return an equivalent block in which each outer join whose NULLs WHERE drops is an inner or a LEFT join.

    No key is needed. `tables` is as in `reduced`.
    """
    step = next((found for law in (_narrowed, _inner) for found in law(block, tables)), None)
    return block if step is None else inner_joins(step[0], tables)


Step = tuple[Block, str]


def _inner(block: Block, tables: Tables) -> Iterator[Step]:
    """Yield a step for each LEFT join that is an inner join, because WHERE drops the rows that the join fills with
    NULLs.

    A step is a pair of the new block and the axiom (a trusted key, in words) that its proof needs, here no key ("").
    """
    for join in block.joins:
        if join.kind == "LEFT" and _drops(block, join.tables):
            yield _joined_inner(block, join, tables), ""


def _drops(block: Block, tables: frozenset[str]) -> bool:
    """Return whether WHERE or a SEMI join drops the rows in which the tables, given by their ids, are all NULLs."""
    tested = (tree for join in block.joins if join.kind == "SEMI" for tree in join.on)
    return any(never_true(tree, columns_of(tables)) for tree in (*block.where, *tested))


def _narrowed(block: Block, tables: Tables) -> Iterator[Step]:
    """Yield a step for each FULL join that is a LEFT join, because WHERE drops the rows in which one table is all
    NULLs.

    A step is a pair of the new block and the axiom (a trusted key, in words) that its proof needs, here no key ("").
    """
    for join in block.joins:
        for kept in sorted(join.tables) if join.kind == "FULL" else ():
            if _drops(block, frozenset({kept})):
                left = replace(join, kind="LEFT", tables=join.tables - {kept})
                narrower = tuple(left if other is join else other for other in block.joins)
                yield _declared(replace(block, joins=narrower), frozenset({kept}), tables), ""


def _unmatched(block: Block, tables: Tables) -> Iterator[Step]:
    """Yield a step for each LEFT join that is an ANTI join, because WHERE keeps only left rows without a match.

    WHERE does so by `b.x IS NULL`, if x is never NULL in a matching row of the right table b. A step is a pair of the
    new block and the axiom (a trusted key, in words) that its proof needs, here no key ("").
    """
    for join in block.joins:
        if join.kind != "LEFT":
            continue
        whole = _declared(block, join.tables, tables)
        compared = [side for tree in join.on for side in rejected(tree)]

        def tests(tree: Tree, join: Join = join, whole: Block = whole, compared: list[Tree] = compared) -> bool:
            if not isinstance(tree, exp.Is) or not isinstance(tree.expression, exp.Null):
                return False
            declared = whole.type_of(tree.this)
            certain = tree.this in compared or (declared is not None and not declared.nullable)
            return certain and isinstance(tree.this, exp.Column) and tree.this.table in join.tables

        where = tuple(tree for tree in block.where if not tests(tree))
        joins = tuple(replace(join, kind="ANTI") if other is join else other for other in block.joins)
        anti = replace(whole, where=where, joins=joins)
        rest = replace(anti, joins=tuple(other for other in block.joins if other is not join))
        if len(where) < len(block.where) and not any(_reads(rest, table) for table in join.tables):
            yield anti, ""


def _declared(block: Block, ids: frozenset[str], tables: Tables) -> Block:
    """Return the block with the nullability that the catalog declares for the columns of the tables `ids`.

    An outer join could fill these columns with NULLs; the join that now replaces the outer join cannot. `ids` are table
    ids. `tables` returns the catalog's table of a name; if it returns None, the columns of the table stay nullable.
    """

    def declared(table: Occurrence) -> Occurrence:
        known = tables(table.name) if table.id in ids else None
        return replace(table, columns=known.columns) if known is not None else table

    return replace(block, tables=tuple(map(declared, block.tables)))


def _joined_inner(block: Block, join: Join, tables: Tables) -> Block:
    """Return the block with `join` turned into an inner join; its ON condition becomes a part of WHERE.

    The columns of the join's tables are then nullable only if the catalog declares them nullable.
    """
    rest = tuple(other for other in block.joins if other is not join)
    where = tuple(dict.fromkeys((*block.where, *join.on)))
    return _declared(replace(block, joins=rest, where=where), join.tables, tables)


def _semi(block: Block, tables: Tables) -> Iterator[Step]:
    for join in block.joins:
        if join.kind != "SEMI":
            continue
        rest = {table.id: table for table in block.tables if table.id in join.tables}
        held = Equivalence(p for tree in (*block.where, *join.on) if (p := equated(tree, block)) is not None)
        while rest:
            found = next((t for t in rest.values() if _is_pinned(t, rest, held, tables)), None)
            if found is None:
                break
            del rest[found.id]
        if not rest:
            names = ", ".join(str(t.name) for t in block.tables if t.id in join.tables)
            yield _joined_inner(block, join, tables), f"the primary key of {names}"


def _is_pinned(table: Occurrence, rest: Collection[str], held: Equivalence, tables: Tables) -> bool:
    """Return whether each column of a table's primary key equals a column of a table outside `rest`.

    `rest` are the tables on the right side of a SEMI join whose primary keys are not yet known to equal other columns.
    `held` are the column equalities that hold. Return False for a table without a primary key.
    """
    key = _key(table, tables)
    return bool(key) and all(
        any(other not in rest for other, _ in held.members(exp.column(name, table.id))) for name in key
    )


def _key(table: Occurrence, tables: Tables) -> tuple[str, ...]:
    known = tables(table.name)
    return tuple(name.lower() for name in known.primary_key) if known is not None else ()


def _same_row(block: Block, tables: Tables) -> Iterator[Step]:
    apart = frozenset[str]().union(*(join.tables for join in block.joins))
    classes = equalities(block)
    for i, table in enumerate(block.tables):
        for again in block.tables[i + 1 :]:
            key = _key(table, tables)
            if table.name != again.name or not key or not apart.isdisjoint((table.id, again.id)):
                continue
            if all(classes.same(exp.column(name, table.id), exp.column(name, again.id)) for name in key):
                yield _one(block, table.id, again.id), f"the primary key of {table.name}"


def _one(block: Block, kept: str, again: str) -> Block:
    """Return the block without the table `again`, whose columns are replaced by those of the table `kept`.

    `kept` and `again` are ids of two occurrences of the same table that read the same row.
    """

    def rename(node: Tree) -> Tree:
        return exp.column(node.name, kept) if isinstance(node, exp.Column) and node.table == again else node

    merged = mapped(block, rename)
    tables = tuple(table for table in block.tables if table.id != again)
    return replace(merged, tables=tables, where=tuple(t for t in dict.fromkeys(merged.where) if not _trivial(t, block)))


def _trivial(tree: Tree, block: Block) -> bool:
    """Return whether a conjunct is always true because it equates a column that is never NULL with itself: `a = a`."""
    declared = block.type_of(tree.this) if isinstance(tree, exp.EQ) and tree.this == tree.expression else None
    return declared is not None and not declared.nullable


def _unused_left(block: Block, tables: Tables) -> Iterator[Step]:
    for join in block.joins:
        if join.kind != "LEFT" or len(join.tables) != 1:
            continue
        (table,) = (t for t in block.tables if t.id in join.tables)
        key = _key(table, tables)
        on = Equivalence(pair for tree in join.on if (pair := equated(tree, block)) is not None)
        single = bool(key) and all(
            any(other != table.id for other, _ in on.members(exp.column(name, table.id))) for name in key
        )
        without = _without(block, table.id)
        if single and not _reads(without, table.id):
            yield without, f"the primary key of {table.name}"


def _filled_nowhere(block: Block, tables: Tables) -> Iterator[Step]:
    """Yield a step for each LEFT join that is an inner join, because ON is exactly a foreign key that is never NULL.

    A step is a pair of the new block and the axiom that its proof needs: the foreign key, in words.
    """
    for join in block.joins:
        if join.kind != "LEFT" or len(join.tables) != 1:
            continue
        (table,) = (t for t in block.tables if t.id in join.tables)
        on = {frozenset((tree.this, tree.expression)) for tree in join.on if equated(tree, block) is not None}
        for owner, pairs in _owners(block, table, tables) if len(on) == len(join.on) else ():
            sides = {frozenset((exp.column(a, owner.id), exp.column(b, table.id))) for a, b in pairs}
            if sides == on and all(_is_there(block, exp.column(a, owner.id)) for a, _ in pairs):
                yield _joined_inner(block, join, tables), f"the foreign key of {owner.name} to {table.name}"


def _anti_key(block: Block, tables: Tables) -> Iterator[Step]:
    """Yield a step for each ANTI join that keeps the rows with a NULL foreign key, because ON is exactly this key.

    A step is a pair of the new block and the axiom that its proof needs: the foreign key, in words.
    """
    for join in block.joins:
        (right, *others) = (t for t in block.tables if t.id in join.tables)
        pair = equated(join.on[0], block) if join.kind == "ANTI" and len(join.on) == 1 and not others else None
        for owner, pairs in _owners(block, right, tables) if pair is not None else ():
            mine, theirs = (exp.column(name, table.id) for name, table in zip(pairs[0], (owner, right), strict=True))
            if len(pairs) == 1 and pair in ((mine, theirs), (theirs, mine)):
                absent = exp.Is(this=mine, expression=exp.Null())
                without = _without(block, right.id)
                axiom = f"the foreign key of {owner.name} to {right.name}"
                yield replace(without, where=tuple(dict.fromkeys((*without.where, absent)))), axiom


def _owners(
    block: Block, table: Occurrence, tables: Tables
) -> Iterator[tuple[Occurrence, tuple[tuple[str, str], ...]]]:
    """Yield each table of the block that has a foreign key to the primary key of `table`, with this foreign key.

    The foreign key is given as pairs of the table's own column and the referenced column.
    """
    referenced = tables(table.name)
    for owner in block.tables:
        known = tables(owner.name)
        if known is not None and referenced is not None and owner.id != table.id:
            yield from ((owner, pairs) for pairs in known.references(referenced))


def _unused_inner(block: Block, tables: Tables) -> Iterator[Step]:
    apart = frozenset[str]().union(*(join.tables for join in block.joins))
    for table in block.tables:
        for owner, pairs in _owners(block, table, tables):
            if apart.isdisjoint((table.id, owner.id)):
                found = _referenced(block, owner, table, pairs)
                if found is not None:
                    yield found, f"the foreign key of {owner.name} to {table.name}"


def _referenced(block: Block, owner: Occurrence, table: Occurrence, pairs: tuple[tuple[str, str], ...]) -> Block | None:
    """Return the block without `table`, which the table `owner` references by a foreign key.

    `pairs` are the foreign key: each a column of `owner` and the referenced column of `table`. A filter drops the rows
    with a NULL foreign key, as the join did. Return None if the block does not join `table` by this foreign key, or if
    the block uses columns of `table` outside the key.
    """
    classes = equalities(block)
    swap = {(table.id, theirs): exp.column(mine, owner.id) for mine, theirs in pairs}
    if not all(classes.same(exp.column(theirs, table.id), swap[table.id, theirs]) for _, theirs in pairs):
        return None
    put = mapped(block, lambda node: swap.get((node.table, node.name), node) if isinstance(node, exp.Column) else node)
    where = tuple(t for t in dict.fromkeys(put.where) if not (isinstance(t, exp.EQ) and t.this == t.expression))
    without = _without(replace(put, where=where), table.id)
    if _reads(without, table.id):
        return None
    # A NULL foreign key finds no row.
    there = [_there(column) for mine, _ in pairs if _nullable(without, column := exp.column(mine, owner.id))]
    return replace(without, where=tuple(dict.fromkeys((*without.where, *there))))


def _there(column: Tree) -> Tree:
    return exp.Not(this=exp.Is(this=column, expression=exp.Null()))


def _nullable(block: Block, column: Tree) -> bool:
    declared = block.type_of(column)
    return len(equalities(block).members(column)) == 1 and (declared is None or declared.nullable)


def _is_there(block: Block, column: Tree) -> bool:
    """Return whether a column is never NULL in the block's rows, by its declaration or by the filter."""
    return not _nullable(block, column) or any(column in rejected(tree) for tree in block.where)


def _without(block: Block, table: str) -> Block:
    """Return the block without a table (given by id) and without the join that has the table on its right side."""
    joins = tuple(join for join in block.joins if table not in join.tables)
    return replace(block, tables=tuple(t for t in block.tables if t.id != table), joins=joins)


def _reads(block: Block, table: str) -> bool:
    return any(column.table == table for tree in block.expressions for column in columns_in(tree))


def _one_sign(block: Block, tables: Tables) -> Iterator[Step]:
    """Yield a step in which the block tests only one NOT NULL column of a LEFT-joined table by IS NULL.

    `b.y IS NULL` gives `b.x IS NULL` if x is the first NOT NULL column of b: the LEFT join fills all NOT NULL columns
    of b with NULLs in the same rows. A step is a pair of the new block and the axiom (a trusted key, in words) that its
    proof needs, here no key ("").
    """
    filled = frozenset[str]().union(*(join.tables for join in block.joins if join.kind == "LEFT"))
    for table in block.tables:
        known = tables(table.name) if table.id in filled else None
        names = [c.name.lower() for c in known.columns if not c.nullable] if known is not None else []

        def first(node: Tree, names: list[str] = names, table: str = table.id) -> Tree:
            column = node.this if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null) else None
            other = isinstance(column, exp.Column) and column.table == table and column.name in names[1:]
            return exp.Is(this=exp.column(names[0], table), expression=exp.Null()) if other else node

        one = mapped(block, first) if len(names) > 1 else block
        if one != block:
            yield one, ""


def _counted_once(block: Block, tables: Tables) -> Iterator[Step]:
    """Yield a step for each table whose primary key k is counted by `count(DISTINCT k)`, here replaced by `count(k)`.

    The argument may also be a CASE whose values are k or NULL. A step is a pair of the new block and the axiom that its
    proof needs: the primary keys, in words.
    """
    for table in block.tables if block.keys is not None else ():

        def once(node: Tree, table: Occurrence = table) -> Tree:
            counts = isinstance(node, exp.Anonymous) and node.name == "count"
            values = node.expressions[0].expressions if counts and isinstance(node.expressions[0], exp.Distinct) else ()
            return call_of("count", values[0]) if values and _is_key(values, table, tables) else node

        counted = mapped(block, once)
        if counted.expressions != block.expressions and (keys := _occurring_once(block, table, tables)):
            yield counted, f"the primary key of {', '.join(keys)}"


def _is_key(values: Sequence[Tree], table: Occurrence, tables: Tables) -> bool:
    """Return whether `values` are columns of `table`, or one CASE of such a column or NULL, with the whole primary key.

    Several columns must be NOT NULL, because `count(DISTINCT a, b)` ignores the rows in which one of them is NULL.
    """
    known = tables(table.name)
    plain = [value if isinstance(value, exp.Column) else None for value in values]
    columns = plain if len(values) > 1 else [_column_or_null(values[0])]
    names = {column.name for column in columns if column is not None and column.table == table.id}
    declared = [known.column(name) for name in names] if known is not None else []
    if len(names) < len(columns) or any(each is None or each.type in FRACTIONS for each in declared):
        return False
    certain = len(columns) == 1 or all(each is not None and not each.nullable for each in declared)
    return certain and bool(key := _key(table, tables)) and names.issuperset(key)


def _column_or_null(value: Tree) -> exp.Column | None:
    """Return the only column among the values of a CASE whose other values are NULL, or a column itself; else None."""
    if isinstance(value, exp.Case):
        branches = [branch.args["true"] for branch in value.args["ifs"]]
        given = {
            each for each in (*branches, value.args.get("default") or exp.Null()) if not isinstance(each, exp.Null)
        }
        value = next(iter(given)) if len(given) == 1 else exp.Null()
    return value if isinstance(value, exp.Column) else None


def _occurring_once(block: Block, table: Occurrence, tables: Tables) -> Sequence[str]:
    """Return the names of the tables by whose primary keys each row of `table` is in at most one row of the block.

    The name of `table` itself is the first one. Return an empty list if a row of `table` may be in several rows.
    """
    for join in [join for join in block.joins if table.id in join.tables]:
        if join.kind != "LEFT" or len(join.tables) > 1:
            return []
        block = _joined_inner(block, join, tables)  # rows in which the key is NULL do not matter
    asking = (join.tables for join in block.joins if join.kind in ("SEMI", "ANTI"))
    asked = frozenset[str]().union(*asking)
    found, rest = [table], {other.id: other for other in block.tables if other.id not in {table.id, *asked}}
    while rest:
        apart = {*rest, *asked}
        once = next((t for t in rest.values() if _is_found_once(t, block, apart, tables)), None)
        if once is None:
            return []
        found.append(rest.pop(once.id))
    return [*dict.fromkeys(str(each.name) for each in found)]


def _is_found_once(table: Occurrence, block: Block, apart: Collection[str], tables: Tables) -> bool:
    """Return whether the rows of all tables with ids not in `apart` determine at most one row of `table`.

    `table` is itself in `apart`.
    """
    joins = [join for join in block.joins if table.id in join.tables]
    if any(join.kind != "LEFT" or len(join.tables) > 1 for join in joins):
        return False
    conjuncts = joins[0].on if joins else block.where
    held = Equivalence(pair for tree in conjuncts if (pair := equated(tree, block)) is not None)
    return _is_pinned(table, apart, held, tables)


_LAWS = (
    _counted_once,
    _narrowed,
    _inner,
    _unmatched,
    _semi,
    _one_sign,
    _same_row,
    _unused_left,
    _filled_nowhere,
    _anti_key,
    _unused_inner,
)
