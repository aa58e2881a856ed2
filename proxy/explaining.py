"""`viewgate explain`: what would become of a query, from a script alone, with no server and no Spark."""

from __future__ import annotations

import json
from pathlib import Path


async def explain(schema: Path, query: str, *, as_json: bool = False) -> None:
    """Print what would become of a query; raise ScriptError for a script or a query that cannot be read."""
    from rewriter.script import ScriptError, read_script

    try:
        script = schema.read_text()
    except UnicodeDecodeError as error:
        raise ScriptError(f"{schema} is no text in UTF-8 ({error.reason}): save it as such") from error
    except OSError as error:
        raise ScriptError(f"{schema} cannot be read: {error.strerror}") from error
    try:
        workspace = read_script(script)
    except ScriptError as problem:
        raise ScriptError(f"{schema}: {problem}") from problem
    explanation = workspace.explain(query)
    print(json.dumps(explanation.as_json(), indent=2, ensure_ascii=False) if as_json else explanation)
