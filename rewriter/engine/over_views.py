"""Views over views: turns a plan that reads a view's storage table into a query that views over this view may answer.

law:    a fresh view over a fresh view V can answer a plan that reads the storage table of V
view:   by_day: SELECT region, day, sum(amount) AS total FROM sales GROUP BY region, day
        by_region: SELECT region, sum(total) AS total FROM by_day GROUP BY region
query:  SELECT sum(amount) FROM sales
plan:   SELECT sum(total) FROM by_day
gives:  SELECT sum(total) FROM by_region
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from rewriter.block import Block, Found, Predicates, Unsupported, build_block, predicates_of
from rewriter.freshness import Relations
from rewriter.match import Match
from rewriter.match.printing import print_rewriting
from rewriter.model import MaterializedView, Session, Table
from rewriter.sql import parse


def question_over(
    view: MaterializedView, match: Match, query: Block, relations: Relations, session: Session
) -> Predicates | None:
    """Return a plan over the storage table of `view` as a query that reads `view`, for views over `view` to answer.

    `match` has the plan, `SELECT sum(total) FROM by_day_storage`, which gives `SELECT sum(total) FROM by_day`. `query`
    is the block that the plan answers. Return None if the plan is not a single supported SELECT, as with a UNION ALL.
    The plan is printed and parsed again, so that the result has the same form as the definitions of views.
    """
    rewriting = match.rewriting
    if rewriting.union is not None:
        return None
    statement = parse(print_rewriting(rewriting, query.names, None, {}), _anywhere(session, view))

    def find(table: exp.Table) -> Found | None:
        name = statement.resolve(table)
        if name == view.storage:
            return Found(view.name, rewriting.storage.columns)
        found = relations.get(name) if name is not None else None
        return Found(name, found.columns, found) if name is not None and isinstance(found, Table) else None

    tree = statement.blocks[0].tree if len(statement.blocks) == 1 else None
    if tree is None:
        return None
    try:
        block = replace(build_block(tree, find), decides=query.decides)
        return predicates_of(block, session.time_zone) if len(block.outputs) == len(query.outputs) else None
    except Unsupported:
        return None


def _anywhere(session: Session, view: MaterializedView) -> Session:
    """Return the session without temporary views, and with the view's catalog among its catalogs.

    So a full name `catalog.namespace.name` in a printed plan is resolved to the table or view of this name.
    """
    return replace(session, catalogs=session.catalogs | {view.name.catalog}, temporary_views=frozenset())
