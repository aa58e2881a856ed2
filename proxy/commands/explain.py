"""EXPLAIN of a query: Spark's own plan of what would run, headed by what was rewritten and why; and EXPLAIN REWRITE."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from proxy.answering import Decision, checked
from proxy.commands.context import Context
from proxy.commands.parser import Parser
from proxy.commands.properties import ADOPT, COLUMNS, QUERY, recorded_settings
from proxy.commands.show_create import settings, statement
from proxy.commands.widen import can_widen
from proxy.hs2 import ResultSet
from proxy.session import ClientSession, Log
from rewriter.model import quoted

EXAMPLE = "EXPLAIN SELECT country, sum(quantity) FROM demo.sales GROUP BY country"
MODES = ("EXTENDED", "CODEGEN", "COST", "FORMATTED")
_COLUMNS = ("view", "verdict", "rule", "reason", "detail", "block")


@dataclass(frozen=True)
class Explain:
    """The plan of the statement that would be sent."""

    query: str
    mode: str = ""

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        decision = await ctx.answers.decide(session, self.query, thorough=True)
        mode = f"{self.mode} " if self.mode else ""
        plan = await session.upstream.query(f"EXPLAIN {mode}{decision.sql or decision.original}")
        if not decision.tried and not decision.problem:
            return plan
        text = "\n".join(str(row[0]) for row in plan.rows).rstrip()
        return ResultSet.of("plan", rows=[(f"{heading(decision, await suggested(ctx, decision))}\n{text}",)])


@dataclass(frozen=True)
class ExplainRewrite:
    """Lists one row per view and SELECT, near misses first; the last row suggests a change to a view."""

    query: str

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        decision = await ctx.answers.decide(session, self.query, thorough=True)
        await checked(decision.original, session.upstream.query)
        as_of = {"chosen": decision.as_of}
        rows = [
            (view, a.verdict, a.rule, str(a.reason or ""), a.detail + as_of.get(a.verdict, ""), block)
            for view, a, block in ((found.view, found.attempt, found.block) for found in decision.findings)
        ]
        if decision.problem:
            rows.insert(0, ("", "not rewritten", "", "", decision.problem, ""))
        if not rows:
            rows.append(("", "not rewritten", "", "", "it has no SELECT over a table of a materialized view", ""))
        if decision.suggestion is not None:
            part = f"-- {decision.suggestion.part}\n" if decision.suggestion.left else ""
            change = part + await suggested(ctx, decision)
            rows.append((str(decision.suggestion.made), "suggested", "", "", change, ""))
        return ResultSet.of(*_COLUMNS, rows=rows)


async def suggested(ctx: Context, decision: Decision) -> str:
    """Return the whole statement that lets a view answer, with the settings that a change was proved under; empty
    if there is none.
    """
    found, outcome = decision.suggestion, decision.outcome
    view = (await ctx.answers.definitions()).by_name.get(found.view) if found is not None else None
    if found is None or outcome is None or view is None:
        return ""
    if found.refresh:
        return f"REFRESH MATERIALIZED VIEW {view.name.sql()}"
    columns = ", ".join([own, *map(quoted, found.names)]) if (own := view.properties.get(COLUMNS)) else ""
    # An adopted table has the view's old columns alone: the changed view has storage of its own.
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


def heading(decision: Decision, suggestion: str = "") -> str:
    """Return the decision in words."""
    lines = ["== Viewgate =="]
    if decision.rewritten:
        lines += [f"answered from materialized view {chosen}{decision.as_of}" for chosen in decision.chosen]
        lines.append(f"sent to Spark: {decision.sql}")
    else:
        lines.append("not rewritten" + (f": {decision.problem}" if decision.problem else ""))
    lines += decision.missed
    if decision.suggestion is not None and suggestion:
        lines += [decision.suggestion.told, suggestion]
    return "\n".join([*lines, ""])


def parse(parser: Parser) -> Explain | ExplainRewrite | None:
    """After `EXPLAIN`; None for the EXPLAIN of something that is no query, which is Spark's alone."""
    if parser.accept("REWRITE"):
        return ExplainRewrite(parser.rest("a query"))
    mode = next((mode for mode in MODES if parser.accept(mode)), "")
    first = parser.peek()
    if first is None or (first.keyword not in ("SELECT", "WITH") and first.text != "("):
        return None
    return Explain(parser.rest("a query"), mode)
