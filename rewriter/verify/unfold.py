"""Unfolds a plan into a block over base tables: each storage table and view is replaced by its view's query.

For a view `SELECT k, sum(x) AS total FROM t GROUP BY k`, the plan `SELECT k, total FROM view WHERE k > 1` gives `SELECT
k, sum(x) FROM t WHERE k > 1 GROUP BY k`. A block is one SELECT in normal form. To fold an aggregate over groups is to
replace it by an aggregate over the rows of the groups, as sum(sum(x)) by sum(x).

law:    a view without GROUP BY can be merged into the block that reads the view
law:    if a block reads the groups of a view without grouping them again, the block's rows are these groups, filtered
        by their keys
law:    if a block groups the groups of a view again, the block is a grouping of the view's base rows, provided that
        each aggregate can be folded
law:    branches of a UNION ALL that read disjoint rows are one block, whose filter is the OR of the branches' filters
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from sqlglot import exp

from rewriter.block import Block, Join, Occurrence, aggregate_of, has_aggregate, set_bits, set_number
from rewriter.block.changed import changed, mapped, renamed_block
from rewriter.block.predicates import equated
from rewriter.block.words import words
from rewriter.functions.registry import GROUPING
from rewriter.functions.trees import call_of, cast, number
from rewriter.functions.types import as_decimal
from rewriter.model import Table, TableName
from rewriter.schema import output_types
from rewriter.sql import columns_in
from rewriter.verify.aggregates import Unfolded
from rewriter.verify.cells import difference, disjoint, disjunction
from rewriter.verify.conditioned import of_condition
from rewriter.verify.filled import FilledRows
from rewriter.verify.forms import Mode, grouped_float, under
from rewriter.verify.keys import Tables, counted_once, inner_joins
from rewriter.verify.moments import (
    Misread,
    Moment,
    added_up,
    as_read,
    check_moments,
    moment_of,
    over_tables,
    table_of,
)
from rewriter.verify.normal import (
    equalities,
    folded_block,
    is_pinned,
    normal_block,
    represented,
)
from rewriter.verify.printed import Select, Union
from rewriter.verify.signed import net_block, netted_union, unsigned

Tree = exp.Expr
_ZERO = number(0)
# An internal key for the branch of a UNION ALL from which a group's rows come; no other key determines it.
_BRANCH = exp.column("branch", "union of branches")
# Returns the block that fills a relation, with its column names; None for a base table.
Meaning = Callable[[TableName], "Held | None"]


@dataclass(frozen=True)
class Held:
    """The content of a storage table or view: the block that computes it, and the outputs' column names.

    `columns` has the names in lower case, one for each output of `block`.
    """

    block: Block
    columns: tuple[str, ...]


class Undecided(Exception):
    """Raised if a plan can be neither proved nor refuted; the message is the reason."""


class Unfolding:
    """The unfolding of the blocks of one plan: storage tables and views in FROM are replaced by the views' queries.

    With `conditioned`, a condition `n > 0` on a stored number of rows with p becomes the filter p of the view's query.
    With `counted`, distinct counts of primary keys in the views' queries are counts of rows where declared keys prove
    this; `axioms` has these keys.
    """

    def __init__(
        self, meaning: Meaning, tables: Tables, mode: Mode, *, conditioned: bool = False, counted: bool = False
    ) -> None:
        self._held, self._tables, self._mode = meaning, tables, mode
        self._conditioned, self._counted = conditioned, counted
        self._numbers = count()
        self.axioms: dict[str, None] = {}

    def _meaning(self, name: TableName) -> Held | None:
        """Return the block that fills a relation, with its column names; None for a base table."""
        held = self._held(name)
        if held is None or not self._counted:
            return held
        found = counted_once(held.block, self._tables)
        self.axioms |= dict.fromkeys(found.axioms)
        return replace(held, block=found.block)

    def select(self, select: Select) -> Block:
        """Return the block over base tables that a SELECT of the plan computes.

        Raise Undecided if no such block is found, and Misread if the plan reads a table at a snapshot other than the
        current snapshot.
        """
        union = netted_union(select)
        if union is not None:
            return self._net(select, union)
        block = unsigned(self._at_moments(select))
        for table in block.tables:
            source = select.sources[table.id]
            held = self._union(source, table) if isinstance(source, Union) else self._meaning(source.name)
            if held is not None:
                block = self._merged(block, table, held)
        return normal_block(self._whole(block), self._mode)

    def folded(self, block: Block) -> Block:
        """Return the block with its grouped derived tables merged into it, so that its aggregates are over rows.

        `sum(s) … FROM (SELECT k, sum(x) AS s … GROUP BY k)` gives `sum(x) …`, cast to the type of sum(s) if this is a
        DECIMAL of more digits. Raise Undecided if a derived table cannot be merged.
        """
        for table in block.tables:
            if table.inner is not None:
                names = tuple(column.name.lower() for column in table.columns)
                held = Held(self.folded(table.inner), names)
                merged = normal_block(self._merged(block, table, held, folding=True), self._mode)
                pairs = zip(merged.outputs, output_types(merged), output_types(block), strict=True)
                outputs = tuple(
                    cast(tree, kind) if kind != own and as_decimal(kind) is not None else tree
                    for tree, own, kind in pairs
                )
                return self.folded(replace(merged, outputs=outputs))
        return normal_block(block, self._mode)

    def _at_moments(self, select: Select) -> Block:
        """Return the SELECT's block, with snapshot ids in the names of base tables that are read at an earlier
        snapshot.

        `t VERSION AS OF 5` gets the name `t@5`. A table that is read at the current snapshot keeps its name.
        """

        def read(table: Occurrence) -> Occurrence:
            source = select.sources[table.id]
            if isinstance(source, Union) or self._meaning(source.name) is not None:
                return table
            moment = Moment(source.pin, source.since, source.changed)
            return replace(table, name=as_read(source.name, moment, self._tables(source.name)))

        return replace(select.block, tables=tuple(map(read, select.block.tables)))

    def _of_rows(self, outer: Block, table: Occurrence, held: Held) -> Held:
        """Return the content of `table`, a relation in the FROM of `outer`, with nested groups folded, if it has base
        tables at earlier snapshots below groups.

        The rows of these snapshots can then be added up with later rows. Only the columns that `outer` uses are kept,
        because other columns may not be aggregates of rows. `held` is the content of `table`.
        """
        below = (each for block in held.block.derived for each in block.tables)
        if all(moment_of(each.name) is None for each in below):
            return held
        used = {c.name.lower() for tree in outer.expressions for c in columns_in(tree) if c.table == table.id}
        places = [place for place, name in enumerate(held.columns) if name in used]
        block = replace(
            held.block,
            outputs=tuple(held.block.outputs[place] for place in places),
            names=tuple(held.block.names[place] for place in places),
        )
        return Held(self.folded(block), tuple(held.columns[place] for place in places))

    def _whole(self, block: Block) -> Block:
        """Return the block with all views that it reads replaced by their queries, at any depth."""
        for table in block.tables:
            held = self._meaning(table.name)
            if held is not None:
                return self._whole(self._merged(block, table, held))
        return block

    def _union(self, union: Union, table: Occurrence) -> Held:
        """Return the branches of a UNION ALL as one block, whose filter is the disjunction of the branches' filters.

        `table` is the derived table that has the UNION ALL. Raise Undecided if the branches differ in more than their
        filters, or if two branches may have the same row.
        """
        columns = tuple(column.name.lower() for column in table.columns)
        unfolded = [inner_joins(self.select(branch), self._declaring) for branch in union.branches]
        blocks = [self._few_keys(represented(block, equalities(block), self._mode)) for block in unfolded]
        first, *others = self._together(blocks)
        sides = [first.where]
        for other in others:
            sides.append(self._as_in(first, other).where)
        for i, side in enumerate(sides):
            for later in sides[i + 1 :]:
                both = disjoint(side, later, first, self._mode.zone)
                if both is not None:
                    raise Undecided(
                        f"two branches of the rewritten query's UNION ALL may read the same row: {both.cell}"
                    )
        first = replace(first, since=())  # other branches may have earlier times
        if len(blocks) == 1 and union.whole:
            return Held(first, columns)
        # Each branch may have some rows of a group.
        keys = None if first.keys is None else (*first.keys, _BRANCH)
        where = tuple(disjunction(sides)) if others else first.where
        # In the ON condition of an outer join, a condition that is always true would look like another join.
        where = tuple(part for part in where if not isinstance(part, exp.Or) or self._drops_rows(part, first))
        return Held(replace(first, where=where, keys=keys), columns)

    def _net(self, select: Select, union: Union) -> Block:
        """Return the block over base tables that a SELECT over stored groups and groups of changed rows computes.

        `union` is the UNION ALL of these groups, the only table in the FROM of `select`. Raise Misread unless the
        branches add up to one block over the current tables, and the SELECT removes the groups without rows. Raise
        Undecided if the branches are written so differently that the verifier cannot add them up.
        """
        unfolded = [inner_joins(self.select(branch), self._declaring) for branch in union.branches]
        blocks = [self._few_keys(represented(block, equalities(block), self._mode)) for block in unfolded]
        whole, *others = self._together(blocks)
        if others:
            raise Misread("the groups of changed rows do not add up with the stored groups: the view is not used")
        return net_block(select, union, blocks, whole, self._mode)

    def _declaring(self, name: TableName) -> Table | None:
        """Return the table that declares the columns and keys of a block's table, also of one at an earlier snapshot.

        The columns of an earlier snapshot that is read with the changes since then are the current ones.
        """
        return self._tables(table_of(name))

    def _drops_rows(self, condition: Tree, block: Block) -> bool:
        """Return whether a condition over a block's tables is false or unknown for some row; True also if this is not
        certain.
        """
        return difference([condition], (), block, self._mode.zone) is not None

    def _few_keys(self, block: Block) -> Block:
        """Return a grouped block without the GROUP BY keys that WHERE restricts to one value.

        Return the block unchanged if no key would be left, or if the block has grouping sets.
        """
        keys = tuple(key for key in block.keys or () if not is_pinned(key, block, self._mode.zone))
        return replace(block, keys=keys) if keys and block.sets is None else block

    def _together(self, blocks: Sequence[Block]) -> list[Block]:
        """Merge the blocks that read one table at successive snapshots; return the merged blocks, and the other blocks
        unchanged.

        Raise Undecided if the filters of these blocks differ, and Misread if a merged block does not have the rows of
        the current snapshot.
        """
        if all(moment_of(table.name) is None for block in blocks for table in block.tables):
            return list(blocks)
        first, *others = blocks
        found = [first, *(self._as_in(first, other) for other in others)]
        whole = []
        for summed, block in added_up(found, self._tables):
            check_moments(block, self._tables)
            for each in summed:
                other_rows = self._difference(each, block)
                if other_rows:
                    raise Undecided(
                        "the filters of two branches of the rewritten query's UNION ALL may keep different rows: "
                        f"{other_rows}"
                    )
            whole.append(block)
        return whole

    def _as_in(self, first: Block, other: Block) -> Block:
        """Return `other` with the table ids of `first`, if the two blocks differ only in their filters and snapshots.

        Raise Undecided if the blocks differ in anything else.
        """
        found: Block | None = None
        for mapping in mappings(over_tables(other), over_tables(first)):
            same = normal_block(renamed_block(other, mapping), self._mode)
            # Which of several equal columns stands for all of them depends on the ids.
            same = represented(same, equalities(same), self._mode)
            if _alike(same, first):
                by_id = {table.id: table for table in same.tables}
                same = replace(same, tables=tuple(by_id[table.id] for table in first.tables))
                # A table may be read several times, and then only the filters tell which reads are the same.
                if set(same.where) == set(first.where):
                    return same
                found = found or same
        if found is not None:
            return found
        raise Undecided(
            "the branches of the rewritten query's UNION ALL differ in more than their filters and snapshots, which "
            "the verifier does not support"
        )

    def _difference(self, one: Block, other: Block) -> str:
        """Return an example, in words, of rows that only one of two blocks' filters keeps; empty if the filters are
        equal.
        """
        apart = set(one.where) ^ set(other.where)
        equated_apart = next((tree for tree in apart if equated(tree, one) is not None), None)
        if equated_apart is not None:
            return words(equated_apart)
        found = difference(one.where, other.where, one, self._mode.zone)
        return found.cell if found is not None else ""

    def _merged(self, outer: Block, table: Occurrence, held: Held, *, folding: bool = False) -> Block:
        """Return the block `outer` with its relation `table` replaced by the tables and filters of the table's query.

        `held` has the block of this query. If the query has HAVING, the result reads the query as a derived table. With
        `folding`, the query's HAVING becomes the HAVING of the result instead. Raise Undecided if the blocks cannot be
        merged: for example if the query has LIMIT, or if `folding` is set and `outer` aggregates the groups that a
        HAVING has filtered.
        """
        outer, held = _one_set(outer, table, self._of_rows(outer, table, held))
        if self._conditioned:
            outer, rows, columns = of_condition(outer, table, held.block, held.columns)
            held = Held(rows, columns)
        inner = self._apart(normal_block(held.block, self._mode), outer)
        if inner.order or inner.limit or inner.offset or not inner.plain:
            raise Undecided(
                f"{table_of(table.name)} is defined with {_unmerged(inner)}, which the verifier does not support"
            )
        if inner.having and not folding:
            return self._beside(outer, table, inner)
        if inner.having and outer.keys is not None:
            raise Undecided(
                f"the query of {table_of(table.name)} has HAVING, and the outer query aggregates the groups again, "
                "which the verifier does not support"
            )
        bringing = next((join for join in outer.joins if table.id in join.tables), None)
        if bringing is not None and bringing.kind in ("SEMI", "ANTI"):
            return self._tested(outer, table, held.columns, inner, bringing)
        if bringing is not None:
            return self._filled(outer, table, held.columns, inner, bringing)
        if any(join.kind == "FULL" for join in inner.joins) and len(outer.tables) > 1:
            raise Undecided(
                f"{table_of(table.name)} contains a FULL join and is joined with other tables, which the verifier does "
                "not support"
            )
        known = dict(zip(held.columns, inner.outputs, strict=True))

        def put(node: Tree) -> Tree:
            if not isinstance(node, exp.Column) or node.table != table.id:
                return node
            tree = known.get(node.name.lower())
            if tree is None:
                raise Undecided(
                    f"the verifier does not find the column {node.name} of the rewritten query in "
                    f"{table_of(table.name)}"
                )
            return grouped_float(tree, inner)

        tables = tuple(t for each in outer.tables for t in (inner.tables if each.id == table.id else (each,)))
        merged = mapped(replace(outer, tables=tables), put)
        merged = replace(merged, joins=(*inner.joins, *merged.joins), since=(*inner.since, *merged.since))
        if inner.keys is None:
            return replace(merged, where=(*inner.where, *merged.where))
        grouped = self._regrouped(merged, inner) if outer.keys is not None else self._kept(merged, inner, outer, table)
        return replace(grouped, where=(*inner.where, *grouped.where), having=(*inner.having, *grouped.having))

    def _tested(self, outer: Block, table: Occurrence, columns: Sequence[str], inner: Block, bringing: Join) -> Block:
        """Return `outer` with `table`, a view on the right side of a SEMI or ANTI join, replaced by the view's tables.

        `columns` are the view's column names, `inner` is the view's block, and `bringing` is the join. Raise Undecided
        if the view or the join has another form.

        law: a SEMI or ANTI join only tests whether a matching row exists; a group exists if and only if it has a row,
             so that an ON condition over GROUP BY keys matches a group where it matches a row of the group
        no:  a view without keys, which has a row even if its tables are empty
        """
        known = dict(zip(columns, inner.outputs, strict=True))

        def undecided(problem: str) -> Undecided:
            return Undecided(
                f"{table_of(table.name)} {problem}, and is on the right side of a {bringing.kind} JOIN, which the "
                "verifier does not support"
            )

        if inner.joins or inner.keys == ():
            raise undecided("has a join in its query" if inner.joins else "aggregates without GROUP BY")

        def put(node: Tree) -> Tree:
            if not isinstance(node, exp.Column) or node.table != table.id:
                return node
            tree = known.get(node.name.lower())
            if tree is None or has_aggregate(tree):
                raise undecided("has an aggregate in the ON condition")
            return grouped_float(tree, inner)

        on = (*(changed(tree, put) for tree in bringing.on), *inner.where)
        joined = replace(bringing, tables=bringing.tables - {table.id} | {t.id for t in inner.tables}, on=on)
        tables = tuple(t for each in outer.tables for t in (inner.tables if each.id == table.id else (each,)))
        joins = tuple(joined if join is bringing else join for join in outer.joins)
        return replace(outer, tables=tables, joins=joins, since=(*inner.since, *outer.since))

    def _filled(self, outer: Block, table: Occurrence, columns: Sequence[str], inner: Block, bringing: Join) -> Block:
        """Return `outer` with `table`, a view on the right side of a LEFT join, replaced by the view's own block.

        `table` is the view in the FROM of `outer`, `columns` are the view's column names, `inner` is the view's block,
        and `bringing` is the join with the view on its right side. Rows without a match have NULL in all columns of the
        view. Raise Undecided if the join is not supported (see `_unfillable`), or if the expression of a column might
        not be NULL in a row without a match.

        law: if the ON condition reads only GROUP BY keys of the view, a row matches a group if and only if it matches a
             row of the group; a row without a match has NULL in each expression that is NULL for NULL operands, and
             occurs once
        """
        if problem := _unfillable(outer, inner, bringing):
            raise Undecided(f"{table_of(table.name)} {problem}, which the verifier does not support")
        rows = FilledRows(table.id, dict(zip(columns, inner.outputs, strict=True)), inner)
        tables = tuple(t for each in outer.tables for t in (rows.tables if each.id == table.id else (each,)))
        on = tuple(changed(tree, rows.found) for tree in bringing.on)
        joined = replace(bringing, tables=frozenset(t.id for t in inner.tables), on=(*on, *inner.where))
        try:
            others = tuple(join for join in outer.joins if join is not bringing)
            merged = mapped(rows.counted(replace(outer, joins=others)), rows.filled)
        except Unfolded as unfolded:
            raise Undecided(str(unfolded)) from unfolded
        place = outer.joins.index(bringing)
        joins = (*merged.joins[:place], joined, *merged.joins[place:])
        merged = replace(merged, tables=tables, joins=joins, since=(*inner.since, *merged.since))
        return merged if inner.keys is None else self._regrouped(merged, inner)

    def _beside(self, outer: Block, table: Occurrence, inner: Block) -> Block:
        """Return the outer block with the relation `table` as a derived table, because the relation's query has HAVING.

        `inner` is the block of the relation's query.
        """
        name = TableName(("some groups of", str(table.name)))
        groups = replace(table, name=name, inner=self._whole(inner))
        return replace(outer, tables=tuple(groups if each.id == table.id else each for each in outer.tables))

    def _apart(self, inner: Block, outer: Block) -> Block:
        """Return the inner block with new table ids in place of ids that the outer block uses, too."""
        taken = {table.id for table in outer.tables}
        mapping = {t.id: t.id if t.id not in taken else f"u{next(self._numbers)}_{t.id}" for t in inner.tables}
        return renamed_block(inner, mapping)

    def _kept(self, merged: Block, inner: Block, outer: Block, table: Occurrence) -> Block:
        """Return a grouped block over rows for an outer block that reads groups and does not group them again.

        `merged` is the outer block over the tables of `inner`, the grouped block that computes the relation `table` of
        `outer`. Filters on keys stay in WHERE; filters on aggregates become HAVING. Raise Undecided if `inner`
        aggregates without GROUP BY and is joined with other tables.
        """
        beside = [other for other in outer.tables if other.id != table.id]
        dropping = frozenset[str]().union(*(j.tables for j in outer.joins if j.kind in ("SEMI", "ANTI")))
        joined = [other for other in beside if other.id not in dropping]
        assert inner.keys is not None
        if not inner.keys and beside:
            raise Undecided(
                f"the query of {table_of(table.name)} aggregates without GROUP BY, and {table_of(table.name)} is "
                "joined with other tables, which the verifier does not support"
            )
        # A block without keys returns a group even for an empty input, so that each filter on the group is HAVING.
        having = tuple(tree for tree in merged.where if not inner.keys or has_aggregate(tree))
        where = tuple(tree for tree in merged.where if tree not in having)
        # Each row of another joined table is a group of its own: all its columns are keys.
        more = tuple(exp.column(column.name.lower(), other.id) for other in joined for column in other.columns)
        return replace(merged, keys=(*inner.keys, *more), where=where, having=having)

    def _is_single(self, merged: Block, inner: Block) -> bool:
        """Return whether at most one group of `inner` remains, because filters restrict each of its keys to one value.

        `merged` is the outer block over the tables of `inner`. Return False unless `merged` has a single group of all
        rows.
        """
        alone = merged.keys == () and merged.sets is None and len(merged.tables) == len(inner.tables)
        filtered = replace(merged, where=(*inner.where, *merged.where))
        return alone and bool(inner.keys) and all(is_pinned(key, filtered, self._mode.zone) for key in inner.keys or ())

    def _regrouped(self, merged: Block, inner: Block) -> Block:
        """Return a block that groups the groups of `inner` again as a grouped block over rows.

        `merged` is the outer block over the tables of `inner`. Raise Undecided if an aggregate equals no aggregate over
        rows, or if aggregates of `inner` are keys, filters or join conditions.
        """
        if not inner.keys and (merged.keys or len(merged.tables) > len(inner.tables) or merged.sets is not None):
            does = "groups" if merged.keys or merged.sets is not None else "joins"
            raise Undecided(
                f"the outer query {does} the result of an aggregate query without GROUP BY, which the verifier does "
                "not support"
            )
        joins = tuple(conjunct for join in merged.joins for conjunct in join.on)
        for does, trees in (("filters", merged.where), ("groups", merged.keys or ()), ("joins", joins)):
            if any(map(has_aggregate, trees)):
                raise Undecided(
                    f"the outer query {does} by an aggregate of the inner query, which the verifier does not support"
                )
        try:
            merged = folded_block(merged, inner, self._mode, single=self._is_single(merged, inner))
        except Unfolded as problem:
            raise Undecided(str(problem)) from problem
        counted = {bit for key in inner.keys or () if (bit := _bucketed(key)) is not None}
        keys = set(merged.keys or ())
        alone = {value for value in counted if set(inner.keys or ()) <= keys | {call_of("bitmap_bucket_number", value)}}
        plain = merged.sets is None and len(merged.tables) == len(inner.tables)
        if not alone or not plain:
            return merged
        return mapped(merged, lambda node: _bits_counted(node, alone))


def _unfillable(outer: Block, inner: Block, join: Join) -> str:
    """Return why a view on the right side of `join` cannot be replaced by its tables, for a message; empty if it can.

    `outer` is the block with the join, `inner` the block of the view.
    """
    if join.kind != "LEFT":
        return f"is on the right side of a {join.kind} JOIN"
    if len(join.tables) > 1:
        return "shares the right side of a LEFT JOIN with another table"
    if inner.joins:
        return "has a join in its query, and is on the right side of a LEFT JOIN"
    if inner.keys is not None and outer.keys is None:
        return "has GROUP BY, and is on the right side of a LEFT JOIN in a query without groups"
    return ""


def _unmerged(block: Block) -> str:
    """Return the clause, such as LIMIT, because of which a block cannot be merged into the block that reads it."""
    found = {
        "ORDER BY": block.order,
        "LIMIT": block.limit,
        "OFFSET": block.offset,
        "DISTINCT": block.distinct,
        "grouping sets": block.sets is not None,
    }
    return next((clause for clause, there in found.items() if there), "a window function")


def _one_set(outer: Block, table: Occurrence, held: Held) -> tuple[Block, Held]:
    """Restrict a view with grouping sets to the one set that the outer block selects by a condition on grouping_id().

    For a view with ROLLUP (a, b), the condition `grouping_id() = 1` selects the set (a). Return the outer block without
    this condition, and the view's content restricted to the set: without columns for b and for grouping(). `held` is
    the view's content, a block and its column names, and `table` the view in the outer block. Return a view without
    grouping sets unchanged. Raise Undecided if no such condition selects exactly one set, or if the set has no keys.

    law: if only one set has the grouping_id() n, the rows with that n are the groups by the keys whose bits in n are 0
    """
    block, keys = held.block, held.block.keys or ()
    if block.sets is None:
        return outer, held
    numbers = {name for name, output in zip(held.columns, block.outputs, strict=True) if output == set_bits(keys)}
    for conjunct in outer.where:
        column, literal = conjunct.this, conjunct.args.get("expression")
        if not isinstance(conjunct, exp.EQ) or not isinstance(literal, exp.Literal):
            continue
        if isinstance(column, exp.Column) and column.table == table.id and column.name.lower() in numbers:
            matching = [each for each in block.sets if str(set_number(keys, each)) == literal.name]
            if len(matching) != 1 or not matching[0]:
                break
            rest = tuple(other for other in outer.where if other is not conjunct)
            return replace(outer, where=rest), _of_set(held, matching[0])
    raise Undecided(
        f"{table_of(table.name)} has several grouping sets, and no condition on grouping_id() in the rewritten query "
        "selects one of them"
    )


def _of_set(held: Held, grouped: tuple[Tree, ...]) -> Held:
    """Return the content of a view restricted to one grouping set: the keys of the set, and the aggregates.

    `held` is the content of the whole view, and `grouped` are the keys of the set.
    """
    missing = [key for key in held.block.keys or () if key not in grouped]
    places = [i for i, output in enumerate(held.block.outputs) if not _of_other_keys(output, missing)]
    outputs, names = (tuple(each[i] for i in places) for each in (held.block.outputs, held.block.names))
    block = replace(held.block, keys=grouped, sets=None, outputs=outputs, names=names)  # type: ignore[arg-type]
    return Held(block, tuple(held.columns[i] for i in places))


def _of_other_keys(tree: Tree, missing: Sequence[Tree]) -> bool:
    if isinstance(tree, exp.Anonymous) and tree.name in GROUPING:
        return True
    if aggregate_of(tree) is not None:
        return False
    return tree in missing or any(_of_other_keys(part, missing) for part in tree.iter_expressions())


def _bucketed(key: Tree) -> Tree | None:
    """Return the i of a key bitmap_bucket_number(i); None for other keys."""
    return key.expressions[0] if isinstance(key, exp.Anonymous) and key.name == "bitmap_bucket_number" else None


def _bits_counted(node: Tree, values: set[Tree]) -> Tree:
    """Return `count(DISTINCT x)` in place of the summed bit counts of the bitmaps of x; return other nodes unchanged.

    `coalesce(sum(bitmap_count(bitmap_construct_agg(bitmap_bit_position(x)))), 0)` gives `count(DISTINCT x)`, because no
    value is in two bitmap buckets. `values` are the expressions x whose bitmap buckets are keys of the groups.
    """
    total = node.expressions[0] if isinstance(node, exp.Anonymous) and node.name == "coalesce" else None
    if not isinstance(total, exp.Anonymous) or total.name != "sum" or node.expressions[1:] != [_ZERO]:
        return node
    counted, condition = total.expressions[0], None
    if isinstance(counted, exp.Case) and len(counted.args["ifs"]) == 1 and counted.args.get("default") == _ZERO:
        (branch,) = counted.args["ifs"]
        counted, condition = branch.args["true"], branch.this
    for value in values:
        bits = call_of("bitmap_construct_agg", call_of("bitmap_bit_position", value))
        if counted == call_of("bitmap_count", bits):
            return call_of("count", exp.Distinct(expressions=[under(condition, value)]))
    return node


def mappings(one: Block, other: Block) -> Sequence[Mapping[str, str]]:
    """Return the one-to-one mappings of one block's table ids to another's, at most MOST_MAPPINGS.

    Mappings of equal ids come first. Return an empty list if the blocks do not read the same tables equally often.
    """
    found: list[Mapping[str, str]] = [{}]
    for table in one.tables:
        extended: list[Mapping[str, str]] = []
        for mapping in found:
            free = [t for t in other.tables if t.name == table.name and t.id not in mapping.values()]
            free.sort(key=lambda t: (t.id != table.id, not t.id.endswith(table.id)))
            extended += [{**mapping, table.id: t.id} for t in free]
        found = extended[:MOST_MAPPINGS]
    return found if len(one.tables) == len(other.tables) else []


MOST_MAPPINGS = 24


def _alike(one: Block, other: Block) -> bool:
    """Return whether two blocks have equal outputs, keys and joins; their filters and snapshots may differ."""
    return (one.outputs, set(one.keys or ()), one.keys is None, set(one.joins)) == (
        other.outputs, set(other.keys or ()), other.keys is None, set(other.joins),
    )  # fmt: skip
