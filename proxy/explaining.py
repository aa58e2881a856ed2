"""`viewgate explain`: what would become of a query, from a script alone, with no server and no Spark."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `viewgate explain`."""
    schema = "CREATE TABLE and CREATE MATERIALIZED VIEW statements; all views are taken as fresh"
    parser.add_argument("--schema", type=Path, required=True, metavar="FILE.sql", help=schema)
    parser.add_argument("--json", action="store_true", help="print one JSON object, for programs")
    parser.add_argument("query", metavar="QUERY", help="a SELECT over these tables; - reads it from standard input")


async def explain(options: argparse.Namespace) -> None:
    """Print what would become of the query; raises ScriptError."""
    from rewriter.script import ScriptError, read_script

    try:
        script = options.schema.read_text()
    except UnicodeDecodeError as error:
        raise ScriptError(f"{options.schema} is no text in UTF-8 ({error.reason}): save it as such") from error
    except OSError as error:
        raise ScriptError(f"{options.schema} cannot be read: {error.strerror}") from error
    try:
        workspace = read_script(script)
    except ScriptError as problem:
        raise ScriptError(f"{options.schema}: {problem}") from problem
    query = sys.stdin.read().strip() if options.query == "-" else options.query
    explanation = workspace.explain(query)
    print(json.dumps(explanation.as_json(), indent=2, ensure_ascii=False) if options.json else explanation)
