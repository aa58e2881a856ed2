"""Whether two blocks over base tables compute the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from rewriter.block import Block
from rewriter.block.equivalence import Equivalence
from rewriter.block.predicates import equated, literal_value
from rewriter.block.traits import is_literal
from rewriter.block.words import words
from rewriter.timeseries import as_bucket, day_source, is_fixed_offset, label_source, rolls_up
from rewriter.verify.cells import difference
from rewriter.verify.keys import Tables, reduced
from rewriter.verify.normal import equalities, normal_block, renamed_block, represented
from rewriter.verify.unfold import mappings

Tree = exp.Expr


@dataclass(frozen=True)
class Comparison:
    """What is unequal, empty if nothing is; `certain` where a row shows it. `axioms` were relied upon."""

    difference: str = ""
    certain: bool = False
    axioms: tuple[str, ...] = ()


def compare(question: Block, plan: Block, tables: Tables, zone: str) -> Comparison:
    """Compare a plan's block with the question's, whose expressions are in normal form."""
    plain = _mapped_one_to_one(question, plan, tables, zone)
    if not plain.difference:
        return plain
    asked, computed = reduced(question, tables), reduced(plan, tables)
    if asked.block is question and computed.block is plan:
        return plain
    found = _mapped_one_to_one(asked.block, computed.block, tables, zone)
    return replace(found, axioms=tuple(dict.fromkeys((*asked.axioms, *computed.axioms, *found.axioms))))


def _mapped_one_to_one(question: Block, plan: Block, tables: Tables, zone: str) -> Comparison:
    """Compare blocks for each way in which the tables of one stand for those of the other."""
    first: Comparison | None = None
    for mapping in mappings(plan, question):
        other = renamed_block(plan, mapping)
        other = other if other is plan else normal_block(other, zone)
        found = _compare(question, other, tables, zone)
        if not found.difference:
            return found
        first = first or found
    return first or Comparison("it reads other tables")


def _compare(question: Block, plan: Block, tables: Tables, zone: str) -> Comparison:
    same, others = equalities(question), equalities(plan)
    for block, classes in ((question, others), (plan, same)):
        for tree in block.where:
            pair = equated(tree, block)
            if pair is not None and not classes.same(*pair):
                return Comparison(f"only one of both has {words(tree)}")
    question, plan = (represented(block, same, zone) for block in (question, plan))
    if set(question.joins) != set(plan.joins):
        return Comparison("they join otherwise")
    filters = difference(_filters(question), _filters(plan), question, zone, _joined(question, same))
    if filters is not None:
        return Comparison(f"only one of both keeps {filters.cell}", filters.certain)
    return _groups(question, plan, tables, zone)


def _filters(block: Block) -> Sequence[Tree]:
    """The conjuncts of a filter that make no two columns equal."""
    return [tree for tree in block.where if equated(tree, block) is None]


def _joined(block: Block, classes: Equivalence) -> Sequence[Tree]:
    """The columns that an equality keeps from being NULL."""
    columns = (exp.column(c.name.lower(), t.id) for t in block.tables for c in t.columns)
    return [column for column in columns if len(classes.members(column)) > 1]


def _groups(question: Block, plan: Block, tables: Tables, zone: str) -> Comparison:
    if (question.keys is None) != (plan.keys is None) or question.sets != plan.sets:
        return Comparison("only one of both groups, or they group by other sets")
    axioms: dict[str, None] = {}
    for one, other in ((question, plan), (plan, question)):
        known = Determined(one, tables, zone, axioms)
        for key in other.keys or ():
            if not known.determines(key):
                return Comparison(f"only one of both groups by {words(key)}")
    if bool(question.keys) != bool(plan.keys):
        return Comparison("only one of both has a group for no rows")
    pairs: tuple[tuple[str, Sequence[object], Sequence[object]], ...] = (
        ("HAVING", sorted(question.having, key=hash), sorted(plan.having, key=hash)),
        ("output", question.outputs, plan.outputs),
        ("ORDER BY", question.order, plan.order),
        ("LIMIT", (question.limit, question.offset), (plan.limit, plan.offset)),
        ("DISTINCT", (question.distinct,), (plan.distinct,)),
    )
    for what, mine, theirs in pairs:
        if list(mine) != list(theirs):
            unequal = next((a for a, b in zip(mine, theirs, strict=False) if a != b), what)
            told = words(unequal) if isinstance(unequal, exp.Expr) else str(unequal)
            return Comparison(f"unequal {what}: {told}", axioms=tuple(axioms))
    return Comparison(axioms=tuple(axioms))


class Determined:
    """What a block's keys determine: the same value in all rows of a group."""

    def __init__(self, block: Block, tables: Tables, zone: str, axioms: dict[str, None]) -> None:
        self._block, self._zone, self._axioms = block, zone, axioms
        self._keys = set(block.keys or ())
        self._rows = self._whole_rows(tables)

    def determines(self, tree: Tree) -> bool:
        """Whether an expression has one value in each group."""
        if tree in self._keys or is_literal(tree):
            return True
        if isinstance(tree, exp.Column):
            return tree.table in self._rows or self._is_pinned(tree)
        if any(self._within(tree, key) for key in self._keys):
            return True
        children = [c for c in tree.iter_expressions() if not isinstance(c, exp.DataType | exp.Identifier | exp.Var)]
        return bool(children) and all(map(self.determines, children))

    def _is_pinned(self, column: Tree) -> bool:
        """Whether a filter leaves a column one value."""
        declared = self._block.type_of(column)
        sides = ((t.this, t.expression) for t in self._block.where if isinstance(t, exp.EQ))
        literals = (b if a == column else a for a, b in sides if column in (a, b))
        return declared is not None and any(
            literal_value(one, declared.type, self._zone) is not None for one in literals
        )

    def _within(self, tree: Tree, key: Tree) -> bool:
        """Whether each bucket of a key lies within one bucket, or has one label, that is asked for."""
        bucket, asked, label = as_bucket(key), as_bucket(tree), label_source(tree)
        grain, source, kind = (bucket.grain, bucket.source, bucket.type) if bucket else ("day", day_source(key), "date")
        if source is None or (kind == "timestamp" and not is_fixed_offset(self._zone)):
            return False
        if asked is not None:
            return asked.source in (source, key) and rolls_up(grain, asked.grain)
        return label is not None and label[0] == source and rolls_up(grain, label[1])

    def _whole_rows(self, tables: Tables) -> frozenset[str]:
        """The tables of which the keys determine a whole row, by a primary key."""
        apart = frozenset[str]().union(*(join.tables for join in self._block.joins))
        found = set()
        for table in self._block.tables:
            known = tables(table.name)
            key = known.primary_key if known is not None else ()
            columns = [exp.column(name.lower(), table.id) for name in key]
            if key and table.id not in apart and all(c in self._keys for c in columns):
                found.add(table.id)
                self._axioms[f"the primary key of {table.name}"] = None
        return frozenset(found)
