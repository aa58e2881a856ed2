"""Answers one query (a block, or a query matched as a whole) from one access path.

Each table mapping and each rule is tried. An access path is a view's block with its storage table; a table mapping
assigns tables of the view to tables of the query. A plan in two phases reads groups, from the storage table and from
the base tables for rows that the storage table lacks, and then aggregates the groups again. A plan in two phases and a
plan for a set operation contain further queries, which are answered here, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp

from rewriter.block import Block, Predicates, renamed
from rewriter.delta import netted
from rewriter.engine.condition_paths import paths_of_conditions
from rewriter.engine.leaves import over_derived
from rewriter.engine.set_paths import paths_of_sets
from rewriter.functions.trees import ROWS, number
from rewriter.match import (
    AccessPath,
    Ask,
    Branchwise,
    Match,
    Miss,
    Plan,
    Reason,
    Shared,
    TwoPhase,
    UnionAll,
    table_mappings,
    widened,
)
from rewriter.match.decompose import UNKNOWN_SHARE, path_of_groups, share_of
from rewriter.match.flattened import flattened_path
from rewriter.match.set_operations import SetQuestion, read_alike
from rewriter.match.texts import TextQuestion
from rewriter.rules import RULES

# The most table mappings to try. Self-joins have many: a view's five occurrences of a table can be mapped to a query's
# twelve in 95,040 ways, which takes a minute.
MAPPINGS = 500
# How deeply plans in two phases may nest.
DEEPEST = 2


class Answer(NamedTuple):
    """The result of trying an access path: a Match and the name of its rule, or a Miss with the reason.

    `rule` is empty if the Miss does not come from a rule.
    """

    rule: str
    result: Match | Miss


# Returns the branches that read the rows that a path lacks.
Remainder = Callable[[Block], Sequence[Shared]]


def from_tables(block: Block) -> Sequence[Shared]:
    """Return a block, to be read from base tables, as the only branch of a UNION ALL: its share of the rows is 1.0."""
    return (Shared(block, 1.0),)


def answer(query: Predicates, path: AccessPath, remainder: Remainder = from_tables) -> Answer:
    """Return the Match (a plan) of the first table mapping and rule that fit; otherwise a Miss with the reason.

    `path` is the view's block with its storage table; a table mapping assigns the view's tables to the query's tables.
    `remainder` takes the rows that the storage table lacks, as a block, and returns the UNION ALL branches that read
    these rows. A view whose query groups in several levels is tried level by level, and then as one level.
    """
    found = _answer(query, path, remainder)
    if isinstance(found.result, Match) or not path.block.derived:
        return found
    flat = flattened_path(path)
    over_rows = found if isinstance(flat, str) else _answer(query, flat, remainder)
    return over_rows if isinstance(over_rows.result, Match) else found


def _answer(query: Predicates, path: AccessPath, remainder: Remainder) -> Answer:
    """Return the answer to a query from one form of a view's block; the parameters are those of `answer`."""
    best: Answer | None = None
    further = False
    if path.block.sets is not None:
        for each in paths_of_sets(path):
            best = _answer(query, each, remainder)
            if isinstance(best.result, Match):
                break
        return best or _other_tables(query, path)
    for tried, (asked, mapping) in enumerate(_mapped(query, path)):
        if tried == MAPPINGS:
            return Answer(
                "",
                Miss(
                    Reason.SHAPE,
                    f"the view's tables can be mapped to the query's tables in more than {MAPPINGS} ways, because "
                    "both read the same table several times: create a view with fewer self-joins",
                ),
            )
        if isinstance(asked, Miss):
            best = best if further else Answer("", asked)
            continue
        further = True
        wider = widened(asked, path, mapping)
        if isinstance(wider, Miss):
            best = Answer("", wider)
            continue
        found = _asked(Ask(wider[0], path, wider[1]), remainder)
        if isinstance(found.result, Match):
            return found
        best = _of_condition(asked, path, mapping, remainder) or found
        if isinstance(best.result, Match):
            return best
    return best or _other_tables(query, path)


def _of_condition(
    query: Predicates, path: AccessPath, mapping: Mapping[str, str], remainder: Remainder
) -> Answer | None:
    """Return the Match of a query whose filter implies a condition of which the view stores aggregates; else None.

    `mapping` maps the ids of the view's tables to the ids of the query's tables.
    """
    for condition, rows in paths_of_conditions(path):
        wider = None
        if all(query.implies(renamed(part, mapping)) for part in condition):
            wider = widened(query, rows, mapping)
        found = None if wider is None or isinstance(wider, Miss) else _asked(Ask(wider[0], rows, wider[1]), remainder)
        if found is not None and isinstance(found.result, Match):
            return found
    return None


def _mapped(query: Predicates, path: AccessPath) -> Iterator[tuple[Predicates | Miss, Mapping[str, str]]]:
    """Yield the query with each mapping of the view's tables to the query's tables, from table id to table id.

    Derived tables of the query are first replaced by derived tables of the view. If the replacement fails, yield the
    Miss with the reason, instead of the query, and an empty mapping.
    """
    for placed in over_derived(query, path, lambda inner, held: answer(inner, held).result):
        if isinstance(placed, Miss):
            yield placed, {}
            continue
        for mapping in table_mappings(path.block, placed.question.block):
            if placed.ids <= {*mapping.values()}:
                yield placed.question, mapping


def answer_whole(question: TextQuestion | SetQuestion, path: AccessPath) -> Answer:
    """Return the answer to a query that is matched as a whole, by its text or as a set operation.

    `path` is the access path to the view: the view's block with its storage table. `question` is the query.
    """
    return _asked(Ask(question, path, {}), from_tables)


def _asked(ask: Ask, remainder: Remainder, depth: int = 0) -> Answer:
    """Return the Match of the first rule whose plan can be completed; otherwise the Miss that is closest to a Match.

    `ask` is the input of the rules: the query, the access path, and the table mapping. `remainder` returns the branches
    that read the rows that the storage table lacks. `depth` counts the enclosing plans in two phases. The closest Miss
    is the last one with the highest `closeness`, except that the Miss of a plan in two phases does not replace the Miss
    of an earlier rule, unless

    - that rule found that an aggregate does not roll up, or
    - the plan divides a time range, and that rule found only that the view lacks the column of the range.
    """
    name, closest = "", Miss(Reason.SHAPE, "", apart=True)
    for rule in RULES:
        plan = rule(ask)
        result = _result(plan, ask, remainder, depth)
        if isinstance(result, Match):
            return Answer(rule.__name__, result)
        two_phase = isinstance(plan, TwoPhase) and closest.reason is not Reason.AGGREGATE_DOES_NOT_ROLL_UP
        # The plan has divided the time range for which the view has no column: something else is missing.
        divided = isinstance(plan, TwoPhase) and plan.edges and closest is ask.reading
        if result.closeness >= closest.closeness and (divided or not (two_phase and closest.closeness)):
            name, closest = "" if result is ask.reading else rule.__name__, result
    return Answer(name, closest)


def _result(plan: Plan | Miss, ask: Ask, remainder: Remainder, depth: int) -> Match | Miss:
    """Return a rule's plan as a Match; return a Miss unchanged.

    A plan in two phases and a plan for a set operation contain queries, which are answered first. If one of these
    queries cannot be answered, return the Miss of that query. `ask` is the input of the rule; `remainder` returns the
    branches that read the rows that the storage table lacks; `depth` counts the enclosing plans in two phases.
    """
    if isinstance(plan, TwoPhase):
        return _filled(plan, ask, remainder, depth)
    return _alike(plan.question, ask.path) if isinstance(plan, Branchwise) else plan


def _filled(plan: TwoPhase, ask: Ask, remainder: Remainder, depth: int) -> Match | Miss:
    """Return a two-phase plan as a Match, with the queries of both phases answered; a Miss if one cannot be answered.

    Phase one reads groups from the view, and from the base tables for rows that the view lacks; phase two aggregates
    these groups. Return a Miss, too, if `depth`, the number of enclosing two-phase plans, is DEEPEST. `ask` is the
    input of the rule that gave the plan; `remainder` returns the branches that read the rows that the view lacks.
    """
    query = ask.question
    if depth == DEEPEST or not isinstance(query, Predicates):
        return Miss(
            Reason.SHAPE,
            "to answer the query, the view's groups would have to be aggregated too many times in succession, which is "
            "not supported: create a view with the GROUP BY of the query",
        )
    held = _asked(plan.held, remainder, depth + 1).result
    if isinstance(held, Miss):
        return held
    branches = [Shared(held.rewriting, 1.0), *(Shared(delta, 1.0) for delta in plan.deltas)]
    if plan.signed:
        net = _net(plan.groups, query, ask.path, branches)
        if isinstance(net, Miss):
            return net
        branches = [Shared(net.rewriting, 1.0)]
    if plan.over is not None:
        whole = _asked(plan.over, from_tables, DEEPEST).result
    else:
        whole = over_groups(query, plan.groups, ask.path, scattered=not plan.signed)
    if isinstance(whole, Miss):
        return whole
    if plan.rest is not None:
        known = plan.lacking if plan.lacking is not None else share_of(plan.rest, query)
        lacking = known if plan.edges else UNKNOWN_SHARE
        if (refresh := ask.path.storage.refresh) is not None and refresh.behind:
            lacking = refresh.stale_share
        branches = [Shared(held.rewriting, 1 - lacking)]
        branches += (Shared(branch, share * lacking) for branch, share in remainder(plan.rest))
    return of_branches(whole, branches)


def _alike(question: SetQuestion, path: AccessPath) -> Match | Miss:
    """Answer each branch of a set operation from the corresponding branch of the view.

    Return a Miss if a branch cannot be answered, or if the branches need different columns or rows of the view's
    storage table, which is read only once. `path` is the access path to the view. `question` is the set operation, with
    each branch paired with a branch of the view.
    """
    found = []
    for query, branch in question.pairs:
        result = answer(query, branch).result
        if isinstance(result, Miss):
            return result
        found.append(result.rewriting)
    return read_alike(question, path, found)


def _net(groups: Block, query: Predicates, path: AccessPath, branches: Sequence[Shared]) -> Match | Miss:
    """Return the current groups of a query, one row for each, from stored groups and the groups of changed rows.

    `groups` is the block of the first phase, which has the counts by which a group without rows is removed, and a sum
    without values becomes NULL. `branches` compute this block: deleted rows count negatively. `query` is the query, and
    `path` the access path to the view. Return a Miss if the groups cannot be added up.
    """
    summed = over_groups(Predicates(groups, query.conjuncts, query.zone), groups, path)
    if isinstance(summed, Miss):
        return summed
    added = dict(zip(groups.outputs, summed.rewriting.outputs, strict=True))
    outputs = tuple(netted(output, groups, added) for output in groups.outputs)
    left = (exp.GT(this=added[ROWS].copy(), expression=number(0)),) if groups.keys else ()
    net = replace(summed, rewriting=replace(summed.rewriting, outputs=outputs, having=left))
    return of_branches(net, branches)


def over_groups(query: Predicates, groups: Block, path: AccessPath, *, scattered: bool = True) -> Match | Miss:
    """Return the answer to a query from `groups`, the first phase of a two-phase plan, treated as a storage table.

    `path` is the access path from which the groups are read; with `scattered`, a group may have several rows. Return a
    Miss if the groups do not determine the answer.
    """
    held = path_of_groups(query, groups, path)
    if isinstance(held, Miss):
        return held
    held = replace(held, scattered=scattered)
    return _asked(Ask(query, held, {table.id: table.id for table in query.block.tables}), from_tables, DEEPEST).result


def of_branches(whole: Match, branches: Sequence[Shared]) -> Match:
    """Return the match `whole` with a UNION ALL of `branches` in place of the storage table that the match reads.

    Each branch returns the columns of this storage table.
    """
    union = UnionAll(tuple(branches), whole.rewriting.storage.columns)
    return replace(whole, rewriting=replace(whole.rewriting, union=union))


def _other_tables(query: Predicates, path: AccessPath) -> Answer:
    read = {table.name for table in query.block.tables}
    plain = dict.fromkeys(table.name.table for table in path.block.tables if not table.text and table.name not in read)
    others = [*plain, *(["a derived table"] if any(table.text for table in path.block.tables) else [])]
    what = f"{' and '.join(others)}, which this SELECT does not read" if others else "other tables than this SELECT"
    return Answer("", Miss(Reason.TABLES_DIFFER, f"the view reads {what}: create a view over the query's tables"))
