"""Decides which queries of a statement views answer, pins all reads to one set of snapshots, and verifies each plan.

A query is answered as a block (one SELECT), or as a whole by its text or as a set operation.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from rewriter.block import Block, Find
from rewriter.consistency import pinned, snapshots_of, table_of_two_ranges
from rewriter.delta import Added, Changed
from rewriter.engine.access_paths import readable_storage, recorded_problem
from rewriter.engine.answer import Answer, answer_whole
from rewriter.engine.choose import Chosen, answer_block
from rewriter.engine.guard import guarded
from rewriter.engine.own_groups import filtered_once
from rewriter.engine.questions import finder, unread
from rewriter.engine.set_operations import answer_set, verify_set
from rewriter.freshness import Relations
from rewriter.index import Definitions
from rewriter.match import AccessPath, Match, Miss, Reason
from rewriter.match.set_operations import SetOperation, set_operation_of
from rewriter.match.texts import TextQuestion, WholeQuery, whole_queries
from rewriter.model import MaterializedView, TableName, quoted
from rewriter.model.settings import unreadable_setting
from rewriter.outcome import Attempt, Outcome, Replacement
from rewriter.rules.branch_by_branch import branch_by_branch
from rewriter.rules.text_match import text_match
from rewriter.spelling import spell_out
from rewriter.sql import Edit, Membership, SelectBlock, Statement, membership_of, splice_within
from rewriter.verify import REFUTED, UNDECIDED, Verdict, verdict_on, verify_text

log = logging.getLogger(__name__)

_NO_QUERY = "only queries are answered from views, also in INSERT … SELECT and CREATE TABLE … AS SELECT"

_TOO_DEEP = Verdict(UNDECIDED, unread(RecursionError()))

# A block with its answer, and the subqueries whose text the answer keeps.
Answered = tuple[SelectBlock, Chosen, Sequence[SelectBlock]]


def decide(
    statement: Statement,
    definitions: Definitions,
    relations: Relations,
    spelled: tuple[Edit, ...] | None = None,
    refuted: Mapping[TableName, Miss] = MappingProxyType({}),
) -> Outcome:
    """Decide which blocks of a statement to answer from views; views that the statement names in FROM stay names.

    A block that no view provably answers stays as it is. `spelled` are the edits that make the statement valid in Spark
    (such as the translation of `timeseries` calls); if they are None, `decide` computes these edits. The views in
    `refuted` are not used: their plans were refuted by the verifier, cannot be printed, or read other changed rows of a
    table than another plan of the statement. Raise Unsupported for an invalid `timeseries` call.
    """
    find = finder(statement, definitions, relations)
    spelled = spell_out(statement, find) if spelled is None else spelled
    problem = _session_problem(statement)
    if problem is not None:
        tried = tuple(Attempt(v.name, "missed", reason=problem.reason, detail=problem.detail)
                      for v in definitions.shortlisted(statement))  # fmt: skip
        return Outcome(statement, tried=tried, spelled=spelled)
    answers, attempts = _wholes_answered(statement, find, definitions, relations, spelled, refuted)
    for select in statement.blocks:
        if any(_replaces(other, select) for other in answers):
            continue  # a part of a block that is answered as a whole
        answer, tried_here = answer_block(select, statement, definitions, relations, find, refuted)
        attempts += tried_here
        if answer is not None:
            new = select, answer, _subqueries(answer.match, statement)
            answers = [other for other in answers if not _replaces(new, other[0])]
            answers.append(new)
    attempts = [*_told_once(attempts)]
    twice = _second_range([answer for _, answer, _ in answers])
    if twice is not None:
        return decide(statement, definitions, relations, spelled, {**refuted, **twice})
    kept = [select for select in statement.blocks if not any(_replaces(other, select) for other in answers)]
    moment = pinned(statement, kept, [answer.match for _, answer, _ in answers], relations) if answers else ({}, ())
    if isinstance(moment, str):
        unpinned = Miss(Reason.NOT_PINNED, moment)
        attempts = [a.missed(unpinned) if a.verdict == "chosen" else a for a in attempts]
        return Outcome(statement, tried=tuple(attempts), spelled=spelled)
    pins, edits = moment
    replacements = tuple(
        _verified(
            Replacement(
                s, a.view, a.rule, a.match, a.block, _block_original(s, a, statement, spelled), pins, tuple(q),
                tuple(sorted(name for name in a.match.rewriting.reads if name in definitions.by_storage)),
            ),
            statement, definitions, relations,
        )
        for s, a, q in answers
    )  # fmt: skip
    wrong = {each.view.name: miss for each in replacements if (miss := _fault(each.verdict)) is not None}
    if wrong.keys() - refuted.keys():
        return decide(statement, definitions, relations, spelled, {**refuted, **wrong})
    verdicts = {(each.view.name, each.block.text): str(each.verdict) for each in replacements}
    tried = tuple(_told(attempt, verdicts) for attempt in attempts)
    alone = {} if pins else snapshots_of({name for each in replacements for name in each.storages}, relations)
    # A table whose current snapshot has another schema than the table cannot be pinned, and is read unpinned.
    known = {} if isinstance(alone, str) else alone
    once = filtered_once(replacements, statement.session.time_zone, definitions, relations)
    return Outcome(statement, once, tried, spelled, tuple(edits), known)


def _told_once(attempts: Sequence[Attempt]) -> Iterator[Attempt]:
    """Yield the attempts, but only one of a stale view whose query has the text of a query in the statement.

    The view would answer this text after a refresh; why the view does not answer the SELECTs in the text is left out.
    If the text is one SELECT, the attempt at this SELECT is kept, which also says why the stale view cannot be read
    together with the changed rows.
    """
    stale = (Reason.STALE, Reason.NEVER_REFRESHED)
    texts = {a.view: a for a in attempts if a.rule == text_match.__name__ and a.reason in stale}
    selects = {a.view: a for a in attempts if a.reason in stale and a.view in texts and a.block == texts[a.view].block}
    for attempt in attempts:
        text = texts.get(attempt.view)
        within = text is not None and attempt.verdict == "missed" and attempt.block in text.block
        if not within or attempt is selects[attempt.view]:
            yield attempt


def _second_range(answers: Sequence[Chosen]) -> Mapping[TableName, Miss] | None:
    """Return the first view whose plan reads a second range of changed rows of a table, with the reason.

    Return None if the plans read at most one range of each table.
    """
    ranges: list[tuple[TableName, Added | Changed]] = []
    for answer in answers:
        ranges += sorted(answer.match.rewriting.ranges, key=str)
        table = table_of_two_ranges(ranges)
        if table is not None:
            reason = (
                f"another view is read together with the rows of {table} that have changed since another refresh, and "
                "Spark reads only one such range of rows of a table in a statement: refresh the views"
            )
            return {answer.view.name: Miss(Reason.NOT_PINNED, reason)}
    return None


def _told(attempt: Attempt, verdicts: Mapping[tuple[TableName, str], str]) -> Attempt:
    """Return the attempt, with the verifier's verdict on the plan appended to `detail` if the view was chosen.

    `verdicts` has the texts of the verdicts, by view name and text of the block.
    """
    verdict = verdicts.get((attempt.view, attempt.block), "") if attempt.verdict == "chosen" else ""
    return replace(attempt, detail="; ".join(filter(None, (attempt.detail, verdict)))) if verdict else attempt


def _fault(verdict: Verdict) -> Miss | None:
    """Return the reason why a plan with this verdict must not be used; None if the plan may be used."""
    if verdict == _TOO_DEEP:
        return Miss(Reason.UNSUPPORTED, verdict.reason)
    return Miss(Reason.PLAN_REFUTED, verdict.reason) if verdict.status == REFUTED else None


def _verified(made: Replacement, statement: Statement, definitions: Definitions, relations: Relations) -> Replacement:
    """Return a replacement with the verifier's verdict on its plan, or unchanged if the verifier raises an exception.

    The exception is logged; the plan is then used without a verdict. A plan that is nested too deeply to be printed
    gets a verdict that excludes it.
    """
    try:
        plan = made.text(None, {})
        verdict = _verdict(made, plan, statement, definitions, relations)
    except RecursionError:
        return replace(made, verdict=_TOO_DEEP)
    except Exception:
        log.exception(
            "verification failed view=%s statement=%r: the plan is used unverified", made.view.name, made.original
        )
        return made
    if verdict.status == REFUTED:
        log.error(
            "plan refuted view=%s rule=%s reason=%r query=%r plan=%r: the view is not used for this query; "
            "report this line as an error of Viewgate",
            made.view.name, made.rule, verdict.reason, made.original, plan,
        )  # fmt: skip
    return replace(made, verdict=verdict)


def _verdict(
    made: Replacement, plan: str, statement: Statement, definitions: Definitions, relations: Relations
) -> Verdict:
    if made.rule == text_match.__name__:
        return verify_text(made.original, plan, statement.session, made.view, made.match.rewriting.storage)
    if made.rule == branch_by_branch.__name__:
        return verify_set(made.original, plan, statement.session, made.view, definitions, relations)
    names = {*(table.name for table in made.query.tables), *made.match.rewriting.reads}
    names.update(*(definitions.sources[definitions.by_storage[storage].name] for storage in made.storages))
    return verdict_on(made.query, made.original, plan, statement.session, definitions, relations, names)


def _wholes_answered(
    statement: Statement,
    find: Find,
    definitions: Definitions,
    relations: Relations,
    spelled: Sequence[Edit],
    refuted: Mapping[TableName, Miss],
) -> tuple[list[Answered], list[Attempt]]:
    """Answer the queries of a statement that equal a view's query as text or as a set operation.

    Return the answered queries, and the attempts at all views tried. `find` looks up a table or view that a FROM clause
    names, `spelled` are the edits that make the statement valid in Spark, and views in `refuted` are not used.
    """
    answers: list[Answered] = []
    attempts: list[Attempt] = []
    for query in whole_queries(statement, spelled) if definitions.texts or definitions.set_operations else ():
        if any(_replaces(other, query) for other in answers):
            continue
        for view, question in _views_of(query, statement, definitions):
            ask = partial(_answer_to, question, statement, view, find, definitions, relations, refuted)
            result = guarded(view.name, query.sql, ask)
            if result is None:
                continue
            found, names = (Answer("", result), ()) if isinstance(result, Miss) else result
            if isinstance(found.result, Miss):
                miss = found.result
                attempts.append(Attempt(view.name, "missed", found.rule, miss.reason, miss.detail, query.sql))
                continue
            outputs = found.result.rewriting.outputs
            block = Block((), (), outputs, names or (None,) * len(outputs))
            select = SelectBlock(query.span, statement.sql[slice(*query.span)], None)
            answers.append((select, Chosen(view, found.rule, found.result, block), ()))
            attempts.append(Attempt(view.name, "chosen", found.rule, block=query.sql))
            break
    return answers, attempts


def _views_of(
    query: WholeQuery, statement: Statement, definitions: Definitions
) -> Iterator[tuple[MaterializedView, TextQuestion | SetOperation]]:
    """Yield the views to try on a query that is matched as a whole, each with the query as a text or a set operation.

    First comes the view with the same text as the query, then the views that are set operations over the same tables.
    """
    view, whole = next((v for text in (query.text, query.body) if (v := definitions.texts.get(text))), (None, False))
    if view is not None:
        yield view, TextQuestion(query, whole, statement)
    tables = frozenset(table for table in query.text.tables if table is not None)
    others = definitions.set_operations.get(tables, ())
    operation = set_operation_of(query, statement) if others else None
    if operation is not None:
        yield from ((other, operation) for other in others if other is not view)


def _answer_to(
    question: TextQuestion | SetOperation,
    statement: Statement,
    view: MaterializedView,
    find: Find,
    definitions: Definitions,
    relations: Relations,
    refuted: Mapping[TableName, Miss],
) -> tuple[Answer, tuple[str | None, ...]] | None:
    """Return the answer to a query from a view that is matched as a whole, and the output names (empty if unknown).

    `find` looks up a table or view that a FROM clause names. Return None if the view has another set operator than the
    query, or another number of branches. Views in `refuted` are not used. `question` is the query: a text that equals
    the text of a view's query, or a set operation.
    """
    rule = text_match.__name__ if isinstance(question, TextQuestion) else branch_by_branch.__name__
    path = _whole_path(view, statement, definitions, relations, refuted)
    if isinstance(path, Miss):
        return Answer(rule, path), ()
    if isinstance(question, TextQuestion):
        return answer_whole(question, path), ()
    return answer_set(question, statement, find, path, definitions, relations)


def _whole_path(
    view: MaterializedView,
    statement: Statement,
    definitions: Definitions,
    relations: Relations,
    refuted: Mapping[TableName, Miss],
) -> AccessPath | Miss:
    """Return the access path to a view whose query is matched as a whole (by its text or as a set operation).

    Return a Miss if the view's storage table is stale or unusable, or if a session setting differs from the recorded
    one. Views in `refuted` give a Miss, too.
    """
    storage = readable_storage(view, statement.session, definitions, relations, refuted)
    if isinstance(storage, Miss):
        return storage
    differing = recorded_problem(view, statement.session, zoned=lambda: True)
    if differing is not None:
        return differing
    visible = replace(storage, columns=storage.columns[: len(view.columns)] if view.columns else storage.columns)
    return AccessPath(view, Block((), (), (), ()), visible, tuple(column.name for column in visible.columns))


def _replaces(answered: Answered, select: SelectBlock | WholeQuery) -> bool:
    """Return whether a SELECT lies within an answered block, but not within a subquery whose text the answer keeps."""
    outer, _, subqueries = answered
    return select.span.within(outer.span) and not any(select.span.within(subquery.span) for subquery in subqueries)


def _subqueries(match: Match, statement: Statement) -> list[SelectBlock]:
    """Return the subqueries and derived tables of the statement whose text the plan contains unchanged."""
    texts = match.rewriting.texts
    found = [inner for inner in statement.blocks if inner.text in texts]
    derived = (text for text in texts if text.startswith("("))
    return found + [SelectBlock(span, text, None) for text in derived for span in statement.places(text)]


def _session_problem(statement: Statement) -> Miss | None:
    session = statement.session
    if session.off:
        return Miss(Reason.REWRITE_OFF, session.off)
    if not (statement.is_query or statement.fills) or statement.problem:
        return Miss(Reason.UNSUPPORTED, statement.problem or _NO_QUERY)
    setting = unreadable_setting(session.settings)
    return Miss(Reason.SETTINGS_DIFFER, setting) if setting else None


def _block_original(select: SelectBlock, answer: Chosen, statement: Statement, spelled: Sequence[Edit]) -> str:
    """Return a block's own SQL as a statement that Spark can run by itself.

    The CTEs that the block uses are added, and outer references are replaced by NULLs of their types. `answer` has the
    outer references; `spelled` are the edits that make the statement valid in Spark.
    """
    values = answer.correlation.casts() if answer.correlation is not None else ()

    def text(block: SelectBlock) -> str:
        return splice_within(statement.sql, block.span, (*spelled, *values))

    common = ", ".join(f"{quoted(t.name)} AS ({text(t.block)})" for t in statement.common_within(select))
    whole = f"WITH {common} {text(select)}" if common else text(select)
    membership = membership_of(statement, select) if answer.block.as_set else None
    if membership not in (Membership.EXISTS, Membership.IN):
        return whole
    # EXISTS does not use its outputs, and a plan for it does not have them.
    outputs = "1" if membership is Membership.EXISTS else "*"
    return f"SELECT {outputs} FROM ({whole}) AS asked"
