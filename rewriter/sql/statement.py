"""A parsed statement: its text, the tables that it names, its SELECT blocks and its CTEs (common table expressions)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from operator import attrgetter

from sqlglot import exp
from sqlglot.tokens import Token, TokenType

from rewriter.model import MaterializedView, Session, TableName
from rewriter.sql.blocks import (
    CLOSING,
    OPENING,
    SET_OPERATORS,
    SelectSpan,
    deepest,
    has_bare_query,
    kinds_of,
    leaves_out,
    select_spans,
)
from rewriter.sql.dialect import ParseError, calls_window, excerpt, parse_select, tokenize
from rewriter.sql.operands import is_merged
from rewriter.sql.outside import outside
from rewriter.sql.time_windows import split_windows
from rewriter.sql.writes import query_of_write

QUERY_STARTS = frozenset({TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN, TokenType.VALUES, TokenType.FROM})
WRITES = frozenset({TokenType.INSERT, TokenType.UPDATE, TokenType.DELETE, TokenType.MERGE})
TIMESERIES = "timeseries"
# The most characters of a statement that is parsed; parsing a longer one would delay all other clients.
LONGEST = 200_000
# The most SELECTs and CTEs of a statement that is parsed, and of SELECTs that contain each other. The time of a
# decision grows with the square of the number of SELECTs, and with the cube of those of CTEs that read each other and
# of nested SELECTs: 400 SELECTs take 1.2 s, 50 CTEs of which each reads another one twice 1.5 s, and 80 nested EXISTS
# 1.2 s.
MOST_SELECTS, MOST_CTES, MOST_NESTED = 300, 50, 40
_LINE_END = re.compile(r"[\r\n]")
_START = attrgetter("start")
_SHADOWED = "shadowed"  # a mark on a table in a tree


@dataclass(frozen=True, eq=False)
class SelectBlock:
    """One SELECT of a statement: its span in the text, its text and its tree.

    If the SELECT cannot be parsed, `tree` is None and `problem` is the reason.
    """

    span: SelectSpan
    text: str
    tree: exp.Select | None
    problem: str = ""

    @cached_property
    def items(self) -> tuple[exp.Expr, ...]:
        """The items of the SELECT's own FROM clause in order: tables, derived tables, table functions.

        Empty if the SELECT cannot be parsed.
        """
        return tuple(from_items(self.tree)) if self.tree is not None else ()

    @cached_property
    def tables(self) -> tuple[exp.Table, ...]:
        """The tables in the SELECT's own FROM clause; tables in subqueries are not included."""
        return tuple(item for item in self.items if isinstance(item, exp.Table))


@dataclass(frozen=True)
class CommonTable:
    """A common table expression (CTE), whose name is visible in the text from offset `end` up to offset `until`.

    `end` is the offset after the CTE's definition, `until` the end of the query to which the WITH belongs. `block` is
    the definition in the parentheses. If the definition is a set operation, the `tree` of `block` is None.
    """

    name: str
    block: SelectBlock
    end: int
    until: int

    def visible_at(self, place: int) -> bool:
        """Return whether the CTE is visible at the offset `place` of the text."""
        return self.end <= place < self.until


@dataclass(frozen=True, eq=False)
class Statement:
    """A client's statement, parsed.

    - `is_query`: true for a query
    - `fills`: true for a statement that writes the rows of a query to a table
    - `blocks`: the SELECTs of the statement or, if `fills` is true, of the query whose rows are written
    - `problem`: why the statement is not supported as a whole; empty if it is supported
    - `complete`: false if tables may be read outside all SELECTs (`FROM t SELECT …`, `TABLE t`)
    - `merges`: true if the text has a set operator that compares rows with one another, that is, any but UNION ALL
    - `ctes`: all names that a WITH may define
    - `common`: the CTEs whose definition is certain: written as `name AS (query)`, not recursive, and with a name that
      occurs only once in `ctes`
    - `pivots`: true if the text may contain a PIVOT
    """

    sql: str
    session: Session
    is_query: bool
    blocks: tuple[SelectBlock, ...] = ()
    ctes: frozenset[str] = frozenset()
    problem: str = ""
    tables: tuple[TableName, ...] = field(default=())
    complete: bool = True
    common: tuple[CommonTable, ...] = ()
    merges: bool = False
    fills: bool = False
    pivots: bool = False
    # By the identity of each FROM item: the item itself, kept so that its identity is not reused, and the table it
    # names.
    _meant: dict[int, tuple[exp.Table, TableName | None]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def tokens(self) -> Sequence[Token]:
        """The tokens of the statement's text."""
        return tokenize(self.sql)

    @property
    def uses_timeseries(self) -> bool:
        """Whether the text may call `timeseries(…)`, Viewgate's own function, which Spark does not have."""
        return TIMESERIES in self.sql.lower()

    @cached_property
    def outside(self) -> SelectBlock | None:
        """A SELECT over the relations that the statement names outside all blocks.

        None if there are no such relations. Also None if the statement does not use `timeseries`: only the arguments of
        this function need the types of these relations.
        """
        found = outside(self.sql, self.tokens) if self.uses_timeseries and not self.problem else None
        if found is None:
            return None
        span, text = found
        try:
            return SelectBlock(span, text, parse_select(text))
        except ParseError as error:
            return SelectBlock(span, text, None, str(error))

    @property
    def tables_outside(self) -> tuple[TableName, ...]:
        """The tables that the statement names outside all SELECTs, as in `MERGE INTO a USING b`.

        Empty if there are no such tables, and if the statement does not use `timeseries`, because only the arguments of
        this function need the types of these tables.
        """
        found = self.outside.tables if self.outside is not None else ()
        return tuple(name for table in found if (name := self.resolve(table)) is not None)

    @property
    def unread(self) -> str:
        """The reason why the statement or its first unsupported block is not supported; empty if there is none."""
        problems = (
            f"{excerpt(block.text)!r} is not supported: {block.problem}" for block in self.blocks if block.problem
        )
        return self.problem or next(problems, "")

    @cached_property
    def merged(self) -> frozenset[SelectSpan]:
        """The spans of the SELECTs that are operands of UNION, INTERSECT or EXCEPT without ALL.

        Duplicate rows of such an operand do not matter.
        """
        if not self.merges:
            return frozenset()
        return frozenset(block.span for block in self.blocks if is_merged(block.span, self.tokens))

    def decides_by(self, block: SelectBlock) -> bool:
        """Return whether the values of a block's outputs may decide which rows the statement returns or writes.

        The values of a subquery in `WHERE x IN (…)` may, for example. Return False if the outer blocks only pass the
        rows on, and True for a write, because a later statement may compare the written values.
        """
        if self.fills:
            return True
        around = self.around(block)
        if around:
            return not _hands_on(around[-1].tree) or self.decides_by(around[-1])
        behind = self.sql[max(b.span.end for b in self.blocks) :].strip().rstrip(";")
        return self.merges or bool(behind) or (bool(self.ctes) and block is not self._last)

    @property
    def _last(self) -> SelectBlock:
        """The last block that is not nested in another block."""
        return next(block for block in reversed(self.blocks) if not self.around(block))

    @property
    def main(self) -> SelectBlock | None:
        """The outermost SELECT of a query that consists of one SELECT and, at most, a WITH before this SELECT.

        None for set operations and other statements.
        """
        text = self.sql.rstrip().rstrip(";").rstrip()
        found = next((b for b in self.blocks if b.span.end == len(text) and not self.around(b)), None)
        if found is None or found.tree is None:
            return None
        behind_with = max((common.end for common in self.common_before(found)), default=0)
        if self.sql[behind_with : found.span.start].strip():
            return None
        return found

    def around(self, block: SelectBlock) -> list[SelectBlock]:
        """Return the blocks that enclose a block, the outermost first."""
        return [b for b in self.blocks if b.span != block.span and block.span.within(b.span)]

    def inside(self, block: SelectBlock) -> list[SelectBlock]:
        """Return the blocks nested in a block, at any depth."""
        return [b for b in self.blocks if b is not block and b.span.within(block.span)]

    def common_before(self, block: SelectBlock) -> tuple[CommonTable, ...]:
        """Return the CTEs that are visible at the start of a block."""
        return tuple(table for table in self.common if table.visible_at(block.span.start))

    def common_of(self, item: exp.Table) -> CommonTable | None:
        """Return the CTE that an item of FROM names; None if the item is not the name of a known CTE."""
        if not self.common or len(item.parts) != 1 or "start" not in item.this.meta:
            return None
        found = self._common_by_name.get(item.name.lower(), ())
        return next((table for table in found if table.visible_at(item.this.meta["start"])), None)

    @cached_property
    def _common_by_name(self) -> dict[str, list[CommonTable]]:
        found: dict[str, list[CommonTable]] = {}
        for table in self.common:
            found.setdefault(table.name, []).append(table)
        return found

    def tables_within(self, block: SelectBlock) -> frozenset[TableName]:
        """Return all tables that a block reads, including tables of nested blocks and of CTEs that the block reads."""
        blocks = [block, *(common.block for common in self.common_within(block))]
        names = (self.resolve(table) for each in blocks for table in self._items_within(each))
        return frozenset(name for name in names if name is not None)

    def common_within(self, block: SelectBlock) -> tuple[CommonTable, ...]:
        """Return the CTEs that a block reads, directly or through other CTEs, in textual order.

        CTEs that the block itself defines in a WITH are omitted.
        """
        found: dict[int, CommonTable] = {}
        waiting = [block] if self.common else []
        while waiting:
            reading = waiting.pop()
            for item in self._items_within(reading):
                common = self.common_of(item)
                # A CTE whose WITH is within the block is part of the block's own text.
                if common is None or common.block.span.within(reading.span):
                    continue
                if common.end not in found:
                    found[common.end] = common
                    waiting.append(common.block)
        named = {found[end].name: found[end] for end in sorted(found)}
        return tuple(sorted(named.values(), key=lambda table: table.end))

    def places(self, text: str) -> Iterator[SelectSpan]:
        """Yield the span of each occurrence of a text in the statement."""
        start = self.sql.find(text)
        while start >= 0:
            yield SelectSpan(start, start + len(text))
            start = self.sql.find(text, start + 1)

    def is_clear(self, text: str) -> bool:
        """Return whether a text has the same meaning at all its occurrences in the statement.

        The meaning is the same if each CTE whose name occurs in `text` is visible at all these occurrences, or at none.
        """
        words = {token.text.lower() for token in tokenize(text)} if self.common else frozenset[str]()
        mentioned = [table for table in self.common if table.name in words]
        return all(len({table.visible_at(span.start) for span in self.places(text)}) == 1 for table in mentioned)

    def _items_within(self, block: SelectBlock) -> Iterator[exp.Table]:
        first = bisect_left(self._starts, block.span.start)
        for inner in self.blocks[first : bisect_left(self._starts, block.span.end)]:
            if inner.span.within(block.span):
                yield from inner.tables

    @cached_property
    def _starts(self) -> list[int]:
        """The offsets at which the blocks start, in textual order."""
        return [block.span.start for block in self.blocks]

    def named(self) -> Iterator[tuple[exp.Table, TableName]]:
        """Yield each table in the blocks' trees, with its full name; CTEs and temporary views are omitted."""
        for block in self.blocks:
            for table in block.tree.find_all(exp.Table) if block.tree is not None else ():
                if (name := self.resolve(table)) is not None:
                    yield table, name

    def resolve(self, table: exp.Table) -> TableName | None:
        """Return the full name of a table in FROM; None for CTEs, temporary views and table functions."""
        known = self._meant.get(id(table))
        if known is None:
            known = self._meant[id(table)] = table, _named(table, self.session, self.ctes)
        return known[1]


def parse(sql: str, session: Session) -> Statement:
    """Return a statement parsed in a session: its SELECT blocks and the tables that they read.

    If the text is not supported, the result's `problem` is the reason.

    >>> [str(name) for name in parse("SELECT 1 FROM sales", Session("lake", ("demo",))).tables]
    ['lake.demo.sales']
    """
    try:
        tokens = tokenize(sql[:LONGEST])
    except ParseError as error:
        return Statement(sql, session, is_query=False, problem=str(error))
    listed = kinds_of(tokens)
    # Most passes over the tokens look for a kind that few statements contain.
    kinds = frozenset(listed)
    problem = _problem(sql, listed)
    filling = query_of_write(tokens)
    if filling is not None:
        tokens = [*tokens[: filling.write], *tokens[filling.query :]]
        listed = [*listed[: filling.write], *listed[filling.query :]]
    read = partial(
        Statement,
        sql,
        session,
        filling is None and _is_query(tokens, kinds),
        complete=not has_bare_query(listed),
        fills=filling is not None,
    )
    if problem or TokenType.SELECT not in kinds:
        return read(problem=problem)
    blocks = tuple(_blocks(sql, tokens, listed))
    names = list(_ctes(tokens)) if TokenType.WITH in kinds else []
    ctes = frozenset(names)
    common = tuple(_common(sql, tokens, names, blocks)) if names else ()
    if len(common) > MOST_CTES:
        return read(problem=f"the statement has more than {MOST_CTES} common table expressions")
    if common:
        _mark_shadowed(blocks, common)
    meant = {id(table): (table, _named(table, session, ctes)) for block in blocks for table in block.tables}
    tables = dict.fromkeys(name for _, name in meant.values() if name is not None)
    if any(table.until < len(sql) for table in common):
        _without_with(blocks, {table.name for table in common})
    pivots = TokenType.PIVOT in kinds
    merges = _merges(tokens, kinds)
    parsed = read(blocks=blocks, ctes=ctes, tables=tuple(tables), common=common, merges=merges, pivots=pivots)
    parsed._meant.update(meant)
    return parsed


@lru_cache(maxsize=64)  # parsing and matching a view ask for it several times in a row
def storage_statement(view: MaterializedView) -> Statement:
    """Return a view's storage query (the query that fills the storage table), parsed in the view's session."""
    return parse(view.storage_query, view.session)


def storage_tree(view: MaterializedView) -> exp.Select | None:
    """Return the SELECT of a view's storage query (the query that fills the storage table).

    Return None if the query is not a single SELECT; nested SELECTs are allowed only if they come from expanded views.
    """
    statement = storage_statement(view)
    if statement.problem or not statement.blocks or (len(statement.blocks) > 1 and not view.through):
        return None
    first = statement.blocks[0]
    alone = all(block.span.within(first.span) for block in statement.blocks)
    return first.tree if alone and statement.sql[first.span.end :].strip() == "" else None


def _hands_on(tree: exp.Select | None) -> bool:
    """Return whether a SELECT only passes on rows and columns of the derived table that it reads; False for None.

    True for `SELECT a, b FROM (SELECT …)`, also with a LIMIT; False for `SELECT a + 1 FROM (SELECT …)`.
    """
    if tree is None or any(value and arg not in ("expressions", "from_", "limit") for arg, value in tree.args.items()):
        return False
    outputs = (output.unalias() for output in tree.expressions)
    item = next(from_items(tree), None)
    return isinstance(item, exp.Subquery) and all(isinstance(output, (exp.Column, exp.Star)) for output in outputs)


def from_items(tree: exp.Select) -> Iterator[exp.Expr]:
    """Yield the items of a SELECT's FROM clause in order: tables, derived tables, table functions."""
    for clause in (tree.args.get("from_"), *(tree.args.get("joins") or ())):
        if clause is not None:
            yield clause.this


def offering(tree: exp.Select) -> Iterator[tuple[str, exp.Expr]]:
    """Yield each item of FROM whose columns the SELECT can name: its lower-case alias or table name, and its tree."""
    hidden = [j.this for j in tree.args.get("joins") or () if j.kind.upper() in ("SEMI", "ANTI")]
    for item in from_items(tree):
        if not any(item is each for each in hidden):
            yield item.alias_or_name.lower(), item


def _named(table: exp.Table, session: Session, ctes: Set[str]) -> TableName | None:
    parts = table.parts
    names = tuple([part.name for part in parts if isinstance(part, exp.Identifier)])
    hidden = len(names) == 1 and names[0].lower() in ctes and not is_shadowed(table)
    if len(names) != len(parts) or not names or hidden:
        return None
    return session.resolve(names)


def is_shadowed(table: exp.Table) -> bool:
    """Return whether an item of FROM is a table whose name a CTE has too, at a place where the CTE is not visible.

    At another place in the statement, the same name may mean the CTE.

    query:  WITH orders AS (SELECT * FROM orders WHERE year = 2024) SELECT count(*) FROM orders
    """
    return _SHADOWED in table.meta


def _mark_shadowed(blocks: Sequence[SelectBlock], common: Sequence[CommonTable]) -> None:
    """Mark the tables in the blocks' trees for which `is_shadowed` is true; copies of the trees keep the mark.

    The offsets in the trees must be those in the statement's text. `common` are the CTEs whose names are defined only
    once, and whose visibility is certain.
    """
    by_name = {table.name: table for table in common}
    for block in blocks:
        for item in block.tree.find_all(exp.Table) if block.tree is not None else ():
            plain = len(item.parts) == 1 and isinstance(item.this, exp.Identifier)
            named = by_name.get(item.name.lower()) if plain else None
            if named is not None and not named.visible_at(place_of(item)[0]):
                item.meta[_SHADOWED] = True


def place_of(table: exp.Table) -> tuple[int, int]:
    """Return the start and end offsets of a table's name in the statement's text."""
    parts = [part for part in table.parts if isinstance(part, exp.Identifier)]
    return parts[0].meta["start"], parts[-1].meta["end"] + 1


def _blocks(sql: str, tokens: Sequence[Token], kinds: Sequence[TokenType]) -> Iterator[SelectBlock]:
    for span in select_spans(tokens, kinds):
        first, end = (bisect_left(tokens, place, key=_START) for place in span)
        yield _block(sql, span, tokens[first:end])


def _block(sql: str, span: SelectSpan, tokens: Sequence[Token]) -> SelectBlock:
    text = sql[span.start : span.end]
    try:
        tree = parse_select(sql, tokens)
    except ParseError as error:
        return SelectBlock(span, text, None, str(error))
    if calls_window(text, tokens):
        split_windows(tree)
    return SelectBlock(span, text, tree)


def _is_query(tokens: Sequence[Token], kinds: Set[TokenType]) -> bool:
    if not tokens or tokens[0].token_type not in QUERY_STARTS:
        return False
    if WRITES.isdisjoint(kinds):
        return True
    depth = 0
    for token in tokens:
        depth += (token.token_type in OPENING) - (token.token_type in CLOSING)
        if depth == 0 and token.token_type in WRITES:
            return False
    return True


def _problem(sql: str, listed: Sequence[TokenType]) -> str:
    """Return the reason why a text cannot be parsed block by block; empty if it can.

    `listed` are the types of the text's tokens.
    """
    if "${" in sql:
        return "the statement contains a variable (${…}), whose substitution can change the meaning"
    if len(sql) > LONGEST:
        return f"the statement is longer than {LONGEST} characters"
    if "\\" in sql and any("--" in line and line.endswith("\\") for line in _LINE_END.split(sql)[:-1]):
        return "a comment in the statement ends with a backslash, which continues the comment on the next line"
    selects = listed.count(TokenType.SELECT)
    if selects > MOST_SELECTS:
        return f"the statement has more than {MOST_SELECTS} SELECTs"
    if selects > MOST_NESTED and deepest(listed) > MOST_NESTED:
        return f"more than {MOST_NESTED} SELECTs of the statement are nested in each other: use CTEs"
    if TokenType.PIPE_GT in listed:
        return "pipe syntax (|>) is not supported: write SELECT … FROM …"
    # a semicolon at the end is allowed
    if TokenType.SEMICOLON in listed[:-1]:
        return "the text contains more than one statement"
    return ""


def _common(
    sql: str, tokens: Sequence[Token], ctes: Sequence[str], blocks: Sequence[SelectBlock]
) -> Iterator[CommonTable]:
    """Yield the CTEs of every WITH in the text; `blocks` are the statement's SELECTs.

    `tokens` are the tokens of the text `sql`. `ctes` are the names that a WITH may define; a CTE whose name is defined
    more than once is omitted.
    """
    starts = {block.span.start: block for block in blocks}
    for first, token in enumerate(tokens):
        begins = first == 0 or tokens[first - 1].token_type is TokenType.L_PAREN
        if token.token_type is TokenType.WITH and begins:
            yield from _common_of(sql, tokens, first, ctes, starts)


def _common_of(
    sql: str, tokens: Sequence[Token], first: int, ctes: Sequence[str], starts: Mapping[int, SelectBlock]
) -> Iterator[CommonTable]:
    """Yield the CTEs of the WITH at token index `first`; nothing if the WITH is recursive.

    `tokens` are the tokens of the text `sql`. `ctes` are the names that a WITH may define, `starts` the statement's
    blocks by the offset at which they start.
    """
    if any(token.text.upper() == "RECURSIVE" for token in tokens[first + 1 : first + 2]):
        return
    until = _closing(tokens, first)
    end = tokens[until].start if until < len(tokens) else len(sql)
    i = first + 1
    while i < until and tokens[i].token_type is not TokenType.SELECT:
        if tokens[i].token_type is not TokenType.L_PAREN:
            i += 1
            continue
        closing = _closing(tokens, i + 1)
        plain = i >= 2 and tokens[i - 1].token_type is TokenType.ALIAS
        name = tokens[i - 2].text.lower() if plain else ""
        if ctes.count(name) == 1 and closing < until and closing > i + 1:
            block = _definition(sql, tokens[i + 1 : closing], name, starts)
            if block is not None:
                yield CommonTable(name, block, tokens[closing].end + 1, end)
        i = closing + 1


def _closing(tokens: Sequence[Token], first: int) -> int:
    """Return the index of the token that closes the parentheses around the token at index `first`.

    Return the number of tokens if there is no such token.
    """
    depth = 0
    for i in range(first, len(tokens)):
        depth += (tokens[i].token_type in OPENING) - (tokens[i].token_type in CLOSING)
        if depth < 0:
            return i
    return len(tokens)


def _definition(sql: str, tokens: Sequence[Token], name: str, starts: Mapping[int, SelectBlock]) -> SelectBlock | None:
    """Return the definition of the CTE `name` as a block; None if the definition does not start with a known block.

    `tokens` are the tokens of the definition, a part of `sql`. For a set operation, the block has no tree. `starts` are
    the statement's blocks by the offset at which they start.
    """
    while tokens[0].token_type is TokenType.L_PAREN and _closing(tokens, 1) == len(tokens) - 1 > 1:
        tokens = tokens[1:-1]
    whole = SelectSpan(tokens[0].start, tokens[-1].end + 1)
    main: Token | None = next(token for token in tokens if token.token_type is not TokenType.L_PAREN)
    if tokens[0].token_type is TokenType.WITH:
        depth, main = 0, None
        for token in tokens:
            depth += (token.token_type in OPENING) - (token.token_type in CLOSING)
            if depth == 0 and token.token_type is TokenType.SELECT:
                main = token
                break
    block = starts.get(main.start) if main is not None else None
    if block is None or block.span == whole:
        return block
    text = sql[slice(*whole)]
    if block.span.end == whole.end:
        return SelectBlock(whole, text, block.tree, block.problem)
    return SelectBlock(whole, text, None, f"the common table expression {name} is a set operation")


def _without_with(blocks: Sequence[SelectBlock], known: Set[str]) -> None:
    """Remove from the blocks' trees, in place, each WITH of which all CTEs are in `known`.

    `FROM (WITH a AS (…) SELECT …)` becomes `FROM (SELECT …)`. The definitions of these CTEs are blocks of their own.
    """
    for block in blocks:
        for node in block.tree.find_all(exp.Query) if block.tree is not None else ():
            within = node.args.get("with_")
            if within is not None and all(each.alias.lower() in known for each in within.expressions):
                node.set("with_", None)


def _merges(tokens: Sequence[Token], kinds: Set[TokenType]) -> bool:
    if SET_OPERATORS.isdisjoint(kinds):
        return False
    return any(
        token.token_type in SET_OPERATORS
        and (token.token_type, after.token_type) != (TokenType.UNION, TokenType.ALL)
        and not leaves_out(before, token.token_type)
        for before, token, after in zip((None, *tokens), tokens, tokens[1:], strict=False)
    )


def _ctes(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the names that a WITH clause in the text may define: every name before an opening parenthesis.

    Spark's syntax is `name [(columns)] [MAX RECURSION LEVEL n] [AS] (query)`. Function names are yielded, too; the only
    effect is that a table with such a name is not rewritten.
    """
    opened: list[int] = []
    before: dict[int, int] = {}  # from each closing parenthesis to the token before its pair
    for i, token in enumerate(tokens):
        if token.token_type is TokenType.L_PAREN:
            opened.append(i)
            name = _name_before(tokens, i - 1, before)
            if name is not None:
                yield name
        elif token.token_type is TokenType.R_PAREN and opened:
            before[i] = opened.pop() - 1


def _name_before(tokens: Sequence[Token], i: int, before: dict[int, int]) -> str | None:
    if i >= 0 and tokens[i].token_type is TokenType.ALIAS:
        i -= 1
    if i >= 3 and [token.text.upper() for token in tokens[i - 3 : i]] == ["MAX", "RECURSION", "LEVEL"]:
        i -= 4
    i = before.get(i, i)
    return tokens[i].text.lower() if i >= 0 else None
