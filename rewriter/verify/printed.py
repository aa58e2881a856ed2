"""Parses the SQL text of a plan: a SELECT over storage tables, base tables and chains of UNION ALL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sqlglot import exp

from rewriter.block import Block, Found, Occurrence, Texts, Unsupported, build_block
from rewriter.delta import CHANGE_TYPE
from rewriter.model import Column, Session, TableName, quoted
from rewriter.schema import output_types
from rewriter.sql import ParseError, excerpt, from_items, parse, parse_select
from rewriter.verify.buckets import raised
from rewriter.verify.moments import Misread, Moment

Tree = exp.Expr
# sqlglot does not parse options after a table's name; they are replaced by a clause that it parses.
_ADDED = re.compile(r"(\.changes)? WITH \('start-snapshot-id' = '(\d+)', 'end-snapshot-id' = '(\d+)'\)")
_CHANGED = "CONTAINED IN"
Columns = Callable[[TableName], tuple[Column, ...] | None]


@dataclass(frozen=True)
class Scan:
    """A read of a table at the snapshot with the id `pin`; None is the current snapshot.

    `since` limits the read to the rows appended after the snapshot with this id; None reads all rows. With `changed`,
    the rows inserted and the rows deleted after the snapshot `since` are read.
    """

    name: TableName
    pin: int | None
    since: int | None = None
    changed: bool = False


@dataclass(frozen=True)
class Union:
    """A chain of UNION ALL in a plan.

    `whole` is false if `branches` has only some of the chain's branches; a group may then have rows in a missing
    branch.
    """

    branches: tuple[Select, ...]
    whole: bool = True


@dataclass(frozen=True)
class Select:
    """A parsed SELECT of a plan: its block, and the source of each table in FROM by table id.

    A source is a Scan or, for a derived table of the plan, a Union. `reads` are the scans of the SELECT itself, without
    the scans of its derived tables.
    """

    block: Block
    sources: Mapping[str, Scan | Union]
    reads: tuple[Scan, ...]

    def scans(self) -> Iterator[Scan]:
        """Yield all scans of the SELECT and of its branches at any depth."""
        yield from self.reads
        for source in self.sources.values():
            for branch in source.branches if isinstance(source, Union) else ():
                yield from branch.scans()


def read_printed(
    text: str,
    session: Session,
    columns: Columns,
    constants: Mapping[str, Tree] = MappingProxyType({}),
    derived: Sequence[Occurrence] = (),
) -> Select:
    """Parse the SQL text of a plan; raise Unsupported if the text has SQL that plans never have, and Misread if the
    text is not valid SQL.

    `columns` returns the columns of a relation, or None. `constants` maps the texts of the subqueries and outer columns
    of the block to be answered to the calls that represent them; `derived` are that block's derived tables, which are
    not parsed again.
    """
    text = _ADDED.sub(_between, text)
    try:
        tree = parse_select(text)
    except ParseError as problem:
        raise Misread(f"the rewritten query is not valid SQL: {problem}; the view is not used") from problem
    blocks = parse(text, session).blocks if constants else ()
    texts = {block.tree: block.text for block in blocks if block.tree is not None}
    return _Reader(session, columns, texts, constants, {_query_of(table.text): table for table in derived}).select(tree)


def _between(read: re.Match[str]) -> str:
    """Return the clause for the read of a table's appended rows, or of its changed rows, between two snapshots."""
    changes, start, end = read.groups()
    return f" FOR VERSION {_CHANGED} ({start}, {end})" if changes else f" FOR VERSION BETWEEN {start} AND {end}"


def _query_of(text: str) -> Tree:
    """Return the syntax tree of `text`, the SQL of a derived table or the name of a CTE, as it is parsed after FROM."""
    query: Tree = parse_select(f"SELECT 1 FROM {text} AS derived").args["from_"].this.this
    return query


class _Reader:
    """A parser of the SELECTs in the SQL text of one plan."""

    def __init__(
        self,
        session: Session,
        columns: Columns,
        texts: Mapping[exp.Select, str],
        constants: Mapping[str, Tree],
        derived: Mapping[Tree, Occurrence],
    ) -> None:
        self._session, self._columns, self._texts, self._constants = session, columns, texts, constants
        self._derived, self._tables = derived, dict[str, Occurrence]()
        self._unions: dict[str, tuple[Union, tuple[Column, ...]]] = {}

    def select(self, tree: exp.Select) -> Select:
        for item in from_items(tree):
            self._name(item)
        tree = raised(tree)
        members = _spell_members(tree)
        for item in members:
            self._name(item)
        for item in from_items(tree):
            if isinstance(item, exp.Subquery):
                self._replace(item)
        # A subquery may name the same tables, so the plan's own table references are identified by object identity.
        pins = {id(item): _pin(item) for item in (*from_items(tree), *members) if isinstance(item, exp.Table)}
        sources: dict[TableName, Scan | Union] = {}
        reads: list[Scan] = []

        def find(table: exp.Table) -> Found | None:
            if table.name in self._tables and not table.args.get("db"):
                derived = self._tables[table.name]
                sources[derived.name] = Scan(derived.name, None)
                return Found(derived.name, derived.columns)
            if table.name in self._unions and not table.args.get("db"):
                union, held = self._unions[table.name]
                part = TableName(("", table.name))
                sources[part] = union
                return Found(part, held)
            name = self._session.resolve(tuple(part.name for part in table.parts))
            known = self._columns(name) if name is not None else None
            if name is None or known is None:
                return None
            if id(table) in pins:
                reads.append(Scan(name, *pins[id(table)]))
                # One table may be read at two snapshots.
                moment = Moment(*pins[id(table)])
                name = name if moment == Moment(None) else moment.of(name)
                sources[name] = reads[-1]
                known = (*known, Column(CHANGE_TYPE, "string", False)) if moment.changed else known
            return Found(name, known)

        texts = Texts(self._text, known=frozenset(self._constants))
        block = build_block(tree, find, texts=texts, outer=self._outer, ties=True)
        # A table that only a subquery names is the user's text, and is read at its current snapshot.
        by_id = {table.id: sources.get(table.name) or Scan(table.name, None) for table in block.tables}
        return Select(block, by_id, tuple(reads))

    def _outer(self, column: exp.Column) -> Tree:
        """Return the call that represents an outer reference: a column that belongs to no table of the plan.

        Raise Unsupported for a column that is no outer reference of the block to be answered.
        """
        outer = self._constants.get(f"{quoted(column.table)}.{quoted(column.name)}")
        if outer is None:
            raise Unsupported(
                f"the verifier does not find the column {column.sql('spark')} of the rewritten query in the tables of "
                "its FROM"
            )
        return outer.copy()

    def _name(self, item: Tree) -> None:
        """Replace `item` by a generated table name, in place, if it is a derived table of the block to be answered."""
        plain = isinstance(item, exp.Subquery) or (isinstance(item, exp.Table) and not item.args.get("db"))
        derived = self._derived.get(item.this) if plain else None
        if derived is not None:
            name = f"derived_{len(self._tables)}"
            self._tables[name] = derived
            alias = item.args.get("alias")
            item.replace(exp.Table(this=exp.to_identifier(name), alias=alias.copy() if alias is not None else None))

    def _replace(self, item: exp.Subquery) -> None:
        """Replace `item`, a derived table of the plan, by a generated table name, in place.

        The derived table's UNION ALL is kept as the source of this name.
        """
        branches = tuple(self.select(branch) for branch in _branches(item.this))
        name = f"part_{len(self._unions)}"
        names, types = branches[0].block.names, output_types(branches[0].block)
        held = tuple(Column(label or "", kind) for label, kind in zip(names, types, strict=True))
        self._unions[name] = Union(branches), held
        alias = item.args.get("alias")
        item.replace(exp.Table(this=exp.to_identifier(name), alias=alias.copy() if alias is not None else None))

    def _text(self, select: exp.Select) -> str:
        found = self._texts.get(select)
        if found is None:
            raise Unsupported(f"the subquery {excerpt(select)} cannot be found in the text of the rewritten query")
        return found


def _spell_members(tree: exp.Select) -> list[Tree]:
    """Replace each SEMI or ANTI join of several tables by EXISTS or NOT EXISTS, in place.

    Return the tables that are then in the subqueries of EXISTS.
    """
    found: list[Tree] = []
    for join in [*(tree.args.get("joins") or ())]:
        several = join.this
        kind = str(join.args.get("kind") or "").upper()
        if kind not in ("SEMI", "ANTI") or not isinstance(several, exp.Subquery) or not _is_product(several):
            continue
        items = [several.this, *several.this.args.get("joins", ()), *several.args.get("joins", ())]
        inner = exp.Select(expressions=[exp.Literal.number(1)], from_=exp.From(this=items[0]))
        items[0].set("joins", None)
        inner.set("joins", [item for item in items[1:] if isinstance(item, exp.Join)])
        inner.set("where", exp.Where(this=join.args["on"]))
        exists: Tree = exp.Exists(this=inner)
        tree.where(exists if kind == "SEMI" else exp.Not(this=exists), copy=False)
        tree.args["joins"].remove(join)
        found += from_items(inner)
    return found


def _is_product(item: exp.Subquery) -> bool:
    return isinstance(item.this, exp.Table)


def _branches(tree: Tree) -> Iterator[exp.Select]:
    """Yield the SELECTs of a chain of UNION ALL; raise Unsupported for other set operations, and if a branch is no
    SELECT.
    """
    if isinstance(tree, exp.Union):
        if tree.args.get("distinct") is not False:
            raise Unsupported(f"the rewritten query has {tree.key.upper()}, and the verifier supports only UNION ALL")
        yield from _branches(tree.this)
        yield from _branches(tree.expression)
    elif isinstance(tree, exp.Select):
        yield tree
    else:
        raise Unsupported("a branch of the rewritten query is not a SELECT")


def _pin(table: exp.Table) -> tuple[int | None, int | None, bool]:
    """Return the ids of the snapshots in a table's VERSION AS OF clause, and remove the clause from the tree.

    The first id is the snapshot at which the table is read; if the second one is not None, only rows appended after
    this second snapshot are read, or the changed rows if the third value is True. A table without the clause gives None
    for both ids. Raise Unsupported for time travel by timestamp or branch.
    """
    version = table.args.get("version")
    if version is None:
        return None, None, False
    between = isinstance(version.expression, exp.Tuple)
    since, number = version.expression.expressions if between else (None, version.expression)
    if not isinstance(number, exp.Literal) or number.is_string or str(version.this).upper() != "VERSION":
        raise Unsupported(
            f"the rewritten query reads {table.name} with a time travel clause that does not give a snapshot id"
        )
    table.set("version", None)
    return int(number.name), int(since.name) if since is not None else None, version.args["kind"] == _CHANGED
