"""Lets dbt check a project, build it twice, and test it; writes what dbt did in each node to a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[1] / "dbt_project"


def invoked(verb: str) -> Any:
    """Return whether a dbt command succeeded, and what it did."""
    from dbt.cli.main import dbtRunner

    answer = dbtRunner().invoke(["--quiet", verb, "--project-dir", str(PROJECT), "--profiles-dir", "."])
    nodes = getattr(answer.result, "results", ())
    found = [(one.node.unique_id, str(one.status), one.message, one.failures) for one in nodes]
    return answer.success, str(answer.exception), sorted(found)


if __name__ == "__main__":
    done = {f"{at}: {verb}": invoked(verb) for at, verb in enumerate(("debug", "run", "run", "test"))}
    Path(sys.argv[1]).write_text(json.dumps(done))
