"""Implements `viewgate explain`: prints which views answer a query, from a script or from a running Viewgate."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

NOT_REWRITTEN = 5  # an exit code, documented in docs/reference.md


def explain(schema: Path, query: str, *, as_json: bool = False, require: bool = False) -> int:
    """Print which views of a script would answer a query, and return the exit code.

    `schema` is the script's file, with CREATE statements for the tables and views. With `as_json`, print JSON. The exit
    code is 0 or, with `require` and if no view answers, NOT_REWRITTEN (5). Raise ScriptError if the script or the query
    is invalid.
    """
    from rewriter.script import ScriptError, read_script

    try:
        script = schema.read_text()
    except UnicodeDecodeError as error:
        raise ScriptError(f"{schema} is not UTF-8 text ({error.reason}): save the script in UTF-8") from error
    except OSError as error:
        raise ScriptError(
            f"{schema} cannot be read: {error.strerror}; give the path of the script with the CREATE statements"
        ) from error
    try:
        workspace = read_script(script)
    except ScriptError as problem:
        raise ScriptError(f"the script {schema} is not valid: {problem}") from problem
    explanation = workspace.explain(query)
    print(json.dumps(explanation.as_json(), indent=2, ensure_ascii=False) if as_json else explanation)
    return NOT_REWRITTEN if require and not explanation.rewritten else 0


# The rows of EXPLAIN REWRITE, by column name.
Rows = Sequence[Mapping[str, Any]]


def answering(rows: Rows) -> tuple[str, ...]:
    """Return the distinct views that answer a query, from the rows of EXPLAIN REWRITE; empty if no view answers."""
    if any(row["verdict"] == "not rewritten" for row in rows):
        return ()
    return tuple(dict.fromkeys(str(row["view"]) for row in rows if row["verdict"] == "chosen"))


def prose(rows: Rows) -> str:
    """Return the rows of EXPLAIN REWRITE as text, in the form in which `explain` prints the result for a script."""
    kept = next(
        (f"not rewritten: {row['detail']}" for row in rows if row["verdict"] == "not rewritten"), "not rewritten"
    )
    views = answering(rows)
    head = f"answered from {', '.join(views)}" if views else kept
    return "\n".join([head, "", *_found(rows), *_suggested(rows)]).rstrip()


def _found(rows: Rows) -> Iterator[str]:
    from rewriter.findings import told

    found = [row for row in rows if row["verdict"] not in ("not rewritten", "suggested")]
    blocks: list[str] = []
    for row in found:  # only the first row of a block has the block's whole text
        known = bool(blocks and row["block"]) and blocks[-1].startswith(row["block"])
        blocks.append(blocks[-1] if known else row["block"])
    several = len({*blocks}) > 1
    for block, of_block in groupby(zip(blocks, found, strict=True), key=itemgetter(0)):
        apart = several and bool(block)
        if apart:
            yield f"for {block}"
        for _, row in of_block:
            said = told(row["view"] or "several views", *(row[key] for key in ("verdict", "rule", "reason", "detail")))
            yield f"{'  ' if apart else ''}{said}"


def _suggested(rows: Rows) -> Iterator[str]:
    for row in rows:
        if row["verdict"] == "suggested":
            yield from ("", str(row["detail"]).removeprefix("-- "))  # the comment in its first line says what it does
