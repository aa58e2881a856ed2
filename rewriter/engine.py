"""Shortlist, try the rules, choose."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from types import MappingProxyType
from typing import NamedTuple

from sqlglot import exp

from rewriter.block import (
    Block,
    Find,
    Predicates,
    Texts,
    Unsupported,
    build_block,
    common_tables,
    opaque_within,
    predicates_of,
    text_of,
)
from rewriter.buckets import roll_up_by_bucket
from rewriter.candidates import candidate_of, recorded_problem, settings_problem
from rewriter.consistency import pinned
from rewriter.correlation import Correlation, correlation_of
from rewriter.cost import UNKNOWN, cost, least_costs, original_cost
from rewriter.freshness import Relations, fresh_storage
from rewriter.index import Definitions
from rewriter.match import Candidate, Match, Miss, Reason, read_view, table_mappings, widened
from rewriter.metadata import counted_by_metadata
from rewriter.model import Column, MaterializedView, Session, Table, TableName, quoted
from rewriter.model.settings import REWRITE_IS_OFF, unreadable_setting
from rewriter.outcome import Attempt, Outcome, Replacement
from rewriter.rematch import asked_of
from rewriter.rules import RULES
from rewriter.spelling import spell_out
from rewriter.sql import Edit, SelectBlock, Statement, splice_within
from rewriter.union import PARTIAL, union_with_tables
from rewriter.verbatim import Part, decides_by_floats, parts, rewriting_of
from rewriter.verify import REFUTED, Verdict, verdict_on

log = logging.getLogger(__name__)

# Five of twelve occurrences of one table can be chosen in 95,040 ways, which take a minute.
MAPPINGS = 500


class _Answer(NamedTuple):
    """The view that answers a block, by which rule and rewriting; the block as read, and what it takes from around."""

    view: MaterializedView
    rule: str
    match: Match
    block: Block
    correlation: Correlation | None = None


# A block with its answer, and the subqueries that stay in it.
_Answered = tuple[SelectBlock, _Answer, Sequence[SelectBlock]]


@dataclass
class _Tried:
    """What comes of each view for one block; `best` is the cheapest match so far."""

    select: SelectBlock
    session: Session
    definitions: Definitions
    relations: Relations
    correlation: Correlation | None = None
    refuted: Mapping[TableName, Verdict] = field(default_factory=dict)
    matches: dict[TableName, str] = field(default_factory=dict)
    missed: list[Attempt] = field(default_factory=list)
    best: tuple[tuple[int, TableName], MaterializedView, str, Match] | None = None

    def beats(self, bound: int, view: MaterializedView) -> bool:
        """Whether a match is at hand that is no dearer than the view could be, nor any behind it."""
        return self.best is not None and self.best[0] <= (bound, view.name)

    def add(self, view: MaterializedView, query: Predicates, limit: int, read: Predicates | None = None) -> None:
        """Try one more view; a surprise in a rule costs that view's chance, never the answer.

        Where the query is `read` as one over another view that answers it, views over that are matched with it so.
        """
        try:
            rule, result = self._try(view, read or query)
        except RecursionError:
            rule, result = "", Miss(Reason.NOT_READ, "it is nested too deeply")
        except Exception:
            log.exception("trying %s on %r failed; the statement is answered without it", view.name, self.select.text)
            rule, result = "", Miss(Reason.NOT_READ, "an error in the rewriter, see the log")
        if isinstance(result, Match):
            price = cost(result, query.block, self.relations)
            if price <= limit or price >= UNKNOWN:
                self.matches[view.name] = rule
                self.missed = [attempt for attempt in self.missed if attempt.view != view.name]
                if self.best is None or (price, view.name) < self.best[0]:
                    self.best = (price, view.name), view, rule, result
                self._add_upon(view, result, query, limit)
                return
            result = Miss(Reason.DEARER, "reading it costs more than reading the tables")
        if read is None:
            self.missed.append(Attempt(view.name, "missed", rule, result.reason, result.detail, self.select.text))

    def _add_upon(self, view: MaterializedView, match: Match, query: Predicates, limit: int) -> None:
        """Try the views over one that answers the block."""
        upon = [other for other in self.definitions.upon(view.name) if other.name not in self.matches]
        # Of storage that holds a part of the rows, the query's own condition is no longer asked.
        if not upon or self.correlation is not None or match.rewriting.storage.part:
            return
        try:
            read = asked_of(view, match, query.block, self.relations, self.session)
        except Exception:
            log.exception(
                "reading %r as a query over %s failed; views over that are not tried", self.select.text, view.name
            )
            return
        for other in upon if read is not None else ():
            self.add(other, query, limit, read)

    def answer(self, block: Block) -> _Answer | None:
        """The view to use, if there is one."""
        return _Answer(*self.best[1:], block, self.correlation) if self.best is not None else None

    def report(self) -> list[Attempt]:
        """What came of each view that was tried: misses, then matches, by name."""
        best = self.best[1].name if self.best is not None else None
        matched = [
            Attempt(name, "chosen", rule, block=self.select.text)
            if name == best
            else Attempt(name, "not chosen", rule, Reason.NOT_CHOSEN, f"{best} has less to read", self.select.text)
            for name, rule in sorted(self.matches.items())
        ]
        return sorted(self.missed, key=lambda attempt: attempt.view) + matched

    def _try(self, view: MaterializedView, query: Predicates) -> tuple[str, Match | Miss]:
        if view.name in self.refuted:
            return "", Miss(Reason.PLAN_REFUTED, self.refuted[view.name].reason)
        storage = fresh_storage(view, self.definitions.sources[view.name], self.relations, part=True)
        if isinstance(storage, Miss):
            return "", storage
        candidate = candidate_of(view, query.block, storage, self.definitions, self.relations)
        if isinstance(candidate, Miss):
            return "", candidate
        differing = settings_problem(candidate, query.block, self.session, self.definitions, self.relations)
        if differing is not None:
            return "", differing
        rule, result = _match(query, candidate)
        if self.correlation is not None and isinstance(result, Match):
            return rule, self.correlation.placed(result)
        return rule, result


def decide(
    statement: Statement,
    definitions: Definitions,
    relations: Relations,
    spelled: tuple[Edit, ...] | None = None,
    refuted: Mapping[TableName, Verdict] = MappingProxyType({}),
) -> Outcome:
    """Decide which blocks of a statement, its names as they are, to answer from which views; raises Unsupported.

    Whatever cannot be proved leaves the statement as it is. `spelled` are the edits that Spark needs, where they are
    known. Views of which a plan was `refuted` are left out.
    """
    find = _finder(statement, definitions, relations)
    spelled = spell_out(statement, find) if spelled is None else spelled
    problem = _session_problem(statement)
    if problem is not None:
        tried = tuple(Attempt(v.name, "missed", reason=problem.reason, detail=problem.detail)
                      for v in definitions.shortlisted(statement))  # fmt: skip
        return Outcome(statement, tried=tried, spelled=spelled)
    answers, attempts = _verbatim(statement, definitions, relations, spelled)
    for select in statement.blocks:
        if any(_replaces(other, select) for other in answers):
            continue  # a part of a block that is answered as a whole
        answer, tried_here = _answer(select, statement, definitions, relations, find, refuted)
        attempts += tried_here
        if answer is not None:
            new = select, answer, _subqueries(select, answer.block, statement)
            answers = [other for other in answers if not _replaces(new, other[0])]
            answers.append(new)
    kept = [select for select in statement.blocks if not any(_replaces(other, select) for other in answers)]
    moment = pinned(statement, kept, [answer.match for _, answer, _ in answers], relations) if answers else ({}, ())
    if isinstance(moment, str):
        unpinned = Miss(Reason.NOT_PINNED, moment)
        attempts = [a.missed(unpinned) if a.verdict == "chosen" else a for a in attempts]
        return Outcome(statement, tried=tuple(attempts), spelled=spelled)
    pins, edits = moment
    replacements = tuple(
        _verified(
            Replacement(s, a.view, a.rule, a.match, a.block, _block_original(s, a, statement, spelled), pins, tuple(q)),
            statement, definitions, relations,
        )
        for s, a, q in answers
    )  # fmt: skip
    wrong = {each.view.name: each.verdict for each in replacements if each.verdict.status == REFUTED}
    if wrong:
        return decide(statement, definitions, relations, spelled, {**refuted, **wrong})
    return Outcome(statement, replacements, tuple(attempts), spelled, tuple(edits))


def _verified(made: Replacement, statement: Statement, definitions: Definitions, relations: Relations) -> Replacement:
    """A replacement with the verdict on its plan."""
    if made.rule == "verbatim":
        return made
    try:
        plan = made.text(None, {})
    except RecursionError:  # it is nested too deeply to be printed, which whoever asks for the text is told
        return made
    names = {*(table.name for table in made.query.tables), *made.match.rewriting.reads}
    names.update(definitions.sources[made.view.name])
    verdict = verdict_on(made.query, made.original, plan, statement.session, definitions, relations, names)
    if verdict.status == REFUTED:
        log.error(
            "plan refuted view=%s rule=%s reason=%r question=%r plan=%r",
            made.view.name, made.rule, verdict.reason, made.original, plan,
        )  # fmt: skip
    return replace(made, verdict=verdict)


def _replaces(answered: _Answered, select: SelectBlock | Part) -> bool:
    """Whether a block is a part of one that is answered, and of no subquery that stays in it."""
    outer, _, subqueries = answered
    return select.span.within(outer.span) and not any(select.span.within(subquery.span) for subquery in subqueries)


def _subqueries(select: SelectBlock, block: Block, statement: Statement) -> list[SelectBlock]:
    """The blocks in a block that it keeps as their own text."""
    texts = {text_of(call) for tree in block.expressions for call in opaque_within(tree)}
    return [inner for inner in statement.inside(select) if inner.text in texts]


def _texts(select: SelectBlock, statement: Statement) -> Texts:
    """What gives the text of a subquery of a block."""
    inside = statement.inside(select)

    def text(tree: exp.Select) -> str:
        found = next((b.text for b in inside if b.tree == tree), None)
        if found is None:
            raise Unsupported(f"{tree.sql('spark')[:60]} is not found in the text")
        return found

    return Texts(text)


def _verbatim(
    statement: Statement, definitions: Definitions, relations: Relations, spelled: Sequence[Edit]
) -> tuple[list[_Answered], list[Attempt]]:
    """The parts of a statement that are a view's own text."""
    answers: list[_Answered] = []
    attempts: list[Attempt] = []
    for part in parts(statement, spelled) if definitions.verbatim else ():
        if any(_replaces(other, part) for other in answers):
            continue
        view, whole = next(
            (v for text in (part.text, part.body) if (v := definitions.verbatim.get(text))), (None, False)
        )
        if view is None:
            continue
        result = _read_verbatim(view, part, whole, statement, definitions, relations)
        if isinstance(result, Miss):
            attempts.append(Attempt(view.name, "missed", "verbatim", result.reason, result.detail, part.sql))
        else:
            answers.append((SelectBlock(part.span, statement.sql[slice(*part.span)], None), result, ()))
            attempts.append(Attempt(view.name, "chosen", "verbatim", block=part.sql))
    return answers, attempts


def _read_verbatim(
    view: MaterializedView,
    part: Part,
    whole: bool,
    statement: Statement,
    definitions: Definitions,
    relations: Relations,
) -> _Answer | Miss:
    storage = fresh_storage(view, definitions.sources[view.name], relations)
    if isinstance(storage, Miss):
        return storage
    rewriting = rewriting_of(part, whole, storage)
    if rewriting is None:
        return Miss(Reason.SHAPE, "its ORDER BY is by something else than outputs")
    deciding = decides_by_floats(part, statement, storage)
    if deciding is not None:
        return Miss(Reason.FLOAT_COMPARED, deciding.name)
    block = Block((), (), rewriting.outputs, (None,) * len(rewriting.outputs))
    return recorded_problem(view, statement.session, zoned=lambda: True) or _Answer(
        view, "verbatim", Match(rewriting), block
    )


def _session_problem(statement: Statement) -> Miss | None:
    session = statement.session
    if not session.rewrite:
        return Miss(Reason.REWRITE_OFF, REWRITE_IS_OFF)
    if not (statement.is_query or statement.fills) or statement.problem:
        return Miss(Reason.NOT_READ, statement.problem or "only queries are rewritten")
    setting = unreadable_setting(session.settings)
    return Miss(Reason.SETTINGS_DIFFER, setting) if setting else None


def _finder(statement: Statement, definitions: Definitions, relations: Relations) -> Find:
    """Looks up a FROM item among the tables and materialized views at hand."""

    def find(table: exp.Table) -> tuple[TableName, tuple[Column, ...]] | None:
        name = statement.resolve(table)
        if name is None:
            return None
        relation = relations.get(name)
        if isinstance(relation, Table):
            return name, relation.columns
        view = definitions.by_name.get(name) or definitions.plain_by_name.get(name)
        if view is not None and relation == view.state:
            return name, view.columns
        return None

    return find


def _answer(
    select: SelectBlock,
    statement: Statement,
    definitions: Definitions,
    relations: Relations,
    find: Find,
    refuted: Mapping[TableName, Verdict],
) -> tuple[_Answer | None, list[Attempt]]:
    """The best view for a block, and what came of the others."""
    shortlist = definitions.shortlist(statement, select)
    if not shortlist:
        return None, []
    try:
        if select.tree is None:
            raise Unsupported(select.problem)
        block, correlation = _block(select, select.tree, statement, find)
        block = replace(block, decides=statement.decides_by(select))
        query = predicates_of(block, statement.session.time_zone)
    except (Unsupported, RecursionError) as problem:
        unread = "it is nested too deeply" if isinstance(problem, RecursionError) else str(problem)
        return None, [Attempt(v.name, "missed", "", Reason.NOT_READ, unread, select.text) for v, *_ in shortlist]
    if counted_by_metadata(block, relations, statement.session.settings):
        cheaper = "Spark counts the rows by the table's metadata alone"
        return None, [Attempt(v.name, "not chosen", "", Reason.NOT_CHOSEN, cheaper, select.text) for v, *_ in shortlist]
    tried = _Tried(select, statement.session, definitions, relations, correlation, refuted)
    limit = original_cost(block, relations)
    for bound, view in sorted(least_costs(shortlist, block, relations), key=itemgetter(0)):
        beaten = not definitions.exhaustive and tried.beats(bound, view)
        if beaten and not definitions.stacked:
            break
        if view.name not in tried.matches and (not beaten or definitions.upon(view.name)):
            tried.add(view, query, limit)
    return tried.answer(block), tried.report()


def _block(select: SelectBlock, tree: exp.Select, statement: Statement, find: Find) -> tuple[Block, Correlation | None]:
    """The block of a SELECT, and what it takes from the one around it; raises Unsupported."""
    correlation = correlation_of(statement, select, find)
    common, outer = common_tables(statement, select, find), correlation.column if correlation is not None else None
    block = build_block(tree, find, common, texts=_texts(select, statement), outer=outer)
    if correlation is not None:
        correlation.check(block)
    return block, correlation


def _match(query: Predicates, candidate: Candidate) -> tuple[str, Match | Miss]:
    """The first rule and mapping that match; else the miss that came closest to a match."""
    best: tuple[str, Miss] = ("", Miss(Reason.TABLES_DIFFER, "the view reads other tables"))
    for tried, mapping in enumerate(table_mappings(candidate.block, query.block)):
        if tried == MAPPINGS:
            return "", Miss(Reason.SHAPE, f"its tables stand for the query's in more than {MAPPINGS} ways")
        wider = widened(query, candidate, mapping)
        reading = read_view(wider[0], candidate, wider[1]) if wider is not None else _spare(candidate, mapping)
        if isinstance(reading, Miss):
            best = "", reading
            union = union_with_tables(*wider, candidate) if wider is not None and reading.reason in PARTIAL else reading
            if isinstance(union, Match):
                return union_with_tables.__name__, union
            continue
        for rule in RULES:
            result = rule(reading)
            if isinstance(result, Match):
                return rule.__name__, result
            if best[1].reason in (Reason.TABLES_DIFFER, Reason.SHAPE) or result.reason is not Reason.SHAPE:
                best = rule.__name__, result
        stepped = wider is not None and best[1].reason is Reason.AGGREGATE_DOES_NOT_ROLL_UP
        stepwise = roll_up_by_bucket(*wider, candidate) if wider is not None and stepped else None
        if isinstance(stepwise, Match):
            return roll_up_by_bucket.__name__, stepwise
        best = (roll_up_by_bucket.__name__, stepwise) if stepwise is not None else best
    return best


def _spare(candidate: Candidate, mapping: Mapping[str, str]) -> Miss:
    spare = ", ".join(table.name.table for table in candidate.block.tables if table.id not in mapping)
    return Miss(Reason.TABLES_DIFFER, f"the view joins {spare} besides, and no trusted key says that no row is lost")


def _block_original(select: SelectBlock, answer: _Answer, statement: Statement, spelled: Sequence[Edit]) -> str:
    """A block's own text as Spark can run it by itself."""
    values = answer.correlation.casts() if answer.correlation is not None else ()

    def text(block: SelectBlock) -> str:
        return splice_within(statement.sql, block.span, (*spelled, *values))

    common = ", ".join(f"{quoted(t.name)} AS ({text(t.block)})" for t in statement.common_within(select))
    return f"WITH {common} {text(select)}" if common else text(select)
