"""TPC-H over twelve views and SSB over four: answered with twenty parameter sets for each query.

No view has the text of a query or of a subquery. The rows are compared for the first set; each plan is proved.
"""

from __future__ import annotations

from random import Random

import pytest

from rewriter.script import read_script
from tests.workloads import data
from tests.workloads.corpus import FOLDER, queries, script
from tests.workloads.execution import database, same_answer
from tests.workloads.parameters import PARAMETERS, substituted

SETS = 20
COMPARED = 1
MOST_VIEWS = 12
# The views of TPC-H that are among the twelve as they are in schema.sql.
SHARED = ("late_shipments", "offers", "containers")


def _script(workload: str) -> str:
    """Return the script of the tables and at most twelve views."""
    if workload != "tpch":
        return script(workload)
    tables, _, views = script(workload).partition("-- 1\n")
    shared = [view for view in views.split(";\n") if any(f" VIEW {name} AS" in view for name in SHARED)]
    return tables + ";\n".join([*shared, (FOLDER / workload / "twelve_views.sql").read_text()])


@pytest.mark.parametrize("workload", PARAMETERS)
def test_each_query_is_answered_with_all_parameters(workload: str) -> None:
    workspace = read_script(_script(workload))
    assert len(workspace.definitions.views) <= MOST_VIEWS
    connection = database(workspace, data.ssb(lines=1000) if workload == "ssb" else data.tpch())
    random = Random(20)
    missed, unproved, wrong = [], [], []
    for query in queries(workload):
        for number in range(SETS):
            asked = substituted(query.sql, PARAMETERS[workload][query.name](random))
            found = workspace.rewrite(asked)
            if not found.rewritten:
                missed.append(asked)
            unproved += [asked for each in found.replacements if each.verdict.status != "proved"]
            if number < COMPARED and not same_answer(connection, asked, workspace.explain(asked).sql):
                wrong.append(asked)
    assert not missed
    assert not unproved
    assert not wrong
