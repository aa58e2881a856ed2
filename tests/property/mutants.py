"""Changes one thing in correct plans, as a wrong rule might; the verifier must not prove a mutant that changes results.

python -m tests.property.mutants 100000:101000      plans of random queries
python -m tests.property.mutants golden             plans of the golden corpus
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial, reduce
from itertools import islice
from pathlib import Path

import duckdb
from sqlglot import exp
from sqlglot.errors import SqlglotError

from rewriter.outcome import Replacement
from rewriter.sql import parse_select, render
from rewriter.verify import PROVED, REFUTED, UNDECIDED, Leaves, verify
from tests.golden.corpus import World, golden_files, read, world
from tests.golden.execution import Rows, database, rows_of, same_rows
from tests.property.checking import filled_world
from tests.property.generator import generate

Tree = exp.Expr
Change = Callable[[Tree], Iterator[Tree | None]]
Edit = Callable[[exp.Select], object]

PER_PLAN = 40
# What DuckDB makes of a mutant: rows that differ from the question's, or none.
OTHER_ROWS, NO_QUERY = "other rows", "no query"
# Spark compares a text with a number, DuckDB does not.
_OF_DUCKDB = ("Cannot compare values",)
_COMPARISONS = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.EQ, exp.NEQ)
_OTHER_AGGREGATE = {
    "sum": "max", "min": "max", "max": "min", "bool_and": "bool_or", "bool_or": "bool_and", "count": "sum",
    "avg": "sum",
}  # fmt: skip
_JOINS = (("LEFT", None), (None, "INNER"), ("LEFT", "SEMI"), ("LEFT", "ANTI"), ("FULL", None))


def mutants(plan: str, most: int = PER_PLAN) -> list[tuple[str, str]]:
    """Return changed texts of a plan, each with the kind of its change; deterministic."""
    tree = parse_select(plan)
    edits = list(_edits(tree))
    random.Random(plan).shuffle(edits)
    found: dict[str, str] = {}
    # A plan of statistics can be changed in thousands of ways: only those that are kept are printed.
    for kind, edit in edits:
        if len(found) == most:
            break
        copied = tree.copy()
        edit(copied)
        text = render(copied)
        if text != plan:
            found.setdefault(text, kind)
    return [(kind, text) for text, kind in found.items()]


def _edits(tree: exp.Select) -> Iterator[tuple[str, Edit]]:
    """Yield the possible changes of a copy of a plan, each with its kind."""
    for place, node in enumerate(tree.walk()):
        for kind, change in _CHANGES if place else ():
            yield from ((kind, _put(place, new)) for new in change(node))
    for column in sorted({column.sql("spark") for column in tree.find_all(exp.Column)}):
        other = parse_select(f"SELECT {column}").expressions[0]
        for place, node in enumerate(tree.walk()):
            # DuckDB takes a name without a table for the output of that name.
            if isinstance(node, exp.Column) and bool(node.table) == bool(other.table):
                yield "other column", _put(place, other)
        if tree.args.get("group") and other.table:
            yield "finer key", partial(_grouped_by, other)
    if not tree.args.get("distinct"):
        yield "DISTINCT", lambda copied: copied.set("distinct", exp.Distinct())


def _put(place: int, new: Tree | None) -> Edit:
    """Return a change that puts an expression, or nothing, in place of a node."""

    def edit(copied: exp.Select) -> None:
        target = next(islice(copied.walk(), place, None))
        if new is None:
            target.pop()
        else:
            target.replace(new.copy())

    return edit


def _grouped_by(key: Tree, copied: exp.Select) -> None:
    copied.args["group"].append("expressions", key.copy())


def _fewer(node: Tree) -> Iterator[Tree | None]:
    """Yield changes that drop one conjunct of a filter, or one grouping key."""
    if isinstance(node, exp.Where | exp.Having):
        parts = list(_conjuncts(node.this))
        for i in range(len(parts)):
            rest = parts[:i] + parts[i + 1 :]
            yield type(node)(this=_all(rest)) if rest else None
    if isinstance(node, exp.Group):
        for i in range(len(node.expressions)):
            rest = node.expressions[:i] + node.expressions[i + 1 :]
            yield exp.Group(expressions=[key.copy() for key in rest]) if rest else None


def _other_call(node: Tree) -> Iterator[Tree | None]:
    if isinstance(node, exp.Anonymous):
        name = node.name.lower()
        if name in _OTHER_AGGREGATE:
            yield exp.Anonymous(this=_OTHER_AGGREGATE[name], expressions=[e.copy() for e in node.expressions])
        if name in _OTHER_AGGREGATE and not name.startswith("bool"):  # DuckDB would be told CAST(DISTINCT …)
            yield exp.Anonymous(this=name, expressions=[exp.Distinct(expressions=[e.copy() for e in node.expressions])])
        if name == "coalesce":
            yield node.expressions[0].copy()
    if isinstance(node, exp.Filter | exp.Not):
        yield node.this.copy()
    if isinstance(node, exp.Case):
        if len(node.args["ifs"]) > 1:
            yield exp.Case(this=node.this, ifs=node.args["ifs"][:-1], default=node.args.get("default")).copy()
        yield exp.Case(this=node.this, ifs=node.args["ifs"], default=exp.Literal.number(1)).copy()


def _other_operator(node: Tree) -> Iterator[Tree | None]:
    if isinstance(node, _COMPARISONS):
        for kind in _COMPARISONS:
            if kind is not type(node):
                yield kind(this=node.this.copy(), expression=node.expression.copy())
    if isinstance(node, exp.Or | exp.And):
        other = exp.And if isinstance(node, exp.Or) else exp.Or
        yield other(this=node.this.copy(), expression=node.expression.copy())
    if isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.Div):
        yield node.this.copy()


def _other_literal(node: Tree) -> Iterator[Tree | None]:
    if not isinstance(node, exp.Literal) or isinstance(node.parent, exp.DataTypeParam | exp.Version | exp.Interval):
        return
    if not node.is_string:
        yield exp.Literal.number(str(int(node.name) + 1) if node.name.isdigit() else "7")
    elif node.name[:4].isdigit() and node.name[8:10].isdigit():
        yield exp.Literal.string(f"{node.name[:8]}{int(node.name[8:10]) % 28 + 1:02d}{node.name[10:]}")
    else:
        yield exp.Literal.string({"DAY": "MONTH", "HOUR": "DAY", "MONTH": "DAY"}.get(node.name, f"{node.name}x"))


def _other_join(node: Tree) -> Iterator[Tree | None]:
    if not isinstance(node, exp.Join) or not node.args.get("on"):
        return
    for side, kind in _JOINS:
        if (side, kind) != (node.args.get("side"), node.args.get("kind")):
            joined = node.copy()
            joined.set("side", side)
            joined.set("kind", kind)
            yield joined
    parts = list(_conjuncts(node.args["on"]))
    for i in range(len(parts) if len(parts) > 1 else 0):
        joined = node.copy()
        joined.set("on", _all(parts[:i] + parts[i + 1 :]))
        yield joined


def _other_rows(node: Tree) -> Iterator[Tree | None]:
    if isinstance(node, exp.Union):
        yield node.this.copy()
        yield node.expression.copy()
    if isinstance(node, exp.Limit):
        yield None
    if isinstance(node, exp.Ordered):
        yield exp.Ordered(this=node.this.copy(), desc=not node.args.get("desc"), nulls_first=node.args["nulls_first"])


_CHANGES: tuple[tuple[str, Change], ...] = (
    ("fewer", _fewer),
    ("other call", _other_call),
    ("other operator", _other_operator),
    ("other literal", _other_literal),
    ("other join", _other_join),
    ("other rows", _other_rows),
)


def _conjuncts(node: Tree) -> Iterator[Tree]:
    if isinstance(node, exp.Paren):
        yield from _conjuncts(node.this)
    elif isinstance(node, exp.And):
        yield from _conjuncts(node.this)
        yield from _conjuncts(node.expression)
    else:
        yield node


def _all(parts: Sequence[Tree]) -> Tree:
    return reduce(lambda left, right: exp.And(this=left, expression=right), (part.copy() for part in parts))


def tried(
    made: Replacement, built: World, connection: duckdb.DuckDBPyConnection, most: int
) -> tuple[Counter[str], str]:
    """Try the mutants of a plan; return how many have each verdict and other rows, and the first proved one with other
    rows.
    """
    counted: Counter[str] = Counter()
    session = replace(built.session, temporary_views=frozenset())
    leaves = Leaves(made.query, built.definitions, built.relations, session.time_zone)
    try:
        theirs: Rows = rows_of(connection, made.original)
        rows_of(connection, made.text(None, {}))
    except duckdb.Error:  # it names columns of the statement around it
        return counted, ""
    if made.query.as_set:  # how often a row comes makes no difference
        theirs = list(dict.fromkeys(theirs))
    ordered = "ORDER BY" in made.original and "LIMIT" not in made.original
    wrong = ""
    for kind, plan in mutants(made.text(None, {}), most):
        verdict = verify(made.query, plan, session, leaves)
        counted[verdict.status] += 1
        try:
            mine = rows_of(connection, plan)
        except (duckdb.Error, SqlglotError) as problem:
            counted[NO_QUERY] += 1
            if verdict.status == PROVED and not any(words in str(problem) for words in _OF_DUCKDB):
                wrong = wrong or f"{kind}: proved, and is no query ({problem})\n{plan}\n{made.original}"
            continue
        if made.query.as_set:
            mine = list(dict.fromkeys(mine))
        if same_rows(mine, theirs, ordered=ordered):
            continue
        counted[OTHER_ROWS] += 1
        if verdict.status == PROVED:
            wrong = wrong or f"{kind}: proved, and gives other rows\n{plan}\n{made.original}\n{mine}\n{theirs}"
    return counted, wrong


def of_seed(seed: int, most: int = PER_PLAN) -> tuple[Counter[str], str]:
    """Try the mutants of the plan for a random query."""
    case = generate(seed)
    built, connection = filled_world(case)
    outcome = built.rewrite(case.query)
    return _of(outcome.replacements, built, connection, f"seed {seed}", most)


def of_file(path: Path, most: int = PER_PLAN) -> tuple[Counter[str], str]:
    """Try the mutants of the plans of one golden file."""
    golden = read(path)
    built = world(golden)
    connection = database(golden.schema, golden.rows, built)
    made = [each for case in golden.cases for each in _alone(built.rewrite(case.query).replacements)]
    return _of(made, built, connection, path.stem, most)


def _alone(replacements: Sequence[Replacement]) -> Sequence[Replacement]:
    """Return the only replacement of a statement, if it can be run by itself; empty otherwise."""
    return replacements if len(replacements) == 1 and not replacements[0].subqueries else ()


def _of(
    replacements: Sequence[Replacement], built: World, connection: duckdb.DuckDBPyConnection, name: str, most: int
) -> tuple[Counter[str], str]:
    counted: Counter[str] = Counter()
    problems: list[str] = []
    for made in _alone(replacements) if name.startswith("seed") else replacements:
        if made.rule == "text_match" or made.verdict.status != PROVED:
            continue
        found, wrong = tried(made, built, connection, most)
        counted += found
        problems += [f"{name}: {wrong}"] if wrong else []
    return counted, "\n\n".join(problems)


def main() -> int:
    """Try the plans given on the command line; return 1 if a wrong plan is proved."""
    named = sys.argv[1]
    work: Callable[..., tuple[Counter[str], str]] = of_file if named == "golden" else of_seed
    items: Sequence[object] = golden_files() if named == "golden" else range(*map(int, named.split(":")))
    counted: Counter[str] = Counter()
    wrong: list[str] = []
    with ProcessPoolExecutor(2) as pool:
        for found, problem in pool.map(work, items, chunksize=1 if named == "golden" else 50):
            counted += found
            wrong += [problem] if problem else []
    sys.stdout.write("\n\n".join([*wrong, ""]))
    verdicts = {status: counted[status] for status in (PROVED, REFUTED, UNDECIDED)}
    sys.stdout.write(
        f"{sum(verdicts.values())} mutants, {verdicts}, {counted[OTHER_ROWS]} give other rows, "
        f"{len(wrong)} files or seeds have one that is wrong and proved\n"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
