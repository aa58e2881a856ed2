"""Verifies a plan that reads a storage table for a query with the same text as the view's query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from rewriter.match.texts import texts_of, whole_queries
from rewriter.model import MaterializedView, Session, Table
from rewriter.sql import ParseError, from_items, parse, parse_select
from rewriter.verify.verdict import PROVED, REFUTED, UNDECIDED, Verdict

_READ = frozenset({"expressions", "from_", "order", "limit", "offset"})


def verify_text(original: str, plan: str, session: Session, view: MaterializedView, storage: Table) -> Verdict:
    """Return the verdict on a plan for a query whose text should be the same as the view's.

    The query's text is compared with the view's; the plan's columns, ORDER BY and LIMIT are compared with the query's.
    A different text gives UNDECIDED, a wrong plan REFUTED. `original` is the query's SQL, `plan` the plan's; `storage`
    is the view's storage table.
    """
    query = next(whole_queries(parse(original, session), ()), None)
    texts = {
        text: whole for query in (view.storage_query, view.written, view.query) for text, whole in _texts(query, view)
    }
    whole = texts.get(query.text, texts.get(query.body)) if query is not None else None
    if query is None or whole is None:
        return Verdict(UNDECIDED, "the text of the query is not the text of the view")
    try:
        tree, tail = parse_select(plan), parse_select(f"SELECT 1 {query.tail}")
    except ParseError as problem:
        return Verdict(UNDECIDED, str(problem))
    if not storage.columns:
        return Verdict(UNDECIDED, "the columns of the storage table are not known")
    wrong = _problem(tree, storage)
    if wrong:
        return Verdict(REFUTED, wrong)
    if whole:  # the view has applied LIMIT and OFFSET
        tail.set("limit", None)
        tail.set("offset", None)
    wrong = tail_problem(tree, tail, query.names)
    return Verdict(REFUTED, wrong) if wrong else Verdict(PROVED)


def _texts(query: str, view: MaterializedView) -> Iterator[tuple[object, bool]]:
    return texts_of(parse(query, view.session))


def _problem(tree: exp.Select, storage: Table) -> str:
    """Return a message on the first difference between a plan and a plain read of all storage columns; empty if
    none.
    """
    clauses = {clause for clause, value in tree.args.items() if value} - _READ
    (source, *others) = from_items(tree)
    named = tuple(part.name for part in source.parts) if isinstance(source, exp.Table) else ()
    if clauses or others or named != tuple(filter(None, storage.name.parts)):
        return f"the rewritten query is more than a read of {storage.name}"
    given = [item.unalias() for item in tree.expressions]
    columns = [item.name for item in given if isinstance(item, exp.Column)]
    held = [column.name for column in storage.columns]
    return (
        ""
        if columns == held and len(given) == len(held)
        else f"the rewritten query reads the columns {columns} instead of {held}"
    )


def tail_problem(plan: exp.Select, tail: exp.Select, names: Sequence[str]) -> str:
    """Return how the ORDER BY, LIMIT or OFFSET of a plan differ from those of the query, as text for a message.

    `tail` is any SELECT with these clauses of the query, and `names` are the names of the query's outputs. Return an
    empty string if the clauses agree.
    """
    if _limits(plan) != _limits(tail):
        return f"the rewritten query has {_limits(plan)} instead of {_limits(tail)}"
    if list(_order(plan, ())) != list(_order(tail, names)):
        return "the ORDER BY of the rewritten query differs from the ORDER BY of the query"
    return ""


def _limits(tree: exp.Select) -> str:
    """Return the LIMIT and OFFSET of a query as text: `LIMIT 5 OFFSET 2`."""
    clauses = (tree.args.get("limit"), tree.args.get("offset"))
    return " ".join(f"{clause.key.upper()} {clause.expression.name}" for clause in clauses if clause) or "no LIMIT"


def _order(tree: exp.Select, names: Sequence[str]) -> Iterator[tuple[int, bool, bool]]:
    """Yield each ORDER BY item: the output position (from 0), whether it is descending, and whether NULLs come first.

    An item is an output position or one of the output names, `names`; for other items, the position is -1.
    """
    for item in (tree.args.get("order") or exp.Order()).expressions:
        key = item.this
        found = [i for i, name in enumerate(names) if name.lower() == key.name.lower()]
        place = int(key.name) - 1 if isinstance(key, exp.Literal) else found[0] if len(found) == 1 else -1
        yield place, bool(item.args.get("desc")), bool(item.args.get("nulls_first"))
