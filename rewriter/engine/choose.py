"""Chooses the cheapest plan for one block among the views on its shortlist, the views that could answer the block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from rewriter.block import Block, Find, Predicates, Unsupported, predicates_of
from rewriter.block_requirements import reads_derived
from rewriter.correlation import Correlation
from rewriter.cost import Costs
from rewriter.engine.answer import of_branches, over_groups
from rewriter.engine.questions import DERIVED_ALONE, block_of, reads_derived_alone, unread
from rewriter.engine.tested import tests_of
from rewriter.engine.tried import Tried
from rewriter.freshness import Relations
from rewriter.index import Definitions, Shortlist
from rewriter.match import Match, Miss, Reason, Shared
from rewriter.match.counted_keys import with_counted_keys
from rewriter.match.decompose import decomposed
from rewriter.match.flattened import flattened
from rewriter.match.printing import print_block
from rewriter.match.unused import without_unused
from rewriter.metadata import counted_by_metadata
from rewriter.model import MaterializedView, TableName
from rewriter.outcome import Attempt
from rewriter.rules import DIVISIONS
from rewriter.sql import SelectBlock, Statement, parse


class Chosen(NamedTuple):
    """The view that answers a block, with the rule's name, the match (the plan), the block, and its outer references.

    `correlation` has the block's outer references; it is None if the block cannot have any.
    """

    view: MaterializedView
    rule: str
    match: Match
    block: Block
    correlation: Correlation | None = None


def answer_block(
    select: SelectBlock,
    statement: Statement,
    definitions: Definitions,
    relations: Relations,
    find: Find,
    refuted: Mapping[TableName, Miss],
) -> tuple[Chosen | None, list[Attempt]]:
    """Return the cheapest answer to a block (None if no view answers the block), and the attempts at all views tried.

    `select` is the block in the statement's text. `find` looks up a table or view that a FROM clause names. Views in
    `refuted` are not used.
    """
    shortlist = definitions.shortlist(statement, select)
    if not shortlist.groups and not reads_derived(statement, select):
        return None, []
    try:
        if select.tree is None:
            raise Unsupported(select.problem)
        block, correlation = block_of(select, select.tree, statement, find)
        query = predicates_of(block, statement.session.time_zone)
    except (Unsupported, RecursionError) as problem:
        why = unread(problem)
        return None, [Attempt(v.name, "missed", "", Reason.UNSUPPORTED, why, select.text) for v in shortlist.views()]
    if statement.session.only is None and counted_by_metadata(block, relations, statement.session.settings):
        cheaper = "Spark counts these rows from the table's metadata alone, which is cheaper"
        return None, [
            Attempt(v.name, "not chosen", "", Reason.NOT_CHOSEN, cheaper, select.text) for v in shortlist.views()
        ]
    costs = Costs(relations, statement.session.time_zone)
    tried = Tried(select, statement.session, definitions, relations, costs, correlation, refuted)
    if reads_derived_alone(block):
        shortlist = _over_layers(tried, shortlist)
    # Looking through the trees takes 0.1 ms of the 3 ms for a rewritten statement.
    counted = with_counted_keys(block) if "distinct" in select.text.lower() else block
    _try_all(tried, query if counted is block else predicates_of(counted, statement.session.time_zone), shortlist)
    if tried.best is not None:
        match = tried.best.match
        if correlation is None:
            tests = tests_of(match.rewriting)
            match = tried.test_groups(match, ((test, _views_over(test.rows, statement, definitions)) for test in tests))
        return Chosen(tried.best.view, tried.best.rule, match, block, correlation), tried.report()
    for other, others in _other_forms(block, counted, shortlist, statement, tried):
        again = Tried(select, statement.session, definitions, relations, costs, correlation, refuted)
        _try_all(again, predicates_of(other, statement.session.time_zone), others)
        if again.best is not None:
            return Chosen(again.best.view, again.best.rule, again.best.match, block, correlation), again.report()
    chosen = _divided(query, statement, tried) if correlation is None else None
    if chosen is not None:
        return chosen, [*_answering(chosen, definitions, select), *tried.report()]
    return None, tried.report()


def _other_forms(
    block: Block, counted: Block, shortlist: Shortlist, statement: Statement, tried: Tried
) -> Iterator[tuple[Block, Shortlist]]:
    """Yield other blocks with the rows of `block`, each with the views that could answer it.

    The forms are the block without unused joins, the block itself, and the block over the rows of its derived tables'
    groups. `counted` is the block whose answers have been tried, and `shortlist` has the views tried. The definitions
    and relations of `tried` are used.
    """
    for other in (without_unused(counted, tried.relations), block):
        if other is not counted:
            yield other, shortlist
    flat = flattened(counted) if tried.correlation is None and block.derived else ""
    if isinstance(flat, Block):
        alone = _alone(flat, statement)
        yield flat, tried.definitions.shortlist(alone, alone.blocks[0])


def _over_layers(tried: Tried, shortlist: Shortlist) -> Shortlist:
    """Return the shortlist with only those views whose queries read derived tables or have HAVING.

    The shortlist has the views that could answer a block. Record a Miss in `tried` for each other view.
    """
    layered = tried.definitions.layered
    for view in shortlist.views():
        if view.name not in layered:
            tried.miss(view, Miss(Reason.UNSUPPORTED, DERIVED_ALONE))
    return shortlist.only(layered)


def _try_all(tried: Tried, query: Predicates, shortlist: Shortlist) -> None:
    """Try the views of a shortlist, the lowest estimated cost first, until no remaining view can be cheaper.

    The shortlist has the views that could answer `query`, a block. Then try plans that read several views, and plans
    that read a stale view together with the rows changed since its refresh. The results are kept in `tried`.
    """
    block, definitions, costs = query.block, tried.definitions, tried.costs
    scans = costs.scans(block)
    tables = costs.of_scans(scans, block)
    bounds = costs.least(shortlist, query, scans, tables)
    untried: Iterator[MaterializedView] = iter(())
    for bound, view in bounds:
        beaten = not definitions.exhaustive and tried.beats(bound, view)
        if beaten and not definitions.stacked:
            untried = chain((view,), map(itemgetter(1), bounds))
            break
        if view.name not in tried.matches and (not beaten or definitions.upon(view.name)):
            tried.add(view, query, tables)
    tried.tile(query, tables, untried)
    tried.add_live(query, tables)


def _divided(query: Predicates, statement: Statement, tried: Tried) -> Chosen | None:
    """Return a UNION ALL whose branches are answered separately, each from a view or else from base tables.

    The block is divided at the branches of a UNION ALL in its FROM clause. Return None if no rule can divide the block
    into branches, if no branch is answered from a view, or if the branches' rows do not determine the block's result.
    `tried` are the results of trying views on the whole block.
    """
    rule, divided = next(((rule, found) for rule in DIVISIONS if (found := rule(query.block))), (None, ()))
    if rule is None:
        return None
    tried_branches = [_answer_to(replace(branch, decides=query.block.decides), statement, tried) for branch in divided]
    answers = [branch.best for branch in tried_branches]
    first = next(filter(None, answers), None)
    if first is None:
        return None
    whole = tried.guarded(first.view, lambda: over_groups(query, decomposed(query.block), first.path))
    if isinstance(whole, Miss):
        return None
    pairs = zip(divided, answers, strict=True)
    branches = [Shared(best.match.rewriting if best is not None else branch, 1.0) for branch, best in pairs]
    return Chosen(first.view, rule.__name__, of_branches(whole, branches), query.block)


def _answer_to(branch: Block, statement: Statement, tried: Tried) -> Tried:
    """Return the results of trying views on `branch`, a block that does not occur in the statement's text.

    `tried` are the results for the block that has been divided into branches. The definitions, relations, costs and
    refuted views of `tried` are reused.
    """
    session = statement.session
    alone = _alone(branch, statement)
    found = Tried(alone.blocks[0], session, tried.definitions, tried.relations, tried.costs, refuted=tried.refuted)
    shortlist = tried.definitions.shortlist(alone, alone.blocks[0])
    _try_all(found, predicates_of(branch, session.time_zone), shortlist)
    return found


def _alone(block: Block, statement: Statement) -> Statement:
    """Return a block that does not occur in the statement's text as a statement of its own."""
    session = statement.session
    text = print_block(block, [f"c{i}" for i in range(len(block.outputs))])
    catalogs = session.catalogs | {table.name.catalog for table in block.tables if not table.text}
    return parse(text, replace(session, catalogs=catalogs, temporary_views=frozenset()))


def _views_over(rows: Block, statement: Statement, definitions: Definitions) -> Iterator[MaterializedView]:
    """Yield the views over just the tables of `rows` that could answer `rows`, which is no block of the statement."""
    if frozenset(Counter(table.name for table in rows.tables).items()) not in definitions.shelf.bags:
        return
    alone = _alone(rows, statement)
    yield from definitions.shortlist(alone, alone.blocks[0]).views()


def _answering(chosen: Chosen, definitions: Definitions, select: SelectBlock) -> Iterator[Attempt]:
    """Yield an attempt with the verdict "chosen" for each view whose storage table the plan reads."""
    for storage in sorted(chosen.match.rewriting.reads & definitions.by_storage.keys()):
        name = definitions.by_storage[storage].name
        yield Attempt(name, "chosen", chosen.rule, block=select.text)
