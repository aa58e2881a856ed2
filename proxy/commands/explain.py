"""Answers EXPLAIN of a query, and EXPLAIN REWRITE.

EXPLAIN shows Viewgate's decision above Spark's plan; EXPLAIN REWRITE shows for each view why the view can or cannot
answer the query.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from proxy.answering import Decision, checked, moment_text
from proxy.answering.positions import behind
from proxy.answering.schemas import NO_PLAN
from proxy.commands.alter import can_widen
from proxy.commands.context import Context
from proxy.commands.describe import settings, statement
from proxy.commands.parser import Parser
from proxy.commands.properties import ADOPT, COLUMNS, QUERY, next_refresh, recorded_settings
from proxy.hs2 import ResultSet, SqlError
from proxy.session import ClientSession, Log, OperationState
from rewriter import Attempt, Reason, qualified
from rewriter.model import TableName, quoted

EXAMPLE = "EXPLAIN SELECT country, sum(quantity) FROM demo.sales GROUP BY country"
MODES = ("EXTENDED", "CODEGEN", "COST", "FORMATTED")
_BEGUN = {OperationState.PENDING.name: "a refresh has been queued", OperationState.RUNNING.name: "being refreshed"}
_STALE = (Reason.STALE, Reason.NEVER_REFRESHED)
_COLUMNS = ("view", "verdict", "rule", "reason", "detail", "block")


@dataclass(frozen=True)
class Explain:
    """The command EXPLAIN, which shows Viewgate's decision about a query, and Spark's plan of the SQL that Spark would
    run.
    """

    query: str
    mode: str = ""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        decision = await ctx.answers.decide(session, self.query, thorough=True)
        explain = " ".join(filter(None, ("EXPLAIN", self.mode))) + "\n"
        try:
            plan = await session.upstream.query(explain + (decision.sql or decision.original))
        except SqlError as error:
            raise _of_the_users(behind(explain, error), decision) from error
        if not decision.tried and not decision.problem and decision.suggestion is None:
            return plan
        text = "\n".join(str(row[0]) for row in plan.rows).rstrip()
        if text.startswith(NO_PLAN):
            text = _of_the_users(behind(explain, SqlError(text)), decision).message
        head = heading(decision, await refreshes(ctx, decision), await suggested(ctx, decision))
        return ResultSet.of("plan", rows=[(f"{head}\n{text}",)])


@dataclass(frozen=True)
class ExplainRewrite:
    """The command EXPLAIN REWRITE, which shows for each view why the view can or cannot answer a query.

    The result has one row per view and query block (SELECT) with verdict and reason. Within a query block, the views
    that need the smallest change come first, and only the first row has the text of the block. If a change to a view
    would let the view answer, a last row suggests this change.
    """

    query: str

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        decision = await ctx.answers.decide(session, self.query, thorough=True)
        try:
            await checked(decision.original, session.upstream.query)
        except SqlError as error:
            raise _of_the_users(error, decision) from error
        as_of, due = {"chosen": decision.as_of}, await refreshes(ctx, decision)

        def detail(a: Attempt) -> str:
            refresh = due.get(a.view, "") if a.reason in _STALE or a.verdict == "chosen" else ""
            takes = str(a.estimate) if a.estimate is not None and a.estimate.known else ""
            return "; ".join(filter(None, (a.detail + as_of.get(a.verdict, ""), takes, refresh)))

        findings = decision.findings
        blocks = [found.block for found in findings]
        rows = [
            (found.view, a.verdict, a.rule, str(a.reason or ""), detail(a), block if block != before else found.place)
            for found, block, before in zip(findings, blocks, [None, *blocks], strict=False)
            for a in [found.attempt]
        ]
        if decision.problem:
            rows.insert(0, ("", "not rewritten", "", "", decision.problem, ""))
        if not rows:
            rows.append(
                ("", "not rewritten", "", "", "the statement has no SELECT over a table of a materialized view", "")
            )
        if decision.suggestion is not None:
            found = decision.suggestion
            change = f"-- {' '.join(found.told.split())}\n{await suggested(ctx, decision)}"
            rows.append((str(found.made), "suggested", "", "", change, ""))
        return ResultSet.of(*_COLUMNS, rows=rows)


def _of_the_users(error: SqlError, decision: Decision) -> SqlError:
    """Convert an error about the SQL that Spark got to an error about the user's statement.

    `decision` is the decision about the statement, which has both texts.
    """
    return error if decision.reworded is None else decision.reworded(error)


async def refreshes(ctx: Context, decision: Decision) -> Mapping[TableName, str]:
    """Return a text about the refresh of each stale view that was tried for a statement, by view name.

    The text says since when a refresh is running or queued, or when the next refresh will run. The result is empty if
    no view is stale. `decision` is the decision about the statement.
    """
    stale = dict.fromkeys(a.view for a in decision.tried if a.reason in _STALE or _reads_stale(a, decision))
    if not stale:
        return {}
    views = (await ctx.answers.definitions()).by_name
    # No user's statement is revealed: everyone who may see the view may know that it is being refreshed.
    begun = [row for row in await ctx.system.rows("refreshes", None) if row["ended"] is None]
    begun.sort(key=lambda row: bool(row["state"] == OperationState.RUNNING.name))  # of two for a view, the running one
    since = {row["view"]: f"{_BEGUN[row['state']]} since {moment_text(row['started'])}" for row in begun}
    return {name: since.get(str(name)) or next_refresh(views[name]) for name in stale if name in views}


def _reads_stale(attempt: Attempt, decision: Decision) -> bool:
    """Return whether the view of this attempt answers the statement although its storage table is stale.

    This is the case if the rows that have changed since the refresh are added to the stored rows, or if the session
    allows rows of this age. `decision` is the decision about the statement.
    """
    return attempt.live or (attempt.verdict == "chosen" and bool(decision.as_of))


async def suggested(ctx: Context, decision: Decision) -> str:
    """Return the statement that makes the suggested change to a view; empty if the decision has no suggestion.

    A comment line above an ALTER or CREATE statement names the session settings under which the statement must run.
    """
    found, outcome = decision.suggestion, decision.outcome
    if found is not None and outcome is not None and found.new == found.view:  # no other view is changed or copied
        query = qualified(found.sql, outcome.statement.session)
        return f"CREATE MATERIALIZED VIEW {found.view.sql()}\nAS {query}"
    view = (await ctx.answers.definitions()).by_name.get(found.view) if found is not None else None
    if found is None or outcome is None or view is None:
        return ""
    if found.refresh:
        return f"REFRESH MATERIALIZED VIEW {view.name.sql()}"
    columns = ", ".join([own, *map(quoted, found.names)]) if (own := view.properties.get(COLUMNS)) else ""
    # An adopted table has only the old columns, so that the changed view gets storage of its own.
    kept = {key: value for key, value in view.properties.items() if key != ADOPT}
    properties = {**kept, QUERY: found.sql, COLUMNS: columns}
    changed = replace(view, properties=properties, settings=json.loads(recorded_settings(outcome.statement.session)))
    if found.new is None and can_widen(view, changed.settings):
        return (
            f"-- made under {settings(view)}\nALTER MATERIALIZED VIEW {view.name.sql()} ADD COLUMNS ({found.outputs})"
        )
    if found.new is None:
        return statement(changed).replace("CREATE MATERIALIZED", "CREATE OR REPLACE MATERIALIZED", 1)
    return statement(replace(changed, name=found.new, comment=None))


def heading(decision: Decision, due: Mapping[TableName, str], suggestion: str = "") -> str:
    """Return the lines that describe a decision above Spark's plan.

    `due` has the text about the next refresh of each stale view. `suggestion` is the statement that makes the suggested
    change (empty: no suggestion).
    """
    lines = ["== Viewgate =="]
    if decision.rewritten:
        lines += [f"answered from materialized view {chosen}{decision.as_of}" for chosen in decision.chosen]
        lines += [f"{a.view}: {a.detail}" for a in decision.tried if a.verdict == "chosen" and a.detail]
        lines.append(f"sent to Spark: {decision.sql}")
    else:
        why = decision.problem or ("" if decision.tried else "no view reads any of the query's tables")
        lines.append("not rewritten" + (f": {why}" if why else ""))
    lines += decision.missed
    lines += [f"{view}: {refresh}" for view, refresh in due.items()]
    if decision.suggestion is not None and suggestion:
        lines += [decision.suggestion.told, suggestion]
    return "\n".join([*lines, ""])


def parse(parser: Parser) -> Explain | ExplainRewrite | None:
    """Parse the rest of the statement, after EXPLAIN or EXPLAIN REWRITE.

    Return None for EXPLAIN of a statement that is not a SELECT query, because Spark explains all such statements. Raise
    SqlError 0A000 for a statement about a materialized view.
    """
    if parser.accept("REWRITE"):
        _refuse_ours(parser)
        return ExplainRewrite(parser.rest("a query"))
    mode = next((mode for mode in MODES if parser.accept(mode)), "")
    _refuse_ours(parser)
    first = parser.peek()
    if first is None or (first.keyword not in ("SELECT", "WITH") and first.text != "("):
        return None
    return Explain(parser.rest("a query"), mode)


def _refuse_ours(parser: Parser) -> None:
    """Raise SqlError 0A000 if a statement such as ALTER MATERIALIZED VIEW comes next, which Spark cannot explain."""
    # MATERIALIZED follows the verb, or CREATE OR REPLACE.
    verb, *following = (parser.peek(ahead) for ahead in (0, 1, 3))
    ours = any(token is not None and token.keyword == "MATERIALIZED" for token in following)
    if verb is not None and verb.keyword in ("CREATE", "ALTER", "DROP", "REFRESH") and ours:
        raise SqlError(
            f"EXPLAIN of {verb.keyword} MATERIALIZED VIEW is not supported: explain the view's query, or a refresh by "
            "EXPLAIN REFRESH MATERIALIZED VIEW name",
            "0A000",
        )
