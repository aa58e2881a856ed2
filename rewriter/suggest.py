"""Finds the smallest change to a view that makes the view answer a query; the engine tries each change.

To a view over tables of the query, all outputs are added that the query needs and the view lacks. Then each added
output is removed again if the engine can answer the query without it. So each suggestion has been tried by the engine.

If a view only needs a refresh, the refresh is suggested first.

Suggestions are tried under the settings of the current session. In two cases, a new view is suggested instead of a
change of the existing view: if the existing view was created under other settings, on which other queries rely; and if
the existing view would get more keys and so more rows, which could make it too large for its purpose. The new view
keeps the existing view's keys, unless the statistics show that a view without them would have far fewer rows. If no
view over the query's tables can be extended, a view with only the outputs that the query needs is suggested; and if the
query contains unsupported SQL, a view with the text of the query.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import count
from math import log
from typing import NamedTuple

from sqlglot import exp

from rewriter.block import Block, Unsupported, aggregate_of, build_block, find_among
from rewriter.block.elsewhere import same_zone
from rewriter.derived import common_of, texts_of
from rewriter.expanding import rewrite
from rewriter.fresh import fresh_view, refreshed
from rewriter.freshness import Relations, fresh_storage
from rewriter.functions.registry import AGGREGATES, meant
from rewriter.index import Definitions
from rewriter.match import Miss, Reason
from rewriter.match.printing import expression_text
from rewriter.model import MaterializedView, Relation, Session, Table, TableName, quoted, storage_name, table_columns
from rewriter.model.settings import TIME_ZONE, differing_setting
from rewriter.outcome import Outcome
from rewriter.remedy import Suggestion
from rewriter.schema import Uncertain
from rewriter.sizes import Size, size_of
from rewriter.sql import ParseError, SelectBlock, Statement, from_items, parse, parse_select, render, with_outputs
from rewriter.timeseries import as_bucket, bucket_call

Tree = exp.Expr
# The most views that are tried for a block, and the most outputs that a view may lack.
TRIED_VIEWS = 8
MOST_PARTS = 12
# The most rows of a view that is suggested for one text.
MOST_ROWS = 10_000
# A view is extended, so that one view serves several queries, unless a view for the query alone has so many times fewer
# rows.
FEWER = 100
# Tables of at most so many rows are read in about the same time, however many rows they have.
_TINY = 1_000
# At most this many added outputs are part of a new view's name.
_NAMED = 2
_TIMES = ("timestamp", "timestamp_ntz")
_NO_WORD = re.compile(r"\W+")
_OF_ZONES = (Reason.ZONE_NOT_PROVED, Reason.SETTINGS_DIFFER)
# With these reasons, a view would answer the query in another state, or under other settings or statistics.
_OF_NO_TEXT = frozenset(
    {
        *(Reason.STALE, Reason.NEVER_REFRESHED, Reason.UNKNOWN_STATE, Reason.HOLDS_A_PART, Reason.REWRITE_OFF),
        *(Reason.NOT_PINNED, Reason.NOT_CHOSEN, Reason.DEARER, *_OF_ZONES),
    }
)


class _Planned(NamedTuple):
    """A view that is suggested but does not exist yet: its name, and the catalog and namespace of its query."""

    name: TableName
    catalog: str
    namespace: tuple[str, ...]


class _Change(NamedTuple):
    """A change of a view that makes the view answer the query; `grows` is true if the change adds rows to the view."""

    view: MaterializedView
    suggestion: Suggestion
    grows: bool = False


class _Part(NamedTuple):
    """An output that a view may lack: its SQL text, name and tree; if `key` is true, GROUP BY gets this output, too."""

    text: str
    name: str
    key: bool
    tree: Tree


def suggestion(outcome: Outcome, definitions: Definitions, relations: Relations) -> Suggestion | None:
    """Return the smallest change by which a view answers a block that no view answers yet.

    Return None if no change is found. `outcome` is the decision about the query.
    """
    statement = outcome.statement
    try:
        if (lacking := _refresh(outcome, definitions, relations)) is not None:
            return lacking
    except RecursionError:  # nested too deeply
        return None
    answered = {replacement.block.span for replacement in outcome.replacements}
    for select in statement.blocks:
        if select.tree is None or select.span in answered:
            continue
        try:
            found = list(_for_block(select, outcome, definitions, relations))
        except RecursionError:  # nested too deeply
            continue
        if found:
            # The first of several equals shares the most tables.
            best = min(found, key=_rank)
            return replace(best, hinted=statement.session.only is not None and best.new is not None)
    reasons = {attempt.reason for attempt in outcome.tried}
    return _of_text(statement, definitions, relations) if reasons.isdisjoint(_OF_NO_TEXT) else None


def _rank(found: Suggestion) -> tuple[int, int, int, bool]:
    """Return a sort key of suggestions, best first: the fewest SELECTs that still read tables, the smallest view, the
    fewest added outputs, no new view.

    The four criteria apply in this order. A view of unknown size counts as small, and sizes within about a factor of
    FEWER count as equal.
    """
    rows = found.size.rows if found.size is not None else 0
    return found.left, int(log(max(rows, 1), FEWER)), len(found.add), found.new is not None


def _refresh(outcome: Outcome, definitions: Definitions, relations: Relations) -> Suggestion | None:
    """Return a suggestion to refresh a view, if a refresh alone makes the view answer a block; None if there is none.

    `outcome` is the decision about the query. Of several views, prefer a view that the query would also use if all
    stale views were refreshed. Views named in FROM, and the views over these, are tried as well, with the names in FROM
    replaced by the views' queries.
    """
    tried = (definitions.by_name.get(name) for name in dict.fromkeys(attempt.view for attempt in outcome.tried))
    stale = [view for view in tried if view and _is_stale(view, definitions.sources[view.name], relations)]
    known: Relations = relations
    for view in stale:
        known = refreshed(view, definitions.sources[view.name], known)
    best = rewrite(outcome.statement, definitions, known) if stale else outcome
    read = {storage for replacement in best.replacements for storage in replacement.storages}
    for view in sorted(stale, key=lambda view: view.storage not in read)[:TRIED_VIEWS]:
        alone = rewrite(outcome.statement, definitions, refreshed(view, definitions.sources[view.name], relations))
        if any(view.storage in replacement.storages for replacement in alone.replacements):
            return Suggestion(view.name, (), "", (), left=_left(alone), refresh=True)
    return None


def _of_text(statement: Statement, definitions: Definitions, relations: Relations) -> Suggestion | None:
    """Return a new view with the text of the statement, which answers few other texts; None if there is no useful one.

    The size of the view is known only for a query that aggregates all rows, or that orders groups and has a LIMIT. For
    other queries, return None.

    query:  SELECT count(*) FROM (SELECT user, lag(at) OVER (PARTITION BY user ORDER BY at) AS before FROM t) WHERE …
    gives:  the same
    """
    table = next((name for name in statement.tables if isinstance(relations.get(name), Table)), None)
    main, session = statement.main, statement.session
    if table is None or main is None or main.tree is None or not _has_few_rows(main.tree):
        return None
    name = _free(table, f"{table.table}_view", {*_names_in_use(definitions), *relations})
    sql = statement.sql.strip().rstrip(";")
    answer = _answer_from(_Planned(name, session.catalog, session.namespace), sql, statement, relations)
    if answer is None or _left(answer):
        return None
    return Suggestion(name, (), sql, (), new=name, alone=True, verbatim=True)


def _has_few_rows(tree: exp.Select) -> bool:
    """Return whether a query returns one row, or at most MOST_ROWS of its ordered groups."""
    calls = (call for output in tree.expressions for call in output.find_all(exp.Anonymous))
    folds = any(meant(call.name) in AGGREGATES and call.find_ancestor(exp.Window, exp.Select) is tree for call in calls)
    limit = tree.args.get("limit")
    if tree.args.get("group") is None:
        return folds
    most = limit.expression if limit is not None else None
    few = isinstance(most, exp.Literal) and most.name.isdigit() and int(most.name) <= MOST_ROWS
    return few and tree.args.get("order") is not None


def _names_in_use(definitions: Definitions) -> Set[TableName]:
    return {*definitions.by_name, *definitions.by_storage, *definitions.plain_by_name}


def _for_block(
    select: SelectBlock, outcome: Outcome, definitions: Definitions, relations: Relations
) -> Iterator[Suggestion]:
    assert select.tree is not None
    statement = outcome.statement
    find = find_among(statement, table_columns(relations))
    try:
        block = build_block(select.tree, find, common_of(statement, find), texts=texts_of(select, statement, find))
    except Unsupported:
        return
    wanted = {table.name for table in block.tables}
    if len(wanted) != len(block.tables):
        return  # the table occurrence of a column would have to be guessed
    # A view that joins further tables may answer, too, if keys guarantee that these neither add nor remove rows; the
    # engine decides.
    shared = {view: len(wanted.intersection(definitions.sources[view.name])) for view in definitions.views}
    over = [view for view in definitions.views if view.rewrite and shared[view]]
    over.sort(key=lambda view: (-shared[view], len(definitions.sources[view.name]), str(view.name)))
    taken = {*_names_in_use(definitions), *relations}
    elsewhere = {attempt.view for attempt in outcome.tried if attempt.reason in _OF_ZONES}
    changes = [found for view in over[:TRIED_VIEWS] if (found := _for_view(view, block, statement, relations))]
    enabled = [replace(view, rewrite=True) for view in definitions.views if shared[view] and not view.rewrite]
    tried = (_for_view(view, block, statement, relations) for view in enabled[:TRIED_VIEWS])
    alone = None
    # A view for which rewriting is turned off, and which would answer, reports that itself.
    if not any(found is not None and not found.suggestion.add for found in tried) and all(
        found.grows or found.suggestion.left for found in changes
    ):
        alone = _of_query(select.tree, block, statement, relations, taken)
    if alone is not None:
        groups = _Groups(alone, statement, relations)
        changes = [found for found in changes if not found.grows or groups.is_like(found)]
        if not any(found.suggestion.left <= alone.left for found in changes) and not groups.are_rows(over):
            yield alone
    for view, change, _ in changes:
        if not (change.add or (view.name in elsewhere and _in_other_zone(view, statement.session))):
            continue  # the view needs a refresh or a setting, which its attempt already reports
        stays = change.outputs and not _moves(view, statement.session)
        yield change if stays else _beside(change, view, statement.session, taken)


class _Groups(NamedTuple):
    """The groups of `alone`, a suggested view with the keys of the query, which are compared with those of views."""

    alone: Suggestion
    statement: Statement
    relations: Relations

    def is_like(self, change: _Change) -> bool:
        """Return whether the changed view would have about as few rows as the view with the keys of the query.

        Both have the same groups if the keys of the query determine the keys of the view. Otherwise the statistics
        decide; without statistics, the changed view is assumed to be larger.
        """
        found, alone = change.suggestion, self.alone
        if found.left < alone.left or self.determine(change.view):
            return True
        if found.size is None or found.size.unknown or alone.size is None:
            return False
        return found.size.rows <= alone.size.rows * FEWER

    def are_rows(self, views: Sequence[MaterializedView]) -> bool:
        """Return whether the view with the keys of the query would be nearly as large as a table.

        This is so if its keys determine the keys of one of `views`, whose storage table is nearly as large.
        """
        return any(_is_nearly_whole(view, self.statement, self.relations) and self.determine(view) for view in views)

    def determine(self, view: MaterializedView) -> bool:
        """Return whether the keys of the query determine the keys of a view: the engine can answer these keys.

        law:    if the keys of a view are functions of other keys, a group by the other keys lies in one group of the
                view, and a view with both has as many groups as a view with the other keys alone
        view:   SELECT timeseries(at, 'day'), sum(n) FROM sales GROUP BY 1
        query:  SELECT timeseries(at, 'hour'), max(n) FROM sales GROUP BY 1
        """
        tree = _keys_of(view)
        if tree is None:
            return False
        asked = replace(self.statement.session, catalog=view.catalog, namespace=view.namespace, only=None)
        session = self.statement.session
        home = _Planned(self.alone.made, session.catalog, session.namespace)
        answer = _answer_from(home, self.alone.sql, parse(render(tree), asked), self.relations)
        return answer is not None and not _left(answer)


def _keys_of(view: MaterializedView) -> exp.Select | None:
    """Return the query for the distinct GROUP BY keys of a view, over all rows of its tables.

    Return None if the view does not group, or if it has grouping sets.

    view:   SELECT country, sum(n) FROM sales WHERE n > 5 GROUP BY 1
    gives:  SELECT DISTINCT country FROM sales
    """
    tree = parse_select(view.query)
    outputs = [item.unalias() for item in tree.expressions]
    group = tree.args.get("group")
    keys = outputs if group is None else group.expressions
    plain = group is None or not any(value for name, value in group.args.items() if name != "expressions")
    if not plain or (group is None and tree.args.get("distinct") is None):
        return None
    keys = [outputs[int(key.name) - 1] if isinstance(key, exp.Literal) and key.is_int else key for key in keys]
    for clause in ("where", "group", "having", "order", "limit"):
        tree.set(clause, None)
    tree.set("expressions", [key.copy() for key in keys])
    tree.set("distinct", exp.Distinct())
    return tree


def _is_nearly_whole(view: MaterializedView, statement: Statement, relations: Relations) -> bool:
    """Return whether the storage table of a view has nearly as many rows as the statement's largest table.

    Return False for a table of at most _TINY rows, because a user may try Viewgate with such a table.
    """
    storage = relations.get(view.storage)
    rows = storage.records if isinstance(storage, Table) else None
    tables = [table for name in statement.tables if isinstance(table := relations.get(name), Table)]
    most = max((table.records or 0 for table in tables), default=0)
    return rows is not None and most > _TINY and Size(rows, most).is_nearly_whole


def _is_stale(view: MaterializedView, sources: Sequence[TableName], relations: Relations) -> bool:
    """Return whether a view is stale, also if only some of its partitions are, or was never refreshed."""
    storage = relations.get(view.storage)
    if isinstance(storage, Table) and storage.behind:
        return True
    found = fresh_storage(view, sources, relations)
    return isinstance(found, Miss) and found.reason in (Reason.STALE, Reason.NEVER_REFRESHED)


def _moves(view: MaterializedView, session: Session) -> bool:
    """Return whether recreating a view in this session would record other settings than the view has."""
    kept = view.settings
    differing = kept is None or differing_setting(session.settings, kept, session.defaults) is not None
    return differing or _in_other_zone(view, session)


def _in_other_zone(view: MaterializedView, session: Session) -> bool:
    return not same_zone(view.zone, session.time_zone)


def _beside(found: Suggestion, view: MaterializedView, session: Session, taken: Set[TableName]) -> Suggestion:
    """Return the suggestion `found` to change `view`, changed into a suggestion to create another view.

    The name of the new view consists of the name of `view`, the names of added outputs and, if `view` was created in
    another time zone than the session's, the session's time zone; `taken` are the names in use.
    """
    zone = (_NO_WORD.sub("_", session.time_zone.lower()).strip("_"),) if _in_other_zone(view, session) else ()
    plain = "_".join((view.name.table, *found.names[:_NAMED], *zone))
    return replace(found, new=_free(view.name, plain, taken))


def _free(beside: TableName, plain: str, taken: Set[TableName]) -> TableName:
    """Return the name `plain` in the namespace of the table or view `beside`, with a number if the name is taken."""
    names = (TableName((*beside.parts[:-1], name)) for name in _numbered(plain))
    return next(name for name in names if taken.isdisjoint((name, storage_name(name))))


def _for_view(view: MaterializedView, block: Block, statement: Statement, relations: Relations) -> _Change | None:
    """Return the change to one view that makes the view answer the block; None if there is none.

    Return None, too, if the changed view would be nearly as large as a base table. A change without new outputs means
    that the view would answer the block if the view were recreated under the session's settings.
    """
    try:
        tree = parse_select(view.query)
    except ParseError:
        return None
    aliases = _aliases(tree, view, statement, block)
    taken = {c.name.lower() for c in view.columns} | {item.alias_or_name.lower() for item in tree.expressions}
    parts = list(_parts(block, aliases, taken, tree)) if aliases else []
    if not 0 < len(parts) <= MOST_PARTS:
        return None
    if (bare := _answer(view, tree, (), statement, relations)) is not None:
        own = tuple(column.name for column in view.columns) if _columns(view, tree, ()) else ()
        return _Change(view, Suggestion(view.name, (), _changed(tree, ()), (), own, _left(bare)))
    answer = _answer(view, tree, parts, statement, relations)
    if answer is None:
        return None
    parts, answer = _fewest(view, tree, parts, answer, statement, relations)
    storage = relations.get(view.storage)
    size = _size(parts, storage.records or 1, relations, block) if isinstance(storage, Table) else None
    grows = _splits_rows(tree, parts)
    whole = size.is_nearly_whole if size is not None else grows and _is_nearly_whole(view, statement, relations)
    if whole or _as_many_rows(tree, parts, aliases, relations, block):
        return None
    added, names = tuple(part.text for part in parts), tuple(part.name for part in parts)
    changed, columns = _changed(tree, parts), _columns(view, tree, parts)
    outputs = "" if grows else _outputs(view, parts, changed)
    found = Suggestion(view.name, added, changed, names, columns, _left(answer), outputs=outputs, size=size)
    return _Change(view, found, grows)


def _of_query(
    select: exp.Select, block: Block, statement: Statement, relations: Relations, taken: Set[TableName]
) -> Suggestion | None:
    """Return a new view with the query's own keys and aggregates, or else a view of the query itself; None if there is
    no useful one.

    This view is suggested if no existing view can be extended so that it answers the whole query. Return None for a
    query without groups, and if the view would be nearly as large as a table. `select` is the query, `taken` are the
    names in use.
    """
    if block.keys is None:
        return None
    table = next((table.name for table in block.tables if isinstance(relations.get(table.name), Table)), None)
    if table is None:
        return None
    home = _Planned(_free(table, f"{table.table}_view", taken), statement.session.catalog, statement.session.namespace)
    found = _of_keys(select, block, home, statement, relations)
    if found is None or found[0].left:
        found = _itself(select, block, home, statement, relations) or found
    if found is None:
        return None
    suggestion, keys = found
    name = _free(table, f"{table.table}_by_{'_'.join(keys[:_NAMED]) or 'all'}", taken)
    return replace(suggestion, view=name, new=name)


def _of_keys(
    select: exp.Select, block: Block, home: _Planned, statement: Statement, relations: Relations
) -> tuple[Suggestion, list[str]] | None:
    """Return a view with the query's own keys and aggregates, and the names of its keys; None if there is no useful
    one.

    The view does not filter: filters on other columns become keys, and a filter on a time becomes a key by day. If the
    query reads one table in a derived table, or joins one table with derived tables, then the view reads this table
    alone, and the columns of the join conditions become keys. Return None for other derived tables, and if the view
    would be nearly as large as a table. `select` is the query, `home` the place of the view in the catalog.

    query:  SELECT country, sum(price) FROM sales WHERE at >= '2024-01-15 10:30:00' GROUP BY country
    gives:  SELECT sum(price), country, timeseries(at, 'day') FROM sales GROUP BY …
    """
    tables = [table.name for table in block.tables if isinstance(relations.get(table.name), Table)]
    from_, joins = select.args.get("from_"), select.args.get("joins")
    tree = exp.Select(expressions=[], from_=from_.copy() if from_ is not None else None, group=exp.Group())
    tree.set("joins", [join.copy() for join in joins or ()])
    aliases = _aliases(tree, home, statement, block)
    if len(aliases) < len(list(from_items(tree))):  # derived tables
        if len(tables) != 1:
            return None
        tree.set("from_", exp.From(this=exp.to_table(tables[0].sql(), dialect="spark")))
        tree.set("joins", [])
        aliases = _aliases(tree, home, statement, block)
    keyed = replace(block, keys=(*(block.keys or ()), *_filtered(block)), where=())
    parts = list(_parts(keyed, aliases, set(), tree))
    answer = _answer(home, tree, parts, statement, relations) if 0 < len(parts) <= MOST_PARTS else None
    if answer is None:
        return None
    parts, answer = _fewest(home, tree, parts, answer, statement, relations)
    size = _size(parts, 1, relations, block)
    if _as_many_rows(tree, parts, aliases, relations, block) or (size is not None and size.is_nearly_whole):
        return None
    added, names = tuple(part.text for part in parts), tuple(part.name for part in parts)
    found = Suggestion(home.name, added, _changed(tree, parts), names, left=_left(answer), size=size, alone=True)
    return found, [part.name for part in parts if part.key]


def _itself(
    select: exp.Select, block: Block, home: _Planned, statement: Statement, relations: Relations
) -> tuple[Suggestion, list[str]] | None:
    """Return the query without ORDER BY and LIMIT as a view, and the names of its keys; None if this view would not
    answer the query.

    The view keeps the filters of the query, and so answers few other queries. Return None, too, if the view would be
    nearly as large as a table. `select` is the query, `home` the place of the view in the catalog.

    query:  SELECT count(DISTINCT c.id) FROM customers c LEFT JOIN sales s ON c.id = s.customer WHERE s.id IS NULL
    gives:  the same
    """
    names = [item.alias_or_name.lower() for item in select.expressions]
    if len({*names}) < len(names):
        return None  # a view needs distinct names
    tree = select.copy()
    for clause in ("order", "limit", "offset"):
        tree.set(clause, None)
    answer = _answer(home, tree, (), statement, relations)
    if answer is None:
        return None
    aliases = {table.id: table.alias for table in block.tables}
    keys = list(_parts(replace(block, outputs=(), names=(), having=(), where=()), aliases, set(), tree))
    size = _size(keys, 1, relations, block)
    if _as_many_rows(tree, keys, aliases, relations, block) or (size is not None and size.is_nearly_whole):
        return None
    found = Suggestion(home.name, (), render(tree), (), left=_left(answer), size=size, alone=True)
    return found, [part.name for part in keys]


def _filtered(block: Block) -> Iterator[Tree]:
    """Yield the columns in a block's filter, with the day of each TIMESTAMP or TIMESTAMP_NTZ in place of the time.

    A time in a condition over two tables, such as a join condition, stays a time.
    """
    for tree in block.where:
        columns = list(tree.find_all(exp.Column))
        joins = len({column.table for column in columns}) > 1
        for column in columns:
            declared = block.type_of(column)
            kind = declared.type if declared is not None else ""
            yield bucket_call(column, "day", kind) if kind in _TIMES and not joins else column


def _fewest(
    view: MaterializedView | _Planned,
    tree: exp.Select,
    parts: list[_Part],
    answer: Outcome,
    statement: Statement,
    relations: Relations,
) -> tuple[list[_Part], Outcome]:
    """Return the outputs that the view needs to answer the query, and the query's outcome with these outputs.

    One output after the other is left out, from the end of `parts`, if the engine can answer as many SELECTs without
    the output. Plain columns are at the end: a view with aggregates and keys instead of the columns has fewer rows.
    `answer` is the outcome with all `parts` added to the view's query `tree`.
    """
    for part in reversed(parts):
        fewer = [other for other in parts if other is not part]
        found = _answer(view, tree, fewer, statement, relations) if fewer else None
        if found is not None and _left(found) <= _left(answer):
            parts, answer = fewer, found
    return parts, answer


def _splits_rows(tree: exp.Select, parts: Sequence[_Part]) -> bool:
    """Return whether the new outputs would add rows to the view: its query is DISTINCT, or a new output is a key.

    `tree` is the view's query, `parts` are the outputs to add.
    """
    return tree.args.get("distinct") is not None or any(part.key for part in parts)


def _outputs(view: MaterializedView, parts: Sequence[_Part], changed: str) -> str:
    """Return the new outputs as text that can be appended to the SELECT list of the view's query.

    `parts` are the new outputs, `changed` is the query of the view with these outputs. Return an empty string if
    appending the list to the view's text would give a query other than `changed`.
    """
    outputs = ", ".join(map(_labelled, parts))
    longer = with_outputs(view.query, outputs)
    return outputs if longer is not None and render(parse_select(longer)) == changed else ""


def _labelled(part: _Part) -> str:
    return part.text if part.text == part.name else f"{part.text} AS {quoted(part.name)}"


def _as_many_rows(
    tree: exp.Select, parts: Sequence[_Part], aliases: Mapping[str, str | None], relations: Relations, block: Block
) -> bool:
    """Return whether the changed view would have about as many rows as one of its tables.

    Return True if the changed view's GROUP BY keys include the primary key of a table. Tables that another table of the
    view references by a foreign key are ignored, because such tables are usually smaller. `parts` are the outputs added
    to the view's query `tree`; `aliases` has, by table id of the query, the qualifiers of the tables that the view
    reads.
    """
    if not any(part.key for part in parts):
        return False
    keys = {item.unalias().name.lower() for item in tree.expressions if isinstance(item.unalias(), exp.Column)}
    keys |= {part.text.rsplit(".", 1)[-1].lower() for part in parts if part.key}
    found = (relations.get(table.name) for table in block.tables if table.id in aliases)
    tables = [table for table in found if isinstance(table, Table)]
    referenced = {key.table for table in tables for key in table.foreign_keys}
    return any(
        table.primary_key and keys.issuperset(map(str.lower, table.primary_key))
        for table in tables
        if table.name not in referenced
    )


def _size(parts: Sequence[_Part], now: int, relations: Relations, block: Block) -> Size | None:
    """Estimate the size that a view of `now` rows will have after the GROUP BY keys in `parts` are added to the view.

    `parts` are the outputs to add, `block` is the query to answer. The statistics are those of the query's largest
    table. Return None if `parts` has no key, or if the table has no statistics.
    """
    keys = {part.text: part.tree for part in parts if part.key}
    read = [table for each in block.tables if isinstance(table := relations.get(each.name), Table)]
    largest = max(read, key=lambda table: table.records or 0, default=None)
    if not keys or largest is None or largest.statistics is None:
        return None
    return size_of(now, keys, block, largest)


def _columns(view: MaterializedView, tree: exp.Select, parts: Sequence[_Part]) -> tuple[str, ...]:
    """Return the column list of a changed view; empty unless the view's definition has a column list.

    `tree` is the view's query, `parts` are the outputs to add.
    """
    names = [column.name for column in view.columns]
    own = [item.alias_or_name for item in tree.expressions]
    return (*names, *(part.name for part in parts)) if names and all(own) and names != own else ()


def _aliases(
    tree: exp.Select, view: MaterializedView | _Planned, statement: Statement, block: Block
) -> Mapping[str, str | None]:
    """Return, by table id of the query, the table's qualifier in the view's query; None if no qualifier is needed.

    `tree` is the view's query, `block` the query to answer. Tables that the view does not read are omitted.
    """
    session = replace(statement.session, catalog=view.catalog, namespace=view.namespace)
    tables = [item for item in from_items(tree) if isinstance(item, exp.Table)]
    named = {session.resolve(tuple(part.name for part in table.parts)): table.alias_or_name for table in tables}
    return {table.id: named[table.name] if len(tables) > 1 else None for table in block.tables if table.name in named}


def _parts(block: Block, aliases: Mapping[str, str | None], taken: set[str], tree: exp.Select) -> Iterator[_Part]:
    """Yield each output that the view might lack, once: aggregates, keys, and columns of the filter.

    `aliases` are the view's qualifiers by table id; `taken` are names that new outputs must not have; `tree` is the
    view's query.
    """
    grouped = tree.args.get("group") is not None or any(item.find(exp.Anonymous) for item in tree.expressions)
    wanted: list[tuple[Tree, bool]] = []
    if grouped:
        wanted += [(found, False) for tree in (*block.outputs, *block.having) for found in _aggregates(tree)]
        wanted += [(key, True) for key in block.keys or ()]
        # An argument counted distinct must be a key if the view's groups are finer than the query's.
        distinct = [inner for found, _ in wanted for inner in found.find_all(exp.Distinct)]
        wanted += [(column, True) for inner in distinct for column in inner.find_all(exp.Column)]
    outside = block.where if grouped else block.expressions
    wanted += [(column, grouped) for tree in outside for column in tree.find_all(exp.Column)]
    seen: set[Tree] = set()
    for expression, key in wanted:
        if expression in seen or any(column.table not in aliases for column in expression.find_all(exp.Column)):
            continue
        seen.add(expression)
        name = _name(expression, taken, block)
        taken.add(name)
        yield _Part(expression_text(_in_view(expression, aliases), spell=False), name, key, expression)


def _aggregates(tree: Tree) -> Iterator[Tree]:
    if aggregate_of(tree) is not None:
        yield tree
    else:
        for child in tree.iter_expressions():
            yield from _aggregates(child)


def _in_view(tree: Tree, aliases: Mapping[str, str | None]) -> Tree:
    """Return the query's expression `tree` with its table qualifiers replaced by those of the view's query.

    `aliases` has the qualifiers by table id; None stands for no qualifier.
    """

    def swap(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column):
            return exp.column(node.name, aliases[node.table])
        if (bucket := as_bucket(node)) is not None:
            source = bucket.source.transform(swap)
            return exp.Anonymous(this="timeseries", expressions=[source, exp.Literal.string(bucket.grain)])
        return node

    return tree.transform(swap)


def _name(tree: Tree, taken: set[str], block: Block) -> str:
    """Return a free name for a new output, such as `price` or `max_price`, with a number if the name is in `taken`.

    An expression that is neither a column nor a call gets its alias in the query `block`. If the alias is the name of a
    column of the query's tables, or if there is no alias, the expression gets a name such as `price_key`, because as
    `price` it would be mistaken for the column.
    """
    call = tree.this if isinstance(tree, exp.Filter) else tree
    words = [call.name] if isinstance(call, exp.Anonymous) else []
    words += [column.name for column in tree.find_all(exp.Column)][:1]
    if not isinstance(call, exp.Anonymous | exp.Column):
        aliases = (name for output, name in zip(block.outputs, block.names, strict=True) if output == tree and name)
        own = (_NO_WORD.sub("_", alias.lower()).strip("_") for alias in aliases)
        free = (name for name in own if name and all(table.column(name) is None for table in block.tables))
        words = [next(free, "_".join((*words, "key")))]
    plain = "_".join(words)
    return next(name for name in _numbered(plain) if name not in taken)


def _numbered(plain: str) -> Iterator[str]:
    yield plain
    yield from (f"{plain}_{i}" for i in count(2))


def _changed(tree: exp.Select, parts: Sequence[_Part]) -> str:
    """Return the view's query with the new outputs appended, and with new keys added to GROUP BY.

    `tree` is the view's query, `parts` are the outputs to add.
    """
    changed = tree.copy()
    group = changed.args.get("group")
    for part in parts:
        (item,) = parse_select(f"SELECT {_labelled(part)} FROM t").expressions
        changed.append("expressions", item)
        if part.key and group is not None:
            group.append("expressions", item.unalias().copy())
        elif part.key:
            group = exp.Group(expressions=[item.unalias().copy()])
            changed.set("group", group)
    if group is not None and not any(group.args.values()):  # all rows are one group
        changed.set("group", None)
    return render(changed)


def _answer(
    view: MaterializedView | _Planned,
    tree: exp.Select,
    parts: Sequence[_Part],
    statement: Statement,
    relations: Relations,
) -> Outcome | None:
    """Return the outcome of the statement if the view had the outputs `parts`, too; None if no block is answered then.

    `tree` is the view's query.
    """
    return _answer_from(view, _changed(tree, parts), statement, relations)


def _answer_from(
    view: MaterializedView | _Planned, query: str, statement: Statement, relations: Relations
) -> Outcome | None:
    """Return the outcome of the statement if the view had another `query`; None if no block is answered then."""
    asked = statement.session
    settings = {**asked.settings, TIME_ZONE: asked.time_zone}
    session = replace(asked, catalog=view.catalog, namespace=view.namespace, settings=settings)
    known: dict[TableName, Relation | None] = dict(relations)
    try:
        made = fresh_view(view.name, query, session, known)
        made.put(known)
        outcome = rewrite(statement, Definitions((made.view,)), known)
    except (Unsupported, Uncertain, ParseError, RecursionError):  # the last for what is nested too deeply
        return None
    return outcome if outcome.rewritten else None


def _left(outcome: Outcome) -> int:
    """Return the number of SELECTs that read tables and that no view answers.

    A CTE that only answered SELECTs name is not counted, because Spark does not compute this CTE.
    """
    statement = outcome.statement
    answered = [replacement.block.span for replacement in outcome.replacements]
    left = [block for block in statement.blocks if not any(block.span.within(span) for span in answered)]
    unread = {common.block.span for common in statement.common}
    outer = [block for block in left if not any(block.span.within(span) for span in unread)]
    unread -= {common.block.span for block in outer for common in statement.common_within(block)}
    left = [block for block in left if not any(block.span.within(span) for span in unread)]
    return sum(any(statement.resolve(table) is not None for table in block.tables) for block in left)
